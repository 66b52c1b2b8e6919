//! Max-Connect4: its rules, and exact results.

#[path = "../common/cases.rs"]
mod cases;
mod exact;
mod naive;
mod rules;

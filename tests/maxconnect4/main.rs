//! Max-Connect4: its rules, and exact results.

mod exact;
mod rules;

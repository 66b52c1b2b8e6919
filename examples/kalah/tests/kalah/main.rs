//! Kalah: the rules by published values and the contract, and extra turns in every part of the program.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

mod commands;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod page;
mod rules;

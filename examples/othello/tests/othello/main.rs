//! Othello: the rules by known numbers and the contract, every command, and passes on the page.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

mod commands;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod page;
mod rules;

//! The commands that each program adds to those that all games share.
//!
//! The program of a game is a binary of a few lines, so that [`all`] can have the commands of all games, and
//! [`main`] can be each of the programs.

use std::env;
use std::path::Path;
use std::process::ExitCode;

pub mod all;
pub mod network;

/// Runs the program by whose name this process was started: the program of a game, or [`all`] for any other
/// name. Packages have one file for all programs.
#[must_use]
pub fn main() -> ExitCode {
    let called = env::args_os().next().unwrap_or_default();
    match Path::new(&called).file_stem().and_then(|name| name.to_str()) {
        Some("maxconnect4") => plyground_cli::main(&maxconnect4::game()),
        Some("network") => network::main(),
        _ => all::main(),
    }
}

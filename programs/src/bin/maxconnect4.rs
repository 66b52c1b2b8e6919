//! The program `maxconnect4`: the commands that all games share, and no others.

use std::process::ExitCode;

fn main() -> ExitCode {
    plyground_cli::main(&maxconnect4::game())
}

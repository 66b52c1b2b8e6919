//! The program `plyground-league`.

use std::process::ExitCode;

fn main() -> ExitCode {
    league::commands::main()
}

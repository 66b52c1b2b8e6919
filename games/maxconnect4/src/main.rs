//! The program `maxconnect4`.

mod program;

use std::process::ExitCode;

fn main() -> ExitCode {
    plyground::cli::main(&program::MaxConnect4)
}

//! The program `research`.

use std::process::ExitCode;

fn main() -> ExitCode {
    research::main()
}

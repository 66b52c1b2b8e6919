//! The program `network`.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::network::main()
}

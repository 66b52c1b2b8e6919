//! The program `plyground`.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::main()
}

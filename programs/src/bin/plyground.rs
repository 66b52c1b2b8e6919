//! The binary `plyground`.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::main()
}

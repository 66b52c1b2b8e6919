//! The binary `maxconnect4`.

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::run(&maxconnect4::game())
}

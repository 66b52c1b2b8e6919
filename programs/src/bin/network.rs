//! The binary `network`.

use std::process::ExitCode;

use network::Rules;

fn main() -> ExitCode {
    programs::run(&network::game(Rules::Berkeley))
}

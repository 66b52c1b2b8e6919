//! Badly behaved players of Max-Connect4, one for each way to behave badly.
//!
//! `zoo ANIMAL MARK` speaks the line protocol and misbehaves when it is to move; `zoo ANIMAL MARK IN OUT`
//! exchanges files. The animal `attack-NAME` carries out an attack of the check of sandboxes while it plays.
//! MARK does nothing but mark the process, and all that it starts. The program is also the supervisor of its
//! own animals, and `zoo tournament` lets them meet.

#[cfg(unix)]
mod animal;

use std::process::ExitCode;

#[cfg(unix)]
use plyground_sandbox::{SUPERVISE, is_inside, supervise};

#[cfg(unix)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [SUPERVISE, ref words @ ..] => supervise(words).into(),
        _ if is_inside() => ExitCode::FAILURE,
        // As every program that can play has it.
        ["--version"] => ExitCode::SUCCESS,
        ["referee", level, animal, mark] => animal::referee(level, animal, mark, false),
        ["referee-of-files", level, animal, mark] => animal::referee(level, animal, mark, true),
        ["tournament", ..] => plyground_cli::main(&maxconnect4::game()),
        ["child", animal, mark] => animal::grow_up(animal, mark),
        [animal, mark] => animal::converse(animal, mark),
        [animal, mark, input, output] => animal::exchange(animal, mark, input, output),
        _ => ExitCode::from(2),
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::from(2)
}

//! The targets of the fuzzers: every parser, every reader, and the rules of the games.
//!
//! A target is a function of any bytes. It panics when a promise is broken: nothing panics, a text
//! that is read can be written and read again, a fault is told in one short line, and fast rules
//! are those of a naive program. The program in `fuzz/` hands them to libFuzzer;
//! `tests/corpus.rs` hands them the inputs in `fuzz/corpus/` with any toolchain.

mod journals;
mod maxconnect4_rules;
#[path = "../../maxconnect4/naive.rs"]
mod naive_board;
mod network_rules;
mod othello_rules;
mod players;
mod plays;
mod rosters;
mod source;
mod states;

/// Something that is fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its folder in `fuzz/corpus/`.
    pub name: &'static str,
    /// Panics when `bytes` break a promise.
    pub run: fn(bytes: &[u8]),
}

macro_rules! targets {
    ($($file:ident: $($name:ident),*;)*) => {
        /// All targets, by their files.
        pub const TARGETS: &[Target] =
            &[$($(Target { name: stringify!($name), run: $file::$name }),*),*];
    };
}

targets! {
    journals: books, journals, runtime_tables;
    maxconnect4_rules: maxconnect4_rules;
    network_rules: network_rules;
    othello_rules: othello_rules;
    players: engine_lines, outputs, players, referee_lines, words;
    plays: plays, points;
    rosters: grades, requests, rosters, tournaments;
    states: moves, openings, records, states, strategies;
}

/// Returns the target of this name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

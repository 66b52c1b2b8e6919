//! The targets of the fuzzers: every parser, every reader, and the rules of the games.
//!
//! A target is a function of any bytes. It panics when a promise is broken: nothing panics, a text
//! that is read can be written and read again, a fault is told in one short line, and fast rules
//! are those of a naive program. The programs in `fuzz/` hand these functions to libFuzzer;
//! `tests/corpus.rs` hands them the inputs in `fuzz/corpus/` with any toolchain.

pub mod books;
pub mod engine_lines;
mod games;
pub mod grades;
pub mod journals;
pub mod maxconnect4_rules;
pub mod moves;
#[path = "../../maxconnect4/naive.rs"]
mod naive_board;
mod naive_discs;
pub mod network_rules;
pub mod openings;
pub mod othello_rules;
pub mod outputs;
pub mod players;
pub mod plays;
pub mod points;
pub mod records;
pub mod referee_lines;
pub mod requests;
pub mod rosters;
pub mod runtime_tables;
mod scratch;
mod source;
pub mod states;
pub mod strategies;
mod told;
pub mod tournaments;
pub mod words;

/// Something that is fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its program in `fuzz/fuzz_targets/` and of its folder in `fuzz/corpus/`.
    pub name: &'static str,
    /// Panics when `bytes` break a promise.
    pub run: fn(bytes: &[u8]),
}

macro_rules! targets {
    ($($name:ident),* $(,)?) => {
        /// Everything that is fuzzed.
        pub const TARGETS: &[Target] =
            &[$(Target { name: stringify!($name), run: $name::run }),*];
    };
}

targets! {
    books, engine_lines, grades, journals, maxconnect4_rules, moves, network_rules, openings,
    othello_rules, outputs, players, plays, points, records, referee_lines, requests, rosters,
    runtime_tables, states, strategies, tournaments, words,
}

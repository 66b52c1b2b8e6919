//! Proofs about Network: the commands that make them, strategies, the tables of results/, and the solved
//! opening.

mod commands;
#[path = "../../tests/common/mod.rs"]
#[expect(dead_code, reason = "the tests of the programs use more of it")]
mod common;
#[cfg(unix)]
#[path = "../../tests/readme/markdown.rs"]
#[expect(dead_code, reason = "the tests of the programs look at more of the pages")]
mod markdown;
#[path = "../../tests/network/samples.rs"]
mod samples;
mod solution;
mod tables;

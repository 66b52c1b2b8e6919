//! The targets of the fuzzers: every parser, every reader, and the rules of the games.
//!
//! A target is a function of any bytes. It panics when a promise is broken: nothing panics, a text
//! that is read can be written and read again, a fault is told in one short line, and fast rules
//! are those of a naive program. The program in `fuzz/` hands them to libFuzzer;
//! the tests hand them the inputs in `fuzz/corpus/` with any toolchain.

mod files;
#[path = "../../maxconnect4/naive.rs"]
mod naive_board;
mod rules;

use std::cell::LazyCell;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use network::Rules;
use othello::Othello;
use plyground::Game;
use plyground_host::toy::toy;
use plyground_host::{HostedPosition, SharedGame, host};
use tempfile::TempDir;

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
    files: books, grades, journals, moves, openings, records, requests, rosters, runtime_tables, states, strategies,
        tournaments;
    rules: engine_lines, maxconnect4_rules, network_rules, othello_rules, outputs, players, plays, points,
        referee_lines, words;
}

/// Returns the target of this name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The bytes of an input that are left.
#[derive(Debug)]
pub(crate) struct Source<'a>(pub(crate) &'a [u8]);

impl<'a> Source<'a> {
    /// The next byte; 0 after the last.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = usize::from(self.byte());
        // Most choices are among fewer than 256.
        if end > 256 { (number << 8 | usize::from(self.byte())) % end } else { number % end }
    }

    /// The next eight bytes as a number.
    pub(crate) fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Returns `true` if nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything that is left, as text: what is not UTF-8 is replaced, as the readers do.
    pub(crate) fn text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    /// Takes the bytes before the next byte `end`, which is dropped; everything, if `end` does not
    /// follow.
    pub(crate) fn until(&mut self, end: u8) -> &'a [u8] {
        let at = self.0.iter().position(|&byte| byte == end);
        let (before, rest) = self.0.split_at(at.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        before
    }

    /// A game.
    pub(crate) fn game(&mut self) -> &'static SharedGame {
        &GAMES[self.below(GAMES.len())]
    }

    /// A position of `game`, after at most `plies` moves from its start.
    pub(crate) fn position(&mut self, game: &SharedGame, plies: usize) -> HostedPosition {
        let mut position = game.start();
        for _ in 0..self.below(plies + 1) {
            let moves: Vec<_> = position.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[self.below(moves.len())]);
        }
        position
    }
}

/// Memory that looks like a folder, where there is some: nothing here is to be kept.
const MEMORY: &str = "/dev/shm";

thread_local! {
    static FOLDER: LazyCell<TempDir> = LazyCell::new(|| {
        let memory = Path::new(MEMORY);
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        folder.expect("a folder for files")
    });
}

/// The path of a file of this thread.
pub(crate) fn path(name: &str) -> PathBuf {
    FOLDER.with(|folder| folder.path().join(name))
}

/// A file of this thread with these bytes in it.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, bytes).expect("room for a file");
    path
}

/// The longest message in characters: the names of the checks of a game are in one of them.
const LONGEST: usize = 1_000;

/// A fault is told in one line of limited length, in which nothing steers a terminal.
pub(crate) fn assert_told(fault: &impl Display) {
    let text = fault.to_string();
    assert!(!text.is_empty());
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(text.chars().count() <= LONGEST, "{} characters: {text}", text.chars().count());
}

/// Every game, by several rules.
pub(crate) static GAMES: LazyLock<Vec<SharedGame>> = LazyLock::new(|| {
    let maxconnect4 = ["7x6", "4x4", "8x8", "5x7"]
        .map(|size| maxconnect4::game().with_rules(size).expect("a size of the board"));
    let network = Rules::BOTH.map(network::game);
    let othello = [8, 4, 6].map(|size| host(Othello(size)));
    maxconnect4.into_iter().chain(network).chain(othello).chain([toy()]).collect()
});

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    /// The folder of the corpora.
    const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");

    fn inputs(name: &str) -> Vec<PathBuf> {
        let folder = Path::new(CORPUS).join(name);
        let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        paths.sort();
        paths
    }

    #[test]
    fn every_input_keeps_the_promises() {
        let mut broken = Vec::new();
        for target in TARGETS {
            let paths = inputs(target.name);
            assert!(paths.len() > 3, "{} has a corpus", target.name);
            for path in paths {
                let bytes = fs::read(&path).expect("an input");
                if catch_unwind(|| (target.run)(&bytes)).is_err() {
                    broken.push(path);
                }
            }
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn every_corpus_has_a_target() {
        let mut names: Vec<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
        names.sort();
        let mut found: Vec<String> = fs::read_dir(CORPUS)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        found.sort();
        assert_eq!(found, names);
    }
}

//! A game of any kind, and its moves as text.

use std::fmt::{self, Debug};
use std::str::FromStr;
use std::sync::Arc;

use plyground::book::{Book, BookError};
use plyground::{Outcome, Score, Side, Value};
use plyground_sandbox::SandboxPolicy;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::engine::{EngineOptions, HostedEngine};
use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::page::Layout;
use crate::position::HostedPosition;
use crate::program::{StarterKit, Variants};
use crate::state::{StateText, TextError};

/// A game that several owners share.
pub type SharedGame = Arc<dyn HostedGame>;

/// A game behind text: everything that players, commands, pages and bindings need of it.
///
/// [`host`](crate::host) makes one from a [`Program`](crate::Program), whose documentation says more.
pub trait HostedGame: Debug + Send + Sync {
    /// Returns the name of the game in tables and records: lower case, no blanks.
    fn name(&self) -> &'static str;

    /// Returns the description of its program, in one line.
    fn about(&self) -> String;

    /// Returns the heading of one-move and interactive mode, and of the page.
    fn title(&self) -> String;

    /// Returns the greatest depth of a search in plies.
    fn max_depth(&self) -> u32;

    /// Returns the description of a typed move: `a column from 1 to 7`.
    fn move_hint(&self) -> String;

    /// Returns the positions of the bench, each as a state file with `/` for the line ends, with the depth in
    /// plies of its search.
    fn bench(&self) -> Vec<(String, u32)>;

    /// Returns the name of the rules.
    fn rules(&self) -> String;

    /// Returns the names of all rules that the game has, as [`with_rules`](HostedGame::with_rules) takes
    /// them.
    fn rule_sets(&self) -> Vec<String>;

    /// Returns the same game with the rules of this name, if they exist.
    fn with_rules(&self, rules: &str) -> Option<SharedGame>;

    /// Returns the option by which the command line takes the name of the rules, if there is one.
    fn variants(&self) -> Option<Variants>;

    /// Returns the start of a game.
    fn start(&self) -> HostedPosition;

    /// Reads a state file.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<HostedPosition, TextError>;

    /// Returns a search for this game.
    fn engine(&self, options: EngineOptions) -> Box<dyn HostedEngine>;

    /// Returns the book that comes with the game.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is damaged.
    fn book(&self) -> Result<Option<Book>, BookError>;

    /// If true, a search can look to the end of a game from its start.
    fn is_solvable(&self) -> bool;

    /// If true, the game has tactics that find forced wins.
    fn has_tactics(&self) -> bool;

    /// Returns the name of a side.
    fn side_name(&self, side: Side) -> String;

    /// Returns the score of an outcome, reached `ply` plies from now, as `side` sees it.
    fn score(&self, outcome: Outcome, side: Side, ply: u32) -> Score;

    /// Returns a score in the game's own terms: points in a game of points, else plies to the end, which are
    /// negative for a loss.
    fn value(&self, score: Score) -> i32;

    /// Returns the score of one point.
    fn point(&self) -> i32;

    /// Returns the score rounded up to a whole number of points; a forced end stays unchanged.
    fn round_up(&self, score: Score) -> Score;

    /// Returns a value as people read it: `win in 5`, `loss in <= 14`, `+1.35`.
    fn show(&self, value: Value) -> String;

    /// Returns the moves that begin the third game of a match.
    fn tie_break_opening(&self) -> Vec<MoveText>;

    /// Returns the checks of the assignment, in TOML; empty if there are none.
    fn checks(&self) -> &'static str;

    /// Returns the starter kits for students, for these rules: at most one for each language.
    fn starters(&self) -> &'static [StarterKit];

    /// Returns the command that plays a Java class over the line protocol and looks `depth` plies ahead, if
    /// that is given.
    ///
    /// # Errors
    ///
    /// Returns the reason why the class cannot play.
    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady>;

    /// If true, Java players can be told the depth, and moves that they did not choose.
    fn java_is_told_all(&self) -> bool;

    /// Returns the board of the page, or `None` if the game has no page.
    fn layout(&self) -> Option<Layout>;

    /// Returns a move in each of the notations of the page, the canonical one first.
    fn move_names(&self, mv: MoveText) -> Vec<String>;

    /// Returns a typed move, in any of the notations, as canonical text.
    fn read_move(&self, text: &str) -> Option<MoveText>;
}

/// A move of any game in its canonical notation: at most [`MoveText::MOST_BYTES`] bytes of UTF-8.
///
/// A text need not be a move, or a legal one; that depends on the position.
/// [`HostedPosition::parse_move`](crate::HostedPosition::parse_move) and
/// [`Game::check_legal`](plyground::Game::check_legal) decide it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveText {
    /// The text, followed by zeros.
    bytes: [u8; MoveText::MOST_BYTES],
    length: u8,
}

/// The error of a text that is longer than any move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a move of at most {} bytes", MoveText::MOST_BYTES)]
pub struct MoveTooLong;

impl MoveText {
    /// The length of the longest text, in bytes.
    pub const MOST_BYTES: usize = 23;

    /// Returns the text of `mv`. A text that is too long is cut off, and is then not a move of its game.
    pub fn of(mv: &impl fmt::Display) -> MoveText {
        let mut text = MoveText { bytes: [0; MoveText::MOST_BYTES], length: 0 };
        // Writing stops when the bytes are full.
        let _ = fmt::write(&mut text, format_args!("{mv}"));
        text
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Write for MoveText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = usize::from(self.length);
        let end = start + text.len();
        self.bytes.get_mut(start..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = u8::try_from(end).map_err(|_| fmt::Error)?;
        Ok(())
    }
}

impl FromStr for MoveText {
    type Err = MoveTooLong;

    fn from_str(text: &str) -> Result<MoveText, MoveTooLong> {
        if text.len() > MoveText::MOST_BYTES { Err(MoveTooLong) } else { Ok(MoveText::of(&text)) }
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MoveText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<MoveText, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_as_it_was() -> Result<(), MoveTooLong> {
        for text in ["", "4", "34-56", "ÄÖ", "abcdefghijklmnopqrstuvw"] {
            assert_eq!(text.parse::<MoveText>()?.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn longer_texts_are_refused() {
        assert_eq!("x".repeat(24).parse::<MoveText>(), Err(MoveTooLong));
    }
}

//! A game of any kind.

use std::fmt::Debug;
use std::sync::Arc;

use plyground::book::{Book, BookError};
use plyground::{Outcome, Score, Side, Value};
use plyground_sandbox::SandboxPolicy;

use crate::engine::{EngineOptions, HostedEngine};
use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::move_text::MoveText;
use crate::page::Layout;
use crate::position::HostedPosition;
use crate::program::Variants;
use crate::starter::StarterKit;
use crate::state::{StateText, TextError};

/// A game that several owners share.
pub type SharedGame = Arc<dyn HostedGame>;

/// A game behind text: all that players, commands, pages and bindings need of it.
///
/// [`host`](crate::host) makes one from a [`Program`](crate::Program), whose docs say more.
pub trait HostedGame: Debug + Send + Sync {
    /// The name of the game in tables and records: lower case, no blanks.
    fn name(&self) -> &'static str;

    /// What its program is, in one line.
    fn about(&self) -> String;

    /// The heading of one-move and interactive mode, and of the page.
    fn title(&self) -> String;

    /// The greatest depth of a search in plies.
    fn max_depth(&self) -> u32;

    /// What people type to move: `a column from 1 to 7`.
    fn move_hint(&self) -> String;

    /// The positions of the bench, each as a state file with `/` for the line ends, with the depth
    /// in plies to which each is searched.
    fn bench(&self) -> Vec<(String, u32)>;

    /// The name of the rules.
    fn rules(&self) -> String;

    /// The names of all rules that the game has, those of [`with_rules`](HostedGame::with_rules).
    fn rule_sets(&self) -> Vec<String>;

    /// The same game with the rules of this name, if there are such.
    fn with_rules(&self, rules: &str) -> Option<SharedGame>;

    /// The option by which the command line takes the name of the rules, if there is one.
    fn variants(&self) -> Option<Variants>;

    /// The start of a game.
    fn start(&self) -> HostedPosition;

    /// Reads a state file.
    ///
    /// # Errors
    ///
    /// The first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<HostedPosition, TextError>;

    /// A search for this game.
    fn engine(&self, options: EngineOptions) -> Box<dyn HostedEngine>;

    /// The book that comes with the game.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    fn book(&self) -> Result<Option<Book>, BookError>;

    /// Whether a search can look to the end of a game from its start.
    fn is_solvable(&self) -> bool;

    /// Whether the game knows how to find forced wins.
    fn has_tactics(&self) -> bool;

    /// What people call a side.
    fn side_name(&self, side: Side) -> String;

    /// The score of an outcome, reached `ply` plies from now, as `side` sees it.
    fn score(&self, outcome: Outcome, side: Side, ply: u32) -> Score;

    /// A score in the game's own terms: points in a game of points, else plies to the end, which
    /// are negative for a loss.
    fn value(&self, score: Score) -> i32;

    /// The number that one point is in a score.
    fn point(&self) -> i32;

    /// The next whole number of points, if a score is none; a forced end stays as it is.
    fn round_up(&self, score: Score) -> Score;

    /// A value as people read it: `win in 5`, `loss in <= 14`, `+1.35`.
    fn show(&self, value: Value) -> String;

    /// The moves that the third game of a match begins with.
    fn tie_break_opening(&self) -> Vec<MoveText>;

    /// The checks of the assignment, in TOML; empty if there are none.
    fn checks(&self) -> &'static str;

    /// What students begin with, for these rules: one kit for a language at most.
    fn starters(&self) -> &'static [StarterKit];

    /// The command that plays a Java class over the line protocol, looking `depth` plies ahead if
    /// that is given.
    ///
    /// # Errors
    ///
    /// Why the class cannot play.
    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady>;

    /// Whether Java players can be told the depth, and moves that they did not choose.
    fn java_is_told_all(&self) -> bool;

    /// The board of the page; `None` if the game has no page.
    fn layout(&self) -> Option<Layout>;

    /// A move in each of the notations of the page, the canonical one first.
    fn move_names(&self, mv: MoveText) -> Vec<String>;

    /// The move that people have typed, in any of the notations, as canonical text.
    fn read_move(&self, text: &str) -> Option<MoveText>;
}

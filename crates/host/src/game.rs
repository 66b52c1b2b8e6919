//! A game of any kind, its positions and its searches: the types of the boundary that name each other.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

use plyground::book::{Book, BookError};
use plyground::perfect::{BestMove, Refutation, Unlimited};
use plyground::search::{Limits, Line, Report, Scope};
use plyground::trace::{Counts, TraceOptions, Tree};
use plyground::{Outcome, Score, Side, Term, Value};
use plyground_sandbox::SandboxPolicy;
use rand::rngs::StdRng;
use thiserror::Error;

use crate::analysis::{Analysis, AnalysisRequest, Promise};
use crate::engine::{ChosenMove, Constraints, EngineOptions, ExplainRequest, Strength, Terms};
use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::move_text::MoveText;
use crate::page::{Layout, Path, Picture};
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

/// A position of any game, with everything that people and programs are told about it. Cheap to clone.
///
/// It has the methods of [`Game`](plyground::Game), so that generic code such as
/// [`perft`](plyground::perft::perft) runs on it; moves are [`MoveText`].
#[derive(Clone)]
pub struct HostedPosition(pub(crate) Arc<dyn ErasedPosition>);

/// The reason why a move is illegal, with the move in it, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Illegal(String);

impl Illegal {
    pub(crate) fn new(why: impl fmt::Display) -> Illegal {
        Illegal(why.to_string())
    }
}

/// The methods of a typed position behind the boundary; [`Hosted`](crate::Hosted) implements them.
///
/// Every `mv` is a legal move unless stated otherwise.
pub(crate) trait ErasedPosition: Any + Send + Sync {
    fn game(&self) -> SharedGame;
    /// Returns the typed position.
    fn typed(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Any) -> bool;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn legal_moves(&self) -> Vec<MoveText>;
    fn parse_move(&self, text: &str) -> Option<MoveText>;
    /// Returns the position after any move, if the move is legal.
    fn after(&self, mv: MoveText) -> Result<HostedPosition, Illegal>;
    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal>;
    fn key(&self) -> u64;
    fn plies_left(&self) -> Option<u32>;
    fn points(&self) -> Option<[i32; 2]>;
    fn perft(&self, depth: u32) -> u64;
    fn after_random_moves(&self, rng: &mut StdRng, most: usize) -> (Vec<MoveText>, HostedPosition);
    fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise);
    fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>>;
    fn explain(&self, request: &ExplainRequest) -> Option<Explanation>;
    fn trace_counts(&self, options: &TraceOptions, most: u64) -> Option<Counts>;
    fn terms(&self) -> Vec<Term>;
    fn is_pass(&self, mv: MoveText) -> bool;
    fn move_code(&self, mv: MoveText) -> usize;
    fn canonical_code(&self, code: usize) -> usize;
    fn state(&self) -> String;
    fn text(&self, kind: Text) -> String;
    fn doubt(&self) -> Option<String>;
    fn announce(&self, mv: MoveText) -> String;
    fn drawing(&self, last: Option<MoveText>) -> String;
    fn values(&self, values: &[(MoveText, i32)]) -> String;
    fn verdict(&self, value: i32) -> String;
    fn forced_win(&self, winner: Side, plies: u32) -> String;
    fn picture(&self) -> Picture;
    fn path(&self, mv: MoveText) -> Path;
    fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText>;
}

/// The kinds of texts that depend on the position alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    Display,
    Board,
    Prompt,
    Turn,
    Ending,
    Result,
    Reason,
}

/// A search for the game that made it. It keeps its results from one call to the next.
///
/// A position of another game has no answer: it counts as one in which the game is over.
pub trait HostedEngine: Send {
    /// Chooses a move, or returns `None` if the game is over.
    ///
    /// # Errors
    ///
    /// Returns an error if perfect play is wanted, the length of the game has no limit, and the game has no
    /// tactics for forced wins.
    fn choose(
        &mut self,
        position: &HostedPosition,
        strength: Strength,
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, Unlimited>;

    /// Determines the value of every move, and calls `on_info` at every step. Returns the last report.
    fn analyze(
        &mut self,
        position: &HostedPosition,
        request: &AnalysisRequest,
        on_info: &mut dyn FnMut(&Analysis),
    ) -> Analysis;

    /// Does a plain search, as [`Search::search`](plyground::Search::search).
    fn search(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
        scope: Scope,
        on_info: &mut dyn FnMut(&Report<MoveText>),
    ) -> Option<Report<MoveText>>;

    /// Searches by plain minimax, the reference.
    fn minimax(&self, position: &HostedPosition, limits: &Limits) -> Option<Report<MoveText>>;

    /// Returns the value of `position` at a glance: the outcome, the book's value, or that of a search within
    /// `limits`. Returns `None` if not even one depth is finished.
    fn glance(&mut self, position: &HostedPosition, limits: &Limits) -> Option<Value>;

    /// Finds one best move by a search to the end, without the book. Returns `None` if the game is over, or a
    /// limit is reached first.
    ///
    /// # Errors
    ///
    /// Returns an error if the length of the game has no limit.
    fn solve_best(
        &mut self,
        position: &HostedPosition,
        limits: Limits,
    ) -> Result<Option<BestMove<MoveText>>, Unlimited>;

    /// Checks a solution by playing its line to the end and by a plain search near the end. Returns the
    /// number of positions that this search settled.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the solution.
    fn verify(
        &mut self,
        position: &HostedPosition,
        line: &Line<MoveText>,
    ) -> Result<usize, Refutation>;

    /// Returns another engine that shares the transposition table with this one.
    fn sharing(&self) -> Box<dyn HostedEngine>;

    /// Forgets all results of earlier searches.
    fn clear(&mut self);

    /// Checks that perfect play from `position` is possible: by a search to the end, or by forced wins.
    ///
    /// # Errors
    ///
    /// Returns an error if neither is possible.
    fn check_perfect(&self, position: &HostedPosition) -> Result<(), Unlimited>;
}

/// Searches the positions of a game's bench, one after the other, each to its depth and without the results
/// of the others.
///
/// # Errors
///
/// Yields the fault of a bench position that cannot be read.
pub fn bench(
    game: &dyn HostedGame,
    options: EngineOptions,
) -> impl Iterator<Item = Result<Report<MoveText>, TextError>> {
    let mut engine = game.engine(options);
    game.bench()
        .into_iter()
        .filter_map(move |(state, depth)| search(game, &mut *engine, &state, depth).transpose())
}

fn search(
    game: &dyn HostedGame,
    engine: &mut dyn HostedEngine,
    state: &str,
    depth: u32,
) -> Result<Option<Report<MoveText>>, TextError> {
    let position = game.parse_state(&StateText::from_lines(&state.replace('/', "\n")))?;
    engine.clear();
    Ok(engine.search(&position, &Limits::depth(depth), Scope::BestMove, &mut |_| ()))
}

/// The tree of a search, with everything that people look at beside it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position at the root.
    pub position: HostedPosition,
    /// The options of the search.
    pub options: TraceOptions,
    /// The counts of the whole search, including the part that is left out.
    pub counts: Counts,
    /// The tree. Its moves are indexes of [`moves`](Explanation::moves).
    pub tree: Tree<u16>,
    /// The moves that occur in the tree.
    pub moves: Vec<MoveText>,
    /// The cells of the move to each node.
    pub paths: Vec<Path>,
    /// The terms of the evaluations.
    pub terms: Terms,
}

impl Explanation {
    /// Returns the move with this index in the tree.
    #[must_use]
    pub fn move_text(&self, mv: u16) -> MoveText {
        self.moves[usize::from(mv)]
    }

    /// Returns the moves from the root to a node.
    #[must_use]
    pub fn way(&self, node: usize) -> Vec<MoveText> {
        let nodes = self.tree.path(node).into_iter();
        nodes.filter_map(|node| self.tree.nodes()[node].mv).map(|mv| self.move_text(mv)).collect()
    }

    /// Returns the number of positions that the search entered and the tree leaves out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        let shown = self.tree.nodes().iter().filter(|node| node.found.is_some()).count();
        self.counts.nodes() - shown as u64
    }
}

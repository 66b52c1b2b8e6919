//! A game of any kind, its positions and its searches: the types of the boundary, which refer to each other.

use std::any::Any;
use std::fmt::{self, Debug};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground::book::{Book, BookError};
use plyground::perfect::{BestMove, Refutation, plies_to_end};
use plyground::search::{Limits, Line, MAX_DEPTH, Report, Scope, SearchContext};
use plyground::trace::{Counts, TraceOptions, Tree};
use plyground::{Game, Outcome, Score, Side, Term, Value};
use plyground_sandbox::SandboxPolicy;
use rand::rngs::StdRng;
use thiserror::Error;

use crate::adapter::{Lesson, MoveText, Text};
use crate::analysis::{Analysis, AnalysisRequest, Promise};
use crate::engine::{
    ChosenMove, Constraints, EngineError, EngineOptions, ExplainRequest, IllegalAction,
    JudgeEffort, Judgment, Label, LabelRequest, OtherGame, Sight, StepOptions, StepResults,
    Strength, Terms,
};
use crate::external::{JavaProgram, NoJavaClasses, NotReady, ProgramCommand};
use crate::page::{Layout, Path, Picture};
use crate::starter::StarterKit;
use crate::state::{StateText, TextError};

/// The depth in plies to which the bench searches the start of a game that names no positions.
const BENCH_DEPTH: u32 = 6;

/// A game that several owners share.
pub type SharedGame = Arc<dyn HostedGame>;

/// A game behind text, as players, commands, pages and bindings know it.
///
/// A game with a [`GameAdapter`](crate::GameAdapter) implements this trait too. All methods have defaults;
/// they concern its assignment and its commands, and none mentions the typed game.
pub trait HostedGame: AdaptedGame {
    /// Returns the description of the game's binary, in one line.
    fn about(&self) -> String {
        format!("Plays and analyzes {}", self.name())
    }

    /// Returns the name of the game for people, as the page has it.
    fn title(&self) -> String {
        self.name().to_owned()
    }

    /// Returns the heading of one-move and interactive mode.
    fn heading(&self) -> String {
        format!("{} game", self.title())
    }

    /// Returns the greatest depth of a search in plies, at most [`MAX_DEPTH`].
    fn max_depth(&self) -> u32 {
        plies_to_end(&self.start()).unwrap_or(MAX_DEPTH)
    }

    /// Returns the positions of the bench, each as a state file with `/` for the line ends, with the depth in
    /// plies of its search.
    fn bench(&self) -> Vec<(String, u32)> {
        vec![(self.start().state_word(), BENCH_DEPTH.min(self.max_depth()))]
    }

    /// Returns the name of the rules.
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    /// Returns the same game with the rules of this name, if they exist.
    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        (rules == self.rules()).then(|| self.shared())
    }

    /// Returns the names of all rules that the game has, for people to choose from.
    fn rule_sets(&self) -> Vec<String> {
        vec![self.rules()]
    }

    /// Makes the game survive failures of a program that it depends on, from now on, for a server that many people use
    /// together. [`take_fault`](crate::rules::take_fault) returns the failure.
    fn outlast_faults(&self) {}

    /// Returns `true` if the rules are a program of their own, with which a search visits a hundred times fewer
    /// positions in the same time. Work that was not asked for should be less then.
    fn is_slow(&self) -> bool {
        false
    }

    /// Returns the option by which the command line takes the name of the rules, if there is one. The default
    /// is `--rules` for a game that has several.
    fn variants(&self) -> Option<Variants> {
        let names = self.rule_sets();
        (names.len() > 1).then(|| Variants {
            option: "rules",
            value_name: "RULES",
            help: "The rules to play by",
            expected: format!("one of {}", names.join(", ")),
            default: self.rules(),
            only_solving: false,
        })
    }

    /// Returns the book for perfect play that comes with the game, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is damaged.
    fn book(&self) -> Result<Option<Book>, BookError> {
        Ok(None)
    }

    /// Returns the moves that begin the third game of a match; empty if it begins like any other.
    fn tie_break_opening(&self) -> Vec<MoveText> {
        self.start().legal_moves().take(1).collect()
    }

    /// Returns the requirements of the assignment for a player, in TOML: the checks of `grade`. Empty if
    /// there are none.
    fn checks(&self) -> &'static str {
        ""
    }

    /// Returns `true` if the game has starter kits. This method may be faster than making them.
    fn has_starters(&self) -> bool {
        !self.starters().is_empty()
    }

    /// Returns the starter kits for students, for these rules: at most one for each language.
    fn starters(&self) -> Vec<StarterKit> {
        Vec::new()
    }

    /// Returns the command that plays a Java class over the line protocol and looks `depth` plies ahead; without a
    /// depth the class decides. The method is called for every game, so slow work should be done only once.
    ///
    /// # Errors
    ///
    /// Returns the reason why the class cannot play.
    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady> {
        let _ = (java, depth, policy);
        Err(NotReady::Program(NoJavaClasses(self.name().to_owned()).to_string()))
    }

    /// Returns `true` if classes of Java play the game.
    fn has_java_players(&self) -> bool {
        false
    }

    /// Returns the sources of Java that the course gave, which a submission may lack: the path of each below the root
    /// of the packages, and its text.
    fn java_given(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Returns `true` if Java players can be told everything that other programs can be told: the number of plies to
    /// look ahead, and moves that they made without being asked. Otherwise their games begin at the start, and no move
    /// in them can be taken back.
    fn java_is_told_all(&self) -> bool {
        true
    }
}

/// The methods of a game that are implemented once, for every [`GameAdapter`](crate::GameAdapter).
pub trait AdaptedGame: Debug + Send + Sync {
    /// Returns the name of the game in tables and records: lower case, no blanks.
    fn name(&self) -> &'static str;

    /// Returns the game itself, for another owner.
    fn shared(&self) -> SharedGame;

    /// Returns the start of a game.
    fn start(&self) -> HostedPosition;

    /// Reads a state file.
    fn parse_state(&self, text: &StateText) -> Result<HostedPosition, TextError>;

    /// Returns a search for this game.
    fn engine(&self, options: EngineOptions) -> Box<dyn HostedEngine>;

    /// Returns `true` if the game has tactics that find forced wins.
    fn has_tactics(&self) -> bool;

    /// Returns the name of a side.
    fn side_name(&self, side: Side) -> String;

    /// Returns the description of a typed move: `a column from 1 to 7`.
    fn move_hint(&self) -> String;

    /// Returns the rules for people who do not know them, part by part.
    fn lessons(&self) -> Vec<Lesson>;

    /// Returns a typed move, in any of the notations, as canonical text.
    fn read_move(&self, text: &str) -> Option<MoveText>;

    /// Returns the board of the page, or `None` if the game has no page.
    fn layout(&self) -> Option<Layout>;

    /// Returns a move in each of the notations of the page, the canonical one first.
    fn move_names(&self, mv: MoveText) -> Vec<String>;

    /// Returns the number of actions; 0 if the game has no page, whose cells number its moves.
    fn actions(&self) -> usize;

    /// Returns `count` games at their start, which are played together.
    fn batch(&self, count: usize) -> Box<dyn HostedBatch>;

    /// Returns `count` positions of games of random moves, one game after the other, each from its start to
    /// its last move, or `None` if `stop` is raised before all are drawn.
    fn random_batch(
        &self,
        count: usize,
        rng: &mut StdRng,
        stop: &AtomicBool,
    ) -> Option<Box<dyn HostedBatch>>;

    /// Returns the score of an outcome, reached `ply` plies from now, as `side` sees it.
    fn score(&self, outcome: Outcome, side: Side, ply: u32) -> Score;

    /// Returns the score of one point.
    fn point(&self) -> i32;

    /// Returns a score in the game's own terms, from the view of the side that the score is for: points in a game of
    /// points, else plies to the end, which are negative for a loss.
    fn value(&self, score: Score) -> i32 {
        score.plies_to_end().unwrap_or(score.get() / self.point())
    }

    /// Returns the score rounded up to a whole number of points; a forced end stays unchanged.
    fn round_up(&self, score: Score) -> Score {
        score.round_up(self.point())
    }

    /// Returns a value as people read it: `win in 5`, `loss in <= 14`, `+1.35`.
    fn show(&self, value: Value) -> String {
        value.display(self.point()).to_string()
    }

    /// Returns `true` if a search can reach the end of a game from its start.
    fn is_solvable(&self) -> bool {
        plies_to_end(&self.start()).is_ok()
    }
}

/// The option by which the command line takes the name of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variants {
    /// The name of the option without its dashes: `size`.
    pub option: &'static str,
    /// The form of its value: `COLUMNSxROWS`.
    pub value_name: &'static str,
    /// The purpose of the option, in one line.
    pub help: &'static str,
    /// The values that the option takes: `COLUMNSxROWS, both from 4 to 8, as in 7x6`.
    pub expected: String,
    /// The value of the rules that apply without the option.
    pub default: String,
    /// If true, only the commands that solve take the option, not every command.
    pub only_solving: bool,
}

/// A position of any game, with everything that people and programs are told about it. Cheap to clone.
///
/// A position has the methods of [`Game`], so that generic code such as [`perft`](plyground::game::perft) runs on it,
/// and the methods of [`PositionInfo`]; moves are [`MoveText`].
#[derive(Clone)]
pub struct HostedPosition(pub(crate) Arc<dyn ErasedPosition>);

/// The methods of a [`HostedPosition`] beside the methods of [`Game`].
///
/// Every `mv` is a legal move.
pub trait PositionInfo {
    /// Returns the game, with the rules by which the position is played.
    fn game(&self) -> SharedGame;

    /// Returns the move of `text` in its canonical notation, whether it is legal or not, or `None` if the
    /// text is not a move.
    fn parse_move(&self, text: &str) -> Option<MoveText>;

    /// Returns the lines of the state file, separated by LF, with no LF after the last: the side to move.
    fn state(&self) -> String;

    /// Returns a text for people.
    fn text(&self, text: Text) -> String;

    /// Returns the number of sequences of exactly `depth` legal moves, as [`perft`](plyground::game::perft)
    /// counts them, but faster.
    fn perft(&self, depth: u32) -> u64;

    /// Plays legal moves, each with the same probability, until `most` are played or the game is over.
    fn after_random_moves(&self, rng: &mut StdRng, most: usize) -> (Vec<MoveText>, HostedPosition);

    /// Returns the legal moves that promise the most within this many plies, and their promise, by the rules alone: any
    /// correct search of that depth finds the same. One ply is the side's own move alone.
    fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise);

    /// Returns the legal moves, each with the margin in points of the side to move after this many plies of
    /// best play, or `None` in a game without points. One ply is the side's own move alone.
    fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>>;

    /// Returns the legal moves whose [margin](PositionInfo::margins) is less than `gap` points below the greatest,
    /// in less time than all margins take.
    fn best_by_points(&self, plies: u32, gap: u32) -> Option<Vec<MoveText>>;

    /// Returns true if some move has a [margin](PositionInfo::margins) that is at least `gap` points greater than those
    /// of all moves that are best with two plies less. Returns false in a game without points.
    fn shows_late(&self, plies: u32, gap: u32) -> bool;

    /// Returns the depths at which plain minimax finds the move `better` better than the move `worse`, by the rules
    /// alone: by the points on the board in a game of points, and else by the winner. The search visits at most `most`
    /// positions.
    fn sight(&self, better: MoveText, worse: MoveText, most: u64) -> Sight;

    /// Searches the position by plain alpha-beta or minimax and returns every step, or `None` if the search
    /// would enter more positions than it may, or is stopped.
    fn explain(&self, request: &ExplainRequest) -> Option<Explanation>;

    /// Returns the size of such a search, or `None` if it would enter more than `most` positions, or is stopped.
    fn trace_counts(
        &self,
        options: &TraceOptions,
        context: &SearchContext,
        most: u64,
    ) -> Option<Counts>;

    /// Returns the terms of the evaluation of the position, which must not be over.
    fn terms(&self) -> Vec<Term>;

    /// Returns the picture of the position on the page.
    fn picture(&self) -> Picture;

    /// Returns the cells of a legal move on the page.
    fn path(&self, mv: MoveText) -> Path;

    /// Returns the move that people make by choosing a cell of the page, after another cell `from` if a piece
    /// is moved. The move may be illegal. Returns `None` if the cells are not a move.
    fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText>;

    /// Returns the number of a legal move, or `None` if the game has no page.
    fn action(&self, mv: MoveText) -> Option<usize>;

    /// Returns the numbers of the legal moves, in the order of the moves.
    fn legal_actions(&self) -> Vec<usize>;

    /// Returns the legal move with this number.
    fn move_of_action(&self, action: usize) -> Option<MoveText>;

    /// Returns the position after the legal move with this number.
    fn after_action(&self, action: usize) -> Option<HostedPosition>;

    /// Writes the cells of the pieces of the side to move, and then the cells of its opponent: 1 for a piece, or else
    /// 0.
    fn write_planes(&self, planes: &mut [u8]);

    /// Writes 1 to the numbers of the legal moves, and 0 to all others.
    fn write_mask(&self, mask: &mut [i8]);
}

impl Deref for HostedPosition {
    type Target = dyn PositionInfo;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// The reason why a move is illegal, with the move in it, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Illegal(String);

impl Illegal {
    pub(crate) fn new(why: impl fmt::Display) -> Illegal {
        Illegal(why.to_string())
    }

    /// Returns the rule that the move breaks: the reason without its numbers, squares and moves, which are the words
    /// that have a digit. Moves with the same rule are illegal for the same reason.
    pub fn rule(&self) -> String {
        let is_of_rule = |word: &&str| !word.contains(|letter: char| letter.is_ascii_digit());
        self.0.split_whitespace().filter(is_of_rule).collect::<Vec<_>>().join(" ")
    }
}

/// A typed position behind the boundary: its rules, by which [`HostedPosition`] is a [`Game`].
///
/// A `mv` need not be legal, or a move.
pub(crate) trait ErasedPosition: PositionInfo + Any + Send + Sync {
    /// Returns the typed position.
    fn typed(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Any) -> bool;
    fn display(&self) -> String;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn legal_moves(&self) -> Vec<MoveText>;
    /// Returns the position after the move, if the move is legal.
    fn after(&self, mv: MoveText) -> Result<HostedPosition, Illegal>;
    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal>;
    fn key(&self) -> u64;
    fn plies_left(&self) -> Option<u32>;
    fn points(&self) -> Option<[i32; 2]>;
    fn is_pass(&self, mv: MoveText) -> bool;
    fn move_code(&self, mv: MoveText) -> usize;
    fn canonical_code(&self, code: usize) -> usize;
}

/// Games of one kind that are played together. Each array has a part for each game, in order.
pub trait HostedBatch: Send + Sync {
    /// Returns the number of games.
    fn size(&self) -> usize;

    /// Returns the position of one game.
    fn position(&self, index: usize) -> HostedPosition;

    /// Returns the numbers of plies that were played.
    fn plies(&self) -> &[u16];

    /// Starts all games anew.
    fn reset(&mut self);

    /// Plays the legal moves with these numbers, one in each game. A game that is over stays unchanged, whatever its
    /// action.
    ///
    /// # Errors
    ///
    /// Returns the first illegal action; all games then stay unchanged.
    fn step(
        &mut self,
        actions: &[i64],
        options: StepOptions,
        results: StepResults<'_>,
    ) -> Result<(), IllegalAction>;

    /// Writes the number of a legal move, each with the same probability; 0 for a game that is over.
    fn write_random_actions(&self, rng: &mut StdRng, actions: &mut [i64]);

    /// Writes the planes, as [`PositionInfo::write_planes`].
    fn write_planes(&self, planes: &mut [u8]);

    /// Writes the masks, as [`PositionInfo::write_mask`].
    fn write_mask(&self, mask: &mut [i8]);

    /// Writes the sides to move: 0 for the first.
    fn write_turns(&self, turns: &mut [u8]);
}

/// A search for the game that made it. It keeps its results from one call to the next.
///
/// A position of another game, or of other rules, is an error in every method: [`OtherGame`].
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
    ) -> Result<Option<ChosenMove>, EngineError>;

    /// Determines the value of every move, and calls `on_info` at every step. Returns the last report.
    fn analyze(
        &mut self,
        position: &HostedPosition,
        request: &AnalysisRequest,
        on_info: &mut dyn FnMut(&Analysis),
    ) -> Result<Analysis, OtherGame>;

    /// Does a plain search, as [`Search::search`](plyground::Search::search).
    fn search(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
        scope: Scope,
        on_info: &mut dyn FnMut(&Report<MoveText>),
    ) -> Result<Option<Report<MoveText>>, OtherGame>;

    /// Searches by plain minimax, the reference.
    fn minimax(
        &self,
        position: &HostedPosition,
        limits: &Limits,
    ) -> Result<Option<Report<MoveText>>, OtherGame>;

    /// Returns the value of `position` at a glance: the outcome, the book's value, or the value of a search within
    /// `limits`. Returns `None` if not even one depth is finished.
    fn glance(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
    ) -> Result<Option<Value>, OtherGame>;

    /// Returns the value of a position and its best move, which are exact if the effort is enough. Returns `None` if
    /// the game is over.
    ///
    /// # Errors
    ///
    /// Returns an error if the position is one of another game.
    fn judge(
        &mut self,
        position: &HostedPosition,
        effort: &JudgeEffort,
    ) -> Result<Option<Judgment>, OtherGame>;

    /// Labels a position with its value and with every move that has this value. Returns `None` if the game is
    /// over, or the search is stopped first.
    ///
    /// # Errors
    ///
    /// Returns an error if an exact value is wanted and the length of the game has no limit.
    fn label(
        &mut self,
        position: &HostedPosition,
        request: &LabelRequest,
    ) -> Result<Option<Label>, EngineError>;

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
    ) -> Result<Option<BestMove<MoveText>>, EngineError>;

    /// Checks a solution by playing its line to the end and by a plain search near the end. Returns the
    /// number of positions that this search settled, or the first fault of the solution.
    fn verify(
        &mut self,
        position: &HostedPosition,
        line: &Line<MoveText>,
    ) -> Result<Result<usize, Refutation>, OtherGame>;

    /// Returns another engine that shares the transposition table with this one.
    fn sharing(&self) -> Box<dyn HostedEngine>;

    /// Forgets all results of earlier searches.
    fn clear(&mut self);

    /// Checks that perfect play from `position` is possible: by a search to the end, or by forced wins.
    ///
    /// # Errors
    ///
    /// Returns an error if neither is possible.
    fn check_perfect(&self, position: &HostedPosition) -> Result<(), EngineError>;
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
    let mut search = move |(state, depth): (String, u32)| -> Result<_, TextError> {
        let position = game.parse_state(&StateText::from_lines(&state.replace('/', "\n")))?;
        engine.clear();
        // The position is one of the engine's game.
        let report = engine.search(&position, &Limits::depth(depth), Scope::BestMove, &mut |_| ());
        Ok(report.ok().flatten())
    };
    game.bench().into_iter().filter_map(move |position| search(position).transpose())
}

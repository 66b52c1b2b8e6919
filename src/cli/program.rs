//! What a game must supply to have a command line.

use crate::book::{Book, BookError};
use crate::eval::Evaluator;
use crate::external::ProcessLimits;
use crate::game::{Game, Side};
use crate::player::{JavaProgram, NotReady};
use crate::proof::Tactics;
use crate::score::Score;
use crate::state::{Fault, StateText};

/// A game's own texts and formats: all that the shared commands do not know.
///
/// Texts for the screen end without a line end unless said otherwise.
pub trait Program: Clone + Send + Sync + 'static {
    /// The rules.
    type Game: Game;
    /// The judgement that the searches use.
    type Evaluator: Evaluator<Self::Game> + Send;
    /// What machines on the clock know of forced wins.
    type Tactics: Tactics<Self::Game>;

    /// What the program is, in one line.
    const ABOUT: &'static str;
    /// The heading of one-move and interactive.
    const TITLE: &'static str;
    /// The greatest depth that may be asked for, at most [`MAX_DEPTH`](crate::search::MAX_DEPTH).
    const MAX_DEPTH: u32;
    /// A state file for the examples in the help.
    const EXAMPLE_FILE: &'static str;
    /// What a person types to move: `a column from 1 to 7`.
    const MOVE: &'static str;
    /// The positions of the bench, each as the text of a state file with `/` for the line ends,
    /// with the depths to which they are searched.
    const BENCH: &'static [(&'static str, u32)];

    /// The start of a game.
    fn start(&self) -> Self::Game;

    /// The judgement that the searches use.
    fn evaluator(&self) -> Self::Evaluator;

    /// What machines on the clock know of forced wins, with or without a book of their own.
    fn tactics(&self, book: bool) -> Self::Tactics;

    /// The book that perfect play goes by, for the start of this program, if there is one.
    ///
    /// # Errors
    ///
    /// When it can not be used.
    fn book(&self) -> Result<Option<Book>, BookError> {
        Ok(None)
    }

    /// Reads a state file; [`GridFormat`](crate::state::GridFormat) does most of it where the position
    /// is rows of cells and the side to move.
    ///
    /// # Errors
    ///
    /// The first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<Self::Game, Fault>;

    /// The text of the state file of `position`, as [`parse_state`](Program::parse_state) reads it:
    /// lines separated by LF, without blanks, the last of them the side to move, with no LF after it.
    fn format_state(&self, position: &Self::Game) -> String;

    /// Why a position that can be played on can hardly come from a game, if so.
    fn doubt(&self, position: &Self::Game) -> Option<String>;

    /// The position as a person looks at it, with the score if the game has one. Ends with a line
    /// end.
    fn board(&self, position: &Self::Game) -> String;

    /// Asks the side to move for a move, without the colon after it: `White, choose a square`.
    fn prompt(&self, position: &Self::Game) -> String;

    /// Says that `mv` is made in `position`, before it is: `move 13: Player 1, column 4`.
    fn announce(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> String;

    /// Says whose turn it is: `White is to move.`
    fn turn(&self, position: &Self::Game) -> String;

    /// Why the game is over in `position`, in which it is, as a line of its own: `BOARD FULL`.
    fn ending(&self, position: &Self::Game) -> String;

    /// The winner of the finished game, or that there is none, as a sentence: `It is a tie, 3 to 3.`
    fn result(&self, position: &Self::Game) -> String;

    /// A proven score in the game's own terms, as the side sees it whose score it is: points in a game
    /// of points, and otherwise, say, [`Score::plies_to_end`].
    fn value(&self, proven: Score) -> i32;

    /// The exact values of the legal moves as a person looks at them, each as the side to move
    /// sees it. Ends with a line end.
    fn values(
        &self,
        position: &Self::Game,
        values: &[(<Self::Game as Game>::Move, i32)],
    ) -> String {
        let _ = position;
        values.iter().map(|(mv, value)| format!("{:>5}  {value:>+5}\n", mv.to_string())).collect()
    }

    /// What best play comes to in `position`, whose value is `value` to the side to move.
    fn verdict(&self, position: &Self::Game, value: i32) -> String {
        let _ = position;
        format!("With best play the value is {value}.")
    }

    /// Says that `winner` wins from `position` within so many plies, whatever the other does.
    fn forced_win(&self, position: &Self::Game, winner: Side, plies: u32) -> String {
        let _ = position;
        format!("{} wins within {plies} plies", self.side_name(winner))
    }

    /// The name of the rules, for a game that has several.
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    /// The program of the same game with the rules of this name, if there are such.
    fn with_rules(&self, rules: &str) -> Option<Self> {
        (rules == self.rules()).then(|| self.clone())
    }

    /// What people call a side.
    fn side_name(&self, side: Side) -> String {
        format!("Player {}", side.index() + 1)
    }

    /// The position as a game between two players shows it, after `last` if a move was made. It
    /// may hold the escape sequences of a terminal, without which it must not say less. Ends with
    /// a line end.
    fn drawing(&self, position: &Self::Game, last: Option<<Self::Game as Game>::Move>) -> String {
        let _ = last;
        self.board(position)
    }

    /// Why the rules end the game in `position`, in a few words without brackets, for the last line of
    /// a game: `board full, 3 to 3`.
    fn reason(&self, position: &Self::Game) -> String;

    /// The command that plays a Java class over the line protocol, looking `depth` plies ahead if
    /// that is not for the class to decide. It is asked for in every game: what takes long should
    /// be done only once.
    ///
    /// # Errors
    ///
    /// Why the class cannot play.
    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        limits: &ProcessLimits,
    ) -> Result<Vec<String>, NotReady> {
        let _ = (java, depth, limits);
        Err(NotReady::Program(format!(
            "{} knows no Java classes; a Java program plays as `file:java ...` or `line:java ...`",
            Self::Game::NAME
        )))
    }

    /// Whether Java players can be told all that other programs can: how many plies to look ahead,
    /// and moves that they made without being asked. If not, their games begin at the start, and
    /// no move in them can be taken back.
    fn java_is_told_all(&self) -> bool {
        true
    }

    /// The moves that the third game of a match begins with; none if it begins as any other.
    fn tie_break_opening(&self) -> Vec<<Self::Game as Game>::Move>;

    /// What the assignment asks of a player, in TOML: the checks of `grade`, of the form that
    /// [`parse_checks`](crate::grade::parse_checks) reads. Empty where nothing is asked.
    fn checks(&self) -> &'static str {
        ""
    }
}

//! What a game must supply to have a program: commands, players, a referee and a page.

use std::fmt::Debug;

use plyground::book::{Book, BookError};
use plyground::perfect::plies_to_end;
use plyground::proof::Tactics;
use plyground::search::MAX_DEPTH;
use plyground::{Evaluator, Game, Score, SearchHints, Side};
use plyground_sandbox::SandboxPolicy;

use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::page::{Layout, Path, Picture};
use crate::starter::StarterKit;
use crate::state::{StateText, TextError};

/// The depth in plies to which the bench searches the start if a game names no positions.
const BENCH_DEPTH: u32 = 6;

/// A game with the texts and formats of its program.
///
/// Five methods are required: the start, the evaluation, the tactics and the state format, of which
/// [`GridFormat`](crate::state::GridFormat) does most. All others have defaults, which draw the
/// board from `Display` and speak of `Player 1` and `Player 2`. A value of the type stands for one
/// set of rules, a board size for instance.
///
/// Texts for the screen end without a line end unless said otherwise.
pub trait Program: Clone + Debug + Send + Sync + 'static {
    /// The rules.
    type Game: SearchHints + 'static;
    /// The evaluation that the searches use.
    type Evaluator: Evaluator<Self::Game> + Send + 'static;
    /// What machines on the clock know of forced wins;
    /// [`NoTactics`](plyground::proof::NoTactics) if nothing.
    type Tactics: Tactics<Self::Game> + 'static;

    /// The start of a game.
    fn start(&self) -> Self::Game;

    /// The evaluation that the searches use.
    fn evaluator(&self) -> Self::Evaluator;

    /// What machines on the clock know of forced wins, with or without `prepared` answers.
    fn tactics(&self, prepared: bool) -> Self::Tactics;

    /// Reads a state file.
    ///
    /// # Errors
    ///
    /// The first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<Self::Game, TextError>;

    /// The text of the state file of `position`, as [`parse_state`](Program::parse_state) reads it:
    /// lines separated by LF, without blanks, the last of them the side to move, with no LF after it.
    fn format_state(&self, position: &Self::Game) -> String;

    // The program and its rules.

    /// What the program is, in one line.
    fn about(&self) -> String {
        format!("Plays and analyzes {}", Self::Game::NAME)
    }

    /// The heading of one-move and interactive mode, and of the page.
    fn title(&self) -> String {
        format!("{} game", Self::Game::NAME)
    }

    /// The greatest depth of a search in plies, at most [`MAX_DEPTH`].
    fn max_depth(&self) -> u32 {
        plies_to_end(&self.start()).unwrap_or(MAX_DEPTH)
    }

    /// What people type to move: `a column from 1 to 7`.
    fn move_hint(&self) -> String {
        let example = self.start().legal_moves().next();
        example.map_or_else(|| "a move".to_owned(), |mv| format!("a move such as {mv}"))
    }

    /// The positions of the bench, each as a state file with `/` for the line ends, with the depth
    /// in plies to which each is searched.
    fn bench(&self) -> Vec<(String, u32)> {
        let start = self.format_state(&self.start()).replace('\n', "/");
        vec![(start, BENCH_DEPTH.min(self.max_depth()))]
    }

    /// The name of the rules.
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    /// The program of the same game with the rules of this name, if there are such.
    fn with_rules(&self, rules: &str) -> Option<Self> {
        (rules == self.rules()).then(|| self.clone())
    }

    /// The names of all rules, for people to choose from.
    fn rule_sets(&self) -> Vec<String> {
        vec![self.rules()]
    }

    /// The option by which the command line takes the name of the rules, if there is one: by default
    /// `--rules` for a game that has several.
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

    /// The book for perfect play from the start, if there is one.
    ///
    /// # Errors
    ///
    /// When it is damaged.
    fn book(&self) -> Result<Option<Book>, BookError> {
        Ok(None)
    }

    /// The moves that the third game of a match begins with; none if it begins as any other.
    fn tie_break_opening(&self) -> Vec<<Self::Game as Game>::Move> {
        self.start().legal_moves().take(1).collect()
    }

    // What people read.

    /// What people call a side.
    fn side_name(&self, side: Side) -> String {
        format!("Player {}", side.index() + 1)
    }

    /// The position as people look at it, with the score if the game has one. Ends with a line end.
    fn board(&self, position: &Self::Game) -> String {
        let board = position.to_string();
        let score = position.points().map(|[first, second]| {
            let [one, two] = Side::BOTH.map(|side| self.side_name(side));
            format!("Score: {one} = {first}, {two} = {second}\n")
        });
        format!("{}\n{}", board.trim_end_matches('\n'), score.unwrap_or_default())
    }

    /// The position as a game between two players shows it, after `last` if a move was made. It
    /// may hold the escape sequences of a terminal, without which it must not say less. Ends with
    /// a line end.
    fn drawing(&self, position: &Self::Game, last: Option<<Self::Game as Game>::Move>) -> String {
        let _ = last;
        self.board(position)
    }

    /// Asks the side to move for a move, without the colon after it: `White, choose a square`.
    fn prompt(&self, position: &Self::Game) -> String {
        format!("{}, choose {}", self.side_name(position.side_to_move()), self.move_hint())
    }

    /// Says that `mv` is made in `position`, before it is: `White adds 34`.
    fn announce(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> String {
        let side = self.side_name(position.side_to_move());
        if position.is_pass(mv) { format!("{side} passes") } else { format!("{side} plays {mv}") }
    }

    /// Says whose turn it is: `White is to move.`
    fn turn(&self, position: &Self::Game) -> String {
        format!("{} is to move.", self.side_name(position.side_to_move()))
    }

    /// Why the game, which is over, has ended, as a line of its own: `BOARD FULL`.
    fn ending(&self, position: &Self::Game) -> String {
        self.reason(position)
    }

    /// Why the game, which is over, has ended, in a few words without brackets.
    fn reason(&self, position: &Self::Game) -> String {
        match position.points() {
            Some([first, second]) => format!("{first} to {second}"),
            None => "by the rules".to_owned(),
        }
    }

    /// The winner of the game, which is over, or that there is none, as a sentence.
    fn result(&self, position: &Self::Game) -> String {
        let winner = position.outcome().and_then(|outcome| outcome.winner());
        let points = winner.zip(position.points()).map(|(winner, points)| {
            format!(", {} to {}", points[winner.index()], points[winner.other().index()])
        });
        match winner {
            Some(side) => format!("{} wins{}.", self.side_name(side), points.unwrap_or_default()),
            None => "It is a draw.".to_owned(),
        }
    }

    /// Why a legal position cannot come from a game, if so.
    fn doubt(&self, position: &Self::Game) -> Option<String> {
        let _ = position;
        None
    }

    /// A score in the game's own terms, as the side sees it whose score it is: points in a game of
    /// points, else plies to the end, which are negative for a loss.
    fn value(&self, score: Score) -> i32 {
        score.plies_to_end().unwrap_or(score.get() / Self::Game::POINT)
    }

    /// The exact values of the legal moves as people look at them, each as the side to move sees
    /// it. Ends with a line end.
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
        let side = position.side_to_move();
        let winner = self.side_name(if value > 0 { side } else { side.other() });
        match (value.unsigned_abs(), position.points()) {
            (0, _) => "With best play it is a draw.".to_owned(),
            (1, Some(_)) => format!("With best play {winner} wins by 1 point."),
            (margin, Some(_)) => format!("With best play {winner} wins by {margin} points."),
            (plies, None) => format!("With best play {winner} wins in {plies} plies."),
        }
    }

    /// Says that `winner` wins from `position` within this many plies, whatever the opponent does.
    fn forced_win(&self, position: &Self::Game, winner: Side, plies: u32) -> String {
        let _ = position;
        format!("{} wins within {plies} plies", self.side_name(winner))
    }

    // The assignment.

    /// What the assignment asks of a player, in TOML: the checks of `grade`. Empty where nothing
    /// is asked.
    fn checks(&self) -> &'static str {
        ""
    }

    /// What students begin with, for these rules: one kit for a language at most.
    fn starters(&self) -> &'static [StarterKit] {
        &[]
    }

    /// The command that plays a Java class over the line protocol, looking `depth` plies ahead if
    /// that is not for the class to decide. It is called for every game, so slow work should be
    /// done only once.
    ///
    /// # Errors
    ///
    /// Why the class cannot play.
    fn java_command(
        &self,
        java: &JavaProgram,
        depth: Option<u32>,
        policy: &SandboxPolicy,
    ) -> Result<ProgramCommand, NotReady> {
        let _ = (java, depth, policy);
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

    // The page. Its board is a grid of cells, numbered row by row from the upper left corner, from 0.

    /// The board, and how people write on it; `None` if the game has no page.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// What stands on the board, and what else is to be seen there. By default the pieces that the
    /// state file shows, by the symbols of the [`Layout`].
    fn picture(&self, position: &Self::Game) -> Picture {
        let symbols = self.layout().map(|layout| layout.pieces.map(|piece| piece.symbol));
        symbols.map_or_else(Picture::default, |symbols| {
            Picture::from_state(&self.format_state(position), symbols, position.points())
        })
    }

    /// The cells of a legal move; none for a pass.
    fn path(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> Path {
        let _ = (position, mv);
        Path::default()
    }

    /// The move that one makes by choosing a cell, after another cell `from` where a piece is to
    /// be moved. It may be illegal: then [`Game::check_legal`] says why the cell is no choice. By
    /// default the legal move whose [`path`](Program::path) it is.
    fn move_at(
        &self,
        position: &Self::Game,
        from: Option<usize>,
        to: usize,
    ) -> Option<<Self::Game as Game>::Move> {
        let chosen = Path { from, to: Some(to) };
        position.legal_moves().find(|&mv| self.path(position, mv) == chosen)
    }

    /// The move in each of [`Layout::notations`]; the canonical notation comes first.
    fn names(&self, mv: <Self::Game as Game>::Move) -> Vec<String> {
        vec![mv.to_string()]
    }

    /// Reads a move that people have typed, in any of the notations.
    fn read_move(&self, text: &str) -> Option<<Self::Game as Game>::Move> {
        text.parse().ok()
    }
}

/// The option by which the command line takes the name of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variants {
    /// The name of the option without its dashes: `size`.
    pub option: &'static str,
    /// What its value looks like: `COLUMNSxROWS`.
    pub value_name: &'static str,
    /// What it is for, in one line.
    pub help: &'static str,
    /// What is expected of a value: `COLUMNSxROWS, both from 4 to 8, as in 7x6`.
    pub expected: String,
    /// The value that stands for the rules without the option.
    pub default: String,
    /// Whether only the commands that solve take it, not every command.
    pub only_solving: bool,
}

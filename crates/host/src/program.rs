//! The interface by which a game gets a program: commands, players, a referee, a page and starter kits.

use std::fmt::Debug;

use plyground::book::{Book, BookError};
use plyground::perfect::plies_to_end;
use plyground::proof::Tactics;
use plyground::search::MAX_DEPTH;
use plyground::{Evaluator, Game, Score, SearchHints, Side};
use plyground_sandbox::SandboxPolicy;

use crate::external::{JavaProgram, NotReady, ProgramCommand};
use crate::page::{Layout, Path, Picture};
use crate::state::{StateText, TextError};

/// The depth in plies to which the bench searches the start of a game that names no positions.
const BENCH_DEPTH: u32 = 6;

/// A game with the texts and formats of its program.
///
/// Five methods are required: the start, the evaluation, the tactics and the two of the state format, which
/// [`GridFormat`](crate::state::GridFormat) mostly implements. All others have defaults, which draw the board
/// from `Display` and call the sides `Player 1` and `Player 2`. A value of the type stands for one set of
/// rules, a board size for instance.
///
/// Texts for the screen end without a line end unless stated otherwise.
pub trait Program: Clone + Debug + Send + Sync + 'static {
    /// The rules.
    type Game: SearchHints + 'static;
    /// The evaluation that the searches use.
    type Evaluator: Evaluator<Self::Game> + Send + 'static;
    /// The knowledge of forced wins that engine players use on the clock;
    /// [`NoTactics`](plyground::proof::NoTactics) if there is none.
    type Tactics: Tactics<Self::Game> + 'static;

    /// Returns the start of a game.
    fn start(&self) -> Self::Game;

    /// Returns the evaluation that the searches use.
    fn evaluator(&self) -> Self::Evaluator;

    /// Returns the knowledge of forced wins that engine players use on the clock, with or without `prepared`
    /// answers.
    fn tactics(&self, prepared: bool) -> Self::Tactics;

    /// Reads a state file.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<Self::Game, TextError>;

    /// Returns the text of the state file of `position`, as [`parse_state`](Program::parse_state) reads it:
    /// lines separated by LF, without blanks, the last of them the side to move, with no LF after it.
    fn format_state(&self, position: &Self::Game) -> String;

    // The program and its rules.

    /// Returns the description of the program, in one line.
    fn about(&self) -> String {
        format!("Plays and analyzes {}", Self::Game::NAME)
    }

    /// Returns the heading of one-move and interactive mode, and of the page.
    fn title(&self) -> String {
        format!("{} game", Self::Game::NAME)
    }

    /// Returns the greatest depth of a search in plies, at most [`MAX_DEPTH`].
    fn max_depth(&self) -> u32 {
        plies_to_end(&self.start()).unwrap_or(MAX_DEPTH)
    }

    /// Returns the description of a typed move: `a column from 1 to 7`.
    fn move_hint(&self) -> String {
        let example = self.start().legal_moves().next();
        example.map_or_else(|| "a move".to_owned(), |mv| format!("a move such as {mv}"))
    }

    /// Returns the positions of the bench, each as a state file with `/` for the line ends, with the depth in
    /// plies of its search.
    fn bench(&self) -> Vec<(String, u32)> {
        let start = self.format_state(&self.start()).replace('\n', "/");
        vec![(start, BENCH_DEPTH.min(self.max_depth()))]
    }

    /// Returns the name of the rules.
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    /// Returns the program of the same game with the rules of this name, if they exist.
    fn with_rules(&self, rules: &str) -> Option<Self> {
        (rules == self.rules()).then(|| self.clone())
    }

    /// Returns the names of all rules, for people to choose from.
    fn rule_sets(&self) -> Vec<String> {
        vec![self.rules()]
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

    /// Returns the book for perfect play from the start, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is damaged.
    fn book(&self) -> Result<Option<Book>, BookError> {
        Ok(None)
    }

    /// Returns the moves that begin the third game of a match; empty if it begins like any other.
    fn tie_break_opening(&self) -> Vec<<Self::Game as Game>::Move> {
        self.start().legal_moves().take(1).collect()
    }

    // Texts for people.

    /// Returns the name of a side.
    fn side_name(&self, side: Side) -> String {
        format!("Player {}", side.index() + 1)
    }

    /// Returns the position as people look at it, with the score if the game has one. Ends with a line end.
    fn board(&self, position: &Self::Game) -> String {
        let board = position.to_string();
        let score = position.points().map(|[first, second]| {
            let [one, two] = Side::BOTH.map(|side| self.side_name(side));
            format!("Score: {one} = {first}, {two} = {second}\n")
        });
        format!("{}\n{}", board.trim_end_matches('\n'), score.unwrap_or_default())
    }

    /// Returns the position as a game between two players shows it, after the move `last` if there is one.
    /// The drawing may contain escape sequences of a terminal, and must say the same without them. Ends with
    /// a line end.
    fn drawing(&self, position: &Self::Game, last: Option<<Self::Game as Game>::Move>) -> String {
        let _ = last;
        self.board(position)
    }

    /// Returns the prompt for a move, without the colon after it: `White, choose a square`.
    fn prompt(&self, position: &Self::Game) -> String {
        format!("{}, choose {}", self.side_name(position.side_to_move()), self.move_hint())
    }

    /// Returns the announcement of `mv` in `position`, for before the move: `White adds 34`.
    fn announce(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> String {
        let side = self.side_name(position.side_to_move());
        if position.is_pass(mv) { format!("{side} passes") } else { format!("{side} plays {mv}") }
    }

    /// Returns the sentence that names the side to move: `White is to move.`
    fn turn(&self, position: &Self::Game) -> String {
        format!("{} is to move.", self.side_name(position.side_to_move()))
    }

    /// Returns the reason why the finished game has ended, as a line of its own: `BOARD FULL`.
    fn ending(&self, position: &Self::Game) -> String {
        self.reason(position)
    }

    /// Returns the reason why the finished game has ended, in a few words without brackets.
    fn reason(&self, position: &Self::Game) -> String {
        match position.points() {
            Some([first, second]) => format!("{first} to {second}"),
            None => "by the rules".to_owned(),
        }
    }

    /// Returns the winner of the finished game, or that it is a draw, as a sentence.
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

    /// Returns the reason why a legal position cannot come from a game, if there is one.
    fn doubt(&self, position: &Self::Game) -> Option<String> {
        let _ = position;
        None
    }

    /// Returns a score in the game's own terms, as the side sees it whose score it is: points in a game of
    /// points, else plies to the end, which are negative for a loss.
    fn value(&self, score: Score) -> i32 {
        score.plies_to_end().unwrap_or(score.get() / Self::Game::POINT)
    }

    /// Returns the exact values of the legal moves as people look at them, each as the side to move sees it.
    /// Ends with a line end.
    fn values(
        &self,
        position: &Self::Game,
        values: &[(<Self::Game as Game>::Move, i32)],
    ) -> String {
        let _ = position;
        values.iter().map(|(mv, value)| format!("{:>5}  {value:>+5}\n", mv.to_string())).collect()
    }

    /// Returns the result of best play in `position` as a sentence, where `value` is its value to the side to
    /// move.
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

    /// Returns the statement that `winner` wins from `position` within this many plies, whatever the opponent
    /// plays.
    fn forced_win(&self, position: &Self::Game, winner: Side, plies: u32) -> String {
        let _ = position;
        format!("{} wins within {plies} plies", self.side_name(winner))
    }

    // The assignment.

    /// Returns the requirements of the assignment for a player, in TOML: the checks of `grade`. Empty if
    /// there are none.
    fn checks(&self) -> &'static str {
        ""
    }

    /// Returns the starter kits for students, for these rules: at most one for each language.
    fn starters(&self) -> &'static [StarterKit] {
        &[]
    }

    /// Returns the command that plays a Java class over the line protocol and looks `depth` plies ahead;
    /// without a depth the class decides. It is called for every game, so slow work should be done only once.
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
        Err(NotReady::Program(format!(
            "{} knows no Java classes; a Java program plays as `file:java ...` or `line:java ...`",
            Self::Game::NAME
        )))
    }

    /// If true, Java players can be told all that other programs can: the number of plies to look ahead, and
    /// moves that they made without being asked. Otherwise their games begin at the start, and no move in
    /// them can be taken back.
    fn java_is_told_all(&self) -> bool {
        true
    }

    // The page. Its board is a grid of cells, numbered row by row from the upper left corner, from 0.

    /// Returns the board and its notations, or `None` if the game has no page.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Returns the pieces on the board, and everything else that is shown on it. The default shows the pieces
    /// of the state file, by the symbols of the [`Layout`].
    fn picture(&self, position: &Self::Game) -> Picture {
        let symbols = self.layout().map(|layout| layout.pieces.map(|piece| piece.symbol));
        symbols.map_or_else(Picture::default, |symbols| {
            Picture::from_state(&self.format_state(position), symbols, position.points())
        })
    }

    /// Returns the cells of a legal move; empty for a pass.
    fn path(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> Path {
        let _ = (position, mv);
        Path::default()
    }

    /// Returns the move that people make by choosing a cell, after another cell `from` if a piece is moved.
    /// It may be illegal: then [`Game::check_legal`] tells why the cell is no choice. The default is the
    /// legal move with this [`path`](Program::path).
    fn move_at(
        &self,
        position: &Self::Game,
        from: Option<usize>,
        to: usize,
    ) -> Option<<Self::Game as Game>::Move> {
        let chosen = Path { from, to: Some(to) };
        position.legal_moves().find(|&mv| self.path(position, mv) == chosen)
    }

    /// Returns the move in each of [`Layout::notations`], the canonical one first.
    fn names(&self, mv: <Self::Game as Game>::Move) -> Vec<String> {
        vec![mv.to_string()]
    }

    /// Reads a typed move, in any of the notations.
    fn read_move(&self, text: &str) -> Option<<Self::Game as Game>::Move> {
        text.parse().ok()
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

/// Returns the instructions that this build uses and a processor must have to run it: a level of the x86-64
/// ABI, such as `x86-64-v3`, with any instructions beyond that level, or the name of the architecture.
///
/// A build for the processor that compiled it, as in a clone of the repository, may use more than its level
/// says.
#[must_use]
pub const fn instructions() -> &'static str {
    if cfg!(not(target_arch = "x86_64")) {
        std::env::consts::ARCH
    } else if cfg!(all(
        target_feature = "avx512bitalg",
        target_feature = "avx512vbmi2",
        target_feature = "avx512vpopcntdq",
        target_feature = "gfni"
    )) {
        "x86-64-v4-vpopcntdq"
    } else if cfg!(all(
        target_feature = "avx512bw",
        target_feature = "avx512cd",
        target_feature = "avx512dq",
        target_feature = "avx512vl"
    )) {
        "x86-64-v4"
    } else if cfg!(all(
        target_feature = "avx2",
        target_feature = "bmi2",
        target_feature = "fma",
        target_feature = "lzcnt"
    )) {
        "x86-64-v3"
    } else if cfg!(all(target_feature = "popcnt", target_feature = "sse4.2")) {
        "x86-64-v2"
    } else {
        "x86-64"
    }
}

/// A folder of sources: a program that reads, writes and plays legal moves at random, with a marked place for
/// better play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StarterKit {
    /// The language as a command line names it: `cpp`.
    pub language: &'static str,
    /// The description of the kit, in a few words.
    pub about: &'static str,
    /// The names of its files below the folder, with `/` between the parts, and their contents.
    pub files: &'static [(&'static str, &'static str)],
}

/// Makes the files of a [`StarterKit`] from folders of the crate that names them: each folder with the names
/// of the files below it. The files keep their names in the kit.
#[macro_export]
macro_rules! starter_files {
    ($($folder:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name)),
        ),)*)*]
    };
}

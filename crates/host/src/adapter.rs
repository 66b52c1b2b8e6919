//! The interface that adds texts, files, a page and starter kits to the rules of a game; and the lessons that teach
//! people the rules, part by part and with pictures. A move of any game is a [`MoveText`].

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use plyground::proof::Tactics;
use plyground::{Evaluator, Game, SearchHints, Side};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::page::{Layout, Owner, Path, Picture};
use crate::state::{StateText, TextError};

/// The moves of the game of an adapter.
pub type MoveOf<A> = <<A as GameAdapter>::Game as Game>::Move;

/// A game's rules with its evaluation, its texts and its file format.
///
/// Five methods are required: the start, the evaluation, the tactics and the two of the state format, which
/// [`GridFormat`](crate::state::GridFormat) mostly implements. All others have defaults, which draw the board
/// from `Display`, with the coordinates of the [`Layout`], and call the sides `Player 1` and `Player 2`. A
/// value of the type stands for one set of rules, a board size for instance, and is cheap to clone.
///
/// [`host`](crate::host) makes a game behind text from this trait and [`HostedGame`](crate::HostedGame), whose methods
/// all have defaults.
pub trait GameAdapter: Clone + Debug + Send + Sync + 'static {
    /// The rules.
    type Game: SearchHints + 'static;
    /// The evaluation that the searches use.
    type Evaluator: Evaluator<Self::Game> + Send + 'static;
    /// The knowledge of forced wins that engine players use on the clock,
    /// or [`NoTactics`](plyground::proof::NoTactics).
    type Tactics: Tactics<Self::Game> + 'static;

    /// Returns the name of the game as written in tables and records: lower case, no blanks.
    fn game_name(&self) -> &'static str {
        Self::Game::NAME
    }

    /// Returns the start of a game.
    fn start(&self) -> Self::Game;

    /// Returns the evaluation that the searches use.
    fn evaluator(&self) -> Self::Evaluator;

    /// Returns the knowledge of forced wins that engine players use on the clock, with or without `prepared`
    /// answers.
    fn tactics(&self, prepared: bool) -> Self::Tactics;

    /// Reads a state file.
    fn parse_state(&self, text: &StateText) -> Result<Self::Game, TextError>;

    /// Returns the text of the state file of `position`, as [`parse_state`](GameAdapter::parse_state) reads
    /// it: lines separated by LF, the last of them the side to move, with no LF after it. There are no
    /// blanks, except between cells that are words, such as numbers.
    fn format_state(&self, position: &Self::Game) -> String;

    /// Returns the name of a side.
    fn side_name(&self, side: Side) -> String {
        format!("Player {}", side.index() + 1)
    }

    /// Returns the description of a typed move: `a column from 1 to 7`.
    fn move_hint(&self) -> String {
        default_move_hint(self)
    }

    /// Returns the rules for people who do not know them, part by part. The default explains a move.
    fn lessons(&self) -> Vec<Lesson> {
        vec![default_lesson(self)]
    }

    /// Returns a text about `position`. A game words some texts itself, and leaves the others to [`default_text`]:
    ///
    /// ```text
    /// match text {
    ///     Text::Ending => "BOARD FULL".to_owned(),
    ///     other => default_text(self, position, other),
    /// }
    /// ```
    fn text(&self, position: &Self::Game, text: Text<MoveOf<Self>>) -> String {
        default_text(self, position, text)
    }

    /// Reads a typed move, in any of the notations.
    fn read_move(&self, text: &str) -> Option<MoveOf<Self>> {
        text.parse().ok()
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
    fn path(&self, position: &Self::Game, mv: MoveOf<Self>) -> Path {
        let _ = (position, mv);
        Path::default()
    }

    /// Returns the move that people make by choosing a cell, after another cell `from` if a piece is moved. The move
    /// may be illegal: [`Game::check_legal`] then gives the reason. The default is the legal move with this
    /// [`path`](GameAdapter::path).
    fn move_at(
        &self,
        position: &Self::Game,
        from: Option<usize>,
        to: usize,
    ) -> Option<MoveOf<Self>> {
        let chosen = Path { from, to: Some(to) };
        position.legal_moves().find(|&mv| self.path(position, mv) == chosen)
    }

    /// Returns the move in each of [`Layout::notations`], the canonical one first.
    fn move_names(&self, mv: MoveOf<Self>) -> Vec<String> {
        vec![mv.to_string()]
    }

    // Moves and boards as numbers, for programs that learn. The defaults follow from the page, and are slow.

    /// Returns the number of actions, which is greater than the number of every move. It is 0 for a game without a
    /// page.
    fn actions(&self) -> usize {
        self.layout().map_or(0, |layout| layout.actions())
    }

    /// Returns the number of a legal move, which no other legal move of the position has. If pieces fall, the number is
    /// the column. Otherwise, the first numbers are the cells for new pieces, and the next are the pairs of cells from
    /// and to which a piece is moved. A pass is 0, because it is the only legal move.
    fn action(&self, position: &Self::Game, mv: MoveOf<Self>) -> Option<usize> {
        self.layout().map(|layout| layout.action(self.path(position, mv)))
    }

    /// Returns the legal move with this number.
    fn move_of_action(&self, position: &Self::Game, action: usize) -> Option<MoveOf<Self>> {
        position.legal_moves().find(|&mv| self.action(position, mv) == Some(action))
    }

    /// Writes 1 to the cells of `own` with a piece of the side to move, and to the cells of `others` with a piece of
    /// its opponent. All cells are 0 before.
    fn write_planes(&self, position: &Self::Game, own: &mut [u8], others: &mut [u8]) {
        let mover = Owner::from(position.side_to_move());
        for (cell, owner) in self.picture(position).cells.into_iter().enumerate() {
            match owner {
                Some(owner) if owner == mover => own[cell] = 1,
                Some(Owner::First | Owner::Second) => others[cell] = 1,
                Some(Owner::Neutral) | None => (),
            }
        }
    }

    /// Returns a legal move, each with the same probability; `None` if the game is over.
    fn random_move(&self, position: &Self::Game, rng: &mut StdRng) -> Option<MoveOf<Self>> {
        position.legal_moves().choose(rng)
    }
}

/// A text about a position, for people.
///
/// A new text is a variant, its line in `with_moves` and its default in [`default_text`], all below. Texts
/// end without a line end unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text<M = MoveText> {
    /// The position as people look at it, with the score if the game has one. Ends with a line end.
    Board,
    /// The position as a game between two players shows it, after the last move if there is one. The drawing may
    /// contain escape sequences of a terminal, and has the same meaning without them. Ends with a line end.
    Drawing(Option<M>),
    /// The prompt for a move, without the colon after it: `White, choose a square`.
    Prompt,
    /// The announcement of a legal move, for before the move: `White adds 34`.
    Announcement(M),
    /// The sentence that names the side to move: `White is to move.`
    Turn,
    /// The reason why the finished game has ended, as a line of its own: `BOARD FULL`.
    Ending,
    /// The reason why the finished game has ended, in a few words without brackets: `board full, 3 to 3`.
    Reason,
    /// The winner of the finished game, or that it is a draw, as a sentence.
    Result,
    /// The reason why a legal position cannot come from a game, or an empty text.
    Doubt,
    /// The exact values of the legal moves, each as the side to move sees it. Ends with a line end.
    Values(Vec<(M, i32)>),
    /// The result of best play as a sentence, from the value of the position to the side to move.
    Verdict(i32),
    /// The statement that `winner` wins within this many plies, whatever the opponent plays.
    ForcedWin {
        /// The side that wins.
        winner: Side,
        /// The number of plies.
        plies: u32,
    },
}

impl<M> Text<M> {
    /// Returns the text with other moves, or `None` if `change` returns `None` for one of them.
    pub(crate) fn with_moves<N>(self, change: impl Fn(M) -> Option<N>) -> Option<Text<N>> {
        Some(match self {
            Text::Board => Text::Board,
            Text::Drawing(None) => Text::Drawing(None),
            Text::Drawing(Some(last)) => Text::Drawing(Some(change(last)?)),
            Text::Prompt => Text::Prompt,
            Text::Announcement(mv) => Text::Announcement(change(mv)?),
            Text::Turn => Text::Turn,
            Text::Ending => Text::Ending,
            Text::Reason => Text::Reason,
            Text::Result => Text::Result,
            Text::Doubt => Text::Doubt,
            Text::Values(values) => {
                let changed = values.into_iter().map(|(mv, value)| Some((change(mv)?, value)));
                Text::Values(changed.collect::<Option<_>>()?)
            }
            Text::Verdict(value) => Text::Verdict(value),
            Text::ForcedWin { winner, plies } => Text::ForcedWin { winner, plies },
        })
    }
}

/// Returns the default of a text about `position`, for games that do not word it themselves.
pub fn default_text<A: GameAdapter>(game: &A, position: &A::Game, text: Text<MoveOf<A>>) -> String {
    let to_move = game.side_name(position.side_to_move());
    match text {
        Text::Board => board(game, position),
        Text::Drawing(_) => game.text(position, Text::Board),
        Text::Prompt => prompt(game, position),
        Text::Announcement(mv) if position.is_pass(mv) => format!("{to_move} passes"),
        Text::Announcement(mv) => format!("{to_move} plays {mv}"),
        Text::Turn => format!("{to_move} is to move."),
        Text::Ending => game.text(position, Text::Reason),
        Text::Reason => match position.points() {
            Some([first, second]) => format!("{first} to {second}"),
            None => "by the rules".to_owned(),
        },
        Text::Result => result(game, position),
        Text::Doubt => String::new(),
        Text::Values(values) => {
            let line =
                |(mv, value): &(MoveOf<A>, i32)| format!("{:>5}  {value:>+5}\n", mv.to_string());
            values.iter().map(line).collect()
        }
        Text::Verdict(value) => verdict(game, position, value),
        Text::ForcedWin { winner, plies } => {
            format!("{} wins within {plies} plies", game.side_name(winner))
        }
    }
}

/// Returns the description of a typed move by an example.
pub(crate) fn default_move_hint<A: GameAdapter>(game: &A) -> String {
    let example = game.start().legal_moves().next();
    example.map_or_else(|| "a move".to_owned(), |mv| format!("a move such as {mv}"))
}

/// Returns the lesson that explains a move.
pub(crate) fn default_lesson<A: GameAdapter>(game: &A) -> Lesson {
    let [first, second] = Side::BOTH.map(|side| game.side_name(side));
    let turns = if A::Game::ALTERNATES { "take turns" } else { "move as the rules say" };
    let hint = game.move_hint();
    let text =
        format!("{first} moves first, and {first} and {second} {turns}. To move, choose {hint}.");
    Lesson::new("A turn", text)
}

fn prompt<A: GameAdapter>(game: &A, position: &A::Game) -> String {
    let to_move = game.side_name(position.side_to_move());
    let mut moves = position.legal_moves();
    match (moves.next(), moves.next()) {
        (Some(only), None) => format!("{to_move}, only `{only}` is legal"),
        _ => format!("{to_move}, choose {}", game.move_hint()),
    }
}

/// Returns the board, with the coordinates of the page around it if the text of the board has one symbol for each cell.
fn board<A: GameAdapter>(game: &A, position: &A::Game) -> String {
    let board = position.to_string();
    let board = game.layout().and_then(|layout| layout.around(&board)).unwrap_or(board);
    let score = position.points().map(|[first, second]| {
        let [one, two] = Side::BOTH.map(|side| game.side_name(side));
        format!("Score: {one} = {first}, {two} = {second}\n")
    });
    format!("{}\n{}", board.trim_end_matches('\n'), score.unwrap_or_default())
}

fn result<A: GameAdapter>(game: &A, position: &A::Game) -> String {
    let winner = position.outcome().and_then(|outcome| outcome.winner());
    let Some(winner) = winner else { return "It is a draw.".to_owned() };
    let points = position.points().map(|points| {
        format!(", {} to {}", points[winner.index()], points[winner.other().index()])
    });
    format!("{} wins{}.", game.side_name(winner), points.unwrap_or_default())
}

fn verdict<A: GameAdapter>(game: &A, position: &A::Game, value: i32) -> String {
    let side = position.side_to_move();
    let winner = game.side_name(if value > 0 { side } else { side.other() });
    match (value.unsigned_abs(), position.points()) {
        (0, _) => "With best play it is a draw.".to_owned(),
        (1, Some(_)) => format!("With best play {winner} wins by 1 point."),
        (margin, Some(_)) => format!("With best play {winner} wins by {margin} points."),
        (1, None) => format!("With best play {winner} wins at once."),
        (plies, None) => format!("With best play {winner} wins in {plies} plies."),
    }
}

/// One part of the rules: a turn, or the end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The heading, without a period.
    pub title: String,
    /// The text: a few plain sentences.
    pub text: String,
    /// The position that illustrates the text, if there is one.
    pub figure: Option<Figure>,
}

/// A position that explains a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The state file of the position, with `/` for the line ends.
    pub state: String,
    /// The content of the picture, as a sentence.
    pub caption: String,
    /// The cells that the picture marks.
    pub marks: Vec<Mark>,
}

/// A cell that a picture marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The number of the cell on the page.
    pub cell: usize,
    /// The meaning of the mark.
    pub kind: MarkKind,
}

/// The meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// The text is about this cell.
    Here,
    /// No piece may go there.
    No,
}

impl Lesson {
    /// Returns a part of the rules without a picture.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Lesson {
        Lesson { title: title.into(), text: text.into(), figure: None }
    }

    /// Adds a picture: the position of a state file, with `/` for the line ends.
    #[must_use]
    pub fn with_figure(mut self, state: impl Into<String>, caption: impl Into<String>) -> Lesson {
        let (state, caption) = (state.into(), caption.into());
        self.figure = Some(Figure { state, caption, marks: Vec::new() });
        self
    }

    /// Marks these cells of the picture.
    #[must_use]
    pub fn marked(mut self, kind: MarkKind, cells: impl IntoIterator<Item = usize>) -> Lesson {
        if let Some(figure) = &mut self.figure {
            figure.marks.extend(cells.into_iter().map(|cell| Mark { cell, kind }));
        }
        self
    }
}

/// A move of any game in its canonical notation: at most [`MoveText::MOST_BYTES`] bytes of UTF-8.
///
/// A text need not be a move, or a legal one; that depends on the position.
/// [`PositionInfo::parse_move`](crate::PositionInfo::parse_move) and
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
    // Inlined into the crates of the games, which are optimized in tests.
    #[inline]
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

impl Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.as_str(), f)
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

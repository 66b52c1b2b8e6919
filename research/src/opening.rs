//! Openings that one color plays against any replies, and the table of their results, as `research openings`
//! writes it; the position that a proof begins with, its moves except mirror images, and boards of numbers.

use std::collections::HashSet;
use std::fmt::{Display, Write};
use std::path::Path;

use network::solution::{Frame, Mirror, image_name};
use network::{Color, Move, Position, Rules, Square, parse_state};
use plyground::Game;
use plyground_cli::Failure;
use plyground_durable::excerpt;
use plyground_durable::text::{csv_records, csv_text};
use plyground_host::state::{ReadError, TextError, read_text};
use thiserror::Error;

use crate::strategy::Strategy;

/// A move of an opening that some replies rule out, or after which the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "move {mv} of the opening cannot be played on in {}",
    .position.to_string().replace('\n', "/")
)]
pub struct NotPlayable {
    /// The move.
    pub mv: Move,
    /// The position in which it cannot be played.
    pub position: Box<Position>,
}

/// An opening with replies of the other color to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepliedOpening {
    /// The opening and the replies, in turn.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
}

impl RepliedOpening {
    /// Returns the position and its mirror images in which the chips of the player to move stand on the same
    /// squares.
    pub fn mirrored(&self) -> Vec<Position> {
        let position = &self.position;
        let (color, rules) = (position.to_move(), position.rules());
        let image = |mirror: Mirror| {
            let [white, black] = Color::BOTH.map(|color| mirror.set(position.chips(color)));
            Position::from_chips(rules, white, black, color).ok()
        };
        let images = Mirror::ALL.into_iter().filter_map(image);
        images.filter(|image| image.chips(color) == position.chips(color)).collect()
    }
}

/// The opening of a color.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The moves that it plays against any replies.
    pub moves: Vec<Move>,
    /// The answers to the replies to these moves. A reply without an answer ends the opening.
    pub answers: Strategy,
}

impl Opening {
    /// Makes the opening of these moves.
    pub fn new(moves: &[Move]) -> Opening {
        Opening { moves: moves.to_vec(), answers: Strategy::default() }
    }

    /// Returns the opening by which the player that begins wins.
    pub fn solved(rules: Rules) -> Opening {
        let frame = Frame::of(&Position::new(rules));
        let squares =
            frame.map(|frame| [frame.first(), frame.second()].map(|at| frame.outside(at)));
        let moves: Vec<Move> = squares.into_iter().flatten().map(Move::Add).collect();
        Opening::new(&moves)
    }

    /// Adds, after the first move, which must be the only one of the opening so far, the second moves by
    /// which the color wins by this chip, from rows of a table.
    pub fn insert_seconds(
        &mut self,
        start: &Position,
        chip: usize,
        rows: &[OpeningRow],
    ) -> Result<(), NotPlayable> {
        for row in rows.iter().filter(|row| row.chip <= chip && self.moves == [row.first]) {
            let OpeningResult::Won(Some(second)) = row.result else { continue };
            let replied = played(&played(start, row.first)?, row.reply)?;
            played(&replied, second)?;
            self.answers.insert(&replied, second);
        }
        Ok(())
    }

    /// Enters the moves of the opening from `start` into a strategy.
    pub fn enter(&self, start: &Position, strategy: &mut Strategy) -> Result<(), NotPlayable> {
        self.walk(start, &mut |position, mv| strategy.insert(position, mv)).map(drop)
    }

    /// Returns the moves of the opening from `start`, each followed by every reply; one position of each
    /// set of mirror images. An opening without moves has only `start`.
    ///
    /// # Errors
    ///
    /// Returns the first move that cannot be played, or that ends the game, as a reply may.
    pub fn replies(&self, start: &Position) -> Result<Vec<RepliedOpening>, NotPlayable> {
        self.walk(start, &mut |_, _| {})
    }

    /// Shows each position in which the opening has a move, with the move, and returns the
    /// replies.
    pub(crate) fn walk(
        &self,
        start: &Position,
        visit: &mut dyn FnMut(&Position, Move),
    ) -> Result<Vec<RepliedOpening>, NotPlayable> {
        let mut replies = vec![RepliedOpening { moves: Vec::new(), position: *start }];
        for &mv in &self.moves {
            replies = replies_to_each(replies, &mut |_| Some(mv), visit)?;
        }
        replies_to_each(replies, &mut |at| self.answers.answer(at), visit)
    }
}

/// Returns the replies to the answer in each position; a position without an answer stays as it is.
fn replies_to_each(
    positions: Vec<RepliedOpening>,
    answer: &mut dyn FnMut(&Position) -> Option<Move>,
    visit: &mut dyn FnMut(&Position, Move),
) -> Result<Vec<RepliedOpening>, NotPlayable> {
    let mut seen = HashSet::new();
    let mut next = Vec::new();
    for RepliedOpening { moves, position } in positions {
        let Some(mv) = answer(&position) else {
            next.push(RepliedOpening { moves, position });
            continue;
        };
        let after = played(&position, mv)?;
        visit(&position, mv);
        for reply in after.legal_moves() {
            let position = played(&after, reply).map_err(|_| not_playable(&position, mv))?;
            if seen.insert(image_name(&position)) {
                let moves = moves.iter().copied().chain([mv, reply]).collect();
                next.push(RepliedOpening { moves, position });
            }
        }
    }
    Ok(next)
}

/// Returns the position after a move that does not end the game.
fn played(position: &Position, mv: Move) -> Result<Position, NotPlayable> {
    let mut after = *position;
    let is_played = after.play(mv).is_ok() && after.outcome().is_none();
    if is_played { Ok(after) } else { Err(not_playable(position, mv)) }
}

fn not_playable(position: &Position, mv: Move) -> NotPlayable {
    NotPlayable { mv, position: Box::new(*position) }
}

/// Returns moves with blanks between them.
pub(crate) fn moves_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// The result of a reply to a first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningRow {
    /// The first move of the color that is to win.
    pub first: Move,
    /// The reply.
    pub reply: Move,
    /// The number of the chip of the color by which it must win.
    pub chip: usize,
    /// The result: won by this chip, or refuted.
    pub result: OpeningResult,
}

/// The result for a color after its first move and a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningResult {
    /// The color wins with this second move; `None` if the win is seen without one.
    Won(Option<Move>),
    /// The color does not win with this second move.
    Refuted {
        /// The second move.
        second: Move,
        /// The reply that refutes it; `None` if the refutation is seen without one.
        by: Option<Move>,
    },
}

/// The columns of the table.
const COLUMNS: [&str; 6] = ["first", "reply", "chip", "result", "second", "refuted_by"];

/// The words for results.
const WON: &str = "won";
const NOT_WON: &str = "not";

/// Returns the table of these rows, as CSV.
pub fn opening_table(rows: impl IntoIterator<Item = OpeningRow>) -> String {
    csv_text(COLUMNS, rows.into_iter().map(|row| row.fields()))
}

/// Reads the rows of a table.
///
/// # Errors
///
/// Returns the first place where the text is not a table.
pub fn parse_opening_table(text: &str) -> Result<Vec<OpeningRow>, TextError> {
    let records = csv_records(text, b',').map_err(|quote| TextError {
        line: quote.line as usize,
        column: quote.column,
        expected: "a second quote".to_owned(),
        found: "a quote without its end".to_owned(),
    })?;
    let mut records = records.into_iter();
    let header = records.next().unwrap_or_default();
    if header != COLUMNS[..] {
        return Err(TextError {
            line: 1,
            column: 1,
            expected: format!("the columns {}", COLUMNS.join(",")),
            found: format!("`{}`", excerpt(text.lines().next().unwrap_or_default())),
        });
    }
    records.map(|record| Fields(&record).row()).collect()
}

impl OpeningRow {
    fn fields(&self) -> Vec<String> {
        let text = |mv: Option<Move>| mv.map_or_else(String::new, |mv| mv.to_string());
        let (result, second, by) = match self.result {
            OpeningResult::Won(second) => (WON, second, None),
            OpeningResult::Refuted { second, by } => (NOT_WON, Some(second), by),
        };
        let OpeningRow { first, reply, chip, .. } = self;
        let begin = [first.to_string(), reply.to_string(), chip.to_string(), result.to_owned()];
        begin.into_iter().chain([text(second), text(by)]).collect()
    }
}

/// The fields of a row.
struct Fields<'a>(&'a csv::StringRecord);

impl Fields<'_> {
    fn row(&self) -> Result<OpeningRow, TextError> {
        if self.0.len() > COLUMNS.len() {
            return Err(self.fault(COLUMNS.len(), "the end of the line"));
        }
        let chip = self.get(2).parse().map_err(|_| self.fault(2, "the number of a chip"))?;
        let result = match self.get(3) {
            WON if self.get(5).is_empty() => OpeningResult::Won(self.mv_if_any(4)?),
            WON => return Err(self.fault(5, "no move where the reply is won")),
            NOT_WON => OpeningResult::Refuted { second: self.mv(4)?, by: self.mv_if_any(5)? },
            _ => return Err(self.fault(3, &format!("`{WON}` or `{NOT_WON}`"))),
        };
        Ok(OpeningRow { first: self.mv(0)?, reply: self.mv(1)?, chip, result })
    }

    /// Returns the text of a field; an empty text if the row ends before it.
    fn get(&self, index: usize) -> &str {
        self.0.get(index).unwrap_or_default()
    }

    fn mv(&self, index: usize) -> Result<Move, TextError> {
        self.get(index).parse().map_err(|_| self.fault(index, "a move"))
    }

    fn mv_if_any(&self, index: usize) -> Result<Option<Move>, TextError> {
        let is_any = !self.get(index).is_empty();
        is_any.then(|| self.mv(index)).transpose()
    }

    fn fault(&self, index: usize, expected: &str) -> TextError {
        let before = self.0.iter().take(index).map(|field| field.chars().count() + 1);
        TextError {
            line: self.0.position().map_or(0, csv::Position::line) as usize,
            column: 1 + before.sum::<usize>(),
            expected: expected.to_owned(),
            found: format!("`{}`", excerpt(self.get(index))),
        }
    }
}

/// The chip by which the first player wins the game.
pub(crate) const DEFAULT_CHIP: u64 = 8;

/// Reads the position in a file, or returns the start of a game without a file, for a question about a chip
/// that the player to move has in hand.
pub(crate) fn read_start(
    rules: Rules,
    path: Option<&Path>,
    chip: u64,
) -> Result<Position, Failure> {
    let start = match path {
        Some(path) => {
            let fault = |fault| ReadError::Fault(path.to_owned(), fault);
            parse_state(&read_text(path)?, rules).map_err(fault)?
        }
        None => Position::new(rules),
    };
    match start.outcome() {
        Some(_) => Err(Failure::Usage("the game is over".to_owned())),
        None => check_chip(&start, chip as usize).map(|()| start),
    }
}

fn check_chip(start: &Position, chip: usize) -> Result<(), Failure> {
    let (color, next, last) =
        (start.to_move(), start.chips(start.to_move()).len() + 1, Position::CHIPS);
    let fault = match next..=last {
        in_hand if in_hand.contains(&chip) => return Ok(()),
        in_hand if in_hand.is_empty() => format!("{color} has no chips in hand"),
        _ => format!("--chips: expected a chip in hand of {color}, {next} to {last}, found {chip}"),
    };
    Err(Failure::Usage(fault))
}

/// Returns the number of plies until the color to move has added its chip of this number.
pub(crate) fn plies_to_chip(position: &Position, chip: usize) -> u32 {
    position.plies_to_chip(position.to_move(), chip)
}

/// Returns the first of each set of `moves` that lead to mirror images of one position, with the positions
/// after them. `moves` must be legal in `position`.
pub(crate) fn distinct(
    position: &Position,
    moves: impl IntoIterator<Item = Move>,
) -> impl Iterator<Item = (Move, Position)> {
    let mut seen = HashSet::new();
    let next = moves.into_iter().map(|mv| (mv, position.after(mv)));
    next.filter(move |(_, after)| seen.insert(image_name(after)))
}

/// Returns a board under a heading, with the text of `cell` for every square in three characters.
pub(crate) fn chart<T: Display>(heading: &str, cell: impl Fn(Square) -> T) -> String {
    let mut text = format!("\n{heading}:\n   ");
    (0..Square::SIDE).for_each(|x| text += &format!("{x:>3}"));
    for square in Square::all() {
        if square.x() == 0 {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{:>3}", square.y());
        }
        let _ = write!(text, "{:>3}", cell(square));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    #[test]
    fn table_is_read_back() {
        let results = [
            OpeningResult::Won(Some(mv("73"))),
            OpeningResult::Won(None),
            OpeningResult::Refuted { second: mv("03"), by: Some(mv("12-34")) },
            OpeningResult::Refuted { second: mv("03"), by: None },
        ];
        let row = |result| OpeningRow { first: mv("13"), reply: mv("20"), chip: 8, result };
        let rows = results.map(row).to_vec();
        assert_eq!(parse_opening_table(&opening_table(rows.clone())), Ok(rows));
        assert_eq!(parse_opening_table(&opening_table([])), Ok(Vec::new()));
    }

    #[test]
    fn malformed_table_is_told_with_its_place() {
        let fault = |rows: &str| {
            let text = format!("first,reply,chip,result,second,refuted_by\n{rows}");
            parse_opening_table(&text).map_err(|fault| fault.to_string())
        };
        for (rows, said) in [
            ("13,20,8,won,73,\nx,20,8,won,,\n", "3:1: expected a move, found `x`"),
            ("13,20,8.0,won,73,\n", "2:7: expected the number of a chip, found `8.0`"),
            ("13,20,8,lost,73,\n", "2:9: expected `won` or `not`, found `lost`"),
            ("13,20,8,not,,30\n", "2:13: expected a move, found ``"),
            ("13,20,8\n", "2:9: expected `won` or `not`, found ``"),
            ("13,20,8,won,73,30\n", "2:16: expected no move where the reply is won, found `30`"),
            ("13,20,8,won,73,,\n", "2:17: expected the end of the line, found ``"),
            ("13,20,8,won,73,\"\n", "2:16: expected a second quote, found a quote without its end"),
        ] {
            assert_eq!(fault(rows), Err(said.to_owned()));
        }
        for text in ["", "first,reply\n", "moves,chip,nodes\n03 34,8,1\n"] {
            let fault = parse_opening_table(text).expect_err("no table");
            assert_eq!((fault.line, fault.column), (1, 1), "{fault}");
        }
    }
}

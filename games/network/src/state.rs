//! State files: a position as a text of nine lines.
//!
//! Eight lines of eight characters `.`, `W` or `B`, the upper row first, then a line with the
//! color to move. Chips in hand are ten minus those on the board.

use std::fmt;

use thiserror::Error;

use crate::color::Color;
use crate::position::Position;
use crate::rules::Rules;
use crate::setup::SetupError;
use crate::square::Square;
use crate::squares::SquareSet;

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineEnd {
    const fn text(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::Cr => "\r",
        }
    }
}

/// How a state file ends its lines, kept so that the file is written as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The end of the first line, and so of all lines.
    pub line_end: LineEnd,
    /// Whether the last line has an end, too.
    pub ends_with_line_end: bool,
}

/// CR LF after every line, for files that follow no other.
impl Default for Layout {
    fn default() -> Layout {
        Layout { line_end: LineEnd::CrLf, ends_with_line_end: true }
    }
}

impl Layout {
    /// The text of the state file of `position` in this layout.
    #[must_use]
    pub fn write(self, position: &Position) -> String {
        let end = self.line_end.text();
        let text = position.to_string().replace('\n', end);
        if self.ends_with_line_end { text + end } else { text }
    }
}

/// A fault of a state file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct StateError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1; one more than its length where something is missing
    /// at the end.
    pub column: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a state file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A character that stands for nothing.
    #[error("expected `.`, `W` or `B`, found {0:?}")]
    UnknownCharacter(char),
    /// A row with fewer than eight squares.
    #[error("expected a row of 8 squares, found {0}")]
    ShortRow(usize),
    /// A row with more than eight squares.
    #[error("expected the end of a row of 8 squares, found {0:?}")]
    LongRow(char),
    /// The text or the color to move comes too early.
    #[error("expected 8 rows, found {0}")]
    TooFewRows(usize),
    /// A row where the color to move should be.
    #[error("expected the color to move, `W` or `B`, after 8 rows, found another row")]
    TooManyRows,
    /// The text ends after the rows.
    #[error("expected the color to move, `W` or `B`, found the end of the file")]
    MissingColor,
    /// The line after the rows is no color.
    #[error("expected the color to move, `W` or `B`, found {0:?}")]
    UnknownColor(char),
    /// There is more after the color to move.
    #[error("expected the end of the file after the color to move, found {0:?}")]
    TextAfterColor(char),
    /// The chips cannot stand like this.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Reads a state file.
///
/// Lines may end in LF, CR LF or CR, the last one in nothing. Blanks and tabs do not matter, nor
/// do empty lines before the first row and after the color to move.
///
/// # Errors
///
/// The first fault of the text, or, if it has none, the fault of the chips.
pub fn parse_state(text: &str, rules: Rules) -> Result<(Position, Layout), StateError> {
    let lines = split_lines(text);
    let mut lines = lines.iter().skip_while(|line| line.symbols.is_empty()).peekable();
    let mut board = Board::default();
    for y in 0..Square::SIDE {
        match lines.next() {
            Some(line)
                if !(line.is_color() && lines.clone().all(|rest| rest.symbols.is_empty())) =>
            {
                board.read_row(y, line)?;
            }
            Some(line) => return Err(line.fault_at(0, Fault::TooFewRows(y.into()))),
            None => return Err(end_of(text, Fault::TooFewRows(y.into()))),
        }
    }
    let to_move = match lines.next() {
        Some(line) if !line.symbols.is_empty() => line.color()?,
        _ => return Err(end_of(text, Fault::MissingColor)),
    };
    if let Some(line) = lines.find(|line| !line.symbols.is_empty()) {
        return Err(line.fault_at(0, Fault::TextAfterColor(line.symbols[0].1)));
    }
    let [white, black] = board.chips;
    let position = Position::from_chips(rules, white, black, to_move).map_err(|fault| {
        let (line, column) = board.places[fault.square().index()];
        StateError { line, column, fault: fault.into() }
    })?;
    Ok((position, layout_of(text)))
}

/// Writes the nine lines with `line_end` between them.
pub(crate) fn write_lines(
    position: &Position,
    line_end: &str,
    f: &mut impl fmt::Write,
) -> fmt::Result {
    for square in Square::all() {
        f.write_char(position.chip_at(square).map_or(EMPTY, Color::letter))?;
        if square.x() == Square::SIDE - 1 {
            f.write_str(line_end)?;
        }
    }
    f.write_char(position.to_move().letter())
}

const EMPTY: char = '.';

/// The chips read so far, and the line and column of every square.
struct Board {
    chips: [SquareSet; 2],
    places: [(usize, usize); Square::COUNT],
}

impl Default for Board {
    fn default() -> Board {
        Board { chips: [SquareSet::EMPTY; 2], places: [(0, 0); Square::COUNT] }
    }
}

impl Board {
    fn read_row(&mut self, y: u8, line: &Line) -> Result<(), StateError> {
        for (i, &(column, symbol)) in line.symbols.iter().enumerate() {
            let chip = color_of(symbol);
            if chip.is_none() && symbol != EMPTY {
                return Err(line.fault_at(i, Fault::UnknownCharacter(symbol)));
            }
            let Some(square) = u8::try_from(i).ok().and_then(|x| Square::new(x, y)) else {
                return Err(line.fault_at(i, Fault::LongRow(symbol)));
            };
            self.places[square.index()] = (line.number, column);
            if let Some(color) = chip {
                let chips = &mut self.chips[color.index()];
                *chips = chips.with(square);
            }
        }
        let found = line.symbols.len();
        if found < Square::SIDE.into() {
            return Err(line.fault_at(found, Fault::ShortRow(found)));
        }
        Ok(())
    }
}

/// A line of a text without its blanks.
struct Line {
    /// From 1.
    number: usize,
    /// The number of characters, blanks included.
    length: usize,
    /// The other characters, each with its column from 1.
    symbols: Vec<(usize, char)>,
}

impl Line {
    /// The fault of the symbol of this number, or of the end of the line.
    fn fault_at(&self, symbol: usize, fault: Fault) -> StateError {
        let column = self.symbols.get(symbol).map_or(self.length + 1, |&(column, _)| column);
        StateError { line: self.number, column, fault }
    }

    fn is_color(&self) -> bool {
        matches!(self.symbols[..], [(_, symbol)] if color_of(symbol).is_some())
    }

    /// The color that the line, which is not empty, consists of.
    fn color(&self) -> Result<Color, StateError> {
        let is_square =
            |&(_, symbol): &(usize, char)| symbol == EMPTY || color_of(symbol).is_some();
        if self.symbols.len() == usize::from(Square::SIDE) && self.symbols.iter().all(is_square) {
            return Err(self.fault_at(0, Fault::TooManyRows));
        }
        let symbol = self.symbols[0].1;
        let color =
            color_of(symbol).ok_or_else(|| self.fault_at(0, Fault::UnknownColor(symbol)))?;
        match self.symbols.get(1) {
            None => Ok(color),
            Some(&(_, next)) => Err(self.fault_at(1, Fault::TextAfterColor(next))),
        }
    }
}

fn color_of(symbol: char) -> Option<Color> {
    Color::BOTH.into_iter().find(|color| color.letter() == symbol)
}

/// The lines of a text. A line end at the very end begins no line.
fn split_lines(text: &str) -> Vec<Line> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let symbols = |line: &str| {
        let numbered = line.chars().enumerate().map(|(i, symbol)| (i + 1, symbol));
        numbered.filter(|(_, symbol)| !matches!(symbol, ' ' | '\t')).collect()
    };
    let lines = text.split('\n').enumerate();
    lines
        .map(|(i, line)| Line {
            number: i + 1,
            length: line.chars().count(),
            symbols: symbols(line),
        })
        .collect()
}

/// A fault at the end of the text.
fn end_of(text: &str, fault: Fault) -> StateError {
    let lines = split_lines(text);
    let (line, column) = lines.last().map_or((1, 1), |last| (last.number, last.length + 1));
    StateError { line, column, fault }
}

fn layout_of(text: &str) -> Layout {
    let line_end = match text.find(['\r', '\n']) {
        Some(at) if text[at..].starts_with("\r\n") => LineEnd::CrLf,
        Some(at) if text[at..].starts_with('\r') => LineEnd::Cr,
        _ => LineEnd::Lf,
    };
    Layout { line_end, ends_with_line_end: text.ends_with(['\r', '\n']) }
}

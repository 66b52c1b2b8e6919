//! The notations of squares and moves, and state files.

use std::fmt;

use plyground::Side;
use plyground_durable::excerpt;
use plyground_host::state::{GridFormat, StateText, TextError};
use thiserror::Error;

use crate::board::{Square, SquareSet};
use crate::color::{Color, Move};
use crate::legal::Rules;
use crate::position::Position;
use crate::wins::SetupError;

/// A way to write squares and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `34`, `34-56`: column and row, both from 0, counted from the upper left corner. This is
    /// the canonical notation.
    Berkeley,
    /// `[add to 34]`, `[step from 34 to 56]`: the same squares in the words of the course's
    /// programs.
    BerkeleyWords,
    /// `A4`, `A4 B5`: a letter from A to H for the row from the top, a number from 1 to 8 for
    /// the column from the left.
    Usf,
}

/// The reason that a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// A square is named in the right form, but the board does not have it.
    #[error("square {square} is off the board")]
    OffBoard {
        /// The square as it was written.
        square: String,
    },
    /// The text does not have the form of a move.
    #[error("cannot read a move in `{}`: expected {expected}", excerpt(text))]
    Unreadable {
        /// The text, without blanks around it.
        text: String,
        /// The form that was expected.
        expected: &'static str,
    },
}

impl Notation {
    /// Reads a move. Blanks at either end are ignored.
    ///
    /// Each Berkeley notation reads the other's text too. USF notation ignores the case of letters and
    /// blanks: `a4`, `A 4`, `A4B5`.
    ///
    /// # Errors
    ///
    /// Returns [`NotationError`] if the text is not a move on this board. The move may be illegal.
    pub fn parse_move(self, text: &str) -> Result<Move, NotationError> {
        let text = text.trim();
        let squares = match self {
            Notation::Berkeley | Notation::BerkeleyWords => split_berkeley(text),
            Notation::Usf => split_usf(text),
        };
        let unreadable =
            || NotationError::Unreadable { text: text.to_owned(), expected: self.expected() };
        let (first, second) = squares.ok_or_else(unreadable)?;
        let first = self.square_from(&first)?;
        match second {
            None => Ok(Move::Add(first)),
            Some(second) => Ok(Move::Step { from: first, to: self.square_from(&second)? }),
        }
    }

    /// Returns the square as this notation writes it.
    #[must_use]
    pub fn write_square(self, square: Square) -> String {
        match self {
            Notation::Berkeley | Notation::BerkeleyWords => square.to_string(),
            Notation::Usf => {
                format!("{}{}", char::from(FIRST_LETTER + square.y()), square.x() + 1)
            }
        }
    }

    /// Returns the move as this notation writes it.
    #[must_use]
    pub fn write_move(self, mv: Move) -> String {
        match (self, mv) {
            (Notation::Berkeley, mv) => mv.to_string(),
            (Notation::BerkeleyWords, Move::Add(to)) => format!("[add to {to}]"),
            (Notation::BerkeleyWords, Move::Step { from, to }) => {
                format!("[step from {from} to {to}]")
            }
            (Notation::Usf, Move::Add(to)) => self.write_square(to),
            (Notation::Usf, Move::Step { from, to }) => {
                format!("{} {}", self.write_square(from), self.write_square(to))
            }
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Notation::Berkeley | Notation::BerkeleyWords => {
                "a square such as `34`, or two such as `34-56`"
            }
            Notation::Usf => "a position such as `A4`, or two such as `A4 B5`",
        }
    }

    /// Returns the square named by `name`, which has the form of the notation.
    fn square_from(self, name: &str) -> Result<Square, NotationError> {
        let square = match self {
            Notation::Berkeley | Notation::BerkeleyWords => berkeley_square(name),
            Notation::Usf => usf_square(name),
        };
        square.ok_or_else(|| NotationError::OffBoard { square: name.to_owned() })
    }
}

const FIRST_LETTER: u8 = b'A';

/// One or two names of squares in the right form. The squares may be off the board.
type Names = (String, Option<String>);

fn split_berkeley(text: &str) -> Option<Names> {
    if let Some(words) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let words: Vec<&str> = words.split_whitespace().collect();
        return match words[..] {
            ["add", "to", to] => Some((two_digits(to)?, None)),
            ["step", "from", from, "to", to] => Some((two_digits(from)?, Some(two_digits(to)?))),
            _ => None,
        };
    }
    match text.split_once('-') {
        None => Some((two_digits(text)?, None)),
        Some((from, to)) => {
            Some((two_digits(from.trim_end())?, Some(two_digits(to.trim_start())?)))
        }
    }
}

fn two_digits(text: &str) -> Option<String> {
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}

fn berkeley_square(name: &str) -> Option<Square> {
    match name.as_bytes() {
        [x, y] => Square::new(x.checked_sub(b'0')?, y.checked_sub(b'0')?),
        _ => None,
    }
}

/// Cuts a text into one or two names, each a letter and the digits after it.
fn split_usf(text: &str) -> Option<Names> {
    let mut names: Vec<String> = Vec::new();
    for symbol in text.chars().filter(|symbol| !symbol.is_whitespace()) {
        if symbol.is_ascii_alphabetic() {
            names.push(symbol.to_ascii_uppercase().to_string());
        } else if symbol.is_ascii_digit() {
            names.last_mut()?.push(symbol);
        } else {
            return None;
        }
    }
    let complete = names.iter().all(|name| name.len() > 1);
    let mut names = names.into_iter();
    let (first, second) = (names.next()?, names.next());
    (complete && names.next().is_none()).then_some((first, second))
}

fn usf_square(name: &str) -> Option<Square> {
    let (letter, number) = name.as_bytes().split_first()?;
    let number: u8 = std::str::from_utf8(number).ok()?.parse().ok()?;
    Square::new(number.checked_sub(1)?, letter.checked_sub(FIRST_LETTER)?)
}

const EMPTY: char = '.';

/// The symbols of a cell: empty, then the colors in the order of [`Color::index`].
const CELLS: [char; 3] = [EMPTY, Color::White.letter(), Color::Black.letter()];

fn format(rules: Rules) -> GridFormat {
    GridFormat {
        columns: Square::SIDE.into(),
        rows: Square::SIDE.into(),
        cells: &CELLS,
        cell_names: "`.`, `W` or `B`",
        sides: Side::BOTH.map(|side| rules.color(side).letter()),
        side_names: "the color to move, `W` or `B`",
    }
}

/// Reads a state file.
///
/// Lines may end in LF, CR LF or CR, and the last line need not end. Blanks and tabs are ignored, and so
/// are empty lines before the first row and after the color to move.
///
/// # Errors
///
/// Returns the first fault of the text, otherwise the fault of the chips.
pub fn parse_state(text: &StateText, rules: Rules) -> Result<Position, TextError> {
    let grid = format(rules).parse(text)?;
    let chips_of = |color: Color| {
        let symbol = |square: &Square| grid.symbol(square.y().into(), square.x().into());
        Square::all().filter(|square| symbol(square) == Some(1 + color.index())).collect()
    };
    let [white, black]: [SquareSet; 2] = Color::BOTH.map(chips_of);
    let to_move = rules.color(grid.side_to_move());
    Position::from_chips(rules, white, black, to_move).map_err(|error| {
        let (square, expected) = (error.square(), expected(&error));
        grid.fault(square.y().into(), square.x().into(), &expected, &found(&error))
    })
}

fn expected(error: &SetupError) -> String {
    match error {
        SetupError::TwoChips { .. } => "one chip to a square".to_owned(),
        SetupError::Corner { .. } => "`.` in a corner".to_owned(),
        SetupError::OpponentGoal { color, .. } => {
            let owner = color.other();
            format!("`.` or `{}` in a goal of {owner}", owner.letter())
        }
        SetupError::TooManyChips { color, .. } => {
            format!("at most {} chips of {color}", Position::CHIPS)
        }
        SetupError::GroupOfThree { color, .. } => {
            format!("at most one neighbor of its color for a chip of {color}")
        }
    }
}

fn found(error: &SetupError) -> String {
    match error {
        SetupError::TwoChips { .. } => "two".to_owned(),
        SetupError::Corner { .. } => "a chip".to_owned(),
        SetupError::OpponentGoal { color, .. } => format!("`{}`", color.letter()),
        SetupError::TooManyChips { count, .. } => count.to_string(),
        SetupError::GroupOfThree { .. } => "two".to_owned(),
    }
}

/// Writes the nine lines with LF between them.
pub(crate) fn write_lines(position: &Position, f: &mut impl fmt::Write) -> fmt::Result {
    for square in Square::all() {
        f.write_char(position.chip_at(square).map_or(EMPTY, Color::letter))?;
        if square.x() == Square::SIDE - 1 {
            f.write_char('\n')?;
        }
    }
    f.write_char(position.to_move().letter())
}

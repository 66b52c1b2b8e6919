//! Moves, and the notations of squares and moves.

use std::fmt;
use std::str::FromStr;

use plyground_durable::excerpt;
use thiserror::Error;

use crate::square::Square;

/// A move: a new chip, or a chip that goes elsewhere.
///
/// `Display` writes the canonical notation, `34` or `34-56`; `FromStr` reads it and the course's
/// `[add to 34]` and `[step from 34 to 56]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Puts a chip from the hand on this square.
    Add(Square),
    /// Takes a chip from one square to another.
    Step {
        /// The square of the chip.
        from: Square,
        /// The square to which it goes.
        to: Square,
    },
}

impl Move {
    /// Makes a step from `from`, or an add if `from` is `None`.
    #[inline]
    #[must_use]
    pub const fn new(from: Option<Square>, to: Square) -> Move {
        match from {
            None => Move::Add(to),
            Some(from) => Move::Step { from, to },
        }
    }

    /// Returns the square on which a chip stands after the move and did not stand before.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        match self {
            Move::Add(to) | Move::Step { to, .. } => to,
        }
    }

    /// Returns the square that a step leaves; `None` for an add.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Option<Square> {
        match self {
            Move::Add(_) => None,
            Move::Step { from, .. } => Some(from),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Add(to) => write!(f, "{to}"),
            Move::Step { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Move, NotationError> {
        Notation::Berkeley.parse_move(text)
    }
}

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

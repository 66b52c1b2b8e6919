//! State files: a position as text.

use std::fmt;

use plyground::Side;
use plyground_host::state::{GridFormat, StateText, TextError};

use crate::color::{Color, Rules};
use crate::position::{Position, SetupError};
use crate::square::{Square, SquareSet};
use crate::state;

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
fn write_lines(position: &Position, f: &mut impl fmt::Write) -> fmt::Result {
    for square in Square::all() {
        f.write_char(position.chip_at(square).map_or(EMPTY, Color::letter))?;
        if square.x() == Square::SIDE - 1 {
            f.write_char('\n')?;
        }
    }
    f.write_char(position.to_move().letter())
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        state::write_lines(self, f)
    }
}

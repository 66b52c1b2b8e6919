//! State files of Max-Connect4: the rows from the top, digits without blanks, then the player who
//! moves next.

use plyground::{Game, Side};
use plyground_host::state::{Grid, GridFormat, StateText, TextError};

use crate::cells::Size;
use crate::position::Position;

/// The symbols of a cell: empty, a piece of the first player, a piece of the second.
pub(crate) const CELLS: [char; 3] = ['0', '1', '2'];

/// Returns the form of the state files for boards of this size.
fn format(size: Size) -> GridFormat {
    GridFormat {
        columns: size.columns().into(),
        rows: size.rows().into(),
        cells: &CELLS,
        cell_names: "0, 1 or 2",
        sides: ['1', '2'],
        side_names: "the next player, 1 or 2",
    }
}

/// Reads the state file of a board of this size. If the player who moves next is missing, the numbers of
/// pieces determine that player.
///
/// # Errors
///
/// Returns the first fault of the text, otherwise the first piece, from the top and the left, that has
/// nothing below it.
pub fn parse_state(text: &StateText, size: Size) -> Result<Position, TextError> {
    let grid = format(size).parse_or_infer(text, |grid| next_by_counts(grid, size))?;
    let cell = |column: u8, row: u8| match grid.symbol(from_top(size, row), column.into()) {
        Some(1) => Some(Side::First),
        Some(2) => Some(Side::Second),
        _ => None,
    };
    Position::from_cells(size, grid.side_to_move(), cell).ok_or_else(|| floating_piece(&grid, size))
}

/// Returns the player who moves next in a game that began with the empty board; `None` for a board that
/// occurs in no such game. Files of older programs do not name the next player.
fn next_by_counts(grid: &Grid, size: Size) -> Option<Side> {
    let (columns, rows) = (usize::from(size.columns()), usize::from(size.rows()));
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let count = |piece| {
        cells.clone().filter(|&(row, column)| grid.symbol(row, column) == Some(piece)).count()
    };
    match (count(1), count(2)) {
        (first, second) if first == second => Some(Side::First),
        (first, second) if first == second + 1 => Some(Side::Second),
        _ => None,
    }
}

/// Converts the number of a row: the rows of a grid are counted from the top, those of a board from the
/// bottom.
fn from_top(size: Size, row: u8) -> usize {
    usize::from(size.rows() - 1 - row)
}

fn floating_piece(grid: &Grid, size: Size) -> TextError {
    let (columns, rows) = (usize::from(size.columns()), usize::from(size.rows()));
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let floats = |&(row, column): &(usize, usize)| {
        grid.symbol(row, column) != Some(0) && grid.symbol(row + 1, column) == Some(0)
    };
    let (row, column) = cells.clone().find(floats).unwrap_or_default();
    grid.fault(row, column, "0 above an empty cell", "a piece with nothing below it")
}

/// Returns the lines of the state file, with LF between them.
#[must_use]
pub fn format_state(position: &Position) -> String {
    format!("{position}\n{}", position.side_to_move().index() + 1)
}

/// Returns a text about the contradiction between the numbers of pieces and the player who moves next, if
/// there is one: in a game from the empty board, both players have as many pieces if the first is to move,
/// and the first has one more if the second is.
#[must_use]
pub fn contradiction(position: &Position) -> Option<String> {
    let [first, second] = Side::BOTH.map(|side| position.pieces(side));
    let (next, expected) = match position.side_to_move() {
        Side::First => (1, second),
        Side::Second => (2, second + 1),
    };
    (first != expected).then(|| {
        format!(
            "player {next} is next, but player 1 has {} and player 2 has {}",
            pieces(first),
            pieces(second)
        )
    })
}

fn pieces(count: u32) -> String {
    if count == 1 { "1 piece".to_owned() } else { format!("{count} pieces") }
}

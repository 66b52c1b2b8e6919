//! State files: the rows from the top, digits without blanks, then the player who moves next; and the board on the
//! screen, which has the same symbols.

use anstyle::{AnsiColor, Style};
use plyground::{Game, Side};
use plyground_host::state::{Grid, GridFormat, StateText, TextError};

use crate::cells::{Column, Size};
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

/// Converts the number of a row: the rows of a grid are counted from the top, the rows of a board from the
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

/// Returns the board as the course's sample programs print it, with a blank after every row.
pub(crate) fn board(position: &Position) -> String {
    // The frame of the board on the screen.
    let border = format!(" {}\n", "-".repeat(2 * usize::from(position.size().columns()) + 3));
    let cells = |row: &str| row.chars().flat_map(|cell| [cell, ' ']).collect::<String>();
    let board = position.to_string();
    let rows: String = board.lines().map(|row| format!(" | {}| \n", cells(row))).collect();
    let [first, second] = points(position);
    format!("{border}{rows}{border}Score: Player 1 = {first}, Player 2 = {second}\n")
}

/// Returns the board with numbers above the columns, brackets around the last piece, and the pieces of
/// the sides in colors.
pub(crate) fn drawing(position: &Position, last: Option<Column>) -> String {
    let (columns, rows) = (position.size().columns(), position.size().rows());
    let top = |column: Column| {
        let is_there = |&row: &u8| position.cell(column.index(), row).is_some();
        Some((column.index(), (0..rows).rev().find(is_there)?))
    };
    let last = last.and_then(top);
    let numbers: String = (1..=columns).map(|number| format!(" {number}")).collect();
    let border = format!(" {}\n", "-".repeat(2 * usize::from(columns) + 3));
    let row = |row: u8| {
        let cells = (0..columns).map(|column| {
            let before = bracket(last, (column, row), columns);
            before.to_string() + &cell(position.cell(column, row))
        });
        format!(" |{}{}|\n", cells.collect::<String>(), bracket(last, (columns, row), columns))
    };
    let rows: String = (0..rows).rev().map(row).collect();
    let [first, second] = points(position);
    let score = format!("Score: Player 1 = {first}, Player 2 = {second}\n");
    format!("  {numbers}\n{border}{rows}{border}{score}")
}

/// Returns a margin of a side under the number of every column, with a mark at the best.
pub(crate) fn margins(size: Size, side: Side, values: &[(Column, i32)]) -> String {
    let best = values.iter().map(|&(_, value)| value).max();
    let mut margins = format!("Final margin of player {}", side.index() + 1);
    let mut numbers = format!("{:width$}", "Column", width = margins.len());
    for column in (0..size.columns()).map(Column::from_index) {
        let value = values.iter().find(|&&(own, _)| own == column).map(|&(_, value)| value);
        let margin = match value {
            None => "full".to_owned(),
            Some(0) => "0".to_owned(),
            Some(value) => format!("{value:+}"),
        };
        let mark = if value.is_some() && value == best { '*' } else { ' ' };
        numbers += &format!("{:>5} ", column.number());
        margins += &format!("{margin:>5}{mark}");
    }
    format!("{}\n{}\n", numbers.trim_end(), margins.trim_end())
}

/// Returns the symbol between the cell and the one before it: a bracket beside the last piece.
fn bracket(last: Option<(u8, u8)>, (column, row): (u8, u8), columns: u8) -> char {
    match last {
        Some(last) if last == (column, row) && column < columns => '[',
        Some((at, of)) if of == row && at + 1 == column => ']',
        _ => ' ',
    }
}

/// Returns the symbol of a cell in the color of its piece.
fn cell(owner: Option<Side>) -> String {
    let (color, symbol) = match owner {
        None => return CELLS[0].to_string(),
        Some(Side::First) => (AnsiColor::Yellow, CELLS[1]),
        Some(Side::Second) => (AnsiColor::Red, CELLS[2]),
    };
    let style = Style::new().fg_color(Some(color.into())).bold();
    format!("{style}{symbol}{style:#}")
}

pub(crate) fn points(position: &Position) -> [u32; 2] {
    Side::BOTH.map(|side| position.points(side))
}

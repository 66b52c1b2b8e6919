//! The board on the page in the browser.

use plyground::{Game, Side};
use plyground_host::page::{Edges, Ground, Layout, Look, Path, Picture, Piece, Stroke, StrokeKind};

use crate::column::Column;
use crate::position::Position;
use crate::size::Size;
use crate::state::{CELLS, format_state};

/// The number of cells of a quadruple.
const QUAD: usize = 4;

/// The steps in columns and rows, these from the bottom, from one cell of a quadruple to the next.
const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Returns the layout of the board.
pub(crate) fn layout(size: Size) -> Layout {
    let [empty, first, second] = CELLS;
    let piece = |name, fill, mark, symbol| Piece { name, fill, mark, symbol, turn_symbol: symbol };
    let name = |(column, row)| vec![format!("column {}, row {}", column + 1, row + 1)];
    let numbers = (1..=size.columns()).map(|column| column.to_string()).collect();
    Layout {
        columns: size.columns().into(),
        rows: size.rows().into(),
        look: Look::Holes,
        falls: true,
        grounds: vec![Ground::Open; cells(size).count()],
        hatched: false,
        notations: vec!["Columns"],
        names: cells(size).map(name).collect(),
        edges: Edges { top: numbers, ..Edges::default() },
        // The pieces differ in their marks too, and in brightness, which everybody can see.
        pieces: [
            piece("piece of player 1", "#f2b134", "#7a4b00", first),
            piece("piece of player 2", "#c2361b", "#ffd9cf", second),
        ],
        empty_symbol: empty,
    }
}

/// Returns the pieces, and the quadruples that each side has or can still get.
pub(crate) fn picture(position: &Position) -> Picture {
    let [_, first, second] = CELLS;
    let points = Game::points(position);
    let lines = Side::BOTH.into_iter().flat_map(|side| quads(position, side)).collect();
    Picture { lines, ..Picture::from_state(&format_state(position), [first, second], points) }
}

/// Returns the path to the cell in which a piece lands that is dropped into `column`.
pub(crate) fn path(position: &Position, column: Column) -> Path {
    let (size, column) = (position.size(), column.index());
    let row = (0..size.rows()).find(|&row| position.cell(column, row).is_none());
    Path { from: None, to: row.map(|row| number(size, (column, row))) }
}

/// Returns the columns and rows of the cells in the order of their numbers on the page.
fn cells(size: Size) -> impl Iterator<Item = (u8, u8)> {
    let row = move |row| (0..size.columns()).map(move |column| (column, row));
    (0..size.rows()).rev().flat_map(row)
}

/// Returns the number of a cell on the page.
fn number(size: Size, (column, row): (u8, u8)) -> usize {
    let from_top = size.rows() - 1 - row;
    usize::from(from_top) * usize::from(size.columns()) + usize::from(column)
}

/// Returns the quadruples that `side` has, and those that it can still get.
fn quads(position: &Position, side: Side) -> Vec<Stroke> {
    let size = position.size();
    let starts = cells(size).flat_map(|start| DIRECTIONS.map(|direction| (start, direction)));
    let quads = starts.filter_map(|(start, direction)| {
        let cells = quad(size, start, direction)?;
        let pieces = cells.map(|(column, row)| position.cell(column, row));
        if pieces.contains(&Some(side.other())) {
            return None;
        }
        let is_made = !pieces.contains(&None);
        let kind = if is_made { StrokeKind::Made } else { StrokeKind::Possible };
        let cells = cells.map(|cell| number(size, cell)).to_vec();
        Some(Stroke { kind, side: side.index(), cells })
    });
    quads.collect()
}

/// Returns the cells of a quadruple if it lies on the board.
fn quad(size: Size, start: (u8, u8), (dx, dy): (i8, i8)) -> Option<[(u8, u8); QUAD]> {
    let mut cells = [start; QUAD];
    for index in 1..QUAD {
        let (column, row) = cells[index - 1];
        let next = (column.checked_add_signed(dx)?, row.checked_add_signed(dy)?);
        if next.0 >= size.columns() || next.1 >= size.rows() {
            return None;
        }
        cells[index] = next;
    }
    Some(cells)
}

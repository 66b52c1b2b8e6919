//! What the page in the browser shows.

use maxconnect4::{Column, Position};
use plyground::Side;
use plyground::server::{
    Count, Edges, Ground, Layout, Look, OnPage, Path, Picture, Piece, Stroke, StrokeKind,
};

use crate::program::MaxConnect4;

/// The cells of a quadruple.
const QUAD: usize = 4;

/// The steps in columns and rows, these from the bottom, from one cell of a quadruple to the next.
const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl OnPage for MaxConnect4 {
    fn layout(&self) -> Layout {
        let (columns, rows) = (self.size.columns(), self.size.rows());
        let numbers: Vec<String> = (1..=columns).map(|column| column.to_string()).collect();
        let cells = (1..=rows).rev().flat_map(|row| (1..=columns).map(move |column| (column, row)));
        let [empty, first, second] = ['0', '1', '2'];
        let piece =
            |name, fill, mark, symbol| Piece { name, fill, mark, symbol, turn_symbol: symbol };
        Layout {
            columns: columns.into(),
            rows: rows.into(),
            look: Look::Holes,
            falls: true,
            grounds: vec![Ground::Open; usize::from(columns) * usize::from(rows)],
            notations: vec!["Columns"],
            names: cells.map(|(column, row)| vec![format!("column {column}, row {row}")]).collect(),
            edges: Edges { top: numbers, ..Edges::default() },
            // Told apart by their marks too, and by everybody by brightness.
            pieces: [
                piece("piece of player 1", "#f2b134", "#7a4b00", first),
                piece("piece of player 2", "#c2361b", "#ffd9cf", second),
            ],
            empty_symbol: empty,
        }
    }

    fn picture(&self, position: &Position) -> Picture {
        let cells = self.cells().map(|(column, row)| position.cell(column, row).map(Side::index));
        let lines = Side::BOTH.into_iter().flat_map(|side| self.quads(position, side));
        let points = |side| {
            let value = position.points(side);
            let name = if value == 1 { "point" } else { "points" };
            Count { name, value, as_pieces: false }
        };
        Picture {
            cells: cells.collect(),
            lines: lines.collect(),
            counts: Side::BOTH.map(|side| vec![points(side)]),
        }
    }

    fn path(&self, position: &Position, column: Column) -> Path {
        let rows = 0..self.size.rows();
        let row = rows.clone().find(|&row| position.cell(column.index(), row).is_none());
        Path { from: None, to: self.number(column.index(), row.unwrap_or(rows.end - 1)) }
    }

    fn move_at(&self, _: &Position, _: Option<usize>, to: usize) -> Option<Column> {
        let column = to % usize::from(self.size.columns());
        u8::try_from(column).ok().map(Column::from_index)
    }
}

impl MaxConnect4 {
    /// The columns and rows of the cells in the order of their numbers on the page.
    fn cells(&self) -> impl Iterator<Item = (u8, u8)> {
        let columns = self.size.columns();
        (0..self.size.rows())
            .rev()
            .flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    /// The number of a cell on the page.
    fn number(&self, column: u8, row: u8) -> usize {
        let from_top = self.size.rows() - 1 - row;
        usize::from(from_top) * usize::from(self.size.columns()) + usize::from(column)
    }

    /// The quadruples that `side` has, and those that it can still get.
    fn quads(&self, position: &Position, side: Side) -> Vec<Stroke> {
        let starts = self.cells().flat_map(|start| DIRECTIONS.map(|direction| (start, direction)));
        let quads = starts.filter_map(|(start, direction)| {
            let cells = self.quad(start, direction)?;
            let pieces = cells.map(|(column, row)| position.cell(column, row));
            if pieces.contains(&Some(side.other())) {
                return None;
            }
            let is_made = !pieces.contains(&None);
            let kind = if is_made { StrokeKind::Made } else { StrokeKind::Possible };
            let cells = cells.map(|(column, row)| self.number(column, row)).to_vec();
            Some(Stroke { kind, side: side.index(), cells })
        });
        quads.collect()
    }

    /// The cells of a quadruple if it lies on the board.
    fn quad(&self, start: (u8, u8), (dx, dy): (i8, i8)) -> Option<[(u8, u8); QUAD]> {
        let mut cells = [start; QUAD];
        for index in 1..QUAD {
            let (column, row) = cells[index - 1];
            let next = (column.checked_add_signed(dx)?, row.checked_add_signed(dy)?);
            if next.0 >= self.size.columns() || next.1 >= self.size.rows() {
                return None;
            }
            cells[index] = next;
        }
        Some(cells)
    }
}

//! The plainest program of the rules of Max-Connect4.

use maxconnect4::Size;
use plyground::Side;

/// A board as a table of cells, columns from the left and in each the pieces from the bottom.
#[derive(Clone, Debug)]
pub struct Board {
    /// The height of every column.
    pub rows: usize,
    /// The pieces of every column.
    pub columns: Vec<Vec<Side>>,
}

impl Board {
    /// The board of this size without pieces.
    pub fn empty(size: Size) -> Board {
        Board { rows: size.rows().into(), columns: vec![Vec::new(); size.columns().into()] }
    }

    /// The piece in a cell, if there is one.
    pub fn cell(&self, column: usize, row: usize) -> Option<Side> {
        self.columns.get(column)?.get(row).copied()
    }

    /// All fours of cells in a row.
    pub fn quadruples(&self) -> Vec<[(usize, usize); 4]> {
        let (columns, rows) = (self.columns.len() as isize, self.rows as isize);
        let mut quadruples = Vec::new();
        for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            for column in 0..columns {
                for row in 0..rows {
                    let (last_column, last_row) = (column + 3 * right, row + 3 * up);
                    if last_column < columns && (0..rows).contains(&last_row) {
                        quadruples.push([0, 1, 2, 3].map(|step| {
                            ((column + step * right) as usize, (row + step * up) as usize)
                        }));
                    }
                }
            }
        }
        quadruples
    }

    /// The number of fours that are all of `side`.
    pub fn points(&self, side: Side) -> u32 {
        let is_full = |quadruple: &&[(usize, usize); 4]| {
            quadruple.iter().all(|&(column, row)| self.cell(column, row) == Some(side))
        };
        self.quadruples().iter().filter(is_full).count() as u32
    }
}

//! The rules of Othello as a person would say them, slow and plain.

use plyground::Side;

/// (columns, rows) to the neighbors in every direction.
const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Discs by row and column.
#[derive(Clone, Debug)]
pub(crate) struct NaiveDiscs {
    pub(crate) rows: Vec<Vec<Option<Side>>>,
    pub(crate) side: Side,
}

impl NaiveDiscs {
    pub(crate) fn at(&self, column: i8, row: i8) -> Option<Side> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    /// The discs that turn when `side` places one here.
    fn turned(&self, side: Side, column: i8, row: i8) -> Vec<(i8, i8)> {
        let mut turned = Vec::new();
        for (right, down) in DIRECTIONS {
            let line = (1..).map(|step| (column + step * right, row + step * down));
            let others: Vec<_> =
                line.take_while(|&(x, y)| self.at(x, y) == Some(side.other())).collect();
            let behind = others.len() as i8 + 1;
            if self.at(column + behind * right, row + behind * down) == Some(side) {
                turned.extend(others);
            }
        }
        turned
    }

    /// The squares, by column and row, on which `side` may place a disc.
    pub(crate) fn places(&self, side: Side) -> Vec<(i8, i8)> {
        let size = self.rows.len() as i8;
        let squares = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
        squares
            .filter(|&(column, row)| self.at(column, row).is_none())
            .filter(|&(column, row)| !self.turned(side, column, row).is_empty())
            .collect()
    }

    /// Places a disc, or passes.
    pub(crate) fn play(&mut self, place: Option<(i8, i8)>) {
        if let Some((column, row)) = place {
            for (column, row) in self.turned(self.side, column, row).into_iter().chain(place) {
                self.rows[row as usize][column as usize] = Some(self.side);
            }
        }
        self.side = self.side.other();
    }
}

//! The rules.

use plyground::{Game, Outcome, Side};

use crate::cells::{COLUMN_BITS, Column, Size};
use crate::position;
use crate::position::Position;

/// The reason that a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// There is no such column on the board.
    #[error("column {column} does not exist: the columns are 1 to {columns}")]
    NoSuchColumn {
        /// The column asked for.
        column: Column,
        /// The number of columns of the board.
        columns: u8,
    },
    /// All cells of the column are taken.
    #[error("column {0} is full")]
    Full(Column),
}

impl Game for Position {
    type Move = Column;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = "maxconnect4";

    #[inline]
    fn side_to_move(&self) -> Side {
        self.mover()
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        if self.empties() != 0 {
            return None;
        }
        let [first, second] = Side::BOTH.map(|side| self.points(side) as i32);
        Some(Outcome::Points { first, second })
    }

    #[inline]
    fn legal_moves(&self) -> impl Iterator<Item = Column> {
        let mut left = self.playable();
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() / COLUMN_BITS;
            left &= left.wrapping_sub(1);
            (index < u32::from(Size::MOST)).then(|| Column::from_index(index as u8))
        })
    }

    fn check_legal(&self, column: Column) -> Result<(), IllegalMove> {
        let Size { columns, .. } = self.size();
        if column.index() >= columns {
            Err(IllegalMove::NoSuchColumn { column, columns })
        } else if self.landing(column) == 0 {
            Err(IllegalMove::Full(column))
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn play_unchecked(&mut self, column: Column) {
        self.drop_into(column);
    }

    #[inline]
    fn key(&self) -> u64 {
        position::plain(self)
    }

    #[inline]
    fn margin(&self) -> i32 {
        self.lead()
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(Side::BOTH.map(|side| self.points(side) as i32))
    }

    #[inline]
    fn plies_left(&self) -> Option<u32> {
        Some(self.empty_cells())
    }
}

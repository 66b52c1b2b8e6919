//! The board, the rules, and the keys of positions.

use std::fmt;

use plyground::{Game, Outcome, Side};

use crate::cells::{COLUMN_BITS, Column, FLOOR, FROM_TOP, Size};
use crate::quads::Quads;

/// The contents of a cell of the board.
pub type Cell = Option<Side>;

/// A position of Max-Connect4, on a board of any [`Size`].
///
/// On the standard board, the bits of the bitboards are
///
/// ```text
///     7  15  23  31  39  47  55
///     6  14  22  30  38  46  54
///     5  13  21  29  37  45  53
///     4  12  20  28  36  44  52
///     3  11  19  27  35  43  51
///     2  10  18  26  34  42  50
/// ```
///
/// The two bits below each column, and all bits from 56 on, are walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Pieces of the side to move.
    pub(crate) mine: u64,
    /// Pieces of the other side.
    pub(crate) theirs: u64,
    /// The bits that are not cells of the board.
    walls: u64,
    /// The quadruples of the side to move less the quadruples of the other side.
    margin: i32,
    side_to_move: Side,
    columns: u8,
}

impl Position {
    /// Returns the empty board of this size with the first player to move.
    #[must_use]
    pub fn empty(size: Size) -> Position {
        let column = u64::MAX << (COLUMN_BITS - u32::from(size.rows)) & 0xff;
        let cells = (0..size.columns).fold(0, |cells, c| cells | column << Self::shift(c));
        Position {
            mine: 0,
            theirs: 0,
            walls: !cells,
            margin: 0,
            side_to_move: Side::First,
            columns: size.columns,
        }
    }

    /// Returns the empty board of the assignment.
    #[must_use]
    pub fn standard() -> Position {
        Position::empty(Size::STANDARD)
    }

    /// Makes the position with these cells, `cell(column, row)` counted from 0 from the left and the
    /// bottom, and this side to move. Returns `None` if a piece has an empty cell below it.
    ///
    /// The numbers of pieces need not occur in a game from the empty board.
    #[must_use]
    pub fn from_cells(
        size: Size,
        side_to_move: Side,
        cell: impl Fn(u8, u8) -> Cell,
    ) -> Option<Position> {
        let mut position = Position { side_to_move, ..Position::empty(size) };
        for column in 0..size.columns {
            for row in 0..size.rows {
                let bit = position.bit(column, row);
                match cell(column, row) {
                    Some(side) if side == side_to_move => position.mine |= bit,
                    Some(_) => position.theirs |= bit,
                    None => {}
                }
            }
        }
        let mine = Quads::within(position.mine).count() as i32;
        position.margin = mine - Quads::within(position.theirs).count() as i32;
        let occupied = position.mine | position.theirs;
        let supported = (occupied | position.walls) << 1 | FLOOR;
        (occupied & !supported == 0).then_some(position)
    }

    /// Returns the number of columns and rows.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { columns: self.columns, rows: (!self.walls & 0xff).count_ones() as u8 }
    }

    /// Returns the contents of the cell of this column and row, both counted from 0, from the left and the
    /// bottom; `None` also for a cell that is not on the board.
    #[must_use]
    pub fn cell(&self, column: u8, row: u8) -> Cell {
        let size = self.size();
        if column >= size.columns || row >= size.rows {
            return None;
        }
        let bit = self.bit(column, row);
        if self.mine & bit != 0 {
            Some(self.side_to_move)
        } else if self.theirs & bit != 0 {
            Some(self.side_to_move.other())
        } else {
            None
        }
    }

    /// Returns the points of `side`: its quadruples.
    #[must_use]
    pub fn points(&self, side: Side) -> u32 {
        Quads::within(self.stones(side)).count()
    }

    /// Returns the number of pieces of `side` on the board.
    #[must_use]
    pub fn pieces(&self, side: Side) -> u32 {
        self.stones(side).count_ones()
    }

    /// Returns the column and the row of every piece of a side, both counted from 0, from the left and the
    /// bottom: column by column.
    pub fn cells_of(&self, side: Side) -> impl Iterator<Item = (u8, u8)> {
        let lowest = (!self.walls & 0xff).trailing_zeros();
        let mut left = self.stones(side);
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            let cell = || ((bit / COLUMN_BITS) as u8, (bit % COLUMN_BITS - lowest) as u8);
            (bit < u64::BITS).then(cell)
        })
    }

    /// Returns the number of empty cells.
    #[inline]
    #[must_use]
    pub fn empty_cells(&self) -> u32 {
        self.empties().count_ones()
    }

    #[inline]
    fn stones(&self, side: Side) -> u64 {
        if side == self.side_to_move { self.mine } else { self.theirs }
    }

    #[inline]
    pub(crate) fn empties(&self) -> u64 {
        !(self.mine | self.theirs | self.walls)
    }

    /// Returns the lowest empty cell of every column that is not full.
    #[inline]
    pub(crate) fn playable(&self) -> u64 {
        let filled = self.mine | self.theirs | self.walls;
        !filled & (filled << 1 | FLOOR)
    }

    /// Returns `cells` with the left and the right of the board exchanged.
    #[inline]
    pub(crate) fn mirror(&self, cells: u64) -> u64 {
        cells.swap_bytes() >> (u64::BITS - COLUMN_BITS * u32::from(self.columns))
    }

    #[inline]
    const fn shift(column: u8) -> u32 {
        COLUMN_BITS * column as u32
    }

    /// Returns the bit of a cell that is on the board.
    fn bit(&self, column: u8, row: u8) -> u64 {
        let lowest = (!self.walls & 0xff).trailing_zeros();
        1 << (Self::shift(column) + lowest + u32::from(row))
    }

    /// Returns the lowest empty cell of a column; no bit if the column is full or not on the board.
    #[inline]
    pub(crate) fn landing(&self, column: Column) -> u64 {
        self.playable() & (0xff << Self::shift(column.index()))
    }
}

/// Writes the rows from the top, digits without blanks: 0 empty, 1 first player, 2 second.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size();
        for row in (0..size.rows).rev() {
            for column in 0..size.columns {
                let digit = self.cell(column, row).map_or(0, |side| side.index() + 1);
                write!(f, "{digit}")?;
            }
            if row > 0 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// Multipliers for the hash: the golden ratio, and the square roots of 2 and 3, as fractions of
/// 2^64, made odd.
const MULTIPLIERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Multiplies to 128 bits and folds: every bit of the result depends on all bits of both.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn hash(a: u64, b: u64, c: u64) -> u64 {
    let [x, y, z] = MULTIPLIERS;
    fold(fold(a ^ x, b ^ y) ^ c, z)
}

/// Returns true if the position is the canonical one of its two mirror images.
#[inline]
pub(crate) fn is_canonical(position: &Position) -> bool {
    let (mine, theirs) = (position.mine, position.theirs);
    (mine, theirs) <= (position.mirror(mine), position.mirror(theirs))
}

/// Returns a key of everything that can still make a difference in play to the end.
///
/// * A piece that is in no quadruple that its side can still complete is equivalent to any other such piece.
/// * Empty cells above the highest cell of such a quadruple are worth a tempo each. Two of these in the same
///   column cancel out, since a move to the lower can be answered on the upper.
/// * Two of these in columns without other empty cells cancel out too.
#[inline(always)]
pub(crate) fn end_of_game(position: &Position) -> u64 {
    let empty = position.empties();
    let live = |stones: u64| Quads::within(stones | empty).without(Quads::within(stones)).cells();
    let (mut mine, mut theirs) = (position.mine, position.theirs);
    let (live_mine, live_theirs) = (live(mine), live(theirs));
    mine &= live_mine;
    theirs &= live_theirs;
    let mut open = empty & down(empty & (live_mine | live_theirs));
    let above = empty & !open;
    let lowest_above = above & !(above << 1 & !FLOOR);
    let tempo = lowest_above & FROM_TOP;
    let alone = tempo & position.playable();
    open |= tempo & !alone;
    let spare = u64::from(alone.count_ones() % 2);
    if !is_canonical(position) {
        (mine, theirs, open) =
            (position.mirror(mine), position.mirror(theirs), position.mirror(open));
    }
    let walls = position.walls;
    hash(mine | walls, theirs | walls, open) ^ spare
}

/// Returns `cells` and all the bits below them in their columns.
#[inline]
fn down(cells: u64) -> u64 {
    let cells = cells | (cells >> 1 & 0x7f7f_7f7f_7f7f_7f7f);
    let cells = cells | (cells >> 2 & 0x3f3f_3f3f_3f3f_3f3f);
    cells | (cells >> 4 & 0x0f0f_0f0f_0f0f_0f0f)
}

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
        self.side_to_move
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
        let mine = self.mine | self.landing(column);
        let gain = Quads::within(mine).count() - Quads::within(self.mine).count();
        *self = Position {
            mine: self.theirs,
            theirs: mine,
            margin: -(self.margin + gain as i32),
            side_to_move: self.side_to_move.other(),
            ..*self
        };
    }

    /// Returns a key of the pieces on the board and of its size; the same for mirror images.
    #[inline]
    fn key(&self) -> u64 {
        let (mut mine, mut theirs) = (self.mine, self.theirs);
        if !is_canonical(self) {
            (mine, theirs) = (self.mirror(mine), self.mirror(theirs));
        }
        // The walls are set for both sides, so that boards of different sizes have different keys.
        hash(mine | self.walls, theirs | self.walls, 0)
    }

    #[inline]
    fn margin(&self) -> i32 {
        self.margin
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(Side::BOTH.map(|side| self.points(side) as i32))
    }

    #[inline]
    fn plies_left(&self) -> Option<u32> {
        Some(self.empty_cells())
    }
}

/// Returns a text about the contradiction between the numbers of pieces and the player who moves next, if
/// there is one: in a game from the empty board, both players have equal numbers of pieces if the first is
/// to move, and the first has one piece more if the second is to move.
#[must_use]
pub(crate) fn contradiction(position: &Position) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_stays_in_its_column() {
        assert_eq!(down(1 << 15 | 1 << 16), 0xff00 | 1 << 16);
        assert_eq!(down(0), 0);
    }
}

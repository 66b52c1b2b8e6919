//! The hints for a search.

use plyground::{Bounds, Score, SearchHints};

use crate::bounds;
use crate::column::Column;
use crate::key;
use crate::position::Position;

impl SearchHints for Position {
    const MOVE_CODES: usize = u64::BITS as usize;

    /// False, because the board is always filled.
    const MAY_END_EARLY: bool = false;

    #[inline(always)]
    fn end_of_game_key(&self) -> u64 {
        key::end_of_game(self)
    }

    /// Returns the number of the cell in which the piece lands.
    #[inline]
    fn move_code(&self, column: Column) -> usize {
        self.landing(column).trailing_zeros() as usize % Self::MOVE_CODES
    }

    #[inline]
    fn canonical_code(&self, code: usize) -> usize {
        if key::is_canonical(self) {
            code
        } else {
            self.mirror(1 << code).trailing_zeros() as usize
        }
    }

    #[inline(always)]
    fn bounds(&self) -> Bounds {
        bounds::of(self)
    }

    #[inline]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        Some(bounds::closer(self, alpha, beta))
    }
}

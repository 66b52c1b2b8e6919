//! The solution's view of a position: the first player is White, whose opening chips stand on
//! 03 and 73.

use crate::color::Color;
use crate::position::Position;
use crate::square::Square;
use crate::squares::SquareSet;

/// The turn of a position that makes its opening that of the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// If true, rows and columns are exchanged: the first player is Black.
    transposed: bool,
    /// If true, left and right are exchanged.
    flips_x: bool,
    /// If true, top and bottom are exchanged.
    flips_y: bool,
    /// The chips of the player who does not follow the solution, turned.
    others: SquareSet,
}

/// The rows of the opening: the solution's, and its mirror image.
const ROWS: [u8; 2] = [3, 4];

impl Frame {
    /// Returns the view of `position`, if the player who began is to move and has played the opening or as
    /// much of it as possible.
    #[must_use]
    pub fn of(position: &Position) -> Option<Frame> {
        let color = position.rules().first_color();
        let (own, others) = (position.chips(color), position.chips(color.other()));
        (position.to_move() == color && own.len() == others.len()).then_some(())?;
        let transposed = color == Color::Black;
        let plain = Frame { transposed, flips_x: false, flips_y: false, others: SquareSet::EMPTY };
        let has = |x, y| Square::new(x, y).is_some_and(|at| own.contains(plain.outside(at)));
        let last = Square::SIDE - 1;
        let frame = match own.len() {
            0 => plain,
            1 => ROWS.into_iter().find_map(|y| {
                let flips_x = has(last, y);
                (has(0, y) || flips_x).then_some(Frame { flips_x, flips_y: y != ROWS[0], ..plain })
            })?,
            _ => {
                let y = ROWS.into_iter().find(|&y| has(0, y) && has(last, y))?;
                Frame { flips_y: y != ROWS[0], ..plain }
            }
        };
        let turned = others.iter().map(|square| frame.inside(square)).collect();
        Some(Frame { others: turned, ..frame })
    }

    /// Returns the first square of the opening, turned.
    #[must_use]
    pub fn first(&self) -> Square {
        Square::new(0, ROWS[0]).unwrap_or(Square::lowest(1))
    }

    /// Returns the second square of the opening, turned.
    #[must_use]
    pub fn second(&self) -> Square {
        Square::new(Square::SIDE - 1, ROWS[0]).unwrap_or(Square::lowest(1))
    }

    /// Returns the chips of the player who does not follow the solution, turned.
    #[must_use]
    pub fn others(&self) -> SquareSet {
        self.others
    }

    /// Returns true if `position`, of which this is the view, is a position right after the opening.
    #[must_use]
    pub fn follows_opening(&self, position: &Position) -> bool {
        let own = position.chips(position.to_move());
        let turned: SquareSet = own.iter().map(|square| self.inside(square)).collect();
        turned == SquareSet::EMPTY.with(self.first()).with(self.second())
    }

    /// Returns a square of the position, turned.
    #[must_use]
    pub fn inside(&self, square: Square) -> Square {
        self.flipped(if self.transposed { transpose(square) } else { square })
    }

    /// Returns the square of the position that is `square` when turned.
    #[must_use]
    pub fn outside(&self, square: Square) -> Square {
        let flipped = self.flipped(square);
        if self.transposed { transpose(flipped) } else { flipped }
    }

    fn flipped(&self, square: Square) -> Square {
        let flip = |flips: bool, at: u8| if flips { Square::SIDE - 1 - at } else { at };
        let (x, y) = (flip(self.flips_x, square.x()), flip(self.flips_y, square.y()));
        Square::new(x, y).unwrap_or(square)
    }
}

fn transpose(square: Square) -> Square {
    Square::new(square.y(), square.x()).unwrap_or(square)
}

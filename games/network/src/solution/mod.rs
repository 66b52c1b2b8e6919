//! The solved opening: White's answer to every reply, in any orientation of the board.

use crate::color::Color;
use crate::moves::{Square, SquareSet};
use crate::position::Position;

/// The turn of the board that turns the opening of a position into the opening of the solution.
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

    /// Returns true if `position`, from which the frame was made, is a position right after the opening.
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

/// The chips of White and of Black, the same for all mirror images of a position.
pub type Chips = [SquareSet; 2];

/// One of the ways to mirror the board. Each undoes itself.
#[derive(Clone, Copy, Debug)]
pub struct Mirror(fn(u64) -> u64);

impl Mirror {
    /// All four ways, the identity first.
    pub const ALL: [Mirror; 4] = [
        Mirror(|set| set),
        Mirror(u64::swap_bytes),
        Mirror(u64::reverse_bits),
        Mirror(|set| set.reverse_bits().swap_bytes()),
    ];

    /// Returns the mirror image of a set of squares.
    pub fn set(self, set: SquareSet) -> SquareSet {
        SquareSet(self.0(set.0))
    }

    /// Returns the mirror image of a square.
    pub fn square(self, square: Square) -> Square {
        Square::lowest(self.0(square.bit()))
    }
}

/// Returns the chips of the least mirror image, which name a position together with its mirror images. The
/// player to move is not part of the name.
#[must_use]
pub fn image_name(position: &Position) -> Chips {
    canonical(position).0
}

/// Returns the least of the mirror images of the chips, and the mirror that makes it.
pub fn canonical(position: &Position) -> (Chips, Mirror) {
    let chips = Color::BOTH.map(|color| position.chips(color));
    let image = |mirror: Mirror| (chips.map(|set| mirror.set(set)), mirror);
    let least = Mirror::ALL.map(image).into_iter().min_by_key(|(image, _)| image.map(|set| set.0));
    least.unwrap_or((chips, Mirror::ALL[0]))
}

/// A byte for each pair of squares of Black, in the order of [`index`]: the number of White's
/// square, for the chips 03 and 73. `research solve --strategy OUT --prepared FILE` writes it.
static ANSWERS: &[u8] = include_bytes!("replies.bin");

/// The number of pairs of Black's squares.
pub const PAIRS: usize = BLACK_SQUARES * (BLACK_SQUARES - 1) / 2;

/// The squares on which Black may put chips.
const BLACK_SQUARES: usize = Color::Black.territory().len();

/// Returns White's answer, turned, to two chips of Black after the opening.
pub fn answer(frame: &Frame) -> Option<Square> {
    let byte = *ANSWERS.get(index(frame.others())?)?;
    Square::from_index(byte.into()).filter(|&square| !SquareSet::CORNERS.contains(square))
}

/// Returns the place of a pair of Black's chips in the table: pairs in the order of their higher, then of
/// their lower square. `None` unless there are two chips.
#[must_use]
pub fn index(pair: SquareSet) -> Option<usize> {
    let rank = |square: Square| (Color::Black.territory().0 & (square.bit() - 1)).count_ones();
    let mut squares = pair.iter().map(|square| rank(square) as usize);
    let (low, high) = (squares.next()?, squares.next()?);
    squares.next().is_none().then_some(high * (high.saturating_sub(1)) / 2 + low)
}

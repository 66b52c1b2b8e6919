//! Positions without regard to mirror images.

use crate::color::Color;
use crate::position::Position;
use crate::square::Square;
use crate::squares::SquareSet;

/// The chips of White and of Black, the same for all mirror images of a position.
pub type Chips = [SquareSet; 2];

/// One of the ways to mirror the board. Each undoes itself.
#[derive(Clone, Copy, Debug)]
pub struct Mirror(fn(u64) -> u64);

impl Mirror {
    /// All four ways, the one that changes nothing first.
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

/// Returns the chips that name a position together with its mirror images: those of the least image. The
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

//! The reasons that a move is illegal.

use thiserror::Error;

use crate::color::Color;
use crate::moves::Move;
use crate::square::Square;

/// The reason that a move may not be played. If several reasons hold, the first of this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game has ended.
    #[error("{mv}: the game is over")]
    GameOver {
        /// The move.
        mv: Move,
    },
    /// A step while there are chips left to add.
    #[error("{mv}: chips may not step before all ten are on the board ({in_hand} still in hand)")]
    StillHasChipsInHand {
        /// The move.
        mv: Move,
        /// The number of chips in hand of the side to move, from 1 to 10.
        in_hand: usize,
    },
    /// An add when all ten chips are on the board.
    #[error("{mv}: no chip is left to add, a chip on the board must step")]
    NoChipsInHand {
        /// The move.
        mv: Move,
    },
    /// A step from a square without a chip.
    #[error("{mv}: there is no chip on {from}")]
    EmptyOrigin {
        /// The move.
        mv: Move,
        /// The square that the step leaves.
        from: Square,
    },
    /// A step of the opponent's chip.
    #[error("{mv}: the chip on {from} is the opponent's")]
    NotYourChip {
        /// The move.
        mv: Move,
        /// The square that the step leaves.
        from: Square,
    },
    /// A step that ends where it began.
    #[error("{mv}: the chip must go to another square")]
    SamePlace {
        /// The move.
        mv: Move,
    },
    /// The square is one of the four dead corners.
    #[error("{mv}: {square} is a corner, where nobody may play")]
    Corner {
        /// The move.
        mv: Move,
        /// The corner.
        square: Square,
    },
    /// The square belongs to a goal of the opponent.
    #[error("{mv}: {square} is in a goal of {owner}")]
    OpponentGoal {
        /// The move.
        mv: Move,
        /// The square.
        square: Square,
        /// The owner of the goal.
        owner: Color,
    },
    /// There is a chip on the square.
    #[error("{mv}: there is a chip of {by} on {square}")]
    Occupied {
        /// The move.
        mv: Move,
        /// The square.
        square: Square,
        /// The color of the chip.
        by: Color,
    },
    /// Three own chips would be in a connected group.
    #[error("{mv}: {}, {} and {} would be a group of three", group[0], group[1], group[2])]
    GroupOfThree {
        /// The move.
        mv: Move,
        /// Three chips of the group, the moved one first.
        group: [Square; 3],
    },
    /// Both players would have a network, which is illegal under the USF rules only.
    #[error("{mv}: both players would have a network")]
    BothNetworks {
        /// The move.
        mv: Move,
    },
}

impl IllegalMove {
    /// Returns the move that is illegal.
    #[must_use]
    pub const fn mv(&self) -> Move {
        match *self {
            IllegalMove::GameOver { mv }
            | IllegalMove::StillHasChipsInHand { mv, .. }
            | IllegalMove::NoChipsInHand { mv }
            | IllegalMove::EmptyOrigin { mv, .. }
            | IllegalMove::NotYourChip { mv, .. }
            | IllegalMove::SamePlace { mv }
            | IllegalMove::Corner { mv, .. }
            | IllegalMove::OpponentGoal { mv, .. }
            | IllegalMove::Occupied { mv, .. }
            | IllegalMove::GroupOfThree { mv, .. }
            | IllegalMove::BothNetworks { mv } => mv,
        }
    }
}

//! The legal moves of a position, the reasons why others are illegal, and the rules of the two courses.

use std::fmt;
use std::str::FromStr;

use plyground::Side;
use plyground_durable::excerpt;
use thiserror::Error;

use crate::board::{Square, SquareSet, Squares};
use crate::color::{Color, Move};
use crate::position::Position;

/// The legal moves of the player to move: adds in the order of their squares, or steps in the
/// order of their origins and then of their targets. Nothing is allocated.
///
/// It does not test that the game goes on.
#[derive(Clone, Debug)]
pub struct LegalMoves<'a> {
    position: &'a Position,
    /// The chips whose steps are still to come.
    origins: Squares,
    /// The chip that now steps, or `None` when chips are added.
    from: Option<Square>,
    /// The squares where a chip may be added, or to which the chip on `from` may go.
    targets: Squares,
    /// If true, the steps from `from` must be checked for networks of both players.
    doubtful: bool,
}

impl<'a> LegalMoves<'a> {
    /// Makes the iterator over the legal moves of `position`.
    #[inline]
    pub(crate) fn new(position: &'a Position) -> LegalMoves<'a> {
        let color = position.to_move();
        let (origins, targets) = if position.in_hand(color) > 0 {
            (SquareSet::EMPTY, position.add_targets(color))
        } else {
            (position.chips(color), SquareSet::EMPTY)
        };
        LegalMoves {
            position,
            origins: origins.iter(),
            from: None,
            targets: targets.iter(),
            doubtful: false,
        }
    }

    /// Goes on to the steps of the next chip, if there is one.
    #[inline]
    fn next_origin(&mut self) -> Option<()> {
        let from = self.origins.next()?;
        self.from = Some(from);
        self.targets = self.position.step_targets(self.position.to_move(), from).iter();
        self.doubtful = self.position.may_complete_both(from);
        Some(())
    }

    /// Returns the next move: a move of the present chip, to `to` if the rules allow that, or a move of the
    /// next chips.
    // This must not stay out of line: the whole iterator would have to be in memory for that, which costs a
    // tenth of a search from the empty board.
    #[inline]
    fn next_of_chips(&mut self, mut to: Option<Square>) -> Option<Move> {
        loop {
            if let Some(to) = to {
                let mv = Move::new(self.from, to);
                if !(self.doubtful && self.position.completes_both(mv)) {
                    return Some(mv);
                }
            } else {
                self.next_origin()?;
            }
            to = self.targets.next();
        }
    }
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        match self.targets.next() {
            Some(to) if !self.doubtful => Some(Move::new(self.from, to)),
            first => self.next_of_chips(first),
        }
    }

    /// Counts whole sets of targets at once.
    #[inline]
    fn count(mut self) -> usize {
        let mut count = 0;
        loop {
            match self.from {
                Some(from) if self.doubtful => {
                    let position = self.position;
                    let is_legal = |&to: &Square| !position.completes_both(Move::Step { from, to });
                    count += self.targets.filter(is_legal).count();
                }
                _ => count += self.targets.len(),
            }
            self.targets = SquareSet::EMPTY.iter();
            if self.next_origin().is_none() {
                return count;
            }
        }
    }
}

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

/// The rules of one of the two assignments. They differ in the color that moves first and in the effect of
/// a move that completes a network for both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// White moves first; a player that completes both networks loses.
    #[default]
    Berkeley,
    /// Black, who is player 1 and owns the top and bottom rows, moves first; a move that would
    /// complete both networks is illegal.
    Usf,
}

impl Rules {
    /// Both sets of rules, the default first.
    pub const BOTH: [Rules; 2] = [Rules::Berkeley, Rules::Usf];

    /// Returns the color that makes the first move of a game.
    #[inline]
    #[must_use]
    pub const fn first_color(self) -> Color {
        match self {
            Rules::Berkeley => Color::White,
            Rules::Usf => Color::Black,
        }
    }

    /// Returns the side that plays `color`.
    #[inline]
    #[must_use]
    pub fn side(self, color: Color) -> Side {
        if color == self.first_color() { Side::First } else { Side::Second }
    }

    /// Returns the color that `side` plays.
    #[inline]
    #[must_use]
    pub const fn color(self, side: Side) -> Color {
        match side {
            Side::First => self.first_color(),
            Side::Second => self.first_color().other(),
        }
    }
}

/// Writes `berkeley` or `usf`, as on the command line.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rules::Berkeley => "berkeley",
            Rules::Usf => "usf",
        })
    }
}

/// The error that a text names no rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown rules `{}`: expected `berkeley` or `usf`", excerpt(.0))]
pub struct UnknownRules(String);

impl FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Rules, UnknownRules> {
        let found = Rules::BOTH.into_iter().find(|rules| rules.to_string() == text);
        found.ok_or_else(|| UnknownRules(text.to_owned()))
    }
}

//! Moves that complete a network.

use crate::chain::{has_network, lacking};
use crate::color::Color;
use crate::links::{is_between, view};
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::squares::{SquareSet, Squares};

/// The moves by which a color completes its network, and not the opponent's, if it is its turn.
///
/// Found without trying all: such a chip goes to a goal and sees an own chip, or into the interior
/// and sees own chips on two axes, or its step opens a line. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Wins<'a> {
    position: &'a Position,
    color: Color,
    /// The chips whose steps are still to come.
    origins: Squares,
    /// The chip that now steps, or `None` when chips are added.
    from: Option<Square>,
    /// The color's chips without the one that steps.
    own: u64,
    /// The opponent's chips.
    others: u64,
    /// The targets that have yet to be tested.
    targets: Squares,
    /// Whether the chip that steps opens a line of the opponent.
    doubtful: bool,
}

impl<'a> Wins<'a> {
    /// The wins of `color` in `position`, whoever is to move.
    #[inline]
    pub(crate) fn new(position: &'a Position, color: Color) -> Wins<'a> {
        let own = position.chips(color);
        let (origins, targets) = if position.in_hand(color) > 0 {
            let candidates = candidates(own.0, position.occupied().0, color);
            let legal =
                if candidates == 0 { SquareSet::EMPTY } else { position.add_targets(color) };
            (SquareSet::EMPTY, SquareSet(candidates) & legal)
        } else {
            (own, SquareSet::EMPTY)
        };
        Wins {
            position,
            color,
            origins: origins.iter(),
            from: None,
            own: own.0,
            others: position.chips(color.other()).0,
            targets: targets.iter(),
            doubtful: false,
        }
    }

    /// Goes on to the steps of the next chip, if there is one.
    fn next_origin(&mut self) -> Option<()> {
        let from = self.origins.next()?;
        let all = self.position.chips(self.color);
        self.from = Some(from);
        self.own = all.without(from).0;
        let occupied = self.position.occupied();
        // A chip that stands between two others may complete the network by going anywhere.
        let opens = is_between(from, self.own, occupied.0);
        let candidates = if lacking(self.own, self.color) > 1 {
            0
        } else if opens {
            u64::MAX
        } else {
            candidates(self.own, occupied.without(from).0, self.color)
        };
        self.targets = if candidates == 0 {
            SquareSet::EMPTY.iter()
        } else {
            (SquareSet(candidates) & self.position.step_targets(self.color, from)).iter()
        };
        self.doubtful = is_between(from, self.others, occupied.0);
        Some(())
    }

    /// Whether a chip on `to` completes the network, and not the opponent's too.
    #[inline]
    fn wins(&self, to: Square) -> bool {
        let own = self.own | to.bit();
        let occupied = own | self.others;
        has_network(own, occupied, self.color)
            && !(self.doubtful && has_network(self.others, occupied, self.color.other()))
    }
}

impl Iterator for Wins<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        loop {
            let Some(to) = self.targets.next() else {
                self.next_origin()?;
                continue;
            };
            if self.wins(to) {
                return Some(Move::new(self.from, to));
            }
        }
    }
}

/// The squares where another chip of `color` may complete a network of `own` in which it takes
/// part, so far as lines of sight go.
#[inline]
fn candidates(own: u64, occupied: u64, color: Color) -> u64 {
    let wanted = wanted(own, color);
    if wanted == 0 {
        return 0;
    }
    let [a, b, c, d] = view(own, !occupied);
    // The chips of a goal see each other along it, which is no link of a network.
    let into_goal = match color {
        Color::White => a | b | d,
        Color::Black => b | c | d,
    };
    let turning = (a & b) | (c & d) | ((a | b) & (c | d));
    wanted & ((turning & SquareSet::INTERIOR.0) | (into_goal & !SquareSet::INTERIOR.0))
}

/// The squares of which a single chip can make the counts of `own` those of a network.
#[inline]
fn wanted(own: u64, color: Color) -> u64 {
    match lacking(own, color) {
        0 => color.territory().0,
        1 => {
            let empty_goal = color.goals().into_iter().find(|goal| goal.0 & own == 0);
            empty_goal.unwrap_or(SquareSet::INTERIOR).0
        }
        _ => 0,
    }
}

impl Position {
    /// The moves by which `color` would complete its network, were it its turn, without completing
    /// the opponent's as well. The position must not be over.
    #[inline]
    #[must_use]
    pub fn wins(&self, color: Color) -> Wins<'_> {
        Wins::new(self, color)
    }
}

//! Moves that complete a network.

use crate::color::Color;
use crate::goal::Gaps;
use crate::links::{has_network, is_between};
use crate::moves::Move;
use crate::position::Position;
use crate::square::{Square, SquareSet, Squares};

/// The moves by which a color, if it is its turn, completes its network and not the opponent's.
///
/// They are found without trying all moves: such a chip goes where it sees own chips that the goals are
/// linked with, or its step opens a line. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Wins<'a> {
    position: &'a Position,
    color: Color,
    /// The gaps for steps.
    gaps: Option<Gaps>,
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
    /// If true, the chip that steps opens a line of the opponent.
    doubtful: bool,
}

impl<'a> Wins<'a> {
    /// Makes the iterator over the wins of `color` in `position`, for either side to move.
    #[inline]
    pub(crate) fn new(position: &'a Position, color: Color) -> Wins<'a> {
        let own = position.chips(color);
        let all = Gaps::new(position, color);
        let (origins, targets, gaps) = if position.in_hand(color) > 0 {
            let gaps = all.map_or(0, |gaps| gaps.for_add());
            let legal = if gaps == 0 { SquareSet::EMPTY } else { position.add_targets(color) };
            (SquareSet::EMPTY, SquareSet(gaps) & legal, None)
        } else {
            (if all.is_some() { own } else { SquareSet::EMPTY }, SquareSet::EMPTY, all)
        };
        Wins {
            position,
            color,
            gaps,
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
        let gaps = self.gaps.map_or(0, |gaps| gaps.for_step(from));
        self.targets = if gaps == 0 {
            SquareSet::EMPTY.iter()
        } else {
            (SquareSet(gaps) & self.position.step_targets(self.color, from)).iter()
        };
        self.doubtful = is_between(from, self.others, occupied.0);
        Some(())
    }

    /// Leaves out the other moves of the chip that stepped last.
    #[inline]
    pub(crate) fn skip_steps(&mut self) {
        self.targets = SquareSet::EMPTY.iter();
    }

    /// Returns true if a chip on `to` completes the network, and not the opponent's too.
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

impl Position {
    /// Returns the moves by which `color` would complete its network, if it were its turn, without
    /// completing the opponent's as well. The position must not be over.
    #[inline]
    #[must_use]
    pub fn wins(&self, color: Color) -> Wins<'_> {
        Wins::new(self, color)
    }
}

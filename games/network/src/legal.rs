//! The legal moves of a position.

use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::squares::{SquareSet, Squares};

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

//! The positions after the moves of one position.

use plyground::{Forcing, Successors};

use crate::gaps::Gaps;
use crate::hints::Hints;
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;

/// Makes the positions after the moves of one position, and gives each the hints that follow from facts
/// about all of them together: most need not be searched for a network.
#[derive(Clone, Debug)]
pub(crate) struct Siblings<'a> {
    position: &'a Position,
    /// The chip that stepped last, or `None` for an add.
    from: Option<Square>,
    /// If true, the side to move, who had no winning add, will have another chip to add.
    has_key_chip: bool,
    /// The squares where steps of the side to move may complete their network, if any step may.
    gaps: Option<Gaps>,
    /// The squares where the chip on `from`, or one from the hand, may complete it.
    completing: u64,
    /// The hints of every position after a step of that chip, except for a completed network.
    hints: Hints,
}

impl<'a> Siblings<'a> {
    /// Makes the successors of `position`, which is not over; `found` is the answer of its
    /// [`forcing`](plyground::SearchHints::forcing).
    #[inline(always)]
    pub(crate) fn new(position: &'a Position, found: Forcing<Move>) -> Siblings<'a> {
        let is_quiet = matches!(found, Forcing::Quiet | Forcing::Threatened);
        let (mover, other) = (position.to_move(), position.to_move().other());
        let mut siblings = Siblings {
            position,
            from: None,
            has_key_chip: is_quiet && position.in_hand(mover) > 1,
            gaps: None,
            completing: 0,
            hints: Hints::SETTLED,
        };
        if !is_quiet && !position.will_have_move(other) {
            siblings.hints = siblings.hints.perhaps_stuck();
        }
        // Chips that are added open no lines, so a player who could not complete a network before
        // the opponent's add cannot do so after it, nor after their own add without its help.
        if is_quiet && position.in_hand(mover) > 0 && position.in_hand(other) > 0 {
            siblings.hints = siblings.hints.harmless();
        }
        let gaps = if is_quiet { None } else { Gaps::new(position, mover) };
        if position.in_hand(mover) > 0 {
            siblings.completing = gaps.map_or(0, |gaps| gaps.for_add());
        } else {
            siblings.gaps = gaps;
        }
        siblings
    }

    /// Takes up the steps of another chip.
    #[inline]
    fn turn_to(&mut self, from: Square) {
        let other = self.position.to_move().other();
        self.from = Some(from);
        self.completing = self.gaps.map_or(0, |gaps| gaps.for_step(from));
        let stuck = self.hints.may_be_stuck();
        self.hints = Hints::SETTLED;
        if stuck {
            self.hints = self.hints.perhaps_stuck();
        }
        if self.position.opens_line(from) {
            self.hints = self.hints.with_suspect(other);
        }
    }
}

impl Successors<Position> for Siblings<'_> {
    #[inline(always)]
    fn after(&mut self, mv: Move) -> Position {
        if let Some(from) = mv.from().filter(|&from| self.from != Some(from)) {
            self.turn_to(from);
        }
        let mut hints = self.hints;
        if self.has_key_chip {
            hints = hints.with_key_chip(mv.to());
        }
        if self.completing & mv.to().bit() != 0 {
            hints = hints.with_suspect(self.position.to_move());
        }
        self.position.with_move(mv, hints)
    }
}

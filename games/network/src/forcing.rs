//! Forced moves: a player must win at once, or parry.

use plyground::Forcing;

use crate::chain::lacking;
use crate::color::Color;
use crate::moves::Move;
use crate::position::Position;
use crate::squares::SquareSet;

/// The number of squares that ensures a player a legal move after any move of the opponent, who can take
/// one of them.
const ENOUGH_TARGETS: usize = 2;

impl Position {
    /// Implements [`SearchHints::forcing`](plyground::SearchHints::forcing).
    #[inline]
    pub(crate) fn find_forcing(&self, replies: &mut Vec<Move>) -> Forcing<Move> {
        let (own, other) = (self.to_move(), self.to_move().other());
        // A player without a legal move has lost, and no search looks for moves that lead there.
        if !self.will_have_move(other) {
            return Forcing::Unknown;
        }
        if self.lacks_one(own)
            && let Some(mv) = self.wins(own).next()
        {
            return Forcing::Win(mv);
        }
        if !self.lacks_one(other) {
            return Forcing::Quiet;
        }
        let threats = self.threats();
        if !threats.exist() {
            return Forcing::Quiet;
        }
        if !self.has_harmless_move() {
            return Forcing::Unknown;
        }
        replies.extend(self.parries(&threats));
        Forcing::Threatened
    }

    /// Returns true if the counts of chips allow `color` a network with one chip more, or with one chip
    /// elsewhere.
    #[inline]
    fn lacks_one(&self, color: Color) -> bool {
        lacking(self.chips(color).0, color) <= 1
    }

    /// Returns true if `color` is sure to have a legal move after any move of its opponent.
    pub(crate) fn will_have_move(&self, color: Color) -> bool {
        if self.in_hand(color) > 0 {
            return self.has_room(color) || self.add_targets(color).len() >= ENOUGH_TARGETS;
        }
        let mut targets = SquareSet::EMPTY;
        self.chips(color).iter().any(|from| {
            targets = targets | self.step_targets(color, from);
            targets.len() >= ENOUGH_TARGETS
        })
    }

    /// Returns true if the player to move has a legal move that cannot complete a network of the opponent.
    fn has_harmless_move(&self) -> bool {
        let color = self.to_move();
        let is_harmless = |from| !self.opens_line(from);
        self.in_hand(color) > 0
            || self
                .chips(color)
                .iter()
                .any(|from| is_harmless(from) && !self.step_targets(color, from).is_empty())
    }
}

//! What a book says of one position.

use crate::game::Game;
use crate::score::Score;

/// The exact value of a position, and a best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// [`Game::key`] of the position.
    pub(super) key: u64,
    /// The result of best play to the side to move, less the points that it has
    /// [`banked`](Game::banked).
    pub(super) to_come: i16,
    /// The [`move_code`](Game::move_code) of a best move in the orientation of the key.
    pub(super) code: u16,
}

impl Entry {
    /// The entry of `position`, whose value is `score`, with the best move `mv`.
    #[must_use]
    pub fn new<G: Game>(position: &G, mv: G::Move, score: Score) -> Entry {
        let to_come = if score.plies_to_end().is_some() {
            score
        } else {
            score - position.banked() * Score::POINT
        };
        Entry {
            key: position.key(),
            to_come: to_come.get() as i16,
            code: position.canonical_code(position.move_code(mv)) as u16,
        }
    }

    /// The value of `position`, to which the entry belongs.
    #[must_use]
    pub fn score<G: Game>(&self, position: &G) -> Score {
        let to_come = Score::from_raw(self.to_come.into());
        if to_come.plies_to_end().is_some() {
            to_come
        } else {
            to_come + position.banked() * Score::POINT
        }
    }

    /// The best move in `position`, to which the entry belongs; `None` if it has no such move,
    /// and so the entry belongs to another.
    #[must_use]
    pub fn best_move<G: Game>(&self, position: &G) -> Option<G::Move> {
        let code = usize::from(self.code);
        position.legal_moves().find(|&mv| position.canonical_code(position.move_code(mv)) == code)
    }
}

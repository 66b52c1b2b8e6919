//! Openings that one color plays whatever the other does.

use std::collections::HashSet;

use plyground::Game;
use thiserror::Error;

use crate::moves::Move;
use crate::position::Position;
use crate::squares::SquareSet;

/// A move of an opening that some replies rule out, or after which the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {mv} of the opening cannot be played on in\n{position}")]
pub struct NotPlayable {
    /// The move.
    pub mv: Move,
    /// The position in which it was to be played.
    pub position: Box<Position>,
}

/// The positions after the moves of `opening`, each followed by every reply that there is; one of
/// each set of mirror images. Without an opening, `start` alone.
///
/// # Errors
///
/// The first move that cannot be played, or that ends the game, as a reply may.
pub fn positions_after(start: &Position, opening: &[Move]) -> Result<Vec<Position>, NotPlayable> {
    let mut positions = vec![*start];
    for &mv in opening {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in positions {
            let fault = NotPlayable { mv, position: Box::new(position) };
            let mut after = position;
            if after.play(mv).is_err() || after.outcome().is_some() {
                return Err(fault);
            }
            for reply in after.legal_moves() {
                let replied = after.after(reply);
                if replied.outcome().is_some() {
                    return Err(fault);
                }
                if seen.insert(mirrored_chips(&replied)) {
                    next.push(replied);
                }
            }
        }
        positions = next;
    }
    Ok(positions)
}

/// The chips of both colors, the same for all mirror images.
fn mirrored_chips(position: &Position) -> [SquareSet; 2] {
    let [white, black] = crate::color::Color::BOTH.map(|color| position.chips(color).0);
    let flips: [fn(u64) -> u64; 4] =
        [|set| set, u64::swap_bytes, u64::reverse_bits, |set| set.reverse_bits().swap_bytes()];
    let images = flips.map(|flip| [flip(white), flip(black)]);
    images.into_iter().min().unwrap_or([white, black]).map(SquareSet)
}

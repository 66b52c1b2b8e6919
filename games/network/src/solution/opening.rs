//! Openings that one color plays whatever the other does.

use std::collections::HashSet;

use plyground::Game;
use thiserror::Error;

use super::mirror::{Mirror, canonical};
use crate::color::Color;
use crate::moves::Move;
use crate::position::Position;

/// A move of an opening that some replies rule out, or after which the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("move {mv} of the opening cannot be played on in\n{position}")]
pub struct NotPlayable {
    /// The move.
    pub mv: Move,
    /// The position in which it was to be played.
    pub position: Box<Position>,
}

/// What the other color may reply to an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The opening and the replies, in turn.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
}

impl Reply {
    /// The position and those of its mirror images in which the chips of the player to move stand
    /// where they do in it.
    #[must_use]
    pub fn mirrored(&self) -> Vec<Position> {
        let position = &self.position;
        let (color, rules) = (position.to_move(), position.rules());
        let image = |mirror: Mirror| {
            let [white, black] = Color::BOTH.map(|color| mirror.set(position.chips(color)));
            Position::from_chips(rules, white, black, color).ok()
        };
        let images = Mirror::ALL.into_iter().filter_map(image);
        images.filter(|image| image.chips(color) == position.chips(color)).collect()
    }
}

/// The moves of `opening` from `start`, each followed by every reply that there is; one of each
/// set of mirror images. Without an opening, nothing but `start`.
///
/// # Errors
///
/// The first move that cannot be played, or that ends the game, as a reply may.
pub fn replies_to(start: &Position, opening: &[Move]) -> Result<Vec<Reply>, NotPlayable> {
    let mut replies = vec![Reply { moves: Vec::new(), position: *start }];
    for &mv in opening {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for Reply { moves, position } in replies {
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
                if seen.insert(canonical(&replied).0) {
                    let moves = moves.iter().copied().chain([mv, reply]).collect();
                    next.push(Reply { moves, position: replied });
                }
            }
        }
        replies = next;
    }
    Ok(replies)
}

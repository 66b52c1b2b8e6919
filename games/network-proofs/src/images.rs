//! Moves that differ by more than a mirror image.

use std::collections::HashSet;

use network::solution::image_name;
use network::{Move, Position};
use plyground::Game;

/// Returns the first of each set of `moves` that lead to mirror images of one position, with the positions
/// after them. `moves` must be legal in `position`.
pub(crate) fn distinct(
    position: &Position,
    moves: impl IntoIterator<Item = Move>,
) -> impl Iterator<Item = (Move, Position)> {
    let mut seen = HashSet::new();
    let next = moves.into_iter().map(|mv| (mv, position.after(mv)));
    next.filter(move |(_, after)| seen.insert(image_name(after)))
}

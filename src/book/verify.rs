//! Whether a book agrees with itself.

use std::collections::HashSet;

use thiserror::Error;

use super::file::Book;
use crate::game::Game;
use crate::score::Score;

/// Two things in a book that can not both be true. The text is one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Disagreement {
    /// The best move of a position is none of its moves.
    #[error("key {key:016x}: the best move is not legal")]
    IllegalMove {
        /// The key of the position.
        key: u64,
    },
    /// A move is worth more than the position.
    #[error("key {key:016x}: the value is {value}, but move {mv} gets {after}")]
    Surpassed {
        /// The key of the position.
        key: u64,
        /// Its value.
        value: Score,
        /// The move that is better.
        mv: String,
        /// What it is worth.
        after: Score,
    },
    /// The best move is worth less than the position.
    #[error("key {key:016x}: the value is {value}, but the best move {mv} gets {after}")]
    Missed {
        /// The key of the position.
        key: u64,
        /// Its value.
        value: Score,
        /// The move that is called best.
        mv: String,
        /// What it is worth.
        after: Score,
    },
    /// Entries that no game from the start gets to by positions of the book.
    #[error("{count} entries are of no position that the book leads to")]
    Strays {
        /// How many.
        count: usize,
    },
}

/// The positions of the book, each once, found by going from `start` through positions of the
/// book and over single moves between them, as a repertoire needs it.
#[must_use]
pub fn positions<G: Game>(book: &Book, start: &G) -> Vec<G> {
    let mut found = Vec::new();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut stack = vec![start.clone()];
    let mut is_start = true;
    while let Some(position) = stack.pop() {
        if book.get(&position).is_some() {
            found.push(position.clone());
        } else if !is_start {
            continue;
        }
        is_start = false;
        seen.insert(position.key());
        for child in children(&position) {
            let grandchildren = children(&child).collect::<Vec<_>>();
            for next in std::iter::once(child).chain(grandchildren) {
                if book.get(&next).is_some() && seen.insert(next.key()) {
                    stack.push(next);
                }
            }
        }
    }
    found
}

/// The positions after one move in which the game goes on.
fn children<G: Game>(position: &G) -> impl Iterator<Item = G> {
    let moves = position.legal_moves().collect::<Vec<_>>();
    moves.into_iter().map(|mv| position.after(mv)).filter(|next| next.outcome().is_none())
}

/// Checks the value of every position against those of the positions after its moves, as far as
/// the book has them or the game is over.
///
/// # Errors
///
/// The first disagreement.
pub fn check_relatives<G: Game>(book: &Book, start: &G) -> Result<(), Disagreement> {
    let positions = positions(book, start);
    for position in &positions {
        check_children(book, position)?;
    }
    match book.len() - positions.len() {
        0 => Ok(()),
        count => Err(Disagreement::Strays { count }),
    }
}

fn check_children<G: Game>(book: &Book, position: &G) -> Result<(), Disagreement> {
    let Some(entry) = book.get(position) else { return Ok(()) };
    let (key, value) = (position.key(), entry.score(position));
    let best = entry.best_move(position).ok_or(Disagreement::IllegalMove { key })?;
    for mv in position.legal_moves() {
        let next = position.after(mv);
        let after = match (next.outcome(), book.get(&next)) {
            (Some(outcome), _) => -outcome.score(next.side_to_move(), 1),
            (None, Some(entry)) => entry.score(&next).before_move(),
            (None, None) => continue,
        };
        if after > value {
            return Err(Disagreement::Surpassed { key, value, mv: mv.to_string(), after });
        }
        if mv == best && after < value {
            return Err(Disagreement::Missed { key, value, mv: mv.to_string(), after });
        }
    }
    Ok(())
}

//! Whether a book agrees with itself.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;

use super::file::Book;
use crate::hints::SearchHints;
use crate::score::{Bounds, Score};

/// Two things in a book that cannot both be true. The text is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconsistency {
    /// The best move of a position is not legal there.
    IllegalMove {
        /// The key of the position.
        key: u64,
    },
    /// A move is worth more than the position.
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
    /// Entries that no path through the book leads to.
    Strays {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconsistency::IllegalMove { key } => {
                write!(f, "key {key:016x}: the best move is not legal")
            }
            Inconsistency::Surpassed { key, value, mv, after } => {
                write!(f, "key {key:016x}: the value is {value}, but move {mv} gets {after}")
            }
            Inconsistency::Missed { key, value, mv, after } => write!(
                f,
                "key {key:016x}: the value is {value}, but the best move {mv} gets {after}"
            ),
            Inconsistency::Strays { count } => {
                write!(f, "{count} entries are of no position that the book leads to")
            }
        }
    }
}

impl Error for Inconsistency {}

/// The positions of the book, each once, found by going from `start` through positions of the
/// book and over single moves between them, as a repertoire needs it.
#[must_use]
pub fn positions<G: SearchHints>(book: &Book, start: &G) -> Vec<G> {
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
fn children<G: SearchHints>(position: &G) -> impl Iterator<Item = G> {
    let moves = position.legal_moves().collect::<Vec<_>>();
    moves.into_iter().map(|mv| position.after(mv)).filter(|next| next.outcome().is_none())
}

/// Checks the value of every position against those of the positions after its moves, and after
/// the replies to them, as far as the book has them or the game is over.
///
/// # Errors
///
/// The first disagreement.
pub fn check_relatives<G: SearchHints>(book: &Book, start: &G) -> Result<(), Inconsistency> {
    let positions = positions(book, start);
    for position in &positions {
        check_children(book, position)?;
    }
    match book.len() - positions.len() {
        0 => Ok(()),
        count => Err(Inconsistency::Strays { count }),
    }
}

fn check_children<G: SearchHints>(book: &Book, position: &G) -> Result<(), Inconsistency> {
    let Some(entry) = book.get(position) else { return Ok(()) };
    let (key, value) = (position.key(), entry.score(position));
    let best = entry.best_move(position).ok_or(Inconsistency::IllegalMove { key })?;
    for mv in position.legal_moves() {
        let Bounds { lower, upper } = after_move(book, position, mv);
        if lower > value {
            let after = lower;
            return Err(Inconsistency::Surpassed { key, value, mv: mv.to_string(), after });
        }
        if mv == best && upper < value {
            let after = upper;
            return Err(Inconsistency::Missed { key, value, mv: mv.to_string(), after });
        }
    }
    Ok(())
}

/// What the book says of the move: by the position after it, or else, as in a repertoire, by
/// those after the replies. The least of these is the value if the book has them all.
fn after_move<G: SearchHints>(book: &Book, position: &G, mv: G::Move) -> Bounds {
    let next = position.after(mv);
    if let Some(value) = value_at(book, &next) {
        return Bounds::only(value.before_move());
    }
    let mut known = Bounds::NONE;
    let mut all = true;
    for reply in next.legal_moves() {
        match value_at(book, &next.after(reply)) {
            Some(value) => known.upper = known.upper.min(value.before_move().before_move()),
            None => all = false,
        }
    }
    if all { Bounds::only(known.upper) } else { known }
}

/// The value of a position that is over or in the book.
fn value_at<G: SearchHints>(book: &Book, position: &G) -> Option<Score> {
    match position.outcome() {
        Some(outcome) => Some(outcome.score::<G>(position.side_to_move(), 0)),
        None => book.get(position).map(|entry| entry.score(position)),
    }
}

//! Checks that a book does not contradict itself.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;

use super::file::{Book, value_after};
use super::format::BookError;
use crate::game::Turn;
use crate::hints::SearchHints;
use crate::score::{Bounds, Score};

/// A contradiction in a book. Its text is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconsistency {
    /// The best move of a position is not legal there.
    IllegalMove {
        /// The key of the position.
        key: u64,
    },
    /// The value of an entry differs from the value that follows from the values without keys.
    TwoValues {
        /// The key of the position.
        key: u64,
    },
    /// The values without keys cannot be used.
    Unusable(BookError),
    /// A move is worth more than the position.
    Surpassed {
        /// The key of the position.
        key: u64,
        /// The value of the position.
        value: Score,
        /// The move that is better.
        mv: String,
        /// The value of the move.
        after: Score,
    },
    /// The best move is worth less than the position.
    Missed {
        /// The key of the position.
        key: u64,
        /// The value of the position.
        value: Score,
        /// The move that is called best.
        mv: String,
        /// The value of the move.
        after: Score,
    },
    /// No move is worth as much as the position.
    Unreached {
        /// The key of the position.
        key: u64,
        /// The value of the position.
        value: Score,
        /// The greatest value that a move may have.
        after: Score,
    },
    /// Some entries are on no path through the book.
    Strays {
        /// The number of such entries.
        count: usize,
    },
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconsistency::IllegalMove { key } => {
                write!(f, "key {key:016x}: the best move is not legal")
            }
            Inconsistency::TwoValues { key } => write!(
                f,
                "key {key:016x}: the value of the entry is not that of the values without keys"
            ),
            Inconsistency::Unusable(error) => error.fmt(f),
            Inconsistency::Surpassed { key, value, mv, after } => {
                write!(f, "key {key:016x}: the value is {value}, but move {mv} gets {after}")
            }
            Inconsistency::Missed { key, value, mv, after } => write!(
                f,
                "key {key:016x}: the value is {value}, but the best move {mv} gets {after}"
            ),
            Inconsistency::Unreached { key, value, after } => {
                write!(
                    f,
                    "key {key:016x}: the value is {value}, but every move gets {after} at most"
                )
            }
            Inconsistency::Strays { count } => {
                write!(f, "{count} entries are of no position that the book leads to")
            }
        }
    }
}

impl Error for Inconsistency {}

/// Returns the positions of the book, each once. The search goes from `start` through positions of the book;
/// from the start and from positions with a best move, it also crosses one turn without entries, as in a
/// repertoire.
#[must_use]
pub fn positions<G: SearchHints>(book: &Book, start: &G) -> Vec<G> {
    let mut found = Vec::new();
    let mut seen: HashSet<u64> = HashSet::from([start.key()]);
    let mut stack = vec![start.clone()];
    let mut is_start = true;
    while let Some(position) = stack.pop() {
        let entry = book.get(&position);
        for child in children(&position) {
            if book.get(&child).is_some() {
                if seen.insert(child.key()) {
                    stack.push(child);
                }
            } else if is_start || entry.is_some_and(|entry| entry.has_move()) {
                let mut between = vec![child];
                while let Some(child) = between.pop() {
                    for next in children(&child) {
                        let list = match book.get(&next) {
                            Some(_) => &mut stack,
                            None if Turn::between(&child, &next).changes() => continue,
                            None => &mut between,
                        };
                        if seen.insert(next.key()) {
                            list.push(next);
                        }
                    }
                }
            }
        }
        is_start = false;
        if entry.is_some() {
            found.push(position);
        }
    }
    found
}

/// Returns the positions after one move in which the game goes on.
fn children<G: SearchHints>(position: &G) -> impl Iterator<Item = G> {
    let moves = position.legal_moves().collect::<Vec<_>>();
    moves.into_iter().map(|mv| position.after(mv)).filter(|next| next.outcome().is_none())
}

/// Checks the value of every position against the values of the positions after its moves, and after the
/// replies to them, as far as the book has them or the game is over.
///
/// # Errors
///
/// Returns the first disagreement.
pub fn check_relatives<G: SearchHints>(book: &Book, start: &G) -> Result<(), Inconsistency> {
    let count = book.count().map_err(Inconsistency::Unusable)?;
    for entry in book.entries() {
        let early = book.early_value(entry.key);
        if early.is_some_and(|early| early.to_come != entry.to_come) {
            return Err(Inconsistency::TwoValues { key: entry.key });
        }
    }
    let positions = positions(book, start);
    for position in &positions {
        check_children(book, position)?;
    }
    match count - positions.len() {
        0 => Ok(()),
        count => Err(Inconsistency::Strays { count }),
    }
}

fn check_children<G: SearchHints>(book: &Book, position: &G) -> Result<(), Inconsistency> {
    let Some(entry) = book.get(position) else { return Ok(()) };
    let (key, value) = (position.key(), entry.score(position));
    let best = entry.best_move(position);
    if entry.has_move() && best.is_none() {
        return Err(Inconsistency::IllegalMove { key });
    }
    let mut most = Bounds::only(Score::MIN);
    for mv in position.legal_moves() {
        let after = after_move(book, position, mv, entry.has_move());
        if after.lower > value {
            let (mv, after) = (mv.to_string(), after.lower);
            return Err(Inconsistency::Surpassed { key, value, mv, after });
        }
        if best == Some(mv) && after.upper < value {
            let (mv, after) = (mv.to_string(), after.upper);
            return Err(Inconsistency::Missed { key, value, mv, after });
        }
        most.upper = most.upper.max(after.upper);
    }
    if most.upper < value {
        return Err(Inconsistency::Unreached { key, value, after: most.upper });
    }
    Ok(())
}

/// Returns the bounds that the book sets on the value of the move: from the position after it or, where the
/// book has a best move as in a repertoire, from the positions after the replies. The least of their values
/// is the value of the move if the book has them all.
fn after_move<G: SearchHints>(book: &Book, position: &G, mv: G::Move, is_chosen: bool) -> Bounds {
    let next = position.after(mv);
    if let Some(value) = value_after(Some(book), position, &next) {
        return Bounds::only(value);
    }
    let mut known = Bounds::NONE;
    let turn = Turn::between(position, &next);
    if !is_chosen || !turn.changes() {
        return known;
    }
    let mut all = true;
    for reply in next.legal_moves() {
        let last = next.after(reply);
        match book.value(&last).map(|value| Turn::between(&next, &last).before_move(value)) {
            Some(value) => known.upper = known.upper.min(turn.before_move(value)),
            None => all = false,
        }
    }
    if all { Bounds::only(known.upper) } else { known }
}

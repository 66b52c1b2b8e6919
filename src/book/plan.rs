//! Which positions belong into a book.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use super::entry::Entry;
use crate::game::{Game, Side};

/// Which positions a book covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every position.
    Every,
    /// For both sides, every position in which it is on move after moves of its own that are
    /// from the book, and any replies.
    Repertoire,
}

/// A share of the work: `2/5` is the second of five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    number: u64,
    count: u64,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    fn has(self, key: u64) -> bool {
        // The upper half: whatever the table makes of the key, the shards are independent of it.
        (key >> 32) % self.count == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/');
        let shard = numbers.and_then(|(number, count)| {
            Some(Shard { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        shard
            .filter(|shard| (1..=shard.count).contains(&shard.number))
            .ok_or_else(|| "expected a share I/N with I from 1 to N, as in 2/5".to_owned())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

/// What to do for the positions that are the same number of plies away from the start.
#[derive(Clone, Debug)]
pub struct Step<G> {
    /// The positions to solve, each once.
    pub positions: Vec<G>,
    /// How many more belong to other shards and are not known yet. What comes after them in a
    /// repertoire can not be planned before they are.
    pub elsewhere: usize,
}

/// Goes through the positions of a book ply by ply: call [`step`](Plan::step), solve what it
/// says, and call [`advance`](Plan::advance) with the entries known by then.
#[derive(Clone, Debug)]
pub struct Plan<G> {
    coverage: Coverage,
    shard: Shard,
    ply: u32,
    last_ply: u32,
    /// Positions, each with the side for whose repertoire it is there (the first for
    /// [`Coverage::Every`]).
    frontier: Vec<(G, Side)>,
}

impl<G: Game> Plan<G> {
    /// The positions up to `plies` after `start`.
    #[must_use]
    pub fn new(start: &G, plies: u32, coverage: Coverage, shard: Shard) -> Plan<G> {
        let sides = match coverage {
            Coverage::Every => &[Side::First][..],
            Coverage::Repertoire => &Side::BOTH,
        };
        let frontier = sides.iter().map(|&side| (start.clone(), side)).collect();
        Plan { coverage, shard, ply: 0, last_ply: plies, frontier }
    }

    /// How many plies the positions of this step are away from the start.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The positions of this step that are not `known`; `None` when there are no more steps.
    #[must_use]
    pub fn step(&self, known: &HashMap<u64, Entry>) -> Option<Step<G>> {
        if self.ply > self.last_ply || self.frontier.is_empty() {
            return None;
        }
        let mut seen = HashSet::new();
        let mut step = Step { positions: Vec::new(), elsewhere: 0 };
        for (position, side) in &self.frontier {
            let key = position.key();
            if !self.is_covered(position, *side) || known.contains_key(&key) || !seen.insert(key) {
                continue;
            }
            if self.shard.has(key) {
                step.positions.push(position.clone());
            } else {
                step.elsewhere += 1;
            }
        }
        Some(step)
    }

    /// Goes on to the next ply.
    pub fn advance(&mut self, known: &HashMap<u64, Entry>) {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (position, side) in &self.frontier {
            let only = match self.coverage {
                Coverage::Repertoire if self.is_covered(position, *side) => {
                    let entry = known.get(&position.key());
                    let Some(best) = entry.and_then(|entry| entry.best_move(position)) else {
                        continue;
                    };
                    Some(best)
                }
                _ => None,
            };
            for mv in position.legal_moves().filter(|&mv| only.is_none_or(|only| only == mv)) {
                let child = position.after(mv);
                if child.outcome().is_none() && seen.insert((child.key(), *side)) {
                    next.push((child, *side));
                }
            }
        }
        self.frontier = next;
        self.ply += 1;
    }

    /// Whether the book is to have a position that is there for `side`.
    fn is_covered(&self, position: &G, side: Side) -> bool {
        self.coverage == Coverage::Every || position.side_to_move() == side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_as_people_write_them() {
        assert_eq!("2/5".parse::<Shard>().map(|shard| shard.to_string()), Ok("2/5".to_owned()));
        for bad in ["", "0/5", "6/5", "1", "1/0", "a/b", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_key_belongs_to_one_shard() {
        let shards = [1, 2, 3].map(|number| Shard { number, count: 3 });
        for key in (0..100).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            assert_eq!(shards.iter().filter(|shard| shard.has(key)).count(), 1);
        }
    }
}

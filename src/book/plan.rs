//! The positions that belong in a book, the order in which they are solved, and the values of early
//! positions.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use super::format::{BookError, Entry, value_by};
use crate::game::{Side, Turn};
use crate::hints::SearchHints;
use crate::score::Score;

/// The positions that a book covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every position.
    Every,
    /// The value of every position at the last ply, without a best move: the values of all earlier positions
    /// follow from them.
    Values,
    /// For each side, every position in which it is to move, after moves of its own from the book and any
    /// replies.
    Repertoire,
}

/// A share of the work: `2/5` is the second of five.
///
/// ```
/// use plyground::book::Shard;
///
/// let shard: Shard = "2/5".parse()?;
/// assert!(shard.has_number(1) && shard.has_number(6) && !shard.has_number(2));
/// assert!(Shard::WHOLE.is_whole());
/// assert!("6/5".parse::<Shard>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the share, from 1 to `count`.
    number: u64,
    count: u64,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Returns true if the item with this number, counted from 0, is in the share.
    #[must_use]
    pub fn has_number(self, number: u64) -> bool {
        number % self.count == self.number - 1
    }

    /// Returns true if this is all of the work.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.count == 1
    }

    fn has(self, key: u64) -> bool {
        // Only the upper half counts, so that the shards do not depend on the use of the key in the table.
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

/// A position to solve.
#[derive(Clone, Debug)]
pub struct Job<G> {
    /// The position, in which the game is not over.
    pub position: G,
    /// A guess of its value, if anything is known about it.
    pub guess: Option<Score>,
    /// If true, the position ends its line of a repertoire: no other position of the plan depends on the
    /// choice among equally good moves here.
    pub is_last: bool,
    /// The side to whose repertoire the position belongs; the first side if there is no repertoire.
    side: Side,
    /// The number of plies from the start.
    ply: u32,
    /// The estimated share of the work, with the positions that follow from this one.
    share: f64,
}

/// The order in which the positions of a book are solved: each position before those that follow from it,
/// and all of these before the next position. Neighbors in this order have much in common, so the
/// transposition table helps.
///
/// Ask for the [`next`](Plan::next) position, solve it, and report it by [`solved`](Plan::solved). Several
/// positions may be solved at a time. The book is complete when no position is being solved and there is no
/// next one.
///
/// ```
/// use std::collections::HashMap;
///
/// use plyground::book::{Book, Coverage, Entry, Plan, Shard, check_relatives};
/// use plyground::perfect::Perfect;
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Game, Limits};
///
/// let start = TicTacToe::default();
/// let mut player = Perfect::new(Flat, Options { table_mib: 1, ..Options::default() }, None);
/// let mut plan = Plan::new(&start, 2, Coverage::Every, Shard::WHOLE);
/// let mut known = HashMap::new();
/// while let Some(job) = plan.next(&known) {
///     let best = player.solve(&job.position, Limits::default())?.ok_or("over")?;
///     let entry = Entry::new(&job.position, best.mv, best.value.score());
///     plan.solved(&job, &entry);
///     known.insert(entry.key(), entry);
/// }
/// let book = Book::new(start.key(), known.into_values());
/// // The start, 9 positions after the first move, and 72 after the second.
/// assert_eq!(book.len(), 1 + 9 + 72);
/// check_relatives(&book, &start)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan<G> {
    coverage: Coverage,
    shard: Shard,
    last_ply: u32,
    /// The positions to solve, the next one last.
    stack: Vec<Job<G>>,
    /// The key, the side and the ply of every position that was on the stack.
    seen: HashSet<(u64, Side, u32)>,
    /// The keys of positions that other shards solve.
    elsewhere: HashSet<u64>,
    /// The value that was reported last.
    latest: Option<Score>,
    /// The part of the work that is done.
    done: f64,
}

impl<G: SearchHints> Plan<G> {
    /// Makes a plan of the positions up to `plies` after `start`, or exactly that far for
    /// [`Coverage::Values`].
    #[must_use]
    pub fn new(start: &G, plies: u32, coverage: Coverage, shard: Shard) -> Plan<G> {
        let sides = match coverage {
            Coverage::Every | Coverage::Values => &[Side::First][..],
            Coverage::Repertoire => &Side::BOTH,
        };
        let share = 1.0 / sides.len() as f64;
        let is_last = is_last::<G>(coverage, 0, plies);
        let job =
            |&side| Job { position: start.clone(), guess: None, is_last, side, ply: 0, share };
        Plan {
            coverage,
            shard,
            last_ply: plies,
            stack: sides.iter().rev().map(job).collect(),
            seen: HashSet::new(),
            elsewhere: HashSet::new(),
            latest: None,
            done: 0.0,
        }
    }

    /// Returns the next position to solve, which is not in `known`; `None` if there is no position to solve
    /// for now. The positions being solved may lead to more.
    pub fn next(&mut self, known: &HashMap<u64, Entry>) -> Option<Job<G>> {
        while let Some(mut job) = self.stack.pop() {
            let key = job.position.key();
            let entry = known.get(&key);
            if !self.is_covered(&job) {
                self.expand(&job, None, job.guess);
            } else if let Some(entry) = entry.filter(|entry| self.is_enough(entry)) {
                self.solved(&job, entry);
            } else if self.shard.has(key) {
                let value = entry.map(|entry| entry.score(&job.position));
                job.guess = value.or(job.guess).or(self.latest);
                return Some(job);
            } else {
                self.elsewhere.insert(key);
                // The positions that follow in a repertoire are unknown until this one is solved.
                match self.coverage {
                    Coverage::Every | Coverage::Values => self.expand(&job, None, None),
                    Coverage::Repertoire => self.done += job.share,
                }
            }
        }
        None
    }

    /// Reports the entry of a solved position. The positions that follow from it come next.
    pub fn solved(&mut self, job: &Job<G>, entry: &Entry) {
        let value = Some(entry.score(&job.position));
        match self.coverage {
            Coverage::Every => self.expand(job, None, value),
            Coverage::Values => {
                // All positions are at one ply, so the same side is to move, unless there are extra turns.
                self.latest = value;
                self.done += job.share;
            }
            Coverage::Repertoire => match entry.best_move(&job.position) {
                Some(best) => self.expand(job, Some(best), value),
                None => self.done += job.share,
            },
        }
    }

    /// Returns the part of the work that is done, from 0 to 1, an estimate: the positions that follow from
    /// the same position are assumed to take equal work.
    #[must_use]
    pub fn done(&self) -> f64 {
        self.done
    }

    /// Returns the number of positions that belong to other shards. The positions that follow from them in
    /// a repertoire cannot be planned before they are known.
    #[must_use]
    pub fn elsewhere(&self) -> usize {
        self.elsewhere.len()
    }

    /// Puts the positions after the move `only`, or after all moves, on the stack. `value` is the value of
    /// the position of `job`, if anything is known about it.
    fn expand(&mut self, job: &Job<G>, only: Option<G::Move>, value: Option<Score>) {
        let ply = job.ply + 1;
        let moves = job.position.legal_moves().filter(|&mv| only.is_none_or(|only| only == mv));
        let mut next: Vec<G> = moves.map(|mv| job.position.after(mv)).collect();
        next.retain(|child| {
            let is_open = ply <= self.last_ply && child.outcome().is_none();
            is_open && self.seen.insert((child.key(), job.side, ply))
        });
        // The position itself counts as much as each that follows, if it is solved.
        let own = usize::from(self.coverage != Coverage::Values || next.is_empty());
        let share = job.share / (next.len() + own) as f64;
        self.done += share * own as f64;
        let is_last = is_last::<G>(self.coverage, ply, self.last_ply);
        let jobs = next.into_iter().rev();
        let side = job.side;
        self.stack.extend(jobs.map(|position| {
            let turn = Turn::between(&job.position, &position);
            let guess = value.map(|value| turn.before_move(value));
            Job { position, guess, is_last, side, ply, share }
        }));
    }

    /// Returns true if the book covers the position.
    fn is_covered(&self, job: &Job<G>) -> bool {
        match self.coverage {
            Coverage::Every => true,
            Coverage::Values => job.ply == self.last_ply,
            Coverage::Repertoire => job.position.side_to_move() == job.side,
        }
    }

    /// Returns true if the entry has all that the book needs.
    fn is_enough(&self, entry: &Entry) -> bool {
        self.coverage == Coverage::Values || entry.has_move()
    }
}

/// Returns true if a position at `ply` ends its line of a repertoire that goes to `last_ply`: the same side
/// is to move again two plies later, or one ply later if a move may keep the turn.
fn is_last<G: SearchHints>(coverage: Coverage, ply: u32, last_ply: u32) -> bool {
    let again = if G::ALTERNATES { 2 } else { 1 };
    coverage == Coverage::Repertoire && ply + again > last_ply
}

/// The values of every position up to a ply, sorted by key.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlyValues(Vec<Entry>);

impl EarlyValues {
    /// Makes the values of all early positions from the values of the positions `plies` after `start`, each
    /// without the margin so far, in the order of their keys. The value of a position before that ply
    /// follows from its moves.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more positions than values, or fewer, or more at an earlier ply.
    pub(super) fn new<G: SearchHints>(
        start: &G,
        plies: u32,
        values: &[i16],
    ) -> Result<EarlyValues, BookError> {
        let found = values.len();
        let mut layers = layers(start, plies, found);
        let last =
            layers.pop().filter(|last| layers.len() == plies as usize && last.len() == found);
        let last = last.ok_or(BookError::OtherCount { plies, found })?;
        let entry =
            |(position, &to_come): (&G, &i16)| Entry { key: position.key(), to_come, code: None };
        let mut all: Vec<Vec<Entry>> = vec![last.iter().zip(values).map(entry).collect()];
        for layer in layers.iter().rev() {
            let next = all.last().map(Vec::as_slice).unwrap_or_default();
            all.push(layer.iter().filter_map(|position| by_moves(position, next)).collect());
        }
        // In a game with cycles, a position may be at several plies, with one value.
        let mut entries = all.concat();
        entries.sort_unstable_by_key(Entry::key);
        entries.dedup_by_key(|entry| entry.key);
        Ok(EarlyValues(entries))
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        find(&self.0, key)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the entry with this key, of entries that are sorted by key.
fn find(entries: &[Entry], key: u64) -> Option<Entry> {
    entries.binary_search_by_key(&key, Entry::key).ok().map(|index| entries[index])
}

/// Returns the value of a position from the values of the positions after its moves.
fn by_moves<G: SearchHints>(position: &G, next: &[Entry]) -> Option<Entry> {
    let worth = |mv| {
        let after = position.after(mv);
        let turn = Turn::between(position, &after);
        value_by(&after, |key| find(next, key)).map(|value| turn.before_move(value))
    };
    let value = position.legal_moves().filter_map(worth).max()?;
    Some(Entry::of_value(position, value))
}

/// Returns the positions after 0, 1, 2 moves and so on up to `plies`, in which the game goes on, each
/// sorted by key and each position once; up to the first ply with more than `most`.
fn layers<G: SearchHints>(start: &G, plies: u32, most: usize) -> Vec<Vec<G>> {
    let mut layers: Vec<Vec<G>> = Vec::new();
    let mut layer: Vec<G> =
        [start.clone()].into_iter().filter(|it| it.outcome().is_none()).collect();
    while layers.len() < plies as usize && layer.len() <= most {
        let next = after_all(&layer, most);
        layers.push(layer);
        layer = next;
    }
    if layer.len() <= most {
        layers.push(layer);
    }
    layers
}

/// Returns the positions one move after these, sorted by key; not all if there are more than `most`.
fn after_all<G: SearchHints>(layer: &[G], most: usize) -> Vec<G> {
    let mut next: HashMap<u64, G> = HashMap::new();
    for position in layer {
        let children = position.legal_moves().map(|mv| position.after(mv));
        next.extend(children.filter(|it| it.outcome().is_none()).map(|it| (it.key(), it)));
        if next.len() > most {
            break;
        }
    }
    let mut next: Vec<(u64, G)> = next.into_iter().collect();
    next.sort_unstable_by_key(|&(key, _)| key);
    next.into_iter().map(|(_, position)| position).collect()
}

/// Returns the last ply at which the value of every position is among `known` and no earlier ply has more
/// positions, and its values in the order of the keys. The search ends at the first ply with more positions
/// than `known`.
pub(super) fn last_known_ply<G: SearchHints>(
    start: &G,
    known: &HashMap<u64, Entry>,
) -> Option<(u32, Vec<Entry>)> {
    let plies = start.plies_left()?;
    let layers = layers(start, plies, known.len());
    layers.iter().enumerate().rev().find_map(|(ply, layer)| {
        let entries = layer.iter().map(|position| known.get(&position.key()).copied());
        let entries: Vec<Entry> = entries.collect::<Option<_>>()?;
        // The values are read back only where no earlier ply has more positions.
        let is_widest = layers[..ply].iter().all(|earlier| earlier.len() <= entries.len());
        (is_widest && !entries.is_empty()).then_some((ply as u32, entries))
    })
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

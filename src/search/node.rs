//! Nodes of the search tree, their values as [`search`](super) defines them, and their entries in the
//! transposition table; and the tables of a thread: the shared table and a small table of its own.

use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};
use crate::table::{Packed, Table};
use crate::value::Value;

/// A node of the search tree.
pub(super) struct Node<'a, G> {
    /// The position, which is not over.
    pub(super) position: &'a G,
    /// The form of the position in the table.
    pub(super) stored: Stored,
    /// The bounds known for its value.
    pub(super) known: Bounds,
    /// If true, `known` includes the game's closer bounds.
    pub(super) is_closer: bool,
    /// The number of plies to look ahead from here.
    pub(super) depth: u32,
    /// The number of plies from the root.
    pub(super) ply: u32,
}

/// The closer bounds of a node.
pub(super) struct Closer {
    pub(super) bounds: Bounds,
    /// The limits of the scores that the search of the node can find.
    pub(super) window: Bounds,
}

impl<G: SearchHints> Node<'_, G> {
    /// Returns the closer bounds of `V`, as far as they matter between `alpha` and `beta`.
    #[inline]
    pub(super) fn closer(&self, alpha: Score, beta: Score) -> Closer {
        let closer = if self.is_closer || self.depth < CLOSER_DEPTH {
            None
        } else {
            self.position.closer_bounds(alpha, beta)
        };
        let Some(bounds) = closer else {
            return Closer { bounds: Bounds::NONE, window: Bounds::NONE };
        };
        // A limit outside the window may be looser than the full limit. The difference does not matter to a
        // result of best play; any other value may be moved into the full limit, by an unknown amount.
        let to_the_end = self.position.plies_left().is_some_and(|left| self.depth >= left);
        let window = if to_the_end { Bounds::NONE } else { Bounds { lower: alpha, upper: beta } };
        Closer { bounds, window }
    }
}

/// Returns the limit in `known` that decides a value for the window `alpha` to `beta`, if there is one.
#[inline]
pub(super) fn decided_by(known: Bounds, alpha: Score, beta: Score) -> Option<Score> {
    if known.lower >= beta || known.lower == known.upper {
        Some(known.lower)
    } else {
        (known.upper <= alpha).then_some(known.upper)
    }
}

/// The result of generating the moves of a node.
pub(super) enum Expansion {
    /// The moves that may have a score above alpha are on the stack, from this index on; no other move has
    /// a score above this score.
    Open(Score, usize),
    /// The move with this code has a score of at least this, which is not below beta; the stack
    /// is as it was.
    Cutoff(Score, u16),
}

/// A root move with the value that is kept from one depth to the next.
#[derive(Clone, Debug)]
pub(super) struct Root<G: SearchHints> {
    pub(super) mv: G::Move,
    /// The position after the move.
    pub(super) next: G,
    /// The value at the last depth searched, if the move was searched by itself.
    pub(super) guess: Score,
}

/// The depth of the entry of a search to the end of the game: its bounds hold at any depth.
const END_OF_GAME: u8 = u8::MAX;

/// The entry of one position in the table.
///
/// The scores are for the position at [`depth`](Entry::depth), less its margin so far, with distances to a
/// win or loss counted from the position itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) bounds: Bounds,
    pub(super) depth: u8,
    /// The code of the best move in the orientation of the key, or [`NO_MOVE`].
    pub(super) best: u16,
    /// The base-2 logarithm of the number of nodes searched for the result: the cost of losing it. The bit
    /// [`COMPLETE`] makes the cost count as far greater.
    pub(super) work: u8,
}

/// The bit of [`Entry::work`] for bounds that hold for the result of best play: no unfinished position was
/// evaluated to find them.
pub(super) const COMPLETE: u8 = 1 << 7;

impl Entry {
    /// Returns true if the bounds are known to hold for the result of best play.
    #[inline]
    fn is_complete(&self) -> bool {
        self.work & COMPLETE != 0 || self.depth == END_OF_GAME
    }
}

impl Packed for Entry {
    #[inline]
    fn pack(self) -> u64 {
        let lower = self.bounds.lower.get() as i16 as u16;
        let upper = self.bounds.upper.get() as i16 as u16;
        u64::from(lower)
            | u64::from(upper) << 16
            | u64::from(self.best) << 32
            | u64::from(self.depth) << 48
            | u64::from(self.work) << 56
    }

    #[inline]
    fn unpack(data: u64) -> Entry {
        let score = |bits: u64| Score::from_raw(i32::from(bits as u16 as i16));
        Entry {
            bounds: Bounds { lower: score(data), upper: score(data >> 16) },
            best: (data >> 32) as u16,
            depth: (data >> 48) as u8,
            work: (data >> 56) as u8,
        }
    }
    #[inline]
    fn work(&self) -> u8 {
        self.work
    }
}

/// The depths below which positions are kept in the local table.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalDepths {
    estimated: u32,
    /// The depth for searches to the end of the game. Their keys ignore so much of a position that the same
    /// few keys recur.
    to_the_end: u32,
}

impl LocalDepths {
    /// The depths for a thread that searches alone.
    pub(super) const ALONE: LocalDepths = LocalDepths { estimated: 6, to_the_end: 16 };

    /// The depths for threads that search together: threads do not share the results in local tables
    /// (measured on Network to depth 7 with two threads: 1.3 times the nodes of one thread, in place of 2).
    pub(super) const TOGETHER: LocalDepths = LocalDepths { estimated: 3, ..LocalDepths::ALONE };

    /// Returns true if `entry` belongs in the local table.
    pub(super) fn has(self, entry: &Entry) -> bool {
        entry.depth == END_OF_GAME || u32::from(entry.depth) < self.estimated
    }
}

/// The conversion between the scores of a position on the path and those in the table, where the margin so
/// far is left out and wins are counted from the position itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    pub(super) key: u64,
    /// The depth of the entry; 0 if the position is not kept.
    pub(super) depth: u16,
    ply: u8,
    /// If true, the position belongs in the local table.
    pub(super) is_local: bool,
    /// The margin so far, as a score.
    margin: i32,
}

impl Stored {
    /// Makes the conversion for `position`, `ply` plies from the root, to be searched to `depth`; it is
    /// kept in the local table if it is near the horizon.
    #[inline(always)]
    pub(super) fn new<G: SearchHints>(
        position: &G,
        depth: u32,
        ply: u32,
        local: LocalDepths,
    ) -> Stored {
        let to_the_end = position.plies_left().is_some_and(|left| depth >= left);
        let (key, tag, is_local) = if to_the_end {
            (position.end_of_game_key(), END_OF_GAME, depth < local.to_the_end)
        } else {
            (position.key(), depth as u8, depth < local.estimated)
        };
        let margin = position.margin() * G::POINT;
        Stored { key, depth: tag.into(), ply: ply as u8, is_local, margin }
    }

    #[inline]
    pub(super) fn to_table(self, bounds: Bounds) -> Bounds {
        let convert = |score: Score| {
            if score.is_win() {
                score + i32::from(self.ply)
            } else if score.is_loss() {
                score - i32::from(self.ply)
            } else {
                score - self.margin
            }
        };
        Bounds { lower: convert(bounds.lower), upper: convert(bounds.upper) }
    }

    #[inline]
    fn at_node(self, score: Score) -> Score {
        if score.is_win() {
            score - i32::from(self.ply)
        } else if score.is_loss() {
            score + i32::from(self.ply)
        } else {
            score + self.margin
        }
    }

    /// Returns the limits that `entry` puts on the value of a search that need not be exact: a result of at
    /// least this depth is enough, and a win or loss of any depth.
    #[inline]
    pub(super) fn at_least(self, entry: &Entry, depth: u32) -> Bounds {
        let Bounds { lower, upper } = entry.bounds;
        let deep = u32::from(entry.depth) >= depth;
        let lower = if deep || lower.is_win() { lower } else { Score::MIN };
        let upper = if deep || upper.is_loss() { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }

    /// Returns true if the [`usable`](Stored::usable) limits of `entry` may not hold for the result of best
    /// play, because they depend on the evaluation of an unfinished position. A win or loss holds in any
    /// case, and so does a limit that only says that the end is at least one move away.
    #[inline]
    pub(super) fn rests_on_estimates(self, entry: &Entry) -> bool {
        let Bounds { lower, upper } = entry.bounds;
        let is_open = |score: Score| Score::loss_in(1) < score && score < Score::win_in(1);
        u16::from(entry.depth) == self.depth
            && !entry.is_complete()
            && (is_open(lower) && !lower.is_win() || is_open(upper) && !upper.is_loss())
    }

    /// Returns the limits that `entry` puts on `V` at `depth`.
    ///
    /// An entry of another depth is not used, because the value would then depend on earlier searches. There
    /// are two exceptions: a win or loss near enough to be seen at this depth too, and an entry of less
    /// depth whose search saw every line end.
    #[inline]
    pub(super) fn usable(self, entry: &Entry, depth: u32) -> Bounds {
        let Bounds { lower, upper } = entry.bounds;
        let seen = |score: Score| score.plies_to_end().is_some_and(|n| n.unsigned_abs() <= depth);
        let same = u16::from(entry.depth) == self.depth
            || entry.is_complete() && u32::from(entry.depth) < depth && entry.depth != END_OF_GAME;
        let lower = if same || lower.is_win() && seen(lower) { lower } else { Score::MIN };
        let upper = if same || upper.is_loss() && seen(upper) { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }
}

/// The least depth at which a search may take so much longer than
/// [`closer_bounds`](crate::SearchHints::closer_bounds) that the bounds pay.
const CLOSER_DEPTH: u32 = 2;

/// Returns `V(position, 0)`: the evaluation, moved below every won score and into the bounds.
#[inline(always)]
pub(crate) fn leaf_value<G: SearchHints, E: Evaluator<G>>(evaluator: &E, position: &G) -> Score {
    let estimate = Score::estimate(evaluator.evaluate(position).get());
    position.bounds().clamp(estimate)
}

/// Returns the limits that `V(position, depth)` is moved into.
pub(crate) fn bounds_at<G: SearchHints>(position: &G, depth: u32) -> Bounds {
    if depth < CLOSER_DEPTH { position.bounds() } else { position.closest_bounds() }
}

/// Returns the value that `score`, found for `position` at `depth`, proves or estimates.
pub(super) fn position_value<G: SearchHints>(position: &G, depth: u32, score: Score) -> Value {
    if is_result(position, depth, score) { Value::Exact(score) } else { Value::Estimate(score) }
}

/// Returns the value that `score` proves or estimates for the move from `position` to `next`: the score at
/// `depth` before the limits of the position are applied.
///
/// `upper` is a limit on the result of every move. If `reached` is true, `upper` is the result of the
/// position, and a move whose own limits reach `upper` has this result too.
pub(super) fn move_value<G: SearchHints>(
    (position, next): (&G, &G),
    depth: u32,
    score: Score,
    upper: Score,
    reached: bool,
) -> Value {
    let capped = score.min(upper);
    let turn = Turn::between(position, next);
    let is_exact = is_result(next, depth - 1, turn.across(score))
        || reached && turn.across(bounds_at(next, depth - 1)).lower >= upper;
    if is_exact { Value::Exact(capped) } else { Value::Estimate(capped) }
}

/// Returns true if `score`, the value of `position` at `depth`, is the result of best play.
///
/// A win or a loss at a fixed depth is the result: the search would have seen a sooner end.
pub(crate) fn is_result<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    is_seen_to_end(position, depth, score) || bounds_at(position, depth).exact().is_some()
}

/// Returns true if the search that found `score` has seen the end of the game, without relying on limits.
pub(crate) fn is_seen_to_end<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    score.plies_to_end().is_some()
        || position.outcome().is_some()
        || position.plies_left().is_some_and(|left| depth >= left)
}

/// A pair of tables that serves as one. Most nodes are near the horizon, and transpose soon or never: they
/// are kept in a local table of the thread, which fits into the cache of the processor. Without the local
/// table, the search spends a third of its time waiting for memory.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    shared: &'a Table<Entry>,
    /// The local table. Its size is 0 in a search without one.
    local: Table<Entry>,
}

impl<'a> Tables<'a> {
    /// Makes the tables of a thread, with `table` as the shared one, and a local one if `local` is true and
    /// the shared table is used.
    pub(super) fn new(table: &'a Table<Entry>, local: bool) -> Tables<'a> {
        let local = if local && table.is_used() { Table::cache_sized() } else { Table::new(0) };
        Tables { shared: table, local }
    }

    /// Returns true if there is a table at all.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.shared.is_used()
    }

    #[inline]
    fn is_local(&self, stored: &Stored) -> bool {
        stored.is_local && self.local.is_used()
    }

    /// Returns true if the entry of a position is kept in the shared table.
    #[inline]
    pub(super) fn is_shared(&self, stored: &Stored) -> bool {
        !self.is_local(stored)
    }

    /// Copies the entries that no longer belong in the local table, by these depths, to the shared table.
    pub(super) fn share(&self, local: LocalDepths) {
        if self.local.is_used() {
            self.local.put_into(self.shared, |entry| !local.has(entry));
        }
    }

    #[inline]
    fn table(&self, stored: &Stored) -> &Table<Entry> {
        if self.is_local(stored) { &self.local } else { self.shared }
    }

    /// Asks the processor to fetch the entry that [`get`](Tables::get) will read.
    #[inline]
    pub(super) fn prefetch(&self, stored: &Stored) {
        self.table(stored).prefetch(stored.key);
    }

    #[inline]
    pub(super) fn get(&self, stored: &Stored) -> Option<Entry> {
        self.table(stored).get(stored.key)
    }

    #[inline]
    pub(super) fn put(&self, stored: &Stored, entry: Entry) {
        if self.is_local(stored) {
            self.local.put_latest(stored.key, entry);
        } else {
            self.shared.put(stored.key, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::table::NO_MOVE;
    use crate::testing::{Coins, TicTacToe, random_position};

    #[test]
    fn packing_loses_nothing() {
        for (lower, upper) in [(-30_000, 30_000), (0, 0), (-1, 28_999)] {
            let bounds = Bounds { lower: Score::from_raw(lower), upper: Score::from_raw(upper) };
            let entry = Entry { bounds, depth: 7, best: NO_MOVE, work: 3 };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn shallow_entries_tell_a_search_that_need_not_be_exact_of_wins_and_losses_alone() {
        let stored = Stored { depth: 4, ply: 2, ..Stored::default() };
        let found = |depth, lower, upper| {
            let entry = Entry { bounds: Bounds { lower, upper }, depth, best: NO_MOVE, work: 0 };
            let Bounds { lower, upper } = stored.at_least(&entry, 4);
            (lower, upper)
        };
        let (low, high) = (Score::points(-1), Score::points(2));
        let (least, most) = (Score::loss_in(2), Score::win_in(2));
        assert_eq!(
            [3, 4, 5].map(|depth| found(depth, low, high)),
            [(least, most), (low, high), (low, high)]
        );
        assert_eq!(found(1, Score::win_in(7), Score::MAX), (Score::win_in(9), most));
        assert_eq!(found(1, Score::MIN, Score::loss_in(6)), (least, Score::loss_in(8)));
        assert_eq!(found(1, Score::loss_in(6), Score::win_in(7)), (least, most));
    }

    #[test]
    fn wins_ends_and_closed_bounds_are_results() {
        let start = TicTacToe::default();
        assert!(is_result(&start, 3, Score::win_in(3)) && is_result(&start, 4, Score::loss_in(4)));
        assert!(!is_result(&start, 8, Score::ZERO) && is_result(&start, 9, Score::ZERO));
        let over = random_position(&start, 9, 1);
        assert!(is_result(&over, 0, Score::ZERO));
        let coins = |seed| Coins::new(seed, 8);
        for coins in (0..100).map(coins) {
            assert_eq!(is_result(&coins, 1, Score::ZERO), coins.bounds().exact().is_some());
        }
    }

    #[test]
    fn a_move_has_the_result_that_its_own_limits_reach() {
        let mut shown = 0;
        for seed in 0..50 {
            let coins = Coins::new(seed, 8);
            let mv = coins.legal_moves().next().expect("a move");
            let next = coins.after(mv);
            let least = -next.bounds().upper;
            if next.bounds().exact().is_some() {
                continue;
            }
            let value = |upper, reached| move_value((&coins, &next), 2, least + 1, upper, reached);
            assert_eq!(value(least, true), Value::Exact(least));
            assert_eq!(value(least, false), Value::Estimate(least));
            assert_eq!(value(least + 1, true), Value::Estimate(least + 1));
            shown += 1;
        }
        assert!(shown > 10, "only {shown} positions");
    }
}

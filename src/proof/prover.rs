//! Depth-first proof-number search, the entries of its table, and the moves of a proof, one after the other.

use super::tactics::{Goal, Numbers};
use crate::hints::SearchHints;
use crate::search::{Limits, Meter};
use crate::table::{NO_MOVE, Packed, Table};

/// The divisor of the tolerance of a child, which is searched until its number exceeds the second best by
/// this part (J. Pawlewicz and L. Lew, "Improving Depth-First PN-Search: 1 + epsilon Trick", 2006).
const INCREMENT_DIVISOR: u32 = 8;

/// The result of a proof search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof<M> {
    /// If true, the attacker reaches the goal; if false, the defender prevents it; `None` if a limit ended
    /// the search first.
    pub reached: Option<bool>,
    /// A move that reaches the goal, if the attacker reaches it and is to move, and the position had to be
    /// searched.
    pub best: Option<M>,
    /// The positions visited.
    pub nodes: u64,
}

/// A depth-first proof-number search with a table that stays warm from one proof to the next.
///
/// Threads may share a prover. Whole keys are compared, but equal keys are taken for equal
/// positions: believe a proof only after an independent replay.
///
/// ```
/// use plyground::proof::{AtLeast, Prover};
/// use plyground::testing::TicTacToe;
/// use plyground::{Game, Limits, Side};
///
/// let mut position = TicTacToe::default();
/// for text in ["5", "2"] {
///     position.play(text.parse()?)?;
/// }
/// let goal = AtLeast { attacker: Side::First, margin: 1 };
/// let prover = Prover::new(1);
/// // The first side wins within five plies, and not within three.
/// assert_eq!(prover.prove(&goal, &position, 5, &Limits::default()).reached, Some(true));
/// assert_eq!(prover.prove(&goal, &position, 3, &Limits::default()).reached, Some(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Prover {
    table: Table<Entry>,
}

impl Prover {
    /// Makes a prover with a table of `table_mib` MiB, at least 1, rounded down to a power of two; less
    /// where the system refuses that.
    #[must_use]
    pub fn new(table_mib: usize) -> Prover {
        Prover { table: Table::new(table_mib.max(1)) }
    }

    /// Searches for a proof or disproof that the attacker of `goal` reaches it from `position` within
    /// `plies`.
    ///
    /// The depth of `limits` is ignored.
    pub fn prove<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
        limits: &Limits,
    ) -> Proof<G::Move> {
        let mut search = Search {
            goal,
            table: &self.table,
            meter: Meter::start(limits),
            children: Vec::new(),
            moves: Vec::new(),
        };
        let judged = goal.judge(position, plies);
        let numbers = match judged.verdict() {
            Some(_) => judged,
            None => search.node(position, plies, Numbers::UNLIMITED),
        };
        let nodes = search.meter.nodes();
        let best =
            (numbers.verdict() == Some(true)).then(|| self.known_move(goal, position, plies));
        Proof { reached: numbers.verdict(), best: best.flatten(), nodes }
    }

    /// Returns a move by which the attacker, who is to move, is already proven to reach the goal from
    /// `position` within `plies`; nothing is searched. `None` if the table has no proof or has lost it, and
    /// where the goal is judged to be reached without a search.
    pub fn known_move<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Option<G::Move> {
        let entry = self.table.get(key(goal, position, plies))?;
        let code = usize::from(entry.best);
        let is_attacker = position.side_to_move() == goal.attacker();
        (is_attacker && entry.numbers.verdict() == Some(true) && entry.best != NO_MOVE)
            .then(|| {
                let code = position.canonical_code(code);
                position.legal_moves().find(|&mv| position.move_code(mv) == code)
            })
            .flatten()
    }
}

/// Returns the key of a position with `plies` to go. The points made so far are part of the question.
fn key<G: SearchHints>(goal: &impl Goal<G>, position: &G, plies: u32) -> u64 {
    const OF_PLIES: u64 = 0x9e37_79b9_7f4a_7c15;
    const OF_POINTS: u64 = 0xc2b2_ae3d_27d4_eb4f;
    // The numbers are added, because under exclusive or the multiples of x and y can cancel those of -x and
    // -y.
    let question = goal
        .salt(position)
        .wrapping_add(OF_PLIES.wrapping_mul(u64::from(plies)))
        .wrapping_add(OF_POINTS.wrapping_mul(i64::from(position.margin()) as u64));
    position.key() ^ question
}

/// A move with the position after it.
#[derive(Clone, Debug)]
struct Child<G: SearchHints> {
    next: G,
    mv: G::Move,
    numbers: Numbers,
    /// If true, the numbers are a guess.
    is_guess: bool,
}

struct Search<'a, G: SearchHints, T> {
    goal: &'a T,
    table: &'a Table<Entry>,
    meter: Meter,
    /// The children of the positions on the current path, one after the other.
    children: Vec<Child<G>>,
    /// The stack of the moves of the positions being searched and replayed.
    moves: Vec<G::Move>,
}

impl<G: SearchHints, T: Goal<G>> Search<'_, G, T> {
    /// Searches an open position until one of its numbers reaches its limit, or until the search
    /// must stop, and returns its numbers.
    fn node(&mut self, position: &G, plies: u32, limit: Numbers) -> Numbers {
        let before = self.meter.nodes();
        self.meter.visit();
        let is_attacker = position.side_to_move() == self.goal.attacker();
        let start = self.expand(position, plies);
        let numbers = loop {
            let (numbers, index, within) = self.select(start, is_attacker, limit);
            let reached = numbers.proof >= limit.proof || numbers.disproof >= limit.disproof;
            if numbers.verdict().is_some() || reached || self.meter.is_stopped() {
                let best = self.children.get(index).map(|child| child.mv);
                self.store(position, plies, numbers, best, before);
                break numbers;
            }
            let next = self.children[index].next.clone();
            if self.children[index].is_guess {
                self.children[index].numbers = self.known(&next, plies - 1);
                self.children[index].is_guess = false;
                continue;
            }
            let found = self.node(&next, plies - 1, within);
            self.children[index].numbers = found;
            if !is_attacker && found.verdict() == Some(true) {
                self.try_on_siblings(start, &next, plies - 1);
            }
        };
        self.children.truncate(start);
        numbers
    }

    /// Puts the children on the stack, up to the first that decides the matter, and returns their first
    /// index.
    fn expand(&mut self, position: &G, plies: u32) -> usize {
        let start = self.children.len();
        let first = self.moves.len();
        let decisive = position.side_to_move() == self.goal.attacker();
        self.goal.moves(position, plies, &mut self.moves);
        for &mv in &self.moves[first..] {
            let next = position.after(mv);
            // The entries are fetched early, so that they are there when they are read.
            self.table.prefetch(key(self.goal, &next, plies - 1));
            self.children.push(Child { next, mv, numbers: Numbers::UNLIMITED, is_guess: false });
        }
        self.moves.truncate(first);
        for index in start..self.children.len() {
            let next = self.children[index].next.clone();
            let (numbers, is_guess) = self.look(&next, plies - 1, !decisive);
            self.children[index].numbers = numbers;
            self.children[index].is_guess = is_guess;
            if numbers.verdict() == Some(decisive) {
                self.children.truncate(index + 1);
                break;
            }
        }
        start
    }

    /// Returns the numbers of a position from the table, otherwise from the goal.
    fn known(&self, position: &G, plies: u32) -> Numbers {
        self.look(position, plies, false).0
    }

    /// Returns the numbers of a position from the table, otherwise from the goal; and true if the numbers
    /// are only a guess. A judgment of the goal is kept in the table: it costs more than a lookup when the
    /// same node is visited again.
    fn look(&self, position: &G, plies: u32, may_guess: bool) -> (Numbers, bool) {
        let key = key(self.goal, position, plies);
        if let Some(entry) = self.table.get(key) {
            return (entry.numbers, false);
        }
        let guess = if may_guess { self.goal.guess(position, plies) } else { None };
        if let Some(numbers) = guess {
            return (numbers, numbers.verdict().is_none());
        }
        let numbers = self.goal.judge(position, plies);
        self.table.put(key, Entry { numbers, best: NO_MOVE, work: 0 });
        (numbers, false)
    }

    /// Returns the numbers of the position whose children begin at `start`, the child to go on with, and
    /// the limits within which to search it.
    ///
    /// If the attacker is to move, one child is enough for a proof, and a disproof takes all; if the
    /// defender is to move, the reverse is true. A disproof that takes all children counts the sum of their
    /// numbers; a proof that takes all counts the hardest child and one for each of the others, because a
    /// sum would count transpositions many times ("weak" proof numbers; T. Ueda et al., 2008).
    fn select(&self, start: usize, is_attacker: bool, limit: Numbers) -> (Numbers, usize, Numbers) {
        let children = &self.children[start..];
        let one = |n: Numbers| if is_attacker { n.proof } else { n.disproof };
        let all = |n: Numbers| if is_attacker { n.disproof } else { n.proof };
        // The easiest child; among equals, the child that looks hardest to the other side.
        let order = |&index: &usize| (one(children[index].numbers), !all(children[index].numbers));
        let best = (0..children.len()).min_by_key(order).unwrap_or_default();
        let others = (0..children.len()).filter(|&index| index != best);
        let second = others.map(|index| one(children[index].numbers)).min();
        let second = second.unwrap_or(Numbers::UNLIMITED.proof);
        let numbers = children.iter().map(|child| all(child.numbers));
        let undecided = numbers.clone().filter(|&number| number > 0).count() as u32;
        let total = match is_attacker {
            true => numbers.fold(0, u32::saturating_add),
            false => numbers.max().unwrap_or_default() + undecided.saturating_sub(1),
        };
        let child = children[best].numbers;
        let (limit_one, limit_all) = (one(limit), all(limit));
        let within_one = limit_one.min(second + second / INCREMENT_DIVISOR + 1);
        let rest = if is_attacker { total - all(child) } else { undecided.saturating_sub(1) };
        // An absent limit is not reduced. Otherwise, near the greatest number, the search could leave a
        // child unchanged and choose it again forever.
        let is_unlimited = limit_all >= Numbers::UNLIMITED.proof;
        let within_all = if is_unlimited { limit_all } else { limit_all.saturating_sub(rest) };
        let make = |one, all| match is_attacker {
            true => Numbers { proof: one, disproof: all },
            false => Numbers { proof: all, disproof: one },
        };
        let decided = |numbers: Numbers| match numbers {
            Numbers { proof: 0, .. } => Numbers::PROVEN,
            Numbers { disproof: 0, .. } => Numbers::DISPROVEN,
            Numbers { proof, disproof } => Numbers::open(proof, disproof),
        };
        (decided(make(one(child), total)), start + best, make(within_one, within_all))
    }

    /// Keeps the numbers of a position, with the move to go on with, since `before` nodes.
    fn store(
        &self,
        position: &G,
        plies: u32,
        numbers: Numbers,
        best: Option<G::Move>,
        before: u64,
    ) {
        let work = (self.meter.nodes() - before + 1).ilog2().min(63) as u8;
        let code = |mv| position.canonical_code(position.move_code(mv)) as u16;
        let best = best.map_or(NO_MOVE, code);
        self.table.put(key(self.goal, position, plies), Entry { numbers, best, work });
    }
}

const NUMBER_BITS: u32 = 21;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

/// The entry of a position in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    numbers: Numbers,
    /// The code of the attacker's best move, or [`NO_MOVE`].
    best: u16,
    /// The logarithm of the number of positions visited, at most 63.
    work: u8,
}

const WORK_BITS: u32 = u64::BITS - 2 * NUMBER_BITS - u16::BITS;

impl Packed for Entry {
    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.numbers.proof)
            | u64::from(self.numbers.disproof) << NUMBER_BITS
            | u64::from(self.best) << (2 * NUMBER_BITS)
            | u64::from(self.work) << (u64::BITS - WORK_BITS)
    }

    #[inline]
    fn unpack(data: u64) -> Entry {
        let number = |bits: u64| (bits & NUMBER_MASK) as u32;
        Entry {
            numbers: Numbers { proof: number(data), disproof: number(data >> NUMBER_BITS) },
            best: (data >> (2 * NUMBER_BITS)) as u16,
            work: (data >> (u64::BITS - WORK_BITS)) as u8,
        }
    }

    #[inline]
    fn work(&self) -> u8 {
        self.work
    }
}

/// The number of positions that may be visited to find a step of a proof again, if its entries are lost
/// from the table.
const REPAIR_NODES: u64 = 100_000;

impl Prover {
    /// Returns a line of a proof that the attacker of `goal` reaches it from `position` within `plies`: the
    /// attacker's proven moves, and for the defender those that were hardest to refute. The line ends early
    /// where the table has lost the proof.
    pub fn line<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut position = position.clone();
        for left in (1..=plies).rev() {
            if position.outcome().is_some() {
                break;
            }
            let next = match position.side_to_move() == goal.attacker() {
                true => self.winning_move(goal, &position, left),
                false => self.stubborn_move(goal, &position, left),
            };
            let Some(mv) = next else { break };
            line.push(mv);
            position.play_unchecked(mv);
        }
        line
    }

    /// Returns a move by which the attacker, who is to move, reaches the goal within `plies`, if that is
    /// proven and the game is not over.
    pub fn winning_move<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Option<G::Move> {
        if position.outcome().is_some() {
            return None;
        }
        let limits = Limits::nodes(REPAIR_NODES);
        let proof = self.prove(goal, position, plies, &limits);
        if proof.best.is_some() || proof.reached != Some(true) {
            return proof.best;
        }
        // The judgment of a goal names no move, but a short search finds one.
        let reaches = |mv: &G::Move| {
            let next = position.after(*mv);
            self.prove(goal, &next, plies - 1, &limits).reached == Some(true)
        };
        position.legal_moves().find(reaches)
    }

    /// Returns the defender's move whose refutation took the most work.
    fn stubborn_move<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Option<G::Move> {
        let work = |mv: &G::Move| {
            let next = position.after(*mv);
            let entry = self.table.get(key(goal, &next, plies - 1));
            // Moves that lose at once come last.
            (entry.map(|entry| entry.work), next.outcome().is_none())
        };
        position.legal_moves().max_by_key(work)
    }
}

/// Two positions with the same side to move and as many plies to go.
struct Pair<'a, G> {
    /// The position to be proven.
    position: &'a G,
    /// The position that is proven, whose moves are tried.
    model: &'a G,
    plies: u32,
}

impl<G: SearchHints, T: Goal<G>> Search<'_, G, T> {
    /// Tries the proof of the defender's move that led to `proven` on the other moves, the
    /// children from `start` on.
    fn try_on_siblings(&mut self, start: usize, proven: &G, plies: u32) {
        for index in start..self.children.len() {
            if self.children[index].numbers.verdict().is_some() || self.meter.is_stopped() {
                continue;
            }
            let sibling = self.children[index].next.clone();
            if self.replay(&Pair { position: &sibling, model: proven, plies }) {
                self.children[index].numbers = Numbers::PROVEN;
            }
        }
    }

    /// Returns true if the moves that prove the model prove the position too. The model only suggests
    /// moves: every step is checked in the position itself.
    ///
    /// Source: Y. Kawano, "Using Similar Positions to Search Game Trees", 1996 (simulation).
    fn replay(&mut self, pair: &Pair<'_, G>) -> bool {
        let Pair { position, plies, .. } = *pair;
        if let Some(verdict) = self.known(position, plies).verdict() {
            return verdict;
        }
        let before = self.meter.nodes();
        if self.meter.visit() {
            return false;
        }
        let start = self.moves.len();
        self.goal.moves(position, plies, &mut self.moves);
        let (is_proven, best) = if position.side_to_move() == self.goal.attacker() {
            let best = self.replay_move(start, pair);
            (best.is_some(), best)
        } else {
            let mut replies = start..self.moves.len();
            (replies.all(|index| self.replay_after(self.moves[index], pair)), None)
        };
        self.moves.truncate(start);
        if is_proven {
            self.store(position, plies, Numbers::PROVEN, best, before);
        }
        is_proven
    }

    /// Returns the move that proves the model, if it is among the moves from `start` on and proves the
    /// position too.
    fn replay_move(&mut self, start: usize, pair: &Pair<'_, G>) -> Option<G::Move> {
        let Pair { position, model, plies } = *pair;
        let entry = self.table.get(key(self.goal, model, plies))?;
        if entry.numbers.verdict() != Some(true) || entry.best == NO_MOVE {
            return None;
        }
        let code = model.canonical_code(entry.best.into());
        let mv = *self.moves[start..].iter().find(|&&mv| position.move_code(mv) == code)?;
        self.replay_after(mv, pair).then_some(mv)
    }

    /// Does the same as [`replay`](Search::replay), after one and the same move in both positions.
    fn replay_after(&mut self, mv: G::Move, pair: &Pair<'_, G>) -> bool {
        let Pair { position, model, plies } = *pair;
        let next = position.after(mv);
        match self.known(&next, plies - 1).verdict() {
            Some(verdict) => verdict,
            None => {
                model.check_legal(mv).is_ok()
                    && self.replay(&Pair {
                        position: &next,
                        model: &model.after(mv),
                        plies: plies - 1,
                    })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::proof::AtLeast;
    use crate::score::Score;
    use crate::testing::{Coins, Digraph, exact_result, random_position};

    /// Checks that `prover` agrees with minimax.
    fn agree<G: SearchHints>(prover: &Prover, position: &G, plies: u32, margin: i32) {
        let value = exact_result(position, plies, u64::MAX);
        for attacker in Side::BOTH {
            let is_mover = attacker == position.side_to_move();
            let value = value.map(|value| if is_mover { value } else { -value });
            let wins = value.is_some_and(|value| value >= Score::of_margin(margin, G::POINT));
            let goal = AtLeast { attacker, margin };
            let proof = prover.prove(&goal, position, plies, &Limits::default());
            assert_eq!(proof.reached, Some(wins), "{attacker:?} {margin} in {plies}: {position}");
        }
    }

    #[test]
    fn a_crowded_table_changes_no_verdict() {
        for buckets in [1, 2, 32] {
            let prover = Prover { table: Table::with_buckets(buckets) };
            for seed in 0..60 {
                let graph = random_position(&Digraph::new(seed, 30, 4), 1, seed);
                agree(&prover, &graph, seed as u32 % 7, 1);
                let row = random_position(&Coins::new(seed / 4, 8), seed as u32 % 3, seed);
                agree(&prover, &row, 8, seed as i32 % 5 - 2);
            }
        }
    }

    #[test]
    fn packing_loses_nothing() {
        for numbers in [Numbers::PROVEN, Numbers::DISPROVEN, Numbers::open(70_000, 1)] {
            let entry = Entry { numbers, best: NO_MOVE, work: 63 };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }
}

//! The search for forced wins within a time limit.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::prover::Prover;
use super::tactics::{Goal, Prepared, Tactics};
use crate::clock::Instant;
use crate::game::{Side, Turn};
use crate::hints::SearchHints;
use crate::score::Score;
use crate::search::{Clock, Limits, SearchContext};
use crate::value::Value;

/// The number of positions that the first search for a win at a distance may visit, and the factor by which
/// every further search may visit more.
const FIRST_NODES: u64 = 250;
const NODES_FACTOR: u64 = 2;
/// The factor by which a search at the farthest distance may visit more: it includes all wins.
const FARTHEST_FACTOR: u64 = 4;

/// The number of positions that may be visited to refute a single move.
const REFUTATION_NODES: u64 = 3_000;

/// Returns the number of plies between two distances at which a side may make the last move.
const fn step<G: SearchHints>() -> usize {
    if G::ALTERNATES { 2 } else { 1 }
}

/// The limits of the search for a forced win.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The time at which to stop; `None` for no limit.
    pub deadline: Option<Instant>,
    /// The number of positions for a distance after which to stop, even if time is left; `None` for no
    /// limit.
    pub nodes: Option<u64>,
    /// A flag that stops the search when it is raised.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Allowance {
    /// Returns an allowance of this much wall-clock time from now on.
    #[must_use]
    pub fn time(time: Duration, stop: Option<Arc<AtomicBool>>) -> Allowance {
        Allowance { deadline: Instant::now().checked_add(time), nodes: None, stop }
    }

    pub(crate) fn limits(&self, nodes: u64) -> Limits {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Limits {
            nodes: Some(nodes.min(self.nodes.unwrap_or(u64::MAX))),
            time: self.deadline.map(|deadline| (Clock::Wall, left(deadline))),
            context: self.stop.clone().map(SearchContext::from).unwrap_or_default(),
            ..Limits::default()
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        let raised = |stop: &Arc<AtomicBool>| stop.load(std::sync::atomic::Ordering::Relaxed);
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.as_ref().is_some_and(raised)
    }
}

/// A win that cannot be prevented.
///
/// ```
/// use plyground::proof::Forced;
/// use plyground::{Score, Side, Value};
///
/// let win = Forced { winner: Side::First, plies: 5, line: vec!["a"], prepared: false, nodes: 9 };
/// assert_eq!(win.value(Side::Second), Value::AtMost(Score::loss_in(5)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced<M> {
    /// The winner.
    pub winner: Side,
    /// The greatest number of plies until the win.
    pub plies: u32,
    /// The moves that lead to the win: the winner's moves are proven, the loser's are examples. There is at
    /// least one move if the winner is to move.
    pub line: Vec<M>,
    /// If true, the win is known to the game's tactics, and not by a proof.
    pub prepared: bool,
    /// Positions visited.
    pub nodes: u64,
}

impl<M> Forced<M> {
    /// Returns the value of the position to `side`: a bound, since the game may be won sooner, or an exact
    /// value for a win with the next move.
    #[must_use]
    pub fn value(&self, side: Side) -> Value {
        if side == self.winner {
            Value::at_least(Score::win_in(self.plies))
        } else {
            Value::at_most(Score::loss_in(self.plies))
        }
    }
}

/// A move in a position that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defense<M> {
    /// The move.
    pub mv: M,
    /// The number of plies after the move within which the opponent is seen to win.
    pub plies: u32,
}

/// A finder of forced wins of either side. It remembers its proofs, so that a win that was proven once is
/// played to its end without being proven again.
#[derive(Debug)]
pub struct Finder<T> {
    tactics: T,
    table_mib: usize,
    /// The prover, made at first use.
    prover: Option<Prover>,
    nodes: u64,
}

impl<T> Finder<T> {
    /// Makes a finder with a table of `table_mib` MiB, at least 1.
    pub fn new(tactics: T, table_mib: usize) -> Finder<T> {
        Finder { tactics, table_mib, prover: None, nodes: 0 }
    }

    /// Returns the number of positions visited since the last call.
    pub fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }

    /// Returns the number of plies within which the side to move probably has a forced win, if any.
    pub fn expects<G: SearchHints>(&self, position: &G) -> Option<u32>
    where
        T: Tactics<G>,
    {
        self.tactics.expected(position)
    }

    /// Returns true if a win of either side is worth looking for.
    pub fn is_of_use<G: SearchHints>(&self, position: &G) -> bool
    where
        T: Tactics<G>,
    {
        Side::BOTH.iter().any(|&side| self.tactics.horizon(position, side) > 0)
    }

    /// Returns a forced win of `winner` from `position`, which must not be over; `None` if no forced win
    /// was found.
    pub fn find<G: SearchHints>(
        &mut self,
        position: &G,
        winner: Side,
        allowance: &Allowance,
    ) -> Option<Forced<G::Move>>
    where
        T: Tactics<G>,
    {
        let is_mover = winner == position.side_to_move();
        let prepared = if is_mover { self.tactics.prepared(position) } else { None };
        if let Some(Prepared { mv, plies }) = prepared {
            return Some(Forced { winner, plies, line: vec![mv], prepared: true, nodes: 0 });
        }
        let before = self.nodes;
        let plies = self.distance(position, winner, allowance)?;
        let goal = self.tactics.goal(position, winner);
        let line = self.prover().line(&goal, position, plies);
        if is_mover && line.is_empty() {
            return None;
        }
        Some(Forced { winner, plies, line, prepared: false, nodes: self.nodes - before })
    }

    /// Returns the win of the opponent of the side to move, if one is known beforehand against every move.
    pub fn prepared_loss<G: SearchHints>(&self, position: &G) -> Option<Forced<G::Move>>
    where
        T: Tactics<G>,
    {
        let mut longest: Option<(u32, [G::Move; 2])> = None;
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let is_answered = Turn::between(position, &next).changes() && next.outcome().is_none();
            let Prepared { mv: answer, plies } =
                self.tactics.prepared(&next).filter(|_| is_answered)?;
            if longest.is_none_or(|(most, _)| plies > most) {
                longest = Some((plies, [mv, answer]));
            }
        }
        longest.map(|(plies, line)| Forced {
            winner: position.side_to_move().other(),
            plies: plies + 1,
            line: line.to_vec(),
            prepared: true,
            nodes: 0,
        })
    }

    /// Returns the fewest plies within which `winner` is seen to win from `position`.
    ///
    /// All distances are searched with few nodes, then the open ones with more nodes, and so on: a long win
    /// may be easier to prove than a short one, or than the absence of a short one.
    fn distance<G: SearchHints>(
        &mut self,
        position: &G,
        winner: Side,
        allowance: &Allowance,
    ) -> Option<u32>
    where
        T: Tactics<G>,
    {
        let is_mover = winner == position.side_to_move();
        let horizon = self.tactics.horizon(position, winner);
        let expected = self.tactics.expected(position).filter(|_| is_mover);
        let goal = self.tactics.goal(position, winner);
        // The winner usually makes the last move. If the loser has to make it, the win is found at the
        // distance one ply greater.
        let first = if is_mover { 1 } else { 2 };
        let farthest = horizon.max(expected.unwrap_or(0));
        let mut open: Vec<u32> = (first..=farthest).step_by(step::<G>()).collect();
        let farthest = open.last().copied();
        let mut nodes = FIRST_NODES;
        while !open.is_empty() && !allowance.is_over() {
            let mut still_open = Vec::new();
            for plies in open {
                // The expected win is searched without a limit of nodes, once a first pass has found no
                // quicker win.
                let is_likely = expected == Some(plies) && nodes > FIRST_NODES;
                let factor = match (is_likely, farthest == Some(plies)) {
                    (true, _) => u64::MAX,
                    (false, true) => FARTHEST_FACTOR,
                    (false, false) => 1,
                };
                let nodes = nodes.saturating_mul(factor);
                match self.prove(&goal, position, plies, &allowance.limits(nodes)) {
                    Some(true) => return Some(plies),
                    Some(false) => {}
                    None => still_open.push(plies),
                }
            }
            if allowance.nodes.is_some_and(|most| nodes >= most) {
                return None;
            }
            open = still_open;
            nodes = nodes.saturating_mul(NODES_FACTOR);
        }
        None
    }

    /// Returns the moves after which the opponent is seen to need longest for a win that is forced within
    /// `plies`, in the order of the legal moves.
    pub fn longest_defenses<G: SearchHints>(
        &mut self,
        position: &G,
        plies: u32,
        allowance: &Allowance,
    ) -> Vec<Defense<G::Move>>
    where
        T: Tactics<G>,
    {
        let goal = self.tactics.goal(position, position.side_to_move().other());
        let mut longest: Vec<Defense<G::Move>> = Vec::new();
        for mv in position.legal_moves() {
            let least = longest.first().map_or(1, |defense| defense.plies);
            let next = position.after(mv);
            let Some(left) = self.delay(&goal, &next, least, plies, allowance) else { continue };
            // A defense whose search was cut off would look long.
            if allowance.is_over() && !longest.is_empty() {
                break;
            }
            longest.retain(|defense| defense.plies >= left);
            longest.push(Defense { mv, plies: left });
        }
        longest
    }

    /// Returns the number of plies that the attacker is seen to need from `next`, `plies` less one at most;
    /// `None` if it is less than `least`.
    fn delay<G: SearchHints>(
        &mut self,
        goal: &T::Goal,
        next: &G,
        least: u32,
        plies: u32,
        allowance: &Allowance,
    ) -> Option<u32>
    where
        T: Tactics<G>,
    {
        if next.outcome().is_some() {
            return None;
        }
        let limits = allowance.limits(REFUTATION_NODES);
        let shorter = (1..plies.saturating_sub(1)).step_by(step::<G>());
        let mut wins = shorter.filter(|&left| self.prove(goal, next, left, &limits) == Some(true));
        let left = wins.next().unwrap_or(plies.saturating_sub(1));
        (left >= least).then_some(left)
    }

    /// Returns the number of moves of the side to move that are seen to win within `plies`. The count stops
    /// at `enough`.
    pub fn refutations<G: SearchHints>(
        &mut self,
        position: &G,
        plies: u32,
        enough: u32,
        allowance: &Allowance,
    ) -> u32
    where
        T: Tactics<G>,
    {
        let mut count = 0;
        for mv in position.legal_moves() {
            if count >= enough || allowance.is_over() {
                break;
            }
            count += u32::from(self.still_wins(position, mv, plies, allowance));
        }
        count
    }

    /// Returns true if the side to move, which wins within `plies`, is seen to do so by this move.
    pub fn still_wins<G: SearchHints>(
        &mut self,
        position: &G,
        mv: G::Move,
        plies: u32,
        allowance: &Allowance,
    ) -> bool
    where
        T: Tactics<G>,
    {
        let goal = self.tactics.goal(position, position.side_to_move());
        let limits = allowance.limits(REFUTATION_NODES);
        let after = position.after(mv);
        self.prove(&goal, &after, plies.saturating_sub(1), &limits) == Some(true)
    }

    fn prove<G: SearchHints>(
        &mut self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
        limits: &Limits,
    ) -> Option<bool> {
        let proof = self.prover().prove(goal, position, plies, limits);
        self.nodes += proof.nodes;
        proof.reached
    }

    fn prover(&mut self) -> &Prover {
        self.prover.get_or_insert_with(|| Prover::new(self.table_mib))
    }
}

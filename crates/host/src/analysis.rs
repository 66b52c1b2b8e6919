//! The analysis of a position, reported step by step; bounds as text, and promises about the moves to come.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use plyground::proof::Forced;
use plyground::search::SearchContext;
use plyground::{Bounds, Game, Score, Side, Turn, Value};
use serde::de::IntoDeserializer;
use serde::de::value::{self, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::adapter::MoveText;

/// The questions about a position: the stages are done one after the other, until the value of every move is
/// exact, the time is over, or the analysis is stopped.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRequest {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The result of an earlier analysis of the same position, to continue from.
    pub known: Option<Analysis>,
    /// The limit on the wall-clock time for all stages together, if there is one.
    pub time: Option<Duration>,
    /// The context of the searches. Raising its flag ends the analysis.
    pub context: SearchContext,
}

/// A part of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looks for a win that either side can force, if the game has tactics for that.
    ForcedWin {
        /// The time for this stage. A win of the side to move gets the greater part.
        time: Duration,
        /// The number of positions to visit for each distance, if there is a limit.
        nodes: Option<u64>,
        /// The memory for this stage in MiB.
        table_mib: usize,
    },
    /// Searches every move, one ply deeper each time.
    Deepen {
        /// The exact depth in plies, if it is given; then the time does not matter.
        depth: Option<u32>,
        /// The number of positions to visit, if there is a limit.
        nodes: Option<u64>,
    },
    /// Searches every move to the end of the game, if the rules limit its length.
    Solve {
        /// The number of threads that search together, at least 1.
        threads: usize,
    },
}

/// The knowledge about a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The moves, best first; empty if the game is over.
    pub lines: Vec<AnalyzedLine>,
    /// The proven bounds of the position's value, as the side to move sees it.
    pub bounds: Bounds,
    /// A win that one side can force, if one was found.
    pub forced: Option<Forced<MoveText>>,
    /// The last depth that was finished for all moves, in plies.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
    /// The CPU time that this process has used.
    pub cpu: Duration,
    /// The current task, in a few words.
    pub task: String,
    /// If true, the value of the position and of every move is exact.
    pub is_complete: bool,
}

/// A move and the knowledge about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalyzedLine {
    /// The value of the move to the side that makes it.
    pub value: Value,
    /// The number of plies that the search looked ahead.
    pub depth: u32,
    /// The principal variation, the move itself first.
    pub pv: Vec<MoveText>,
}

impl Analysis {
    /// Returns the number of positions visited for each second of CPU time.
    #[must_use]
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}

impl Default for Analysis {
    /// Returns an analysis without any knowledge.
    fn default() -> Analysis {
        Analysis {
            lines: Vec::new(),
            bounds: Bounds::NONE,
            forced: None,
            depth: 0,
            nodes: 0,
            cpu: Duration::ZERO,
            task: String::new(),
            is_complete: false,
        }
    }
}

impl AnalyzedLine {
    /// Returns the move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> MoveText {
        self.pv[0]
    }
}

/// The kind of a [`Value`], as a word beside its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The result of best play.
    Exact,
    /// The result of best play is this or greater.
    AtLeast,
    /// The result of best play is this or less.
    AtMost,
    /// A judgment that may be wrong.
    #[default]
    Estimate,
}

impl Bound {
    /// Returns the kind of a value.
    #[must_use]
    pub fn of(value: Value) -> Bound {
        match value {
            Value::Exact(_) => Bound::Exact,
            Value::AtLeast(_) => Bound::AtLeast,
            Value::AtMost(_) => Bound::AtMost,
            Value::Estimate(_) => Bound::Estimate,
        }
    }

    /// Returns the value of this kind with this score.
    #[must_use]
    pub fn with(self, score: Score) -> Value {
        match self {
            Bound::Exact => Value::Exact(score),
            Bound::AtLeast => Value::AtLeast(score),
            Bound::AtMost => Value::AtMost(score),
            Bound::Estimate => Value::Estimate(score),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The error of a word that is not the name of a [`Bound`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected exact, at-least, at-most or estimate")]
pub struct NotABound;

impl FromStr for Bound {
    type Err = NotABound;

    fn from_str(text: &str) -> Result<Bound, NotABound> {
        let word: StrDeserializer<'_, value::Error> = text.into_deserializer();
        Bound::deserialize(word).map_err(|_| NotABound)
    }
}

/// The result that a position promises to a side, as far as a number of plies shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// The side loses, whatever it plays.
    Lost,
    /// The result is not certain, or a draw.
    Open,
    /// The side can win.
    Won,
}

impl Promise {
    const fn turned(self) -> Promise {
        match self {
            Promise::Lost => Promise::Won,
            Promise::Open => Promise::Open,
            Promise::Won => Promise::Lost,
        }
    }

    fn of(winner: Option<Side>, side: Side) -> Promise {
        match winner {
            Some(winner) if winner == side => Promise::Won,
            Some(_) => Promise::Lost,
            None => Promise::Open,
        }
    }
}

/// Returns the legal moves that promise the most within this many plies, and their promise. One ply is the
/// side's own move alone.
///
/// This is plain negamax over the winner. It knows only the rules: it has no evaluation, no table and no knowledge of
/// the game's limits. A draw and a result beyond the plies are both open.
pub(crate) fn best_moves<G: Game>(position: &G, plies: u32) -> (Vec<G::Move>, Promise) {
    let side = position.side_to_move();
    let promises = position
        .legal_moves()
        .map(|mv| (mv, seen_by(side, &position.after(mv), plies.saturating_sub(1))));
    let promises: Vec<(G::Move, Promise)> = promises.collect();
    let best = promises.iter().map(|&(_, promise)| promise).max().unwrap_or(Promise::Lost);
    let moves = promises.into_iter().filter(|&(_, promise)| promise == best);
    (moves.map(|(mv, _)| mv).collect(), best)
}

/// Returns the promise of `position` to `side`.
fn seen_by<G: Game>(side: Side, position: &G, plies: u32) -> Promise {
    let mover = position.side_to_move();
    if let Some(outcome) = position.outcome() {
        return Promise::of(outcome.winner(), side);
    }
    if plies == 0 {
        return Promise::Open;
    }
    let mut best = Promise::Lost;
    for mv in position.legal_moves() {
        best = best.max(seen_by(mover, &position.after(mv), plies - 1));
        if best == Promise::Won {
            break;
        }
    }
    if mover == side { best } else { best.turned() }
}

/// Returns the legal moves, each with the margin in points of the side to move after this many plies of best
/// play, or `None` in a game without points. One ply is the side's own move alone.
///
/// A search whose evaluation is the score of the board finds these numbers.
pub(crate) fn margins<G: Game>(position: &G, plies: u32) -> Option<Vec<(G::Move, i32)>> {
    position.points()?;
    let value = |mv| margin(position, mv, plies, (-i32::MAX, i32::MAX));
    Some(position.legal_moves().map(|mv| (mv, value(mv))).collect())
}

/// Returns the legal moves whose [margin](margins) is less than `gap` points below the greatest.
///
/// The moves are searched from the best at two plies less on, and other moves only as far as the gap needs.
pub(crate) fn best_by_points<G: Game>(position: &G, plies: u32, gap: u32) -> Option<Vec<G::Move>> {
    let mut order = margins(position, plies.saturating_sub(2).max(1))?;
    let places: Vec<G::Move> = order.iter().map(|&(mv, _)| mv).collect();
    order.sort_by_key(|&(_, margin)| std::cmp::Reverse(margin));
    let (mut best, mut found) = (-i32::MAX, Vec::new());
    for (mv, _) in order {
        let floor = best.saturating_sub_unsigned(gap).max(-i32::MAX);
        // At the floor or below, the margin is only known to be no greater.
        let margin = margin(position, mv, plies, (floor, i32::MAX));
        best = best.max(margin);
        found.push((mv, margin));
    }
    found.retain(|&(_, margin)| best.abs_diff(margin) < gap);
    let is_found = |mv: &G::Move| found.iter().any(|(other, _)| other == mv);
    Some(places.into_iter().filter(is_found).collect())
}

/// Returns true if some move has a [margin](margins) that is at least `gap` points greater than those of all moves
/// that are best with two plies less. Most positions have none, for which this takes much less time than all margins.
pub(crate) fn shows_late<G: Game>(position: &G, plies: u32, gap: u32) -> bool {
    let sooner = best_by_points(position, plies.saturating_sub(2).max(1), 1).unwrap_or_default();
    let margin = |mv, window| margin(position, mv, plies, window);
    let most = sooner.iter().fold(-i32::MAX, |most, &mv| most.max(margin(mv, (most, i32::MAX))));
    let enough = most.saturating_add_unsigned(gap);
    let mut others = position.legal_moves().filter(|mv| !sooner.contains(mv));
    others.any(|mv| margin(mv, (enough - 1, enough)) >= enough)
}

/// Returns the margin of the side to move after the move `mv` and the rest of this many plies, exact inside of the
/// window, and a bound outside.
fn margin<G: Game>(position: &G, mv: G::Move, plies: u32, window: (i32, i32)) -> i32 {
    let (next, mut unlimited) = (position.after(mv), u64::MAX);
    margin_across(position, &next, plies, window, &mut unlimited).expect("no limit")
}

/// Returns the margin of the side to move in `position` after the move to `next` and the rest of this many plies, exact
/// inside of the window, and a bound outside. Returns `None` once `left` positions are visited.
pub(crate) fn margin_across<G: Game>(
    position: &G,
    next: &G,
    plies: u32,
    (alpha, beta): (i32, i32),
    left: &mut u64,
) -> Option<i32> {
    let turn = Turn::between(position, next);
    let window = if turn.changes() { (-beta, -alpha) } else { (alpha, beta) };
    Some(turn.across(lead(next, plies.saturating_sub(1), window, left)?))
}

/// Returns the margin in points of the side to move after this many plies, by alpha-beta.
fn lead<G: Game>(
    position: &G,
    plies: u32,
    (mut alpha, beta): (i32, i32),
    left: &mut u64,
) -> Option<i32> {
    *left = left.checked_sub(1)?;
    if plies == 0 || position.outcome().is_some() {
        return Some(position.margin());
    }
    let mut best = -i32::MAX;
    for mv in position.legal_moves() {
        let next = position.after(mv);
        best = best.max(margin_across(position, &next, plies, (alpha, beta), left)?);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::Promise;
    use crate::toy::toy;

    /// Returns the best moves after these moves, sorted, and their promise.
    fn best(moves: &str, plies: u32) -> (Vec<String>, Promise) {
        let mut position = toy().start();
        for mv in moves.split_whitespace() {
            position.play_text(mv).expect("a legal move");
        }
        let (moves, promise) = position.best_moves(plies);
        let mut names: Vec<_> = moves.iter().map(ToString::to_string).collect();
        names.sort();
        (names, promise)
    }

    #[test]
    fn moves_and_promise_are_those_of_the_plies() {
        let three = vec!["3".to_owned()];
        assert_eq!(
            best("1 4 2 5", 1),
            (three.clone(), Promise::Won),
            "a win is seen one ply ahead"
        );
        assert_eq!(best("1 4 2", 1).0.len(), 6);
        assert_eq!(best("1 4 2", 2), (three, Promise::Open), "a threat is seen two plies ahead");
        // X has lines from two opposite corners; O has taken a side: a fork is seen three plies ahead.
        assert_eq!(best("1 2", 2).1, Promise::Open);
        assert_eq!(best("1 2 7 4", 3).1, Promise::Won);
        let (moves, promise) = best("", 9);
        assert_eq!((moves.len(), promise), (9, Promise::Open), "perfect play is open");
    }
}

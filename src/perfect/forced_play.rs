//! Play on the clock with proof search for forced wins.

use std::sync::Arc;
use std::time::Duration;

use super::temptation::most_trying;
use crate::clock::{Instant, Stopwatch};
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::proof::{Allowance, Finder, Tactics};
use crate::score::Score;
use crate::search::{AlphaBeta, Clock, Limits, Line, Report, Search, SearchContext};
use crate::turn::Turn;
use crate::value::Value;

/// The shares of the time for three questions: is there a forced win, does every move lose, and
/// does the move that the search found lose. The search gets the rest.
const WIN_SHARE: f64 = 0.3;
const LOSS_SHARE: f64 = 0.1;
const CHECK_SHARE: f64 = 0.1;
/// The share of [`PlayTime::likely`] that goes into a win that is likely.
const LIKELY_SHARE: f64 = 0.85;
/// The least share for the search, however long the rest took.
const LEAST_SHARE: f64 = 0.1;

/// The number of positions that may be visited for each distance to find that a move loses.
const CHECK_NODES: u64 = 16_000;
/// The depth to which moves are searched to choose among those that do not lose, if the best does.
const SPARE_DEPTH: u32 = 2;

/// The choice among moves of the same exact value, and among defenses of equal length where a loss is
/// proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The move after which a fallible opponent is likeliest to go wrong; see [`prospect`](super::prospect).
    #[default]
    Tempting,
    /// The first move that the search finds, for comparison.
    First,
}

/// The time that a move may take.
#[derive(Clone, Debug)]
pub struct PlayTime {
    /// The moment at which the time began to run.
    pub started: Instant,
    /// The limit of wall-clock time.
    pub time: Duration,
    /// The limit of wall-clock time if the position probably has a forced win; not less than `time`.
    pub likely: Duration,
    /// The context of the searches. Raising its flag makes the player move at once.
    pub context: SearchContext,
}

impl PlayTime {
    /// Returns an allowance that ends when this much time has passed since the start.
    fn until(&self, time: Duration) -> Allowance {
        let (deadline, stop) = (self.started.checked_add(time), Arc::clone(&self.context.stop));
        Allowance { deadline, nodes: None, stop: Some(stop) }
    }
}

/// A player that looks for forced wins, for either side, before and after a search for the best move.
#[derive(Debug)]
pub struct ForcedPlay<T> {
    finder: Finder<T>,
}

impl<T> ForcedPlay<T> {
    /// Makes a player that looks for wins with these tactics and a table of `table_mib` MiB.
    pub fn new(tactics: T, table_mib: usize) -> ForcedPlay<T> {
        ForcedPlay { finder: Finder::new(tactics, table_mib) }
    }

    /// Returns true if forced wins are worth looking for in `position`.
    pub fn is_of_use<G: SearchHints>(&self, position: &G) -> bool
    where
        T: Tactics<G>,
    {
        self.finder.is_of_use(position)
    }

    /// Returns a move in `position` with its value, as far as it can be found in the time; `None` if the
    /// game is over.
    ///
    /// A move that is proven to win is preferred; the depth of the report is then the greatest number of
    /// plies to the win. If all moves are proven to lose, the move is the longest defense that was found;
    /// `ties` decides among defenses of equal length. Otherwise the move is the one that `search` finds,
    /// unless that is seen to lose and another move is not.
    pub fn choose<G: SearchHints, E: Evaluator<G>>(
        &mut self,
        search: &mut AlphaBeta<E>,
        position: &G,
        play_time: &PlayTime,
        ties: Ties,
    ) -> Option<Report<G::Move>>
    where
        T: Tactics<G>,
    {
        let stopwatch = Stopwatch::start();
        let is_of_use = position.outcome().is_none() && self.finder.is_of_use(position);
        let decided = is_of_use.then(|| {
            self.win(position, play_time)
                .or_else(|| self.longest_loss(search, position, play_time, ties))
        });
        let mut report = match decided.flatten() {
            Some(line) => by_force(line),
            None => {
                let share = if is_of_use { 1.0 - CHECK_SHARE } else { 1.0 };
                let limits = search_limits(play_time, share);
                let mut report = search.best(position, &limits)?;
                if is_of_use {
                    self.avoid_loss(search, position, play_time, &mut report);
                }
                report
            }
        };
        report.nodes += self.finder.take_nodes();
        report.cpu = stopwatch.cpu();
        report.wall = play_time.started.elapsed();
        Some(report)
    }

    /// Returns a line that is proven to win.
    fn win<G: SearchHints>(&mut self, position: &G, play_time: &PlayTime) -> Option<Line<G::Move>>
    where
        T: Tactics<G>,
    {
        let share = match self.finder.expects(position) {
            Some(_) => play_time.likely.mul_f64(LIKELY_SHARE),
            None => play_time.time.mul_f64(WIN_SHARE),
        };
        let forced =
            self.finder.find(position, position.side_to_move(), &play_time.until(share))?;
        Some(Line { value: forced.value(forced.winner), pv: forced.line })
    }

    /// Returns a long defense, if all moves lose.
    fn longest_loss<G: SearchHints, E: Evaluator<G>>(
        &mut self,
        search: &mut AlphaBeta<E>,
        position: &G,
        play_time: &PlayTime,
        ties: Ties,
    ) -> Option<Line<G::Move>>
    where
        T: Tactics<G>,
    {
        let opponent = position.side_to_move().other();
        let share = play_time.time.mul_f64(WIN_SHARE + LOSS_SHARE);
        let forced = self.finder.find(position, opponent, &play_time.until(share))?;
        // The rest of the time is for the choice.
        let rest = play_time.until(play_time.time);
        let defenses = self.finder.longest_defenses(position, forced.plies, &rest);
        let mv = match ties {
            Ties::First => defenses.first()?.mv,
            Ties::Tempting => most_trying(&mut self.finder, search, position, &defenses, &rest)?,
        };
        // No move is worth more than the position.
        Some(Line { value: forced.value(position.side_to_move()), pv: vec![mv] })
    }

    /// Replaces the best move if it is seen to lose and another is not.
    fn avoid_loss<G: SearchHints, E: Evaluator<G>>(
        &mut self,
        search: &mut AlphaBeta<E>,
        position: &G,
        play_time: &PlayTime,
        report: &mut Report<G::Move>,
    ) where
        T: Tactics<G>,
    {
        let best = report.best_move();
        let allowance = Allowance { nodes: Some(CHECK_NODES), ..play_time.until(play_time.time) };
        if !report.best().value.is_estimate() || !self.loses(position, best, &allowance) {
            return;
        }
        let mut others: Vec<(Score, G::Move)> = Vec::new();
        for mv in position.legal_moves().filter(|&mv| mv != best) {
            if play_time.started.elapsed() >= play_time.time {
                return;
            }
            let spare = Limits { depth: Some(SPARE_DEPTH), ..search_limits(play_time, 1.0) };
            // A move that ends the game is no better than the best that the search knows.
            let next = position.after(mv);
            if let Some(reply) = search.best(&next, &spare) {
                others.push((Turn::between(position, &next).before_move(reply.score()), mv));
            }
        }
        others.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        let sound = others.into_iter().find(|&(_, mv)| !self.loses(position, mv, &allowance));
        if let Some((score, mv)) = sound {
            report.value = Value::Estimate(score);
            report.lines = vec![Line { value: report.value, pv: vec![mv] }];
        }
    }

    /// Returns true if the opponent is seen to win by force after `mv`. Knowledge of openings does not
    /// count: it is true of all moves or of none.
    fn loses<G: SearchHints>(&mut self, position: &G, mv: G::Move, allowance: &Allowance) -> bool
    where
        T: Tactics<G>,
    {
        let next = position.after(mv);
        let winner = position.side_to_move().other();
        if let Some(outcome) = next.outcome() {
            return outcome.winner() == Some(winner);
        }
        self.finder.find(&next, winner, allowance).is_some_and(|forced| !forced.prepared)
    }
}

/// Returns limits for the rest of the time, up to this share of it.
fn search_limits(play_time: &PlayTime, share: f64) -> Limits {
    let left = play_time.time.mul_f64(share).saturating_sub(play_time.started.elapsed());
    let time = left.max(play_time.time.mul_f64(LEAST_SHARE));
    Limits { context: play_time.context.clone(), ..Limits::time(Clock::Wall, time) }
}

fn by_force<M: Copy>(line: Line<M>) -> Report<M> {
    let depth = line.score().plies_to_end().map_or(0, i32::unsigned_abs);
    let (cpu, wall) = (Duration::ZERO, Duration::ZERO);
    Report { value: line.value, lines: vec![line], depth, nodes: 0, cpu, wall }
}

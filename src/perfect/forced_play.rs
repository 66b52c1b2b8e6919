//! Play on the clock with proof search for forced wins; and the defense that gives a fallible opponent the
//! greatest risk of a mistake.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::book::{Book, value_after};
use crate::clock::{Instant, Stopwatch};
use crate::game::{Game, Turn};
use crate::hints::{Evaluator, SearchHints};
use crate::proof::{Allowance, Defense, Finder, Tactics};
use crate::score::Score;
use crate::search::{
    AlphaBeta, Clock, Limits, Line, Report, Scope, Search, SearchContext, bounds_at, greatest_first,
};
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
/// The depth of the search that chooses among the moves that do not lose, if the best move loses.
const SPARE_DEPTH: u32 = 2;

/// The numbers of plies that the opponent may look ahead, each with the same probability.
const OPPONENT_SIGHTS: [u32; 4] = [1, 2, 3, 4];

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
    /// unless that move is seen to lose and another move is not.
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
        let mut choice = Choice { finder: &mut self.finder, search, position, play_time, ties };
        let decided = is_of_use.then(|| choice.win().or_else(|| choice.longest_loss()));
        let mut report = match decided.flatten() {
            Some(line) => by_force(line),
            None => {
                let share = if is_of_use { 1.0 - CHECK_SHARE } else { 1.0 };
                let limits = search_limits(play_time, share);
                let mut report = choice.search.best(position, &limits)?;
                if is_of_use {
                    choice.avoid_loss(&mut report);
                }
                report
            }
        };
        report.nodes += self.finder.take_nodes();
        report.cpu = stopwatch.cpu();
        report.wall = play_time.started.elapsed();
        Some(report)
    }
}

/// The choice of a move in one position.
struct Choice<'a, G, E, T> {
    finder: &'a mut Finder<T>,
    search: &'a mut AlphaBeta<E>,
    position: &'a G,
    play_time: &'a PlayTime,
    ties: Ties,
}

impl<G: SearchHints, E: Evaluator<G>, T: Tactics<G>> Choice<'_, G, E, T> {
    /// Returns a line that is proven to win.
    fn win(&mut self) -> Option<Line<G::Move>> {
        let share = match self.finder.expects(self.position) {
            Some(_) => self.play_time.likely.mul_f64(LIKELY_SHARE),
            None => self.play_time.time.mul_f64(WIN_SHARE),
        };
        let (winner, allowance) = (self.position.side_to_move(), self.play_time.until(share));
        let forced = self.finder.find(self.position, winner, &allowance)?;
        Some(Line { value: forced.value(winner), pv: forced.line })
    }

    /// Returns a long defense, if all moves lose.
    fn longest_loss(&mut self) -> Option<Line<G::Move>> {
        let (position, play_time) = (self.position, self.play_time);
        let opponent = position.side_to_move().other();
        let share = play_time.time.mul_f64(WIN_SHARE + LOSS_SHARE);
        let forced = self.finder.find(position, opponent, &play_time.until(share))?;
        // The rest of the time is for the choice.
        let rest = play_time.until(play_time.time);
        let defenses = self.finder.longest_defenses(position, forced.plies, &rest);
        let mv = match self.ties {
            Ties::First => defenses.first()?.mv,
            Ties::Tempting => self.most_trying(&defenses, &rest)?,
        };
        // No move is worth more than the position.
        Some(Line { value: forced.value(position.side_to_move()), pv: vec![mv] })
    }

    /// Replaces the best move if it is seen to lose and another is not.
    fn avoid_loss(&mut self, report: &mut Report<G::Move>) {
        let (position, play_time) = (self.position, self.play_time);
        let best = report.best_move();
        let allowance = Allowance { nodes: Some(CHECK_NODES), ..play_time.until(play_time.time) };
        if !report.best().value.is_estimate() || !self.loses(best, &allowance) {
            return;
        }
        let mut others: Vec<(Score, G::Move)> = Vec::new();
        for mv in position.legal_moves().filter(|&mv| mv != best) {
            if play_time.started.elapsed() >= play_time.time {
                return;
            }
            let spare = Limits { depth: Some(SPARE_DEPTH), ..search_limits(play_time, 1.0) };
            // A move that ends the game is no better than the best move of the search, and is skipped.
            let next = position.after(mv);
            if let Some(reply) = self.search.best(&next, &spare) {
                others.push((Turn::between(position, &next).before_move(reply.score()), mv));
            }
        }
        greatest_first(&mut others, |&(score, _)| score.get());
        let sound = others.into_iter().find(|&(_, mv)| !self.loses(mv, &allowance));
        if let Some((score, mv)) = sound {
            report.value = Value::Estimate(score);
            report.lines = vec![Line { value: report.value, pv: vec![mv] }];
        }
    }

    /// Returns true if the opponent is seen to win by force after `mv`. Prepared wins do not count, because
    /// they hold for all moves or for none.
    fn loses(&mut self, mv: G::Move, allowance: &Allowance) -> bool {
        let next = self.position.after(mv);
        let winner = self.position.side_to_move().other();
        if let Some(outcome) = next.outcome() {
            return outcome.winner() == Some(winner);
        }
        self.finder.find(&next, winner, allowance).is_some_and(|forced| !forced.prepared)
    }

    /// Returns the defense after which a fallible opponent is likeliest to let the win slip, among the
    /// defenses that are examined in time; among equals, the defense with the fewest refutations. `None` if
    /// there are no defenses.
    ///
    /// The opponent is assumed to look 1, 2, 3 or 4 plies ahead, and to make any of the moves that look
    /// best. Proofs find the moves that let the win slip.
    fn most_trying(
        &mut self,
        defenses: &[Defense<G::Move>],
        allowance: &Allowance,
    ) -> Option<G::Move> {
        if let [only] = defenses {
            return Some(only.mv);
        }
        let mut best: Option<((f64, u32), G::Move)> = None;
        for defense in defenses {
            let next = self.position.after(defense.mv);
            // Where the defender moves again, the opponent has no move with which to let the win slip.
            if !Turn::between(self.position, &next).changes() {
                continue;
            }
            let Some(slips) = self.slips(&next, defense.plies, allowance) else { break };
            let (most, fewest) = match best {
                Some(((most, fewest), _)) if slips == most => (most, fewest),
                Some(((most, _), _)) => (most, u32::MAX),
                None => (f64::NEG_INFINITY, u32::MAX),
            };
            if slips < most {
                continue;
            }
            let refutations = self.finder.refutations(&next, defense.plies, fewest, allowance);
            // A defense whose search was cut off would look hard to refute.
            if allowance.is_over() {
                break;
            }
            if refutations < fewest {
                best = Some(((slips, refutations), defense.mv));
            }
        }
        best.map(|(_, mv)| mv).or(defenses.first().map(|defense| defense.mv))
    }

    /// Returns the probability that the player to move in `position`, who wins within `plies`, lets the win
    /// slip, times the number of sights; `None` if the time is over.
    fn slips(&mut self, position: &G, plies: u32, allowance: &Allowance) -> Option<f64> {
        let mut sum = 0.0;
        for sight in OPPONENT_SIGHTS {
            let limits = Limits { depth: Some(sight), ..allowance.limits(u64::MAX) };
            let seen = self.search.search(position, &limits, Scope::BestMoves, &mut |_| ())?;
            if seen.depth < sight && !seen.proven() {
                return None;
            }
            let mut wins = |mv| self.finder.still_wins(position, mv, plies, allowance);
            let kept =
                seen.lines.iter().map(|line| line.first_move()).filter(|&mv| wins(mv)).count();
            sum += 1.0 - kept as f64 / seen.lines.len() as f64;
        }
        (!allowance.is_over()).then_some(sum)
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

/// The numbers of plies that the fallible player may look ahead, each with the same probability.
const SIGHTS: [u32; 3] = [4, 6, 8];

/// The apparent loss in points that makes a reply 1/e times as likely.
const FUZZINESS: f64 = 0.05;

/// The least probability of a reply that counts: each such reply takes a search to the end to find its
/// cost.
const LIKELY: f64 = 0.1;

/// The greatest cost of a mistake in points: one more lost point hardly matters to a player who loses many,
/// and a forced loss is not a number of points.
const WORST: i32 = 3;

/// The prospect of a position against a fallible player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// The expected loss of the player to move by a mistake, as a score: from 0, if no mistake is likely,
    /// to three points.
    pub loss: f64,
    /// The apparent value of the position to the other player, as a score: the average over the depths that
    /// the player to move may look ahead.
    pub looks: f64,
    /// The number of positions visited.
    pub nodes: u64,
}

impl Prospect {
    /// Returns the sum of `loss` and `looks`. A position that looks good for the other player leaves room
    /// for mistakes later, so it is preferred where no mistake is likely at once.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.loss + self.looks
    }
}

/// Returns the prospect of `position` against a fallible player who is to move; its exact value to that
/// player is `value`. `None` if one of `limits`, apart from its depth, was reached, if nothing limits the
/// length of the game, or if the game is over.
///
/// The player is assumed to look 4, 6 or 8 plies ahead, and plays each move with a probability that falls
/// exponentially with the apparent loss against the best move, by a factor of e for each 0.05 points. The
/// real cost of the likely moves comes from the book or from searches to the end. These constants did best
/// in matches.
pub fn prospect<G: SearchHints, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    book: Option<&Book>,
    position: &G,
    value: Score,
    limits: &Limits,
) -> Option<Prospect> {
    let Guess { likely, looks, mut nodes } = guess(search, position, limits)?;
    let patience = limits.patience.unwrap_or(u64::MAX);
    let (mut loss, mut total) = (0.0, 0.0);
    for (mv, weight) in likely {
        let next = position.after(mv);
        let real = match value_after(book, position, &next) {
            Some(known) => known,
            None => {
                let patience = Some(patience.saturating_sub(nodes));
                let limits = Limits { depth: next.plies_left(), patience, ..limits.clone() };
                let report = search.best(&next, &limits).filter(Report::proven)?;
                nodes += report.nodes;
                Turn::between(position, &next).before_move(report.score())
            }
        };
        loss += weight * f64::from((value.get() - real.get()).clamp(0, WORST * G::POINT));
        total += weight;
    }
    let loss = if total > 0.0 { loss / total } else { 0.0 };
    Some(Prospect { loss, looks, nodes })
}

/// A guess at the moves of the player.
struct Guess<M> {
    /// The likely moves and their probabilities.
    likely: Vec<(M, f64)>,
    /// The value of [`Prospect::looks`].
    looks: f64,
    nodes: u64,
}

fn guess<G: SearchHints, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    limits: &Limits,
) -> Option<Guess<G::Move>> {
    let left = position.plies_left()?;
    let mut guess = Guess { likely: Vec::new(), looks: 0.0, nodes: 0 };
    let share = 1.0 / SIGHTS.len() as f64;
    for sight in SIGHTS {
        let depth = sight.min(left);
        let limits = Limits { depth: Some(depth), ..limits.clone() };
        let seen = search.search(position, &limits, Scope::EveryMove, &mut |_| ())?;
        if seen.depth < depth && !seen.proven() {
            return None;
        }
        let best = seen.score().get();
        // Below the lower bound of the position, moves look alike.
        let bounds = bounds_at(position, seen.depth);
        let frequency = |line: &Line<G::Move>| {
            (-f64::from(best - bounds.clamp(line.score()).get())
                / (FUZZINESS * f64::from(G::POINT)))
            .exp()
        };
        let sum: f64 = seen.lines.iter().map(frequency).sum();
        for line in &seen.lines {
            let probability = share * frequency(line) / sum;
            match guess.likely.iter_mut().find(|(mv, _)| *mv == line.first_move()) {
                Some((_, total)) => *total += probability,
                None => guess.likely.push((line.first_move(), probability)),
            }
        }
        guess.looks -= share * f64::from(best);
        guess.nodes += seen.nodes;
    }
    guess.likely.retain(|&(_, probability)| probability >= LIKELY);
    Some(guess)
}

/// The error of a search that reached its limit of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPositions;

impl fmt::Display for TooManyPositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many positions for a plain search")
    }
}

impl Error for TooManyPositions {}

/// Returns the result of best play from `position`, as the side to move sees it, found by alpha-beta with
/// only the rules: no table, no bounds, no order of moves, no evaluation.
///
/// The function shares no code with [`AlphaBeta`](crate::AlphaBeta), so that it can check its results.
///
/// # Errors
///
/// Returns an error if the search would visit more than `nodes` positions.
///
/// ```
/// use plyground::Score;
/// use plyground::perfect::{TooManyPositions, plain_value};
/// use plyground::testing::TicTacToe;
///
/// assert_eq!(plain_value(&TicTacToe::default(), 100_000), Ok(Score::ZERO));
/// assert_eq!(plain_value(&TicTacToe::default(), 100), Err(TooManyPositions));
/// ```
pub fn plain_value<G: Game>(position: &G, nodes: u64) -> Result<Score, TooManyPositions> {
    let mut left = nodes;
    alpha_beta(position, 0, Score::MIN, Score::MAX, &mut left)
}

fn alpha_beta<G: Game>(
    position: &G,
    ply: u32,
    mut alpha: Score,
    beta: Score,
    nodes_left: &mut u64,
) -> Result<Score, TooManyPositions> {
    *nodes_left = nodes_left.checked_sub(1).ok_or(TooManyPositions)?;
    if let Some(outcome) = position.outcome() {
        return Ok(outcome.score::<G>(position.side_to_move(), ply));
    }
    for mv in position.legal_moves() {
        let next = position.after(mv);
        let turn = Turn::between(position, &next);
        let (low, high) = turn.window(alpha, beta);
        let score = turn.across(alpha_beta(&next, ply + 1, low, high, nodes_left)?);
        if score >= beta {
            return Ok(beta);
        }
        alpha = alpha.max(score);
    }
    Ok(alpha)
}

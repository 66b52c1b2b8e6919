//! How likely a fallible player is to go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::Score;
use crate::search::{AlphaBeta, Limits, Report, Scope, Search};

/// How far the fallible player looks ahead.
const SIGHT: u32 = 4;

/// How much worse, in hundredths of a point, a move must look to the fallible player to be
/// played 1/e times as often.
const FUZZINESS: f64 = 40.0;

/// With so many plies left, what every move is really worth is found by a search to the end.
const EXACT_PLIES: u32 = 18;

/// With more plies left, it is judged by as deep a search as this many nodes allow.
const NODES: u64 = 100_000;

/// A mistake costs this much at most, in hundredths of a point: one more lost point hardly
/// matters to a player who loses many, and forced losses are no points at all.
const WORST: i32 = 300;

/// What a fallible player is expected to lose by his move in `position`, in hundredths of a
/// point: from 0, when he can do no wrong, to 300.
///
/// The player is taken for one who looks four plies ahead and is unsure about what he sees: he
/// plays each move with a probability that falls exponentially with how much worse than another
/// it looks to him, by a factor of e for each 0.4 points. What each move really costs against the
/// best is known from a search to the end when few plies are left, and judged by a deeper search
/// otherwise. The sum of cost times probability over the moves is the expected loss.
///
/// `None` when `stop` was raised meanwhile; 0 when the game is over.
pub fn expected_loss<G: Game, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    stop: Option<&Arc<AtomicBool>>,
) -> Option<f64> {
    let mut every_move = |limits: Limits| {
        let limits = Limits { stop: stop.cloned(), ..limits };
        search.search(position, &limits, Scope::EveryMove, &mut |_| ())
    };
    let deep = match position.plies_left() {
        Some(left) if left <= EXACT_PLIES => Limits::depth(left),
        left => Limits { depth: left, ..Limits::nodes(NODES) },
    };
    let (Some(seen), Some(real)) = (every_move(Limits::depth(SIGHT)), every_move(deep)) else {
        return Some(0.0);
    };
    let stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    (!stopped).then(|| weigh(&seen, &real))
}

/// The mean cost of the moves in `real`, each as likely as it looks in `seen`.
fn weigh<M: Copy + Eq>(seen: &Report<M>, real: &Report<M>) -> f64 {
    let (mut cost_sum, mut weight_sum) = (0.0, 0.0);
    for line in &seen.lines {
        let mv = line.first_move();
        let Some(real_line) = real.lines.iter().find(|line| line.first_move() == mv) else {
            continue;
        };
        let weight = (-f64::from(gap(seen.score(), line.score)) / FUZZINESS).exp();
        let cost = gap(real.score(), real_line.score).min(WORST);
        cost_sum += weight * f64::from(cost);
        weight_sum += weight;
    }
    if weight_sum > 0.0 { cost_sum / weight_sum } else { 0.0 }
}

/// By how much `score` is less than `best`.
fn gap(best: Score, score: Score) -> i32 {
    best.get() - score.get()
}

//! The risk that a fallible player makes a mistake.

use crate::book::{Book, value_after};
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::search::{AlphaBeta, Limits, Line, Report, Scope, Search, bounds_at};

/// The numbers of plies that the fallible player may look ahead, each with the same probability.
const SIGHTS: [u32; 3] = [4, 6, 8];

/// A reply that looks worse by this many points is played 1/e times as often.
const FUZZINESS: f64 = 0.05;

/// The least probability of a reply that counts: each such reply takes a search to the end to find its
/// cost.
const LIKELY: f64 = 0.1;

/// A mistake costs this many points at most: one more lost point hardly
/// matters to a player who loses many, and a forced loss is not a number of points.
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
    /// for mistakes later, so it is the better one where no mistake is likely at once.
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
/// exponentially with how much worse than another it looks, by a factor of e for each 0.05 points. The real
/// cost of the likely moves comes from the book or from searches to the end. The constants are those that
/// did best in matches.
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
        let real = match value_after(book, &next) {
            Some(known) => known,
            None => {
                let patience = Some(patience.saturating_sub(nodes));
                let limits = Limits { depth: next.plies_left(), patience, ..limits.clone() };
                let report = search.best(&next, &limits).filter(Report::proven)?;
                nodes += report.nodes;
                report.score().before_move()
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

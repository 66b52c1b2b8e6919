//! The choice of a move where every move loses.

use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::proof::{Allowance, Defense, Finder, Tactics};
use crate::search::{AlphaBeta, Limits, Scope, Search};

/// The numbers of plies that the opponent may look ahead, each with the same probability.
const SIGHTS: [u32; 4] = [1, 2, 3, 4];

/// Returns the defense after which a fallible opponent is likeliest to let the win slip, of those for which
/// there is time to find out; among equals the one that the fewest replies refute. `None` if there are no
/// defenses.
///
/// The opponent is assumed to look 1, 2, 3 or 4 plies ahead, and to make any of the moves that look best.
/// Proofs find the moves that let the win slip.
pub(super) fn most_trying<G: SearchHints, E: Evaluator<G>, T: Tactics<G>>(
    finder: &mut Finder<T>,
    search: &mut AlphaBeta<E>,
    position: &G,
    defenses: &[Defense<G::Move>],
    allowance: &Allowance,
) -> Option<G::Move> {
    if let [only] = defenses {
        return Some(only.mv);
    }
    let mut best: Option<((f64, u32), G::Move)> = None;
    for defense in defenses {
        let next = position.after(defense.mv);
        let Some(slips) = slips(finder, search, &next, defense.plies, allowance) else { break };
        let (most, fewest) = match best {
            Some(((most, fewest), _)) if slips == most => (most, fewest),
            Some(((most, _), _)) => (most, u32::MAX),
            None => (f64::NEG_INFINITY, u32::MAX),
        };
        if slips < most {
            continue;
        }
        let refutations = finder.refutations(&next, defense.plies, fewest, allowance);
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

/// Returns the probability that the player to move, who wins within `plies`, lets the win slip, times the
/// number of sights; `None` if the time is over.
fn slips<G: SearchHints, E: Evaluator<G>, T: Tactics<G>>(
    finder: &mut Finder<T>,
    search: &mut AlphaBeta<E>,
    position: &G,
    plies: u32,
    allowance: &Allowance,
) -> Option<f64> {
    let mut sum = 0.0;
    for sight in SIGHTS {
        let limits = Limits { depth: Some(sight), ..allowance.limits(u64::MAX) };
        let seen = search.search(position, &limits, Scope::BestMoves, &mut |_| ())?;
        if seen.depth < sight && !seen.proven() {
            return None;
        }
        let mut wins = |mv| finder.still_wins(position, mv, plies, allowance);
        let kept = seen.lines.iter().map(|line| line.first_move()).filter(|&mv| wins(mv)).count();
        sum += 1.0 - kept as f64 / seen.lines.len() as f64;
    }
    (!allowance.is_over()).then_some(sum)
}

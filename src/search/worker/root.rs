//! The root of a search: its moves, the window around their values, and the principal variation.

use super::Worker;
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::search::aspiration::Aspiration;

/// A root move with the value that is kept from one depth to the next.
#[derive(Clone, Debug)]
pub(in crate::search) struct Root<G: SearchHints> {
    pub(in crate::search) mv: G::Move,
    /// The position after the move.
    pub(in crate::search) next: G,
    /// The value at the last depth searched, if the move was searched by itself.
    pub(in crate::search) guess: Score,
}

impl<G: SearchHints, E: Evaluator<G>> Worker<'_, G, E> {
    /// Returns the moves of the position to be searched, in the order of the seed, if there is one.
    pub(in crate::search) fn first_roots(&self, position: &G) -> Vec<Root<G>> {
        #[cfg(feature = "rand")]
        if let Some(seed) = self.options.seed {
            use rand::SeedableRng;
            use rand::seq::SliceRandom;
            let mut roots: Vec<Root<G>> = unordered(position).collect();
            roots.shuffle(&mut rand::rngs::StdRng::seed_from_u64(seed));
            return roots;
        }
        self.roots(position)
    }

    /// Returns the moves of `position`, the most promising first.
    fn roots(&self, position: &G) -> Vec<Root<G>> {
        let mut roots: Vec<Root<G>> = unordered(position).collect();
        roots.sort_by_cached_key(|root| {
            std::cmp::Reverse(self.evaluator.order(position, root.mv, &root.next))
        });
        roots
    }

    /// Returns the greatest value among `roots`, moves of a position that is `ply` plies from the root, and
    /// the index of a move that has it (without meaning if the value is not above `alpha`). The value is
    /// exact between `alpha` and `beta`, and a bound outside. It is not moved into the bounds of the
    /// position, so that the moves stay comparable. Returns `None` if the search was stopped.
    pub(in crate::search) fn search_roots(
        &mut self,
        roots: &[Root<G>],
        depth: u32,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> Option<(Score, usize)> {
        let mut best = (Score::MIN, 0);
        for (index, root) in roots.iter().enumerate() {
            let alpha = alpha.max(best.0);
            let null_window = index > 0 && self.options.null_window;
            let high = if null_window { alpha + 1 } else { beta };
            let mut score = -self.child(&root.next, depth - 1, ply + 1, -high, -alpha);
            if null_window && score > alpha && score < beta {
                score = -self.child(&root.next, depth - 1, ply + 1, -beta, -alpha);
            }
            if self.meter.is_stopped() {
                return None;
            }
            if score > best.0 {
                best = (score, index);
            }
            if score >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Returns `V(position, depth)`, or `None` if the search was stopped.
    pub(in crate::search) fn value(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        guess: Score,
    ) -> Option<Score> {
        let mut window = Aspiration::new(position, depth, guess, self.options);
        while let Some((alpha, beta)) = window.next() {
            let score = self.child(position, depth, ply, alpha, beta);
            if self.meter.is_stopped() {
                return None;
            }
            window.narrow(alpha, beta, score);
        }
        Some(window.value())
    }

    /// Follows best play from `position`, whose value is `value`, and adds the moves to `pv`.
    pub(in crate::search) fn trace(
        &mut self,
        mut position: G,
        depth: u32,
        mut value: Score,
        pv: &mut Vec<G::Move>,
    ) {
        for depth in (1..=depth).rev() {
            if position.outcome().is_some() {
                return;
            }
            let roots = self.roots(&position);
            let ply = pv.len() as u32;
            // The first move that reaches the value is as good as any: a better one need not be looked for.
            let found = self.search_roots(&roots, depth, ply, value - 1, value);
            let Some((score, index)) = found.filter(|(score, _)| *score == value) else { return };
            pv.push(roots[index].mv);
            position = roots[index].next.clone();
            value = -score;
        }
    }
}

/// Returns the moves of `position` as the game generates them.
fn unordered<G: SearchHints>(position: &G) -> impl Iterator<Item = Root<G>> {
    position.legal_moves().map(|mv| Root { mv, next: position.after(mv), guess: Score::ZERO })
}

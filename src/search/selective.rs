//! The selective search of a player on the clock: it reduces late moves, and is not exact.
//!
//! Its values are not `V(p, d)`, because it searches unpromising moves less deep. Its wins and losses are
//! still correct, because it leaves out no move.
//!
//! These techniques were tried for Network and won no matches: null-move pruning, an extension by a ply
//! where a threat leaves few replies, a quiescence search of threats, late-move pruning, and reverse
//! futility pruning (cutoffs by estimates far above the window).

use std::ops::Neg;

use super::entry::{Entry, Stored};
use super::node::{Node, Root, leaf_value};
use super::ordering::Candidate;
use super::worker::{Worker, translate};
use crate::game::Turn;
use crate::hints::{Evaluator, Forcing, SearchHints, Successors};
use crate::score::{Bounds, Score};
use crate::table::NO_MOVE;

/// The salt that keeps the entries of this search apart from the entries of exact searches.
const KEY_SALT: u64 = 0x3c6e_f372_fe94_f82b;

/// The least depth at which late moves are reduced, and the number of moves before them that are not.
const REDUCTION_DEPTH: u32 = 3;
const UNREDUCED: usize = 3;

/// The divisor of the reduction, which is the product of the logarithms of depth and index.
const REDUCTION_DIVISOR: u32 = 3;

/// The window of the search for a value.
#[derive(Clone, Copy)]
struct Window {
    alpha: Score,
    beta: Score,
}

impl Window {
    /// Returns the null window, which only asks whether the value is above alpha.
    fn null(self) -> Window {
        Window { beta: self.alpha + 1, ..self }
    }
}

/// The window as the other side sees it.
impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// A node to be searched: not over, and above the horizon.
struct Spot<'a, G> {
    position: &'a G,
    depth: u32,
    ply: u32,
}

impl<G: SearchHints, E: Evaluator<G>> Worker<'_, G, E> {
    /// Searches `roots`, moves of `position`, the first one in full. Returns the greatest value and the index
    /// of its move, if any move was finished; and true if the search was finished.
    pub(super) fn search_roots_selectively(
        &mut self,
        (position, roots): (&G, &[Root<G>]),
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> (Option<(Score, usize)>, bool) {
        let mut best: Option<(Score, usize)> = None;
        for (index, root) in roots.iter().enumerate() {
            let low = alpha.max(best.map_or(Score::MIN, |(score, _)| score));
            let window = Window { alpha: low, beta };
            let reduction = reduction(depth, index);
            let score =
                self.scout((position, &root.next), (depth, reduction), 0, index > 0, window);
            if self.meter.is_stopped() {
                return (best, false);
            }
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, index));
            }
            if score >= beta {
                break;
            }
        }
        (best, true)
    }

    /// Returns the value of the move from `position` to `next` at a node of this depth and ply. The first
    /// search is reduced; the second, for a `late` move (any except the first), has the full depth and a
    /// null window; the third has the full window. Each takes place only if the value is still open.
    fn scout(
        &mut self,
        (position, next): (&G, &G),
        (depth, reduction): (u32, u32),
        ply: u32,
        late: bool,
        window: Window,
    ) -> Score {
        let (depth, ply) = (depth - 1, ply + 1);
        let turn = Turn::between(position, next);
        let mut search =
            |depth, window| turn.across(self.selective(next, depth, ply, turn.across(window)));
        let mut score = Score::MAX;
        if reduction > 0 {
            score = search(depth - reduction, window.null());
        }
        if late && score > window.alpha {
            score = search(depth, window.null());
        }
        if score > window.alpha && (!late || score < window.beta) {
            score = search(depth, window);
        }
        score
    }

    /// Returns the value of any position.
    fn selective(&mut self, position: &G, depth: u32, ply: u32, window: Window) -> Score {
        if self.meter.visit() {
            return Score::ZERO;
        }
        if let Some(outcome) = position.outcome() {
            return outcome.score::<G>(position.side_to_move(), ply);
        }
        if depth == 0 {
            return leaf_value(self.evaluator, position);
        }
        // A win or a loss is at least one move away.
        let window = Window {
            alpha: window.alpha.max(Score::loss_in(ply + 1)),
            beta: window.beta.min(Score::win_in(ply + 1)),
        };
        if window.alpha >= window.beta {
            return window.alpha;
        }
        self.look_into(&Spot { position, depth, ply }, window)
    }

    fn look_into(&mut self, spot: &Spot<'_, G>, window: Window) -> Score {
        let mut stored = Stored::new(spot.position, spot.depth, spot.ply, self.local);
        stored.key ^= KEY_SALT;
        let mut best_code = NO_MOVE;
        if let Some(entry) = self.peek(&stored) {
            let known = stored.at_least(&entry, spot.depth);
            if known.lower >= window.beta {
                return known.lower;
            }
            if known.upper <= window.alpha || known.lower == known.upper {
                return known.upper;
            }
            best_code = entry.best;
        }
        let nodes_before = self.meter.nodes();
        let mut replies = Vec::new();
        let best = match spot.position.forcing(&mut replies) {
            Forcing::Win(_) => return Score::win_in(spot.ply + 1),
            Forcing::Threatened => {
                let hopeless = Score::loss_in(spot.ply + 2);
                let moves = (Forcing::Threatened, replies.into_iter());
                self.try_moves(spot, moves, hopeless, window, &mut best_code)
            }
            forcing if self.is_unordered(spot.depth) => {
                self.best_leaf(spot.position, spot.ply, forcing, window.beta)
            }
            forcing => {
                let moves = (forcing, spot.position.open_moves());
                self.try_moves(spot, moves, Score::MIN, window, &mut best_code)
            }
        };
        if self.meter.is_stopped() {
            return Score::ZERO;
        }
        let bounds = Bounds {
            lower: if best > window.alpha { best } else { Score::MIN },
            upper: if best < window.beta { best } else { Score::MAX },
        };
        self.keep(&stored, bounds, best_code, self.meter.nodes() - nodes_before);
        best
    }

    /// Returns the greatest value of one of `moves`, which come with the game's answer about forcing. The
    /// most promising is searched first, and `best` is the greatest value of all other moves. Leaves the
    /// code of a move above alpha that has the value in `best_code`.
    fn try_moves(
        &mut self,
        spot: &Spot<'_, G>,
        (forcing, moves): (Forcing<G::Move>, impl Iterator<Item = G::Move>),
        mut best: Score,
        mut window: Window,
        best_code: &mut u16,
    ) -> Score {
        self.call_for_help();
        let Spot { position, depth, ply } = *spot;
        let start = self.candidates.top();
        let stored = Stored::default();
        let mut successors = position.successors(forcing);
        for mv in moves {
            let next = successors.after(mv);
            self.candidates.push(Candidate {
                next,
                stored,
                bounds: Bounds::NONE,
                is_closer: false,
                mv,
            });
        }
        let node = Node { position, stored, known: Bounds::NONE, is_closer: false, depth, ply };
        self.order(&node, start, translate(position, *best_code));
        // Replies to a threat are few, and any of them may be the only good move, so none is reduced.
        let is_forced = best > Score::MIN;
        let mut index = 0;
        while let Some(selection) = self.candidates.select(start) {
            let candidate = self.candidates.get(selection);
            let (mv, next) = (candidate.mv, candidate.next.clone());
            let reduction = if is_forced { 0 } else { reduction(depth, index) };
            let score = self.scout((position, &next), (depth, reduction), ply, index > 0, window);
            index += 1;
            if self.meter.is_stopped() {
                break;
            }
            best = best.max(score);
            if score > window.alpha {
                window.alpha = score;
                *best_code = position.canonical_code(position.move_code(mv)) as u16;
                if score >= window.beta {
                    self.reward(&node, mv, start);
                    break;
                }
            }
        }
        self.candidates.truncate(start);
        best
    }

    fn peek(&self, stored: &Stored) -> Option<Entry> {
        if self.tables.is_used() { self.tables.get(stored) } else { None }
    }

    fn keep(&self, stored: &Stored, bounds: Bounds, best: u16, nodes: u64) {
        if self.tables.is_used() {
            let (depth, work) = (stored.depth as u8, (nodes + 1).ilog2() as u8);
            let entry = Entry { bounds: stored.to_table(bounds), depth, best, work };
            self.tables.put(stored, entry);
        }
    }
}

/// Returns the number of plies by which the search of move number `index` in the order is shorter
/// (late-move reductions: the later the move, the more).
fn reduction(depth: u32, index: usize) -> u32 {
    if depth < REDUCTION_DEPTH || index < UNREDUCED {
        return 0;
    }
    let product = depth.ilog2() * (index + 1).ilog2();
    (product / REDUCTION_DIVISOR).clamp(1, depth - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_a_move_and_the_deeper_a_search_the_less_is_looked_at() {
        for depth in 1..=40 {
            for index in 0..200 {
                let found = reduction(depth, index);
                if depth < REDUCTION_DEPTH || index < UNREDUCED {
                    assert_eq!(found, 0, "depth {depth}, move {index}");
                    continue;
                }
                assert!((1..=depth - 2).contains(&found), "{found}, depth {depth}, move {index}");
                assert!(found <= reduction(depth + 1, index), "depth {depth}, move {index}");
                assert!(found <= reduction(depth, index + 1), "depth {depth}, move {index}");
            }
        }
        assert!(
            [(3, 3), (8, 3), (8, 30), (40, 30)].map(|(depth, index)| reduction(depth, index))
                == [1, 2, 4, 6]
        );
    }
}

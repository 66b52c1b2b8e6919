//! Step 3 of a node: the moves, and their order.

use super::Worker;
use crate::eval::Evaluator;
use crate::forcing::Forcing;
use crate::hints::{SearchHints, Successors};
use crate::score::{Bounds, Score};
use crate::search::candidates::Candidate;
use crate::search::node::Node;
use crate::search::stored::Stored;

/// The weight of a proven lower bound of a move in the order of search, against an estimate: the weight
/// that a confident evaluator gives a point. Moves that leave the opponent little hope have small proofs.
const LOWER_BOUND_WEIGHT: i32 = 200;

/// The threats that a game reports come true within two plies: a search of less depth does not see
/// them.
const FORCING_DEPTH: u32 = 2;

/// The least depth at which the closer bounds of all children pay before any of them is searched: with
/// them, a search of the empty board of Max-Connect4 takes fewer than half of the nodes, and half of the
/// time.
const CLOSER_CHILD_DEPTH: u32 = 10;

/// The result of generating the moves of a node.
pub(super) enum Expansion {
    /// The moves that may have a score above alpha are on the stack, from this index on; no other move has
    /// a score above this score.
    Open(Score, usize),
    /// The move with this code has a score of at least this, which is not below beta; the stack
    /// is as it was.
    Cutoff(Score, u16),
}

impl<G: SearchHints, E: Evaluator<G>> Worker<'_, G, E> {
    /// Puts the moves of the node on the stack of candidates, with the bounds known for each.
    pub(super) fn expand(
        &mut self,
        node: &Node<'_, G>,
        alpha: Score,
        beta: Score,
        table_move: u16,
    ) -> Expansion {
        let start = self.candidates.top();
        let mut replies = std::mem::take(&mut self.replies);
        replies.clear();
        let expansion = match self.forcing(node, &mut replies) {
            Forcing::Win(mv) => {
                let code = node.position.move_code(mv) as u16;
                Expansion::Cutoff(Score::win_in(node.ply + 1), code)
            }
            Forcing::Threatened => {
                let lost = Score::loss_in(node.ply + 2);
                let moves = (Forcing::Threatened, replies.iter().copied());
                self.push_moves(node, moves, lost, alpha, beta)
            }
            forcing @ (Forcing::Quiet | Forcing::Unknown) => {
                let moves = (forcing, node.position.open_moves());
                self.push_moves(node, moves, Score::MIN, alpha, beta)
            }
        };
        self.replies = replies;
        match expansion {
            Expansion::Open(..) => self.order(node, start, table_move),
            _ => self.candidates.truncate(start),
        }
        expansion
    }

    /// Puts those of `moves` that may have a score above alpha on the stack. `moves` come with the game's
    /// answer about forcing, and `hopeless` is the greatest score of a move that is not among them. After a
    /// cutoff the stack is not restored.
    #[inline]
    fn push_moves(
        &mut self,
        node: &Node<'_, G>,
        (forcing, moves): (Forcing<G::Move>, impl Iterator<Item = G::Move>),
        mut hopeless: Score,
        alpha: Score,
        beta: Score,
    ) -> Expansion {
        let start = self.candidates.top();
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        let look_up = self.options.child_cutoff
            && node.depth >= self.options.child_cutoff_depth
            && self.is_kept(depth);
        let mut successors = node.position.successors(forcing);
        for mv in moves {
            let next = successors.after(mv);
            let bounds = match next.outcome() {
                Some(outcome) => Bounds::only(outcome.score::<G>(next.side_to_move(), ply)),
                None => next.bounds(),
            };
            let bounds = bounds.flip();
            if bounds.upper <= alpha {
                hopeless = hopeless.max(bounds.upper);
                continue;
            }
            if bounds.lower >= beta {
                return Expansion::Cutoff(bounds.lower, node.position.move_code(mv) as u16);
            }
            let mut stored = Stored::default();
            if look_up && bounds.lower < bounds.upper {
                stored = Stored::new(&next, depth, ply, self.local);
                self.tables.prefetch(&stored);
            }
            self.candidates.push(Candidate { next, stored, bounds, is_closer: false, mv });
        }
        let cutoff = if look_up { self.child_cutoff(node, start, beta) } else { None };
        let cutoff = cutoff.or_else(|| self.closer_cutoff(node, start, alpha, beta));
        cutoff.unwrap_or(Expansion::Open(hopeless, start))
    }

    /// Returns the game's knowledge of the next two plies, if the search looks that far.
    #[inline]
    fn forcing(&self, node: &Node<'_, G>, replies: &mut Vec<G::Move>) -> Forcing<G::Move> {
        if self.options.forcing && node.depth >= FORCING_DEPTH {
            node.position.forcing(replies)
        } else {
            Forcing::Unknown
        }
    }

    /// Applies the limits that the table knows for the children. Returns a cutoff if one of them
    /// causes it.
    fn child_cutoff(&mut self, node: &Node<'_, G>, start: usize, beta: Score) -> Option<Expansion> {
        for candidate in self.candidates.since(start) {
            let stored = candidate.stored;
            if stored.depth == 0 {
                continue;
            }
            let Some(entry) = self.tables.get(&stored) else { continue };
            let usable = stored.usable(&entry, node.depth - 1);
            let bounds = candidate.bounds.intersect(usable.flip());
            // A bound that rests on an evaluation would be passed on to the child as if it were proven.
            let is_lasting = !G::MAY_END_EARLY || !stored.rests_on_estimates(&entry);
            if is_lasting {
                candidate.bounds = bounds;
            }
            if bounds.lower >= beta {
                let code = node.position.move_code(candidate.mv) as u16;
                self.saw_horizon |= !is_lasting;
                return Some(Expansion::Cutoff(bounds.lower, code));
            }
        }
        None
    }

    /// Applies the closer bounds of the children, where a search of the first of them costs so much
    /// more that they pay. Returns a cutoff if one of them causes it.
    ///
    /// This applies only where the search reaches the end of the game: elsewhere values would have to be
    /// moved into the window of each child.
    fn closer_cutoff(
        &mut self,
        node: &Node<'_, G>,
        start: usize,
        alpha: Score,
        beta: Score,
    ) -> Option<Expansion> {
        let to_the_end = || node.position.plies_left().is_some_and(|left| node.depth >= left);
        if !self.options.child_cutoff || node.depth < CLOSER_CHILD_DEPTH || !to_the_end() {
            return None;
        }
        // In a wider window the search needs more than the side of the window on which a child is.
        let is_null_window = alpha + 1 == beta;
        for candidate in self.candidates.since(start) {
            let Bounds { lower, upper } = candidate.bounds;
            if upper <= alpha || lower == upper {
                continue;
            }
            let closer = candidate.next.closer_bounds(-beta, -alpha)?;
            candidate.bounds = candidate.bounds.intersect(closer.flip());
            candidate.is_closer = is_null_window;
            if candidate.bounds.lower >= beta {
                let code = node.position.move_code(candidate.mv) as u16;
                return Some(Expansion::Cutoff(candidate.bounds.lower, code));
            }
        }
        None
    }

    /// Gives the candidates from `start` on their numbers in the order of search.
    pub(in crate::search) fn order(&mut self, node: &Node<'_, G>, start: usize, table_move: u16) {
        let side = node.position.side_to_move();
        let mut orders = self.evaluator.orders(node.position);
        for (candidate, order) in self.candidates.ordered(start) {
            let code = node.position.move_code(candidate.mv);
            if code == usize::from(table_move) {
                *order = i32::MAX;
                continue;
            }
            *order = candidate.bounds.lower.get() * LOWER_BOUND_WEIGHT;
            if self.options.evaluator_order {
                *order += orders(candidate.mv, &candidate.next);
            }
            if self.options.history {
                *order += self.ordering.history(side, code);
            }
            if self.options.killers {
                *order += self.ordering.killer_bonus(node.ply, code);
            }
        }
    }
}

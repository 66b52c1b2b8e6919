//! Step 3 of a node: the moves, and their order; and the moves of the root.

use super::Worker;
use crate::game::Turn;
use crate::hints::{Evaluator, Forcing, SearchHints, Successors};
use crate::score::{Bounds, Score};
use crate::search::aspiration::Aspiration;
use crate::search::entry::Stored;
use crate::search::node::{Expansion, Node, Root};
use crate::search::ordering::{Candidate, greatest_first};

/// The least depth at which the search asks for threats: they come true within two plies, so a shallower
/// search does not see them.
const FORCING_DEPTH: u32 = 2;

/// The least depth at which the closer bounds of all children pay before any of them is searched: with
/// them, a search of the empty board of Max-Connect4 takes fewer than half of the nodes, and half of the
/// time.
const CLOSER_CHILD_DEPTH: u32 = 10;

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
            let bounds = Turn::between(node.position, &next).across(bounds);
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

    /// Applies the limits in the table to the children. Returns a cutoff if a child causes one.
    fn child_cutoff(&mut self, node: &Node<'_, G>, start: usize, beta: Score) -> Option<Expansion> {
        for candidate in self.candidates.since(start) {
            let stored = candidate.stored;
            if stored.depth == 0 {
                continue;
            }
            let Some(entry) = self.tables.get(&stored) else { continue };
            let usable = stored.usable(&entry, node.depth - 1);
            let turn = Turn::between(node.position, &candidate.next);
            let bounds = candidate.bounds.intersect(turn.across(usable));
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

    /// Applies the closer bounds of the children, where a search of the first child costs so much more that
    /// the bounds pay. Returns a cutoff if a child causes one.
    ///
    /// This applies only where the search reaches the end of the game: elsewhere the search would have to
    /// move values into the window of each child.
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
        // In a wider window the search needs the bounds of a child in full, not only its side of the window.
        let is_null_window = alpha + 1 == beta;
        for candidate in self.candidates.since(start) {
            let Bounds { lower, upper } = candidate.bounds;
            if upper <= alpha || lower == upper {
                continue;
            }
            let turn = Turn::between(node.position, &candidate.next);
            let (low, high) = turn.window(alpha, beta);
            let closer = candidate.next.closer_bounds(low, high)?;
            candidate.bounds = candidate.bounds.intersect(turn.across(closer));
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
            *order = 0;
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
        greatest_first(&mut roots, |root| self.evaluator.order(position, root.mv, &root.next));
        roots
    }

    /// Returns the greatest value among `roots`, moves of `position`, which is `ply` plies from the root, and
    /// the index of a move that has it (without meaning if the value is not above `alpha`). The value is
    /// exact between `alpha` and `beta`, and a bound outside. It is not moved into the bounds of the
    /// position, so that the moves stay comparable. Returns `None` if the search was stopped.
    pub(in crate::search) fn search_roots(
        &mut self,
        (position, roots): (&G, &[Root<G>]),
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
            let turn = Turn::between(position, &root.next);
            let mut search = |beta| {
                let (alpha, beta) = turn.window(alpha, beta);
                turn.across(self.child(&root.next, depth - 1, ply + 1, alpha, beta))
            };
            let mut score = search(high);
            if null_window && score > alpha && score < beta {
                score = search(beta);
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
            // The first move that reaches the value is as good as any: the search stops there.
            let found = self.search_roots((&position, &roots), depth, ply, value - 1, value);
            let Some((score, index)) = found.filter(|(score, _)| *score == value) else { return };
            let Root { mv, next, .. } = roots[index].clone();
            pv.push(mv);
            value = Turn::between(&position, &next).across(score);
            position = next;
        }
    }
}

/// Returns the moves of `position` as the game generates them.
fn unordered<G: SearchHints>(position: &G) -> impl Iterator<Item = Root<G>> {
    position.legal_moves().map(|mv| Root { mv, next: position.after(mv), guess: Score::ZERO })
}

//! Plain alpha-beta, and with one line changed plain minimax.

use super::observer::{Entered, Found, Observer, Source};
use super::options::{Order, TraceOptions};
use super::seen::Seen;
use super::statement::{Statement, Window};
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::search::{bounds_at, is_result, is_seen_to_end, leaf_value};

/// Searches `position`, and tells `observer` of every step. Returns `None` if the observer ended the
/// search.
pub fn search<G: SearchHints, E: Evaluator<G>, O: Observer<G>>(
    position: &G,
    evaluator: &E,
    options: &TraceOptions,
    observer: &mut O,
) -> Option<Found<G::Move>> {
    let mut plain = Plain { evaluator, options: *options, observer, seen: Seen::default() };
    let root = Entered { from: None, position, ply: 0, window: Window::FULL };
    plain.value(&root)
}

/// A search under way.
struct Plain<'a, G: SearchHints, E, O> {
    evaluator: &'a E,
    options: TraceOptions,
    observer: &'a mut O,
    seen: Seen<G>,
}

impl<G: SearchHints, E: Evaluator<G>, O: Observer<G>> Plain<'_, G, E, O> {
    /// Returns the value of a position, as far as its window asks for it.
    fn value(&mut self, node: &Entered<'_, G>) -> Option<Found<G::Move>> {
        if !self.observer.enter(node) {
            return None;
        }
        let number = self.seen.count();
        let found = match self.at_once(node) {
            Some(found) => found,
            None => {
                let found = self.by_moves(node)?;
                if self.options.table {
                    self.seen.put(node.position, self.depth_at(node), number, &found);
                }
                found
            }
        };
        self.observer.leave(node.position, &found);
        Some(found)
    }

    /// Returns the value of a position that needs no search: the game is over, the position is at the
    /// horizon, or an earlier search of it found enough.
    fn at_once(&self, node: &Entered<'_, G>) -> Option<Found<G::Move>> {
        let Entered { position, ply, window, .. } = *node;
        let depth = self.depth_at(node);
        let (score, statement, source) = if let Some(outcome) = position.outcome() {
            let score = outcome.score::<G>(position.side_to_move(), ply);
            (score, Statement::Exact, Source::Outcome)
        } else if depth == 0 {
            (leaf_value(self.evaluator, position), Statement::Exact, Source::Evaluation)
        } else {
            let known = self.seen.get(position, depth)?;
            if !known.statement.answers(known.score, window) {
                return None;
            }
            (known.score, known.statement, Source::Table(known.number))
        };
        let proven = is_result(position, depth, score);
        Some(Found { score, statement, proven, source, best: None, cut: 0 })
    }

    /// Returns the value of a position by the values of its moves.
    fn by_moves(&mut self, node: &Entered<'_, G>) -> Option<Found<G::Move>> {
        let Entered { position, ply, window: asked, .. } = *node;
        let (mut window, mut best, mut best_move, mut cut) = (asked, Score::MIN, None, 0);
        let moves = self.in_order(position, ply);
        for (index, (mv, next)) in moves.iter().enumerate() {
            let from = Some((position, *mv));
            let child = Entered { from, position: next, ply: ply + 1, window: window.flip() };
            let score = -self.value(&child)?.score;
            if score > best {
                (best, best_move) = (score, Some(*mv));
            }
            if self.options.prunes {
                // Without this line it is minimax: the window stays full, and nothing is cut.
                window.alpha = window.alpha.max(score);
            }
            if window.is_closed() {
                // The opponent has something better elsewhere, and avoids this position.
                let rest = &moves[index + 1..];
                self.observer.cut(position, rest);
                cut = rest.len();
                break;
            }
        }
        let depth = self.depth_at(node);
        let limits = bounds_at(position, depth);
        let (score, statement) = asked.statement(best, limits);
        let proven = is_seen_to_end(position, depth, score) || limits.exact().is_some();
        Some(Found { score, statement, proven, source: Source::Moves, best: best_move, cut })
    }

    /// Returns the moves and the positions after them, in the order in which they are searched.
    fn in_order(&self, position: &G, ply: u32) -> Vec<(G::Move, G)> {
        let moves = position.legal_moves().map(|mv| (mv, position.after(mv)));
        let mut moves: Vec<_> = moves.collect();
        // A position that is bad for the opponent, who is to move then, is good.
        let at_a_glance = |next: &G| match next.outcome() {
            Some(outcome) => outcome.score::<G>(next.side_to_move(), ply + 1),
            None => leaf_value(self.evaluator, next),
        };
        match self.options.order {
            Order::Natural => {}
            Order::Good => moves.sort_by_cached_key(|(_, next)| at_a_glance(next)),
            Order::Bad => moves.sort_by_cached_key(|(_, next)| -at_a_glance(next)),
        }
        moves
    }

    fn depth_at(&self, node: &Entered<'_, G>) -> u32 {
        self.options.depth - node.ply
    }
}

//! Plain alpha-beta, and with one line changed plain minimax; its options and counts.

use super::node::{Entered, Found, Observer, Seen, Source, Statement, Window};
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::search::{bounds_at, is_result, is_seen_to_end, leaf_value};
use crate::turn::Turn;

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
            // A score and a window are as the side to move sees them.
            let turn = Turn::between(position, next);
            let child = Entered { from, position: next, ply: ply + 1, window: turn.across(window) };
            let score = turn.across(self.value(&child)?.score);
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
        let at_a_glance = |next: &G| match next.outcome() {
            Some(outcome) => outcome.score::<G>(position.side_to_move(), ply + 1),
            None => Turn::between(position, next).across(leaf_value(self.evaluator, next)),
        };
        match self.options.order {
            Order::Natural => {}
            Order::Good => moves.sort_by_cached_key(|(_, next)| -at_a_glance(next)),
            Order::Bad => moves.sort_by_cached_key(|(_, next)| at_a_glance(next)),
        }
        moves
    }

    fn depth_at(&self, node: &Entered<'_, G>) -> u32 {
        self.options.depth - node.ply
    }
}

/// The order in which the moves of a position are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order in which the game generates them.
    #[default]
    Natural,
    /// The most promising first, by the evaluation of the position after each.
    Good,
    /// The least promising first.
    Bad,
}

/// The options of a [`search`](super::search). None of them changes the value that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// The number of plies to look ahead, at least 1.
    pub depth: u32,
    /// If true, the search is alpha-beta; otherwise it is minimax.
    pub prunes: bool,
    /// The order of moves.
    pub order: Order,
    /// If true, the results of positions that were searched before are used again.
    pub table: bool,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions { depth: 4, prunes: true, order: Order::Natural, table: false }
    }
}

/// The counts of the positions that a search enters, and of its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions entered at each distance from the root, which is the first.
    pub by_ply: Vec<u64>,
    /// Moves cut off, by the distance of the positions after them.
    pub cut_by_ply: Vec<u64>,
    /// Evaluations at the horizon; those that put moves in order are not counted.
    pub evaluations: u64,
    /// Answers of the table.
    pub table_hits: u64,
    /// The value of the root.
    pub score: Score,
    most: u64,
    ply: usize,
}

impl Counts {
    /// Searches `position` and counts the steps. Returns `None` if the search enters more than `most`
    /// positions.
    pub fn search<G: SearchHints, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        options: &TraceOptions,
        most: u64,
    ) -> Option<Counts> {
        let plies = options.depth as usize + 1;
        let zeros = || vec![0; plies];
        let mut counts = Counts { by_ply: zeros(), cut_by_ply: zeros(), most, ..Counts::default() };
        counts.score = search(position, evaluator, options, &mut counts)?.score;
        Some(counts)
    }

    /// Returns the number of positions entered.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.by_ply.iter().sum()
    }

    /// Returns the number of moves cut off.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut_by_ply.iter().sum()
    }

    /// Returns the greatest distance from the root down to which the tree has no more than `most` nodes,
    /// including those that are cut off; at least 1.
    #[must_use]
    pub fn plies_within(&self, most: u64) -> u32 {
        let mut sum = 0;
        let plies = self.by_ply.iter().zip(&self.cut_by_ply).take_while(|&(searched, cut)| {
            sum += searched + cut;
            sum <= most
        });
        (plies.count() as u32).saturating_sub(1).max(1)
    }
}

impl<G: SearchHints> Observer<G> for Counts {
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool {
        self.ply = entered.ply as usize;
        self.by_ply[self.ply] += 1;
        self.most = match self.most.checked_sub(1) {
            Some(left) => left,
            None => return false,
        };
        true
    }

    fn cut(&mut self, _: &G, moves: &[(G::Move, G)]) {
        // The search has just come back from the ply of these.
        self.cut_by_ply[self.ply] += moves.len() as u64;
    }

    fn leave(&mut self, _: &G, found: &Found<G::Move>) {
        match found.source {
            Source::Evaluation => self.evaluations += 1,
            Source::Table(_) => self.table_hits += 1,
            Source::Outcome | Source::Moves => {}
        }
        if found.source == Source::Moves {
            self.ply -= 1;
        }
    }
}

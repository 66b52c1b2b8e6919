//! Plain alpha-beta, which one changed line turns into plain minimax; its options and counts; the nodes of
//! its tree; and the observer of its steps.

use std::collections::HashMap;
use std::ops::Neg;

use crate::game::{Game, Side, Turn};
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};
use crate::search::{
    NODES_BETWEEN_CHECKS, SearchContext, bounds_at, greatest_first, is_result, is_seen_to_end,
    leaf_value,
};

/// Searches `position`, and tells `observer` of every step. Returns `None` if the observer or the stop flag of
/// `context` ended the search. The search passes the checkpoint of `context`, and tells its monitor nothing.
pub fn search<G: SearchHints, E: Evaluator<G>, O: Observer<G>>(
    position: &G,
    evaluator: &E,
    options: &TraceOptions,
    context: &SearchContext,
    observer: &mut O,
) -> Option<Found<G::Move>> {
    let seen = Seen::default();
    let mut plain = Plain { evaluator, options: *options, context, observer, seen, entered: 0 };
    let root = Entered { from: None, position, ply: 0, window: Window::FULL };
    plain.value(&root)
}

/// A search under way.
struct Plain<'a, G: SearchHints, E, O> {
    evaluator: &'a E,
    options: TraceOptions,
    context: &'a SearchContext,
    observer: &'a mut O,
    seen: Seen<G>,
    /// The number of positions entered.
    entered: u64,
}

impl<G: SearchHints, E: Evaluator<G>, O: Observer<G>> Plain<'_, G, E, O> {
    /// Returns the value of a position, as far as its window asks for it.
    fn value(&mut self, node: &Entered<'_, G>) -> Option<Found<G::Move>> {
        if self.entered.is_multiple_of(NODES_BETWEEN_CHECKS) && !self.context.pass() {
            return None;
        }
        self.entered += 1;
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
            Order::Good => greatest_first(&mut moves, |(_, next)| at_a_glance(next).get()),
            Order::Bad => greatest_first(&mut moves, |(_, next)| (-at_a_glance(next)).get()),
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
    /// The order in which the game generates the moves.
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
    /// positions, or if the stop flag of `context` ended it.
    pub fn search<G: SearchHints, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        options: &TraceOptions,
        context: &SearchContext,
        most: u64,
    ) -> Option<Counts> {
        let plies = options.depth as usize + 1;
        let zeros = || vec![0; plies];
        let mut counts = Counts { by_ply: zeros(), cut_by_ply: zeros(), most, ..Counts::default() };
        counts.score = search(position, evaluator, options, context, &mut counts)?.score;
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
        // `self.ply` is the ply of the position after the move that caused the cut, and so the ply of these
        // moves.
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

/// A position that a search entered, or a move that it cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<M> {
    /// The move that leads here; `None` at the root.
    pub mv: Option<M>,
    /// The index of the position before; 0 at the root.
    pub parent: usize,
    /// The number of plies from the root.
    pub ply: u32,
    /// The side to move here.
    pub side: Side,
    /// The window of the search. For a move that was cut off, the window of its parent, as the side to move
    /// here sees it.
    pub window: Window,
    /// The result, as the side to move here sees it; `None` for a move that was cut off.
    pub found: Option<Found<M>>,
    /// The number of the position in the order of entry, from 0 for the root.
    pub number: u64,
    /// Positions entered here and below; 0 for a move that was cut off.
    pub visited: u64,
    /// The index after the last node below this node.
    pub end: usize,
}

impl<M> Node<M> {
    pub(super) fn new(
        mv: Option<M>,
        parent: usize,
        (ply, side): (u32, Side),
        window: Window,
        number: u64,
    ) -> Node<M> {
        Node { mv, parent, ply, side, window, found: None, number, visited: 0, end: 0 }
    }

    /// Returns true if moves of this node were cut off.
    #[must_use]
    pub fn has_cut(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.cut > 0)
    }
}

/// The results of the positions that have been searched at a depth. In one search to a fixed depth the same
/// depth is the same distance from the root, so that scores of forced ends agree.
#[derive(Debug)]
struct Seen<G> {
    known: HashMap<(u64, u32), Vec<Known<G>>>,
    entered: u64,
}

/// The result of a position.
#[derive(Clone, Copy, Debug)]
struct Known<G> {
    position: G,
    score: Score,
    statement: Statement,
    /// The number of the position among those entered.
    number: u64,
}

impl<G> Default for Seen<G> {
    fn default() -> Seen<G> {
        Seen { known: HashMap::new(), entered: 0 }
    }
}

impl<G: Game> Seen<G> {
    /// Counts a position that is entered now. Returns its number, from 0.
    fn count(&mut self) -> u64 {
        self.entered += 1;
        self.entered - 1
    }

    /// Returns the result of `position` itself: other positions may share its key, such as a mirror image.
    fn get(&self, position: &G, depth: u32) -> Option<&Known<G>> {
        let known = self.known.get(&(position.key(), depth))?;
        known.iter().find(|known| known.position == *position)
    }

    fn put(&mut self, position: &G, depth: u32, number: u64, found: &Found<G::Move>) {
        let Found { score, statement, .. } = *found;
        let known = self.known.entry((position.key(), depth)).or_default();
        let new = Known { position: position.clone(), score, statement, number };
        match known.iter_mut().find(|known| known.position == *position) {
            Some(known) => *known = new,
            None => known.push(new),
        }
    }
}

/// The window of a search: the search needs the value of a position only if it is between the two scores.
/// Both are as the side to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The score that a move elsewhere already gives the side to move.
    pub alpha: Score,
    /// The score from which on a move elsewhere is better for the opponent, who then avoids the position.
    pub beta: Score,
}

impl Window {
    /// The window that contains every value.
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Returns true if the window is empty.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// Returns `best`, moved into `limits`, and its relation to the value of a position whose value is
    /// known to be within `limits`. `best` is the greatest score of the moves that were searched, which are
    /// all moves if none reached beta.
    #[must_use]
    pub fn statement(self, best: Score, limits: Bounds) -> (Score, Statement) {
        let score = limits.clamp(best);
        let statement = match best {
            _ if best >= self.beta && score < limits.upper => Statement::AtLeast,
            _ if best <= self.alpha && score > limits.lower => Statement::AtMost,
            _ => Statement::Exact,
        };
        (score, statement)
    }
}

/// The same window as the other side sees it.
impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The relation of a score to the value of a position at the depth of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The score is the value.
    Exact,
    /// The value is the score or greater: a move was good enough for a cut.
    AtLeast,
    /// The value is the score or less: no move reached alpha.
    AtMost,
}

impl Statement {
    /// Returns true if the statement about `score` is true of `value`.
    #[must_use]
    pub fn holds(self, score: Score, value: Score) -> bool {
        match self {
            Statement::Exact => value == score,
            Statement::AtLeast => value >= score,
            Statement::AtMost => value <= score,
        }
    }

    /// Returns true if `score` with this statement answers the question of `window`.
    #[must_use]
    pub fn answers(self, score: Score, window: Window) -> bool {
        match self {
            Statement::Exact => true,
            Statement::AtLeast => score >= window.beta,
            Statement::AtMost => score <= window.alpha,
        }
    }
}

/// The statement about the score with the sign changed, for the other side.
impl Neg for Statement {
    type Output = Statement;

    fn neg(self) -> Statement {
        match self {
            Statement::Exact => Statement::Exact,
            Statement::AtLeast => Statement::AtMost,
            Statement::AtMost => Statement::AtLeast,
        }
    }
}

/// A position that the search enters.
#[derive(Clone, Copy, Debug)]
pub struct Entered<'a, G: Game> {
    /// The position before it and the move that leads to it; `None` at the root.
    pub from: Option<(&'a G, G::Move)>,
    /// The position.
    pub position: &'a G,
    /// The number of plies from the root.
    pub ply: u32,
    /// The window of the search.
    pub window: Window,
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The game is over.
    Outcome,
    /// The evaluation, at the horizon.
    Evaluation,
    /// An earlier search of the same position, by its number in the order of entry, from 0 for the root.
    Table(u64),
    /// The moves.
    Moves,
}

/// The result for a position when the search leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The score, as the side to move sees it; forced ends are counted from the root.
    pub score: Score,
    /// The relation of the score to the value at this depth.
    pub statement: Statement,
    /// If true, the score has the same relation to the result of best play, and rests on no estimate.
    pub proven: bool,
    /// The source of the score.
    pub source: Source,
    /// The first of the moves that have the score, if moves were searched. If others were cut off, it is
    /// the move that caused the cut.
    pub best: Option<M>,
    /// The number of moves cut off.
    pub cut: usize,
}

/// An observer of a search. It is told of every step in order: the search enters a position, enters and
/// leaves those after its moves, may cut off the rest of the moves, and leaves the position.
pub trait Observer<G: Game> {
    /// Called when the search enters a position. If it returns `false`, the search ends at once, without a
    /// value.
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool;

    /// Called when the search cuts off these moves of `position`, the position that it entered last and has
    /// not left. The moves are in the order of search.
    fn cut(&mut self, position: &G, moves: &[(G::Move, G)]) {
        let _ = (position, moves);
    }

    /// Called when the search leaves `position`, the position that it entered last and has not left.
    fn leave(&mut self, position: &G, found: &Found<G::Move>);
}

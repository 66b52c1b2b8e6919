//! Alpha-beta of the textbooks, in the form with two bounds and two kinds of players that Knuth and
//! Moore call F2 and most books print, fail-hard. It shares no code with the search to look at.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use plyground::trace::Order;
use plyground::{Evaluator, Score, SearchHints, Side};

/// A position that a search comes to, or a move that it cuts off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<M> {
    /// The number of plies from the root.
    pub ply: u32,
    /// The move that leads there; `None` at the root.
    pub mv: Option<M>,
    /// If true, the position is searched.
    pub is_searched: bool,
}

/// Steps are handed over by so many, and so many times before the reader has to catch up.
const BATCH: usize = 10_000;
const BATCHES: usize = 4;

/// A search under way.
struct Textbook<'a, G: SearchHints, E> {
    evaluator: &'a E,
    order: Order,
    /// The side that moves at the root.
    first: Side,
    batch: Vec<Step<G::Move>>,
    sender: SyncSender<Vec<Step<G::Move>>>,
}

/// Searches in a thread of its own. What comes out is every step, in order: a tree of any size can be
/// compared with another, and neither is kept.
pub fn steps<'scope, 'env, G, E>(
    scope: &'scope Scope<'scope, 'env>,
    position: &'env G,
    evaluator: &'env E,
    (depth, order): (u32, Order),
) -> impl Iterator<Item = Step<G::Move>>
where
    G: SearchHints + Sync,
    E: Evaluator<G> + Sync,
{
    let (sender, receiver): (_, Receiver<Vec<_>>) = sync_channel(BATCHES);
    scope.spawn(move || {
        let first = position.side_to_move();
        let mut search = Textbook { evaluator, order, first, batch: Vec::new(), sender };
        search.batch.push(Step { ply: 0, mv: None, is_searched: true });
        search.value(position, (depth, 0), (Score::MIN.get(), Score::MAX.get()));
        search.hand_over();
    });
    receiver.into_iter().flatten()
}

impl<G: SearchHints, E: Evaluator<G>> Textbook<'_, G, E> {
    /// Returns the value for the side that moves first, which maximizes; the other minimizes. `None` if the reader has gone.
    fn value(
        &mut self,
        position: &G,
        (depth, ply): (u32, u32),
        (mut alpha, mut beta): (i32, i32),
    ) -> Option<i32> {
        let maximizes = position.side_to_move() == self.first;
        let sign = if maximizes { 1 } else { -1 };
        if let Some(value) = leaf(position, self.evaluator, depth, ply) {
            return Some((sign * value).clamp(alpha, beta));
        }
        let mut is_cut = false;
        for (mv, next) in self.moves(position, ply) {
            self.tell(Step { ply: ply + 1, mv: Some(mv), is_searched: !is_cut })?;
            if is_cut {
                continue;
            }
            let value = self.value(&next, (depth - 1, ply + 1), (alpha, beta))?;
            if maximizes {
                alpha = alpha.max(value)
            } else {
                beta = beta.min(value)
            }
            is_cut = alpha >= beta;
        }
        let found = if maximizes { alpha } else { beta };
        // The limits of the game hold whatever was found.
        let limits = if depth < 2 { position.bounds() } else { position.closest_bounds() };
        let limits = [limits.lower, limits.upper].map(|limit| sign * limit.get());
        Some(found.clamp(limits[0].min(limits[1]), limits[0].max(limits[1])))
    }

    /// The moves in order: the best is the one after which the opponent is worst off at a glance.
    fn moves(&self, position: &G, ply: u32) -> Vec<(G::Move, G)> {
        let moves = position.legal_moves().map(|mv| (mv, position.after(mv)));
        let mut moves: Vec<_> = moves.collect();
        let sign = match self.order {
            Order::Natural => return moves,
            Order::Good => 1,
            Order::Bad => -1,
        };
        moves.sort_by_cached_key(|(_, next)| {
            let is_own = next.side_to_move() == position.side_to_move();
            let sign = if is_own { -sign } else { sign };
            sign * at_once(next, self.evaluator, ply + 1)
        });
        moves
    }

    fn tell(&mut self, step: Step<G::Move>) -> Option<()> {
        self.batch.push(step);
        if self.batch.len() < BATCH { Some(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Option<()> {
        self.sender.send(std::mem::take(&mut self.batch)).ok()
    }
}

/// The value of a position from which no move is searched, as the side to move sees it.
fn leaf<G: SearchHints, E: Evaluator<G>>(
    position: &G,
    evaluator: &E,
    depth: u32,
    ply: u32,
) -> Option<i32> {
    (depth == 0 || position.outcome().is_some()).then(|| at_once(position, evaluator, ply))
}

/// Returns the value of a position without a search, as the side to move sees it.
fn at_once<G: SearchHints, E: Evaluator<G>>(position: &G, evaluator: &E, ply: u32) -> i32 {
    let value = match position.outcome() {
        Some(outcome) => outcome.score::<G>(position.side_to_move(), ply),
        None => {
            let value = Score::estimate(evaluator.evaluate(position).get());
            position.bounds().clamp(value)
        }
    };
    value.get()
}

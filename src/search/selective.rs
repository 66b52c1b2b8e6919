//! The search of a machine in a hurry: it looks where it matters, at the price of exactness.
//!
//! Its values are no longer `V(p, d)`: it looks deeper than asked for where a side is forced, and
//! less deep at moves that promise little. What it says of wins and losses is still true, for it
//! skips no reply to a threat and no move that could refute a win.

use super::alphabeta::Options;
use super::candidates::Candidate;
use super::entry::Entry;
use super::leaf_value;
use super::limits::MAX_DEPTH;
use super::node::Node;
use super::stored::Stored;
use super::worker::{Root, Worker};
use crate::eval::Evaluator;
use crate::forcing::Forcing;
use crate::game::Game;
use crate::score::{Bounds, Score};
use crate::table::NO_MOVE;

/// Which liberties a search takes that need not be exact.
///
/// They are taken where nothing but time or nodes limits the search, by games that say what a
/// [pass](Game::pass) is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selective {
    /// Take these liberties at all.
    pub enabled: bool,
    /// Look a ply deeper where a threat leaves few replies.
    pub extension: bool,
    /// Follow threats beyond the horizon.
    pub quiescence: bool,
    /// Take a position for good enough if it still is after a pass (C. Donninger, "Null move and
    /// deep search", 1993).
    pub null_move: bool,
    /// Look less deep at moves that come late in the order.
    pub reductions: bool,
}

impl Selective {
    /// No liberties.
    pub const OFF: Selective = Selective {
        enabled: false,
        extension: false,
        quiescence: false,
        null_move: false,
        reductions: false,
    };
}

impl Default for Selective {
    fn default() -> Selective {
        Selective {
            enabled: true,
            extension: true,
            quiescence: true,
            null_move: true,
            reductions: true,
        }
    }
}

/// Keeps the entries of this search apart from those of an exact one.
const KEY_SALT: u64 = 0x3c6e_f372_fe94_f82b;

/// A threat with at most so many replies is worth another ply.
const FEW_REPLIES: usize = 3;

/// The least depth at which a pass is tried, and how much less deep the search after it is.
const NULL_MOVE_DEPTH: i32 = 2;
const NULL_MOVE_REDUCTION: i32 = 2;

/// The least depth at which late moves are reduced, and how many moves come before them.
const REDUCTION_DEPTH: i32 = 3;
const UNREDUCED: usize = 3;

/// How far beyond the horizon threats are followed, in plies.
const QUIESCENCE_PLIES: i32 = 8;

/// A node of the selective search.
struct Spot<'a, G> {
    /// Not over.
    position: &'a G,
    depth: i32,
    ply: u32,
    /// Whether the last move was a pass.
    passed: bool,
}

/// What the table or the rules say of a node before its moves are tried.
enum Verdict {
    Value(Score),
    Open(u16),
}

impl<G: Game, E: Evaluator<G>> Worker<'_, G, E> {
    /// Searches `roots` to `depth`, the first one in full. The greatest value and the index of its
    /// move, if one was finished; whether all were.
    pub(super) fn search_roots_selectively(
        &mut self,
        roots: &[Root<G>],
        depth: u32,
        alpha: Score,
        beta: Score,
    ) -> (Option<(Score, usize)>, bool) {
        let mut best: Option<(Score, usize)> = None;
        let depth = depth as i32;
        for (index, root) in roots.iter().enumerate() {
            let low = alpha.max(best.map_or(Score::MIN, |(score, _)| score));
            let reduced = if index >= UNREDUCED { self.reduction(depth, index) } else { 0 };
            let score = self.scout(&root.next, depth - 1, reduced, 1, low, beta, index > 0);
            if self.meter().is_stopped() {
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

    /// The value of a move to `next`: first with a null window and reduced depth, then again as
    /// far as that leaves open.
    #[expect(clippy::too_many_arguments, reason = "a window, a depth and what becomes of them")]
    fn scout(
        &mut self,
        next: &G,
        depth: i32,
        reduced: i32,
        ply: u32,
        alpha: Score,
        beta: Score,
        late: bool,
    ) -> Score {
        let mut score = Score::MAX;
        if reduced > 0 {
            score = -self.selective(next, depth - reduced, ply, -(alpha + 1), -alpha, false);
        }
        if late && score > alpha {
            score = -self.selective(next, depth, ply, -(alpha + 1), -alpha, false);
        }
        if score > alpha && (!late || score < beta) {
            score = -self.selective(next, depth, ply, -beta, -alpha, false);
        }
        score
    }

    /// The value of any position.
    fn selective(
        &mut self,
        position: &G,
        depth: i32,
        ply: u32,
        alpha: Score,
        beta: Score,
        passed: bool,
    ) -> Score {
        if self.meter_mut().visit() {
            return Score::ZERO;
        }
        if let Some(outcome) = position.outcome() {
            return outcome.score(position.side_to_move(), ply);
        }
        let spot = Spot { position, depth, ply, passed };
        if ply + 1 >= MAX_DEPTH {
            return leaf_value(self.evaluator(), position);
        }
        if depth <= 0 {
            return self.quiesce(&spot, alpha, beta);
        }
        self.open(&spot, alpha, beta)
    }

    /// The value of a position beyond the horizon: its estimate, unless there is a threat.
    fn quiesce(&mut self, spot: &Spot<'_, G>, alpha: Score, beta: Score) -> Score {
        let estimate = leaf_value(self.evaluator(), spot.position);
        // A threat of the side that is not to move can only make the estimate worse.
        if !self.liberties().quiescence || spot.depth < -QUIESCENCE_PLIES || estimate <= alpha {
            return estimate;
        }
        let mut replies = Vec::new();
        match spot.position.forcing(&mut replies) {
            Forcing::Win(_) => Score::win_in(spot.ply + 1),
            Forcing::Threatened if replies.len() <= FEW_REPLIES => {
                let mut best = Score::loss_in(spot.ply + 2);
                for mv in replies {
                    let next = spot.position.after(mv);
                    let low = alpha.max(best);
                    let score =
                        -self.selective(&next, spot.depth - 1, spot.ply + 1, -beta, -low, false);
                    best = best.max(score);
                    if best >= beta {
                        break;
                    }
                }
                best
            }
            _ => estimate,
        }
    }

    /// The value of a position that is to be looked into.
    fn open(&mut self, spot: &Spot<'_, G>, alpha: Score, beta: Score) -> Score {
        let alpha = alpha.max(Score::loss_in(spot.ply + 1));
        let beta = beta.min(Score::win_in(spot.ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let stored = salted(Stored::new(spot.position, spot.depth as u32, spot.ply));
        let table_move = match self.recall(spot, &stored, alpha, beta) {
            Verdict::Value(value) => return value,
            Verdict::Open(code) => code,
        };
        let mut replies = Vec::new();
        let forcing = spot.position.forcing(&mut replies);
        let value = match forcing {
            Forcing::Win(_) => return Score::win_in(spot.ply + 1),
            Forcing::Threatened => None,
            Forcing::Quiet | Forcing::Unknown => self.stand(spot, alpha, beta),
        };
        if let Some(value) = value {
            return value;
        }
        let before = self.meter().nodes();
        let mut best_code = table_move;
        let forced = matches!(forcing, Forcing::Threatened).then_some(&replies[..]);
        let best = if forced.is_none() && spot.depth < self.evaluator().order_depth() as i32 {
            self.try_unordered(spot, alpha, beta)
        } else {
            self.try_moves(spot, forced, alpha, beta, &mut best_code)
        };
        if self.meter().is_stopped() {
            return Score::ZERO;
        }
        let bounds = Bounds {
            lower: if best > alpha { best } else { Score::MIN },
            upper: if best < beta { best } else { Score::MAX },
        };
        self.keep(&stored, bounds, best_code, self.meter().nodes() - before);
        best
    }

    /// What the table knows of a node.
    fn recall(&self, spot: &Spot<'_, G>, stored: &Stored, alpha: Score, beta: Score) -> Verdict {
        let Some(entry) = self.peek(stored) else { return Verdict::Open(NO_MOVE) };
        let known = stored.at_least(&entry, spot.depth as u32);
        if known.lower >= beta {
            Verdict::Value(known.lower)
        } else if known.upper <= alpha || known.lower == known.upper {
            Verdict::Value(known.upper)
        } else {
            Verdict::Open(entry.best)
        }
    }

    /// Whether a quiet position is good enough as it stands.
    fn stand(&mut self, spot: &Spot<'_, G>, alpha: Score, beta: Score) -> Option<Score> {
        let may_pass = self.liberties().null_move && spot.depth >= NULL_MOVE_DEPTH && !spot.passed;
        // Only in a null window, and not where it is about wins.
        if !may_pass || alpha + 1 < beta || beta.plies_to_end().is_some() {
            return None;
        }
        let estimate = leaf_value(self.evaluator(), spot.position);
        if estimate < beta {
            return None;
        }
        let next = spot.position.pass()?;
        let depth = spot.depth - 1 - NULL_MOVE_REDUCTION - spot.depth / 4;
        let score = -self.selective(&next, depth, spot.ply + 1, -beta, -(beta - 1), true);
        (score >= beta && !self.meter().is_stopped()).then(|| score.min(Score::MAX_ESTIMATE))
    }

    /// The greatest value of a move, those of `forced` or, without it, all.
    fn try_moves(
        &mut self,
        spot: &Spot<'_, G>,
        forced: Option<&[G::Move]>,
        mut alpha: Score,
        beta: Score,
        best_code: &mut u16,
    ) -> Score {
        let start = self.candidates_mut().top();
        let position = spot.position;
        match forced {
            Some(moves) => moves.iter().for_each(|&mv| self.add(position, mv)),
            None => {
                for mv in position.legal_moves() {
                    self.add(position, mv);
                }
            }
        }
        let few = forced.is_some_and(|moves| moves.len() <= FEW_REPLIES);
        let depth = spot.depth - i32::from(!(few && self.liberties().extension));
        let node = Node {
            position,
            stored: Stored::default(),
            known: Bounds::NONE,
            depth: spot.depth as u32,
            ply: spot.ply,
        };
        self.order(&node, start, *best_code);
        let mut best = forced.map_or(Score::MIN, |_| Score::loss_in(spot.ply + 2));
        let quiet = forced.is_none();
        let mut searched = 0;
        while let Some(candidate) = self.candidates_mut().select(start) {
            let (mv, next) = (candidate.mv, candidate.next.clone());
            let late = quiet && searched >= UNREDUCED;
            let reduced = if late { self.reduction(spot.depth, searched) } else { 0 };
            let score = self.scout(&next, depth, reduced, spot.ply + 1, alpha, beta, searched > 0);
            searched += 1;
            if self.meter().is_stopped() {
                break;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                *best_code = position.move_code(mv) as u16;
                if score >= beta {
                    self.reward(&node, mv, start);
                    break;
                }
            }
        }
        self.candidates_mut().truncate(start);
        best
    }

    /// The greatest value of a move just before the horizon, the moves taken as they come.
    fn try_unordered(&mut self, spot: &Spot<'_, G>, alpha: Score, beta: Score) -> Score {
        let mut best = Score::MIN;
        for mv in spot.position.legal_moves() {
            let next = spot.position.after(mv);
            let low = alpha.max(best);
            best =
                best.max(-self.selective(&next, spot.depth - 1, spot.ply + 1, -beta, -low, false));
            if best >= beta || self.meter().is_stopped() {
                break;
            }
        }
        best
    }

    fn add(&mut self, position: &G, mv: G::Move) {
        let (next, stored) = (position.after(mv), Stored::default());
        self.candidates_mut().push(Candidate { next, stored, bounds: Bounds::NONE, mv });
    }

    /// By how many plies the search of a move with this index in the order is shorter.
    fn reduction(&self, depth: i32, index: usize) -> i32 {
        if !self.liberties().reductions || depth < REDUCTION_DEPTH {
            return 0;
        }
        let product = (depth as u32).ilog2() as i32 * ((index + 1).ilog2() as i32);
        (product / 3).clamp(1, depth - 2)
    }

    fn liberties(&self) -> &Selective {
        &self.options().selective
    }

    fn peek(&self, stored: &Stored) -> Option<Entry> {
        if self.memory().is_used() { self.memory().get(stored) } else { None }
    }

    fn keep(&self, stored: &Stored, bounds: Bounds, best: u16, nodes: u64) {
        if self.memory().is_used() {
            let work = (nodes + 1).ilog2() as u8;
            let depth = stored.depth as u8;
            let entry = Entry { bounds: stored.to_table(bounds), depth, best, work };
            self.memory().put(stored, entry);
        }
    }
}

fn salted(mut stored: Stored) -> Stored {
    stored.key ^= KEY_SALT;
    stored
}

/// Whether a search of `position` takes liberties.
pub(super) fn is_selective<G: Game>(position: &G, options: &Options) -> bool {
    options.selective.enabled && position.pass().is_some()
}

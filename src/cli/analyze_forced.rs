//! Forced wins in an analysis.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::analyze::AnalyzeArgs;
use super::program::Program;
use crate::eval::Evaluator;
use crate::game::{Game, Side};
use crate::proof::{Allowance, Finder, Forced, Tactics};
use crate::score::Score;
use crate::search::{AlphaBeta, Limits, Line, Report, Search};

/// The share of the time that goes into looking for a win of the side to move, and of both sides.
/// The rest is for what the other moves are worth.
const WIN_SHARE: f64 = 0.3;
const BOTH_SHARE: f64 = 0.4;
/// The share for a win that is likely.
const LIKELY_SHARE: f64 = 0.8;

/// How far to look for a reply that is not forced, to show how a known opening goes on.
const REPLY_DEPTH: u32 = 4;

/// What is forced in a position that is analysed.
pub(super) type ForcedIn<P> = Forced<<<P as Program>::Game as Game>::Move>;

/// A forced win of either side in `position`, found in a share of the time, before anybody raises
/// `stop`.
pub(super) fn find<P: Program>(
    program: &P,
    position: &P::Game,
    args: &AnalyzeArgs,
    stop: &Arc<AtomicBool>,
    search: &mut AlphaBeta<P::Evaluator>,
) -> Option<ForcedIn<P>> {
    let tactics = program.tactics(!args.book.no_book);
    let mut finder = Finder::new(tactics, args.search.options().table_mib);
    if position.outcome().is_some() || !finder.is_of_use(position) {
        return None;
    }
    let started = Instant::now();
    let until = |share: f64| Allowance {
        deadline: started.checked_add(args.time().mul_f64(share)),
        nodes: None,
        stop: Some(Arc::clone(stop)),
    };
    let mover = position.side_to_move();
    let share = if finder.expects(position).is_some() { LIKELY_SHARE } else { WIN_SHARE };
    let win = finder.find(position, mover, &until(share));
    let known = win.or_else(|| finder.prepared_loss(position));
    let forced = known.or_else(|| finder.find(position, mover.other(), &until(BOTH_SHARE)))?;
    Some(extended(position, forced, &mut finder, &until(LIKELY_SHARE), search))
}

/// The same win, with its line played on where it ends with a move of a known opening.
pub(crate) fn extended<G: Game, T: Tactics<G>, E: Evaluator<G>>(
    position: &G,
    mut forced: Forced<G::Move>,
    finder: &mut Finder<T>,
    allowance: &Allowance,
    search: &mut AlphaBeta<E>,
) -> Forced<G::Move> {
    let mut next = position.clone();
    let mut played = 0;
    let mut is_known = forced.prepared;
    while is_known {
        forced.line[played..].iter().for_each(|&mv| next.play_unchecked(mv));
        played = forced.line.len();
        let reply = search.best(&next, &Limits::depth(REPLY_DEPTH));
        let Some(reply) = reply.map(|report| report.best_move()) else { break };
        let after = next.after(reply);
        if after.outcome().is_some() {
            break;
        }
        let Some(rest) = finder.find(&after, forced.winner, allowance) else { break };
        forced.line.push(reply);
        forced.line.extend(&rest.line);
        is_known = rest.prepared;
    }
    forced
}

/// Puts what is forced into a report about every move.
pub(crate) fn merge<M: Copy + Eq>(report: &mut Report<M>, forced: &Forced<M>, mover: Side) {
    report.nodes += forced.nodes;
    let is_win = forced.winner == mover;
    let score = if is_win { Score::win_in(forced.plies) } else { Score::loss_in(forced.plies) };
    let first = forced.line.first().copied();
    for line in report.lines.iter_mut().filter(|line| !line.proven) {
        let is_first = first == Some(line.first_move());
        if is_first || !is_win {
            let pv = if is_first { forced.line.clone() } else { vec![line.first_move()] };
            *line = Line { score, proven: true, pv };
        }
    }
    report.lines.sort_by_key(|line| Reverse(line.score));
}

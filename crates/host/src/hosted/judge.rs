//! The judgment of one position, and the depth at which plain minimax tells two of its moves apart.

use std::cmp::Reverse;
use std::sync::Arc;

use plyground::perfect::{Ties, Unlimited, plies_to_end};
use plyground::proof::{Allowance, AtLeast, Finder, Forced, Goal, Prover, Tactics};
use plyground::search::{Limits, Line, Report, Scope, Search, SearchContext};
use plyground::{Game, SearchHints, Side, Value};

use super::{TypedEngine, has_horizon};
use crate::adapter::{GameAdapter, MoveOf, MoveText};
use crate::analysis::margin_across;
use crate::engine::{JudgeEffort, Judgment, Label, LabelRequest, Sight};
use crate::game::HostedGame;

/// The memory for proofs in MiB.
const PROOF_TABLE: usize = 16;

/// Judges a position that is not over: by the book, by a search to the end of the game, by forced wins, and
/// else by an estimate.
pub(super) fn judge<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    effort: &JudgeEffort,
) -> Judgment {
    if let Some(line) = by_book(engine, position) {
        return proven(&line, false);
    }
    let solution = solve(engine, position, effort);
    let gave_up = solution.is_none() && effort.solve > 0 && plies_to_end(position).is_ok();
    if let Some(line) = solution.or_else(|| by_force(engine, position, effort)) {
        return proven(&line, gave_up);
    }
    estimate(engine, position, effort, gave_up)
}

/// Labels a position that is not over: by the book, or else by a search.
pub(super) fn label<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    request: &LabelRequest,
) -> Result<Option<Label>, Unlimited> {
    let is_exact = request.depth.is_none();
    let depth = request.depth.map_or_else(|| plies_to_end(position), Ok)?;
    let book = engine.perfect.book().filter(|_| is_exact);
    if let (Some(book), false) = (book, request.every_move)
        && let Some((moves, score)) = book.best_moves(position)
    {
        let value = Value::Exact(score);
        let moves = moves.iter().map(|mv| (MoveText::of(mv), value)).collect();
        return Ok(Some(Label { value, moves }));
    }
    let guess = book.and_then(|book| book.value(position));
    let context = request.context.clone();
    let limits = Limits { depth: Some(depth), guess, context, ..Limits::default() };
    let scope = if request.every_move { Scope::EveryMove } else { Scope::BestMoves };
    let report = engine.search_mut().search(position, &limits, scope, &mut |_| ());
    // A search that was stopped has not found every move that it looked for.
    let report = report.filter(|_| !request.context.is_stopped());
    Ok(report.map(|report| Label {
        value: report.value(),
        moves: report.lines.iter().map(|line| (MoveText::of(&line.pv[0]), line.value)).collect(),
    }))
}

fn proven<M: Copy + std::fmt::Display>(line: &Line<M>, gave_up: bool) -> Judgment {
    let moves = line.pv.iter().map(MoveText::of).collect();
    Judgment { value: line.value, line: moves, estimates: Vec::new(), gave_up }
}

fn by_book<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
) -> Option<Line<MoveOf<A>>> {
    engine.perfect.set_ties(Ties::First);
    let best = engine.perfect.by_book(position, None, &SearchContext::default())?;
    Some(Line { value: best.value, pv: vec![best.mv] })
}

/// Returns the best line by a search to the end of the game, if the effort is enough for it.
fn solve<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    effort: &JudgeEffort,
) -> Option<Line<MoveOf<A>>> {
    let depth = plies_to_end(position).ok().filter(|_| effort.solve > 0)?;
    let known = engine.perfect.book().and_then(|book| book.value(position));
    let limits = Limits {
        depth: Some(depth),
        patience: Some(effort.solve),
        guess: known.or(effort.guess),
        context: effort.context.clone(),
        ..Limits::default()
    };
    let report = engine.search_mut().best(position, &limits).filter(Report::proven)?;
    Some(Line { value: report.value, pv: report.best().pv.clone() })
}

/// Returns the line of a win that either side can force, if one is found.
fn by_force<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    effort: &JudgeEffort,
) -> Option<Line<MoveOf<A>>> {
    let stop = Some(Arc::clone(&effort.context.stop));
    let allowance = Allowance { deadline: None, nodes: Some(effort.proof), stop };
    let finder = finder(engine);
    if effort.proof == 0 || !finder.is_of_use(position) {
        return None;
    }
    let mover = position.side_to_move();
    let forced = finder
        .find(position, mover, &allowance)
        .or_else(|| finder.prepared_loss(position))
        .or_else(|| finder.find(position, mover.other(), &allowance))?;
    let value = forced.value(mover);
    let Forced { line, .. } = forced;
    let pv = if line.is_empty() { vec![position.legal_moves().next()?] } else { line };
    Some(Line { value, pv })
}

/// Returns the finder of the engine, which keeps its proofs.
fn finder<A: GameAdapter + HostedGame>(engine: &mut TypedEngine<A>) -> &mut Finder<A::Tactics> {
    let (game, prepared) = (&engine.game, !engine.without_prepared);
    engine.finder.get_or_insert_with(|| Finder::new(game.tactics(prepared), PROOF_TABLE))
}

fn estimate<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    effort: &JudgeEffort,
    gave_up: bool,
) -> Judgment {
    let own = Limits { context: effort.context.clone(), ..Limits::nodes(effort.estimate) };
    let search = engine.search_mut();
    let mut report = search.search(position, &own, Scope::EveryMove, &mut |_| ());
    if report.as_ref().is_none_or(|report| report.depth == 0) {
        // One ply takes no time, and is the least depth that has a result for every move.
        let least = Limits { context: effort.context.clone(), ..Limits::depth(1) };
        report = search.search(position, &least, Scope::EveryMove, &mut |_| ());
    }
    let mut lines = report.map(|report| report.lines).unwrap_or_default();
    lines.sort_by_key(|line| Reverse(line.score()));
    let value = lines.first().map_or(Value::Estimate(plyground::Score::ZERO), |line| line.value);
    let line = lines.first().map(|line| line.pv.iter().map(MoveText::of).collect());
    let moves = lines.iter().map(|line| (MoveText::of(&line.first_move()), line.value));
    Judgment { value, line: line.unwrap_or_default(), estimates: moves.collect(), gave_up }
}

/// Returns the depths at which plain minimax finds the move `better` better than the move `worse`: by the
/// points on the board in a game of points, and else by the end of the game alone. At most `most` positions
/// are visited.
pub(super) fn sight<A: GameAdapter + HostedGame>(
    game: &A,
    position: &A::Game,
    [better, worse]: [MoveOf<A>; 2],
    most: u64,
) -> Sight {
    let after = [better, worse].map(|mv| position.after(mv));
    let mut looker = Looker { position, after, left: most, is_decided: false };
    let by_points = position.points().is_some();
    let tactics = game.tactics(false);
    let has_tactics = has_horizon(&tactics, position);
    let prover = Prover::new(PROOF_TABLE);
    let last = position.plies_left().unwrap_or(u32::MAX).min(plyground::search::MAX_DEPTH);
    let mut sight = Sight::default();
    for depth in 1..=last {
        let is_seen = match (by_points, has_tactics) {
            (true, _) => looker.by_points(depth),
            (false, true) => {
                looker.by_end(&prover, &|attacker| tactics.goal(position, attacker), depth)
            }
            (false, false) => {
                looker.by_end(&prover, &|attacker| AtLeast { attacker, margin: 1 }, depth)
            }
        };
        let Some(is_seen) = is_seen else { break };
        sight.within = depth;
        sight.at = sight.at.or(is_seen.then_some(depth));
        sight.from = if is_seen { sight.from.or(Some(depth)) } else { None };
        if looker.is_decided {
            sight.within = last;
            break;
        }
    }
    sight
}

/// The number of positions that a search by points visits in the time of one position of a proof.
const PROOF_COST: u64 = 4;

/// A comparison of two moves of a position, at greater and greater depths.
struct Looker<'a, G> {
    position: &'a G,
    /// The positions after the better and the worse move.
    after: [G; 2],
    /// The number of positions that may still be visited.
    left: u64,
    /// If true, the winner after each move is known, and greater depths do not change the comparison.
    is_decided: bool,
}

impl<G: SearchHints> Looker<'_, G> {
    /// Returns true if the better move gets more points within `depth` plies; `None` if too many positions
    /// had to be visited.
    fn by_points(&mut self, depth: u32) -> Option<bool> {
        let Looker { position, after: [better, worse], left, .. } = self;
        let mut worth = |next: &G, window| margin_across(*position, next, depth, window, left);
        let least = worth(worse, (-i32::MAX, i32::MAX))?;
        Some(worth(better, (least, least + 1))? > least)
    }

    /// Returns true if within `depth` plies the better move is seen to win and the other is not, or the other
    /// to lose and the better is not; `None` if too many positions had to be visited.
    fn by_end<O: Goal<G>>(
        &mut self,
        prover: &Prover,
        goal: &impl Fn(Side) -> O,
        depth: u32,
    ) -> Option<bool> {
        let own = self.position.side_to_move();
        let mut reaches = |attacker: Side, index: usize| {
            let next = &self.after[index];
            let nodes = Limits::nodes(self.left / PROOF_COST);
            let proof = prover.prove(&goal(attacker), next, depth - 1, &nodes);
            self.left = self.left.saturating_sub(PROOF_COST * proof.nodes);
            proof.reached
        };
        if reaches(own, 0)? {
            let is_better = !reaches(own, 1)?;
            self.is_decided = !is_better || reaches(own.other(), 1)?;
            return Some(is_better);
        }
        Some(reaches(own.other(), 1)? && !reaches(own.other(), 0)?)
    }
}

//! Solving a position: its value and that of every move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use super::{Unlimited, plies_to_end};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::Bounds;
use crate::search::{AlphaBeta, Limits, Line, Report, Search};

/// What a solver is about to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task<M> {
    /// The value of the position.
    Position,
    /// The value of this move.
    Move(M),
}

/// What has been proven about a position, not necessarily all there is.
#[derive(Clone, Debug)]
pub struct Solution<M> {
    /// The best line, once it is proven.
    pub best: Option<Line<M>>,
    /// The moves whose values are proven, best first; among equals the one of `best` first.
    pub lines: Vec<Line<M>>,
    /// Limits on the value of the position.
    pub bounds: Bounds,
    /// Whether everything is proven: the value, and that of every move.
    pub complete: bool,
    /// Positions visited.
    pub nodes: u64,
    /// CPU time of this process.
    pub cpu: Duration,
}

/// Finds the value of `position`, then that of every move, each by a search to the end, until
/// `stop` is raised. `visited` counts the nodes meanwhile, and `begin` hears of every search.
/// `None` when the game is over.
///
/// # Errors
///
/// When nothing limits the length of the game.
pub fn solve<G: Game, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    stop: &Arc<AtomicBool>,
    visited: &Arc<AtomicU64>,
    begin: &mut dyn FnMut(Task<G::Move>),
) -> Result<Option<Solution<G::Move>>, Unlimited> {
    let plies = plies_to_end(position)?;
    let mut solver = Solver { search, stop, visited, nodes: 0, cpu: Duration::ZERO };
    let mut solution = Solution {
        best: None,
        lines: Vec::new(),
        bounds: position.bounds(),
        complete: false,
        nodes: 0,
        cpu: Duration::ZERO,
    };
    begin(Task::Position);
    let Some(report) = solver.search(position, plies) else { return Ok(None) };
    if report.proven() {
        solution.bounds = Bounds::only(report.score());
        solution.best = Some(report.best().clone());
        solution.lines.push(report.best().clone());
        solution.complete = solver.every_move(position, plies, &mut solution.lines, begin);
    }
    Ok(Some(Solution { nodes: solver.nodes, cpu: solver.cpu, ..solution }))
}

struct Solver<'a, E> {
    search: &'a mut AlphaBeta<E>,
    stop: &'a Arc<AtomicBool>,
    visited: &'a Arc<AtomicU64>,
    nodes: u64,
    cpu: Duration,
}

impl<E> Solver<'_, E> {
    fn search<G: Game>(&mut self, position: &G, plies: u32) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
    {
        let limits = Limits {
            stop: Some(Arc::clone(self.stop)),
            visited: Some(Arc::clone(self.visited)),
            ..Limits::depth(plies)
        };
        let report = self.search.best(position, &limits)?;
        self.nodes += report.nodes;
        self.cpu += report.cpu;
        Some(report)
    }

    /// Adds the moves that `lines` does not have. Whether all could be proven.
    fn every_move<G: Game>(
        &mut self,
        position: &G,
        plies: u32,
        lines: &mut Vec<Line<G::Move>>,
        begin: &mut dyn FnMut(Task<G::Move>),
    ) -> bool
    where
        E: Evaluator<G>,
    {
        for mv in position.legal_moves() {
            if lines.iter().any(|line| line.first_move() == mv) {
                continue;
            }
            begin(Task::Move(mv));
            let next = position.after(mv);
            let line = match next.outcome() {
                Some(outcome) => {
                    let score = outcome.score(position.side_to_move(), 1);
                    Line { score, proven: true, pv: vec![mv] }
                }
                None => match self.search(&next, plies - 1) {
                    Some(report) if report.proven() => {
                        let pv = [mv].into_iter().chain(report.best().pv.iter().copied());
                        let score = report.score().before_move();
                        Line { score, proven: true, pv: pv.collect() }
                    }
                    _ => return false,
                },
            };
            lines.push(line);
            lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        }
        true
    }
}

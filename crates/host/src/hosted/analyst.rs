//! The analysis behind the command line, the page and the bindings.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use plyground::clock::Instant;
use plyground::perfect::{Aids, EXACT_SHARE, Step, Task, plies_to_end, solve};
use plyground::proof::{Allowance, Finder, Forced};
use plyground::search::{Clock, Limits, Line, Report, Scope, Search};
use plyground::trace::{Counts, Entered, Found, Observer, Recorder, Source, Tree, search};
use plyground::{Bounds, Evaluator, Game, SearchHints, Value};

use super::{TypedEngine, host_position};
use crate::adapter::{GameAdapter, MoveOf, MoveText};
use crate::analysis::{Analysis, AnalysisRequest, AnalyzedLine, Stage};
use crate::engine::{ExplainRequest, Terms};
use crate::game::{Explanation, HostedGame};
use crate::page::Path;

/// The shares of the time of [`Stage::ForcedWin`] for the search for a win of the side to move, for both
/// sides together, and for a win that is likely.
const WIN_SHARE: f64 = 0.6;
const BOTH_SHARE: f64 = 0.8;
const LIKELY_SHARE: f64 = 1.0;

/// The least share of the time for the search of every move.
const LEAST_SHARE: f64 = 0.1;

/// The depth of the search for a reply that is not forced, which shows how a known opening continues.
const REPLY_DEPTH: u32 = 4;

/// An analysis under way.
struct Analyst<'a, A: GameAdapter + HostedGame> {
    engine: &'a mut TypedEngine<A>,
    position: &'a A::Game,
    request: &'a AnalysisRequest,
    started: Instant,
    analysis: Analysis,
    /// The forced win, which also decides the values of moves.
    forced: Option<Forced<MoveOf<A>>>,
    /// The nodes and the CPU time of searches that have ended.
    before: (u64, Duration),
    on_info: &'a mut dyn FnMut(&Analysis),
}

/// Answers `request`, and reports every step to `on_info`.
pub(super) fn analyze<A: GameAdapter + HostedGame>(
    engine: &mut TypedEngine<A>,
    position: &A::Game,
    request: &AnalysisRequest,
    on_info: &mut dyn FnMut(&Analysis),
) -> Analysis {
    let mut analysis = request.known.clone().unwrap_or_default();
    if let Some(outcome) = position.outcome() {
        let score = outcome.score::<A::Game>(position.side_to_move(), 0);
        analysis.bounds = Bounds::only(score);
        analysis.is_complete = true;
        on_info(&analysis);
        return analysis;
    }
    analysis.bounds = analysis.bounds.intersect(position.bounds());
    let started = Instant::now();
    let (forced, before) = (None, (analysis.nodes, analysis.cpu));
    let mut analyst =
        Analyst { engine, position, request, started, analysis, forced, before, on_info };
    for &stage in &request.stages {
        if analyst.analysis.is_complete || request.context.is_stopped() {
            break;
        }
        match stage {
            Stage::ForcedWin { time, nodes, table_mib } => {
                analyst.look_for_forced_win(time, nodes, table_mib);
            }
            Stage::Deepen { depth, nodes } => analyst.deepen(depth, nodes),
            Stage::Solve { threads } => analyst.solve(threads),
        }
    }
    analyst.analysis
}

impl<A: GameAdapter + HostedGame> Analyst<'_, A> {
    fn limits(&self) -> Limits {
        Limits { context: self.request.context.clone(), ..Limits::default() }
    }

    /// Returns the remaining time, but at least [`LEAST_SHARE`] of the whole.
    fn time_left(&self) -> Option<(Clock, Duration)> {
        let time = self.request.time?;
        let left = time.saturating_sub(self.started.elapsed());
        Some((Clock::Wall, left.max(time.mul_f64(LEAST_SHARE))))
    }

    fn tell(&mut self) {
        (self.on_info)(&self.analysis);
    }

    fn begin(&mut self, task: String) {
        self.analysis.task = task;
        self.tell();
    }

    /// Records the cost so far of the search under way.
    fn set_cost(&mut self, nodes: u64, cpu: Duration) {
        self.analysis.nodes = self.before.0 + nodes;
        self.analysis.cpu = self.before.1 + cpu;
    }

    /// Adds the cost of a search that has ended.
    fn add_cost(&mut self, nodes: u64, cpu: Duration) {
        self.set_cost(nodes, cpu);
        self.before = (self.analysis.nodes, self.analysis.cpu);
    }

    fn deepen(&mut self, depth: Option<u32>, nodes: Option<u64>) {
        let time = if depth.is_some() { None } else { self.time_left() };
        self.search_every_move(&Limits { depth, nodes, time, ..self.limits() });
        if self.analysis.lines.is_empty() && !self.request.context.is_stopped() {
            // One ply takes no time, and is the least depth that has a result for every move.
            self.search_every_move(&Limits { depth: Some(1), ..self.limits() });
        }
    }

    fn search_every_move(&mut self, limits: &Limits) {
        // The search is a new one on the same table, because this analyst is using the engine.
        let evaluator = self.engine.game.evaluator();
        let mut search = self.engine.search_mut().sharing(evaluator);
        let position = self.position;
        let mut info = |report: &Report<MoveOf<A>>| {
            self.set_cost(report.nodes, report.cpu);
            self.analysis.task = summary(report);
            self.learn(report.lines.iter().map(|line| as_text(line, report.depth)));
            self.analysis.depth = self.analysis.depth.max(report.depth);
            self.tell();
        };
        let report = search.search(position, limits, Scope::EveryMove, &mut info);
        if let Some(report) = report {
            self.add_cost(report.nodes, report.cpu);
        }
    }

    /// Adds results about moves, unless better results are known, because a search that begins anew is less deep at
    /// first.
    fn learn(&mut self, lines: impl Iterator<Item = AnalyzedLine>) {
        for line in lines {
            let mv = line.first_move();
            match self.analysis.lines.iter_mut().find(|own| own.first_move() == mv) {
                Some(own) if weight(own) > weight(&line) => own.depth = own.depth.max(line.depth),
                Some(own) => *own = line,
                None => self.analysis.lines.push(line),
            }
        }
        self.apply_forced();
        self.limit_estimates();
        // Among moves that look equally good, the more certain come first.
        let order = |line: &AnalyzedLine| Reverse((line.value.score(), certainty(line.value)));
        self.analysis.lines.sort_by_key(order);
        let is_complete = self.analysis.lines.iter().all(|line| line.value.is_exact());
        if let (true, Some(best)) = (is_complete, self.analysis.lines.first()) {
            self.analysis.bounds = Bounds::only(best.value.score());
            self.analysis.is_complete =
                self.analysis.lines.len() == self.position.legal_moves().count();
        }
    }

    /// Applies the forced win to the values of the lines.
    fn apply_forced(&mut self) {
        let Some(forced) = &self.forced else { return };
        let value = forced.value(self.position.side_to_move());
        let is_win = forced.winner == self.position.side_to_move();
        let pv: Vec<_> = forced.line.iter().map(MoveText::of).collect();
        let first = pv.first().copied();
        for line in &mut self.analysis.lines {
            let is_first = first == Some(line.first_move());
            let is_known = line.value.is_exact()
                || (certainty(line.value) == certainty(value) && line.pv.len() >= pv.len());
            if is_known || (is_win && !is_first) {
                continue;
            }
            line.value = value;
            line.pv = if is_first { pv.clone() } else { vec![line.first_move()] };
        }
    }

    /// Limits the estimates: no move is worth more than the position.
    fn limit_estimates(&mut self) {
        let upper = self.analysis.bounds.upper;
        for line in &mut self.analysis.lines {
            if let Value::Estimate(score) = line.value {
                line.value = Value::Estimate(score.min(upper));
            }
        }
    }

    /// Solves the position to the end of the game, move by move.
    fn solve(&mut self, threads: usize) {
        let Ok(plies) = plies_to_end(self.position) else { return };
        let exact_share = self.request.time.map(|time| time.mul_f64(EXACT_SHARE));
        let aids = Aids {
            context: self.request.context.clone(),
            book: self.engine.perfect.book().cloned(),
            give_up_at: exact_share.and_then(|share| self.started.checked_add(share)),
        };
        let monitor = Arc::clone(&aids.context.monitor);
        let nodes_before = monitor.nodes();
        let evaluator = self.engine.game.evaluator();
        let mut search = self.engine.search_mut().sharing(evaluator).with_threads(threads);
        let position = self.position;
        let mut step = |step: Step<'_, MoveOf<A>>| match step {
            Step::Begin(Task::Position) => self.begin("value".to_owned()),
            // The search looks at the position after the move, so its value is the reply's.
            Step::Begin(Task::Move(mv)) => self.begin(format!("move {mv}, the reply's value")),
            Step::Proven(line) => {
                let bounds = &mut self.analysis.bounds;
                if bounds.exact().is_none() {
                    *bounds = Bounds::only(line.score());
                }
                let cpu = self.analysis.cpu.saturating_sub(self.before.1);
                self.set_cost(monitor.nodes() - nodes_before, cpu);
                self.learn([as_text(line, plies)].into_iter());
                self.tell();
            }
        };
        let Ok(Some(solution)) = solve(&mut search, position, &aids, &mut step) else { return };
        self.analysis.bounds = solution.bounds;
        self.add_cost(solution.nodes, solution.cpu);
        self.learn(std::iter::empty());
        self.tell();
    }

    /// Looks for a win that either side can force.
    fn look_for_forced_win(&mut self, time: Duration, nodes: Option<u64>, table_mib: usize) {
        let tactics = self.engine.game.tactics(!self.engine.without_prepared);
        let mut finder = Finder::new(tactics, table_mib);
        let position = self.position;
        if !finder.is_of_use(position) {
            return;
        }
        self.begin("looking for a forced win".to_owned());
        let (started, stop) = (Instant::now(), &self.request.context.stop);
        let until = |share: f64| Allowance {
            deadline: started.checked_add(time.mul_f64(share)),
            nodes,
            stop: Some(Arc::clone(stop)),
        };
        let mover = position.side_to_move();
        let share = if finder.expects(position).is_some() { LIKELY_SHARE } else { WIN_SHARE };
        let win = finder.find(position, mover, &until(share));
        let known = win.or_else(|| finder.prepared_loss(position));
        let forced = known.or_else(|| finder.find(position, mover.other(), &until(BOTH_SHARE)));
        let allowance = until(LIKELY_SHARE);
        if let Some(forced) = forced {
            self.set_forced(forced.clone());
            if forced.prepared {
                let forced = self.extend(forced, &mut finder, &allowance);
                self.set_forced(forced);
            }
        }
        self.add_cost(finder.take_nodes(), Duration::ZERO);
    }

    fn set_forced(&mut self, forced: Forced<MoveOf<A>>) {
        let Forced { winner, plies, ref line, prepared, nodes } = forced;
        let line = line.iter().map(MoveText::of).collect();
        self.analysis.forced = Some(Forced { winner, plies, line, prepared, nodes });
        self.forced = Some(forced);
        self.learn(std::iter::empty());
        self.tell();
    }

    /// Returns the same win, with its line continued where it ends with a move of a known opening.
    fn extend(
        &mut self,
        mut forced: Forced<MoveOf<A>>,
        finder: &mut Finder<A::Tactics>,
        allowance: &Allowance,
    ) -> Forced<MoveOf<A>> {
        let mut next = self.position.clone();
        let mut played = 0;
        let mut is_known = forced.prepared;
        while is_known {
            forced.line[played..].iter().for_each(|&mv| next.play_unchecked(mv));
            played = forced.line.len();
            let reply = self.engine.search_mut().best(&next, &Limits::depth(REPLY_DEPTH));
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
}

/// Returns the amount of information in a line.
fn weight(line: &AnalyzedLine) -> (u8, u32) {
    (certainty(line.value), line.depth)
}

/// Returns the amount of information in a value.
fn certainty(value: Value) -> u8 {
    match value {
        Value::Exact(_) => 2,
        Value::AtLeast(_) | Value::AtMost(_) => 1,
        Value::Estimate(_) => 0,
    }
}

fn as_text<M: Copy + std::fmt::Display>(line: &Line<M>, depth: u32) -> AnalyzedLine {
    AnalyzedLine { value: line.value, depth, pv: line.pv.iter().map(MoveText::of).collect() }
}

/// Returns the progress of a search, for a progress line.
fn summary<M: Copy + std::fmt::Display>(report: &Report<M>) -> String {
    let best = report.best();
    let pv: Vec<_> = best.pv.iter().map(M::to_string).collect();
    let (depth, nodes, mv) = (report.depth, report.nodes, report.best_move());
    format!("depth {depth}, {nodes} nodes, best {mv} {}: {}", best.value, pv.join(" "))
}

/// A recorder of a search, with the paths and the terms that people see.
struct Writer<'a, A: GameAdapter + HostedGame> {
    game: &'a A,
    evaluator: &'a A::Evaluator,
    recorder: Recorder<MoveOf<A>>,
    paths: Vec<Path>,
    terms: Terms,
}

impl<A: GameAdapter + HostedGame> Observer<A::Game> for Writer<'_, A> {
    fn enter(&mut self, entered: &Entered<'_, A::Game>) -> bool {
        let goes_on = self.recorder.enter(entered);
        if self.recorder.is_recording() {
            let path = entered.from.map(|(position, mv)| self.game.path(position, mv));
            self.paths.push(path.unwrap_or_default());
        }
        goes_on
    }

    fn cut(&mut self, position: &A::Game, moves: &[(MoveOf<A>, A::Game)]) {
        self.recorder.cut(position, moves);
        let new = self.recorder.count() - self.paths.len();
        let paths = moves.iter().take(new).map(|&(mv, _)| self.game.path(position, mv));
        self.paths.extend(paths);
    }

    fn leave(&mut self, position: &A::Game, found: &Found<MoveOf<A>>) {
        if found.source == Source::Evaluation && self.recorder.is_recording() {
            let terms = self.evaluator.terms(position);
            self.terms.push(self.recorder.count() - 1, &terms);
        }
        self.recorder.leave(position, found);
    }
}

/// Searches a position and records the part that `request` asks for. Returns `None` if the search would be too large,
/// or is stopped.
pub(super) fn explain<A: GameAdapter + HostedGame>(
    game: &A,
    root: &A::Game,
    request: &ExplainRequest,
) -> Option<Explanation> {
    let ExplainRequest { options, most_nodes, most_visited, ref context } = *request;
    let evaluator = &game.evaluator();
    let counts = Counts::search(root, evaluator, &options, context, most_visited)?;
    let recorder = Recorder::new(counts.plies_within(most_nodes));
    let (paths, terms) = (Vec::new(), Terms::default());
    let mut writer = Writer { game, evaluator, recorder, paths, terms };
    search(root, evaluator, &options, context, &mut writer)?;
    let Writer { recorder, paths, terms, .. } = writer;
    let (mut moves, mut numbers) = (Vec::new(), HashMap::new());
    let tree = Tree::from(recorder).map(|mv| {
        let text = MoveText::of(&mv);
        *numbers.entry(text).or_insert_with(|| {
            moves.push(text);
            (moves.len() - 1) as u16
        })
    });
    let position = host_position(game, root.clone());
    Some(Explanation { position, options, counts, tree, moves, paths, terms })
}

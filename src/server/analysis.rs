//! What every move of a position is worth, told while it is being found out.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::App;
use super::game_line::{Course, GameLine};
use super::on_page::OnPage;
use super::searches::Stop;
use super::worth::{LineView, Worth};
use crate::book::Book;
use crate::cli::{extended, merge};
use crate::game::Game;
use crate::perfect::{self, Aids, Step, plies_to_end};
use crate::proof::{Allowance, Finder, Forced};
use crate::score::Score;
use crate::search::{AlphaBeta, Limits, Line, Report, Scope, Search, Turn, Urgency};

/// The search that deepens ply by ply visits so many positions before a proof is tried: under a
/// second.
const NODES_BEFORE_PROOF: u64 = 2_000_000;

/// So many positions are visited for the value of an earlier position of the game: a few
/// milliseconds.
const NODES_OF_EARLIER: u64 = 20_000;

/// Memory in MiB for what is proven of forced wins, where nobody else searches.
pub(super) const FORCE_TABLE_MIB: usize = 64;

/// The table in MiB, the time, and the nodes for each distance with which forced wins are looked for
/// when nobody else searches.
const FORCE_ALONE: (usize, Duration, Option<u64>) =
    (FORCE_TABLE_MIB, Duration::from_secs(20), None);

/// And else, where memory and processors are for all.
const FORCE_AMONG_OTHERS: (usize, Duration, Option<u64>) =
    (1, Duration::from_millis(100), Some(4_000));

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// Who asks: a client has one search at a time.
    pub(super) client: String,
    pub(super) game: GameLine,
    /// The moves of the game after which the position is that is asked about.
    pub(super) ply: usize,
    /// The plies of the game whose positions should be judged too, at a glance.
    #[serde(default)]
    pub(super) earlier: Vec<usize>,
}

/// What is known so far.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Findings {
    /// The depth that was finished.
    depth: u32,
    /// Positions visited.
    nodes: u64,
    /// Best first.
    lines: Vec<LineView>,
    /// What is proven, as a sentence.
    verdict: Option<String>,
    /// The values of earlier positions.
    earlier: Vec<Earlier>,
    /// Whether nothing will follow.
    done: bool,
}

impl Findings {
    pub(super) fn is_done(&self) -> bool {
        self.done
    }
}

#[derive(Clone, Debug, Serialize)]
struct Earlier {
    ply: usize,
    #[serde(flatten)]
    worth: Worth,
}

type Move<P> = <<P as crate::cli::Program>::Game as Game>::Move;

/// An analysis under way.
struct Analysis<'a, P: OnPage> {
    program: &'a P,
    position: &'a P::Game,
    book: Option<&'a Book>,
    search: AlphaBeta<P::Evaluator>,
    stop: &'a Stop,
    turn: Arc<Turn>,
    /// Best first, each with the depth that was looked ahead for it.
    lines: Vec<(Line<Move<P>>, u32)>,
    /// Nodes of searches that have ended.
    nodes_before: u64,
    findings: Findings,
    listener: &'a watch::Sender<Findings>,
}

/// Finds out, until all is proven or somebody stops it, and tells `listener` of every step.
pub(super) fn analyse<P: OnPage>(
    app: &App<P>,
    course: &Course<P>,
    (ply, earlier): (usize, &[usize]),
    stop: &Stop,
    listener: &watch::Sender<Findings>,
) {
    if let Some(position) = course.position_at(ply).filter(|_| !stop.is_raised()) {
        let mut analysis = Analysis {
            program: &course.program,
            position,
            book: app.book.as_ref(),
            search: app.search.sharing(course.program.evaluator()),
            stop,
            turn: Arc::new(app.turns.begin(Urgency::Patient)),
            lines: Vec::new(),
            nodes_before: 0,
            findings: Findings::default(),
            listener,
        };
        analysis.run(app, course, earlier);
    }
    listener.send_modify(|findings| findings.done = true);
}

impl<P: OnPage> Analysis<'_, P> {
    fn run(&mut self, app: &App<P>, course: &Course<P>, earlier: &[usize]) {
        let goes_on = self.position.outcome().is_none() && !self.is_at_cap(course);
        if goes_on {
            let first = Limits { nodes: Some(NODES_BEFORE_PROOF), ..self.limits() };
            self.deepen(&first);
        }
        self.judge_earlier(course, earlier);
        if !goes_on || self.is_proven() {
            return;
        }
        if plies_to_end(self.position).is_ok() {
            // Who is alone has all the processors.
            let threads = if app.searches.is_alone() { app.turns.most().get() } else { 1 };
            self.prove_every_move(threads);
        } else {
            self.look_for_force(app.searches.is_alone());
            self.deepen(&self.limits());
        }
    }

    /// Whether the game is given up as a draw in this position.
    fn is_at_cap(&self, course: &Course<P>) -> bool {
        course.is_at_cap() && *self.position == course.position
    }

    fn limits(&self) -> Limits {
        Limits {
            stop: Some(Arc::clone(&self.stop.now)),
            turn: Some(Arc::clone(&self.turn)),
            ..Limits::default()
        }
    }

    fn is_proven(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|(line, _)| line.proven)
    }

    /// Looks one ply further again and again.
    fn deepen(&mut self, limits: &Limits) {
        let mut search = self.search.sharing(self.program.evaluator());
        let position = self.position;
        let mut hear = |report: &Report<Move<P>>| {
            let lines = report.lines.iter().map(|line| (line.clone(), report.depth));
            self.learn(lines, report.depth);
            self.tell(report.nodes);
        };
        let report = search.search(position, limits, Scope::EveryMove, &mut hear);
        self.nodes_before += report.map_or(0, |report| report.nodes);
    }

    /// Takes in what a search says, where it is not known better already.
    fn learn(&mut self, lines: impl Iterator<Item = (Line<Move<P>>, u32)>, depth: u32) {
        for (line, depth) in lines {
            let mv = line.first_move();
            match self.lines.iter_mut().find(|(own, _)| own.first_move() == mv) {
                Some((own, _)) if own.proven && !line.proven => {}
                Some(own) => *own = (line, depth),
                None => self.lines.push((line, depth)),
            }
        }
        // Proven moves come before estimated ones that look as good.
        self.lines.sort_by_key(|(line, _)| std::cmp::Reverse((line.score, line.proven)));
        self.findings.depth = self.findings.depth.max(depth);
    }

    /// Tells the listener what is known, `nodes` being those of the search under way.
    fn tell(&mut self, nodes: u64) {
        self.findings.nodes = self.nodes_before + nodes;
        let view = |(line, depth): &(Line<Move<P>>, u32)| {
            LineView::new(self.program, self.position, line, (!line.proven).then_some(*depth))
        };
        self.findings.lines = self.lines.iter().map(view).collect();
        // Whoever has left learns nothing more.
        let _ = self.listener.send(self.findings.clone());
    }

    /// Looks to the end of the game, move by move.
    fn prove_every_move(&mut self, threads: usize) {
        let aids = Aids {
            stop: Arc::clone(&self.stop.exact),
            book: self.book.cloned(),
            turn: Some(Arc::clone(&self.turn)),
            ..Aids::default()
        };
        let watch = Arc::clone(&aids.watch);
        let search = self.search.sharing(self.program.evaluator());
        let mut search = search.with_threads(threads);
        let position = self.position;
        let plies = position.plies_left().unwrap_or_default();
        let mut is_first = true;
        let mut hear = |step: Step<'_, Move<P>>| {
            let Step::Proven(line) = step else { return };
            if std::mem::take(&mut is_first) {
                let value = self.program.value(line.score);
                self.findings.verdict = Some(self.program.verdict(position, value));
                self.limit(line.score);
            }
            self.learn([(line.clone(), plies)].into_iter(), plies);
            self.tell(watch.nodes());
        };
        // That the game has an end was asked before.
        let _ = perfect::solve(&mut search, position, &aids, &mut hear);
    }

    /// No move is worth more than the position.
    fn limit(&mut self, value: Score) {
        for (line, _) in &mut self.lines {
            line.score = line.score.min(value);
        }
    }

    /// Looks for a win that either side can force. That does not make way for others, and so takes
    /// its time only where nobody else searches.
    fn look_for_force(&mut self, is_alone: bool) {
        let (table_mib, time, nodes) = if is_alone { FORCE_ALONE } else { FORCE_AMONG_OTHERS };
        let mut finder = Finder::new(self.program.tactics(true), table_mib);
        if !finder.is_of_use(self.position) {
            return;
        }
        let stop = Some(Arc::clone(&self.stop.now));
        let allowance = Allowance { nodes, ..Allowance::time(time, stop) };
        let mover = self.position.side_to_move();
        let forced = finder
            .find(self.position, mover, &allowance)
            .or_else(|| finder.prepared_loss(self.position))
            .or_else(|| finder.find(self.position, mover.other(), &allowance));
        let Some(forced) = forced else { return };
        self.tell_of(&forced);
        if forced.prepared {
            let mut search = self.search.sharing(self.program.evaluator());
            let forced = extended(self.position, forced, &mut finder, &allowance, &mut search);
            self.tell_of(&forced);
        }
    }

    /// Takes in a forced win.
    fn tell_of(&mut self, forced: &Forced<Move<P>>) {
        let verdict = self.program.forced_win(self.position, forced.winner, forced.plies);
        self.findings.verdict = Some(format!("Proven: {verdict}."));
        let lines = self.lines.iter().map(|(line, _)| line.clone()).collect();
        let (depth, none) = (self.findings.depth, Duration::ZERO);
        let mut report = Report { lines, depth, nodes: 0, cpu: none, wall: none };
        // Where a longer line of the same win is known by now, it takes the place of the other.
        let first = forced.line.first().copied();
        let replaced = report.lines.iter_mut().find(|line| Some(line.first_move()) == first);
        if let Some(line) = replaced.filter(|line| line.pv.len() < forced.line.len()) {
            line.proven = false;
        }
        merge(&mut report, forced, self.position.side_to_move());
        self.learn(report.lines.into_iter().map(|line| (line, depth)), depth);
        self.tell(0);
    }

    /// Judges earlier positions of the game, at a glance.
    fn judge_earlier(&mut self, course: &Course<P>, plies: &[usize]) {
        let mut search = self.search.sharing(self.program.evaluator());
        for &ply in plies.iter().take(course.past.len() + 1) {
            let Some(position) = course.position_at(ply) else { continue };
            let side = position.side_to_move();
            let known = match position.outcome() {
                Some(outcome) => Some(outcome.score(side, 0)),
                None => self.book.and_then(|book| book.best_move(position)).map(|(_, score)| score),
            };
            let limits = Limits { nodes: Some(NODES_OF_EARLIER), ..self.limits() };
            let (score, proven) = match known {
                Some(score) => (score, true),
                None => match search.best(position, &limits) {
                    Some(report) if report.depth > 0 => (report.score(), report.proven()),
                    _ => continue,
                },
            };
            if self.stop.is_raised() {
                return;
            }
            let worth = Worth::new(self.program, side, score, proven);
            self.findings.earlier.push(Earlier { ply, worth });
        }
        self.tell(0);
    }
}

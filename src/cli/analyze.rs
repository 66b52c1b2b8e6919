//! The analysis of a position: what every move is worth.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;

use super::analysis::Analysis;
use super::analyze_exact;
use super::analyze_forced::{self, ForcedIn};
use super::args::{DEPTH, SearchArgs};
use super::book_choice::BookChoice;
use super::failure::Failure;
use super::interrupt::listen;
use super::position::load_or_start;
use super::program::Program;
use super::progress;
use crate::duration::parse_duration;
use crate::game::Game;
use crate::search::{Clock, Limits, Line, Report, Scope, Search};

/// How long to think if nothing is said about it.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// The share of the time that is left for the search of every move at least.
const LEAST_SHARE: f64 = 0.1;
/// What the progress line shows.
const PROGRESS: &str = "{spinner} {elapsed} {wide_msg}";

/// The arguments of `analyze`.
#[derive(Clone, Debug, Args)]
pub struct AnalyzeArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How many moves to look ahead
    #[arg(long, id = DEPTH, value_name = "N", conflicts_with = "time")]
    pub depth: Option<u32>,

    /// How long to think, by the clock on the wall, as in 1s or 250ms; 5s if there is no depth
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Look to the end of the game: what every move gets with best play of both sides. With a
    /// time, as far as can be proven in it
    #[arg(long, conflicts_with = DEPTH)]
    pub exact: bool,

    /// One line of JSON: `score` in hundredths of a point, or within 1000 of +-30000 for a forced
    /// win or loss; `value` the exact result in the game's own terms once proven; `forced_win`,
    /// if one was found, who wins in how many plies at the latest, and a line of it
    #[arg(long)]
    pub json: bool,

    /// Which book --exact goes by
    #[command(flatten)]
    pub book: BookChoice,

    /// How to search
    #[command(flatten)]
    pub search: SearchArgs,
}

impl AnalyzeArgs {
    /// How long to think without a depth.
    pub(super) fn time(&self) -> Duration {
        self.time.unwrap_or(DEFAULT_TIME)
    }

    /// The limits of the search when so much of the time has gone.
    fn limits(&self, gone: Duration) -> Limits {
        let left = || self.time().saturating_sub(gone).max(self.time().mul_f64(LEAST_SHARE));
        self.depth.map_or_else(|| Limits::time(Clock::Wall, left()), Limits::depth)
    }
}

pub(super) fn run<P: Program>(program: &P, args: &AnalyzeArgs) -> Result<(), Failure> {
    let position = load_or_start(program, args.file.as_deref())?;
    let mut out = io::stdout().lock();
    if args.exact {
        return analyze_exact::run(program, args, &position, &mut out);
    }
    let stop = listen()?;
    if !args.json {
        write!(out, "{}", program.board(&position))?;
        out.flush()?;
    }
    let progress = progress::spinner(progress::style(PROGRESS));
    let mut search = args.search.search(program);
    let started = Instant::now();
    let forced = match args.depth {
        // A depth means exactly what it says.
        Some(_) => None,
        None => {
            progress.set_message("looking for a forced win");
            analyze_forced::find(program, &position, args, &stop, &mut search)
        }
    };
    let mut show = |report: &Report<_>| progress.set_message(summary(report));
    let limits = args.limits(started.elapsed()).with_stop(Arc::clone(&stop));
    let mut report = search.search(&position, &limits, Scope::EveryMove, &mut show);
    progress.finish_and_clear();
    let finished = report.as_ref().map_or(0, |report| report.depth);
    let is_stopped = stop.load(Ordering::Relaxed) && report.is_some();
    if is_stopped && finished == 0 {
        return Err(Failure::Stopped("no depth is finished".to_owned()));
    }
    if let (Some(report), Some(forced)) = (&mut report, &forced) {
        analyze_forced::merge(report, forced, position.side_to_move());
    }
    if args.json {
        let analysis = Analysis::new(program, &position, report.as_ref());
        write_json(&mut out, &analysis.with_forced(program, forced.as_ref()))?;
    } else {
        write_text(&mut out, program, &position, report.as_ref(), forced.as_ref())?;
    }
    if is_stopped {
        return Err(Failure::Stopped(format!("depth {finished} is the last that is finished")));
    }
    Ok(())
}

/// The analysis as people read it.
fn write_text<P: Program>(
    out: &mut impl Write,
    program: &P,
    position: &P::Game,
    report: Option<&Report<<P::Game as Game>::Move>>,
    forced: Option<&ForcedIn<P>>,
) -> Result<(), Failure> {
    match report {
        Some(report) => {
            writeln!(out, "\n{}\n", program.turn(position))?;
            if let Some(forced) = forced {
                write_forced(out, program, position, forced)?;
            }
            let row = |line: &Line<_>| Row { line: line.clone(), depth: report.depth };
            let rows: Vec<_> = report.lines.iter().map(row).collect();
            write_rows(out, &rows, report)?;
        }
        None => writeln!(out, "\n{}\n{}", program.ending(position), program.result(position))?,
    }
    Ok(())
}

/// The exact value of every move, in the order of the moves, and of the position.
pub(super) fn margins<P: Program>(
    program: &P,
    position: &P::Game,
    lines: &[Line<<P::Game as Game>::Move>],
) -> String {
    let value = |mv| lines.iter().find(|line| line.first_move() == mv).map(|line| line.score);
    let values: Vec<_> =
        position.legal_moves().filter_map(|mv| Some((mv, program.value(value(mv)?)))).collect();
    let best = values.iter().map(|&(_, value)| value).max().unwrap_or_default();
    format!("{}\n{}\n", program.values(position, &values), program.verdict(position, best))
}

fn summary<M: Copy + std::fmt::Display>(report: &Report<M>) -> String {
    let best = report.best();
    format!(
        "depth {}, {} nodes, best {} {}: {}",
        report.depth,
        report.nodes,
        report.best_move(),
        best.score,
        variation(best)
    )
}

pub(super) fn variation<M: std::fmt::Display>(line: &Line<M>) -> String {
    line.pv.iter().map(M::to_string).collect::<Vec<_>>().join(" ")
}

/// Who wins, how he is known to, and an example of it.
fn write_forced<P: Program>(
    out: &mut impl Write,
    program: &P,
    position: &P::Game,
    forced: &ForcedIn<P>,
) -> io::Result<()> {
    let wins = program.forced_win(position, forced.winner, forced.plies);
    let source = if forced.prepared { "by the solved opening" } else { "proven" };
    let line: Vec<_> = forced.line.iter().map(ToString::to_string).collect();
    writeln!(out, "{wins}, {source}: {}\n", line.join(" "))
}

pub(super) fn write_json(out: &mut impl Write, analysis: &Analysis) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, analysis).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// What is shown of a move.
#[derive(Clone, Debug)]
pub(super) struct Row<M> {
    pub(super) line: Line<M>,
    /// How many plies were looked ahead for it.
    pub(super) depth: u32,
}

/// A table of the rows, and what it took to find them.
pub(super) fn write_rows<M: Copy + std::fmt::Display>(
    out: &mut impl Write,
    rows: &[Row<M>],
    report: &Report<M>,
) -> io::Result<()> {
    writeln!(out, "{:>5}  {:>10}  {:8}  {:>5}  Principal variation", "Move", "Score", "", "Depth")?;
    for Row { line, depth } in rows {
        let (mv, score) = (line.first_move().to_string(), line.score.to_string());
        let kind = if line.proven { "exact" } else { "estimate" };
        writeln!(out, "{mv:>5}  {score:>10}  {kind:8}  {depth:>5}  {}", variation(line))?;
    }
    let seconds = report.cpu.as_secs_f64();
    let millions = report.nodes_per_second() / 1e6;
    writeln!(out, "\n{} nodes, {seconds:.2} s CPU, {millions:.1} million/s", report.nodes)
}

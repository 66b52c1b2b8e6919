//! The analysis of a position: what every move is worth.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressState};
use plyground::perfect::plies_to_end;
use plyground::search::Monitor;
use plyground_durable::parse_duration;
use plyground_host::{
    Analysis, AnalysisRequest, ForcedWin, HostedEngine, HostedPosition, SharedGame, Stage,
};

use super::analysis_json::write_json;
use super::analysis_text::{margins, proven, write_rows};
use super::args::{DEPTH, SearchArgs};
use super::book_choice::BookChoice;
use super::failure::Failure;
use super::interrupt::listen;
use super::position::load_or_start;
use super::progress;
use super::value_text::variation;

/// The time to think if the command line has no limit.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// The share of the time that goes into looking for a forced win at most.
const FORCED_SHARE: f64 = 0.5;

/// The arguments of `analyze`.
#[derive(Clone, Debug, Args)]
pub struct AnalyzeArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none. Where no such file exists, the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The number of moves to look ahead
    #[arg(long, id = DEPTH, value_name = "N", conflicts_with = "time")]
    pub depth: Option<u32>,

    /// The time to think by the clock on the wall, as in 1s or 250ms; 5s if there is no depth
    /// either
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Search to the end of the game, for what every move gets with best play of both sides. With
    /// --time, prove what is possible in that time
    #[arg(long, conflicts_with = DEPTH)]
    pub exact: bool,

    /// One line of JSON: `score` in hundredths of a point, or within 1000 of +-30000 for a forced
    /// win or loss; `bound`, whether the score is exact, at-least, at-most or an estimate; `value`
    /// the exact result in the game's own terms; `forced_win`, if one was found, the winner, the
    /// plies at the latest, and a line
    #[arg(long)]
    pub json: bool,

    /// Which book --exact goes by
    #[command(flatten)]
    pub book: BookChoice,

    /// The options of the search
    #[command(flatten)]
    pub search: SearchArgs,
}

impl AnalyzeArgs {
    fn time(&self) -> Option<Duration> {
        let is_limited = self.exact || self.depth.is_some();
        self.time.or((!is_limited).then_some(DEFAULT_TIME))
    }

    fn stages(&self) -> Vec<Stage> {
        let deepen = |depth| Stage::Deepen { depth, nodes: None };
        match (self.exact, self.time()) {
            (true, time) => {
                let solve = Stage::Solve { threads: self.search.threads.get() };
                // Without a time there is nothing to estimate in the end.
                [solve].into_iter().chain(time.map(|_| deepen(None))).collect()
            }
            // A depth means exactly what it says.
            (false, None) => vec![deepen(self.depth)],
            (false, Some(time)) => {
                let (time, table_mib) = (time.mul_f64(FORCED_SHARE), self.search.table);
                vec![Stage::ForcedWin { time, nodes: None, table_mib }, deepen(None)]
            }
        }
    }
}

pub(super) fn run(game: &SharedGame, args: &AnalyzeArgs) -> Result<(), Failure> {
    let position = load_or_start(&**game, args.file.as_deref())?;
    let book = if args.exact {
        plies_to_end(&position)?;
        args.book.clone()
    } else {
        BookChoice { book: None, ..args.book.clone() }
    };
    let mut engine = args.search.engine(&position, &book)?;
    let request = AnalysisRequest {
        stages: args.stages(),
        time: args.time(),
        stop: listen()?,
        ..AnalysisRequest::default()
    };
    let mut out = io::stdout().lock();
    if !args.json {
        write!(out, "{}", position.board())?;
        out.flush()?;
    }
    let analysis = analyze(&mut *engine, &position, &request, args.exact);
    let is_stopped = request.stop.load(Ordering::Relaxed) && !analysis.is_complete;
    if is_stopped && args.exact {
        return Err(Failure::Stopped(proven(&**game, &analysis)));
    }
    if is_stopped && analysis.depth == 0 {
        return Err(Failure::Stopped("no depth is finished".to_owned()));
    }
    if args.json {
        write_json(&mut out, &position, &analysis, None)?;
    } else {
        write_text(&mut out, &position, &analysis, args.exact)?;
    }
    if is_stopped {
        let depth = analysis.depth;
        return Err(Failure::Stopped(format!("depth {depth} is the last that is finished")));
    }
    Ok(())
}

/// Analyzes with a line about the progress on standard error if that is a terminal, which also
/// tells how far an exact search is.
pub(super) fn analyze(
    engine: &mut dyn HostedEngine,
    position: &HostedPosition,
    request: &AnalysisRequest,
    is_exact: bool,
) -> Analysis {
    let monitor = is_exact.then(|| Arc::clone(&request.monitor));
    let progress = progress_line(position.game(), monitor);
    let mut show = |analysis: &Analysis| progress.set_message(analysis.task.clone());
    let analysis = engine.analyze(position, request, &mut show);
    progress.finish_and_clear();
    analysis
}

/// A line with the task, and, where there is a monitor, with the test that is under way, the nodes
/// so far, how many come in a second, and how full the table is.
fn progress_line(game: SharedGame, monitor: Option<Arc<Monitor>>) -> ProgressBar {
    let Some(monitor) = monitor else {
        return progress::spinner(progress::style("{spinner} {elapsed} {wide_msg}"));
    };
    let monitored = move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
        let test =
            monitor.root().map(|root| format!(" >= {}?", game.value(game.round_up(root.test))));
        let nodes = monitor.nodes();
        let speed = nodes as f64 / state.elapsed().as_secs_f64().max(f64::EPSILON) / 1e6;
        let full = 100.0 * monitor.table_fill();
        // A progress line that cannot be written is not worth a complaint.
        let _ = write!(
            line,
            "{}  {} nodes, {speed:.1} million/s, table {full:.0} % full",
            test.unwrap_or_default(),
            HumanCount(nodes)
        );
    };
    let style = progress::style("{spinner} {elapsed_precise}  {msg}{monitored}");
    progress::spinner(style.with_key("monitored", monitored))
}

/// The analysis as people read it.
fn write_text(
    out: &mut impl Write,
    position: &HostedPosition,
    analysis: &Analysis,
    is_exact: bool,
) -> Result<(), Failure> {
    let game = position.game();
    if position.is_over() {
        writeln!(out, "\n{}\n{}", position.ending(), position.result())?;
        return Ok(());
    }
    writeln!(out, "\n{}\n", position.turn())?;
    if let Some(forced) = &analysis.forced {
        write_forced(out, position, forced)?;
    }
    match (is_exact, analysis.is_complete) {
        (true, true) => writeln!(out, "{}", margins(position, analysis))?,
        (true, false) => {
            let proven = proven(&*game, analysis);
            writeln!(out, "The time was too short for everything. What is {proven}.\n")?;
        }
        (false, _) => {}
    }
    write_rows(out, &*game, analysis)?;
    Ok(())
}

/// Writes who wins, how that is known, and an example of it.
fn write_forced(
    out: &mut impl Write,
    position: &HostedPosition,
    forced: &ForcedWin,
) -> io::Result<()> {
    let wins = position.forced_win(forced.winner, forced.plies);
    let source = if forced.prepared { "by the solved opening" } else { "proven" };
    writeln!(out, "{wins}, {source}: {}\n", variation(&forced.line))
}

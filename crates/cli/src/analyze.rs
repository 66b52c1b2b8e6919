//! The analysis of a position, with the value of every move; and solving, with the exact values of the position and of
//! every move.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::anyhow;
use clap::{ArgAction, Args};
use indicatif::{HumanCount, ProgressBar, ProgressState};
use plyground::book::Book;
use plyground::perfect::plies_to_end;
use plyground::proof::Forced;
use plyground::search::{Line, Monitor, Options};
use plyground::{Bounds, Game, Score, Value};
use plyground_durable::parse_duration;
use plyground_host::{
    Analysis, AnalysisRequest, AnalyzedLine, Bound, EngineOptions, HostedEngine, HostedGame,
    HostedPosition, MoveText, OtherGame, SharedGame, Stage, Text,
};
use serde::Serialize;

use super::args::{
    BookChoice, Depth, SearchArgs, TableArgs, ToTheEnd, flag, load_or_start, threads_parser,
};
use super::failure::{Failure, listen, print};
use super::progress;

/// The time to think if the command line has no limit.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// The greatest share of the time for the search for a forced win.
const FORCED_SHARE: f64 = 0.5;

/// The arguments of `analyze`.
#[derive(Clone, Debug, Args)]
pub struct AnalyzeArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game.
    /// A text that names no file is the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The number of moves to look ahead
    #[arg(long, value_name = "N", conflicts_with = "time")]
    pub depth: Option<Depth>,

    /// The time to think by the clock on the wall, as in 1s or 250ms; 5s if there is no depth
    /// either
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Search to the end of the game for the value of every move with best play of both sides. With
    /// --time, prove as much as that time allows
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag(ToTheEnd), conflicts_with = "depth")]
    pub exact: ToTheEnd,

    /// Print one line of JSON: `score` in hundredths of a point, or within 1000 of +-30000 for a
    /// forced win or loss; `bound`, whether the score is exact, at-least, at-most or an estimate;
    /// `value` the exact result in the game's own terms; `forced_win`, if one was found, the
    /// winner, the plies at the latest, and a line
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
        let is_limited = self.exact.0 || self.depth.is_some();
        self.time.or((!is_limited).then_some(DEFAULT_TIME))
    }

    fn stages(&self) -> Vec<Stage> {
        let deepen = |depth| Stage::Deepen { depth, nodes: None };
        match (self.exact.0, self.time()) {
            (true, time) => {
                let solve = Stage::Solve { threads: self.search.threads.get() };
                // Without a limit on the time, solving ends with exact values, which need no estimates.
                [solve].into_iter().chain(time.map(|_| deepen(None))).collect()
            }
            // A depth limits the whole analysis, and a search for a forced win has no such limit.
            (false, None) => vec![deepen(self.depth.map(|depth| depth.0))],
            (false, Some(time)) => {
                let (time, table_mib) = (time.mul_f64(FORCED_SHARE), self.search.table);
                vec![Stage::ForcedWin { time, nodes: None, table_mib }, deepen(None)]
            }
        }
    }
}

pub(super) fn run(game: &SharedGame, args: &AnalyzeArgs) -> Result<(), Failure> {
    let position = load_or_start(&**game, args.file.as_deref())?;
    let book = if args.exact.0 {
        plies_to_end(&position)?;
        args.book.clone()
    } else {
        BookChoice { book: None, ..args.book.clone() }
    };
    let mut engine = args.search.engine(&position, &book)?;
    let request = AnalysisRequest {
        stages: args.stages(),
        time: args.time(),
        context: listen()?.into(),
        ..AnalysisRequest::default()
    };
    if !args.json {
        print(position.text(Text::Board))?;
    }
    let mut out = io::stdout().lock();
    let analysis = analyze(&mut *engine, &position, &request, args.exact.0)?;
    let is_stopped = request.context.is_stopped() && !analysis.is_complete;
    if is_stopped && args.exact.0 {
        return Err(Failure::Stopped(proven(&**game, &analysis)));
    }
    if is_stopped && analysis.depth == 0 {
        return Err(Failure::Stopped("no depth is finished".to_owned()));
    }
    if args.json {
        write_json(&mut out, &position, &analysis, None)?;
    } else {
        write_text(&mut out, &position, &analysis, args.exact.0)?;
    }
    if is_stopped {
        let depth = analysis.depth;
        return Err(Failure::Stopped(format!("depth {depth} is the last that is finished")));
    }
    Ok(())
}

/// Analyzes, with a progress line on standard error if standard error is a terminal. The line of an
/// exact search also shows its nodes and its current test.
pub(super) fn analyze(
    engine: &mut dyn HostedEngine,
    position: &HostedPosition,
    request: &AnalysisRequest,
    is_exact: bool,
) -> Result<Analysis, OtherGame> {
    let monitor = is_exact.then(|| Arc::clone(&request.context.monitor));
    let progress = progress_line(position.game(), monitor);
    let mut show = |analysis: &Analysis| progress.set_message(analysis.task.clone());
    let analysis = engine.analyze(position, request, &mut show);
    progress.finish_and_clear();
    analysis
}

/// Returns a progress line with the task and, if there is a monitor, with the current test, the
/// nodes so far, the nodes per second and the fill of the table.
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
        // A failure to write only affects the progress line.
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

/// Writes the analysis as text for people.
fn write_text(
    out: &mut impl Write,
    position: &HostedPosition,
    analysis: &Analysis,
    is_exact: bool,
) -> Result<(), Failure> {
    let game = position.game();
    if position.is_over() {
        writeln!(out, "\n{}\n{}", position.text(Text::Ending), position.text(Text::Result))?;
        return Ok(());
    }
    writeln!(out, "\n{}\n", position.text(Text::Turn))?;
    if let Some(forced) = &analysis.forced {
        write_forced(out, position, forced)?;
    }
    match (is_exact, analysis.is_complete) {
        (true, true) => writeln!(out, "{}", margins(position, analysis))?,
        (true, false) => {
            let proven = proven(&*game, analysis);
            writeln!(out, "The time was too short to prove every value; {proven}.\n")?;
        }
        (false, _) => {}
    }
    write_rows(out, &*game, analysis)?;
    Ok(())
}

/// Writes the winner, the source of the knowledge, and an example line.
fn write_forced(
    out: &mut impl Write,
    position: &HostedPosition,
    forced: &Forced<MoveText>,
) -> io::Result<()> {
    let wins = position.text(Text::ForcedWin { winner: forced.winner, plies: forced.plies });
    let source = if forced.prepared { "by the solved opening" } else { "proven" };
    writeln!(out, "{wins}, {source}: {}\n", variation(&forced.line))
}

/// The output of `analyze --json` and `solve --json`. The fields are in the order of the output.
#[derive(Debug, Serialize)]
struct AnalysisJson {
    game: &'static str,
    /// The state file, lines joined by `/`.
    position: String,
    /// The last line of the state file.
    side_to_move: String,
    depth: u32,
    /// If true, the value of every move is exact.
    proven: bool,
    nodes: u64,
    cpu_seconds: f64,
    /// Best first; none when the game is over.
    moves: Vec<MoveJson>,
    /// Absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_win: Option<ForcedWinJson>,
    /// The exact value of the position in the game's own terms; present for `solve` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
}

/// A win that cannot be prevented.
#[derive(Debug, Serialize)]
struct ForcedWinJson {
    /// The name of the winner.
    winner: String,
    /// The greatest number of plies from now to the win.
    plies: u32,
    /// `proof`, or `opening` for a win by the solved opening.
    source: &'static str,
    /// A line to the win: the winner's moves are forced, the loser's moves are examples.
    line: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    /// [`Score::get`](plyground::Score::get), from the view of the side that makes the move.
    score: i32,
    /// The kind of the score: exact, a bound or an estimate.
    bound: Bound,
    /// If true, the score is exact.
    proven: bool,
    /// The value in the game's own terms, if it is exact.
    value: Option<i32>,
    pv: Vec<String>,
}

/// Writes an analysis as one line of JSON; `value` is the exact value of the position, if the output has one.
fn write_json(
    out: &mut impl Write,
    position: &HostedPosition,
    analysis: &Analysis,
    value: Option<i32>,
) -> Result<(), Failure> {
    let game = position.game();
    let state = position.state();
    let json = AnalysisJson {
        game: game.name(),
        position: position.state_word(),
        side_to_move: state.lines().last().unwrap_or_default().to_owned(),
        depth: depth(analysis),
        proven: analysis.is_complete,
        nodes: analysis.nodes,
        cpu_seconds: analysis.cpu.as_secs_f64(),
        moves: analysis.lines.iter().map(|line| MoveJson::new(&*game, line)).collect(),
        forced_win: analysis.forced.as_ref().map(|forced| ForcedWinJson::new(&*game, forced)),
        value,
    };
    serde_json::to_writer(&mut *out, &json).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Returns the number of plies to which every move was searched at least.
pub(super) fn depth(analysis: &Analysis) -> u32 {
    let least = analysis.lines.iter().map(|line| line.depth).min();
    analysis.depth.max(least.unwrap_or_default())
}

impl MoveJson {
    fn new(game: &dyn HostedGame, line: &AnalyzedLine) -> MoveJson {
        let score = line.value.score();
        let proven = line.value.is_exact();
        MoveJson {
            mv: line.first_move().to_string(),
            score: score.get(),
            bound: Bound::of(line.value),
            proven,
            value: proven.then(|| game.value(score)),
            pv: line.pv.iter().map(ToString::to_string).collect(),
        }
    }
}

impl ForcedWinJson {
    fn new(game: &dyn HostedGame, forced: &Forced<MoveText>) -> ForcedWinJson {
        ForcedWinJson {
            winner: game.side_name(forced.winner),
            plies: forced.plies,
            source: if forced.prepared { "opening" } else { "proof" },
            line: forced.line.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns a text with the exact value of every move, in the order of the moves, and of the position.
pub(super) fn margins(position: &HostedPosition, analysis: &Analysis) -> String {
    let game = position.game();
    let of = |mv: MoveText| analysis.lines.iter().find(|line| line.first_move() == mv);
    let value = |mv| of(mv).map(|line| (mv, game.value(line.value.score())));
    let values: Vec<_> = position.legal_moves().filter_map(value).collect();
    let best = values.iter().map(|&(_, value)| value).max().unwrap_or_default();
    format!("{}\n{}\n", position.text(Text::Values(values)), position.text(Text::Verdict(best)))
}

/// Returns one line about the proven values.
pub(super) fn proven(game: &dyn HostedGame, analysis: &Analysis) -> String {
    // The value is a whole number of points.
    let Bounds { lower, upper } = analysis.bounds;
    let (lower, upper) = (game.round_up(lower), -game.round_up(-upper));
    let mut text = match (Bounds { lower, upper }).exact() {
        Some(value) => format!("proven: value {}", game.value(value)),
        None if (lower, upper) == (Score::MIN, Score::MAX) => "nothing proven".to_owned(),
        None => format!("proven: value {} to {}", game.value(lower), game.value(upper)),
    };
    let exact = analysis.lines.iter().filter(|line| line.value.is_exact());
    for (index, line) in exact.enumerate() {
        let start = if index == 0 { "; moves " } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{start}{}: {}", line.first_move(), game.value(line.value.score()));
    }
    text
}

/// Writes a table of the moves, and the cost of the search.
fn write_rows(out: &mut impl Write, game: &dyn HostedGame, analysis: &Analysis) -> io::Result<()> {
    let scores: Vec<_> = analysis.lines.iter().map(|line| game.show(line.value)).collect();
    // Most scores are short, so most tables have the same width.
    let width = scores.iter().map(String::len).chain([10]).max().unwrap_or_default();
    writeln!(
        out,
        "{:>5}  {:>width$}  {:8}  {:>5}  Principal variation",
        "Move", "Score", "", "Depth"
    )?;
    for (line, score) in analysis.lines.iter().zip(scores) {
        let (mv, kind, pv) = (line.first_move().to_string(), kind(line.value), variation(&line.pv));
        writeln!(out, "{mv:>5}  {score:>width$}  {kind:8}  {:>5}  {pv}", line.depth)?;
    }
    writeln!(out, "\n{}", cost(analysis))
}

/// Describes the cost of the search: the positions visited, the CPU time and the speed.
fn cost(analysis: &Analysis) -> String {
    let (nodes, seconds) = (analysis.nodes, analysis.cpu.as_secs_f64());
    let millions = analysis.nodes_per_second() / 1e6;
    format!("{nodes} nodes, {seconds:.2} s CPU, {millions:.1} million/s")
}

/// Returns the words for the kind of a value: the result, a limit on it, or an estimate.
pub(super) fn kind(value: Value) -> &'static str {
    match value {
        Value::Exact(_) => "exact",
        Value::AtLeast(_) => "at least",
        Value::AtMost(_) => "at most",
        Value::Estimate(_) => "estimate",
    }
}

/// Returns the moves of a principal variation, with blanks between them.
fn variation(pv: &[MoveText]) -> String {
    pv.iter().map(MoveText::as_str).collect::<Vec<_>>().join(" ")
}

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game.
    /// A text that names no file is the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The number of threads that search together. With more than one, node counts depend on chance
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the search
    #[command(flatten)]
    pub table: TableArgs,

    /// Print the JSON line of analyze, with `value`, the exact value of the position
    #[arg(long)]
    pub json: bool,

    /// Play the principal variation to its end, and solve positions near the end again by a plain
    /// search
    #[arg(long)]
    pub verify: bool,
}

/// Solves a position and shows the solution.
///
/// # Errors
///
/// Returns an error if the position cannot be read or solved, if the solution is refuted, or if the
/// user interrupts; the error then names the values that are proven so far.
pub(super) fn solve(game: &dyn HostedGame, args: &SolveArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.file.as_deref())?;
    plies_to_end(&position)?;
    show(game, args, &position, None, listen()?)
}

/// Solves a position, with the help of a book if there is one, and shows the solution.
pub(super) fn show(
    game: &dyn HostedGame,
    args: &SolveArgs,
    position: &HostedPosition,
    book: Option<Book>,
    stop: Arc<AtomicBool>,
) -> Result<(), Failure> {
    if !args.json {
        print(position.text(Text::Board))?;
    }
    let mut out = io::stdout().lock();
    let (table_mib, threads) = (args.table.mib, args.threads.get());
    let search = Options { table_mib, threads, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let stages = vec![Stage::Solve { threads }];
    let request = AnalysisRequest { stages, context: stop.into(), ..AnalysisRequest::default() };
    let analysis = analyze(&mut *engine, position, &request, true)?;
    if !analysis.is_complete {
        return Err(Failure::Stopped(proven(game, &analysis)));
    }
    let best = analysis.lines.first();
    let verified = match best {
        Some(best) if args.verify => {
            let line = Line { value: best.value, pv: best.pv.clone() };
            let refuted = |why| Failure::Run(anyhow!("the solution is wrong: {why}"));
            Some(engine.verify(position, &line)?.map_err(refuted)?)
        }
        _ => None,
    };
    if args.json {
        let value = analysis.bounds.exact().map(|score| game.value(score));
        return write_json(&mut out, position, &analysis, value);
    }
    match best {
        Some(best) => {
            writeln!(out, "\n{}\n", position.text(Text::Turn))?;
            writeln!(out, "{}", margins(position, &analysis))?;
            writeln!(out, "Principal variation: {}\n{}", variation(&best.pv), cost(&analysis))?;
        }
        None => {
            writeln!(out, "\n{}\n{}", position.text(Text::Ending), position.text(Text::Result))?
        }
    }
    if let Some(settled) = verified {
        writeln!(
            out,
            "Verified: the principal variation played out, {settled} positions re-solved by a plain search"
        )?;
    }
    Ok(())
}

//! Solving: the exact value of a position and of every move.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressState};
use serde::Serialize;

use super::analysis::Analysis;
use super::analyze::{margins, variation};
use super::args::{MemoryArgs, threads_parser};
use super::failure::Failure;
use super::interrupt::listen;
use super::position::load_or_start;
use super::program::Program;
use super::progress;
use crate::game::Game;
use crate::perfect::{self, Aids, Solution, Step, Task, plies_to_end, verify};
use crate::score::{Bounds, Score};
use crate::search::{AlphaBeta, Options, Report, Watch};

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How many threads search together. With more than one, node counts depend on chance
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the search
    #[command(flatten)]
    pub memory: MemoryArgs,

    /// One line of JSON: that of analyze, and `value`, the exact value of the position
    #[arg(long)]
    pub json: bool,

    /// Play the principal variation out, and re-solve positions near the end by a plain search
    #[arg(long)]
    pub verify: bool,
}

/// Solves a position and shows the solution.
///
/// # Errors
///
/// When the position can not be read or solved, the solution is refuted, or somebody interrupts:
/// then with what is proven by then.
pub fn solve<P: Program>(program: &P, args: &SolveArgs) -> Result<(), Failure> {
    let position = load_or_start(program, args.file.as_deref())?;
    plies_to_end(&position)?;
    let aids = Aids { stop: listen()?, ..Aids::default() };
    let mut out = io::stdout().lock();
    if !args.json {
        write!(out, "{}", program.board(&position))?;
        out.flush()?;
    }
    let (table_mib, threads) = (args.memory.mebibytes, args.threads.get());
    let options = Options { table_mib, threads, ..Options::default() };
    let mut search = AlphaBeta::new(program.evaluator(), options);
    let solution = find(program, &mut search, &position, &aids)?;
    if let Some(solution) = solution.as_ref().filter(|solution| !solution.complete) {
        return Err(Failure::Stopped(proven(program, solution)));
    }
    let verified = match &solution {
        Some(Solution { best: Some(best), .. }) if args.verify => {
            let refuted = |why| Failure::Run(anyhow!("the solution is wrong: {why}"));
            Some(verify(&mut search, &position, best).map_err(refuted)?)
        }
        _ => None,
    };
    if args.json {
        return write_json(&mut out, program, &position, solution);
    }
    match &solution {
        Some(solution) => write_text(&mut out, program, &position, solution)?,
        None => writeln!(out, "\n{}\n{}", program.ending(&position), program.result(&position))?,
    }
    if let Some(settled) = verified {
        writeln!(
            out,
            "Verified: the principal variation played out, {settled} positions re-solved by a plain search"
        )?;
    }
    Ok(())
}

/// Solves, with a line about the progress on standard error if that is a terminal, until somebody
/// stops it.
pub(super) fn find<P: Program>(
    program: &P,
    search: &mut AlphaBeta<P::Evaluator>,
    position: &P::Game,
    aids: &Aids,
) -> Result<Option<Solution<<P::Game as Game>::Move>>, Failure> {
    let progress = progress_line(program, Arc::clone(&aids.watch));
    let mut hear = |step: Step<'_, <P::Game as Game>::Move>| match step {
        Step::Begin(Task::Position) => progress.set_message("value"),
        // The search looks at the position after the move.
        Step::Begin(Task::Move(mv)) => {
            progress.set_message(format!("move {mv}, the reply's value"))
        }
        Step::Proven(_) => {}
    };
    let solution = perfect::solve(search, position, aids, &mut hear);
    progress.finish_and_clear();
    Ok(solution?)
}

/// A line with the task, the test that is under way, the nodes so far, how many come in a second,
/// and how full the table is.
fn progress_line<P: Program>(program: &P, watch: Arc<Watch>) -> ProgressBar {
    let program = program.clone();
    let watched = move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
        let test = watch.root().map(|root| {
            let test = program.value(root.test.round_up());
            format!(" >= {test}?")
        });
        let nodes = watch.nodes();
        let speed = nodes as f64 / state.elapsed().as_secs_f64().max(f64::EPSILON) / 1e6;
        let full = 100.0 * watch.table_fill();
        // A progress line that can not be written is not worth a complaint.
        let _ = write!(
            line,
            "{}  {} nodes, {speed:.1} million/s, table {full:.0} % full",
            test.unwrap_or_default(),
            HumanCount(nodes)
        );
    };
    progress::spinner(
        progress::style("{spinner} {elapsed_precise}  {msg}{watched}").with_key("watched", watched),
    )
}

/// What is proven, on one line.
pub(super) fn proven<P: Program>(
    program: &P,
    solution: &Solution<<P::Game as Game>::Move>,
) -> String {
    // The value is a whole number of points.
    let Bounds { lower, upper } = solution.bounds;
    let (lower, upper) = (lower.round_up(), -(-upper).round_up());
    let mut text = match (Bounds { lower, upper }).exact() {
        Some(value) => format!("proven: value {}", program.value(value)),
        None if (lower, upper) == (Score::MIN, Score::MAX) => "nothing proven".to_owned(),
        None => format!("proven: value {} to {}", program.value(lower), program.value(upper)),
    };
    for (index, line) in solution.lines.iter().enumerate() {
        let start = if index == 0 { "; moves " } else { ", " };
        let (mv, value) = (line.first_move(), program.value(line.score));
        // Writing to a string does not fail.
        let _ = write!(text, "{start}{mv}: {value}");
    }
    text
}

fn write_text<P: Program>(
    out: &mut impl Write,
    program: &P,
    position: &P::Game,
    solution: &Solution<<P::Game as Game>::Move>,
) -> Result<(), Failure> {
    writeln!(out, "\n{}\n", program.turn(position))?;
    writeln!(out, "{}", margins(program, position, &solution.lines))?;
    if let Some(best) = &solution.best {
        writeln!(out, "Principal variation: {}", variation(best))?;
    }
    let (nodes, seconds) = (solution.nodes, solution.cpu.as_secs_f64());
    let millions = nodes as f64 / seconds.max(f64::EPSILON) / 1e6;
    writeln!(out, "{nodes} nodes, {seconds:.2} s CPU, {millions:.1} million/s")?;
    Ok(())
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Solved {
    #[serde(flatten)]
    analysis: Analysis,
    /// [`Program::value`] for the side to move.
    value: i32,
}

fn write_json<P: Program>(
    out: &mut impl Write,
    program: &P,
    position: &P::Game,
    solution: Option<Solution<<P::Game as Game>::Move>>,
) -> Result<(), Failure> {
    let score = match (&solution, position.outcome()) {
        (Some(solution), _) => solution.bounds.lower,
        (None, Some(outcome)) => outcome.score(position.side_to_move(), 0),
        (None, None) => Score::ZERO,
    };
    let report = solution.map(|Solution { lines, nodes, cpu, .. }| Report {
        lines,
        depth: position.plies_left().unwrap_or_default(),
        nodes,
        cpu,
        wall: cpu,
    });
    let analysis = Analysis::new(program, position, report.as_ref());
    let solved = Solved { analysis, value: program.value(score) };
    serde_json::to_writer(&mut *out, &solved).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

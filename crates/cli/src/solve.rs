//! Solving: the exact value of a position and of every move.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::anyhow;
use clap::Args;
use plyground::book::Book;
use plyground::perfect::plies_to_end;
use plyground::search::{Line, Options};
use plyground_host::{AnalysisRequest, EngineOptions, HostedGame, HostedPosition, Stage, Text};

use super::analyze::{analyze, cost, margins, proven, variation, write_json};
use super::args::{TableArgs, load_or_start, threads_parser};
use super::failure::{Failure, listen};

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game.
    /// If no such file exists, the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The number of threads that search together. With more than one, node counts depend on chance
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the search
    #[command(flatten)]
    pub table: TableArgs,

    /// One line of JSON: that of analyze, with `value`, the exact value of the position
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
/// user interrupts: then with what is proven by then.
pub(super) fn run(game: &dyn HostedGame, args: &SolveArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.file.as_deref())?;
    plies_to_end(&position)?;
    show(game, args, &position, None, listen()?)
}

/// Solves a position by what is known from a book, and shows the solution.
pub(super) fn show(
    game: &dyn HostedGame,
    args: &SolveArgs,
    position: &HostedPosition,
    book: Option<Book>,
    stop: Arc<AtomicBool>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if !args.json {
        write!(out, "{}", position.text(Text::Board))?;
        out.flush()?;
    }
    let (table_mib, threads) = (args.table.mib, args.threads.get());
    let search = Options { table_mib, threads, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let stages = vec![Stage::Solve { threads }];
    let request = AnalysisRequest { stages, stop, ..AnalysisRequest::default() };
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

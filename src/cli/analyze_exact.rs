//! The analysis to the end of the game: what every move gets with best play of both sides.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::analysis::Analysis;
use super::analyze::{AnalyzeArgs, Row, margins, write_json, write_rows};
use super::failure::Failure;
use super::interrupt;
use super::program::Program;
use super::solve::{find, proven};
use crate::perfect::{Aids, Alarm, EXACT_SHARE, Solution, plies_to_end};
use crate::search::{Clock, Limits, Report, Scope, Search};

pub(super) fn run<P: Program>(
    program: &P,
    args: &AnalyzeArgs,
    position: &P::Game,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let plies = plies_to_end(position)?;
    let book = args.book.open(program, position)?;
    let start = Instant::now();
    let alarm = args.time.map(|time| Alarm::after(time.mul_f64(EXACT_SHARE)));
    let stop = alarm.as_ref().map(Alarm::flag).unwrap_or_default();
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = [&stop, &interrupted].map(Arc::clone);
    interrupt::call(move || raised.iter().for_each(|flag| flag.store(true, Ordering::Relaxed)))?;
    if !args.json {
        write!(out, "{}", program.board(position))?;
        out.flush()?;
    }
    let aids = Aids { stop, book, ..Aids::default() };
    let mut search = args.search.search(program);
    let solution = find(program, &mut search, position, &aids)?;
    if let Some(solution) = solution.as_ref().filter(|solution| !solution.complete)
        && interrupted.load(Ordering::Relaxed)
    {
        return Err(Failure::Stopped(proven(program, solution)));
    }
    let estimates = match (&solution, args.time) {
        (Some(solution), Some(time)) if !solution.complete => {
            let limits = Limits::time(Clock::Wall, time.saturating_sub(start.elapsed()));
            let mut every_move =
                |limits| search.search(position, &limits, Scope::EveryMove, &mut |_| ());
            // One ply takes no time, and is the least that tells anything of every move.
            every_move(limits)
                .filter(|report| report.depth > 0)
                .or_else(|| every_move(Limits::depth(1)))
        }
        _ => None,
    };
    let rows = solution.as_ref().map(|solution| rows(solution, estimates.as_ref(), plies));
    let report = solution.as_ref().map(|solution| report(solution, estimates, rows.as_deref()));
    if args.json {
        return write_json(out, &Analysis::new(program, position, report.as_ref()));
    }
    let (Some(solution), Some(rows), Some(report)) = (solution, rows, report) else {
        writeln!(out, "\n{}\n{}", program.ending(position), program.result(position))?;
        return Ok(());
    };
    writeln!(out, "\n{}\n", program.turn(position))?;
    if solution.complete {
        writeln!(out, "{}", margins(program, position, &report.lines))?;
    } else {
        let proven = proven(program, &solution);
        writeln!(out, "The time was too short for everything. What is {proven}.\n")?;
    }
    write_rows(out, &rows, &report)?;
    Ok(())
}

/// A row for every move: the proven ones, and the others as they are estimated.
fn rows<M: Copy + Eq>(
    solution: &Solution<M>,
    estimates: Option<&Report<M>>,
    plies: u32,
) -> Vec<Row<M>> {
    let mut rows: Vec<Row<M>> =
        solution.lines.iter().map(|line| Row { line: line.clone(), depth: plies }).collect();
    let is_proven = |mv| solution.lines.iter().any(|line| line.first_move() == mv);
    for estimate in estimates.into_iter().flat_map(|report| &report.lines) {
        if is_proven(estimate.first_move()) {
            continue;
        }
        let mut line = estimate.clone();
        // No move is worth more than the position.
        line.score = line.score.min(solution.bounds.upper);
        rows.push(Row { line, depth: estimates.map_or(0, |report| report.depth) });
    }
    // Proven moves come before estimated ones that look as good.
    rows.sort_by_key(|row| std::cmp::Reverse(row.line.score));
    rows
}

/// All that was found, as one search would report it.
fn report<M: Copy>(
    solution: &Solution<M>,
    estimates: Option<Report<M>>,
    rows: Option<&[Row<M>]>,
) -> Report<M> {
    let depths = rows.unwrap_or_default().iter().map(|row| row.depth);
    let (nodes, cpu) = estimates.map_or((0, Duration::ZERO), |report| (report.nodes, report.cpu));
    Report {
        lines: rows.unwrap_or_default().iter().map(|row| row.line.clone()).collect(),
        depth: depths.min().unwrap_or_default(),
        nodes: solution.nodes + nodes,
        cpu: solution.cpu + cpu,
        wall: solution.cpu + cpu,
    }
}

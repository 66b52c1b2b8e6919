//! Building a book: what is parallel, and what the user sees of it.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};

use super::book::{BuildArgs, read};
use super::failure::Failure;
use super::position::load_or_start;
use super::program::Program;
use crate::book::{Book, Coverage, Entry, Journal, Plan, Step};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::perfect::{Perfect, plies_to_end};
use crate::search::Options;

pub(super) fn build<P: Program>(program: &P, args: &BuildArgs) -> Result<(), Failure>
where
    P::Game: Send + Sync,
    <P::Game as Game>::Move: Send,
    P::Evaluator: Send,
{
    let start = load_or_start(program, args.from.as_deref())?;
    plies_to_end(&start)?;
    check_folder(&args.out)?;
    let mut journal = open_journal(&start, args)?;
    if let Some(base) = &args.base {
        let base_book = read(base)?
            .for_start(&start)
            .map_err(|why| Failure::Usage(format!("{}: {why}", base.display())))?;
        journal.know(base_book.entries());
    }
    let coverage = if args.repertoire { Coverage::Repertoire } else { Coverage::Every };
    let mut plan = Plan::new(&start, args.plies, coverage, args.shard);
    let mut solvers = solvers(program, args);
    let mut elsewhere = 0;
    while let Some(step) = plan.step(journal.entries()) {
        elsewhere += step.elsewhere;
        let progress = progress_line(plan.ply(), &step);
        solve_all(&mut solvers, &step.positions, |entry| {
            progress.inc(1);
            journal.add(entry)
        })
        .map_err(|error| Failure::Run(anyhow!("cannot write the journal: {error}")))?;
        progress.finish_and_clear();
        plan.advance(journal.entries());
    }
    finish(&start, args, journal.entries(), elsewhere)
}

fn journal_path(args: &BuildArgs) -> PathBuf {
    let mut path = args.out.clone().into_os_string();
    path.push(".journal");
    path.into()
}

fn open_journal<G: Game>(start: &G, args: &BuildArgs) -> Result<Journal, Failure> {
    let path = journal_path(args);
    let kind = if args.repertoire { " repertoire" } else { "" };
    let (name, key, plies, shard) = (G::NAME, start.key(), args.plies, args.shard);
    let build = format!("{name} {key:016x} {plies} plies{kind} shard {shard}");
    Journal::open(&path, &build).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// Writes the book, and removes the journal, which is then no longer needed.
fn finish<G: Game>(
    start: &G,
    args: &BuildArgs,
    entries: &HashMap<u64, Entry>,
    elsewhere: usize,
) -> Result<(), Failure> {
    let book = Book::new(start.key(), entries.values().copied());
    write_whole(&args.out, book.as_bytes())?;
    let path = journal_path(args);
    std::fs::remove_file(&path).map_err(|error| {
        Failure::Run(anyhow!("{}: cannot remove the journal: {error}", path.display()))
    })?;
    writeln!(io::stdout(), "{} positions in {}", book.len(), args.out.display())?;
    if elsewhere > 0 {
        let more = if args.repertoire { ", and what follows from them" } else { "" };
        writeln!(io::stdout(), "{elsewhere} positions are for other shards{more}")?;
    }
    Ok(())
}

/// One for each thread.
fn solvers<P: Program>(program: &P, args: &BuildArgs) -> Vec<Perfect<P::Evaluator>> {
    let threads = args.threads.get();
    let table_mib = usize::try_from(args.memory).unwrap_or(usize::MAX) / threads;
    let solver = |_| {
        let options = Options { table_mib, ..Options::default() };
        Perfect::new(program.evaluator(), options, None)
    };
    (0..threads).map(solver).collect()
}

/// Solves the positions, each solver in its own thread, and hands the entries to `done` as they
/// come, until it fails.
fn solve_all<G, E>(
    solvers: &mut [Perfect<E>],
    positions: &[G],
    mut done: impl FnMut(Entry) -> io::Result<()>,
) -> io::Result<()>
where
    G: Game + Sync,
    E: Evaluator<G> + Send,
{
    let next = AtomicUsize::new(0);
    let (sender, entries) = channel();
    thread::scope(|scope| {
        for solver in solvers {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || work(solver, positions, next, &sender));
        }
        drop(sender);
        // Threads stop at the next position when nobody receives their results any more.
        entries.into_iter().try_for_each(&mut done)
    })
}

/// Solves positions that nobody else has taken.
fn work<G: Game, E: Evaluator<G>>(
    solver: &mut Perfect<E>,
    positions: &[G],
    next: &AtomicUsize,
    results: &Sender<Entry>,
) {
    while let Some(position) = positions.get(next.fetch_add(1, Ordering::Relaxed)) {
        let Ok(Some(choice)) = solver.solve(position, None) else { continue };
        if results.send(Entry::new(position, choice.mv, choice.score)).is_err() {
            return;
        }
    }
}

/// A line on standard error, if that is a terminal, with the time left for this step.
fn progress_line<G>(ply: u32, step: &Step<G>) -> ProgressBar {
    let progress = ProgressBar::new(step.positions.len() as u64);
    let template = "{elapsed_precise}  {msg}  {wide_bar} {pos}/{len}  {eta_precise} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        progress.set_style(style);
    }
    progress.set_message(format!("ply {ply}"));
    progress.tick();
    progress
}

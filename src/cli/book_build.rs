//! Building a book: what is parallel, and what the user sees of it.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::{HumanDuration, ProgressBar};

use super::book::{BuildArgs, read};
use super::failure::Failure;
use super::interrupt::listen;
use super::position::load_or_start;
use super::program::Program;
use super::progress;
use crate::book::{Book, Coverage, Entry, Job, Journal, Plan};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::perfect::{Perfect, plies_to_end};
use crate::search::{Limits, Options};

/// How many positions may be visited to find the moves as good as the best, among which the most
/// tempting is chosen. More would multiply the time for a book; less would often find none. None
/// at all where nothing follows from the choice: most positions of a repertoire are such.
const TIE_NODES: u64 = 1_000_000;

/// The steps of the progress bar.
const BAR_STEPS: u64 = 10_000;
/// What the progress line shows.
const PROGRESS: &str = "{elapsed_precise}  {percent:>3} % {wide_bar}  {msg}";

pub(super) fn build<P: Program>(program: &P, args: &BuildArgs) -> Result<(), Failure>
where
    P::Evaluator: Send,
{
    let start = load_or_start(program, args.from.as_deref())?;
    let left = plies_to_end(&start)?;
    if args.plies > left {
        let plies = args.plies;
        let fault = format!("--plies {plies}: expected {left} at most, for no game is longer");
        return Err(Failure::Usage(fault));
    }
    check_folder(&args.out)?;
    let base = args.base.as_deref().map(|path| read_base(path, &start)).transpose()?;
    let mut journal = open_journal(&start, args)?;
    journal.know(base.iter().flat_map(Book::entries));
    let coverage = if args.repertoire { Coverage::Repertoire } else { Coverage::Every };
    let plan = Plan::new(&start, args.plies, coverage, args.shard);
    let work = Work::new(plan, journal, listen()?);
    work.all_at_once(&mut solvers(program, args));
    let progress = work.finish().map_err(|error| {
        Failure::Run(anyhow!("{}: cannot write: {error}", journal_path(&args.out).display()))
    })?;
    if work.stop.load(Ordering::Relaxed) {
        if args.partial {
            write_book(&start, args, progress.journal.entries())?;
        }
        let (known, path) = (progress.journal.entries().len(), journal_path(&args.out));
        let path = path.display();
        let known = format!("{known} positions are in {path}; the same command goes on from there");
        return Err(Failure::Stopped(known));
    }
    finish(&start, args, progress.journal.entries(), progress.plan.elsewhere())
}

fn read_base<G: Game>(path: &Path, start: &G) -> Result<Book, Failure> {
    let base = read(path)?.for_start(start);
    base.map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

fn journal_path(out: &Path) -> PathBuf {
    let mut path = out.to_owned().into_os_string();
    path.push(".journal");
    path.into()
}

fn open_journal<G: Game>(start: &G, args: &BuildArgs) -> Result<Journal, Failure> {
    let path = journal_path(&args.out);
    let kind = if args.repertoire { " repertoire" } else { "" };
    let (name, key, plies, shard) = (G::NAME, start.key(), args.plies, args.shard);
    let build = format!("{name} {key:016x} {plies} plies{kind} shard {shard}");
    Journal::open(&path, &build).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
}

/// Writes the book of these entries.
fn write_book<G: Game>(
    start: &G,
    args: &BuildArgs,
    entries: &HashMap<u64, Entry>,
) -> Result<Book, Failure> {
    let book = Book::new(start.key(), entries.values().copied());
    write_whole(&args.out, book.as_bytes())?;
    Ok(book)
}

/// Writes the book, and removes the journal, which is then no longer needed.
fn finish<G: Game>(
    start: &G,
    args: &BuildArgs,
    entries: &HashMap<u64, Entry>,
    elsewhere: usize,
) -> Result<(), Failure> {
    let book = write_book(start, args, entries)?;
    let path = journal_path(&args.out);
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

/// One for each thread. They share the transposition table, for their positions are akin.
fn solvers<P: Program>(program: &P, args: &BuildArgs) -> Vec<Perfect<P::Evaluator>> {
    let options = Options { table_mib: args.memory.mebibytes, ..Options::default() };
    let first = Perfect::new(program.evaluator(), options, None);
    let others = (1..args.threads.get()).map(|_| first.sharing(program.evaluator()));
    let mut solvers: Vec<_> = others.collect();
    solvers.push(first);
    solvers
}

/// What the threads of a build share.
struct Work<G> {
    progress: Mutex<Progress<G>>,
    /// There may be something to do again, or all is done.
    changed: Condvar,
    /// Raised when the user interrupts.
    stop: Arc<AtomicBool>,
}

/// How far a build is.
struct Progress<G> {
    plan: Plan<G>,
    journal: Journal,
    /// How many positions are in work.
    in_work: usize,
    /// Why the journal can not be written any more.
    failure: Option<io::Error>,
    bar: ProgressBar,
    /// When this run began, and the part of the work that was done by then.
    start: Option<(Instant, f64)>,
}

impl<G: Game> Work<G> {
    fn new(plan: Plan<G>, journal: Journal, stop: Arc<AtomicBool>) -> Work<G> {
        let bar = progress::bar(BAR_STEPS, progress::style(PROGRESS));
        let progress = Progress { plan, journal, in_work: 0, failure: None, bar, start: None };
        Work { progress: Mutex::new(progress), changed: Condvar::new(), stop }
    }

    /// Sets every solver to work in a thread of its own, until there is nothing left to do.
    fn all_at_once<E: Evaluator<G> + Send>(&self, solvers: &mut [Perfect<E>]) {
        thread::scope(|scope| {
            for solver in solvers {
                scope.spawn(|| self.work(solver));
            }
        });
    }

    /// How far the build has come, or why it could not go on.
    fn finish(&self) -> io::Result<MutexGuard<'_, Progress<G>>> {
        let mut progress = self.lock();
        progress.bar.finish_and_clear();
        progress.failure.take().map_or(Ok(progress), Err)
    }

    fn work<E: Evaluator<G>>(&self, solver: &mut Perfect<E>) {
        while let Some(job) = self.take() {
            let limits = Limits {
                stop: Some(Arc::clone(&self.stop)),
                tie_nodes: Some(if job.is_last { 0 } else { TIE_NODES }),
                guess: job.guess,
                ..Limits::default()
            };
            let choice = solver.solve(&job.position, limits).ok().flatten();
            let entry = choice.map(|choice| Entry::new(&job.position, choice.mv, choice.score));
            self.give(&job, entry);
        }
    }

    /// A position to solve; waits while those in work may lead to more.
    fn take(&self) -> Option<Job<G>> {
        let mut progress = self.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || progress.failure.is_some() {
                return None;
            }
            if let Some(job) = progress.next() {
                progress.in_work += 1;
                return Some(job);
            }
            if progress.in_work == 0 {
                return None;
            }
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes in what was found; `None` when the search was stopped.
    fn give(&self, job: &Job<G>, entry: Option<Entry>) {
        let mut progress = self.lock();
        progress.in_work -= 1;
        if let Some(entry) = entry {
            match progress.journal.add(entry) {
                Ok(()) => progress.plan.solved(job, &entry),
                Err(error) => progress.failure = Some(error),
            }
        }
        drop(progress);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Progress<G>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Game> Progress<G> {
    fn next(&mut self) -> Option<Job<G>> {
        let job = self.plan.next(self.journal.entries());
        let done = self.plan.done();
        // What was known before took no time.
        let (started, done_then) = *self.start.get_or_insert_with(|| (Instant::now(), done));
        let known = self.journal.entries().len();
        let message = match time_left(started.elapsed(), done - done_then, 1.0 - done) {
            Some(left) => format!("{known} positions, about {} left", HumanDuration(left)),
            None => format!("{known} positions"),
        };
        self.bar.set_message(message);
        self.bar.set_position((done * BAR_STEPS as f64) as u64);
        job
    }
}

/// The time that the part `left` of the work takes, if the part `done` took so long.
fn time_left(elapsed: Duration, done: f64, left: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left.max(0.0) / done).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_in_proportion() {
        let second = Duration::from_secs(1);
        assert_eq!(time_left(second, 0.25, 0.75), Some(3 * second));
        assert_eq!(time_left(second, 0.0, 1.0), None, "nothing is known yet");
        assert_eq!(time_left(second, 0.5, -1e-12), Some(Duration::ZERO));
    }
}

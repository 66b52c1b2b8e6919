//! The building of a book, several positions at a time.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plyground::Game;
use plyground::book::{Book, BookError, Coverage, Entry, Job, Plan, Shard};
use plyground::search::Limits;
use plyground_durable::FileError;
use plyground_durable::journal::{Journal, JournalError, JournalLoss, OpenedJournal};
use plyground_durable::output::write_whole;
use plyground_durable::work::{NoThread, run_in_threads};
use plyground_host::{EngineOptions, HostedEngine, HostedPosition};
use thiserror::Error;

use super::file::journal_path;

/// The greatest number of positions that are visited to find the moves that are as good as the best
/// move; the most tempting of these moves is chosen. A greater number would multiply the time for a
/// book, and a lesser number would often find no such moves. No positions are visited if nothing
/// follows from the choice, as in most positions of a repertoire.
const TIE_NODES: u64 = 1_000_000;

/// A request to build a book.
#[derive(Clone, Debug)]
pub struct BookRequest {
    /// The position to start from. The length of a game from it must be limited.
    pub start: HostedPosition,
    /// The number of plies after the start up to which the book goes.
    pub plies: u32,
    /// The positions to solve.
    pub coverage: Coverage,
    /// The share of the positions to solve.
    pub shard: Shard,
    /// The book of known entries, if any.
    pub base: Option<Book>,
    /// The number of positions that are solved at a time.
    pub jobs: NonZeroUsize,
    /// The memory for the transposition table, which all threads share, in MiB.
    pub table_mib: usize,
    /// If true, a build that is stopped writes a book of the entries known by then.
    pub partial: bool,
}

impl BookRequest {
    /// Creates a request for a whole book, solved in one thread with a table of 1 MiB.
    pub fn new(start: HostedPosition, plies: u32, coverage: Coverage) -> BookRequest {
        BookRequest {
            start,
            plies,
            coverage,
            shard: Shard::WHOLE,
            base: None,
            jobs: NonZeroUsize::MIN,
            table_mib: 1,
            partial: false,
        }
    }
}

/// The progress of a build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookProgress {
    /// The part of the work that is done, from 0 to 1, as an estimate.
    pub done: f64,
    /// The number of known positions.
    pub known: usize,
    /// The time that the rest will take, as an estimate.
    pub left: Option<Duration>,
}

/// An event in a build.
#[derive(Clone, Debug, PartialEq)]
pub enum BookEvent {
    /// The journal was damaged. The lost entries are found again.
    Loss(JournalLoss),
    /// The build has progressed.
    Progress(BookProgress),
}

/// The outcome of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltBook {
    /// The number of known positions; if a book is written, the number of positions in the book.
    pub known: usize,
    /// The number of positions that other shards solve. In a repertoire, the positions that follow
    /// from them are not known yet.
    pub elsewhere: usize,
    /// If true, the book was written and is complete. If false, the build was stopped; the journal
    /// remains, and the same build continues from it.
    pub is_complete: bool,
}

/// The error for a book that cannot be built.
#[derive(Debug, Error)]
pub enum BookBuildError {
    /// The journal cannot be used, or another process uses it.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The book or its journal cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The entries that were found contradict the base.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The OS has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

/// Builds a book into the file `out`. Every entry is kept in the [journal](journal_path) as soon as
/// it is found, so that the same build continues after a stop or a kill; the journal is removed
/// when the book is complete. `on_event` is called whenever a position has been solved.
///
/// # Errors
///
/// Returns an error if the book or its journal cannot be read or written, or if the OS has no more
/// threads.
pub fn build_book(
    request: &BookRequest,
    out: &Path,
    stop: &Arc<AtomicBool>,
    mut on_event: impl FnMut(BookEvent),
) -> Result<BuiltBook, BookBuildError> {
    let path = journal_path(out);
    let base = request.base.iter().flat_map(Book::entries);
    let opened = Journal::open(&path, &build_name(request), |line| line.parse::<Entry>().ok())?;
    let OpenedJournal { journal, entries, loss } = opened;
    let known = entries.into_iter().chain(base).map(|entry| (entry.key(), entry)).collect();
    loss.into_iter().for_each(|loss| on_event(BookEvent::Loss(loss)));
    let BookRequest { start, plies, coverage, shard, .. } = request;
    let plan = Plan::new(start, *plies, *coverage, *shard);
    let work = Work {
        build: Mutex::new(Build { plan, journal, known, in_work: 0, begun: None }),
        changed: Condvar::new(),
        engines: engines(request),
        coverage: *coverage,
        base: request.base.as_ref(),
        stop,
    };
    on_event(BookEvent::Progress(work.lock().progress()));
    run_in_threads(
        request.jobs,
        stop,
        || work.take(),
        |thread, job| work.give(&job, work.solve(thread, &job)),
        |progress| {
            on_event(BookEvent::Progress(progress?));
            Ok::<_, BookBuildError>(())
        },
    )?;
    let build = work.build.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_complete = !stop.load(Ordering::Relaxed);
    let (mut known, elsewhere) = (build.known.len(), build.plan.elsewhere());
    if is_complete || request.partial {
        let book = book(request, build.known.into_values())?;
        write_whole(out, book.as_bytes())?;
        known = book.count()?;
    }
    if is_complete {
        build.journal.remove()?;
    } else {
        build.journal.close()?;
    }
    Ok(BuiltBook { known, elsewhere, is_complete })
}

/// Returns the book of these entries and of the base's values without keys.
fn book(request: &BookRequest, entries: impl Iterator<Item = Entry>) -> Result<Book, BookError> {
    let book = Book::new(request.start.key(), entries);
    let book = match &request.base {
        Some(base) => book.merge(base)?,
        None => book,
    };
    book.packed(&request.start)
}

/// Returns the name that identifies the journal of a build.
fn build_name(request: &BookRequest) -> String {
    let BookRequest { start, plies, shard, .. } = request;
    let kind = match request.coverage {
        Coverage::Every => "",
        Coverage::Values => " values",
        Coverage::Repertoire => " repertoire",
    };
    let (name, key) = (start.game().name(), start.key());
    format!("{name} {key:016x} {plies} plies{kind} shard {shard}")
}

/// Creates an engine for each thread. They share the transposition table, because their positions
/// are similar.
fn engines(request: &BookRequest) -> Vec<Mutex<Box<dyn HostedEngine>>> {
    let first = request.start.game().engine(EngineOptions::only_search(request.table_mib));
    let others: Vec<_> = (1..request.jobs.get()).map(|_| first.sharing()).collect();
    [first].into_iter().chain(others).map(Mutex::new).collect()
}

/// The data that the threads of a build share.
struct Work<'a> {
    build: Mutex<Build>,
    /// The condition that there may be work again, or that all is done.
    changed: Condvar,
    engines: Vec<Mutex<Box<dyn HostedEngine>>>,
    coverage: Coverage,
    base: Option<&'a Book>,
    stop: &'a Arc<AtomicBool>,
}

struct Build {
    plan: Plan<HostedPosition>,
    /// The journal, which keeps the entries that this build found.
    journal: Journal,
    /// The known entries, by their keys.
    known: HashMap<u64, Entry>,
    /// The number of positions that are being solved.
    in_work: usize,
    /// The time when the first position of this run was given out, and the part of the work that
    /// was done by then. Earlier work must not count, because it took no time in this run.
    begun: Option<(Instant, f64)>,
}

impl Work<'_> {
    /// Returns a position to solve. Waits as long as positions in work may lead to more positions.
    fn take(&self) -> Option<Job<HostedPosition>> {
        let mut build = self.lock();
        while !self.stop.load(Ordering::Relaxed) {
            if let Some(job) = build.next() {
                build.in_work += 1;
                return Some(job);
            }
            if build.in_work == 0 {
                return None;
            }
            build = self.changed.wait(build).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Returns the entry of a position; `None` if the search was stopped.
    fn solve(&self, thread: usize, job: &Job<HostedPosition>) -> Option<Entry> {
        let known = self.base.and_then(|base| base.get(&job.position));
        let is_value = self.coverage == Coverage::Values;
        if let Some(entry) = known.filter(|_| is_value) {
            return Some(entry);
        }
        let known = known.map(|entry| entry.score(&job.position));
        let limits = Limits {
            context: Arc::clone(self.stop).into(),
            tie_nodes: Some(if job.is_last || is_value { 0 } else { TIE_NODES }),
            guess: known.or(job.guess),
            ..Limits::default()
        };
        let mut engine = self.engines[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let best = engine.solve_best(&job.position, limits).ok().flatten();
        let best = best.map(|best| (best.mv, best.value.score()));
        best.map(|(mv, value)| match self.coverage {
            Coverage::Values => Entry::of_value(&job.position, value),
            Coverage::Every | Coverage::Repertoire => Entry::new(&job.position, mv, value),
        })
    }

    /// Adds the entry of a position before another position is given out, so that a single thread
    /// solves the positions in the order of the plan.
    fn give(
        &self,
        job: &Job<HostedPosition>,
        entry: Option<Entry>,
    ) -> Result<BookProgress, FileError> {
        let mut build = self.lock();
        build.in_work -= 1;
        self.changed.notify_all();
        if let Some(entry) = entry {
            build.journal.add(&entry.to_string())?;
            build.known.insert(entry.key(), entry);
            build.plan.solved(job, &entry);
        }
        Ok(build.progress())
    }

    fn lock(&self) -> MutexGuard<'_, Build> {
        self.build.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Build {
    fn next(&mut self) -> Option<Job<HostedPosition>> {
        let job = self.plan.next(&self.known);
        self.begun.get_or_insert_with(|| (Instant::now(), self.plan.done()));
        job
    }

    fn progress(&self) -> BookProgress {
        let (done, known) = (self.plan.done(), self.known.len());
        let left = self
            .begun
            .and_then(|(start, before)| time_left(start.elapsed(), done - before, 1.0 - done));
        BookProgress { done, known, left }
    }
}

/// Returns the time that the part `left` of the work takes, if the part `done` took `elapsed`.
fn time_left(elapsed: Duration, done: f64, left: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left.max(0.0) / done).ok()
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;
    use crate::book::{read_book, verify_book};

    type Failure = Box<dyn std::error::Error>;

    fn request(jobs: usize) -> BookRequest {
        let jobs = NonZeroUsize::new(jobs).expect("a job");
        BookRequest { jobs, ..BookRequest::new(toy().start(), 2, Coverage::Every) }
    }

    fn build(request: &BookRequest, out: &Path) -> Result<(BuiltBook, usize), BookBuildError> {
        let mut told = 0;
        let built = build_book(request, out, &Arc::default(), |event| {
            let BookEvent::Progress(progress) = event else { panic!("{event:?}") };
            assert!((0.0..=1.001).contains(&progress.done), "{progress:?}");
            told += 1;
        })?;
        Ok((built, told))
    }

    #[test]
    fn books_are_the_same_by_any_number_of_threads() -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let mut books = Vec::new();
        for jobs in [1, 3] {
            let out = folder.path().join("out.book");
            let (built, told) = build(&request(jobs), &out)?;
            // The start, nine first moves, and 72 replies.
            assert_eq!((built.known, built.is_complete, told), (82, true, 83));
            assert!(!journal_path(&out).exists());
            let book = read_book(&out)?;
            let verified = verify_book(&book, &toy().start(), 1, 10, 1, |_, _| ())?;
            assert_eq!((verified.positions, verified.solved), (82, 10));
            books.push(book);
        }
        let values = |book: &Book| -> Vec<_> {
            let start = toy().start();
            start
                .legal_moves()
                .map(|mv| book.get(&start.after(mv)).map(|e| e.score(&start)))
                .collect()
        };
        assert_eq!(values(&books[0]), values(&books[1]));
        Ok(())
    }

    #[test]
    fn stopped_build_goes_on_from_its_journal() -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("out.book");
        let request = BookRequest { partial: true, ..request(2) };
        let stop = Arc::new(AtomicBool::new(false));
        let built = build_book(&request, &out, &stop, |event| {
            let BookEvent::Progress(progress) = event else { panic!("{event:?}") };
            stop.store(progress.known >= 20, Ordering::Relaxed);
        })?;
        assert!(!built.is_complete && (20..82).contains(&built.known), "{built:?}");
        assert_eq!(read_book(&out)?.len(), built.known);
        assert!(journal_path(&out).exists());
        let (all, told) = build(&request, &out)?;
        assert_eq!((all.known, told), (82, 82 - built.known + 1));
        Ok(())
    }

    #[test]
    fn values_are_packed_when_all_are_there() -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("out.book");
        let values = BookRequest { coverage: Coverage::Values, ..request(2) };
        // The 72 positions after two moves are solved, and the values of the earlier positions
        // follow.
        let (all, told) = build(&values, &out)?;
        assert_eq!((all.known, told), (82, 73));
        let book = read_book(&out)?;
        assert_eq!((book.len(), book.every()), (0, Some(2)));
        let verified = verify_book(&book, &toy().start(), 1, 82, 1, |_, _| ())?;
        assert_eq!((verified.positions, verified.every, verified.solved), (82, Some(2), 82));
        // The best moves are added to the book, and its positions are not solved again.
        let base = Some(book.clone().for_start(&toy().start())?);
        let repertoire = BookRequest { coverage: Coverage::Repertoire, base, ..request(1) };
        build(&repertoire, &out)?;
        let both = read_book(&out)?;
        assert_eq!(both.every(), Some(2));
        assert!(!both.entries().any(|entry| !entry.has_move()) && !both.is_empty());
        let base = Some(both.clone().for_start(&toy().start())?);
        build(&BookRequest { base, ..values }, &out)?;
        assert_eq!(read_book(&out)?, both);
        Ok(())
    }

    #[test]
    fn shards_and_base_share_the_work() -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("out.book");
        let (half, _) = build(&BookRequest { shard: "1/2".parse()?, ..request(1) }, &out)?;
        assert_eq!(half.known + half.elsewhere, 82);
        let base = Some(read_book(&out)?);
        let (all, told) = build(&BookRequest { base, ..request(1) }, &out)?;
        assert_eq!((all.known, told), (82, half.elsewhere + 1));
        Ok(())
    }

    #[test]
    fn time_left_is_in_proportion() {
        let second = Duration::from_secs(1);
        assert_eq!(time_left(second, 0.25, 0.75), Some(3 * second));
        assert_eq!(time_left(second, 0.0, 1.0), None, "nothing is known yet");
        assert_eq!(time_left(second, 0.5, -1e-12), Some(Duration::ZERO));
    }
}

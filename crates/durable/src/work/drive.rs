//! Threads that do pieces of work, and the progress of the work.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::folder::{PieceError, Published, WorkError, WorkFolder};
use super::heartbeat::{Beats, Watch};
use super::queue::{NextPiece, WorkQueue, Workload};
use super::{NoThread, TaskName, run_in_threads};

/// The number of beats within the patience of other tasks: more than one, because a beat may be late.
const BEATS: u32 = 6;

/// The interval at which a waiting thread checks for a stop.
const NAP: Duration = Duration::from_millis(100);

/// The settings of a process that works.
#[derive(Clone, Debug)]
pub struct WorkOptions {
    /// The name of the process.
    pub task: TaskName,
    /// The number of pieces that it does at a time.
    pub jobs: NonZeroUsize,
    /// The time without a sign of life after which a task is dead. It should be the same for all tasks.
    pub patience: Duration,
}

/// An event during the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkEvent {
    /// This process has done a piece: the number of pieces done and of all pieces, as far as it knows.
    Done(usize, usize),
    /// A piece has failed.
    Failed {
        /// The piece.
        piece: String,
        /// The reason, in one line.
        why: String,
    },
}

/// The results of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkReport {
    /// The number of pieces whose result this process was the first to have.
    pub done: usize,
    /// The number of pieces that this process did, but another did first.
    pub doubled: usize,
    /// The number of times that a piece failed.
    pub failed: usize,
}

/// Does pieces until all are done or have failed too often, or until `stop` is raised. Waits for the pieces
/// of other tasks, because these tasks may die.
///
/// # Errors
///
/// Returns an error if the folder cannot be used, if this computer must not work, or if the OS starts no
/// threads.
pub fn work_through(
    folder: &WorkFolder,
    workload: &(impl Workload + ?Sized),
    options: &WorkOptions,
    stop: &Arc<AtomicBool>,
    mut on_event: impl FnMut(WorkEvent),
) -> Result<WorkReport, WorkError> {
    let queue = WorkQueue::new(folder, &options.task, options.patience)?;
    let _life = Life::begin(folder, options)?;
    let shared = Shared { queue: Mutex::new(queue), begun: Instant::now(), workload, stop };
    let mut report = WorkReport::default();
    // The thread that has a result publishes it, so that a result finished after a stop is not lost.
    let work = |thread, taken: Result<(String, u32), WorkError>| -> Result<_, WorkError> {
        let (name, generation) = taken?;
        let outcome = workload.work(thread, &name, stop);
        let published = shared.lock().end(&name, generation, &outcome)?;
        Ok((name, outcome, published))
    };
    run_in_threads(
        options.jobs,
        stop,
        || shared.take(),
        work,
        |result| {
            let (name, outcome, published) = result?;
            match published {
                Some(Published::First) => report.done += 1,
                Some(Published::Second) => report.doubled += 1,
                None => report.failed += usize::from(outcome.is_err()),
            }
            let (done, all) = shared.lock().progress();
            match outcome {
                Ok(_) => on_event(WorkEvent::Done(done, all)),
                Err(PieceError::Failed(why)) => on_event(WorkEvent::Failed { piece: name, why }),
                Err(PieceError::Unfit(why)) => return Err(WorkError::Unfit(why)),
            }
            Ok(())
        },
    )?;
    Ok(report)
}

/// Does an action that only one task at a time may do, after every other task that began the action has ended
/// or died. A repetition of the action must do no harm. Returns `None` if `stop` is raised before.
///
/// # Errors
///
/// Returns an error if the folder cannot be used, or the error of `act`.
pub fn one_at_a_time<T, E: From<WorkError>>(
    folder: &WorkFolder,
    what: &str,
    options: &WorkOptions,
    stop: &AtomicBool,
    act: impl FnOnce() -> Result<T, E>,
) -> Result<Option<T>, E> {
    let (leases, begun) = (folder.leases(), Instant::now());
    let mut watch = Watch::new(options.patience);
    let _life = Life::begin(folder, options)?;
    while !stop.load(Ordering::Relaxed) {
        let last = leases.all()?.get(what).copied().unwrap_or_default();
        let holder = leases.holder(what, last);
        let file = folder.task_file(if holder.is_empty() { ".nobody" } else { &holder });
        let is_free =
            last == 0 || watch.is_dead(&format!("{last} {holder}"), &file, begun.elapsed());
        if is_free && leases.take(what, last + 1, options.task.as_str())? {
            return act().map(Some);
        }
        thread::sleep(NAP);
    }
    Ok(None)
}

/// The state that the threads share.
struct Shared<'a, W: ?Sized> {
    queue: Mutex<WorkQueue>,
    begun: Instant,
    workload: &'a W,
    stop: &'a AtomicBool,
}

impl<W: Workload + ?Sized> Shared<'_, W> {
    /// Returns the next piece. Waits while another process may die and leave a piece.
    fn take(&self) -> Option<Result<(String, u32), WorkError>> {
        while !self.stop.load(Ordering::Relaxed) {
            let next = self.lock().next(self.workload, self.begun.elapsed());
            match next {
                Ok(NextPiece::Piece { name, generation }) => return Some(Ok((name, generation))),
                Ok(NextPiece::Wait(time)) => self.sleep(time),
                Ok(NextPiece::Nothing) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        None
    }

    /// Waits for this time, or until `stop` is raised.
    fn sleep(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && !self.stop.load(Ordering::Relaxed) {
            thread::sleep(NAP.min(time));
        }
    }

    fn lock(&self) -> MutexGuard<'_, WorkQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that shows that this process lives, until the `Life` is dropped.
struct Life {
    thread: Option<thread::JoinHandle<()>>,
    end: Option<Sender<()>>,
}

impl Life {
    fn begin(folder: &WorkFolder, options: &WorkOptions) -> Result<Life, WorkError> {
        let mut heartbeat = folder.enter(&options.task)?;
        let interval = options.patience / BEATS;
        let (end, ended) = channel::<()>();
        let beats = move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                heartbeat.beat();
            }
            heartbeat.end();
        };
        let thread = thread::Builder::new().spawn(beats).map_err(NoThread)?;
        Ok(Life { thread: Some(thread), end: Some(end) })
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.end = None;
        // Nothing in the thread panics.
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// A piece that was tried and is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPiece {
    /// The piece.
    pub name: String,
    /// The number of times that it failed.
    pub times: usize,
    /// The reason of the last failure, with the computer.
    pub why: String,
}

/// A task that has pieces which are not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// The name of the task.
    pub name: String,
    /// If true, the task has shown that it lives.
    pub lives: bool,
    /// The pieces that are not done and have not failed.
    pub pieces: Vec<String>,
}

/// The progress of shared work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkStatus {
    /// The number of known pieces.
    pub pieces: usize,
    /// The number of pieces that are done.
    pub done: usize,
    /// The pieces that have failed and are not done.
    pub failed: Vec<FailedPiece>,
    /// The tasks that have pieces which are not done and have not failed.
    pub tasks: Vec<TaskStatus>,
    /// The number of tasks that have ended, in order or not.
    pub ended: usize,
    /// The number of pieces that no task has tried.
    pub open: usize,
    /// The refused computers and the reasons.
    pub refused: BTreeMap<String, String>,
}

impl WorkStatus {
    /// Reads the state of a folder. Waits for the time `look` so that living tasks can show that they live.
    pub fn read(
        folder: &WorkFolder,
        workload: &(impl Workload + ?Sized),
        look: Duration,
    ) -> Result<WorkStatus, WorkError> {
        let tasks = folder.tasks()?;
        let beats = || -> HashMap<&String, Beats> {
            tasks.iter().map(|task| (task, Beats::read(&folder.task_file(task)))).collect()
        };
        let first = beats();
        if first.values().any(|beats| !beats.has_ended) {
            thread::sleep(look);
        }
        let lives: HashSet<String> = beats()
            .into_iter()
            .filter(|(task, beats)| !beats.has_ended && first.get(task) != Some(beats))
            .map(|(task, _)| task.clone())
            .collect();
        let pieces = workload.pieces(folder)?;
        let done = folder.done()?;
        let (claims, failures) = (folder.claims().all()?, folder.failed()?);
        let (mut failed, mut open, mut missing) = (Vec::new(), 0, 0);
        let mut holders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for piece in pieces.iter().filter(|piece| !done.contains(*piece)) {
            missing += 1;
            let Some(&generation) = claims.get(piece) else {
                open += 1;
                continue;
            };
            if failures.contains(&(piece.clone(), generation)) {
                let times = failures.iter().filter(|(name, _)| name == piece).count();
                let why = folder.failure(piece, generation);
                failed.push(FailedPiece { name: piece.clone(), times, why });
            } else {
                holders
                    .entry(folder.claims().holder(piece, generation))
                    .or_default()
                    .push(piece.clone());
            }
        }
        let task = |(name, pieces): (String, Vec<String>)| TaskStatus {
            lives: lives.contains(&name),
            name,
            pieces,
        };
        Ok(WorkStatus {
            pieces: pieces.len(),
            done: pieces.len() - missing,
            failed,
            tasks: holders.into_iter().map(task).collect(),
            ended: tasks.len() - lives.len(),
            open,
            refused: folder.refused()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Work that squares numbers.
    struct Squares {
        count: usize,
        /// The number of a piece that fails, and the number of times that it fails.
        bad: Option<(usize, usize)>,
        tried: AtomicUsize,
    }

    impl Squares {
        fn new(count: usize) -> Squares {
            Squares { count, bad: None, tried: AtomicUsize::new(0) }
        }
    }

    impl Workload for Squares {
        fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
            Ok((0..self.count).map(|number| number.to_string()).collect())
        }

        fn work(
            &self,
            _: usize,
            piece: &str,
            _: &Arc<AtomicBool>,
        ) -> Result<Option<Vec<u8>>, PieceError> {
            let number: usize =
                piece.parse().map_err(|_| PieceError::Failed("no number".into()))?;
            if let Some((bad, times)) = self.bad
                && bad == number
                && self.tried.fetch_add(1, Ordering::Relaxed) < times
            {
                return Err(PieceError::Failed("bad luck".into()));
            }
            Ok(Some((number * number).to_string().into_bytes()))
        }
    }

    fn options(jobs: usize) -> WorkOptions {
        WorkOptions {
            task: TaskName::new("here", None),
            jobs: NonZeroUsize::new(jobs).expect("a job"),
            patience: Duration::from_secs(3600),
        }
    }

    fn work(folder: &WorkFolder, squares: &Squares, jobs: usize) -> Result<WorkReport, WorkError> {
        work_through(folder, squares, &options(jobs), &Arc::default(), |_| ())
    }

    fn check(folder: &WorkFolder, count: usize) -> Result<(), WorkError> {
        assert_eq!(folder.done()?.len(), count);
        for number in 0..count {
            let result = folder.result(&number.to_string())?.unwrap_or_default();
            assert_eq!(String::from_utf8_lossy(&result), (number * number).to_string());
        }
        Ok(())
    }

    #[test]
    fn several_processes_do_every_piece_once() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "squares\n")?;
        let squares = Squares::new(200);
        let reports: Vec<_> = thread::scope(|scope| {
            let (folder, squares) = (&folder, &squares);
            let jobs = [1, 2, 3].map(|jobs| scope.spawn(move || work(folder, squares, jobs)));
            jobs.into_iter().map(|job| job.join().expect("no panic")).collect()
        });
        let reports = reports.into_iter().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(reports.iter().map(|report| report.done).sum::<usize>(), 200);
        assert!(reports.iter().all(|report| report.doubled == 0 && report.failed == 0));
        check(&folder, 200)?;
        assert_eq!(work(&folder, &squares, 2)?, WorkReport::default(), "nothing is left");
        Ok(())
    }

    #[test]
    fn piece_that_fails_is_tried_again_and_then_given_up() -> Result<(), Box<dyn std::error::Error>>
    {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "squares\n")?;
        let squares = |times| Squares { bad: Some((3, times)), ..Squares::new(9) };
        let report = work(&folder, &squares(usize::MAX), 2)?;
        assert_eq!((report.done, report.failed), (8, 3));
        let status = super::super::WorkStatus::read(&folder, &squares(0), Duration::ZERO)?;
        assert_eq!((status.done, status.failed.len(), status.open), (8, 1, 0));
        assert_eq!(status.failed[0].why, "here: bad luck");
        // Another run counts failures from zero.
        let report = work(&folder, &squares(2), 1)?;
        assert_eq!((report.done, report.failed), (1, 2));
        Ok(check(&folder, 9)?)
    }

    #[test]
    fn unfit_machine_does_nothing() -> Result<(), Box<dyn std::error::Error>> {
        struct Unfit;
        impl Workload for Unfit {
            fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
                Ok(vec!["a".to_owned()])
            }

            fn work(
                &self,
                _: usize,
                _: &str,
                _: &Arc<AtomicBool>,
            ) -> Result<Option<Vec<u8>>, PieceError> {
                Err(PieceError::Unfit("no python3".to_owned()))
            }
        }
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "nothing\n")?;
        let result = work_through(&folder, &Unfit, &options(1), &Arc::default(), |_| ());
        assert_eq!(result.map_err(|error| error.to_string()), Err("no python3".to_owned()));
        assert!(!folder.is_done("a"));
        Ok(())
    }

    #[test]
    fn one_at_a_time_does_it() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "nothing\n")?;
        let (at_it, most, times) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let merge = || {
            one_at_a_time(&folder, "merge", &options(1), &AtomicBool::new(false), || {
                most.fetch_max(at_it.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                times.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                at_it.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, WorkError>(())
            })
        };
        thread::scope(|scope| {
            let all = [0; 4].map(|_| scope.spawn(merge));
            let merges = all.map(|one| one.join().expect("no panic"));
            assert!(merges.iter().all(|merge| matches!(merge, Ok(Some(())))));
        });
        assert_eq!((most.into_inner(), times.into_inner()), (1, 4));
        Ok(())
    }
}

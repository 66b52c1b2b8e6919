//! Work that is cut into pieces and shared by any number of processes, on any number of computers,
//! by way of a folder.
//!
//! The processes share only a [`WorkFolder`]. The folder may be on a network file system: nothing depends on
//! locks, on files that are replaced while other processes read them, or on clocks that agree.
//!
//! * A process takes a piece by creating the file of a new claim, in which only one of several processes can
//!   succeed.
//! * A living process appends to a file of its own again and again. A process that has seen no change of
//!   another process's file for a while, by its own clock, takes the claim of the next generation.
//! * The result of a piece is linked to its name when it is whole and on the disk. If a piece is done twice,
//!   because a living process was taken for dead, the first result stays.
//!
//! A process may therefore be killed, restarted or started twice at any moment, and nothing is lost or
//! counted twice. [`work_through`] does pieces until none are left; [`WorkStatus`] reports the progress of
//! the work.
//!
//! [`run_in_threads`] shares work among the threads of one process, without a folder; [`pin_to_core`] gives each a
//! core of its own.

mod drive;
mod folder;
mod heartbeat;
mod queue;
#[cfg(test)]
mod simulation;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::{fmt, io, process, thread};

use thiserror::Error;

pub use drive::{
    FailedPiece, TaskStatus, WorkEvent, WorkOptions, WorkReport, WorkStatus, one_at_a_time,
    work_through,
};
pub use folder::{PieceError, Published, WorkError, WorkFolder, piece_name};
pub use queue::{NextPiece, WorkQueue, Workload};

/// The error of a thread that the OS does not start.
#[derive(Debug, Error)]
#[error("cannot start a thread: {0}")]
pub struct NoThread(pub io::Error);

/// Does pieces of work in up to `jobs` threads, and hands every result to `on_result` in the current thread,
/// in the order in which the pieces are finished.
///
/// `next` gives out the pieces, from any thread, and returns `None` when there are no more; it may wait for
/// the results of pieces that are in work. `work` does a piece; its first argument is the number of the
/// thread, from 0. A result that is finished after `stop` is raised is dropped. This function raises `stop`
/// when `on_result` fails, so `work` may watch `stop`.
///
/// # Errors
///
/// Returns the error of `on_result`, or [`NoThread`] if the OS starts no thread.
pub fn run_in_threads<T, R, E>(
    jobs: NonZeroUsize,
    stop: &AtomicBool,
    next: impl Fn() -> Option<T> + Sync,
    work: impl Fn(usize, T) -> R + Sync,
    mut on_result: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    R: Send,
    E: From<NoThread>,
{
    let (sender, results) = channel();
    let (next, work) = (&next, &work);
    thread::scope(|scope| {
        for job in 0..jobs.get() {
            let sender = sender.clone();
            let piece_by_piece = move || {
                while let Some(piece) = next() {
                    let result = work(job, piece);
                    if stop.load(Ordering::Relaxed) || sender.send(result).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, piece_by_piece) {
                stop.store(true, Ordering::Relaxed);
                return Err(NoThread(error).into());
            }
        }
        drop(sender);
        let result = results.into_iter().try_for_each(&mut on_result);
        stop.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    })
}

/// Returns the number of cores that this process may use.
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Pins this thread, and all processes that it starts from now on, to the core with this number, counted from 0
/// among the cores that the thread may use. A second call has no effect, because the thread may then use only one
/// core. Without pinning, times vary a little more.
#[cfg(target_os = "linux")]
pub fn pin_to_core(number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut cores = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    if let Some(core) = cores.nth(number) {
        let mut own = CpuSet::new();
        own.set(core);
        // If the OS refuses, the thread runs without pinning.
        let _ = sched_setaffinity(None, &own);
    }
}

/// Does nothing, because threads are pinned only on Linux.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_core(_: usize) {}

/// The name of a task, which is one run of a process that works.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskName(String);

impl TaskName {
    /// Returns a name that no other task has. It begins with the name of the computer and the `job`, or the
    /// id of the process if there is no job.
    pub fn new(machine: &str, job: Option<&str>) -> TaskName {
        let shown = |text: &str| -> String {
            let kept =
                |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
            text.chars().map(kept).take(60).collect()
        };
        let job = job.map_or_else(|| process::id().to_string(), shown);
        let machine = shown(machine);
        TaskName(format!("{}~{job}~{:016x}", machine.trim_start_matches('.'), fastrand::u64(..)))
    }

    /// Returns the name as text, which is valid as the name of a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the computer of the task of this name.
    pub fn machine(name: &str) -> &str {
        name.split('~').next().unwrap_or_default()
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn jobs(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("a job")
    }

    #[test]
    fn every_piece_is_done_once() -> Result<(), NoThread> {
        for count in [1, 2, 7] {
            let (given, mut done) = (AtomicUsize::new(0), Vec::new());
            let next = || {
                let piece = given.fetch_add(1, Ordering::Relaxed);
                (piece < 100).then_some(piece)
            };
            let stop = AtomicBool::new(false);
            run_in_threads(
                jobs(count),
                &stop,
                next,
                |_, piece| piece * 2,
                |result| {
                    done.push(result);
                    Ok::<_, NoThread>(())
                },
            )?;
            done.sort_unstable();
            assert!(done.into_iter().eq((0..100).map(|piece| 2 * piece)), "{count} jobs");
        }
        Ok(())
    }

    #[test]
    fn failure_raises_the_flag() {
        let stop = AtomicBool::new(false);
        let failure = || NoThread(io::Error::other("full"));
        let result = run_in_threads(jobs(2), &stop, || Some(()), |_, ()| (), |()| Err(failure()));
        assert!(result.is_err() && stop.into_inner());
    }

    #[test]
    fn names_differ_and_are_those_of_files() {
        let [one, other] = [0, 1].map(|_| TaskName::new("node/1", Some("12_3")));
        assert_ne!(one, other);
        assert!(one.as_str().starts_with("node_1~12_3~"), "{one}");
        assert_eq!(TaskName::machine(one.as_str()), "node_1");
    }
}

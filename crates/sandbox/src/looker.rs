//! The findings of looks at processes; and a thread for looks, because a look may have to wait for a process.
//!
//! To report the mappings, the arguments or the environment of a process, the kernel takes the lock of its
//! mappings. A program with many threads that change mappings can hold the lock for minutes. A supervisor
//! that waited for the lock could neither end the program nor answer the host, so it gives up the look.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use nix::unistd::Pid;

use crate::limits::Deadline;

/// A process, as a supervisor sees it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// A thread that has not ended, by which the memory is read.
    pub(crate) thread: Pid,
    pub(crate) parent: Pid,
    /// The CPU time that the process itself has used.
    pub(crate) cpu: Duration,
    /// The CPU time of its reaped children.
    pub(crate) cpu_of_children: Duration,
    /// The memory that the process occupies, in bytes. Memory shared with other processes counts in full.
    pub(crate) memory: u64,
}

/// The memory of processes compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) enum Memory {
    Fits,
    Exceeds,
    /// The processes seem to occupy more, but an exact count would take too long.
    Unknown,
}

/// The motion of threads that should stand still, from the least to the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) enum Motion {
    /// All are stopped, wait for something that may never come, or are gone.
    Still,
    /// A thread ends, and gives up its memory.
    Ending,
    /// A thread waits in the kernel for something that comes soon, such as the disk, and none waits for a processor.
    Blocked,
    /// A thread runs, or waits for a processor.
    Running,
}

/// The resources that processes hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// The memory of pipes, sockets, queues, page tables, threads and mappings, in bytes.
    pub(crate) kernel: u64,
    /// The size of the files on the disk that have no name any more, in bytes.
    pub(crate) deleted: u64,
    /// The bytes that the processes have written since they began, where their files are on a disk. Without the bytes
    /// of processes that have ended.
    pub(crate) written: u64,
    /// The number of files that event queues watch.
    pub(crate) watches: u64,
    /// If true, the look had to end before everything was seen, or there is more of a resource than a program
    /// needs.
    pub(crate) is_incomplete: bool,
    /// If true, a process runs a program that it may not read.
    pub(crate) is_unreadable: bool,
}

/// The counters of a control group since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// The CPU time of all processes of the group, past and present.
    pub(crate) cpu: Duration,
    /// The number of times that its memory was at the limit and nothing could be freed.
    pub(crate) out_of_memory: u64,
    /// The number of processes and threads that were refused.
    pub(crate) refused_processes: u64,
}

/// The time that a look at processes may take, without the time in which its thread waits for a processor. The
/// limit is short, because no other look sees the program grow meanwhile. The supervisor repeats a longer look
/// while the program stands still.
pub(crate) const LONGEST_LOOK: Duration = Duration::from_millis(300);
/// The time that a look at a program that stands still may take, or a look at folders: an honest build makes
/// many files, and a disk may be slow.
pub(crate) const LONGEST_PATIENT_LOOK: Duration = Duration::from_secs(10);
/// The time after which a look takes long, and the time between two calls that say so.
pub(crate) const LONG_LOOK: Duration = Duration::from_secs(1);
/// The longest single wait for a look. A pause of all processes costs the look at most this much of its time.
const ONE_WAIT: Duration = Duration::from_millis(100);

type Look = Box<dyn FnOnce() + Send>;

/// A thread that looks at processes, one look after another.
///
/// A look that is given up ends at the latest with the processes, because killed processes release the lock.
#[derive(Debug)]
pub(crate) struct Looker {
    looks: Sender<Look>,
    /// Called again and again while a look takes long.
    on_wait: fn(),
    /// The time that a look may take.
    longest: Duration,
    /// The file with the time in which the thread has waited for a processor.
    schedule: PathBuf,
    /// The time that all looks so far have taken.
    taken: Cell<Duration>,
    /// The moment at which a look is left because the program's turn is over.
    until: Cell<Option<Instant>>,
    /// If true, looks may take longer because the program stands still.
    is_patient: Cell<bool>,
}

impl Looker {
    /// Starts the thread, which calls `prepare` first. A look takes `longest` at most. While a look takes long,
    /// the thread that waits for it calls `on_wait` again and again.
    pub(crate) fn start(
        longest: Duration,
        on_wait: fn(),
        prepare: impl FnOnce() + Send + 'static,
    ) -> io::Result<Looker> {
        let (looks, pending) = channel::<Look>();
        let (sender, place) = channel();
        thread::Builder::new().spawn(move || {
            let _ = sender.send(fs::read_link("/proc/thread-self").unwrap_or_default());
            prepare();
            pending.into_iter().for_each(|look| look());
        })?;
        let thread = place.recv().unwrap_or_default();
        let schedule = Path::new("/proc").join(thread).join("schedstat");
        Ok(Looker {
            looks,
            on_wait,
            longest,
            schedule,
            taken: Cell::default(),
            until: Cell::default(),
            is_patient: Cell::default(),
        })
    }

    /// Returns the time of all looks so far, without pauses of all processes and waits of the thread for a
    /// processor. The program is charged with this time, because it may make looks long.
    pub(crate) fn taken(&self) -> Duration {
        self.taken.get()
    }

    /// Leaves every look at this moment from now on, finished or not. Otherwise output that the program
    /// prints after the moment could be read as an answer in time.
    pub(crate) fn leave_at(&self, moment: Option<Instant>) {
        self.until.set(moment);
    }

    /// Returns true if the moment at which looks are left has come.
    pub(crate) fn has_left(&self) -> bool {
        self.until.get().is_some_and(|until| Instant::now() >= until)
    }

    /// Lets looks take longer while `act` runs, and returns its result. The program stands still meanwhile.
    pub(crate) fn patiently<T>(&self, act: impl FnOnce() -> T) -> T {
        self.is_patient.set(true);
        let done = act();
        self.is_patient.set(false);
        done
    }

    /// Returns the result of a look, or `None` if the look takes too long or is left.
    pub(crate) fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, found) = channel();
        let look = move || {
            let _ = sender.send(look());
        };
        self.looks.send(Box::new(look)).ok()?;
        let until = self.until.get();
        let longest = if self.is_patient.get() { LONGEST_PATIENT_LOOK } else { self.longest };
        let deadline = Deadline::after(longest);
        let mut told = Instant::now();
        let wait = |time| {
            found.recv_timeout(time).inspect_err(|_| {
                if told.elapsed() >= LONG_LOOK {
                    told = Instant::now();
                    (self.on_wait)();
                }
            })
        };
        let (found, taken) = wait_for(wait, || time_in_queue(&self.schedule), deadline, until);
        self.taken.update(|before| before + taken);
        found
    }
}

/// Returns the result of a look, or `None` at the deadline or at `until`, and the time of the look. `wait`
/// waits for the result for a given time. `in_queue` returns the time in which the looking thread has waited
/// for a processor, and by which the deadline is extended.
fn wait_for<T>(
    mut wait: impl FnMut(Duration) -> Result<T, RecvTimeoutError>,
    in_queue: impl Fn() -> Duration,
    mut deadline: Deadline,
    until: Option<Instant>,
) -> (Option<T>, Duration) {
    let mut waited = in_queue();
    let mut taken = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let left = until.map_or(ONE_WAIT, |until| until.saturating_duration_since(begun));
        let found = deadline.wait(left.min(ONE_WAIT), &mut wait);
        let now = in_queue();
        let in_queue = now.saturating_sub(waited);
        taken += begun.elapsed().min(ONE_WAIT).saturating_sub(in_queue);
        match found {
            Ok(found) => return (Some(found), taken),
            Err(RecvTimeoutError::Disconnected) => return (None, taken),
            Err(RecvTimeoutError::Timeout) => {}
        }
        deadline.extend(in_queue);
        waited = waited.max(now);
        if deadline.is_over() || until.is_some_and(|until| Instant::now() >= until) {
            return (None, taken);
        }
    }
}

/// Returns the time in which the thread with this file `schedstat` has waited for a processor.
fn time_in_queue(schedule: &Path) -> Duration {
    let text = fs::read_to_string(schedule).unwrap_or_default();
    let waited = text.split_ascii_whitespace().nth(1).and_then(|text| text.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn pause_during_a_look_is_not_its_time() {
        let mut waits = 0;
        let wait = |_| {
            waits += 1;
            if waits == 2 {
                return Ok(1);
            }
            // All processes are stopped.
            thread::sleep(LONGEST_LOOK);
            Err(RecvTimeoutError::Timeout)
        };
        let (found, taken) = wait_for(wait, || Duration::ZERO, Deadline::after(LONGEST_LOOK), None);
        assert_eq!(found, Some(1));
        assert!(taken <= 2 * ONE_WAIT, "{taken:?}");
    }

    #[test]
    fn look_that_does_not_end_is_given_up() -> io::Result<()> {
        static WAITS: AtomicU32 = AtomicU32::new(0);
        let on_wait = || _ = WAITS.fetch_add(1, Ordering::Relaxed);
        let looker = Looker::start(LONGEST_LOOK, on_wait, || ())?;
        assert_eq!(looker.look(|| 1), Some(1));
        let (held, lock) = channel::<()>();
        assert_eq!(looker.look(move || lock.recv().is_ok()), None);
        assert_eq!(WAITS.load(Ordering::Relaxed), 0);
        drop(held);
        assert_eq!(looker.look(|| 2), Some(2));
        let (held, lock) = channel::<()>();
        let begun = Instant::now();
        looker.leave_at(Some(begun + ONE_WAIT / 2));
        assert_eq!(looker.look(move || lock.recv().is_ok()), None);
        assert!(looker.has_left() && begun.elapsed() < LONGEST_LOOK);
        looker.leave_at(None);
        drop(held);
        assert_eq!(looker.look(|| 3), Some(3));
        let slow = || thread::sleep(LONG_LOOK + 3 * ONE_WAIT);
        assert_eq!(looker.patiently(|| looker.look(slow)), Some(()));
        assert_ne!(WAITS.load(Ordering::Relaxed), 0);
        Ok(())
    }
}

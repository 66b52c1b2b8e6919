//! The time for which others keep a program from running.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::system::proc::text_of;
use crate::system::processes::{start_of_thread, threads};

/// The waits of a program's threads for a processor, from some time on.
///
/// The kernel counts for each thread how long it ran, and how long it was ready to run and did not.
#[derive(Debug)]
pub(crate) struct Waits {
    begun: Instant,
    spent: Duration,
    threads: HashMap<Pid, Thread>,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    process: Pid,
    /// The time of its start, which tells it from a later thread of the same number.
    started: u64,
    times: Times,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    ran: Duration,
    waited: Duration,
}

impl Waits {
    /// Begins with the threads of these processes. `spent` is the CPU time by now of all whose waits for each
    /// other do not count: the program, and this process, which works for it alone.
    pub(crate) fn from_now(processes: &[Pid], spent: Duration) -> Waits {
        Waits { begun: Instant::now(), spent, threads: look(processes) }
    }

    /// Returns the longest time for which others have kept a thread from running, where `spent` is the CPU
    /// time by now. While a thread waits, some other one runs; what those of the program and this process did
    /// meanwhile is taken off.
    pub(crate) fn for_others(&self, processes: &[Pid], spent: Duration) -> Duration {
        let (spent, threads) = (spent.saturating_sub(self.spent), look(processes));
        let kept = threads.iter().map(|(&thread, &Thread { process, times: now, .. })| {
            let before = self.before(process, thread, &threads);
            let ran = now.ran.saturating_sub(before.ran);
            let waited = now.waited.saturating_sub(before.waited);
            waited.saturating_sub(spent.saturating_sub(ran))
        });
        kept.max().unwrap_or_default().min(self.begun.elapsed().saturating_sub(spent))
    }

    /// Returns the times of a thread of this process at the beginning, or more.
    ///
    /// A thread that starts another program takes the number of the first thread, and keeps its own times. So
    /// the first thread may be any of those that are gone.
    fn before(&self, process: Pid, thread: Pid, threads: &HashMap<Pid, Thread>) -> Times {
        let own = self.threads.get(&thread).map(|before| before.times).unwrap_or_default();
        if thread != process {
            return own;
        }
        let of_process = self.threads.iter().filter(|(_, before)| before.process == process);
        let is_there = |number: &Pid, before: &Thread| {
            threads.get(number).is_some_and(|now| now.started == before.started)
        };
        let gone = of_process.filter(|(number, before)| !is_there(number, before));
        gone.fold(own, |most, (_, Thread { times, .. })| Times {
            ran: most.ran.max(times.ran),
            waited: most.waited.max(times.waited),
        })
    }
}

/// Returns the threads of these processes by their numbers.
fn look(processes: &[Pid]) -> HashMap<Pid, Thread> {
    let of_process = |&process: &Pid| {
        threads(process).filter_map(move |thread| {
            let text = text_of(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
            let mut numbers = text.split_ascii_whitespace().map(str::parse);
            let mut next = || numbers.next()?.ok().map(Duration::from_nanos);
            let times = Times { ran: next()?, waited: next()? };
            let started = start_of_thread(process, thread)?;
            Some((thread, Thread { process, started, times }))
        })
    };
    processes.iter().flat_map(of_process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(threads: &[(i32, i32, u64, u64)]) -> HashMap<Pid, Thread> {
        let thread = |&(process, thread, started, waited): &(i32, i32, u64, u64)| {
            let times = Times { ran: Duration::ZERO, waited: Duration::from_secs(waited) };
            (Pid::from_raw(thread), Thread { process: Pid::from_raw(process), started, times })
        };
        threads.iter().map(thread).collect()
    }

    /// The first thread has waited for 9 s. It is the one that had waited for 8 s before it started a
    /// program, although another thread has its number now.
    #[test]
    fn thread_that_becomes_the_first_brings_no_waits_along() {
        let threads = waits(&[(5, 5, 1, 1), (5, 6, 1, 8), (7, 7, 1, 3), (7, 8, 1, 20)]);
        let begun = Waits { begun: Instant::now(), spent: Duration::ZERO, threads };
        let now = waits(&[(5, 5, 1, 9), (6, 6, 4, 0), (7, 7, 1, 4), (7, 8, 1, 20)]);
        let before = |process, thread| {
            begun.before(Pid::from_raw(process), Pid::from_raw(thread), &now).waited.as_secs()
        };
        assert_eq!(before(5, 5), 8);
        assert_eq!(before(7, 7), 3);
        assert_eq!(before(7, 8), 20);
        assert_eq!(before(7, 9), 0);
    }
}

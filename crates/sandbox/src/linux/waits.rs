//! The time for which others keep a program from running.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::system::proc::text_of;
use crate::system::processes::threads;

/// The waits of a program's threads for a processor, from some time on.
///
/// The kernel counts for each thread how long it ran, and how long it was ready to run and did not.
#[derive(Debug)]
pub(crate) struct Waits {
    begun: Instant,
    spent: Duration,
    threads: HashMap<Pid, Times>,
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
        Waits { begun: Instant::now(), spent, threads: times(processes).collect() }
    }

    /// Returns the longest time for which others have kept a thread from running, where `spent` is the CPU time
    /// by now. While a thread waits, some other one runs; what those of the program and this process did
    /// meanwhile is taken off.
    pub(crate) fn for_others(&self, processes: &[Pid], spent: Duration) -> Duration {
        let spent = spent.saturating_sub(self.spent);
        let kept = times(processes).map(|(thread, now)| {
            let before = self.threads.get(&thread).copied().unwrap_or_default();
            let ran = now.ran.saturating_sub(before.ran);
            let waited = now.waited.saturating_sub(before.waited);
            waited.saturating_sub(spent.saturating_sub(ran))
        });
        kept.max().unwrap_or_default().min(self.begun.elapsed().saturating_sub(spent))
    }
}

fn times(processes: &[Pid]) -> impl Iterator<Item = (Pid, Times)> {
    processes.iter().flat_map(|&pid| {
        threads(pid).filter_map(move |thread| {
            let text = text_of(format!("/proc/{pid}/task/{thread}/schedstat")).ok()?;
            let mut numbers = text.split_ascii_whitespace().map(str::parse);
            let mut next = || numbers.next()?.ok().map(Duration::from_nanos);
            Some((thread, Times { ran: next()?, waited: next()? }))
        })
    })
}

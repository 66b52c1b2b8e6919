//! The time in which other programs keep a program from running.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::system::processes::{Stat, shown, text_of, threads};

/// The most doubt about the moment of a look with which a thread may begin a new span.
const LITTLE_DOUBT: Duration = Duration::from_millis(1);

/// The waits of a program's threads for a processor, from some time on.
///
/// The kernel counts for each thread the time in which it ran, and the time in which it was ready but did not
/// run, which is added when the wait is over. While a thread waits, another thread runs. Therefore other
/// programs kept a thread from running for at least the time that it waited, minus the time in which all
/// other threads of the program ran in the same span. Such spans add up if they do not overlap: the span of a
/// thread begins at its birth or while it waits for no processor, with the time kept until then. Thus the
/// waits of threads and processes that work one after another add up, and those that work together cannot
/// gain time by waiting for each other.
#[derive(Debug)]
pub(crate) struct Waits {
    begun: Instant,
    /// The time for which others have kept the program from running.
    kept: Duration,
    /// The upper bound of `kept`: the time in which the program, as a whole, did not run.
    most: Duration,
    /// The moment of the last look, and the CPU time by then.
    at: Duration,
    spent: Duration,
    /// The doubt about that moment, and the time in which the program had been kept from running by then.
    doubt: Duration,
    last_kept: Duration,
    threads: HashMap<Pid, Thread>,
}

/// A look at all threads.
#[derive(Debug)]
struct Look {
    /// The moment at which the CPU time was measured, and that time.
    at: Duration,
    spent: Duration,
    /// The time that has passed until all threads were seen.
    doubt: Duration,
    threads: HashMap<Pid, Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    process: Pid,
    /// The time of its start, which tells it from a later thread of the same number.
    started: u64,
    /// If false, the thread did not wait for a processor a moment before its times were read.
    is_ready: bool,
    times: Times,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    ran: Duration,
    waited: Duration,
}

impl Times {
    /// Returns true if a thread with these times can have the `later` times some time after.
    fn may_become(self, later: Times) -> bool {
        self.ran <= later.ran && self.waited <= later.waited
    }
}

/// A thread at the last look, and its span.
#[derive(Clone, Copy, Debug)]
struct Thread {
    seen: Seen,
    span: Span,
    /// A later beginning, such that all waits that began before it are among the times of the thread.
    recent: Span,
}

/// The beginning of a span of a thread's life.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The time in which the program was kept from running before the span.
    kept: Duration,
    /// The CPU time of the program at the beginning, and the times of the thread.
    spent: Duration,
    times: Times,
}

impl Span {
    /// Returns the time in which other programs have kept the program from running, according to a look at
    /// this thread.
    fn kept_by(&self, look: &Look, times: Times) -> Duration {
        let ran = times.ran.saturating_sub(self.times.ran);
        let by_program = look.spent.saturating_sub(self.spent).saturating_sub(ran);
        let waited = times.waited.saturating_sub(self.times.waited);
        self.kept + waited.saturating_sub(by_program + look.doubt)
    }
}

impl Waits {
    /// Begins with the threads of these processes. `spent` is the CPU time, at the moment `at`, of all
    /// processes whose waits for each other do not count: the processes of the program, and this process,
    /// which works for the program alone.
    pub(crate) fn from_now(processes: &[Pid], at: Instant, spent: Duration) -> Waits {
        Waits::from(at, Look::at(processes, at, at, spent))
    }

    fn from(begun: Instant, look: Look) -> Waits {
        let Look { at, spent, threads, .. } = look;
        let begin = |seen: Seen| {
            let span = Span { kept: Duration::ZERO, spent, times: seen.times };
            Thread { seen, span, recent: span }
        };
        let threads = threads.into_iter().map(|(number, seen)| (number, begin(seen))).collect();
        Waits {
            begun,
            kept: Duration::ZERO,
            most: Duration::ZERO,
            at,
            spent,
            doubt: Duration::ZERO,
            last_kept: Duration::ZERO,
            threads,
        }
    }

    /// Returns the time in which other programs have kept the program from running since the beginning.
    /// `spent` is the CPU time at the moment `at`, which is now or just over.
    pub(crate) fn for_others(
        &mut self,
        processes: &[Pid],
        at: Instant,
        spent: Duration,
    ) -> Duration {
        let look = Look::at(processes, self.begun, at, spent);
        self.add(look)
    }

    fn add(&mut self, look: Look) -> Duration {
        let (spans, passed) = (self.spans(&look), look.at.saturating_sub(self.at));
        let ran = look.spent.saturating_sub(self.spent);
        self.most = (self.most + passed).saturating_sub(ran).max(self.kept);
        let kept =
            spans.iter().map(|(number, span)| span.kept_by(&look, look.threads[number].times));
        self.kept = kept.max().unwrap_or_default().min(self.most).max(self.kept);
        let threads = look.threads.iter().map(|(&number, &seen)| {
            (number, self.thread(&look, seen, spans[&number], self.threads.get(&number)))
        });
        self.threads = threads.collect();
        (self.at, self.spent, self.doubt) = (look.at, look.spent, look.doubt);
        self.last_kept = self.kept;
        self.kept
    }

    /// Returns a thread at the end of a look, with its span until then.
    fn thread(&self, look: &Look, seen: Seen, span: Span, before: Option<&Thread>) -> Thread {
        let now = Span { kept: self.kept, spent: look.spent, times: seen.times };
        if !seen.is_ready && look.doubt <= LITTLE_DOUBT {
            return Thread { seen, span: now, recent: now };
        }
        let last = Span { kept: self.last_kept, spent: self.spent, times: seen.times };
        let recent = match before {
            None => last,
            // The thread has run since the last look, so all waits that began before that look are among its
            // times.
            Some(before) if self.doubt <= LITTLE_DOUBT && before.seen.times != seen.times => last,
            Some(before) => before.recent,
        };
        Thread { seen, span, recent }
    }

    /// Returns the spans of all threads of a look.
    fn spans(&self, look: &Look) -> HashMap<Pid, Span> {
        let lost = self.lost(look);
        let span = |(&number, seen): (&Pid, &Seen)| {
            let before = self.threads.get(&number).filter(|old| old.seen.started == seen.started);
            let Some(before) = before else { return (number, self.span_of_new(look, seen)) };
            let is_same = before.seen.times.may_become(seen.times);
            let of_process = lost.get(&seen.process).map(Vec::as_slice).unwrap_or_default();
            let others: Vec<&Thread> = of_process
                .iter()
                .filter(|other| other.seen.times.may_become(seen.times))
                .copied()
                .collect();
            if number != seen.process || is_same && others.is_empty() {
                return (number, before.span);
            }
            // The thread may be one of `others`, with a wait that was not among its times.
            let spans = others.iter().map(|other| other.recent);
            let first = spans.fold(before.recent, |a, b| Span {
                kept: a.kept.min(b.kept),
                spent: a.spent.min(b.spent),
                ..a
            });
            (number, Span { times: seen.times, ..first })
        };
        look.threads.iter().map(span).collect()
    }

    /// Returns the threads that are gone, by process, for each process whose only old thread is the first.
    ///
    /// A thread that starts another program ends all others, takes the number of the first, and keeps its own
    /// times.
    fn lost(&self, look: &Look) -> HashMap<Pid, Vec<&Thread>> {
        let mut lost: HashMap<Pid, Vec<&Thread>> = HashMap::new();
        let others = || self.threads.iter().filter(|(number, old)| **number != old.seen.process);
        let is_there = |number: &Pid, old: &Thread| {
            look.threads.get(number).is_some_and(|now| now.started == old.seen.started)
        };
        for (_, old) in others() {
            lost.entry(old.seen.process).or_default().push(old);
        }
        for (_, old) in others().filter(|(number, old)| is_there(number, old)) {
            lost.remove(&old.seen.process);
        }
        lost
    }

    /// Returns the span of a thread that was born since the last look.
    fn span_of_new(&self, look: &Look, seen: &Seen) -> Span {
        // The thread cannot have waited longer than it has lived, unless the last look missed it.
        let life = (look.at + look.doubt).saturating_sub(self.at);
        let Times { ran, waited } = seen.times;
        let times = Times { ran: ran.saturating_sub(life), waited: waited.saturating_sub(life) };
        Span { kept: self.kept, spent: self.spent, times }
    }
}

impl Look {
    /// Looks at all threads of these processes. The CPU time `spent` was measured `at` a moment just before.
    fn at(processes: &[Pid], begun: Instant, at: Instant, spent: Duration) -> Look {
        let threads = look(processes);
        Look { at: at.saturating_duration_since(begun), spent, doubt: at.elapsed(), threads }
    }
}

/// Returns the threads of these processes by their numbers.
fn look(processes: &[Pid]) -> HashMap<Pid, Seen> {
    let of_process = |&process: &Pid| {
        threads(process).filter_map(move |thread| {
            // The state is read first, so that a wait that begins after it belongs to no earlier span.
            let Stat { state, started, .. } = Stat::of_thread(process, thread)?;
            let text = text_of(shown(format_args!("{process}/task/{thread}/schedstat"))).ok()?;
            let mut numbers = text.split_ascii_whitespace().map(str::parse);
            let mut next = || numbers.next()?.ok().map(Duration::from_nanos);
            let times = Times { ran: next()?, waited: next()? };
            Some((thread, Seen { process, started, is_ready: state == 'R', times }))
        })
    };
    processes.iter().flat_map(of_process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A thread: its process, its number, whether it is ready, and the milliseconds that it ran and waited.
    type Of = (i32, i32, bool, u64, u64);

    /// Returns a look at this time at threads that have spent this CPU time, both in milliseconds.
    fn look(at: u64, spent: u64, threads: &[Of]) -> Look {
        let thread = |&(process, thread, is_ready, ran, waited): &Of| {
            let times = Times { ran: ms(ran), waited: ms(waited) };
            let process = Pid::from_raw(process);
            (Pid::from_raw(thread), Seen { process, started: thread as u64, is_ready, times })
        };
        let threads = threads.iter().map(thread).collect();
        Look { at: ms(at), spent: ms(spent), doubt: Duration::ZERO, threads }
    }

    fn kept(looks: Vec<Look>) -> Duration {
        let mut looks = looks.into_iter();
        let mut waits = Waits::from(Instant::now(), looks.next().expect("a first look"));
        looks.map(|look| waits.add(look)).last().unwrap_or_default()
    }

    /// Each of 25 threads or processes runs for half of its 80 ms, while the first waits for its end.
    #[test]
    fn waits_of_those_that_work_one_after_another_add_up() {
        for processes in [false, true] {
            let mut looks = vec![look(0, 0, &[(1, 1, false, 0, 0)])];
            for tenth in 1..=200 {
                let (number, age) = (2 + (tenth - 1) / 8, ((tenth - 1) % 8 + 1) * 5);
                let process = if processes { number as i32 } else { 1 };
                let worker = (process, number as i32, true, age, age);
                looks.push(look(tenth * 10, tenth * 5, &[(1, 1, false, 0, 0), worker]));
            }
            let all = 1000;
            assert_eq!(kept(looks), ms(all), "{processes}");
        }
    }

    #[test]
    fn work_takes_nothing_off_earlier_waits() {
        let looks = vec![
            look(0, 0, &[(1, 1, false, 0, 0)]),
            look(1000, 500, &[(1, 1, false, 500, 500)]),
            // Two threads have a core each.
            look(
                2000,
                2500,
                &[(1, 1, false, 500, 500), (1, 2, true, 1000, 0), (1, 3, true, 1000, 0)],
            ),
            look(
                2010,
                2520,
                &[(1, 1, false, 500, 500), (1, 2, true, 1010, 0), (1, 3, true, 1010, 0)],
            ),
            look(2020, 2520, &[(1, 1, true, 500, 500)]),
            look(3020, 3020, &[(1, 1, true, 1000, 1000)]),
        ];
        assert_eq!(kept(looks), ms(1000));
    }

    /// Three threads take turns on one core, and rest together when the kernel has added their waits: a thread
    /// that waits is credited with nothing until it runs.
    #[test]
    fn threads_that_wait_for_each_other_gain_nothing() {
        let looks = vec![
            look(0, 0, &[(1, 1, true, 0, 0), (1, 2, true, 0, 0), (1, 3, true, 0, 0)]),
            look(50, 50, &[(1, 1, true, 50, 0), (1, 2, true, 0, 0), (1, 3, true, 0, 0)]),
            look(100, 50, &[(1, 1, false, 50, 0), (1, 2, false, 0, 50), (1, 3, false, 0, 50)]),
            look(150, 100, &[(1, 1, true, 100, 0), (1, 2, true, 0, 50), (1, 3, true, 0, 50)]),
            look(200, 100, &[(1, 1, false, 100, 0), (1, 2, false, 0, 100), (1, 3, false, 0, 100)]),
        ];
        assert_eq!(kept(looks), ms(0));
    }

    /// The second thread waits while the first runs, and becomes the first by starting a program.
    #[test]
    fn thread_that_becomes_the_first_brings_no_waits_along() {
        let looks = vec![
            look(0, 0, &[(5, 5, true, 0, 0), (5, 6, true, 0, 0)]),
            look(50, 50, &[(5, 5, true, 50, 0), (5, 6, true, 0, 0)]),
            look(100, 51, &[(5, 5, false, 1, 50)]),
            look(110, 51, &[(5, 5, false, 1, 50)]),
            // A wait of its own counts.
            look(140, 71, &[(5, 5, true, 21, 60)]),
        ];
        assert_eq!(kept(looks), ms(10));
    }

    #[test]
    fn thread_that_was_overlooked_brings_no_waits_along() {
        let looks = vec![
            look(0, 0, &[(1, 1, false, 0, 0)]),
            look(500, 500, &[(1, 1, false, 500, 0)]),
            look(510, 500, &[(1, 1, false, 500, 0), (1, 2, false, 0, 500)]),
        ];
        assert_eq!(kept(looks), ms(10));
    }
}

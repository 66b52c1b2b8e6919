//! The clock of a turn: the wall time of a program, without the time for which the program is not to blame.

use std::time::{Duration, Instant};

use nix::time::ClockId;

use crate::failure::ProcessEnd;
use crate::launch::MOST_KEPT;
use crate::limits::wait_late;
use crate::supervisor::control::{Stall, Usage, cpu_by};
use crate::system::processes::living;
use crate::system::waits::Waits;

/// The time until the next look at the waits, in units of the duration of the last look: a look at many
/// threads takes longer.
const BETWEEN_WAITS: u32 = 20;

/// The divisor for the part of the time in which looks are not charged to the program: a quarter.
const LEAST_BETWEEN_LOOKS: u32 = 4;

/// The clock of one turn after another.
#[derive(Debug)]
pub(crate) struct TurnClock {
    begun: Instant,
    /// The time of the turn that was used before it began.
    pub(crate) used: Duration,
    /// The wall time of the turn.
    pub(crate) wall: Duration,
    /// The time at which the turn is over, unless other processes keep the program from running until then.
    /// `None` if there is no such time.
    pub(crate) deadline: Option<Instant>,
    /// The time of the next look at the waits of the program.
    pub(crate) next_waits: Instant,
    /// The waits of the program since the first look of the turn.
    waits: Option<Waits>,
    /// The wall time that the turn has taken, if it is over.
    taken: Option<Duration>,
    /// The time of the turn in which other processes kept the program from running.
    kept: Duration,
    /// The time by which this process has woken too late since the last look at the waits.
    late: Duration,
    /// The time since that look in which this process neither waited for an event nor ran, because it was
    /// stopped, for example.
    stalled: Duration,
    /// The measurement of such time since the last wait.
    stall: Stall,
    /// The time of the turn in which this process was late or stalled while the program did not run.
    overslept: Duration,
    /// The moment of the last look at the waits, and the CPU time by then.
    seen: (Instant, Duration),
    /// The moment of the last look at the program.
    looked: Instant,
    /// The CPU time of this process for looks that is not charged to the program.
    for_looks: Duration,
}

impl TurnClock {
    /// Returns a clock without a turn. `cpu` is the CPU time that the program has used so far.
    pub(crate) fn new(cpu: Duration) -> TurnClock {
        let now = Instant::now();
        TurnClock {
            begun: now,
            used: Duration::ZERO,
            wall: Duration::MAX,
            deadline: None,
            next_waits: now,
            waits: None,
            taken: Some(Duration::ZERO),
            kept: Duration::ZERO,
            late: Duration::ZERO,
            stalled: Duration::ZERO,
            stall: Stall::begin(ClockId::CLOCK_PROCESS_CPUTIME_ID),
            overslept: Duration::ZERO,
            seen: (now, cpu),
            looked: now,
            for_looks: Duration::ZERO,
        }
    }

    /// Returns a clock with a turn of this wall time that begins now, and of which the time `used` is used
    /// already.
    pub(crate) fn of_turn(wall: Duration, used: Duration, cpu: Duration) -> TurnClock {
        let clock = TurnClock::new(cpu);
        let begun = clock.begun.checked_sub(used).unwrap_or(clock.begun);
        TurnClock { begun, used, wall, deadline: begun.checked_add(wall), taken: None, ..clock }
    }

    /// Ends the turn, which has taken this time, or the time until now.
    pub(crate) fn stop(&mut self, taken: Option<Duration>) {
        self.deadline = None;
        self.taken = Some(taken.unwrap_or_else(|| self.taken()));
    }

    /// Returns the wall time that the turn has taken, without the time for which the program is not to blame.
    pub(crate) fn taken(&self) -> Duration {
        self.taken
            .unwrap_or_else(|| self.begun.elapsed().saturating_sub(self.kept + self.overslept))
    }

    /// Calls `wait` with this time, and records the time by which the call ends too late.
    pub(crate) fn wait<T>(&mut self, time: Duration, wait: impl FnOnce(Duration) -> T) -> T {
        self.stalled += self.stall.take();
        let found = wait_late(&mut self.late, time, wait);
        self.stall.take();
        found
    }

    /// Records a look at the program, for which this process has waited for the time `waited` and used the
    /// CPU time `used`.
    ///
    /// The wait is charged to the program, because a program may make looks long. The CPU time is charged
    /// except for a small part, because the program need not pay for its referee.
    pub(crate) fn has_looked(&mut self, waited: Duration, used: Duration) {
        self.stalled = (self.stalled + self.stall.take()).saturating_sub(waited);
        let passed = std::mem::replace(&mut self.looked, Instant::now()).elapsed();
        self.for_looks += used.min(passed / LEAST_BETWEEN_LOOKS);
    }

    /// Returns the time by which this process was late or stalled since the last look.
    pub(crate) fn lateness(&mut self) -> Duration {
        self.stalled += self.stall.take();
        self.late + self.stalled
    }

    /// Measures how long other processes have kept the program from running in this turn.
    pub(crate) fn look(&mut self, usage: Usage) {
        self.stalled += self.stall.take();
        let (at, cpu) = (Instant::now(), usage.cpu + usage.unseen);
        let spent = cpu + own_cpu().saturating_sub(self.for_looks);
        let (processes, before) = (living(), self.kept);
        match &mut self.waits {
            None => self.waits = Some(Waits::from_now(&processes, at, spent)),
            Some(waits) => self.kept = self.kept.max(waits.for_others(&processes, at, spent)),
        }
        // This process may have woken late because the program ran, so that time is subtracted. No time
        // counts twice.
        let (seen, ran) = (self.seen.0, cpu.saturating_sub(self.seen.1));
        let late = std::mem::take(&mut self.late) + std::mem::take(&mut self.stalled);
        let late = late.saturating_sub(ran);
        let rest = at.saturating_duration_since(seen).saturating_sub(ran + (self.kept - before));
        self.overslept += late.min(rest);
        self.seen = (at, cpu);
        self.next_waits = Instant::now() + at.elapsed() * BETWEEN_WAITS;
    }

    /// Extends the deadline of a program whose time is over by the time in which it was kept from running.
    /// Returns an error if that time is used up as well.
    pub(crate) fn extend(&mut self) -> Result<(), ProcessEnd> {
        let most = self.wall.saturating_mul(MOST_KEPT);
        let extended = self.wall.saturating_add(self.kept.min(most)).saturating_add(self.overslept);
        let deadline = self.begun.checked_add(extended);
        if deadline.is_none_or(|deadline| Instant::now() < deadline) {
            self.deadline = deadline;
            return Ok(());
        }
        Err(if self.kept > most { ProcessEnd::Starved(self.kept) } else { ProcessEnd::WallLimit })
    }
}

pub(crate) fn own_cpu() -> Duration {
    cpu_by(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_used_already_is_a_part_of_the_turn() {
        let [wall, used] = [20, 15].map(Duration::from_secs);
        let mut clock = TurnClock::of_turn(wall, used, Duration::ZERO);
        let left =
            clock.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        assert!(left.is_some_and(|left| left <= wall - used), "{left:?}");
        assert!(clock.taken() >= used);
        // More than the whole turn ends the turn.
        clock = TurnClock::of_turn(wall, 2 * wall, Duration::ZERO);
        assert_eq!(clock.extend(), Err(ProcessEnd::WallLimit));
    }
}

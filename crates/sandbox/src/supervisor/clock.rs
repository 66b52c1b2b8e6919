//! The wall time of a turn, and the time of it for which a program is not to blame.

use std::time::{Duration, Instant};

use nix::time::ClockId;

use crate::failure::ProcessEnd;
use crate::lateness::Lateness;
use crate::launch::MOST_KEPT;
use crate::supervisor::control::Usage;
use crate::supervisor::patience::Stall;
use crate::supervisor::tree::Tree;
use crate::system::waits::Waits;

/// The time until the next look at the waits, in units of that of the last: many threads take longer.
const BETWEEN_WAITS: u32 = 20;

/// The clock of one turn after another.
#[derive(Debug)]
pub(crate) struct TurnClock {
    begun: Instant,
    /// The wall time of the turn.
    wall: Duration,
    /// The time at which the turn is over, if others do not keep the program from running until then, and if
    /// there is such a time.
    deadline: Option<Instant>,
    /// The time from which the waits of the program are looked at again.
    next_waits: Instant,
    /// The waits of the program since the first look of the turn.
    waits: Option<Waits>,
    /// The wall time that the turn has taken, if it is over.
    taken: Option<Duration>,
    /// The time of the turn for which others kept the program from running.
    kept: Duration,
    /// The time by which this process has waked too late since the last look at the waits.
    lateness: Lateness,
    /// The time since then for which it neither waited for an event nor ran: somebody had stopped it, say.
    stalled: Duration,
    /// The same since it has waited the last time.
    stall: Stall,
    /// The time of the turn for which it was late or stalled while the program did not run.
    overslept: Duration,
    /// The moment of the last look at the waits, and the CPU time by then.
    seen: (Instant, Duration),
}

impl TurnClock {
    /// Returns a clock without a turn. `cpu` is the CPU time that the program has used so far.
    pub(crate) fn new(cpu: Duration) -> TurnClock {
        let now = Instant::now();
        TurnClock {
            begun: now,
            wall: Duration::MAX,
            deadline: None,
            next_waits: now,
            waits: None,
            taken: Some(Duration::ZERO),
            kept: Duration::ZERO,
            lateness: Lateness::default(),
            stalled: Duration::ZERO,
            stall: Stall::begin(ClockId::CLOCK_PROCESS_CPUTIME_ID),
            overslept: Duration::ZERO,
            seen: (now, cpu),
        }
    }

    /// Returns a clock with a turn of this wall time that begins now.
    pub(crate) fn of_turn(wall: Duration, cpu: Duration) -> TurnClock {
        let clock = TurnClock::new(cpu);
        TurnClock { wall, deadline: clock.begun.checked_add(wall), taken: None, ..clock }
    }

    /// Returns the time at which the turn is over, as far as that is known.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Ends the turn, which has taken this time, or that until now.
    pub(crate) fn stop(&mut self, taken: Option<Duration>) {
        self.deadline = None;
        self.taken = Some(taken.unwrap_or_else(|| self.taken()));
    }

    /// Returns the wall time that the turn has taken, without that for which the program is not to blame.
    pub(crate) fn taken(&self) -> Duration {
        self.taken
            .unwrap_or_else(|| self.begun.elapsed().saturating_sub(self.kept + self.overslept))
    }

    /// Waits by a function for this time at most.
    pub(crate) fn wait<T>(&mut self, time: Duration, wait: impl FnOnce(Duration) -> T) -> T {
        self.stalled += self.stall.take();
        let found = self.lateness.wait(time, wait);
        self.stall.restart();
        found
    }

    /// Notes that this process has waited for so long for a look at the program: that is the program's own time, since
    /// it may make looks long.
    pub(crate) fn has_looked(&mut self, taken: Duration) {
        self.stalled = (self.stalled + self.stall.take()).saturating_sub(taken);
    }

    /// Returns the time by which this process was late or stalled since the last look.
    pub(crate) fn lateness(&mut self) -> Duration {
        self.stalled += self.stall.take();
        self.lateness.so_far() + self.stalled
    }

    /// Returns true if it is time for the next look.
    pub(crate) fn is_look_due(&self) -> bool {
        Instant::now() >= self.next_waits
    }

    /// Sees how long others have kept the program from running in this turn.
    pub(crate) fn look(&mut self, usage: Usage) {
        self.stalled += self.stall.take();
        let (at, cpu) = (Instant::now(), usage.cpu + usage.unseen);
        let (processes, spent, before) = (Tree::processes(), cpu + own_cpu(), self.kept);
        match &mut self.waits {
            None => self.waits = Some(Waits::from_now(&processes, at, spent)),
            Some(waits) => self.kept = self.kept.max(waits.for_others(&processes, at, spent)),
        }
        // What the program did meanwhile may be the reason for which this process waked late, and no time
        // counts twice.
        let (seen, ran) = (self.seen.0, cpu.saturating_sub(self.seen.1));
        let late = self.lateness.take() + std::mem::take(&mut self.stalled);
        let late = late.saturating_sub(ran);
        let rest = at.saturating_duration_since(seen).saturating_sub(ran + (self.kept - before));
        self.overslept += late.min(rest);
        self.seen = (at, cpu);
        self.next_waits = Instant::now() + at.elapsed() * BETWEEN_WAITS;
    }

    /// Gives a program whose time is over the time for which it was kept from running, and returns an error
    /// when that is used up.
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

/// Returns the CPU time of this process.
fn own_cpu() -> Duration {
    ClockId::CLOCK_PROCESS_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from)
}

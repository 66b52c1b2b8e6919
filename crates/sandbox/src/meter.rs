//! What a program has used in its life, and what it has left.

use std::time::Duration;

use crate::end::ProcessEnd;
use crate::failure::ProcessFailure;
use crate::limits::{DEFAULT_WALL, ProcessLimits};

/// A limit on time, part of which may be used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The time that is left.
    pub left: Duration,
    /// The whole limit, which a [`ProcessFailure`] names.
    pub limit: Duration,
}

impl Budget {
    const fn whole(limit: Duration) -> Budget {
        Budget { left: limit, limit }
    }

    const fn after(used: Duration, limit: Duration) -> Budget {
        Budget { left: limit.saturating_sub(used), limit }
    }
}

/// What a program may use in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnBudget {
    /// The wall time of the turn.
    pub wall: Budget,
    /// The CPU time since the end of the previous turn, if it is limited.
    pub cpu: Option<Budget>,
}

/// Adds up what a program uses in its life, which [`ProcessLimits`] calls a game.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: ProcessLimits,
    cpu: Duration,
    wall: Duration,
}

impl Meter {
    /// Returns a meter for a program that has used nothing yet.
    #[must_use]
    pub fn new(limits: ProcessLimits) -> Meter {
        Meter { limits, cpu: Duration::ZERO, wall: Duration::ZERO }
    }

    /// Returns what the program may use in its next turn. `turn` is a further limit on the wall
    /// time of that turn.
    ///
    /// The wall time is always limited: without any limit per turn, by [`DEFAULT_WALL`].
    #[must_use]
    pub fn budget(&self, turn: Option<Duration>) -> TurnBudget {
        let limits = &self.limits;
        let tighter = |a: Budget, b: Budget| if b.left < a.left { b } else { a };
        let wall = limits.wall.into_iter().chain(turn).min().unwrap_or(DEFAULT_WALL);
        let game_wall = limits.game_wall.map(|limit| Budget::after(self.wall, limit));
        let cpu = limits.cpu.map(Budget::whole);
        let game_cpu = limits.game_cpu.map(|limit| Budget::after(self.cpu, limit));
        TurnBudget {
            wall: game_wall.into_iter().fold(Budget::whole(wall), tighter),
            cpu: cpu.into_iter().chain(game_cpu).reduce(tighter),
        }
    }

    /// Adds what the program used in a turn.
    pub fn spend(&mut self, cpu: Duration, wall: Duration) {
        self.cpu += cpu;
        self.wall += wall;
    }

    /// Returns the CPU time that the program has used in its life.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Returns the failure of a program that ended like this in a turn with this budget.
    #[must_use]
    pub fn failure(&self, end: &ProcessEnd, budget: &TurnBudget) -> ProcessFailure {
        let died = |how: String| ProcessFailure::Died { how };
        match end {
            ProcessEnd::Exit(0) | ProcessEnd::Dismissed => ProcessFailure::Quit,
            ProcessEnd::Exit(code) => died(format!("exit code {code}")),
            ProcessEnd::Signal(name) => died(format!("signal {name}")),
            ProcessEnd::NotStarted(error) => died(format!("cannot be started: {error}")),
            ProcessEnd::System(why) => ProcessFailure::System { why: why.clone() },
            ProcessEnd::ClosedOutput => ProcessFailure::ClosedOutput,
            ProcessEnd::CpuLimit => {
                let limit = budget.cpu.map_or(Duration::ZERO, |cpu| cpu.limit);
                ProcessFailure::CpuLimit { limit }
            }
            ProcessEnd::WallLimit => ProcessFailure::WallLimit { limit: budget.wall.limit },
            ProcessEnd::MemoryLimit => {
                ProcessFailure::MemoryLimit { limit: self.limits.memory.as_u64() }
            }
            ProcessEnd::OutputLimit => {
                ProcessFailure::OutputLimit { limit: self.limits.output.as_u64() }
            }
            ProcessEnd::Processes => died(format!("more than {} processes", self.limits.processes)),
            ProcessEnd::Hidden => died("it holds more than can be looked at".to_owned()),
            ProcessEnd::NotStill => died("it ran on after its turn".to_owned()),
            ProcessEnd::Lost => {
                ProcessFailure::System { why: "the supervisor of a program is gone".to_owned() }
            }
            ProcessEnd::Starved(waited) => ProcessFailure::System {
                why: format!(
                    "a program waited {} for a processor: the computer is too busy",
                    humantime::format_duration(Duration::from_millis(waited.as_millis() as u64))
                ),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn allowance_is_least_of_all_limits() {
        let limits = ProcessLimits {
            cpu: Some(seconds(2)),
            wall: Some(seconds(5)),
            game_cpu: Some(seconds(3)),
            game_wall: Some(seconds(100)),
            ..ProcessLimits::default()
        };
        let mut meter = Meter::new(limits);
        let whole = |limit| Budget { left: limit, limit };
        let budget = meter.budget(None);
        assert_eq!(budget, TurnBudget { wall: whole(seconds(5)), cpu: Some(whole(seconds(2))) });
        assert_eq!(meter.budget(Some(seconds(1))).wall, whole(seconds(1)));
        meter.spend(seconds(2), seconds(98));
        let budget = meter.budget(None);
        assert_eq!(budget.wall, Budget { left: seconds(2), limit: seconds(100) });
        assert_eq!(budget.cpu, Some(Budget { left: seconds(1), limit: seconds(3) }));
        let failure = meter.failure(&ProcessEnd::CpuLimit, &budget);
        assert_eq!(failure, ProcessFailure::CpuLimit { limit: seconds(3) });
    }

    #[test]
    fn budget_always_limits_wall_time() {
        let meter = Meter::new(ProcessLimits::default());
        assert_eq!(meter.budget(None).wall.left, DEFAULT_WALL);
        assert_eq!(meter.budget(Some(seconds(600))).wall.left, seconds(600));
        assert_eq!(meter.budget(None).cpu, None);
    }
}

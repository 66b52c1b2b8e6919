//! The meter of a foreign program, which computes the budget of each turn.

use std::sync::Arc;
use std::time::Duration;

use crate::failure::{ProcessEnd, ProcessFailure};
use crate::launch::SandboxPolicy;
use crate::limits::{Allowance, Budget, ProcessLimits};

/// The wall time of a turn without any other limit, so that a program that never answers does not block its
/// host.
pub const DEFAULT_WALL: Duration = Duration::from_secs(60);

/// The time that a program may use in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnBudget {
    /// The wall time of the turn.
    pub wall: Budget,
    /// The CPU time since the end of the previous turn, if it is limited.
    pub cpu: Option<Budget>,
}

impl TurnBudget {
    /// Returns the rest of the budget after a part of the turn that took so much time.
    #[must_use]
    pub fn after(self, cpu: Duration, wall: Duration) -> TurnBudget {
        let rest =
            |budget: Budget, taken| Budget { left: budget.left.saturating_sub(taken), ..budget };
        TurnBudget { wall: rest(self.wall, wall), cpu: self.cpu.map(|budget| rest(budget, cpu)) }
    }
}

/// The sum of the time that a program uses in its life, which [`ProcessLimits`] calls a game.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: ProcessLimits,
    allowance: Option<Arc<Allowance>>,
    cpu: Duration,
    wall: Duration,
    /// The CPU time and the wall time since the last turn.
    between: (Duration, Duration),
}

impl Meter {
    /// Returns a meter for a program under this policy, which has used nothing yet.
    #[must_use]
    pub fn new(policy: &SandboxPolicy) -> Meter {
        Meter {
            limits: policy.limits.clone(),
            allowance: policy.allowance.clone(),
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            between: Default::default(),
        }
    }

    /// Returns the time that the program may use until the end of its next turn. `turn` is a further limit on
    /// the wall time of that turn.
    ///
    /// The wall time is always limited: without any limit per turn, by [`DEFAULT_WALL`].
    #[must_use]
    pub fn budget(&self, turn: Option<Duration>) -> TurnBudget {
        let limits = &self.limits;
        let tighter = |a: Budget, b: Budget| if b.left < a.left { b } else { a };
        let wall = limits.wall.into_iter().chain(turn).min().unwrap_or(DEFAULT_WALL);
        let game_wall = limits.game_wall.map(|limit| Budget::after(self.wall, limit));
        let shared = self.allowance.as_deref().map(Allowance::budget);
        let (cpu_before, wall_before) = self.between;
        let cpu = limits.cpu.map(|limit| Budget::after(cpu_before, limit));
        let game_cpu = limits.game_cpu.map(|limit| Budget::after(self.cpu, limit));
        TurnBudget {
            wall: game_wall
                .into_iter()
                .chain(shared)
                .fold(Budget::after(wall_before, wall), tighter),
            cpu: cpu.into_iter().chain(game_cpu).reduce(tighter),
        }
    }

    /// Adds the time that the program used in a turn. The next turn has the whole limits of a turn again.
    pub fn spend(&mut self, cpu: Duration, wall: Duration) {
        self.spend_between(cpu, wall);
        self.between = Default::default();
    }

    /// Adds the time that the program used between two turns, which counts for the second.
    pub fn spend_between(&mut self, cpu: Duration, wall: Duration) {
        self.cpu += cpu;
        self.wall += wall;
        self.between.0 += cpu;
        self.between.1 += wall;
        if let Some(allowance) = &self.allowance {
            allowance.spend(wall);
        }
    }

    /// Takes time from the allowance that the program has kept the host waiting after its turn.
    pub fn delay(&self, time: Duration) {
        if let Some(allowance) = &self.allowance {
            allowance.spend(time);
        }
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
            ProcessEnd::System(_) | ProcessEnd::Lost | ProcessEnd::Starved(_) => {
                ProcessFailure::System { why: end.fault_of_system().unwrap_or_default() }
            }
            ProcessEnd::ClosedOutput => ProcessFailure::ClosedOutput,
            ProcessEnd::CpuLimit => {
                let limit = budget.cpu.map_or(Duration::ZERO, |cpu| cpu.limit);
                ProcessFailure::CpuLimit { limit }
            }
            ProcessEnd::WallLimit => {
                let limit = budget.wall.limit;
                // By the clock of the host, a moment of the allowance may be left, so this uses it up.
                if let Some(allowance) = &self.allowance
                    && allowance.budget().limit == limit
                {
                    allowance.spend(limit);
                }
                ProcessFailure::WallLimit { limit }
            }
            ProcessEnd::MemoryLimit => {
                ProcessFailure::MemoryLimit { limit: self.limits.memory.as_u64() }
            }
            ProcessEnd::OutputLimit => {
                ProcessFailure::OutputLimit { limit: self.limits.output.as_u64() }
            }
            ProcessEnd::Processes => died(format!("more than {} processes", self.limits.processes)),
            ProcessEnd::Hidden => died("it holds more than can be counted".to_owned()),
            ProcessEnd::Unreadable => {
                died("it runs a program that it may not read: make that readable".to_owned())
            }
            ProcessEnd::NotStill => died("it ran on after its turn".to_owned()),
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
    fn budget_is_least_of_all_limits() {
        let limits = ProcessLimits {
            cpu: Some(seconds(2)),
            wall: Some(seconds(5)),
            game_cpu: Some(seconds(3)),
            game_wall: Some(seconds(100)),
            ..ProcessLimits::default()
        };
        let mut meter = Meter::new(&SandboxPolicy { limits, ..SandboxPolicy::default() });
        let whole = |limit| Budget { left: limit, limit };
        let budget = meter.budget(None);
        assert_eq!(budget, TurnBudget { wall: whole(seconds(5)), cpu: Some(whole(seconds(2))) });
        assert_eq!(meter.budget(Some(seconds(1))).wall, whole(seconds(1)));
        meter.spend(seconds(2), seconds(98));
        let budget = meter.budget(None);
        assert_eq!(budget.wall, Budget { left: seconds(2), limit: seconds(100) });
        assert_eq!(budget.cpu, Some(Budget { left: seconds(1), limit: seconds(3) }));
        let rest = budget.after(seconds(3), seconds(1));
        assert_eq!((rest.wall.left, rest.wall.limit), (seconds(1), seconds(100)));
        assert_eq!(rest.cpu, Some(Budget { left: seconds(0), limit: seconds(3) }));
        let failure = meter.failure(&ProcessEnd::CpuLimit, &budget);
        assert_eq!(failure, ProcessFailure::CpuLimit { limit: seconds(3) });
    }

    #[test]
    fn budget_always_limits_wall_time() {
        let meter = Meter::new(&SandboxPolicy::default());
        assert_eq!(meter.budget(None).wall.left, DEFAULT_WALL);
        assert_eq!(meter.budget(Some(seconds(600))).wall.left, seconds(600));
        assert_eq!(meter.budget(None).cpu, None);
    }

    /// Three programs, one after the other: the second ends a moment early by the clock of the host.
    #[test]
    fn allowance_is_shared() {
        let allowance = Arc::new(Allowance::new(seconds(8)));
        let shared = Some(Arc::clone(&allowance));
        let policy = SandboxPolicy { allowance: shared, ..SandboxPolicy::default() };
        let mut first = Meter::new(&policy);
        first.spend(seconds(1), seconds(5));
        let mut second = Meter::new(&policy);
        let budget = second.budget(None);
        assert_eq!(budget.wall, Budget { left: seconds(3), limit: seconds(8) });
        second.spend(seconds(0), seconds(3) - Duration::from_millis(1));
        assert!(!allowance.is_over());
        let failure = second.failure(&ProcessEnd::WallLimit, &budget);
        assert_eq!(failure, ProcessFailure::WallLimit { limit: seconds(8) });
        assert!(allowance.is_over());
        assert_eq!(Meter::new(&policy).budget(None).wall.left, Duration::ZERO);
    }
}

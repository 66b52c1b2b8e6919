//! What a player has used in a game, and what it is left with.

use std::time::Duration;

use super::limits::{DEFAULT_WALL, ProcessLimits};
use super::message::End;
use crate::player::Fault;

/// A limit, of which some may be used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    /// What is left.
    pub(super) left: Duration,
    /// What there was: by this the limit is known.
    pub(super) limit: Duration,
}

/// What a player may use in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    pub(super) wall: Bound,
    pub(super) cpu: Option<Bound>,
}

/// Counts what a player uses in a game.
#[derive(Debug)]
pub(super) struct Meter {
    limits: ProcessLimits,
    cpu: Duration,
    wall: Duration,
}

impl Meter {
    pub(super) fn new(limits: ProcessLimits) -> Meter {
        Meter { limits, cpu: Duration::ZERO, wall: Duration::ZERO }
    }

    /// What the next turn may use, which the referee limits as well.
    pub(super) fn allowance(&self, turn: Option<Duration>) -> Allowance {
        let of_move = |limit| Bound { left: limit, limit };
        let of_game =
            |used| move |limit: Duration| Bound { left: limit.saturating_sub(used), limit };
        let least = |bounds: [Option<Bound>; 3]| {
            bounds.into_iter().flatten().min_by_key(|bound| bound.left)
        };
        let limits = &self.limits;
        let game_wall = limits.game_wall.map(of_game(self.wall));
        let wall = least([limits.wall.map(of_move), turn.map(of_move), game_wall]);
        let default =
            if limits.wall.or(turn).is_none() { Some(of_move(DEFAULT_WALL)) } else { None };
        let wall = least([wall, default, None]).unwrap_or(of_move(DEFAULT_WALL));
        let game_cpu = limits.game_cpu.map(of_game(self.cpu));
        Allowance { wall, cpu: least([limits.cpu.map(of_move), game_cpu, None]) }
    }

    /// Takes notice of what was used.
    pub(super) fn spend(&mut self, cpu: Duration, wall: Duration) {
        self.cpu += cpu;
        self.wall += wall;
    }

    /// The CPU time that was used in the game.
    pub(super) fn cpu(&self) -> Duration {
        self.cpu
    }

    /// How a player loses whose processes ended like this.
    pub(super) fn fault(&self, end: &End, allowance: &Allowance) -> Fault {
        let died = |how: String| Fault::Died { how };
        match end {
            End::Exit(0) | End::Dismissed => Fault::Quit,
            End::Exit(code) => died(format!("exit code {code}")),
            End::Signal(name) => died(format!("signal {name}")),
            End::NotStarted(error) => died(format!("cannot be started: {error}")),
            End::System(why) => Fault::System { why: why.clone() },
            End::ClosedOutput => Fault::NoAnswer { why: "it closed its output".to_owned() },
            End::CpuLimit => {
                Fault::CpuLimit { limit: allowance.cpu.map_or(Duration::ZERO, |cpu| cpu.limit) }
            }
            End::WallLimit => Fault::WallLimit { limit: allowance.wall.limit },
            End::MemoryLimit => Fault::MemoryLimit { limit: self.limits.memory.as_u64() },
            End::OutputLimit => Fault::OutputLimit { limit: self.limits.output.as_u64() },
            End::Processes => died(format!("more than {} processes", self.limits.processes)),
            End::Lost => died("its supervisor is gone".to_owned()),
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
    fn the_least_of_all_limits_counts() {
        let limits = ProcessLimits {
            cpu: Some(seconds(2)),
            wall: Some(seconds(5)),
            game_cpu: Some(seconds(3)),
            game_wall: Some(seconds(100)),
            ..ProcessLimits::default()
        };
        let mut meter = Meter::new(limits);
        let whole = |limit| Bound { left: limit, limit };
        let allowance = meter.allowance(None);
        assert_eq!(allowance, Allowance { wall: whole(seconds(5)), cpu: Some(whole(seconds(2))) });
        assert_eq!(meter.allowance(Some(seconds(1))).wall, whole(seconds(1)));
        meter.spend(seconds(2), seconds(98));
        let allowance = meter.allowance(None);
        assert_eq!(allowance.wall, Bound { left: seconds(2), limit: seconds(100) });
        assert_eq!(allowance.cpu, Some(Bound { left: seconds(1), limit: seconds(3) }));
        let fault = meter.fault(&End::CpuLimit, &allowance);
        assert_eq!(fault, Fault::CpuLimit { limit: seconds(3) });
    }

    #[test]
    fn nobody_may_think_forever() {
        let meter = Meter::new(ProcessLimits::default());
        assert_eq!(meter.allowance(None).wall.left, DEFAULT_WALL);
        assert_eq!(meter.allowance(Some(seconds(600))).wall.left, seconds(600));
        assert_eq!(meter.allowance(None).cpu, None);
    }
}

//! A player of a match, which others play beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use plyground::clock::Instant;
use plyground_host::player::{Answer, Player, Turn};
use plyground_host::{Ending, Fault, HostedPosition, MoveText};

/// A player that gives up when a flag is raised, and whose CPU time is that of its thread: other
/// threads of the process work for other games.
pub(crate) struct Stoppable<'p, 'a> {
    pub(crate) player: Box<dyn Player + 'p>,
    pub(crate) stop: &'a AtomicBool,
}

impl Player for Stoppable<'_, '_> {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Fault::Quit);
        }
        self.player.choose_move(turn)
    }

    fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.player.opponent_move(before, mv)
    }

    fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.player.force_move(before, mv)
    }

    fn game_over(&mut self, ending: &Ending) {
        self.player.game_over(ending);
    }

    fn answered(&self) -> Option<Instant> {
        self.player.answered()
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        self.player.outside_cpu_time()
    }

    fn cpu_time(&self) -> Duration {
        self.outside_cpu_time().unwrap_or_else(|| ThreadTime::now().as_duration())
    }
}

//! Players: what chooses the moves of one side.

mod absent;
mod console;
mod engine_player;
mod human;
mod random;
mod spec;

use std::time::Duration;

pub use absent::Absent;
pub use console::{Console, Input, LineSource, Lines, StdinLines};
pub use engine_player::EnginePlayer;
pub use human::{Human, read_legal_move};
pub use random::Random;
pub use spec::{PlayerSpec, UnknownPlayer};

use plyground::clock::{Instant, cpu_time};
use plyground::{Game, Value};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::move_text::MoveText;
use crate::position::HostedPosition;

/// Chooses the moves of one side of a game.
///
/// A player is told everything that happens, and may keep a board of its own. It never has the
/// referee's: it sees a position, and answers with a move that the referee checks.
///
/// A player in this process is trusted to keep to [`Turn::deadline`] or to come back soon after
/// it; the referee measures, and takes the game from one that is late.
pub trait Player {
    /// Chooses a move of the side to move in [`Turn::position`].
    ///
    /// A player that keeps a board of its own has made the move on it.
    ///
    /// # Errors
    ///
    /// The way in which the player loses the game instead.
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault>;

    /// Hears that the opponent has made `mv`, which is legal in `before`. Whether the player
    /// agrees that it is legal; what it says changes nothing but is reported.
    fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        let _ = (before, mv);
        true
    }

    /// Hears that it has made `mv` itself, without being asked: the opening of the game was
    /// given. Whether the player agrees that the move is legal in `before`.
    fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        let _ = (before, mv);
        true
    }

    /// Whether [`opponent_move`](Player::opponent_move) and [`force_move`](Player::force_move)
    /// answer by a board of the player's own, so that it can be asked about illegal moves too.
    fn judges_moves(&self) -> bool {
        false
    }

    /// How the player has lost already, though it was not asked for a move: it died, say, when it
    /// heard of one. What it answers from then on means nothing.
    fn lost(&self) -> Option<&Fault> {
        None
    }

    /// Whether the player lets its opponent take moves back.
    fn allows_take_back(&self) -> bool {
        false
    }

    /// Hears that moves have been taken back, and the position that the game is at now.
    fn taken_back(&mut self, position: &HostedPosition) {
        let _ = position;
    }

    /// Hears that the game is over.
    fn game_over(&mut self, ending: &Ending) {
        let _ = ending;
    }

    /// The moment of the last answer, if the player has done more before it returned: a program is made to
    /// stand still after its answer, which takes none of its time.
    fn answered(&self) -> Option<Instant> {
        None
    }

    /// The CPU time that the processes of the player have used so far, if it works in processes of
    /// its own and not in this one.
    fn outside_cpu_time(&self) -> Option<Duration> {
        None
    }

    /// The CPU time that the player has used in its life: by default that of its own processes, or
    /// else of this one, in which nobody else works while the player is asked.
    fn cpu_time(&self) -> Duration {
        self.outside_cpu_time().unwrap_or_else(cpu_time)
    }
}

/// What a player is asked: to choose a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position, which is not over.
    pub position: &'a HostedPosition,
    /// The time, by the clock on the wall, within which the player must answer or lose.
    pub limit: Option<Duration>,
    /// When that time began to run.
    pub started: Instant,
    /// Whether [`Answer::TakeBack`] is allowed now.
    pub may_take_back: bool,
}

impl<'a> Turn<'a> {
    /// A turn that begins now, with nothing to take back.
    #[must_use]
    pub fn new(position: &'a HostedPosition, limit: Option<Duration>) -> Turn<'a> {
        Turn { position, limit, started: Instant::now(), may_take_back: false }
    }

    /// When the player must have answered.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.limit.and_then(|limit| self.started.checked_add(limit))
    }
}

/// What a player answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This move.
    Move(ProposedMove),
    /// Its last move and the opponent's reply are to be taken back. Only where
    /// [`Turn::may_take_back`] says so; elsewhere it counts as no move.
    TakeBack,
}

impl Answer {
    /// The move, where there is nothing to take back.
    ///
    /// # Errors
    ///
    /// How the player loses who answers like this in `position`.
    pub fn legal_move(self, position: &HostedPosition) -> Result<MoveText, Fault> {
        let Answer::Move(ProposedMove { mv, .. }) = self else { return Err(Fault::NoMove) };
        match position.check_legal(mv) {
            Ok(()) => Ok(mv),
            Err(illegal) => Err(Fault::IllegalMove { why: illegal.to_string() }),
        }
    }
}

/// A move, with what the player thinks of it if it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedMove {
    /// The move.
    pub mv: MoveText,
    /// What the move is worth to the player.
    pub value: Option<Value>,
    /// How many plies the player looked ahead.
    pub depth: Option<u32>,
}

impl From<MoveText> for ProposedMove {
    fn from(mv: MoveText) -> ProposedMove {
        ProposedMove { mv, value: None, depth: None }
    }
}

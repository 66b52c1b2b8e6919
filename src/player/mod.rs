//! Players: whoever chooses the moves of one side.

mod absent;
mod command;
mod console;
mod human;
mod java_program;
mod machine;
mod perfect;
mod random;
mod spec;

use std::time::{Duration, Instant};

use bytesize::ByteSize;
use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use absent::{Absent, NotReady};
pub use command::{CommandError, CommandLine};
pub use console::{Console, Input, LineSource, Lines, StdinLines};
pub use human::{Dialogue, Human};
pub(crate) use java_program::is_class_name;
pub use java_program::{JavaProgram, NoJavaProgram};
pub use machine::{DEFAULT_TIME, Machine, Strength};
pub use perfect::PerfectPlayer;
pub use random::Random;
pub use spec::{PlayerSpec, UnknownPlayer};

use crate::game::Game;
use crate::referee::Ending;
use crate::score::Score;

/// Whoever chooses the moves of one side of a game.
///
/// A player is told everything that happens, and may keep a board of its own. It never has the
/// referee's: it sees a position, and answers with a move that the referee checks.
///
/// A player in this process is trusted to keep to [`Turn::deadline`] or to come back soon after
/// it; the referee measures, and takes the game from one that is late.
pub trait Player<G: Game> {
    /// Chooses a move of the side to move in [`Turn::position`].
    ///
    /// A player that keeps a board of its own has made the move on it.
    ///
    /// # Errors
    ///
    /// The way in which the player loses the game instead.
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault>;

    /// Hears that the opponent has made `mv`, which is legal in `before`. Whether the player
    /// agrees that it is legal; what it says changes nothing but is reported.
    fn opponent_move(&mut self, before: &G, mv: G::Move) -> bool {
        let _ = (before, mv);
        true
    }

    /// Hears that it has made `mv` itself, without being asked: the opening of the game was
    /// given. Whether the player agrees that the move is legal in `before`.
    fn force_move(&mut self, before: &G, mv: G::Move) -> bool {
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
    fn taken_back(&mut self, position: &G) {
        let _ = position;
    }

    /// Hears that the game is over.
    fn game_over(&mut self, ending: &Ending) {
        let _ = ending;
    }

    /// The CPU time that the processes of the player have used so far, if it works in processes of
    /// its own and not in this one.
    fn outside_cpu_time(&self) -> Option<Duration> {
        None
    }

    /// The CPU time that the player has used in its life: by default that of its own processes, or
    /// else of this one, in which nobody else works while the player is asked.
    fn cpu_time(&self) -> Duration {
        self.outside_cpu_time().unwrap_or_else(|| ProcessTime::now().as_duration())
    }
}

/// What a player is asked: to choose a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a, G> {
    /// The position, which is not over.
    pub position: &'a G,
    /// The time, by the clock on the wall, within which the player must answer or lose.
    pub limit: Option<Duration>,
    /// When that time began to run.
    pub started: Instant,
    /// Whether [`Answer::TakeBack`] is allowed now.
    pub may_take_back: bool,
}

impl<'a, G> Turn<'a, G> {
    /// A turn that begins now, with nothing to take back.
    #[must_use]
    pub fn new(position: &'a G, limit: Option<Duration>) -> Turn<'a, G> {
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
pub enum Answer<M> {
    /// This move.
    Move(Choice<M>),
    /// Its last move and the opponent's reply are to be taken back. Only where
    /// [`Turn::may_take_back`] says so; elsewhere it counts as no move.
    TakeBack,
}

impl<M: Copy> Answer<M> {
    /// The move, where there is nothing to take back.
    ///
    /// # Errors
    ///
    /// How the player loses who answers like this in `position`.
    pub fn legal_move<G: Game<Move = M>>(self, position: &G) -> Result<M, Fault> {
        let Answer::Move(Choice { mv, .. }) = self else { return Err(Fault::NoMove) };
        match position.check_legal(mv) {
            Ok(()) => Ok(mv),
            Err(illegal) => Err(Fault::IllegalMove { why: illegal.to_string() }),
        }
    }
}

/// A move, with what the player thinks of it if it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// What the move is worth to the player.
    pub score: Option<Score>,
    /// How many plies the player looked ahead.
    pub depth: Option<u32>,
}

impl<M> From<M> for Choice<M> {
    fn from(mv: M) -> Choice<M> {
        Choice { mv, score: None, depth: None }
    }
}

/// How a player loses a game other than by the rules of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A move against the rules, or an answer that is no move of the game at all.
    #[error("illegal move, {why}")]
    IllegalMove {
        /// Why the move is illegal, with the move in it.
        why: String,
    },
    /// No move, though the player could go on.
    #[error("no move")]
    NoMove,
    /// No move from a program that was asked for one.
    #[error("no move, {why}")]
    NoAnswer {
        /// What it did instead.
        why: String,
    },
    /// The player gave up.
    #[error("quit")]
    Quit,
    /// The input from which the player's moves come has ended.
    #[error("no move, the input has ended")]
    EndOfInput,
    /// The player is no more.
    #[error("crash, {how}")]
    Died {
        /// What is known of its end.
        how: String,
    },
    /// The fault of nobody: the system does not let the referee run the player's program. No
    /// player loses by this, and no record has it: [`play`](crate::referee::play) fails.
    #[error("the system cannot run a program now: {why}")]
    #[serde(skip)]
    System {
        /// What it says.
        why: String,
    },
    /// The answer took too long.
    #[error("wall limit of {} exceeded", humantime::format_duration(*limit))]
    WallLimit {
        /// The time that there was.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player computed too long.
    #[error("cpu limit of {} exceeded", humantime::format_duration(*limit))]
    CpuLimit {
        /// The CPU time that there was.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player occupied too much memory.
    #[error("memory limit of {} exceeded", ByteSize(*limit))]
    MemoryLimit {
        /// The memory that there was, in bytes.
        limit: u64,
    },
    /// The player printed or wrote too much.
    #[error("output limit of {} exceeded", ByteSize(*limit))]
    OutputLimit {
        /// What it might have written, in bytes.
        limit: u64,
    },
}

impl Fault {
    /// The word for the kind of fault, with which its text begins.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Fault::IllegalMove { .. } => "illegal move",
            Fault::NoMove | Fault::NoAnswer { .. } | Fault::EndOfInput => "no move",
            Fault::Quit => "quit",
            Fault::Died { .. } => "crash",
            Fault::System { .. } => "system",
            Fault::WallLimit { .. } => "wall limit",
            Fault::CpuLimit { .. } => "cpu limit",
            Fault::MemoryLimit { .. } => "memory limit",
            Fault::OutputLimit { .. } => "output limit",
        }
    }
}

//! A player, its turns and its answers.

use std::time::Duration;

use plyground::clock::{Instant, cpu_time};
use plyground::{Game, Side, Value};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use crate::adapter::MoveText;
use crate::ending::Ending;
use crate::external::NotReady;
use crate::fault::Fault;
use crate::game::HostedPosition;

/// A player, which chooses the moves of one side of a game.
///
/// A player is told all events, and may keep a board of its own. It never gets the referee's board: it sees a position,
/// and answers with a move that the referee checks.
///
/// A player in this process is trusted to keep to [`Turn::deadline`] or to return soon after it; the referee
/// measures the time, and a late player loses the game. A program is measured and judged by its sandbox, which
/// knows for how long others kept it from running.
pub trait Player {
    /// Chooses a move of the side to move in [`Turn::position`].
    ///
    /// A player that keeps a board of its own has made the move on it.
    ///
    /// # Errors
    ///
    /// Returns the fault by which the player loses the game.
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault>;

    /// Lets the player start, which is to play `side` in a game from `start`. By default, it starts with the first
    /// event that it is told; the time of its start belongs to no turn then, if it knows nothing of the game yet.
    fn begin(&mut self, start: &HostedPosition, side: Side) {
        let _ = (start, side);
    }

    /// Tells the player that the opponent has made `mv`, which is legal in `before`. Returns `true` if the player
    /// agrees that the move is legal; a disagreement is only reported.
    fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        let _ = (before, mv);
        true
    }

    /// Tells the player that it has made `mv` itself, without being asked, because the opening of the game was given.
    /// Returns `true` if the player agrees that the move is legal in `before`.
    fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        let _ = (before, mv);
        true
    }

    /// Returns `true` if [`opponent_move`](Player::opponent_move) and [`force_move`](Player::force_move) answer by a
    /// board of the player's own, so that the player can be asked about illegal moves too.
    fn judges_moves(&self) -> bool {
        false
    }

    /// Returns the fault by which the player has lost already, although it was not asked for a move: it may have died
    /// when it was told of a move. Its answers from then on have no meaning.
    fn lost(&self) -> Option<&Fault> {
        None
    }

    /// Returns `true` if the player lets its opponent take moves back.
    fn allows_take_back(&self) -> bool {
        false
    }

    /// Tells the player that moves have been taken back, and the current position of the game.
    fn taken_back(&mut self, position: &HostedPosition) {
        let _ = position;
    }

    /// Tells the player that the game is over.
    fn game_over(&mut self, ending: &Ending) {
        let _ = ending;
    }

    /// Returns the wall-clock time of the last turn, if the player itself enforces [`Turn::limit`]. The time of a
    /// program excludes the time for which other programs kept it from running, and the time for which it is stopped
    /// after its answer. The referee measures all other players.
    fn turn_time(&self) -> Option<Duration> {
        None
    }

    /// Returns the CPU time that the processes of the player have used so far, if it works in processes of
    /// its own and not in this one.
    fn outside_cpu_time(&self) -> Option<Duration> {
        None
    }

    /// Returns the CPU time that the player has used in its life. The default is the time of its own
    /// processes, or else of this one, in which nothing else works while the player is asked.
    fn cpu_time(&self) -> Duration {
        self.outside_cpu_time().unwrap_or_else(cpu_time)
    }
}

/// The request to a player to choose a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The position, which is not over.
    pub position: &'a HostedPosition,
    /// The wall-clock time within which the player must answer or lose.
    pub limit: Option<Duration>,
    /// The time when the limit began to run.
    pub started: Instant,
    /// If true, [`Answer::TakeBack`] is allowed now.
    pub may_take_back: bool,
}

impl<'a> Turn<'a> {
    /// Returns a turn that begins now, in which nothing may be taken back.
    #[must_use]
    pub fn new(position: &'a HostedPosition, limit: Option<Duration>) -> Turn<'a> {
        Turn { position, limit, started: Instant::now(), may_take_back: false }
    }

    /// Returns the time by which the player must have answered.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.limit.and_then(|limit| self.started.checked_add(limit))
    }
}

/// The answer of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The player makes this move.
    Move(ProposedMove),
    /// The player takes back its last move, with the opponent's replies. Without [`Turn::may_take_back`] this
    /// counts as no move.
    TakeBack,
}

impl Answer {
    /// Returns the move, if the answer is a legal one.
    ///
    /// # Errors
    ///
    /// Returns the fault by which a player with this answer in `position` loses.
    pub fn legal_move(self, position: &HostedPosition) -> Result<MoveText, Fault> {
        let Answer::Move(ProposedMove { mv, .. }) = self else { return Err(Fault::NoMove) };
        match position.check_legal(mv) {
            Ok(()) => Ok(mv),
            Err(illegal) => Err(Fault::IllegalMove { why: illegal.to_string() }),
        }
    }
}

/// A move, with the player's judgment of it, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedMove {
    /// The move.
    pub mv: MoveText,
    /// The value of the move to the player.
    pub value: Option<Value>,
    /// The number of plies that the player looked ahead.
    pub depth: Option<u32>,
}

impl From<MoveText> for ProposedMove {
    fn from(mv: MoveText) -> ProposedMove {
        ProposedMove { mv, value: None, depth: None }
    }
}

/// A player that loses when it has to move, because it could not even be started.
#[derive(Clone, Debug)]
pub struct Absent {
    fault: Fault,
}

impl Absent {
    /// Returns a player that cannot play, with the reason.
    #[must_use]
    pub fn new(why: NotReady) -> Absent {
        let fault = match why {
            NotReady::Program(why) => Fault::Died { how: format!("cannot be started: {why}") },
            NotReady::Lacking(why) | NotReady::System(why) => Fault::System { why },
        };
        Absent { fault }
    }
}

impl Player for Absent {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        Err(self.fault.clone())
    }

    /// Returns true, so that the player is asked, and its answer is the fault.
    fn judges_moves(&self) -> bool {
        true
    }

    fn lost(&self) -> Option<&Fault> {
        Some(&self.fault)
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}

/// A player that chooses among the legal moves at random, each with the same probability.
#[derive(Debug)]
pub struct Random {
    rng: StdRng,
}

impl Random {
    /// Returns a player that makes the same choices whenever it is given the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { rng: StdRng::seed_from_u64(seed) }
    }
}

impl Player for Random {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let mv = turn.position.legal_moves().choose(&mut self.rng).ok_or(Fault::NoMove)?;
        Ok(Answer::Move(mv.into()))
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}

//! The referee, which plays one game between two players on the only authoritative board.

use std::io;
use std::time::Duration;

use plyground::clock::Instant;
use plyground::{Game, Side, Value};
use thiserror::Error;

use crate::adapter::MoveText;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::game::HostedPosition;
use crate::player::{Answer, Player, ProposedMove, Turn};

/// The number of plies after which an unfinished game is a draw, unless another number is given.
pub const PLY_CAP: u32 = 200;

/// The conditions of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// The limit on the wall-clock time of one move. A player that takes longer loses.
    pub wall_limit: Option<Duration>,
    /// The number of plies, including the opening, after which an unfinished game is a draw.
    pub ply_cap: u32,
    /// The moves that are made before the players are asked.
    pub opening: Vec<MoveText>,
}

impl Default for Conduct {
    fn default() -> Conduct {
        Conduct { wall_limit: None, ply_cap: PLY_CAP, opening: Vec::new() }
    }
}

/// A move of a game, with its measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The side that made the move.
    pub by: Side,
    /// The move.
    pub mv: MoveText,
    /// The value of the move to the player, as the player said it.
    pub value: Option<Value>,
    /// The number of plies that the player looked ahead, as it said.
    pub depth: Option<u32>,
    /// The CPU time that the player took.
    pub cpu: Duration,
    /// The time that passed.
    pub wall: Duration,
    /// If true, the move belongs to the opening, and was not chosen.
    pub forced: bool,
    /// If true, the opponent wrongly took the move for illegal.
    pub rejected: bool,
}

impl PlayedMove {
    /// Returns a move that was chosen, without its measurements.
    pub(crate) fn unmeasured(by: Side, choice: ProposedMove) -> PlayedMove {
        let ProposedMove { mv, value, depth } = choice;
        let (cpu, wall) = (Duration::ZERO, Duration::ZERO);
        PlayedMove { by, mv, value, depth, cpu, wall, forced: false, rejected: false }
    }
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The position before the first move.
    pub start: HostedPosition,
    /// The moves, without those that were taken back.
    pub moves: Vec<PlayedMove>,
    /// The position after the last move.
    pub position: HostedPosition,
    /// The end of the game.
    pub ending: Ending,
    /// The CPU time that each player used in the whole game, [`Side::First`] first. The time includes moves that were
    /// taken back or lost the game and, for other people's programs, the time outside of their turns, from their start
    /// on.
    pub cpu: [Duration; 2],
    /// The reason why the game was played again, alone, if it was: the computer failed the first time.
    pub again: Option<String>,
}

/// The reason why a game was not played to its end, which is never a fault of the players.
#[derive(Debug, Error)]
pub enum Interrupted {
    /// The observer failed.
    #[error(transparent)]
    Observer(#[from] io::Error),
    /// A move of the opening is illegal.
    #[error("the opening is illegal: {why}")]
    Opening {
        /// The reason, with the move in it.
        why: String,
    },
    /// The system does not let the referee run the program of a player.
    #[error("the system cannot run a program now: {why}")]
    System {
        /// The system's error.
        why: String,
    },
}

/// Plays a game from `start`. The first of `players` plays [`Side::First`], even if the other side is to
/// move.
///
/// The referee checks every move by the rules, measures it, and tells the opponent of it. A player that makes
/// an illegal move, makes none, quits, dies or exceeds the time loses at once. A player that takes a legal
/// move for illegal is reported to `observer`, and the game goes on.
///
/// # Errors
///
/// Returns an error if the observer fails, the opening is illegal, or the system cannot run a player's
/// program.
pub fn play<'p>(
    start: &HostedPosition,
    players: [&'p mut (dyn Player + 'p); 2],
    conduct: &Conduct,
    observer: &mut dyn Observer,
) -> Result<PlayedGame, Interrupted> {
    let outside_before = players.each_ref().map(|player| player.outside_cpu_time());
    let (board, past, cpu) = (start.clone(), Vec::new(), [Duration::ZERO; 2]);
    let mut referee = Referee { players, conduct, observer, board, past, cpu };
    referee.observe(&Event::Start { position: start })?;
    referee.play_opening()?;
    let ending = loop {
        if let Some(ending) = referee.ending() {
            break ending;
        }
        match referee.play_turn()? {
            Ok(()) => {}
            Err(Fault::System { why }) => return Err(Interrupted::System { why }),
            Err(fault) => break Ending::forfeit(referee.board.side_to_move(), fault),
        }
    };
    for player in &mut referee.players {
        player.game_over(&ending);
    }
    let Referee { players, observer, board: position, past, mut cpu, .. } = referee;
    for (side, before) in outside_before.into_iter().enumerate() {
        if let (Some(before), Some(after)) = (before, players[side].outside_cpu_time()) {
            cpu[side] = after.saturating_sub(before);
        }
    }
    observer.observe(&Event::End { position: &position, ending: &ending })?;
    let moves = past.into_iter().map(|(_, played)| played).collect();
    Ok(PlayedGame { start: start.clone(), moves, position, ending, cpu, again: None })
}

struct Referee<'a, 'p> {
    players: [&'p mut (dyn Player + 'p); 2],
    conduct: &'a Conduct,
    observer: &'a mut dyn Observer,
    board: HostedPosition,
    /// The moves so far, each with the position before it.
    past: Vec<(HostedPosition, PlayedMove)>,
    /// The CPU time that each player used in its turns.
    cpu: [Duration; 2],
}

impl Referee<'_, '_> {
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.observer.observe(event)
    }

    fn player(&mut self, side: Side) -> &mut (dyn Player + '_) {
        self.players[side.index()]
    }

    /// Returns the end of the game, if it has ended without a fault.
    fn ending(&self) -> Option<Ending> {
        let outcome = self.board.outcome();
        let plies = u32::try_from(self.past.len()).unwrap_or(u32::MAX);
        match outcome {
            Some(outcome) => Some(Ending::by_rules(outcome)),
            None => (plies >= self.conduct.ply_cap).then(|| Ending::ply_cap(plies)),
        }
    }

    fn play_opening(&mut self) -> Result<(), Interrupted> {
        for mv in self.conduct.opening.clone() {
            let legal = self.board.check_legal(mv);
            legal.map_err(|illegal| Interrupted::Opening { why: illegal.to_string() })?;
            let (before, side) = (self.board.clone(), self.board.side_to_move());
            if !self.player(side).force_move(&before, mv) {
                self.observe(&Event::Rejected { by: side, mv })?;
            }
            let played = PlayedMove { forced: true, ..PlayedMove::unmeasured(side, mv.into()) };
            self.make(played)?;
        }
        Ok(())
    }

    /// Asks the side to move, and applies its answer. The inner error is the fault by which it loses.
    fn play_turn(&mut self) -> io::Result<Result<(), Fault>> {
        let may_take_back = self.may_take_back();
        let position = self.board.clone();
        let (side, limit) = (position.side_to_move(), self.conduct.wall_limit);
        let player = self.player(side);
        let cpu_before = player.cpu_time();
        let started = Instant::now();
        let turn = Turn { position: &position, limit, started, may_take_back };
        let answer = player.choose_move(&turn);
        let judged = player.turn_time();
        let wall = judged.unwrap_or_else(|| started.elapsed());
        let cpu = player.cpu_time().saturating_sub(cpu_before);
        self.cpu[side.index()] += cpu;
        let choice = match answer {
            Ok(Answer::Move(choice)) => choice,
            Ok(Answer::TakeBack) if may_take_back => return self.take_back().map(Ok),
            Ok(Answer::TakeBack) => return Ok(Err(Fault::NoMove)),
            Err(fault) => return Ok(Err(fault)),
        };
        // A player that measures its own time would have reported being late.
        if let Some(limit) = limit
            && wall > limit
            && judged.is_none()
        {
            return Ok(Err(Fault::WallLimit { limit }));
        }
        if let Err(illegal) = position.check_legal(choice.mv) {
            return Ok(Err(Fault::IllegalMove { why: illegal.to_string() }));
        }
        self.make(PlayedMove { cpu, wall, ..PlayedMove::unmeasured(side, choice) }).map(Ok)
    }

    /// Makes a legal move, and tells the opponent and the observer.
    fn make(&mut self, played: PlayedMove) -> io::Result<()> {
        let (before, side) = (self.board.clone(), self.board.side_to_move());
        self.board.play_unchecked(played.mv);
        let accepted = self.player(side.other()).opponent_move(&before, played.mv);
        let played = PlayedMove { rejected: !accepted, ..played };
        let ply = self.past.len() + 1;
        let after = self.board.clone();
        self.observe(&Event::Moved { ply, before: &before, played: &played, after: &after })?;
        if !accepted {
            self.observe(&Event::Rejected { by: side.other(), mv: played.mv })?;
        }
        self.past.push((before, played));
        Ok(())
    }

    /// Returns `true` if the side to move has made a move, and the opponent allows it to be taken back.
    fn may_take_back(&self) -> bool {
        let side = self.board.side_to_move();
        let mut chosen = self.past.iter().rev().take_while(|(_, played)| !played.forced);
        let has_moved = chosen.any(|(_, played)| played.by == side);
        has_moved && self.players[side.other().index()].allows_take_back()
    }

    fn take_back(&mut self) -> io::Result<()> {
        let side = self.board.side_to_move();
        while let Some((position, played)) = self.past.pop() {
            self.board = position;
            if played.by == side {
                break;
            }
        }
        let board = self.board.clone();
        for player in &mut self.players {
            player.taken_back(&board);
        }
        self.observe(&Event::TakenBack { position: &board })
    }
}

/// An event in a game.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The game begins.
    Start {
        /// The position from which it is played.
        position: &'a HostedPosition,
    },
    /// A move was made.
    Moved {
        /// The number of the move in the game, from 1.
        ply: usize,
        /// The position before the move.
        before: &'a HostedPosition,
        /// The move.
        played: &'a PlayedMove,
        /// The position after the move.
        after: &'a HostedPosition,
    },
    /// A player took a legal move for illegal. The move stands.
    Rejected {
        /// The player that did so.
        by: Side,
        /// The move.
        mv: MoveText,
    },
    /// The side to move has taken back its last move, with the replies to it.
    TakenBack {
        /// The current position of the game.
        position: &'a HostedPosition,
    },
    /// The game is over.
    End {
        /// The last position.
        position: &'a HostedPosition,
        /// The end of the game.
        ending: &'a Ending,
    },
}

/// A receiver of the events of a game; the referee itself never prints.
pub trait Observer {
    /// Receives an event.
    ///
    /// # Errors
    ///
    /// Returns an error if the observer cannot go on; the game is then interrupted.
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()>;
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}

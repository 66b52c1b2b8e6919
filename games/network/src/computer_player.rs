//! The USF assignment's computer player.

use plyground::Game;
use plyground_host::Fault;
use plyground_host::player::{Answer, Player, ProposedMove, Turn};
use plyground_host::{ChosenMove, HostedPosition, MoveText, Strength};

use crate::machine::Machine;
use crate::moves::Move;
use crate::player_number::PlayerNumber;
use crate::position::Position;
use crate::rules::Rules;

/// A player of USF's game that keeps its own board and chooses moves by search.
///
/// Tell the player every move of the opponent with
/// [`opponent_move`](ComputerPlayer::opponent_move), and ask for its own with
/// [`get_move`](ComputerPlayer::get_move). Player 1 moves first.
#[derive(Debug)]
pub struct ComputerPlayer {
    number: PlayerNumber,
    position: Position,
    machine: Machine,
}

impl ComputerPlayer {
    /// Makes a player on an empty board. It thinks about a move for
    /// [`DEFAULT_TIME`](plyground_host::DEFAULT_TIME), less if it knows the winner, and up to four seconds
    /// if it probably has a forced win. Player 1 wins from the empty board, by the eighth piece; see
    /// [`ForcedWins`](crate::ForcedWins).
    #[must_use]
    pub fn new(number: PlayerNumber) -> ComputerPlayer {
        let rules = Rules::Usf;
        let machine = Machine::new(rules, Strength::Default);
        ComputerPlayer { number, position: Position::new(rules), machine }
    }

    /// Returns the number of the player.
    #[must_use]
    pub fn number(&self) -> PlayerNumber {
        self.number
    }

    /// Chooses a legal move, makes it on the player's board, and returns it. Returns `None`, and changes
    /// nothing, if the game is over or it is not the player's turn.
    pub fn get_move(&mut self) -> Option<Move> {
        self.choose().map(|(mv, _)| mv)
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal and the opponent's turn.
    /// Returns true if it was; otherwise nothing is changed.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.position.to_move() != self.number.color() && self.position.play(mv).is_ok()
    }

    fn choose(&mut self) -> Option<(Move, ChosenMove)> {
        let is_own_turn = self.position.to_move() == self.number.color();
        is_own_turn.then(|| self.machine.play(&mut self.position))?
    }
}

impl Player for ComputerPlayer {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        let (_, ChosenMove { mv, value, depth, .. }) = self.choose().ok_or(Fault::NoMove)?;
        Ok(Answer::Move(ProposedMove { mv, value: Some(value), depth }))
    }

    fn opponent_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        mv.as_str().parse().is_ok_and(|mv| ComputerPlayer::opponent_move(self, mv))
    }
}

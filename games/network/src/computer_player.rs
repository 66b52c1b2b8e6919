//! The USF assignment's computer player.

use plyground::Game;
use plyground::player::{Answer, Choice, Fault, Machine, Player, Strength, Turn};

use crate::eval::ChipEval;
use crate::moves::Move;
use crate::player_number::PlayerNumber;
use crate::position::Position;
use crate::rules::Rules;
use crate::tactics::ForcedWins;

/// A player of USF's game that keeps its own board and chooses moves by search.
///
/// Whoever uses it tells it every move of the opponent with
/// [`opponent_move`](ComputerPlayer::opponent_move), and asks for its own with
/// [`get_move`](ComputerPlayer::get_move). Player 1 moves first.
#[derive(Debug)]
pub struct ComputerPlayer {
    number: PlayerNumber,
    position: Position,
    machine: Machine<ChipEval, ForcedWins>,
}

impl ComputerPlayer {
    /// A player on an empty board. It thinks about a move for
    /// [`DEFAULT_TIME`](plyground::player::DEFAULT_TIME), less when it knows who wins, and up to
    /// four seconds where it probably has a forced win. Player 1 wins from the empty board, by the
    /// eighth piece; see [`ForcedWins`].
    #[must_use]
    pub fn new(number: PlayerNumber) -> ComputerPlayer {
        let machine = ForcedWins::machine(Strength::Default);
        ComputerPlayer { number, position: Position::new(Rules::Usf), machine }
    }

    /// Whether it is player 1 or 2.
    #[must_use]
    pub fn number(&self) -> PlayerNumber {
        self.number
    }

    /// Chooses a legal move, makes it on the player's board, and returns it. `None`, with nothing
    /// changed, when the game is over or it is not the player's turn.
    pub fn get_move(&mut self) -> Option<Move> {
        self.choose().map(|choice| choice.mv)
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal and the
    /// opponent's turn. Returns whether it was; if not, nothing is changed.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.position.to_move() != self.number.color() && self.position.play(mv).is_ok()
    }

    fn choose(&mut self) -> Option<Choice<Move>> {
        if self.position.to_move() != self.number.color() {
            return None;
        }
        let report = self.machine.think(&self.position, None)?;
        self.position.play_unchecked(report.best_move());
        let (score, depth) = (Some(report.score()), Some(report.depth));
        Some(Choice { mv: report.best_move(), score, depth })
    }
}

impl Player<Position> for ComputerPlayer {
    fn choose_move(&mut self, _: &Turn<'_, Position>) -> Result<Answer<Move>, Fault> {
        self.choose().map(Answer::Move).ok_or(Fault::NoMove)
    }

    fn opponent_move(&mut self, _: &Position, mv: Move) -> bool {
        ComputerPlayer::opponent_move(self, mv)
    }
}

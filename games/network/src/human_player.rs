//! The USF assignment's human player.

use std::io;

use plyground::Game;
use plyground_durable::excerpt;
use plyground_host::Fault;
use plyground_host::player::{Answer, Console, Input, Player, Turn};
use plyground_host::{HostedPosition, MoveText};
use thiserror::Error;

use crate::illegal::IllegalMove;
use crate::moves::Move;
use crate::notation::{Notation, NotationError};
use crate::player_number::PlayerNumber;
use crate::position::Position;
use crate::rules::Rules;

/// A player of USF's game who types moves. The wording is that of the assignment.
///
/// The player keeps a board, by which it recognizes bad moves. Tell it every move of the opponent with
/// [`opponent_move`](HumanPlayer::opponent_move), and ask for its own with
/// [`get_move`](HumanPlayer::get_move). Player 1 moves first.
#[derive(Debug)]
pub struct HumanPlayer {
    number: PlayerNumber,
    position: Position,
    console: Console,
}

/// The reason that a human player makes no move.
#[derive(Debug, Error)]
pub enum NoMove {
    /// The input has ended.
    #[error("the input has ended")]
    EndOfInput,
    /// The game is over, or it is the opponent's turn.
    #[error("it is not the turn of player {0}")]
    NotTheirTurn(PlayerNumber),
    /// The console cannot be read or written.
    #[error("cannot talk to the player: {0}")]
    Console(#[from] io::Error),
}

impl HumanPlayer {
    /// Makes a player at `console` with an empty board.
    #[must_use]
    pub fn new(number: PlayerNumber, console: Console) -> HumanPlayer {
        HumanPlayer { number, position: Position::new(Rules::Usf), console }
    }

    /// Returns the number of the player.
    #[must_use]
    pub fn number(&self) -> PlayerNumber {
        self.number
    }

    /// Asks for a move until the answer is a legal one, with the reason after every bad one;
    /// makes it on the player's board, and returns it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no move; nothing is changed then.
    pub fn get_move(&mut self) -> Result<Move, NoMove> {
        let (number, color) = (self.number, self.number.color());
        if self.position.outcome().is_some() || self.position.to_move() != color {
            return Err(NoMove::NotTheirTurn(number));
        }
        let what = if self.position.in_hand(color) > 0 {
            "row and column position to place piece"
        } else {
            "row and column position of piece to move, then of its new place"
        };
        loop {
            let prompt = format!("Player {number}: Enter {what}:");
            let Input::Line(line) = self.console.ask(&prompt, None)? else {
                return Err(NoMove::EndOfInput);
            };
            match self.understand(&line) {
                Ok(mv) => {
                    self.position.play_unchecked(mv);
                    return Ok(mv);
                }
                Err(why) => self.console.show(&format!("Player {number}: Bad move!\n{why}\n"))?,
            }
        }
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal and the opponent's turn.
    /// Returns true if it was; otherwise nothing is changed.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.position.to_move() != self.number.color() && self.position.play(mv).is_ok()
    }

    /// Returns the legal move that a line stands for, or the reason that it is a bad one.
    fn understand(&self, line: &str) -> Result<Move, String> {
        let unreadable = || format!("Cannot read a position in: {}", excerpt(line.trim()));
        let mv = Notation::Usf.parse_move(line).map_err(|error| match error {
            NotationError::OffBoard { .. } => "Position is off the board".to_owned(),
            NotationError::Unreadable { .. } => unreadable(),
        })?;
        let illegal = match self.position.check_legal(mv) {
            Ok(()) => return Ok(mv),
            Err(illegal) => illegal,
        };
        let reason = match illegal {
            IllegalMove::Corner { .. } => "Position in corner",
            IllegalMove::OpponentGoal { .. } => "Position in opponent goal",
            IllegalMove::Occupied { .. } => "Position already occupied",
            IllegalMove::GroupOfThree { .. } => "Position would form clump",
            IllegalMove::BothNetworks { .. } => "Move would create networks for both players",
            IllegalMove::EmptyOrigin { .. } | IllegalMove::NotYourChip { .. } => {
                "No piece of yours there"
            }
            IllegalMove::SamePlace { .. } => "Piece must move to a different position",
            // The line has one position where two are expected, or two where one is.
            IllegalMove::StillHasChipsInHand { .. }
            | IllegalMove::NoChipsInHand { .. }
            | IllegalMove::GameOver { .. } => return Err(unreadable()),
        };
        Err(reason.to_owned())
    }
}

impl Player for HumanPlayer {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        match self.get_move() {
            Ok(mv) => Ok(Answer::Move(MoveText::of(&mv).into())),
            Err(NoMove::EndOfInput) => Err(Fault::EndOfInput),
            Err(NoMove::NotTheirTurn(_)) => Err(Fault::NoMove),
            Err(NoMove::Console(error)) => Err(Fault::Died { how: error.to_string() }),
        }
    }

    fn opponent_move(&mut self, _: &HostedPosition, mv: MoveText) -> bool {
        mv.as_str().parse().is_ok_and(|mv| HumanPlayer::opponent_move(self, mv))
    }
}

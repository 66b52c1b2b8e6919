//! The Berkeley assignment's player.

use plyground::Game;
use plyground::search::MAX_DEPTH;
use plyground_host::Strength;

use crate::color::Color;
use crate::machine::Machine;
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;

/// A player of Berkeley's game that keeps its own board and chooses moves by search.
///
/// Tell the player every move of the game, in order: its opponent's with
/// [`opponent_move`](MachinePlayer::opponent_move), its own by asking for one with
/// [`choose_move`](MachinePlayer::choose_move) or by imposing one with
/// [`force_move`](MachinePlayer::force_move). The board is empty in the beginning, White moves
/// first, and the players take turns.
///
/// ```
/// use network::{Color, MachinePlayer, Move};
///
/// let mut player = MachinePlayer::with_depth(Color::Black, 2);
/// let center: Move = "34".parse()?;
/// assert!(player.opponent_move(center));
/// assert!(!player.opponent_move(center), "it is not White's turn");
/// assert!(player.choose_move().is_some());
/// # Ok::<(), network::NotationError>(())
/// ```
#[derive(Debug)]
pub struct MachinePlayer {
    color: Color,
    position: Position,
    machine: Machine,
}

impl MachinePlayer {
    /// Makes a player of `color` on an empty board that chooses its search depth itself.
    ///
    /// It looks for forced wins, and searches one ply, then two, and so on, for as long as
    /// [`DEFAULT_TIME`](plyground_host::DEFAULT_TIME) of wall-clock time, or until it has proven that one
    /// side wins. If it probably has a forced win, it searches for up to four seconds. That is always
    /// within the five seconds of the assignment. White wins from the empty board, by the eighth chip; see
    /// [`ForcedWins`](crate::ForcedWins).
    #[must_use]
    pub fn new(color: Color) -> MachinePlayer {
        MachinePlayer::with_strength(color, Strength::Default)
    }

    /// Makes a player of `color` on an empty board that looks exactly `depth` plies ahead in every
    /// position, without a limit of time.
    ///
    /// A ply is a move of one side: with 1 it sees the positions after its own move, with 2 also
    /// the opponent's replies. 0 counts as 1, and more than [`MAX_DEPTH`] as [`MAX_DEPTH`].
    #[must_use]
    pub fn with_depth(color: Color, depth: u32) -> MachinePlayer {
        MachinePlayer::with_strength(color, Strength::Depth(depth.clamp(1, MAX_DEPTH)))
    }

    fn with_strength(color: Color, strength: Strength) -> MachinePlayer {
        let rules = Rules::Berkeley;
        let machine = Machine::new(rules, strength);
        MachinePlayer { color, position: Position::new(rules), machine }
    }

    /// Returns the color that the player plays.
    #[must_use]
    pub fn color(&self) -> Color {
        self.color
    }

    /// Returns the player's board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Chooses a legal move, makes it on the player's board, and returns it.
    ///
    /// The move has the greatest minimax value at the depth searched. The value of a position in
    /// which the game is over is a win or a loss; a win is worth more the sooner it comes and a
    /// loss the later it comes, and any win is worth more than any position in which the game
    /// goes on, which [`ChipEval`](crate::ChipEval) values at the horizon. So a move that wins at
    /// once is always taken, and at depth 2 or more a move that lets the opponent win at once is
    /// never taken if there is another.
    ///
    /// Returns `None`, and changes nothing, if the game is over or if it is not the player's turn.
    pub fn choose_move(&mut self) -> Option<Move> {
        if self.position.to_move() != self.color {
            return None;
        }
        self.machine.play(&mut self.position).map(|(mv, _)| mv)
    }

    /// Makes `mv` on the player's board as a move of the opponent, if it is legal.
    ///
    /// Returns true if it was. The move is illegal if it is not the opponent's turn, if the game is over,
    /// and if the rules forbid it ([`Position::check_legal`](Game::check_legal)); the player is then as
    /// before.
    pub fn opponent_move(&mut self, mv: Move) -> bool {
        self.play(self.color.other(), mv)
    }

    /// Makes `mv` on the player's board as its own move, if it is legal.
    ///
    /// Returns true if it was. The move is illegal if it is not the player's turn, if the game is over, and
    /// if the rules forbid it; the player is then as before.
    pub fn force_move(&mut self, mv: Move) -> bool {
        self.play(self.color, mv)
    }

    fn play(&mut self, color: Color, mv: Move) -> bool {
        self.position.to_move() == color && self.position.play(mv).is_ok()
    }
}

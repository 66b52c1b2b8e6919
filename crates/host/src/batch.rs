//! Many games of one kind that are played together, for programs that learn.

use rand::rngs::StdRng;
use thiserror::Error;

use crate::game::HostedPosition;

/// Games of one kind that are played together. Each array has a part for each game, in order.
pub trait HostedBatch: Send + Sync {
    /// Returns the number of games.
    fn size(&self) -> usize;

    /// Returns the position of one game.
    fn position(&self, index: usize) -> HostedPosition;

    /// Returns the numbers of plies that were played.
    fn plies(&self) -> &[u16];

    /// Starts all games anew.
    fn reset(&mut self);

    /// Plays the legal moves with these numbers, one in each game. A game that is over is left as it is,
    /// whatever its action.
    ///
    /// # Errors
    ///
    /// Returns the first illegal action; then no game was played on.
    fn step(
        &mut self,
        actions: &[i64],
        options: StepOptions,
        results: StepResults<'_>,
    ) -> Result<(), IllegalAction>;

    /// Writes the number of a legal move, each with the same probability; 0 for a game that is over.
    fn write_random_actions(&self, rng: &mut StdRng, actions: &mut [i64]);

    /// Writes the planes, as [`PositionInfo::write_planes`](crate::PositionInfo::write_planes).
    fn write_planes(&self, planes: &mut [u8]);

    /// Writes the masks, as [`PositionInfo::write_mask`](crate::PositionInfo::write_mask).
    fn write_mask(&self, mask: &mut [i8]);

    /// Writes the sides to move: 0 for the first.
    fn write_turns(&self, turns: &mut [u8]);
}

/// The options of a step of all games.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepOptions {
    /// If true, a game that ends starts anew.
    pub resets: bool,
    /// The number of plies after which a game ends without a winner.
    pub most_plies: Option<u16>,
}

/// The arrays into which a step writes.
#[derive(Debug)]
pub struct StepResults<'a> {
    /// Two numbers for each game, those of the first and of the second side: 1 for a win by this step, -1 for
    /// a loss, or else 0.
    pub rewards: &'a mut [f32],
    /// If true, the game is over by the rules.
    pub terminated: &'a mut [bool],
    /// If true, the game has reached the greatest number of plies.
    pub truncated: &'a mut [bool],
}

/// The error of an action that is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("action {action} is illegal in game {index}: the mask has the legal actions")]
pub struct IllegalAction {
    /// The number of the game in the batch, from 0.
    pub index: usize,
    /// The action.
    pub action: i64,
}

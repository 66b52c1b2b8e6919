//! Steps of many games of one kind that are played together, for programs that learn.

use thiserror::Error;

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

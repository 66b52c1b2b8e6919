//! How the positions of a check are drawn, as data.

use serde::Deserialize;

/// How the positions of a check are drawn: by random games, of which those are kept that fit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawRule {
    /// How many positions.
    pub count: usize,
    /// The least and the greatest number of random moves that lead to them. In a check about
    /// positions that are over, games are played out.
    #[serde(default)]
    pub after: [u32; 2],
    /// The least number of legal moves.
    #[serde(default)]
    pub moves: usize,
    /// The greatest number of right moves, in a check about what is to be seen.
    pub right: Option<usize>,
    /// If true, it takes all the plies of the check to see what is to be seen: with one fewer, a
    /// search misses it whose evaluation is the score of the board, or our own in a game without
    /// points. With [`gap`](DrawRule::gap), a search with two fewer may miss it.
    #[serde(default)]
    pub needed: bool,
    /// The least number of points by which all other moves are worse than the right ones within the
    /// plies of the check. Without it, the right moves are those that promise most of winning.
    pub gap: Option<u32>,
    /// The least number of points by which they are worse at the end of the game, too, by the best
    /// play: an evaluation that foresees more than points does not go wrong by it.
    #[serde(default)]
    pub final_gap: u32,
    /// The least number of points that either side has, and that they have different numbers.
    pub points: Option<i32>,
    /// The greatest difference between the points of the two sides.
    pub lead: Option<u32>,
}

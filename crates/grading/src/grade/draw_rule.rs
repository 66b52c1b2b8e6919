//! The rule by which the positions of a check are drawn, as data.

use serde::Deserialize;

/// A rule for drawing positions: random games are played, and the positions that fit are kept.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawRule {
    /// The number of positions.
    pub count: usize,
    /// The least and the greatest number of random moves that lead to a position. In a check about
    /// positions in which the game is over, games are played to the end.
    #[serde(default)]
    pub after: [u32; 2],
    /// The least number of legal moves.
    #[serde(default)]
    pub moves: usize,
    /// The greatest number of right moves, in a check that has right moves.
    pub right: Option<usize>,
    /// If true, the right moves show only with all the plies of the check. With one ply less, a
    /// search misses them; it evaluates by the score of the board, or by the engine's evaluation in
    /// a game without points. With [`gap`](DrawRule::gap), a search with two plies less has another
    /// best move.
    #[serde(default)]
    pub needed: bool,
    /// The least number of points by which all other moves are worse than the right moves, within
    /// the plies of the check. Without it, the right moves are those with the best prospect of
    /// winning.
    pub gap: Option<u32>,
    /// The least number of points by which the other moves are worse at the end of the game, too,
    /// with best play. It protects players whose evaluation foresees more than points.
    #[serde(default)]
    pub final_gap: u32,
    /// The least number of points of each side. If given, the sides must have different numbers of
    /// points.
    pub points: Option<i32>,
    /// The greatest difference between the points of the two sides.
    pub lead: Option<u32>,
}

//! The options of a traced search.

/// The order in which the moves of a position are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The order in which the game generates them.
    #[default]
    Natural,
    /// The most promising first, by the evaluation of the position after each.
    Good,
    /// The least promising first.
    Bad,
}

/// The options of a [`search`](super::search). None of them changes the value that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// The number of plies to look ahead, at least 1.
    pub depth: u32,
    /// If true, the search is alpha-beta; otherwise it is minimax.
    pub prunes: bool,
    /// The order of moves.
    pub order: Order,
    /// If true, the results of positions that were searched before are used again.
    pub table: bool,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions { depth: 4, prunes: true, order: Order::Natural, table: false }
    }
}

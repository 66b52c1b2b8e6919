//! How to search.

/// In which order the moves of a position are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the game generates them.
    #[default]
    Natural,
    /// The most promising first, by the evaluation of the position after each.
    Good,
    /// The least promising first.
    Bad,
}

/// How a [`search`](super::search) goes about it. None of this changes the value that it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// How many plies to look ahead, at least 1.
    pub depth: u32,
    /// Whether it is alpha-beta; otherwise minimax.
    pub prunes: bool,
    /// The order of moves.
    pub order: Order,
    /// Whether positions that were searched before are looked up.
    pub table: bool,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions { depth: 4, prunes: true, order: Order::Natural, table: false }
    }
}

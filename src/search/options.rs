//! What a caller chooses of the techniques of alpha-beta.

/// Which of its techniques an [`AlphaBeta`](super::AlphaBeta) uses. None of them but
/// [`late_move_reductions`](Options::late_move_reductions) changes the value of a search.
///
/// ```
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// let plain = Options { table_mib: 0, killers: false, history: false, ..Options::default() };
/// let mut nodes = [Options::default(), plain].map(|options| {
///     let report = AlphaBeta::new(Flat, options).best(&TicTacToe::default(), &Limits::depth(9));
///     report.map(|report| (report.score(), report.nodes))
/// });
/// // The same value, by more positions.
/// assert_eq!(nodes[0].map(|(score, _)| score), nodes[1].map(|(score, _)| score));
/// assert!(nodes[0].map(|(_, nodes)| nodes) < nodes[1].map(|(_, nodes)| nodes));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for the transposition table in MiB, rounded down to a power of two; less where the
    /// system refuses that; 0 for none.
    pub table_mib: usize,
    /// The least depth at which positions are kept in the table. Below it, a search costs less
    /// than the access to memory.
    pub table_depth: u32,
    /// Keep nodes near the horizon in a small table of each thread's own, which fits into the cache
    /// of the processor.
    pub local_table: bool,
    /// Look for a child whose table entry settles a node before searching any (enhanced
    /// transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996), or whose closer bounds do.
    pub child_cutoff: bool,
    /// The least depth at which [`child_cutoff`](Options::child_cutoff) is tried.
    pub child_cutoff_depth: u32,
    /// Search all moves but the first with a null window (principal variation search;
    /// T. A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// Search lesser depths before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// Start from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// Try moves first that refuted a sibling (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// Try moves first that caused many cutoffs elsewhere (J. Schaeffer, 1983).
    pub history: bool,
    /// Ask the evaluator how promising a move looks.
    pub evaluator_order: bool,
    /// Ask the game for wins at once, and for the replies to threats.
    pub forcing: bool,
    /// Look less deep at moves that come late in the order, where nothing but time or nodes limits
    /// the search and the end of the game is not in sight: the value is then no longer exact.
    pub late_move_reductions: bool,
    /// Shuffle the root moves, so that different seeds choose different moves among equals.
    /// Without a seed the first of equals in the search's own order is chosen: the best move of
    /// the last depth, then those that the evaluator finds most promising.
    #[cfg(feature = "rand")]
    pub seed: Option<u64>,
    /// How many threads search together, at least 1. All search the same tree and share the table;
    /// each defers the moves that another is searching (simplified ABDADA). The value stays the same;
    /// node counts, and the choice among equals, then depend on chance.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            table_mib: 64,
            table_depth: 2,
            local_table: true,
            child_cutoff: true,
            child_cutoff_depth: 4,
            null_window: true,
            deepening: true,
            aspiration: true,
            killers: true,
            history: true,
            evaluator_order: true,
            forcing: true,
            late_move_reductions: true,
            #[cfg(feature = "rand")]
            seed: None,
            threads: 1,
        }
    }
}

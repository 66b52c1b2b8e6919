//! The techniques that a search uses.

use std::time::Duration;

/// The techniques that an [`AlphaBeta`](super::AlphaBeta) uses. Only
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
    /// Memory for the transposition table in MiB, rounded down to a power of two; less where the system
    /// refuses that; 0 for no table.
    pub table_mib: usize,
    /// The least depth at which positions are kept in the table. Below it, a search costs less
    /// than the access to memory.
    pub table_depth: u32,
    /// If true, nodes near the horizon are kept in a small table of each thread's own, which fits into the
    /// cache of the processor.
    pub local_table: bool,
    /// If true, the search looks for a child whose table entry settles a node before it searches any
    /// (enhanced transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996), or whose closer bounds settle it.
    pub child_cutoff: bool,
    /// The least depth at which [`child_cutoff`](Options::child_cutoff) is tried.
    pub child_cutoff_depth: u32,
    /// If true, all moves except the first are searched with a null window (principal variation search; T.
    /// A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// If true, lesser depths are searched before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// If true, the search starts from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// If true, moves that refuted a sibling are tried first (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// If true, moves that caused many cutoffs elsewhere are tried first (J. Schaeffer, 1983).
    pub history: bool,
    /// If true, the order of moves includes the evaluator's.
    pub evaluator_order: bool,
    /// If true, the game is asked for wins at once, and for the replies to threats.
    pub forcing: bool,
    /// If true, moves that come late in the order are searched less deep, where only time or nodes limit
    /// the search and the end of the game is not in sight: the value is then no longer exact.
    pub late_move_reductions: bool,
    /// The seed that shuffles the root moves, so that different seeds choose different moves among equals.
    /// Without a seed the first among equals in the search's own order is chosen: the best move of the last
    /// depth, then those that the evaluator finds most promising.
    #[cfg(feature = "rand")]
    pub seed: Option<u64>,
    /// The number of threads that search together, at least 1. All search the same tree and share the
    /// table; each defers the moves that another is searching (simplified ABDADA). To a fixed depth, values
    /// and moves stay the same; node counts, the ends of principal variations and what a limit of time or
    /// nodes finds then depend on chance.
    pub threads: usize,
    /// The time for which the first thread searches alone. In a shorter search, the others would take more
    /// time to start, and to find what it has found, than they save (measured on the empty board of
    /// Max-Connect4 to depth 10: 1.3 times the time of one thread).
    pub head_start: Duration,
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
            head_start: Duration::from_millis(50),
        }
    }
}

//! Two-player games and one exact search for all of them.
//!
//! A game is a type that implements [`Game`]: a position with its rules; what else helps a search is
//! in [`SearchHints`], all of it optional. [`AlphaBeta`] then finds its value and the best move, with an [`Evaluator`] to judge positions that it can not search
//! to the end, and [`testing::check_contract`] tests whether the game is fit to be searched.
//!
//! The games of this project are crates of their own. What follows uses tic-tac-toe, whose
//! [source](testing::TicTacToe) is the shortest model of a game of your own:
//!
//! ```
//! use plyground::search::{Limits, Options, Scope};
//! use plyground::testing::TicTacToe;
//! use plyground::{AlphaBeta, Flat, Game, Score, Search};
//!
//! // X takes the middle, O the middle of a side.
//! let mut position = TicTacToe::default();
//! for text in ["5", "2"] {
//!     position.play(text.parse()?)?;
//! }
//!
//! // `Flat` finds unfinished games even: this search goes to the end and needs no judgement.
//! let options = Options { table_mib: 1, ..Options::default() };
//! let mut search = AlphaBeta::new(Flat, options);
//! let report = search.best(&position, &Limits::depth(9)).ok_or("the game is over")?;
//! assert_eq!(report.score(), Score::win_in(5));
//! assert!(report.proven());
//! assert_eq!(report.best().pv.len(), 5);
//!
//! // What every move is worth, the best first.
//! let report = search
//!     .search(&position, &Limits::depth(9), Scope::EveryMove, &mut |_| ())
//!     .ok_or("the game is over")?;
//! for line in &report.lines {
//!     println!("{}: {}", line.first_move(), line.value); // 1: win in 5
//! }
//! assert_eq!(report.lines.len(), 7);
//!
//! // O loses against best play. Let us see how.
//! while position.outcome().is_none() {
//!     let report = search.best(&position, &Limits::depth(9)).ok_or("the game is over")?;
//!     position.play(report.best_move())?;
//! }
//! assert_eq!(position.outcome().and_then(|outcome| outcome.winner()), Some(plyground::Side::First));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! All but `serde` are enabled by default; without them the crate has no dependencies.
//!
//! * `cpu-time`: CPU time as a limit of searches, and in their reports.
//! * `mmap`: transposition tables in huge pages, where the system has them.
//! * `rand`: root moves in an order that depends on a seed.
//! * `testing`: the module [`testing`], with the contract test and toy games.
//! * `serde`: [`Side`] as text.

pub mod book;
pub mod checksum;
mod clock;
pub mod eval;
pub mod forcing;
pub mod game;
pub mod hints;
pub mod perfect;
pub mod perft;
pub mod proof;
mod random;
pub mod score;
pub mod search;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod value;

pub use eval::{Evaluator, Flat};
pub use forcing::Forcing;
pub use game::{Game, Outcome, Side};
pub use hints::{SearchHints, Successors};
pub use score::{Bounds, Score};
pub use search::{AlphaBeta, Limits, Minimax, Search};
pub use value::Value;

// The Rust of these pages is compiled and run with the examples of this crate.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/architecture.md")]
    mod architecture {}
    #[doc = include_str!("../docs/search.md")]
    mod search {}
}

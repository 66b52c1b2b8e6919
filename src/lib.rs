//! Two-player games, one exact search for all of them, and the harness around both.
//!
//! A game is a type that implements [`Game`]: a position with its rules. [`AlphaBeta`] then finds
//! its value and the best move, with an [`Evaluator`] to judge positions that it can not search
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
//!     println!("{}: {}", line.first_move(), line.score); // 1: win in 5
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

mod affinity;
pub mod book;
pub mod calibrate;
pub mod cli;
pub mod csv_text;
pub mod duration;
pub mod eval;
pub mod external;
pub mod forcing;
pub mod game;
pub mod grade;
pub mod input;
pub mod journal;
pub mod matches;
pub mod output;
pub mod perfect;
pub mod perft;
pub mod player;
pub mod proof;
pub mod record;
pub mod referee;
pub mod score;
pub mod search;
pub mod server;
pub mod state;
mod submissions;
mod table;
pub mod testing;
pub mod timing;
pub mod toml_file;
pub mod tournament;
pub mod tuning;
mod whole_number;

pub use eval::{Evaluator, Flat};
pub use forcing::Forcing;
pub use game::{Game, Outcome, Side, Successors};
pub use score::{Bounds, Score};
pub use search::{AlphaBeta, Limits, Minimax, Search};

/// The examples of the README are compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

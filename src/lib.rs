//! Two-player games with perfect information, and one exact search for all of them.
//!
//! A game is a type that implements [`Game`]: a position and the rules that lead from it to the next.
//! [`AlphaBeta`] finds its value and the best move. Each module of this diagram depends only on modules
//! below it:
//!
//! ```text
//!   perfect                  play without mistakes: by a book, a search to the end, or a proof
//!     |  \   \        testing   the contract test, toy games, reference searches
//!     |   \   proof     |    proofs that a side reaches a goal against any play
//!     |    \    |       |
//!     |     search ------    the value of a position, and the best move
//!     |       |
//!   book      |              exact values of early positions
//!     |       |
//!   hints -----              hints for a search, and the judgment of unfinished positions
//!     |       |
//!   game   score   value     the rules; scores of results; exact, bound or estimate
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | describe a game | [`Game`], [`Outcome`], [`Side`] |
//! | make its search faster, all of it optional | [`SearchHints`], [`Forcing`], [`Successors`] |
//! | judge positions that are not over | [`Evaluator`], or [`Flat`] to begin with |
//! | test whether all of this is right | [`testing::check_contract`] |
//! | search | [`AlphaBeta`], [`Limits`], [`search::Scope`], [`search::Report`] |
//! | have a second opinion | [`Minimax`], [`perfect::plain_value`] |
//! | look at a search step by step | [`trace::Tree`] |
//! | solve a position | [`perfect::solve`], [`perfect::Perfect`] |
//! | prove that a side wins, without scores | [`proof::Prover`] |
//! | keep solved positions | [`book::Book`], [`book::Plan`] |
//!
//! # Units
//!
//! * A *ply* is a move of one side. Depths are in plies, at most [`search::MAX_DEPTH`].
//! * A [`Score`] is in hundredths of a point unless a game chooses another [`Game::POINT`], and always
//!   as the side to move sees it. A forced win in N plies is 30,000 - N.
//! * A [`Value`] says whether a score is exact, a bound or an estimate. *Proven* means exact.
//! * Tables are in MiB, times in [`Duration`](std::time::Duration), nodes are positions visited.
//!
//! The crate does not print, start processes or read files. A function that can fail returns an error whose
//! text is one line; only the errors of [`testing`] also show the position.
//!
//! # An example
//!
//! The games of this project are crates of their own. This example uses tic-tac-toe, whose
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
//! // `Flat` rates unfinished games as even: this search goes to the end and needs no judgment.
//! let options = Options { table_mib: 1, ..Options::default() };
//! let mut search = AlphaBeta::new(Flat, options);
//! let report = search.best(&position, &Limits::depth(9)).ok_or("the game is over")?;
//! assert_eq!(report.score(), Score::win_in(5));
//! assert!(report.proven());
//! assert_eq!(report.best().pv.len(), 5);
//!
//! // The value of every move, the best first.
//! let report = search
//!     .search(&position, &Limits::depth(9), Scope::EveryMove, &mut |_| ())
//!     .ok_or("the game is over")?;
//! for line in &report.lines {
//!     println!("{}: {}", line.first_move(), line.value); // 1: win in 5
//! }
//! assert_eq!(report.lines.len(), 7);
//!
//! // O loses against best play.
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

pub mod clock;
pub mod game;
pub mod hints;
pub mod perfect;
pub mod score;
pub mod search;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trace;
pub mod value;

pub mod book {
    //! Books: exact values of early positions, with best moves.

    mod file;
    mod format;
    mod plan;
    mod verify;

    pub(crate) use file::value_after;
    pub use file::{Book, MAX_BYTES};
    pub use format::{BookError, Entry, NotAnEntry, fnv1a};
    pub use plan::{Coverage, Job, Plan, Shard};
    pub use verify::{Inconsistency, check_relatives, positions};
}

pub mod proof {
    //! Proof search: a proof or disproof that one side can reach a goal against any play of the other.
    //!
    //! A boolean question needs no scores: [`Prover`] is a depth-first proof-number search (df-pn; A. Nagai,
    //! "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", 2002), which works on the
    //! positions that are easiest to prove or to disprove. The prover is independent of the game: a [`Goal`]
    //! judges positions, estimates how hard they are, and names the moves worth trying.

    mod finder;
    mod prover;
    mod tactics;

    pub use finder::{Allowance, Defense, Finder, Forced};
    pub use prover::{Proof, Prover};
    pub use tactics::{AtLeast, Goal, NoTactics, Numbers, Prepared, Tactics};
}

pub use game::{Game, Outcome, Side, Turn};
pub use hints::{Evaluator, Flat, Forcing, SearchHints, Successors, Term};
pub use score::{Bounds, Score};
pub use search::{AlphaBeta, Limits, Minimax, Search};
pub use value::Value;

// The Rust examples of these pages are compiled and run with the doc tests of this crate.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("README.md")]
    mod engine {}
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/architecture.md")]
    mod architecture {}
    #[doc = include_str!("../docs/search.md")]
    mod search {}
}

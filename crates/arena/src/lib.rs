//! Comparison of players: the difference in strength, its certainty, and the time for a move.
//!
//! * [`mod@matches`] plays two players against each other, [`tournament`] many.
//! * [`statistics`] computes the certainty of a result.
//! * [`timing`] measures the time for a move, by the depth of the search.
//! * [`book`] builds and checks books of solved positions.
//!
//! This crate knows no particular game: it uses the positions and moves of
//! [`HostedPosition`](plyground_host::HostedPosition). [`seat`] creates players from their names and
//! templates, [`programs`] has the options of external programs, [`stderr_log`] shows the end of their
//! standard error, and [`class_folder`] finds the submissions of a class. The crate prints nothing.

pub mod class_folder;
pub mod contents;
pub mod matches;
pub mod programs;
pub mod seat;
pub mod second_try;
pub mod statistics;
pub mod stderr_log;

pub mod book {
    //! Building and verification of books. A build takes long, so it solves many positions at a time,
    //! and keeps each position as soon as it is solved.

    mod build;
    mod file;
    mod shared;

    pub use build::{BookBuildError, BookEvent, BookProgress, BookRequest, build_book};
    pub use file::{ReadBookError, journal_path, merge_books, read_book, verify_book};
    pub use shared::SharedBook;
}

pub mod timing {
    //! Timing: the CPU time of choosing one move, at one search depth after the other.
    //!
    //! The same measurement makes two tables:
    //!
    //! * [`tabulate`] times the engine's searches, cold, in one position, as a [`RuntimePlan`] says. Its
    //!   [`RuntimeTable`] is kept in a [`RuntimeFile`], from which a killed run resumes.
    //! * [`calibrate`] times any [`Player`](plyground_host::player::Player) that can be told how many
    //!   plies to look ahead, in many positions, as a [`CalibrationPlan`] says: the slowest move of a
    //!   game is seldom the first.
    //!
    //! [`DepthPlot`] draws either table.

    mod calibrate;
    mod measure;
    mod plot;
    mod runtime_table;
    mod tabulate;

    pub use calibrate::{
        CALIBRATION_COLUMNS, CalibrationPlan, CalibrationRow, TimedAnswer, calibrate,
    };
    pub use measure::{Depths, NotDepths, Runs, TimingEnd, sample_games};
    pub use plot::{DepthCurve, DepthPlot, PlotError};
    pub use runtime_table::{
        NotARuntimeTable, NotASearch, RUNTIME_COLUMNS, ReadRuntimeTable, RuntimeRow, RuntimeTable,
        SearchKind,
    };
    pub use tabulate::{OpenedRuntimeFile, RuntimeError, RuntimeFile, RuntimePlan, tabulate};
}

pub mod tournament {
    //! Tournaments: many players, a plan from a file, and tables that show who is better.
    //!
    //! A [`TournamentPlan`] names the players and the format. A schedule derives the games from it,
    //! each with a number of its own. A [`Tournament`] plays the games that its store, a folder, does
    //! not have yet, and stores each game as soon as it ends. Everything else is derived from the games
    //! in the store: places, ratings, the [`TournamentReport`]. A killed run therefore resumes where it
    //! stopped, and the shares of a tournament are joined by collecting their games.

    mod fixture;
    mod growth;
    mod plan;
    mod plan_file;
    mod playing;
    mod report;
    mod schedule;
    #[cfg(test)]
    mod stand_ins;
    mod standings;
    mod store;
    mod swiss;
    #[expect(clippy::module_inception, reason = "the noun of the folder")]
    mod tournament;

    pub use plan::{TournamentError, TournamentOpenings, TournamentPlan};
    pub use playing::TournamentEvent;
    pub use report::{REPORT_PAGE, TournamentReport};
    pub use standings::ReportPlayer;
    pub use store::StoreError;
    pub use tournament::{SharedTournament, Tournament};
}

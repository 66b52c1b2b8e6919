//! Comparison of players: which is better, by how much, with what certainty, and how long they think.
//!
//! * [`mod@matches`] plays two players against each other, [`tournament`] many.
//! * [`statistics`] computes the certainty of a result.
//! * [`timing`] measures how long a move takes, by the depth of the search.
//! * [`book`] builds and checks books of solved positions.
//!
//! This crate knows no particular game: its positions and moves are those of
//! [`HostedPosition`](plyground_host::HostedPosition). [`seat`] creates players from their names and
//! templates, [`programs`] has the options and standard error of external programs, and
//! [`submissions`] finds the submissions of a class. The crate prints nothing.

pub mod alone;
pub mod contents;
pub mod matches;
pub mod programs;
pub mod seat;
pub mod statistics;
pub mod submissions;
pub mod timing;
pub mod tournament;

pub mod book {
    //! Making and checking of books, which takes long: many positions at a time, each kept as soon as
    //! it is solved.

    mod build;
    mod file;
    mod shared;

    pub use build::{BookBuildError, BookEvent, BookProgress, BookRequest, BuiltBook, build_book};
    pub use file::{
        BookFault, ReadBookError, VerifiedBook, journal_path, merge_books, read_book, verify_book,
    };
    pub use shared::SharedBook;
}

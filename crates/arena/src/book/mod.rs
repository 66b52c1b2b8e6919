//! Making and checking books, which takes long: many positions at a time, kept as they are solved.

mod build;
mod file;
mod journal;
mod shared;
mod verify;

pub use build::{BookBuildError, BookEvent, BookProgress, BookRequest, BuiltBook, build_book};
pub use file::{ReadBookError, merge_books, read_book};
pub use journal::journal_path;
pub use shared::SharedBook;
pub use verify::{BookFault, VerifiedBook, verify_book};

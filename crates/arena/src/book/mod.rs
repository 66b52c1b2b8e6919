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

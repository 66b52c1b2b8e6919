//! Which book exact play goes by.

use std::path::PathBuf;

use clap::Args;
use plyground::Game;
use plyground::book::Book;
use plyground_arena::book::read_book;
use plyground_host::HostedPosition;

use super::failure::Failure;

/// Which book to go by.
#[derive(Clone, Debug, Default, Args)]
pub struct BookChoice {
    /// Use this book, made by `book build`, instead of the program's own, where a search would
    /// reach the end of the game
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    pub book: Option<PathBuf>,

    /// Use no book
    #[arg(long)]
    pub no_book: bool,
}

impl BookChoice {
    /// The book for play from `position`, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the book cannot be read, is damaged, or is for neither a game from the
    /// start nor one from `position`.
    pub(super) fn open(&self, position: &HostedPosition) -> Result<Option<Book>, Failure> {
        if self.no_book {
            return Ok(None);
        }
        let game = position.game();
        let Some(path) = &self.book else { return Ok(game.book()?) };
        let book = read_book(path)?;
        let is_for_position = book.start_key() == position.key();
        let start = if is_for_position { position.clone() } else { game.start() };
        let ready = book.ready_for(&start).map(Some);
        ready.map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
    }
}

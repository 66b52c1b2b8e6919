//! Which book exact play goes by, and what is said of its moves.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::book::read;
use super::failure::Failure;
use super::program::Program;
use crate::book::Book;
use crate::game::{Game, Side};
use crate::perfect::{Choice, Source, Unlimited, plies_to_end};
use crate::proof::Tactics;

/// Which book to go by.
#[derive(Clone, Debug, Default, Args)]
pub struct BookChoice {
    /// Where the search would reach the last move of the game, go by this book, made by `book
    /// build`, in place of the program's own
    #[arg(long, value_name = "FILE", conflicts_with = "no_book")]
    pub book: Option<PathBuf>,

    /// Do without a book
    #[arg(long)]
    pub no_book: bool,
}

impl BookChoice {
    /// The book for play from `position`, if there is one.
    ///
    /// # Errors
    ///
    /// When it can not be read, is damaged, or is for neither a game from the start nor one from
    /// `position`.
    pub(super) fn open<P: Program>(
        &self,
        program: &P,
        position: &P::Game,
    ) -> Result<Option<Book>, Failure> {
        if self.no_book {
            return Ok(None);
        }
        let Some(path) = &self.book else { return Ok(program.book()?) };
        let book = read(path)?;
        if book.start_key() == position.key() {
            return Ok(Some(book));
        }
        book.for_start(&program.start())
            .map(Some)
            .map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))
    }
}

/// Whether there can be perfect play from `position`: by a search to the end of the game, or by
/// forced wins.
///
/// # Errors
///
/// When there is neither.
pub(super) fn check_perfect<P: Program>(program: &P, position: &P::Game) -> Result<(), Unlimited> {
    let tactics = program.tactics(false);
    let has_tactics = Side::BOTH.iter().any(|&side| tactics.horizon(position, side) > 0);
    if has_tactics { Ok(()) } else { plies_to_end(position).map(|_| ()) }
}

/// Says on standard error where the move of `player` is from and what it is worth.
pub(super) fn say<P: Program>(program: &P, player: &str, choice: &Choice<<P::Game as Game>::Move>) {
    let Choice { score, source, .. } = choice;
    let worth = match source {
        Source::Book | Source::Exact => format!("final value {}", program.value(*score)),
        Source::Proof => score.to_string(),
        Source::Depth(_) => format!("score {score}"),
    };
    // If standard error is closed, nobody wants to know.
    let _ = writeln!(std::io::stderr(), "{player}: {source}, {worth}");
}

impl From<Unlimited> for Failure {
    fn from(unlimited: Unlimited) -> Failure {
        Failure::Usage(unlimited.to_string())
    }
}

//! Arguments that several commands share, and the positions, books and texts that they name.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{BoolValueParser, PathBufValueParser, TypedValueParser};
use clap::{ArgAction, Args};
use plyground::Game;
use plyground::book::Book;
use plyground::search::{MAX_DEPTH, Options};
use plyground_arena::book::read_book;
use plyground_durable::{excerpt, input, whole_number};
use plyground_host::state::{ReadError, StateText, read_text};
use plyground_host::{EngineOptions, HostedEngine, HostedGame, HostedPosition, MoveText, Text};

use super::failure::{Failure, refuse, warn};

/// The most memory for a table, in MiB. A greater number is taken for a typing error.
const MAX_TABLE: usize = 1 << 16;

/// The default memory for the table of a command that solves positions, in MiB.
const SOLVER_TABLE: usize = 256;

/// The most threads. A greater number is taken for a typing error.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();

/// A number of moves, `LEAST` or more. Arguments of this type are limited to the depths of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves<const LEAST: u32>(pub u32);

/// A number of moves to look ahead.
pub type Depth = Moves<1>;
/// A number of moves to make.
pub type Plies = Moves<0>;

impl<const LEAST: u32> Moves<LEAST> {
    /// Returns a parser of numbers from `LEAST` to `greatest`.
    pub(super) fn parser(
        greatest: u32,
    ) -> impl Fn(&str) -> Result<Moves<LEAST>, String> + Clone + Send + Sync + 'static {
        let number = whole_number(LEAST..=greatest);
        move |text| number(text).map(Moves)
    }
}

impl<const LEAST: u32> FromStr for Moves<LEAST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Moves<LEAST>, String> {
        Moves::parser(MAX_DEPTH)(text)
    }
}

/// The options of a search.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Memory for the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Choose among equally good moves with this seed; without it, always the same move
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of threads that share a search if it is long enough. With more than one, node
    /// counts vary from run to run, and so do the depth and the move of a timed search
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,
}

impl SearchArgs {
    pub(super) fn options(&self) -> Options {
        Options {
            table_mib: self.table,
            seed: self.seed,
            threads: self.threads.get(),
            ..Options::default()
        }
    }

    /// Returns an engine for play from `position`.
    pub(super) fn engine(
        &self,
        position: &HostedPosition,
        book: &BookChoice,
    ) -> Result<Box<dyn HostedEngine>, Failure> {
        let options = EngineOptions {
            search: self.options(),
            book: book.open(position)?,
            without_prepared: book.no_book.0,
        };
        Ok(position.game().engine(options))
    }
}

/// The transposition table of a command that is to solve something.
#[derive(Clone, Debug, Args)]
pub struct TableArgs {
    /// Memory for the transposition table, which all threads share, in MiB
    #[arg(long = "table", value_name = "MIB", default_value_t = SOLVER_TABLE)]
    #[arg(value_parser = mebibytes_parser(1))]
    pub mib: usize,
}

/// The number of threads to work with.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadsArgs {
    /// The number of threads. With more than one, node counts vary from run to run
    #[arg(long = "threads", value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub count: NonZeroUsize,
}

/// Returns a parser of an amount of memory in MiB, `least` or more.
pub(super) fn mebibytes_parser(
    least: usize,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    whole_number(least..=MAX_TABLE)
}

/// Returns a parser of a number of threads.
pub(super) fn threads_parser()
-> impl Fn(&str) -> Result<NonZeroUsize, String> + Clone + Send + Sync + 'static {
    whole_number(NonZeroUsize::MIN..=MAX_THREADS)
}

/// A position, and the text that gives new positions their layout.
pub(super) struct Source {
    pub(super) text: StateText,
    pub(super) position: HostedPosition,
}

/// Reads a position, and warns if the position can hardly come from a game.
pub(super) fn load(game: &dyn HostedGame, path: &Path) -> Result<Source, ReadError> {
    let text = read_text(path)?;
    let position = game.parse_state(&text).map_err(|fault| match text.is_json() {
        true => ReadError::Json(path.to_owned()),
        false => ReadError::Fault(path.to_owned(), fault),
    })?;
    warn_of(&path.display(), &text, &position);
    Ok(Source { text, position })
}

/// Warns of oddities of a position and its text. `name` is the user's name for the text.
fn warn_of(name: &dyn Display, text: &StateText, position: &HostedPosition) {
    if text.lacks_side(&position.state()) {
        let turn = position.text(Text::Turn);
        let turn = turn.trim_end_matches('.');
        warn(&format_args!("{name}: the next player is missing; by the pieces, {turn}"));
    }
    let doubt = position.text(Text::Doubt);
    if !doubt.is_empty() {
        warn(&format_args!("{name}: {doubt}"));
    }
}

/// Returns the start of a game, as if from a file.
pub(super) fn start(game: &dyn HostedGame) -> Source {
    let position = game.start();
    let text = StateText::from_lines(&position.state());
    Source { text, position }
}

/// Returns the position of a file, or the start of a game if no file is named. If there is no file of this name, the
/// name may be the position itself: on one line, or as the moves that lead to it.
pub(super) fn load_or_start(
    game: &dyn HostedGame,
    path: Option<&Path>,
) -> Result<HostedPosition, Failure> {
    let Some(path) = path else { return Ok(game.start()) };
    match load(game, path) {
        Ok(source) => Ok(source.position),
        Err(error) if error.is_not_found() => {
            let said = path.to_str().and_then(|text| in_words(game, text));
            said.unwrap_or_else(|| Err(error.into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads a position from a text. Returns an error if the text only looks like a position, and
/// `None` if it does not even look like one.
fn in_words(game: &dyn HostedGame, text: &str) -> Option<Result<HostedPosition, Failure>> {
    let start = game.start();
    let moves = moves_of(&start, text);
    if moves.is_empty() {
        return on_one_line(game, text);
    }
    let mut position = start;
    for (index, mv) in moves.into_iter().enumerate() {
        if let Err(illegal) = position.play(mv) {
            return Some(refuse(format!(
                "{}: no such file; read as moves, move {}, {mv}, is illegal: {illegal}",
                excerpt(text),
                index + 1
            )));
        }
    }
    Some(Ok(position))
}

/// Reads a position on one line, as in records: the lines of the state with `/` between them.
fn on_one_line(game: &dyn HostedGame, text: &str) -> Option<Result<HostedPosition, Failure>> {
    let rows = |text: &str| text.matches('/').count();
    if rows(text) < rows(&game.start().state_word()) - 1 {
        return None;
    }
    let state = StateText::new(text.to_owned());
    let fault = |fault| Failure::usage(format!("{}: {fault}", excerpt(text)));
    let position = game.parse_state(&state).map_err(fault);
    if let Ok(position) = &position {
        warn_of(&excerpt(text), &state, position);
    }
    Some(position)
}

/// Returns the moves in a text, which may have blanks or commas between them; empty if the text has
/// anything else.
fn moves_of(start: &HostedPosition, text: &str) -> Vec<MoveText> {
    let mut moves = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let word = rest.find([' ', ',']).map_or(rest, |end| &rest[..end]);
        // The longest first: `34-56` is one move.
        let ends = word.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let found = ends.rev().find_map(|end| Some((end, start.parse_move(&word[..end])?)));
        let Some((end, mv)) = found else { return Vec::new() };
        moves.push(mv);
        rest = rest[end..].trim_start_matches([' ', ',']);
    }
    moves
}

/// Which book to go by.
#[derive(Clone, Debug, Default, Args)]
pub struct BookChoice {
    /// Use this book, made by `book build`, instead of the program's own, where a search would
    /// reach the end of the game
    #[arg(long, value_name = "FILE", value_parser = book_parser(), conflicts_with = "no_book")]
    pub book: Option<BookPath>,

    /// Use no book
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag(NoBook))]
    pub no_book: NoBook,
}

/// The path of a book, in an option that only solvable games have.
#[derive(Clone, Debug)]
pub struct BookPath(pub PathBuf);

/// A flag that only solvable games and games with tactics have: the prepared answers of the latter count as a book,
/// too.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBook(pub bool);

/// A flag that only solvable games have.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToTheEnd(pub bool);

/// Returns a parser of the path of a book.
pub(super) fn book_parser() -> impl TypedValueParser<Value = BookPath> {
    PathBufValueParser::new().map(BookPath)
}

/// Returns a parser of a flag with a type of its own. By the type, the help of a game leaves out flags without a use.
pub(super) fn flag<T: Clone + Send + Sync + 'static>(
    of: fn(bool) -> T,
) -> impl TypedValueParser<Value = T> {
    BoolValueParser::new().map(of)
}

impl BookChoice {
    /// Returns the book for play from `position`, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the book cannot be read, is damaged, or is for neither a game from the
    /// start nor one from `position`.
    pub(super) fn open(&self, position: &HostedPosition) -> Result<Option<Book>, Failure> {
        if self.no_book.0 {
            return Ok(None);
        }
        let game = position.game();
        let Some(BookPath(path)) = &self.book else { return Ok(game.book()?) };
        let book = read_book(path)?;
        let is_for_position = book.start_key() == position.key();
        let start = if is_for_position { position.clone() } else { game.start() };
        let ready = book.ready_for(&start).map(Some);
        ready.map_err(|why| Failure::of_file(path, why))
    }
}

/// A file that a command reads: its names in messages, and its greatest length.
#[derive(Clone, Copy, Debug)]
pub struct TextFile<'a> {
    /// The contents that are expected: `a recorded game`.
    pub expected: &'a str,
    /// The thing that is read from the file: `the game`.
    pub what: &'a str,
    /// The greatest length in bytes. A longer file is refused without reading the rest, because a
    /// device may have no end.
    pub most: u64,
}

impl TextFile<'_> {
    /// Reads the file, or standard input if `path` is `-`.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] when it cannot be read, is too long, or is not in UTF-8.
    pub fn read(&self, path: &Path) -> Result<String, Failure> {
        let TextFile { expected, what, most } = self;
        let failure = |fault: String| Failure::of_file(path, fault);
        input::read_text(path, *most)
            .map_err(|error| failure(format!("cannot read {what}: {error}")))?
            .ok_or_else(|| failure(format!("expected {expected}, found more than {most} bytes")))
    }
}

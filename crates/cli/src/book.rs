//! Building, merging and checking books.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use indicatif::HumanDuration;
use plyground::Game;
use plyground::book::{Coverage, Shard};
use plyground::perfect::plies_to_end;
use plyground::search::MAX_DEPTH;
use plyground_arena::book::{
    BookEvent, BookProgress, BookRequest, build_book, journal_path, merge_books, read_book,
    verify_book,
};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;
use plyground_host::HostedGame;

use super::args::{TableArgs, load_or_start, threads_parser};
use super::failure::{Failure, listen, refuse, warn};
use super::progress;

/// The template of the progress lines.
const BUILDING: &str = "{elapsed_precise}  {percent:>3} % {wide_bar}  {msg}";
const VERIFYING: &str = "{spinner} {elapsed_precise}  solving again {pos}/{len}";

/// The steps of the progress bar of a build.
const BAR_STEPS: u64 = 10_000;

/// The subcommands of `book`.
#[derive(Clone, Debug, Subcommand)]
pub enum BookCommand {
    /// Solve early positions and write them to a book
    ///
    /// Every result is kept in a journal beside the book, OUT.journal, as soon as it is found: the
    /// same command continues where it was killed. `cluster` shares a build among machines; without
    /// a common folder, run --shard 1/N to N/N and merge the parts; a repertoire of several plies
    /// takes a round of shards, merged and given to the next as --base, for every second ply.
    Build(BookBuildArgs),
    /// Join books into one
    ///
    /// If the parts have the values of all positions up to a ply, as parts of `book build --values`
    /// do, the book stores them compactly, provided that it is for the board of the command.
    Merge {
        /// The books to join
        #[arg(value_name = "BOOK", required = true)]
        books: Vec<PathBuf>,

        /// The book to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Check a book: its form, parents against children, and a sample by solving it again
    Verify(BookVerifyArgs),
}

/// The arguments of `book build`.
#[derive(Clone, Debug, Args)]
pub struct BookBuildArgs {
    /// The number of moves after the start that the book covers
    #[arg(long, value_name = "N", value_parser = whole_number(0..=MAX_DEPTH))]
    pub plies: u32,

    /// The book to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Solve only the positions that a player with the book can meet, on either side and against
    /// any replies
    #[arg(long)]
    #[arg(conflicts_with = "values")]
    pub repertoire: bool,

    /// Write only the values of all positions after exactly N moves, without best moves; the values
    /// of all earlier positions follow
    #[arg(long)]
    pub values: bool,

    /// Solve only the I-th of N shares of the positions
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,

    /// When interrupted, write a book of the positions solved by then, and keep the journal to
    /// continue from
    #[arg(long)]
    pub partial: bool,

    /// A book with positions that are known already
    #[arg(long, value_name = "FILE")]
    pub base: Option<PathBuf>,

    /// Start from the position of this state file, not from the start of a game
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// The number of positions to solve at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub jobs: NonZeroUsize,

    /// Memory for the search
    #[command(flatten)]
    pub table: TableArgs,
}

/// The arguments of `book verify`.
#[derive(Clone, Debug, Args)]
pub struct BookVerifyArgs {
    /// The book; the program's own if none is named
    #[arg(value_name = "BOOK")]
    pub book: Option<PathBuf>,

    /// The state file that the book was built from, if not the start of a game
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// The number of positions to solve again
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number(0..=usize::MAX))]
    pub sample: usize,

    /// The seed of the choice of these positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = whole_number(0..=u64::MAX))]
    pub seed: u64,

    /// Memory for the search
    #[command(flatten)]
    pub table: TableArgs,
}

/// Builds, merges or checks books.
pub(super) fn run(game: &dyn HostedGame, command: &BookCommand) -> Result<(), Failure> {
    match command {
        BookCommand::Build(args) => build(game, args),
        BookCommand::Merge { books, out } => merge(game, books, out),
        BookCommand::Verify(args) => verify(game, args),
    }
}

fn build(game: &dyn HostedGame, args: &BookBuildArgs) -> Result<(), Failure> {
    let request = request(game, args)?;
    let stop = listen()?;
    let bar = progress::bar(BAR_STEPS, progress::style(BUILDING));
    let built = build_book(&request, &args.out, &stop, |event| match event {
        BookEvent::Loss(loss) => bar.suspend(|| warn(&loss)),
        BookEvent::Progress(BookProgress { done, known, left }) => {
            bar.set_message(match left {
                Some(left) => format!("{known} positions, about {} left", HumanDuration(left)),
                None => format!("{known} positions"),
            });
            bar.set_position((done * BAR_STEPS as f64) as u64);
        }
    })?;
    bar.finish_and_clear();
    if !built.is_complete {
        let (known, path) = (built.known, journal_path(&args.out));
        let path = path.display();
        let known = format!("{known} positions are in {path}; the same command goes on from there");
        return Err(Failure::Stopped(known));
    }
    writeln!(io::stdout(), "{} positions in {}", built.known, args.out.display())?;
    if built.elsewhere > 0 {
        let more = if args.repertoire { ", with the positions after them" } else { "" };
        writeln!(io::stdout(), "{} positions are for other shards{more}", built.elsewhere)?;
    }
    Ok(())
}

/// Returns the request for a build, after a check that the build is possible.
pub(super) fn request(game: &dyn HostedGame, args: &BookBuildArgs) -> Result<BookRequest, Failure> {
    let start = load_or_start(game, args.from.as_deref())?;
    let left = plies_to_end(&start)?;
    if args.plies > left {
        let plies = args.plies;
        return refuse(format!(
            "--plies {plies}: expected {left} at most, because no game is longer"
        ));
    }
    check_writable(&args.out)?;
    let base = args
        .base
        .as_deref()
        .map(|path| read_book(path)?.ready_for(&start).map_err(|why| Failure::of_file(path, why)));
    Ok(BookRequest {
        start,
        plies: args.plies,
        coverage: match (args.values, args.repertoire) {
            (true, _) => Coverage::Values,
            (false, true) => Coverage::Repertoire,
            (false, false) => Coverage::Every,
        },
        shard: args.shard,
        base: base.transpose()?,
        jobs: args.jobs,
        table_mib: args.table.mib,
        partial: args.partial,
    })
}

fn merge(game: &dyn HostedGame, books: &[PathBuf], out: &Path) -> Result<(), Failure> {
    check_writable(out)?;
    let Some(merged) = merge_books(books)? else { return Ok(()) };
    // Books of late positions or of another board stay as they are.
    let start = game.start();
    let merged = if merged.start_key() == start.key() { merged.packed(&start)? } else { merged };
    write_whole(out, merged.as_bytes())?;
    writeln!(io::stdout(), "{} positions in {}", merged.count()?, out.display())?;
    Ok(())
}

fn verify(game: &dyn HostedGame, args: &BookVerifyArgs) -> Result<(), Failure> {
    let start = load_or_start(game, args.from.as_deref())?;
    plies_to_end(&start)?;
    let (name, book) = match &args.book {
        Some(path) => (path.display().to_string(), read_book(path)?),
        None => {
            let none = || Failure::usage("there is no book for this board; name one");
            ("the program's own book".to_owned(), game.book()?.ok_or_else(none)?)
        }
    };
    let bar = progress::bar(0, progress::style(VERIFYING));
    let table_mib = args.table.mib;
    let verified =
        verify_book(&book, &start, table_mib, args.sample, args.seed, |solved, sample| {
            bar.set_length(sample as u64);
            bar.set_position(solved as u64);
        });
    bar.finish_and_clear();
    let verified = verified.map_err(|why| Failure::Run(anyhow!("{name}: {why}")))?;
    let (positions, solved) = (verified.positions, verified.solved);
    let every =
        verified.every.map_or(String::new(), |ply| format!(", all up to ply {ply} among them"));
    writeln!(
        io::stdout(),
        "{name}: {positions} positions{every}, in order; {solved} solved again"
    )?;
    Ok(())
}

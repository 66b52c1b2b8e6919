//! Building, merging and checking books.

use std::fs::File;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::args::{MemoryArgs, threads_parser};
use super::book_build::build;
use super::failure::Failure;
use super::position::load_or_start;
use super::program::Program;
use super::progress;
use crate::book::{Book, MAX_BYTES, Shard, check_relatives, positions};
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::perfect::{Perfect, plies_to_end};
use crate::search::{Limits, MAX_DEPTH, Options};
use crate::whole_number::whole_number;

/// So many bytes show whether a file is a book at all.
const START: u64 = 64;

/// What the progress line shows.
const PROGRESS: &str = "{spinner} {elapsed_precise}  solving again {pos}/{len}";

/// The arguments of `book`.
#[derive(Clone, Debug, Args)]
pub struct BookArgs {
    /// What to do
    #[command(subcommand)]
    pub command: BookCommand,
}

/// What to do with books.
#[derive(Clone, Debug, Subcommand)]
pub enum BookCommand {
    /// Solve early positions and write them to a book
    ///
    /// Every result is kept in a journal beside the book, OUT.journal, as soon as it is found:
    /// the same command goes on where it was killed. For a cluster, run --shard 1/N to N/N and
    /// merge the parts; a repertoire of several plies takes a round of shards, merged and given
    /// to the next as --base, for every second ply.
    Build(BuildArgs),
    /// Join books into one
    Merge(MergeArgs),
    /// Check a book: its form, parents against children, and a sample by solving it again
    Verify(VerifyArgs),
}

/// The arguments of `book build`.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// How many moves after the start to go
    #[arg(long, value_name = "N", value_parser = whole_number(0..=MAX_DEPTH))]
    pub plies: u32,

    /// The book to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Only the positions that either side needs who plays by the book, against any replies
    #[arg(long)]
    pub repertoire: bool,

    /// Solve only the I-th of N shares of the positions
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    pub shard: Shard,

    /// When interrupted, write a book of what is known by then; the journal stays, to go on from
    #[arg(long)]
    pub partial: bool,

    /// A book of what is known already
    #[arg(long, value_name = "FILE")]
    pub base: Option<PathBuf>,

    /// Start from the position of this state file, not from the start of a game
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// How many positions to solve at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,

    /// Memory for the search
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// The arguments of `book merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The books to join
    #[arg(value_name = "BOOK", required = true)]
    pub books: Vec<PathBuf>,

    /// The book to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// The arguments of `book verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The book; the program's own if none is named
    #[arg(value_name = "BOOK")]
    pub book: Option<PathBuf>,

    /// The state file that the book was built from, if not the start of a game
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// How many positions to solve again
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number(0..=usize::MAX))]
    pub sample: usize,

    /// Choose them by this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = whole_number(0..=u64::MAX))]
    pub seed: u64,

    /// Memory for the search
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// Builds, merges or checks books.
///
/// # Errors
///
/// Whatever kept it from doing so, or what is wrong with a book.
pub fn book<P: Program>(program: &P, args: &BookArgs) -> Result<(), Failure>
where
    P::Evaluator: Send,
{
    match &args.command {
        BookCommand::Build(args) => build(program, args),
        BookCommand::Merge(args) => merge(args),
        BookCommand::Verify(args) => verify(program, args),
    }
}

/// Reads a book.
pub(super) fn read(path: &Path) -> Result<Book, Failure> {
    let named = |why: &dyn std::fmt::Display| Failure::Usage(format!("{}: {why}", path.display()));
    let unreadable = |why: io::Error| named(&format_args!("cannot read the book: {why}"));
    let file = File::open(path).map_err(unreadable)?;
    // A file may be endless: what does not begin as a book is read no further.
    let mut bytes = Vec::new();
    Read::take(&file, START).read_to_end(&mut bytes).map_err(unreadable)?;
    if Book::begins_with(&bytes) {
        Read::take(&file, MAX_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(named(&"too large for a book"));
    }
    Book::from_bytes(bytes).map_err(|why| named(&why))
}

fn merge(args: &MergeArgs) -> Result<(), Failure> {
    check_folder(&args.out)?;
    let mut merged: Option<Book> = None;
    for path in &args.books {
        let book = read(path)?;
        merged = Some(match merged {
            None => book,
            Some(merged) => merged
                .merge(&book)
                .map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?,
        });
    }
    let Some(merged) = merged else { return Ok(()) };
    write_whole(&args.out, merged.as_bytes())?;
    writeln!(io::stdout(), "{} positions in {}", merged.len(), args.out.display())?;
    Ok(())
}

fn verify<P: Program>(program: &P, args: &VerifyArgs) -> Result<(), Failure> {
    let start = load_or_start(program, args.from.as_deref())?;
    plies_to_end(&start)?;
    let (name, book) = match &args.book {
        Some(path) => (path.display().to_string(), read(path)?),
        None => {
            let none = || Failure::Usage("there is no book for this board; name one".to_owned());
            ("the program's own book".to_owned(), program.book()?.ok_or_else(none)?)
        }
    };
    let wrong = |why: &dyn std::fmt::Display| Failure::Run(anyhow!("{name}: {why}"));
    let book = book.for_start(&start).map_err(|why| wrong(&why))?;
    check_relatives(&book, &start).map_err(|why| wrong(&why))?;
    let options = Options { table_mib: args.memory.mebibytes, ..Options::default() };
    let mut solver = Perfect::new(program.evaluator(), options, None);
    let all = positions(&book, &start);
    let mut rng = StdRng::seed_from_u64(args.seed);
    let sample: Vec<_> = all.sample(&mut rng, args.sample).collect();
    let progress = progress::bar(sample.len() as u64, progress::style(PROGRESS));
    for position in &sample {
        solve_again(program, &mut solver, &book, position)?.map_err(|why| wrong(&why))?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    let (entries, solved) = (book.len(), sample.len());
    writeln!(io::stdout(), "{name}: {entries} positions, in order; {solved} solved again")?;
    Ok(())
}

/// Whether a search finds what the book says of `position`, and if not, what it finds.
fn solve_again<P: Program>(
    program: &P,
    solver: &mut Perfect<P::Evaluator>,
    book: &Book,
    position: &P::Game,
) -> Result<Result<(), String>, Failure> {
    // Values are to be checked, not which of equal moves is most tempting.
    let limits = || Limits { tie_nodes: Some(0), ..Limits::default() };
    let Some((mv, value)) = book.best_move(position) else { return Ok(Ok(())) };
    let Some(solved) = solver.solve(position, limits())? else { return Ok(Ok(())) };
    let after = position.after(mv);
    let kept = match after.outcome() {
        Some(outcome) => outcome.score(position.side_to_move(), 1),
        None => match solver.solve(&after, limits())? {
            Some(reply) => reply.score.before_move(),
            None => return Ok(Ok(())),
        },
    };
    if solved.score == value && kept == value {
        return Ok(Ok(()));
    }
    let state = program.format_state(position).replace('\n', "/");
    let [value, found, kept] = [value, solved.score, kept].map(|score| program.value(score));
    Ok(Err(format!(
        "{state} has value {value} by move {mv} in the book; solved, the value is {found}, and the move gets {kept}"
    )))
}

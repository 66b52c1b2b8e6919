//! Building, merging and checking books.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::args::{MAX_TABLE_MIB, threads_parser};
use super::book_build::build;
use super::failure::Failure;
use super::position::load_or_start;
use super::program::Program;
use crate::book::{Book, MAX_BYTES, Shard, check_relatives, positions};
use crate::game::Game;
use crate::output::{check_folder, write_whole};
use crate::perfect::{Perfect, plies_to_end};
use crate::search::{MAX_DEPTH, Options};

/// Memory for the tables in MiB, if nothing is said about it.
const DEFAULT_MEMORY: u64 = 256;

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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_DEPTH)))]
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

    /// Memory for the transposition tables of all threads, in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_MEMORY)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_TABLE_MIB))]
    pub memory: u64,
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
    /// The book
    #[arg(value_name = "BOOK")]
    pub book: PathBuf,

    /// The state file that the book was built from, if not the start of a game
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,

    /// How many positions to solve again
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub sample: usize,

    /// Choose them by this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Memory for the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_MEMORY)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_TABLE_MIB))]
    pub memory: u64,
}

/// Builds, merges or checks books.
///
/// # Errors
///
/// Whatever kept it from doing so, or what is wrong with a book.
pub fn book<P: Program>(program: &P, args: &BookArgs) -> Result<(), Failure>
where
    P::Game: Send + Sync,
    <P::Game as Game>::Move: Send,
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
    let size = fs::metadata(path).map_err(|why| named(&why))?.len();
    if size > MAX_BYTES {
        return Err(named(&"too large for a book"));
    }
    let bytes = fs::read(path).map_err(|why| named(&why))?;
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
    let wrong =
        |why: &dyn std::fmt::Display| Failure::Run(anyhow!("{}: {why}", args.book.display()));
    plies_to_end(&start)?;
    let book = read(&args.book)?.for_start(&start).map_err(|why| wrong(&why))?;
    check_relatives(&book, &start).map_err(|why| wrong(&why))?;
    let table_mib = usize::try_from(args.memory).unwrap_or(usize::MAX);
    let options = Options { table_mib, ..Options::default() };
    let mut solver = Perfect::new(program.evaluator(), options, None);
    let all = positions(&book, &start);
    let mut rng = StdRng::seed_from_u64(args.seed);
    let sample: Vec<_> = all.sample(&mut rng, args.sample).collect();
    for position in &sample {
        let Some((mv, value)) = book.best_move(*position) else { continue };
        let Some(solved) = solver.solve(*position, None)? else { continue };
        let after = position.after(mv);
        let kept = match after.outcome() {
            Some(outcome) => outcome.score(position.side_to_move(), 1),
            None => match solver.solve(&after, None)? {
                Some(reply) => reply.score.before_move(),
                None => continue,
            },
        };
        if solved.score != value || kept != value {
            let state = program.format_state(position).replace('\n', "/");
            let found = program.value(solved.score);
            let (value, kept) = (program.value(value), program.value(kept));
            return Err(wrong(&format!(
                "{state} has value {value} by move {mv} in the book; solved, the value is {found}, and the move gets {kept}"
            )));
        }
    }
    writeln!(
        io::stdout(),
        "{}: {} positions, in order; {} solved again",
        args.book.display(),
        book.len(),
        sample.len()
    )?;
    Ok(())
}

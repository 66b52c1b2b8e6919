//! Arguments that several commands share.

use std::num::NonZeroUsize;

use clap::Args;
use plyground::search::Options;
use plyground_durable::whole_number;
use plyground_host::{EngineOptions, HostedEngine, HostedPosition};

use super::book_choice::BookChoice;
use super::failure::Failure;

/// The identifiers of arguments that hold a depth, or a range of depths; what limits them to the
/// depths of the game knows them by these.
pub(super) const DEPTH: &str = "depth";
pub(super) const EFFORT: &str = "effort";
pub(super) const PLIES: &str = "plies";
pub(super) const DEPTHS: &str = "depths";

/// More memory than this for a table, in MiB, is a slip of the fingers.
const MAX_TABLE: usize = 1 << 16;

/// Memory for the table of a command that is to solve something, in MiB.
const SOLVER_TABLE: usize = 256;

/// More threads than this are a slip of the fingers.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();

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

    /// The number of threads that search together. With more than one, node counts and the choice
    /// among equally good moves vary from run to run
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

    /// An engine for play from `position`.
    pub(super) fn engine(
        &self,
        position: &HostedPosition,
        book: &BookChoice,
    ) -> Result<Box<dyn HostedEngine>, Failure> {
        let options = EngineOptions {
            search: self.options(),
            book: book.open(position)?,
            without_prepared: book.no_book,
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

/// Reads an amount of memory in MiB, `least` or more.
pub(super) fn mebibytes_parser(
    least: usize,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    whole_number(least..=MAX_TABLE)
}

/// Reads a number of threads.
pub(super) fn threads_parser()
-> impl Fn(&str) -> Result<NonZeroUsize, String> + Clone + Send + Sync + 'static {
    whole_number(NonZeroUsize::MIN..=MAX_THREADS)
}

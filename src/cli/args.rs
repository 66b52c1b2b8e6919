//! Arguments that several commands share.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::{Arg, ArgAction, Args};

use super::book_choice::BookChoice;
use super::program::Program;
use crate::duration::parse_duration;
use crate::search::{AlphaBeta, MAX_DEPTH, Options};
use crate::timing::Depths;
use crate::whole_number::whole_number;

/// The identifiers of arguments that hold a depth; [`limit_depth`] knows them by these.
pub(super) const DEPTH: &str = "depth";
pub(super) const EFFORT: &str = "effort";
pub(super) const PLIES: &str = "plies";
/// The identifier of arguments that hold a range of depths.
const DEPTHS: &str = "depths";

/// The identifier of arguments that name a book to go by.
const BOOK: &str = "book";

/// More memory than this for a table, in MiB, is a slip of the fingers.
const MAX_MEMORY: usize = 1 << 16;

/// Memory for the table of a command that is to solve something, in MiB.
const SOLVER_MEMORY: usize = 256;

/// More threads than this are a slip of the fingers.
const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();

/// How long to think about one move: a depth, or a time in its place, or to the end.
#[derive(Clone, Debug, Args)]
pub struct DepthOrTime {
    /// How many moves to look ahead, 1 is the own move only; or `perfect`, to play as well as can
    /// be: by the book, or else looking to the end of the game
    #[arg(id = EFFORT, value_name = "DEPTH", required_unless_present = "time")]
    #[arg(value_parser = effort_parser(MAX_DEPTH))]
    pub effort: Option<Effort>,

    /// Think this long instead: as deep as time allows by the clock on the wall, as in 1s or
    /// 250ms; after `perfect`, what to do with so much time
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Which book to go by
    #[command(flatten)]
    pub book: BookChoice,

    /// Do not say on standard error whether a move is from the book, exact or an estimate
    #[arg(long)]
    pub quiet: bool,
}

/// How far to look ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// So many plies.
    Depth(u32),
    /// To the end of the game.
    Perfect,
}

/// How to search.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Memory for the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Options::default().table_mib)]
    #[arg(value_parser = mebibytes_parser(0))]
    pub table: usize,

    /// Choose among equally good moves by this number instead of always the same
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// How many threads search together. With more than one, node counts and the choice among
    /// equally good moves depend on chance
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub threads: NonZeroUsize,
}

impl SearchArgs {
    pub(super) fn search<P: Program>(&self, program: &P) -> AlphaBeta<P::Evaluator> {
        AlphaBeta::new(program.evaluator(), self.options())
    }

    pub(super) fn options(&self) -> Options {
        Options {
            table_mib: self.table,
            seed: self.seed,
            threads: self.threads.get(),
            ..Options::default()
        }
    }
}

/// Holds the depth arguments of a command within the range of the game.
pub(super) fn limit_depth<P: Program>(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        EFFORT => arg.value_parser(effort_parser(P::MAX_DEPTH)),
        DEPTH => arg.value_parser(whole_number(1..=P::MAX_DEPTH)),
        PLIES => arg.value_parser(whole_number(0..=P::MAX_DEPTH)),
        DEPTHS => arg.value_parser(|text: &str| Depths::within(text, P::MAX_DEPTH)),
        _ => arg,
    }
}

/// Leaves out of the help the option that takes a book.
pub(super) fn hide_book(arg: Arg) -> Arg {
    let takes_book = arg.get_id() == BOOK;
    if takes_book { arg.hide(true) } else { arg }
}

/// Takes a negative number for the value of an option, so that the error is about the number and
/// its range; otherwise it would be about an option called `-1`.
pub(super) fn allow_negative(arg: Arg) -> Arg {
    match arg.get_action() {
        ArgAction::Set | ArgAction::Append => arg.allow_negative_numbers(true),
        _ => arg,
    }
}

/// How much memory a command takes that is to solve something.
#[derive(Clone, Debug, Args)]
pub struct MemoryArgs {
    /// Memory for the transposition table, which all threads share, in MiB
    #[arg(long = "memory", value_name = "MIB", default_value_t = SOLVER_MEMORY)]
    #[arg(value_parser = mebibytes_parser(1))]
    pub mebibytes: usize,
}

/// How many threads to work with.
#[derive(Clone, Copy, Debug, Args)]
pub struct ThreadsArgs {
    /// How many threads work together. With more than one, node counts depend on chance
    #[arg(long = "threads", value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = threads_parser())]
    pub count: NonZeroUsize,
}

/// Reads an amount of memory in MiB, `least` or more.
pub(super) fn mebibytes_parser(
    least: usize,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync + 'static {
    whole_number(least..=MAX_MEMORY)
}

/// Reads a number of threads.
pub(super) fn threads_parser()
-> impl Fn(&str) -> Result<NonZeroUsize, String> + Clone + Send + Sync + 'static {
    whole_number(NonZeroUsize::MIN..=MAX_THREADS)
}

fn effort_parser(
    greatest: u32,
) -> impl Fn(&str) -> Result<Effort, String> + Clone + Send + Sync + 'static {
    let depth = whole_number(1..=greatest);
    move |text| match text {
        "perfect" => Ok(Effort::Perfect),
        _ => depth(text).map(Effort::Depth).map_err(|expected| format!("{expected}, or perfect")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_stands_in_place_of_a_depth() {
        let parse = effort_parser(42);
        assert_eq!(parse("42"), Ok(Effort::Depth(42)));
        assert_eq!(parse("perfect"), Ok(Effort::Perfect));
        assert!(parse("43").is_err() && parse("Perfect").is_err());
    }
}

//! The command `openings`: the first moves that win, and the cost of each reply to them.

mod facts;
mod question;
mod report;
mod shared;
mod tree;
mod work;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use cpu_time::ProcessTime;
use network::{Move, Position, Rules};
use plyground_cli::{Failure, TableArgs, ThreadsArgs, listen, warn};
use plyground_durable::journal::{Journal, JournalError, OpenedJournal};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;

pub(crate) use self::shared::job;

use self::facts::Fact;
use self::report::{rows, summary};
use self::tree::{Extent, First, Tree};
use self::work::{Keeping, Work};
use crate::opening_table::opening_table;
use crate::start::{DEFAULT_CHIP, read_start};

pub(crate) const EXAMPLES: &str = "\
Examples:
  network openings --chips 7
  network openings --first 22,13 --journal openings.journal
  network openings --first 03 --least --csv replies.csv";

/// The arguments of `openings`.
#[derive(Clone, Debug, Args)]
pub struct OpeningsArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The first moves to ask about, separated by commas; without it, all but mirror images
    #[arg(long, value_name = "MOVES", value_delimiter = ',')]
    first: Vec<Move>,

    /// The replies to ask about, separated by commas; without it, all
    #[arg(long, value_name = "MOVES", value_delimiter = ',')]
    reply: Vec<Move>,

    /// The chip by which the player to move is to win at the latest
    #[arg(long, value_name = "K", default_value_t = DEFAULT_CHIP)]
    #[arg(value_parser = whole_number(1..=Position::CHIPS as u64))]
    chips: u64,

    /// Ask about every reply, even where one is known to refute the first move
    #[arg(long)]
    replies: bool,

    /// Find, for every reply, the first chip by which the player wins, K at the latest
    #[arg(long, conflicts_with = "replies")]
    least: bool,

    /// How many second moves to work on at a time
    #[command(flatten)]
    threads: ThreadsArgs,

    /// Memory for the proofs
    #[command(flatten)]
    table: TableArgs,

    /// Keep what is found in this file, and continue from it; it serves any chips and moves
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Write a row for every reply with the second move that wins; if none does, a row for each
    /// second move with the reply that refutes it
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
}

impl OpeningsArgs {
    fn extent(&self) -> Extent {
        match (self.replies, self.least) {
            (_, true) => Extent::Least,
            (true, false) => Extent::Replies,
            (false, false) => Extent::Firsts,
        }
    }

    /// Makes the questions, all of them open.
    fn tree(&self, start: &Position) -> Result<Tree, Failure> {
        let chips = self.chips as usize;
        Tree::new(start, &self.first, &self.reply, chips, self.extent())
            .map_err(|fault| Failure::Usage(fault.to_string()))
    }
}

/// Finds the first moves that win by a number of chips, with a second move that may depend on the reply.
pub(crate) fn openings(rules: Rules, args: &OpeningsArgs) -> Result<(), Failure> {
    let start = read_start(rules, args.file.as_deref(), args.chips)?;
    for path in [&args.csv, &args.journal].into_iter().flatten() {
        check_writable(path)?;
    }
    let clock = ProcessTime::now();
    let tree = args.tree(&start)?;
    let stop = listen()?;
    let mut work = Work::new(tree, args.table.mib, Arc::clone(&stop), Keeping::Nothing);
    if let Some(path) = &args.journal {
        let OpenedJournal { journal, entries, loss } = open_journal(path, &start)?;
        loss.iter().for_each(warn);
        work.resume(journal, entries);
    }
    let (tree, kept) = work.run(args.threads.count).map_err(Failure::Run)?;
    conclude(args, &start, &tree, clock.elapsed())?;
    // The journal is closed when everything is written: until then, it keeps other processes from the same
    // work.
    if let Keeping::Journal(journal) = kept {
        journal.close()?;
    }
    let (all, settled) = tree.progress();
    if stop.load(Ordering::Relaxed) && settled < all {
        let rest = args.journal.as_ref().map_or_else(String::new, |path| {
            format!(": what is known is in {}, and the same command goes on", path.display())
        });
        return Err(Failure::Stopped(format!("{settled} of {all} are settled{rest}")));
    }
    Ok(())
}

/// Writes and prints the results, with the CPU time.
fn conclude(
    args: &OpeningsArgs,
    start: &Position,
    tree: &Tree,
    cpu: Duration,
) -> Result<(), Failure> {
    if let Some(path) = &args.csv {
        write_whole(path, opening_table(rows(tree)))?;
    }
    let mut out = io::stdout().lock();
    write!(out, "{}", summary(start, tree))?;
    let nodes: u64 = tree.firsts.iter().map(First::nodes).sum();
    writeln!(out, "{nodes} nodes, {:.2} s CPU", cpu.as_secs_f64())?;
    Ok(())
}

/// Opens the journal of earlier facts about `start`, with their positions.
fn open_journal(
    path: &Path,
    start: &Position,
) -> Result<OpenedJournal<(Position, Fact)>, JournalError> {
    let board = start.to_string().replace('\n', "/");
    let title = format!("network {} openings of {board}", start.rules());
    Journal::open(path, &title, |line| parse_fact(start, line))
}

/// Reads the fact of a line of a journal about `start`, with its position.
fn parse_fact(start: &Position, line: &str) -> Option<(Position, Fact)> {
    let fact = Fact::parse(line)?;
    let position = fact.position(start).filter(|at| at.to_move() == start.to_move())?;
    Some((position, fact))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use network::ChipEval;
    use plyground::search::Options;
    use plyground::{AlphaBeta, Game, Limits, Search};
    use rand::prelude::*;

    use super::*;

    /// Returns a position after this many random plies, in which the game goes on.
    fn by_play(rules: Rules, plies: usize, rng: &mut StdRng) -> Position {
        let mut position = Position::new(rules);
        for _ in 0..plies {
            let moves = position.legal_moves();
            let quiet: Vec<_> =
                moves.filter(|&mv| position.after(mv).outcome().is_none()).collect();
            position.play_unchecked(*quiet.choose(rng).expect("a quiet move"));
        }
        position
    }

    fn run(start: &Position, chips: usize, extent: Extent, threads: usize) -> Tree {
        let tree = Tree::new(start, &[], &[], chips, extent).expect("legal moves");
        let work = Work::new(tree, 1, Arc::new(AtomicBool::new(false)), Keeping::Nothing);
        work.run(NonZeroUsize::new(threads).expect("threads")).expect("no journal").0
    }

    /// Returns true if the player to move wins within this many plies, by a search that knows no proofs.
    fn wins(search: &mut AlphaBeta<ChipEval>, position: &Position, plies: u32) -> bool {
        let report = search.best(position, &Limits::depth(plies));
        report.is_some_and(|report| report.score().is_win())
    }

    #[test]
    fn answers_are_those_of_a_plain_search() {
        let mut rng = StdRng::seed_from_u64(5);
        let options = Options { table_mib: 4, ..Options::default() };
        let mut search = AlphaBeta::new(ChipEval, options);
        let mut counts = [0; 2];
        for index in 0..40 {
            let rules = if index % 2 == 0 { Rules::Berkeley } else { Rules::Usf };
            // Each color has five chips: after a first and a second move the eighth chip is the next.
            let start = by_play(rules, 10, &mut rng);
            let tree = run(&start, 8, Extent::Replies, 1 + index % 3);
            for question in tree.firsts.iter().flat_map(|first| &first.questions) {
                let expected = wins(&mut search, &question.position, 3);
                assert_eq!(question.verdict(), Some(expected), "{}", question.position);
                counts[usize::from(expected)] += 1;
            }
            for first in &tree.firsts {
                let won = if first.questions.is_empty() {
                    let report = search.best(&start.after(first.mv), &Limits::depth(4));
                    report.is_none_or(|report| report.score().is_loss())
                } else {
                    first.questions.iter().all(|question| question.verdict() == Some(true))
                };
                assert_eq!(first.verdict(8), Some(won), "{} in\n{start}", first.mv);
            }
        }
        println!("{counts:?}");
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}

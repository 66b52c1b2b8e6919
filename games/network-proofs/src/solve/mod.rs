//! The command `solve`: a forced win.

mod problem;
mod report;
mod shared;
mod strategy;
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
use plyground_durable::journal::Journal;
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;

pub(crate) use self::shared::job;

use self::problem::{Problem, insert_seconds};
use self::report::{least_chips, proven, refutation, rows};
use self::strategy::write_strategy;
use self::work::{Finding, Known, Question, Work};
use crate::opening::Opening;
use crate::start::{DEFAULT_CHIP, read_start};
use crate::strategy::Strategy;

pub(crate) const EXAMPLES: &str = "\
Examples:
  network solve
  network solve position.txt --opening 22
  network solve --strategy answers.txt --threads 2 --table 1024
  network solve --opening 13 --seconds openings.csv
  network solve position.txt --least --csv replies.csv";

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The chip by which the player to move is to win at the latest
    #[arg(long, value_name = "K", default_value_t = DEFAULT_CHIP)]
    #[arg(value_parser = whole_number(1..=Position::CHIPS as u64))]
    chips: u64,

    /// The moves that the player begins with, whatever the opponent does, separated by commas;
    /// without a FILE, 03,73
    #[arg(long, value_name = "MOVES", value_delimiter = ',')]
    opening: Vec<Move>,

    /// The second moves after an opening of one move, by the reply: a table that openings wrote.
    /// Replies that are not won in the table are solved without it
    #[arg(long, value_name = "TABLE.csv", requires = "opening")]
    seconds: Option<PathBuf>,

    /// Find, for every reply, the first chip by which the player wins, K at the latest
    #[arg(long, conflicts_with = "strategy")]
    least: bool,

    /// How many replies to work on at a time
    #[command(flatten)]
    threads: ThreadsArgs,

    /// Memory for the proof
    #[command(flatten)]
    table: TableArgs,

    /// Write the winning answers to this file
    #[arg(long, value_name = "OUT")]
    strategy: Option<PathBuf>,

    /// Keep what is found in this file, and continue from it. With --strategy OUT it is OUT.journal
    /// by default, and removed in the end
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Write a row for every reply: the moves, the chip that wins, and the positions visited
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,

    /// Write the answers after the opening 03,73 as the table that is built into the program
    #[arg(long, value_name = "OUT", requires = "strategy")]
    prepared: Option<PathBuf>,
}

impl ProveArgs {
    fn problem(&self, rules: Rules) -> Result<Problem, Failure> {
        let start = read_start(rules, self.file.as_deref(), self.chips)?;
        let mut opening = match (&self.file, self.opening.as_slice()) {
            (None, []) => Opening::solved(rules),
            (_, moves) => Opening::new(moves),
        };
        if let Some(path) = &self.seconds {
            insert_seconds(&mut opening, &start, self.chips as usize, path)?;
        }
        Problem::new(start, opening, self.chips)
    }

    /// Returns the title of the journal of this work.
    fn title(&self, problem: &Problem) -> String {
        let kind = match (self.least, &self.strategy) {
            (true, _) => "least",
            (false, Some(_)) => "strategy",
            (false, None) => "proof",
        };
        problem.title(kind)
    }

    fn journal_path(&self) -> Option<PathBuf> {
        let beside = |path: &PathBuf| {
            let mut path = path.clone().into_os_string();
            path.push(".journal");
            path.into()
        };
        self.journal.clone().or_else(|| self.strategy.as_ref().map(beside))
    }

    /// Returns the files that are written at the end.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.strategy, &self.csv, &self.prepared].into_iter().flatten().map(PathBuf::as_path)
    }

    fn question(&self, start: &Position) -> Question {
        let chips = self.chips as usize;
        Question {
            color: start.to_move(),
            chips: if self.least { 1..=chips } else { chips..=chips },
            must_win_all: !self.least,
            with_answers: self.strategy.is_some(),
        }
    }
}

/// Proves that the player to move wins by a number of chips, or that it does not.
pub(crate) fn solve(rules: Rules, args: &ProveArgs) -> Result<(), Failure> {
    let journal_path = args.journal_path();
    args.outputs().chain(journal_path.as_deref()).try_for_each(check_writable)?;
    let clock = ProcessTime::now();
    let problem = args.problem(rules)?;
    let question = args.question(&problem.start);
    let stop = listen()?;
    let memory = args.table.mib;
    let work = Work::new(&problem.replies, question.clone(), memory, Arc::clone(&stop));
    if let Some(path) = &journal_path {
        let (replies, asked) = (problem.replies.len(), question.clone());
        let parse = |line: &str| Finding::parse(line, replies).filter(|found| asked.allows(found));
        let opened = Journal::open(path, &args.title(&problem), parse)?;
        opened.loss.iter().for_each(warn);
        work.resume(opened.journal, opened.entries).map_err(|why| Failure::Run(why.into()))?;
    }
    let known = work.run(args.threads.count).map_err(Failure::Run)?;
    let Known { findings, answers, journal } = known;
    let is_refuted = findings.iter().flatten().any(|finding| finding.chip.is_none());
    if stop.load(Ordering::Relaxed)
        && (!is_refuted || args.least)
        && let Some(stopped) = unfinished(&findings, journal_path.as_deref())
    {
        journal.map_or(Ok(()), Journal::close)?;
        return Err(stopped);
    }
    conclude(args, &problem, &findings, answers, clock.elapsed())?;
    match (journal, &args.journal) {
        (None, _) => Ok(()),
        (Some(journal), None) => Ok(journal.remove()?),
        (Some(journal), Some(_)) => Ok(journal.close()?),
    }
}

/// Writes and prints the results, with the CPU time.
fn conclude(
    args: &ProveArgs,
    problem: &Problem,
    findings: &[Option<Finding>],
    answers: Strategy,
    cpu: Duration,
) -> Result<(), Failure> {
    let refuted = findings.iter().flatten().find(|finding| finding.chip.is_none());
    if let Some(path) = &args.csv {
        write_whole(path, rows(&problem.replies, findings))?;
    }
    let answer = match refuted {
        _ if args.least => least_chips(problem, findings),
        Some(refuted) => refutation(problem, refuted.index, findings),
        None => proven(problem),
    };
    let nodes: u64 = findings.iter().flatten().map(|finding| finding.nodes).sum();
    writeln!(io::stdout(), "{answer}{nodes} nodes, {:.2} s CPU", cpu.as_secs_f64())?;
    if let (Some(path), None) = (&args.strategy, refuted) {
        write_strategy(path, args.prepared.as_deref(), problem, answers)?;
    }
    Ok(())
}

/// Returns the failure that counts the solved replies, if the work was interrupted before its end.
fn unfinished(findings: &[Option<Finding>], journal: Option<&Path>) -> Option<Failure> {
    let (done, all) = (findings.iter().flatten().count(), findings.len());
    if done == all {
        return None;
    }
    let rest = journal.map_or_else(String::new, |path| {
        format!(": they are in {}, and the same command goes on from there", path.display())
    });
    Some(Failure::Stopped(format!("{done} of {all} replies are solved{rest}")))
}

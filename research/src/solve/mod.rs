//! The command `solve`: a problem, and the report, table and strategy that its proof makes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use cpu_time::ProcessTime;
use network::solution::{Frame, PAIRS, index};
use network::{Move, Position, Rules, Square};
use plyground_cli::{Failure, TableArgs, TextFile, ThreadsArgs, listen, warn};
use plyground_durable::journal::Journal;
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::text::csv_text;
use plyground_durable::whole_number;

use self::work::{Finding, Known, Question, Work};
use crate::opening::{
    DEFAULT_CHIP, Opening, RepliedOpening, chart, moves_text, parse_opening_table, read_start,
};
use crate::strategy::{Strategy, Unproven};

mod work;

pub(crate) use self::work::job;

pub(crate) const EXAMPLES: &str = "\
Examples:
  research solve
  research solve position.txt --opening 22
  research solve --strategy answers.txt --threads 2 --table 1024
  research solve --opening 13 --seconds openings.csv
  research solve position.txt --least --csv replies.csv";

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct ProveArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game
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

    /// The number of replies that are worked on at a time
    #[command(flatten)]
    threads: ThreadsArgs,

    /// Memory for the proof
    #[command(flatten)]
    table: TableArgs,

    /// Write the winning answers to this file
    #[arg(long, value_name = "OUT")]
    strategy: Option<PathBuf>,

    /// Keep the results in this file, and continue from it. With --strategy OUT it is OUT.journal
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

const SECONDS: TextFile<'_> =
    TextFile { expected: "a table of openings", what: "the table", most: 1 << 24 };

/// A problem: does a player win by a chip, after an opening and any replies to it?
#[derive(Clone, Debug)]
struct Problem {
    /// The start position; the player who must win is to move.
    start: Position,
    /// The opening of this player.
    opening: Opening,
    /// The replies to the opening.
    replies: Vec<RepliedOpening>,
    /// The number of the player's chip.
    chips: u64,
}

impl Problem {
    /// Makes the problem with the replies to its opening, which must be playable.
    fn new(start: Position, opening: Opening, chips: u64) -> Result<Problem, Failure> {
        let replies = opening.replies(&start).map_err(|fault| Failure::Usage(fault.to_string()))?;
        Ok(Problem { start, opening, replies, chips })
    }

    /// Returns the title of a journal of this kind of work on the problem.
    fn title(&self, kind: &str) -> String {
        let Problem { start, opening, chips, .. } = self;
        let moves: Vec<_> = opening.moves.iter().map(Move::to_string).collect();
        let opening = moves.join(",") + &self.seconds();
        let (rules, board) = (start.rules(), start.to_string().replace('\n', "/"));
        format!("network {rules} {kind} chips {chips} opening {opening} of {board}")
    }

    /// Returns the replies to the first move, each with the second move, if that depends on the reply.
    fn seconds(&self) -> String {
        if self.opening.answers.is_empty() {
            return String::new();
        }
        let pair = |reply: &RepliedOpening| moves_text(reply.moves.get(1..3).unwrap_or_default());
        let mut pairs: Vec<_> = self.replies.iter().map(pair).collect();
        pairs.dedup();
        format!(" with {}", pairs.join(","))
    }
}

/// Adds the second moves of the table in a file to an opening of one move.
fn insert_seconds(
    opening: &mut Opening,
    start: &Position,
    chips: usize,
    path: &Path,
) -> Result<(), Failure> {
    let [first] = opening.moves[..] else {
        let fault = "--seconds: expected an opening of one move".to_owned();
        return Err(Failure::Usage(fault));
    };
    let refused = |fault: String| Failure::Usage(format!("{}:{fault}", path.display()));
    let rows =
        parse_opening_table(&SECONDS.read(path)?).map_err(|fault| refused(fault.to_string()))?;
    opening.insert_seconds(start, chips, &rows).map_err(|fault| refused(format!(" {fault}")))?;
    if opening.answers.is_empty() {
        return Err(refused(format!(" expected a second move after {first}, found none")));
    }
    Ok(())
}

/// Returns the text of a proof that the player wins.
fn proven(problem: &Problem) -> String {
    let Problem { start, opening, replies, chips } = problem;
    let with = match opening.moves.as_slice() {
        [] => String::new(),
        moves => format!(" with {}", moves_text(moves)),
    };
    let (color, count) = (start.to_move(), replies.len());
    format!("{color} wins by chip {chips}{with}: proven for {count} replies\n")
}

/// Returns the text that the player does not win, because of the reply of this number.
fn refutation(problem: &Problem, reply: usize, findings: &[Option<Finding>]) -> String {
    let (color, chips, reply) = (problem.start.to_move(), problem.chips, &problem.replies[reply]);
    let after = match reply.moves.as_slice() {
        [] => String::new(),
        moves => format!(" after {}", moves_text(moves)),
    };
    let won = findings.iter().flatten().filter(|finding| finding.chip.is_some()).count();
    let mut text = format!(
        "{color} does not complete a network by chip {chips}{after}:\n{}\n",
        reply.position
    );
    if findings.len() > 1 {
        text += &format!("{won} of {} replies were proven won before\n", findings.len());
    }
    text
}

/// Returns the text of the number of replies won by each chip, and a board of the chips that suffice for
/// replies on each square.
fn least_chips(problem: &Problem, findings: &[Option<Finding>]) -> String {
    let (color, replies) = (problem.start.to_move(), &problem.replies);
    let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for finding in findings.iter().flatten() {
        *counts.entry(finding.chip).or_default() += 1;
    }
    let mut text = format!("Replies: {}\n", replies.len());
    for (chip, count) in counts {
        // Writing to a string does not fail.
        let _ = match chip {
            Some(chip) => writeln!(text, "{color} wins by chip {chip}, not before: {count}"),
            None => writeln!(text, "{color} completes no network: {count}"),
        };
    }
    if replies.iter().any(|reply| !reply.moves.is_empty()) {
        text += &board_of_least(replies, findings);
    }
    text
}

/// Returns a board with, for each square on which the other color puts a chip, the chip that suffices
/// against all its other moves.
fn board_of_least(replies: &[RepliedOpening], findings: &[Option<Finding>]) -> String {
    let mut chips: BTreeMap<Square, Option<usize>> = BTreeMap::new();
    for finding in findings.iter().flatten() {
        for position in replies[finding.index].mirrored() {
            for square in position.chips(position.to_move().other()) {
                let most = chips.entry(square).or_insert(finding.chip);
                // `None`, no chip that suffices, counts as worse than every chip.
                *most = most.zip(finding.chip).map(|(most, chip)| most.max(chip));
            }
        }
    }
    let cell = |square| match chips.get(&square) {
        Some(Some(chip)) => chip.to_string(),
        Some(None) => "?".to_owned(),
        None => ".".to_owned(),
    };
    chart("The chip that suffices when a reply is on the square", cell) + "\n"
}

/// Returns a table of all replies, as CSV.
fn rows(replies: &[RepliedOpening], findings: &[Option<Finding>]) -> String {
    let rows = findings.iter().flatten().map(|finding| {
        let chip = finding.chip.map_or_else(String::new, |chip| chip.to_string());
        vec![moves_text(&replies[finding.index].moves), chip, finding.nodes.to_string()]
    });
    csv_text(["moves", "chip", "nodes"], rows)
}

/// Writes the answers to all replies, and, if `book` is given, the table of answers that is built into the
/// program.
fn write_strategy(
    path: &Path,
    book: Option<&Path>,
    problem: &Problem,
    mut strategy: Strategy,
) -> Result<(), Failure> {
    let Problem { start, opening, replies, chips } = problem;
    let unproven = |why: Unproven| Failure::Run(why.into());
    opening.enter(start, &mut strategy).map_err(|why| Failure::Run(why.into()))?;
    let (text, answers) = strategy.text(start, *chips as usize).map_err(unproven)?;
    write_whole(path, text)?;
    writeln!(io::stdout(), "{}: {answers} answers", path.display())?;
    book.map_or(Ok(()), |path| write_book(path, replies, &strategy))
}

/// Writes the answers to all pairs of replies to the opening of the solution.
fn write_book(path: &Path, replies: &[RepliedOpening], strategy: &Strategy) -> Result<(), Failure> {
    let mut book = vec![0; PAIRS];
    let mut known = 0;
    for pair in replies.iter().flat_map(|reply| reply.mirrored()) {
        let frame = Frame::of(&pair).filter(|frame| frame.follows_opening(&pair));
        let Some(frame) = frame else { continue };
        let place = index(frame.others()).and_then(|place| book.get_mut(place));
        let (Some(byte), Some(answer)) = (place, strategy.answer(&pair)) else { continue };
        known += usize::from(*byte == 0);
        *byte = frame.inside(answer.to()).index() as u8;
    }
    write_whole(path, &book)?;
    writeln!(io::stdout(), "{}: {known} of {PAIRS} pairs", path.display())?;
    Ok(())
}

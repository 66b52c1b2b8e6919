//! The commands `solve` and `verify-solution`: a forced win, and its check.

pub mod openings;
mod report;
mod work;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use cpu_time::ProcessTime;
use network::solution::{
    Frame, Gap, Opening, PAIRS, Reply, Strategy, Unproven, check, index, parse_opening_table,
};
use network::{Move, Position, Rules, parse_state};
use plyground::Game;
use plyground::cli::{Failure, MemoryArgs, TextFile, ThreadsArgs, listen, whole_number};
use plyground::journal::Journal;
use plyground::output::{check_folder, write_whole};
use plyground::state::{ReadError, read_text};

use report::{least_chips, proven, refutation, rows};
use work::{Finding, Question, Work, moves_text};

/// The chip by which the first player wins the game.
const DEFAULT_CHIPS: u64 = 8;

const STRATEGY: TextFile<'_> =
    TextFile { expected: "a strategy", what: "the strategy", most: 1 << 30 };
const SECONDS: TextFile<'_> =
    TextFile { expected: "a table of openings", what: "the table", most: 1 << 24 };

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// With which of its chips the player to move is to win at the latest
    #[arg(long, value_name = "K", default_value_t = DEFAULT_CHIPS)]
    #[arg(value_parser = whole_number(1..=Position::CHIPS as u64))]
    chips: u64,

    /// What the player begins with, whatever the other does: squares with commas between; at the
    /// start of a game 03,73, without a FILE
    #[arg(long, value_name = "MOVES", value_delimiter = ',')]
    opening: Vec<Move>,

    /// What the player goes on with after an opening of one move, by the reply: the table that
    /// openings wrote. A reply that is not won in it is worked on without
    #[arg(long, value_name = "TABLE.csv", requires = "opening")]
    seconds: Option<PathBuf>,

    /// Find out for every reply with which chip at the latest the player wins, K or an earlier
    /// one
    #[arg(long, conflicts_with = "strategy")]
    least: bool,

    /// How many replies to work on at a time
    #[command(flatten)]
    threads: ThreadsArgs,

    /// Memory for the proof
    #[command(flatten)]
    memory: MemoryArgs,

    /// Write the winning answers to this file
    #[arg(long, value_name = "OUT")]
    strategy: Option<PathBuf>,

    /// Keep what is found in this file, and go on from what it has; OUT.journal if there is a
    /// strategy to write, and then removed in the end
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Write a row for every reply: the moves, with which chip it is won, the positions visited
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,

    /// Write the answers to the replies as the table that the program goes by itself, for the
    /// opening 03,73
    #[arg(long, value_name = "OUT", requires = "strategy")]
    book: Option<PathBuf>,
}

/// The arguments of `verify-solution`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The strategy that solve wrote; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl SolveArgs {
    fn journal_path(&self) -> Option<PathBuf> {
        let beside = |path: &PathBuf| {
            let mut path = path.clone().into_os_string();
            path.push(".journal");
            path.into()
        };
        self.journal.clone().or_else(|| self.strategy.as_ref().map(beside))
    }

    /// What the player begins with.
    fn opening(&self, start: &Position) -> Result<Opening, Failure> {
        let mut opening = match (&self.file, self.opening.as_slice()) {
            (None, []) => Opening::solved(start.rules()),
            (_, moves) => Opening::new(moves),
        };
        let Some(path) = &self.seconds else { return Ok(opening) };
        let [first] = self.opening.as_slice() else {
            let fault = "--seconds: expected an opening of one move".to_owned();
            return Err(Failure::Usage(fault));
        };
        let of_table = |fault: String| Failure::Usage(format!("{}{fault}", path.display()));
        let rows = parse_opening_table(&SECONDS.read(path)?)
            .map_err(|fault| of_table(format!(":{fault}")))?;
        opening
            .insert_seconds(start, self.chips as usize, &rows)
            .map_err(|fault| of_table(format!(": {fault}")))?;
        if opening.answers.is_empty() {
            let expected = format!("expected a second move after {first}, found none");
            return Err(of_table(format!(": {expected}")));
        }
        Ok(opening)
    }

    /// What a journal of this work is called.
    fn title(&self, start: &Position, opening: &Opening, replies: &[Reply]) -> String {
        let moves: Vec<_> = opening.moves.iter().map(Move::to_string).collect();
        let kind = match (self.least, &self.strategy) {
            (true, _) => "least",
            (false, Some(_)) => "strategy",
            (false, None) => "proof",
        };
        let (rules, chips) = (start.rules(), self.chips);
        let board = start.to_string().replace('\n', "/");
        let opening = moves.join(",") + &self.seconds_text(replies);
        format!("network {rules} {kind} chips {chips} opening {opening} of {board}")
    }

    /// The replies to the first move, each with the second move, if there are any.
    fn seconds_text(&self, replies: &[Reply]) -> String {
        if self.seconds.is_none() {
            return String::new();
        }
        let mut pairs: Vec<_> = replies
            .iter()
            .map(|reply| moves_text(reply.moves.get(1..3).unwrap_or_default()))
            .collect();
        pairs.dedup();
        format!(" with {}", pairs.join(","))
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

/// Proves that the player to move wins by a number of chips, or that he does not.
pub fn solve(rules: Rules, args: &SolveArgs) -> Result<(), Failure> {
    let start = read_start(rules, args.file.as_deref())?;
    for path in [&args.strategy, &args.csv, &args.book].into_iter().flatten() {
        check_folder(path)?;
    }
    let clock = ProcessTime::now();
    let opening = args.opening(&start)?;
    let replies = opening.replies(&start).map_err(|fault| Failure::Usage(fault.to_string()))?;
    let mut work = Work::new(&replies, args.question(&start), args.memory.mebibytes, listen()?);
    let journal_path = args.journal_path();
    if let Some(path) = &journal_path {
        let parse = |line: &str| Finding::parse(line, replies.len());
        let (journal, found) = Journal::open(path, &args.title(&start, &opening, &replies), parse)
            .map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?;
        work.resume(journal, found);
    }
    let findings = work.run(args.threads.count).map_err(|why| Failure::Run(why.into()))?;
    let refuted = findings.iter().flatten().find(|finding| finding.chip.is_none());
    if refuted.is_none() || args.least {
        stopped(&work, &findings, journal_path.as_deref())?;
    }
    if let Some(path) = &args.csv {
        write_whole(path, rows(&replies, &findings))?;
    }
    let mut out = io::stdout().lock();
    let nodes: u64 = findings.iter().flatten().map(|finding| finding.nodes).sum();
    match refuted.filter(|_| !args.least) {
        Some(refuted) => {
            write!(out, "{}", refutation(&start, args.chips, &replies[refuted.index], &findings))?;
        }
        None if args.least => write!(out, "{}", least_chips(&start, &replies, &findings))?,
        None => write!(out, "{}", proven(&start, args.chips, &opening, replies.len()))?,
    }
    writeln!(out, "{nodes} nodes, {:.2} s CPU", clock.elapsed().as_secs_f64())?;
    if refuted.is_none() {
        write_strategy(args, &start, &opening, &replies, &findings)?;
    }
    if let (Some(path), None) = (&journal_path, &args.journal) {
        fs::remove_file(path).map_err(|error| {
            let why = format!("{}: cannot remove the journal: {error}", path.display());
            Failure::Run(anyhow::Error::msg(why))
        })?;
    }
    Ok(())
}

/// The position that the work begins with.
fn read_start(rules: Rules, path: Option<&Path>) -> Result<Position, Failure> {
    let start = match path {
        Some(path) => {
            let fault = |fault| ReadError::Fault { path: path.to_owned(), fault };
            parse_state(&read_text(path)?, rules).map_err(fault)?
        }
        None => Position::new(rules),
    };
    match start.outcome() {
        Some(_) => Err(Failure::Usage("the game is over".to_owned())),
        None => Ok(start),
    }
}

/// Says what is proven so far, if the user has interrupted the work.
fn stopped(
    work: &Work<'_>,
    findings: &[Option<Finding>],
    journal: Option<&Path>,
) -> Result<(), Failure> {
    let (done, all) = (findings.iter().flatten().count(), findings.len());
    if !work.stop.load(Ordering::Relaxed) || done == all {
        return Ok(());
    }
    let rest = journal.map_or_else(String::new, |path| {
        format!(": they are in {}, and the same command goes on from there", path.display())
    });
    Err(Failure::Stopped(format!("{done} of {all} replies are solved{rest}")))
}

fn write_strategy(
    args: &SolveArgs,
    start: &Position,
    opening: &Opening,
    replies: &[Reply],
    findings: &[Option<Finding>],
) -> Result<(), Failure> {
    let Some(path) = &args.strategy else { return Ok(()) };
    let unproven = |why: Unproven| Failure::Run(why.into());
    let mut strategy = Strategy::default();
    for finding in findings.iter().flatten() {
        let position = &replies[finding.index].position;
        let known = strategy.insert_letters(position, &finding.letters);
        known.ok_or_else(|| unproven(Unproven(Box::new(*position))))?;
    }
    strategy.insert_opening(start, opening).map_err(|why| Failure::Run(why.into()))?;
    let (text, answers) = strategy.text(start, args.chips as usize).map_err(unproven)?;
    write_whole(path, text)?;
    writeln!(io::stdout(), "{}: {answers} answers", path.display())?;
    match &args.book {
        Some(path) => write_book(path, replies, &strategy),
        None => Ok(()),
    }
}

/// Writes the answers to all pairs of replies to the opening of the solution.
fn write_book(path: &Path, replies: &[Reply], strategy: &Strategy) -> Result<(), Failure> {
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

/// Checks a strategy by the naive rules.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let text = STRATEGY.read(&args.file)?;
    let checked = check(&text).map_err(|gap| {
        let fault = format!("{}: {gap}", args.file.display());
        match gap {
            Gap::Heading | Gap::Letter(_) => Failure::Usage(fault),
            _ => Failure::Run(anyhow::Error::msg(fault)),
        }
    })?;
    writeln!(
        io::stdout(),
        "Accepted, 0 gaps: {} answers, {} replies, {} of them lost at once",
        checked.answers,
        checked.replies,
        checked.wins
    )?;
    Ok(())
}

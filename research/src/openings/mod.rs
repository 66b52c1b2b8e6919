//! The command `openings`: the first moves that win, the cost of each reply to them, and the report and
//! table of both; and the openings as work that tasks share: each task has first moves, or replies to them.

mod question;
mod work;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use cpu_time::{ProcessTime, ThreadTime};
use network::{Move, Position, Rules};
use plyground_cli::{Failure, Job, Prepared, TableArgs, ThreadsArgs, listen, warn};
use plyground_durable::journal::{Journal, JournalError, OpenedJournal};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};

use self::question::{Fact, Facts, MoveStatus, Question, parse_fact};
use self::work::{Extent, First, Keeping, Tree, Work};
use crate::opening::{
    DEFAULT_CHIP, OpeningResult, OpeningRow, chart, moves_text, opening_table, read_start,
};
use crate::{Part, check_shareable};

pub(crate) const EXAMPLES: &str = "\
Examples:
  research openings --chips 7
  research openings --first 22,13 --journal openings.journal
  research openings --first 03 --least --csv replies.csv";

/// The arguments of `openings`.
#[derive(Clone, Debug, Args)]
pub struct OpeningsArgs {
    /// The state file with the position, or - for standard input; without it, the start of a game
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

    /// The number of second moves that are worked on at a time
    #[command(flatten)]
    threads: ThreadsArgs,

    /// Memory for the proofs
    #[command(flatten)]
    table: TableArgs,

    /// Keep the results in this file, and continue from it; one journal serves any chips and moves
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
    // The journal is closed last, because until then it keeps other processes from the same work.
    if let Keeping::Journal(journal) = kept {
        journal.close()?;
    }
    let (all, settled) = tree.progress();
    if stop.load(Ordering::Relaxed) && settled < all {
        let rest = args.journal.as_ref().map_or_else(String::new, |path| {
            format!(": the results are in {}, and the same command goes on", path.display())
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

/// Returns the text of the first moves that win; where the least chip was asked for every reply, with a
/// board of these chips for each first move.
fn summary(start: &Position, tree: &Tree) -> String {
    let (color, chips) = (start.to_move(), tree.chips);
    let count =
        |verdict| tree.firsts.iter().filter(|first| first.verdict(chips) == verdict).count();
    let (won, not_won, open) = (count(Some(true)), count(Some(false)), count(None));
    let all = tree.firsts.len();
    let mut text =
        format!("{color} wins by chip {chips} with {won} of {all} first moves, not with {not_won}");
    text += &if open > 0 { format!("; {open} are open\n\n") } else { "\n\n".to_owned() };
    text += " First  By chip          Replies won         Nodes\n";
    for first in &tree.firsts {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line(first, chips));
    }
    if tree.extent == Extent::Least {
        tree.firsts.iter().for_each(|first| text += &board(first));
    }
    text + "\n"
}

/// Returns the line of a first move.
fn line(first: &First, chips: usize) -> String {
    let value = match (first.verdict(chips), first.refuter(chips)) {
        (Some(true), _) => {
            let chip = first.questions.iter().map(|question| question.chip).max();
            format!("{}", chip.unwrap_or(chips))
        }
        (Some(false), Some(question)) => match question.moves.last() {
            Some(reply) => format!("not after {reply}"),
            None => "not".to_owned(),
        },
        (Some(false), None) => "not".to_owned(),
        (None, _) => "open".to_owned(),
    };
    let won = first.questions.iter().filter(|question| question.verdict() == Some(true)).count();
    let replies = format!("{won} of {}", first.questions.len());
    format!(" {:<5}  {value:<15}  {replies:<11}  {:>12}", first.mv.to_string(), first.nodes())
}

/// Returns a board with the least chip by which the color wins after each reply that is an add.
fn board(first: &First) -> String {
    let heading = format!("The chip that suffices after {} and a reply on the square", first.mv);
    chart(&heading, |square| {
        let is_about = |question: &&Question| question.moves.last() == Some(&Move::Add(square));
        let question = first.questions.iter().find(is_about);
        question.map_or_else(
            || ".".to_owned(),
            |question| match question.verdict() {
                Some(true) => question.chip.to_string(),
                Some(false) => format!(">{}", question.chip),
                None => "?".to_owned(),
            },
        )
    })
}

/// Returns the rows of a table of all settled questions.
fn rows(tree: &Tree) -> impl Iterator<Item = OpeningRow> {
    tree.firsts.iter().flat_map(|first| &first.questions).flat_map(rows_of)
}

/// Returns the row of a question that a second move answers, or the rows of its second moves if all are
/// refuted.
fn rows_of(question: &Question) -> Vec<OpeningRow> {
    let [first, reply] = question.moves[..] else { return Vec::new() };
    let row = |result| OpeningRow { first, reply, chip: question.chip, result };
    let refuted = question.seconds.iter().filter_map(|second| match second.status {
        MoveStatus::Refuted(by) => Some(row(OpeningResult::Refuted { second: second.mv, by })),
        MoveStatus::Open | MoveStatus::Wins => None,
    });
    match question.verdict() {
        Some(true) => vec![row(OpeningResult::Won(question.winner()))],
        Some(false) => refuted.collect(),
        None => Vec::new(),
    }
}

struct OpeningsJob {
    args: OpeningsArgs,
    start: Position,
    /// The questions before the work.
    tree: Tree,
    pieces: Vec<Piece>,
}

/// A piece of the work: a first move, or one reply to it if all replies are asked about.
struct Piece {
    name: String,
    /// The index of the first move.
    first: usize,
    reply: Option<Move>,
}

/// Makes the shared work on the questions about openings.
pub(crate) fn job(rules: Rules, args: &OpeningsArgs) -> Result<Job, Failure> {
    check_shareable("openings", args.file.as_deref(), &args.threads, args.journal.as_deref())?;
    let start = read_start(rules, args.file.as_deref(), args.chips)?;
    let tree = args.tree(&start)?;
    let pieces = pieces(&tree);
    let lines = [
        "openings".to_owned(),
        format!("network {} {}", start.rules(), start.to_string().replace('\n', "/")),
        format!("chips {}, {:?}", args.chips, tree.extent),
        format!("first {}", moves_text(&args.first)),
        format!("replies {}", moves_text(&args.reply)),
        format!("table of {} MiB", args.table.mib),
    ];
    let output = args.csv.as_deref().or(args.file.as_deref());
    let namesake = output.unwrap_or(Path::new("openings"));
    let csv = args.csv.clone();
    let prepare = move || {
        csv.as_deref().map_or(Ok(()), check_writable)?;
        Ok(Prepared::default())
    };
    let job = Arc::new(OpeningsJob { args: args.clone(), start, tree, pieces });
    let workload = Arc::clone(&job);
    let job = Job::new(lines, namesake, workload, move |folder| job.merge(folder));
    Ok(Job { measures_time: false, prepare: Box::new(prepare), ..job })
}

/// Returns the pieces of the questions that need a search.
fn pieces(tree: &Tree) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (first, found) in tree.firsts.iter().enumerate() {
        if tree.is_settled(found) {
            continue;
        }
        let open = found.questions.iter().filter(|question| question.verdict().is_none());
        let replies: Vec<Option<Move>> = match tree.extent {
            Extent::Firsts => vec![None],
            Extent::Replies | Extent::Least => {
                open.map(|question| question.moves.last().copied()).collect()
            }
        };
        for reply in replies {
            let moves: Vec<Move> = [found.mv].into_iter().chain(reply).collect();
            let name = piece_name(pieces.len(), &moves_text(&moves).replace(' ', "_"));
            pieces.push(Piece { name, first, reply });
        }
    }
    pieces
}

impl OpeningsJob {
    /// Prints the same as `openings` does with all facts in a journal; questions of missing pieces are
    /// open.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let (mut facts, mut tree, mut cpu) = (Facts::default(), self.tree.clone(), Duration::ZERO);
        for piece in &self.pieces {
            let part = Part::read(folder, &piece.name, |line| parse_fact(&self.start, line));
            let Some(part) = part? else { continue };
            for (position, fact) in &part.found {
                facts.add(position, fact.chip, fact.won);
            }
            tree.firsts[piece.first].nodes_elsewhere += part.nodes;
            cpu += part.cpu();
        }
        tree.learn(&facts);
        conclude(&self.args, &self.start, &tree, cpu)
    }
}

impl Workload for OpeningsJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok(self.pieces.iter().map(|piece| piece.name.clone()).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let failed = |why: &dyn ToString| PieceError::Failed(why.to_string());
        let found = self.pieces.iter().find(|other| other.name == piece);
        let piece = found.ok_or_else(|| failed(&"there is no such opening"))?;
        let begun = ThreadTime::now();
        let replies = piece.reply.map_or_else(|| self.args.reply.clone(), |reply| vec![reply]);
        let Tree { chips, extent, ref firsts, .. } = self.tree;
        let first = firsts[piece.first].mv;
        let tree = Tree::new(&self.start, &[first], &replies, chips, extent);
        let tree = tree.map_err(|fault| failed(&fault))?;
        let work =
            Work::new(tree, self.args.table.mib, Arc::clone(stop), Keeping::List(Vec::new()));
        let done = work.in_turn().map_err(|error| failed(&error))?;
        let Some((tree, Keeping::List(lines))) = done else { return Ok(None) };
        let nodes = tree.firsts.iter().map(|first| first.nodes()).sum();
        Part::new(begun, nodes, lines).to_bytes().map(Some)
    }
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

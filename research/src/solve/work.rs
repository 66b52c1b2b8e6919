//! The replies of an opening, solved by several threads at a time; and a proof as work that tasks share:
//! each task has some of the replies.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use indicatif::ProgressBar;
use network::{Color, Rules, Win};
use plyground::Limits;
use plyground::proof::Prover;
use plyground::search::SearchContext;
use plyground_cli::{Failure, Job, Prepared, progress};
use plyground_durable::FileError;
use plyground_durable::journal::Journal;
use plyground_durable::output::check_writable;
use plyground_durable::work::{
    PieceError, WorkError, WorkFolder, Workload, piece_name, run_in_threads,
};

use super::{Problem, ProveArgs, conclude};
use crate::opening::{RepliedOpening, moves_text, plies_to_chip};
use crate::strategy::{FIRST_LETTER, SQUARES, Strategy, Unproven};
use crate::{Part, check_shareable, speed_of};

/// The question about every reply.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The color that must win.
    pub(super) color: Color,
    /// The chips that are tried, up to the first that suffices.
    pub(super) chips: RangeInclusive<usize>,
    /// If true, a single reply that the color does not beat settles the matter.
    pub(super) must_win_all: bool,
    /// If true, the answers of the color are wanted too.
    pub(super) with_answers: bool,
}

impl Question {
    /// Returns true if the finding can be an answer to the question.
    pub(super) fn allows(&self, finding: &Finding) -> bool {
        let is_letter = |letter| (FIRST_LETTER..FIRST_LETTER + SQUARES).contains(&letter);
        finding.chip.is_none_or(|chip| self.chips.contains(&chip))
            && (self.with_answers || finding.letters.is_empty())
            && finding.letters.bytes().all(is_letter)
    }

    /// Returns the color's answers in a finding about one of `replies`; no answers if they were not wanted.
    ///
    /// # Errors
    ///
    /// Returns an error if the letters of the finding are not answers to the reply.
    fn answers(&self, finding: &Finding, replies: &[RepliedOpening]) -> Result<Strategy, Unproven> {
        if !self.with_answers || finding.chip.is_none() {
            return Ok(Strategy::default());
        }
        let position = &replies[finding.index].position;
        let answers = Strategy::of_letters(position, &finding.letters);
        answers.ok_or_else(|| Unproven(Box::new(*position)))
    }

    /// Returns true if the finding settles the matter.
    fn is_settled_by(&self, finding: &Finding) -> bool {
        self.must_win_all && finding.chip.is_none()
    }
}

/// The finding about a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The number of the reply.
    pub(super) index: usize,
    /// The number of the chip by which the color wins; `None` if it wins by no chip that was asked for.
    pub(super) chip: Option<usize>,
    /// Positions visited.
    pub(super) nodes: u64,
    /// The color's answers, if they were wanted, as in a strategy.
    pub(super) letters: String,
}

/// The text in the place of the chip if no chip suffices.
const NO_CHIP: &str = "-";

impl Finding {
    /// Reads the finding in a line of a journal about this many replies.
    pub(super) fn parse(line: &str, replies: usize) -> Option<Finding> {
        let mut fields = line.split(' ');
        let index = fields.next()?.parse().ok().filter(|&index| index < replies)?;
        let chip = match fields.next()? {
            NO_CHIP => None,
            chip => Some(chip.parse().ok()?),
        };
        let nodes = fields.next()?.parse().ok()?;
        let letters = fields.next()?.to_owned();
        fields.next().is_none().then_some(Finding { index, chip, nodes, letters })
    }

    fn line(&self) -> String {
        let chip = self.chip.map_or_else(|| NO_CHIP.to_owned(), |chip| chip.to_string());
        format!("{} {chip} {} {}", self.index, self.nodes, self.letters)
    }
}

/// The work that the threads share.
pub(super) struct Work<'a> {
    replies: &'a [RepliedOpening],
    question: Question,
    prover: Prover,
    known: Mutex<Known>,
    /// The context of the searches. Its flag is raised when the user interrupts, and when a reply is refuted
    /// that had to be won.
    context: SearchContext,
}

/// The results so far.
pub(super) struct Known {
    /// All findings, by the numbers of the replies.
    pub(super) findings: Vec<Option<Finding>>,
    /// The color's answers in the findings, if they were wanted.
    pub(super) answers: Strategy,
    /// The journal that keeps the findings.
    pub(super) journal: Option<Journal>,
}

impl<'a> Work<'a> {
    /// Makes work that has not begun.
    pub(super) fn new(
        replies: &'a [RepliedOpening],
        question: Question,
        memory: usize,
        stop: Arc<AtomicBool>,
    ) -> Work<'a> {
        let findings = vec![None; replies.len()];
        let known = Known { findings, answers: Strategy::default(), journal: None };
        let (prover, known) = (Prover::new(memory), Mutex::new(known));
        Work { replies, question, prover, known, context: stop.into() }
    }

    /// Adds earlier findings, and keeps new findings in `journal`.
    ///
    /// # Errors
    ///
    /// Returns an error if the letters of a finding are not answers to its reply.
    pub(super) fn resume(&self, journal: Journal, findings: Vec<Finding>) -> Result<(), Unproven> {
        let mut known = self.lock();
        for finding in findings {
            let answers = self.question.answers(&finding, self.replies)?;
            self.take_in(&mut known, finding, answers);
        }
        known.journal = Some(journal);
        Ok(())
    }

    /// Solves the open replies until all are solved or the work is stopped. Returns all results.
    pub(super) fn run(self, threads: NonZeroUsize) -> anyhow::Result<Known> {
        let open: Vec<usize> = {
            let findings = &self.lock().findings;
            (0..findings.len()).filter(|&index| findings[index].is_none()).collect()
        };
        let bar = self.progress_bar(self.replies.len() - open.len());
        let taken = AtomicUsize::new(0);
        let next = || {
            let index = *open.get(taken.fetch_add(1, Ordering::Relaxed))?;
            bar.set_message(moves_text(&self.replies[index].moves));
            (!self.context.is_stopped()).then_some(index)
        };
        // The same thread records the finding: it may be the last finding that is needed.
        let work = |_, index| {
            let Some((finding, answers)) = self.solve(index) else { return Ok(()) };
            let mut known = self.lock();
            if let Some(journal) = &mut known.journal {
                journal.add(&finding.line())?;
            }
            self.take_in(&mut known, finding, answers);
            bar.inc(1);
            Ok::<_, FileError>(())
        };
        run_in_threads(threads, &self.context.stop, next, work, |result| anyhow::Ok(result?))?;
        bar.finish_and_clear();
        Ok(self.known.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Solves these replies in this thread, up to the first that settles the matter. Returns `None` if the
    /// work was stopped before.
    fn in_turn(&self, replies: Range<usize>) -> Option<Vec<Finding>> {
        let mut findings = Vec::new();
        for index in replies {
            let (finding, _) = self.solve(index)?;
            let is_last = self.question.is_settled_by(&finding);
            findings.push(finding);
            if is_last {
                break;
            }
        }
        Some(findings)
    }

    /// Keeps a finding, and ends the work if that settles the matter.
    fn take_in(&self, known: &mut Known, finding: Finding, answers: Strategy) {
        self.context.stop.fetch_or(self.question.is_settled_by(&finding), Ordering::Relaxed);
        let index = finding.index;
        known.findings[index] = Some(finding);
        known.answers.extend(answers);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Solves a reply. Returns the finding, with the color's answers; `None` if the work was stopped
    /// before.
    fn solve(&self, index: usize) -> Option<(Finding, Strategy)> {
        let position = &self.replies[index].position;
        let limits = Limits { context: self.context.clone(), ..Limits::default() };
        let goal = Win::new(position, self.question.color);
        let mut finding = Finding { index, chip: None, nodes: 0, letters: String::new() };
        let mut answers = Strategy::default();
        for chip in self.question.chips.clone() {
            let plies = plies_to_chip(position, chip);
            let proof = self.prover.prove(&goal, position, plies, &limits);
            finding.nodes += proof.nodes;
            if proof.reached? {
                finding.chip = Some(chip);
                if self.question.with_answers {
                    let found = Strategy::of_proof(&self.prover, position, plies, &limits);
                    (answers, finding.letters) = found.ok()?;
                }
                break;
            }
        }
        Some((finding, answers))
    }

    /// Makes a line on standard error, if that is a terminal, with the number of solved replies, which
    /// begins at `solved`, the latest reply, the speed, and the time left.
    fn progress_bar(&self, solved: usize) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} replies {wide_bar}  \
            now {msg}, {speed} nodes/s, {eta} left";
        let style = progress::style(template).with_key("speed", speed_of(&self.context.monitor));
        let bar = progress::bar(self.replies.len() as u64, style).with_position(solved as u64);
        // The replies solved before took no time.
        bar.reset_eta();
        bar
    }
}

/// The greatest number of pieces: many more than tasks. If there are more replies, each piece has several,
/// because each piece begins with an empty table.
const MOST_PIECES: usize = 256;

struct SolveJob {
    args: ProveArgs,
    problem: Problem,
    question: Question,
    /// The finished pieces that have been read, with true if a reply of the piece refutes.
    refuted: Mutex<HashMap<String, bool>>,
}

/// Makes the shared work on a proof.
pub(crate) fn job(rules: Rules, args: &ProveArgs) -> Result<Job, Failure> {
    check_shareable("solve", args.file.as_deref(), &args.threads, args.journal.as_deref())?;
    let problem = args.problem(rules)?;
    let question = args.question(&problem.start);
    let table = format!("table of {} MiB", args.table.mib);
    let lines = ["solve".to_owned(), args.title(&problem), table];
    let ProveArgs { strategy, csv, file, .. } = args;
    let output = strategy.as_deref().or(csv.as_deref()).or(file.as_deref());
    let namesake = output.unwrap_or(Path::new("solve"));
    let (args, refuted) = (args.clone(), Mutex::default());
    let job = Arc::new(SolveJob { args, problem, question, refuted });
    let (workload, prepared) = (Arc::clone(&job), Arc::clone(&job));
    let prepare = move || {
        prepared.args.outputs().try_for_each(check_writable)?;
        Ok(Prepared::default())
    };
    let job = Job::new(lines, namesake, workload, move |folder| job.merge(folder));
    Ok(Job { measures_time: false, prepare: Box::new(prepare), ..job })
}

impl SolveJob {
    /// Returns the pieces, each with the numbers of its replies.
    fn names(&self) -> impl Iterator<Item = (String, std::ops::Range<usize>)> {
        let replies = &self.problem.replies;
        let size = replies.len().div_ceil(MOST_PIECES).max(1);
        (0..replies.len().div_ceil(size)).map(move |index| {
            let range = index * size..replies.len().min((index + 1) * size);
            let moves = replies[range.start].moves.iter().map(ToString::to_string);
            (piece_name(index, &moves.collect::<Vec<_>>().join("_")), range)
        })
    }

    /// Returns the result of a piece, if it is done.
    fn part(&self, folder: &WorkFolder, piece: &str) -> Result<Option<Part<Finding>>, WorkError> {
        let replies = self.problem.replies.len();
        Part::read(folder, piece, |line| {
            Finding::parse(line, replies).filter(|finding| self.question.allows(finding))
        })
    }

    /// Returns true if a piece is done and has a reply that refutes.
    fn is_refuted(&self, folder: &WorkFolder, piece: &str) -> Result<bool, WorkError> {
        let mut known = self.refuted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&is_refuted) = known.get(piece) {
            return Ok(is_refuted);
        }
        let Some(part) = self.part(folder, piece)? else { return Ok(false) };
        let is_refuted = part.found.iter().any(|finding| self.question.is_settled_by(finding));
        known.insert(piece.to_owned(), is_refuted);
        Ok(is_refuted)
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut findings = vec![None; self.problem.replies.len()];
        let (mut answers, mut cpu) = (Strategy::default(), Duration::ZERO);
        for piece in self.pieces(folder)? {
            // An incomplete proof proves nothing.
            let Some(part) = self.part(folder, &piece)? else { return Ok(()) };
            cpu += part.cpu();
            for finding in part.found {
                let found = self.question.answers(&finding, &self.problem.replies);
                answers.extend(found.map_err(|why| Failure::Run(why.into()))?);
                let index = finding.index;
                findings[index] = Some(finding);
            }
        }
        conclude(&self.args, &self.problem, &findings, answers, cpu)
    }
}

impl Workload for SolveJob {
    /// Returns all pieces up to the first with a reply that refutes, which one process would find as well.
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
        let done = folder.done()?;
        let mut pieces = Vec::new();
        for (piece, _) in self.names() {
            let is_last = self.question.must_win_all
                && done.contains(&piece)
                && self.is_refuted(folder, &piece)?;
            pieces.push(piece);
            if is_last {
                break;
            }
        }
        Ok(pieces)
    }

    fn results_end_others(&self) -> bool {
        self.question.must_win_all
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let found = self.names().find(|(name, _)| name == piece);
        let none = || PieceError::Failed("there are no such replies".to_owned());
        let (_, replies) = found.ok_or_else(none)?;
        let begun = ThreadTime::now();
        let (question, memory) = (self.question.clone(), self.args.table.mib);
        let work = Work::new(&self.problem.replies, question, memory, Arc::clone(stop));
        let Some(findings) = work.in_turn(replies) else { return Ok(None) };
        let nodes = findings.iter().map(|finding| finding.nodes).sum();
        let lines = findings.iter().map(Finding::line).collect();
        Part::new(begun, nodes, lines).to_bytes().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_back() {
        let found = |chip, letters: &str| Finding {
            index: 3,
            chip,
            nodes: 17,
            letters: letters.to_owned(),
        };
        for finding in [found(Some(8), "aZ0"), found(Some(10), ""), found(None, "")] {
            assert_eq!(Finding::parse(&finding.line(), 4), Some(finding));
        }
        for line in ["", "3", "3 8 17", "4 8 17 ", "3 x 17 ", "3 8 17 a b"] {
            assert_eq!(Finding::parse(line, 4), None, "{line}");
        }
    }
}

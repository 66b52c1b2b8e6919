//! A proof as work that tasks share: each has some of the replies.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use network::Rules;
use plyground_cli::{Failure, Job, Prepared};
use plyground_durable::output::check_writable;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};

use super::work::{Finding, Question, Work};
use super::{Problem, ProveArgs, conclude};
use crate::sharing::{Part, check_shareable};
use crate::strategy::Strategy;

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
pub(crate) fn job(rules: Rules, args: &ProveArgs) -> Result<Box<dyn Job>, Failure> {
    check_shareable("solve", args.file.as_deref(), &args.threads, args.journal.as_deref())?;
    let problem = args.problem(rules)?;
    let question = args.question(&problem.start);
    Ok(Box::new(SolveJob { args: args.clone(), problem, question, refuted: Mutex::default() }))
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

impl Job for SolveJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let title = self.args.title(&self.problem);
        format!("solve\n{title}\ntable of {} MiB\n", self.args.table.mib)
    }

    fn namesake(&self) -> &Path {
        let ProveArgs { strategy, csv, file, .. } = &self.args;
        let output = strategy.as_deref().or(csv.as_deref());
        output.or(file.as_deref()).unwrap_or(Path::new("solve"))
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.args.outputs().try_for_each(check_writable)?;
        Ok(Prepared::default())
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

//! The questions about openings, answered by several threads at a time, or by tasks that share them: each
//! task has first moves, or replies to them.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use indicatif::ProgressBar;
use network::{Move, Position, Rules};
use plyground::proof::Prover;
use plyground::search::Monitor;
use plyground::{Game, Limits};
use plyground_cli::{Failure, Job, Prepared, progress};
use plyground_durable::journal::Journal;
use plyground_durable::output::{WriteError, check_writable};
use plyground_durable::pool;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};

use super::question::{Fact, Facts, MoveStatus};
use super::tree::{Attempt, Extent, Tree};
use super::{OpeningsArgs, conclude, parse_fact};
use crate::opening::moves_text;
use crate::sharing::{Part, check_shareable, speed_of};
use crate::start::{plies_to_chip, read_start};

/// The work that the threads share.
pub(super) struct Work {
    prover: Prover,
    known: Mutex<Known>,
    /// Notified when an attempt ends.
    ended: Condvar,
    monitor: Arc<Monitor>,
    stop: Arc<AtomicBool>,
}

/// The results so far.
struct Known {
    tree: Tree,
    facts: Facts,
    keeping: Keeping,
    /// The number of attempts under way.
    busy: usize,
}

/// The place where facts are kept, besides memory.
#[derive(Debug)]
pub(super) enum Keeping {
    /// Facts are kept in memory only.
    Nothing,
    /// Facts are kept in a journal, on the disk.
    Journal(Journal),
    /// Facts are kept as the lines of a journal.
    List(Vec<String>),
}

impl Keeping {
    fn keep(&mut self, fact: &Fact) -> Result<(), WriteError> {
        match self {
            Keeping::Nothing => {}
            Keeping::Journal(journal) => journal.add(&fact.line())?,
            Keeping::List(lines) => lines.push(fact.line()),
        }
        Ok(())
    }
}

impl Work {
    /// Makes work that has not begun.
    pub(super) fn new(tree: Tree, memory: usize, stop: Arc<AtomicBool>, keeping: Keeping) -> Work {
        let known = Known { tree, facts: Facts::default(), keeping, busy: 0 };
        Work {
            prover: Prover::new(memory),
            known: Mutex::new(known),
            ended: Condvar::new(),
            monitor: Arc::default(),
            stop,
        }
    }

    /// Adds earlier facts, with their positions, and keeps new facts in `journal`.
    pub(super) fn resume(&mut self, journal: Journal, found: Vec<(Position, Fact)>) {
        let known = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (position, fact) in found {
            known.facts.add(&position, fact.chip, fact.won);
        }
        known.tree.learn(&known.facts);
        known.keeping = Keeping::Journal(journal);
    }

    /// Works on the open questions until they are settled or the work is stopped. Returns the first moves
    /// with all results, and the place where facts are kept.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be written, or if the OS gives no threads.
    pub(super) fn run(self, threads: NonZeroUsize) -> anyhow::Result<(Tree, Keeping)> {
        let bar = self.progress_bar();
        let next = || {
            let attempt = self.take()?;
            let moves = moves_text(&attempt.moves);
            bar.set_message(format!("{moves} by chip {}", attempt.chip));
            Some(attempt)
        };
        // The same thread records the result: its next attempt may depend on it.
        let work = |_, attempt: Attempt| {
            self.attempt(&attempt)?;
            bar.set_position(self.lock().tree.progress().1 as u64);
            Ok::<_, WriteError>(())
        };
        pool::run(threads, &self.stop, next, work, |result| anyhow::Ok(result?))?;
        bar.finish_and_clear();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((known.tree, known.keeping))
    }

    /// Works on the open questions in this thread, and returns the results; `None` if the work was stopped.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be written.
    pub(super) fn in_turn(self) -> Result<Option<(Tree, Keeping)>, WriteError> {
        while let Some(attempt) = self.take() {
            self.attempt(&attempt)?;
        }
        let is_stopped = self.is_stopped();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((!is_stopped).then_some((known.tree, known.keeping)))
    }

    /// Makes an attempt and records its result.
    fn attempt(&self, attempt: &Attempt) -> Result<(), WriteError> {
        let result = self.solve(attempt);
        let mut known = self.lock();
        known.busy -= 1;
        self.ended.notify_all();
        let (status, nodes) = result?;
        known.tree.give(attempt, status, nodes);
        Ok(())
    }

    /// Takes the next attempt. If there is no attempt now, waits while those under way may lead to more.
    fn take(&self) -> Option<Attempt> {
        let mut known = self.lock();
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(attempt) = known.tree.take() {
                known.busy += 1;
                return Some(attempt);
            }
            if known.busy == 0 {
                return None;
            }
            known = self.ended.wait(known).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tries the replies of an attempt. Returns the status of the second move, and the number of positions
    /// visited.
    fn solve(&self, attempt: &Attempt) -> Result<(MoveStatus, u64), WriteError> {
        let known = attempt.known(&self.lock().facts);
        if known != MoveStatus::Open {
            return Ok((known, 0));
        }
        let (mut nodes, mut undecided) = (0, 0);
        for &reply in &attempt.replies {
            let (verdict, visited) = self.after(attempt, reply)?;
            nodes += visited;
            match verdict {
                Some(true) => {}
                Some(false) => return Ok((MoveStatus::Refuted(Some(reply)), nodes)),
                None => undecided += 1,
            }
            if undecided >= attempt.trial.undecided || self.is_stopped() {
                return Ok((MoveStatus::Open, nodes));
            }
        }
        Ok((if undecided == 0 { MoveStatus::Wins } else { MoveStatus::Open }, nodes))
    }

    /// Returns true if the color wins after a reply, false if it does not, `None` if that remains unknown;
    /// and the number of positions visited.
    fn after(&self, attempt: &Attempt, reply: Move) -> Result<(Option<bool>, u64), WriteError> {
        let position = attempt.position.after(reply);
        let (verdict, goal) = {
            let known = self.lock();
            (known.facts.verdict(&position, attempt.chip), known.tree.goal)
        };
        if verdict.is_some() {
            return Ok((verdict, 0));
        }
        let limits = Limits {
            nodes: Some(attempt.trial.nodes),
            stop: Some(Arc::clone(&self.stop)),
            monitor: Some(Arc::clone(&self.monitor)),
            ..Limits::default()
        };
        let plies = plies_to_chip(&position, attempt.chip);
        let proof = self.prover.prove(&goal, &position, plies, &limits);
        if let Some(won) = proof.reached {
            let moves = attempt.moves.iter().copied().chain([reply]).collect();
            self.keep(&position, &Fact { moves, chip: attempt.chip, won, nodes: proof.nodes })?;
        }
        Ok((proof.reached, proof.nodes))
    }

    fn keep(&self, position: &Position, fact: &Fact) -> Result<(), WriteError> {
        let mut known = self.lock();
        known.facts.add(position, fact.chip, fact.won);
        known.keeping.keep(fact)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Makes a line on standard error, if that is a terminal, with the settled questions, the latest
    /// attempt, and the speed.
    fn progress_bar(&self) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} settled {wide_bar}  \
            now {msg}, {speed} nodes/s";
        let style = progress::style(template).with_key("speed", speed_of(&self.monitor));
        let (all, settled) = self.lock().tree.progress();
        progress::bar(all as u64, style).with_position(settled as u64)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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
    mv: Move,
    reply: Option<Move>,
}

/// Makes the shared work on the questions about openings.
pub(crate) fn job(rules: Rules, args: &OpeningsArgs) -> Result<Box<dyn Job>, Failure> {
    check_shareable("openings", args.file.as_deref(), &args.threads, args.journal.as_deref())?;
    let start = read_start(rules, args.file.as_deref(), args.chips)?;
    let tree = args.tree(&start)?;
    let pieces = pieces(&tree);
    Ok(Box::new(OpeningsJob { args: args.clone(), start, tree, pieces }))
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
            pieces.push(Piece { name, first, mv: found.mv, reply });
        }
    }
    pieces
}

impl OpeningsJob {
    /// Returns the result of a piece, if it is done.
    fn part(
        &self,
        folder: &WorkFolder,
        piece: &Piece,
    ) -> Result<Option<Part<(Position, Fact)>>, WorkError> {
        Part::read(folder, &piece.name, |line| parse_fact(&self.start, line))
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
        let Tree { chips, extent, .. } = self.tree;
        let tree = Tree::new(&self.start, &[piece.mv], &replies, chips, extent);
        let tree = tree.map_err(|fault| failed(&fault))?;
        let work =
            Work::new(tree, self.args.table.mib, Arc::clone(stop), Keeping::List(Vec::new()));
        let done = work.in_turn().map_err(|error| failed(&error))?;
        let Some((tree, Keeping::List(lines))) = done else { return Ok(None) };
        let nodes = tree.firsts.iter().map(|first| first.nodes()).sum();
        Part::new(begun, nodes, lines).to_bytes().map(Some)
    }
}

impl Job for OpeningsJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let OpeningsJob { args, start, tree, .. } = self;
        let lines = [
            "openings".to_owned(),
            format!("network {} {}", start.rules(), start.to_string().replace('\n', "/")),
            format!("chips {}, {:?}", args.chips, tree.extent),
            format!("first {}", moves_text(&args.first)),
            format!("replies {}", moves_text(&args.reply)),
            format!("table of {} MiB", args.table.mib),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        let OpeningsArgs { csv, file, .. } = &self.args;
        csv.as_deref().or(file.as_deref()).unwrap_or(Path::new("openings"))
    }

    fn measures_time(&self) -> bool {
        false
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.args.csv.as_deref().map_or(Ok(()), check_writable)?;
        Ok(Prepared::default())
    }

    /// Prints the same as `openings` does with all facts in a journal; questions of missing pieces are
    /// open.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let (mut facts, mut tree, mut cpu) = (Facts::default(), self.tree.clone(), Duration::ZERO);
        for piece in &self.pieces {
            let Some(part) = self.part(folder, piece)? else { continue };
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

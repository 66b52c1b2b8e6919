//! The questions about openings, answered by several threads at a time.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use network::{Move, Position};
use plyground::proof::Prover;
use plyground::search::SearchContext;
use plyground::{Game, Limits};
use plyground_cli::progress;
use plyground_durable::journal::Journal;
use plyground_durable::{FileError, pool};

use super::question::{Fact, Facts, MoveStatus};
use super::tree::{Attempt, Tree};
use crate::opening::{moves_text, plies_to_chip};
use crate::sharing::speed_of;

/// The work that the threads share.
pub(super) struct Work {
    prover: Prover,
    known: Mutex<Known>,
    /// Notified when an attempt ends.
    ended: Condvar,
    context: SearchContext,
}

/// The results so far.
pub(super) struct Known {
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
    fn keep(&mut self, fact: &Fact) -> Result<(), FileError> {
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
            context: stop.into(),
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
            Ok::<_, FileError>(())
        };
        pool::run(threads, &self.context.stop, next, work, |result| anyhow::Ok(result?))?;
        bar.finish_and_clear();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((known.tree, known.keeping))
    }

    /// Works on the open questions in this thread, and returns the results; `None` if the work was stopped.
    pub(super) fn in_turn(self) -> Result<Option<(Tree, Keeping)>, FileError> {
        while let Some(attempt) = self.take() {
            self.attempt(&attempt)?;
        }
        let is_stopped = self.context.is_stopped();
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((!is_stopped).then_some((known.tree, known.keeping)))
    }

    /// Makes an attempt and records its result.
    fn attempt(&self, attempt: &Attempt) -> Result<(), FileError> {
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
            if self.context.is_stopped() {
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
    fn solve(&self, attempt: &Attempt) -> Result<(MoveStatus, u64), FileError> {
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
            if undecided >= attempt.trial.undecided || self.context.is_stopped() {
                return Ok((MoveStatus::Open, nodes));
            }
        }
        Ok((if undecided == 0 { MoveStatus::Wins } else { MoveStatus::Open }, nodes))
    }

    /// Returns true if the color wins after a reply, false if it does not, `None` if that remains unknown;
    /// and the number of positions visited.
    fn after(&self, attempt: &Attempt, reply: Move) -> Result<(Option<bool>, u64), FileError> {
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
            context: self.context.clone(),
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

    fn keep(&self, position: &Position, fact: &Fact) -> Result<(), FileError> {
        let mut known = self.lock();
        known.facts.add(position, fact.chip, fact.won);
        known.keeping.keep(fact)
    }

    /// Makes a line on standard error, if that is a terminal, with the settled questions, the latest
    /// attempt, and the speed.
    fn progress_bar(&self) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} settled {wide_bar}  \
            now {msg}, {speed} nodes/s";
        let style = progress::style(template).with_key("speed", speed_of(&self.context.monitor));
        let (all, settled) = self.lock().tree.progress();
        progress::bar(all as u64, style).with_position(settled as u64)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

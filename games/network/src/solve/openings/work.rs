//! The questions about openings, answered by several threads at a time.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use indicatif::ProgressBar;
use network::{Move, Position};
use plyground::cli::progress;
use plyground::journal::Journal;
use plyground::proof::Prover;
use plyground::search::Watch;
use plyground::{Game, Limits};

use super::facts::{Fact, Facts};
use super::question::{Standing, plies_to};
use super::tree::{Task, Tree};
use crate::solve::work::{moves_text, speed_of};

/// What the threads share.
pub struct Work {
    prover: Prover,
    state: Mutex<State>,
    /// Told when a thread has given back what it had.
    given: Condvar,
    watch: Arc<Watch>,
    stop: Arc<AtomicBool>,
}

struct State {
    tree: Tree,
    facts: Facts,
    journal: Option<Journal>,
    /// Why the journal cannot be written any more.
    failure: Option<io::Error>,
    bar: ProgressBar,
    /// How many threads are at work on something.
    busy: usize,
}

impl Work {
    /// Work that has not begun.
    pub fn new(tree: Tree, memory: usize, stop: Arc<AtomicBool>) -> Work {
        let (facts, bar) = (Facts::default(), ProgressBar::hidden());
        let state = State { tree, facts, journal: None, failure: None, bar, busy: 0 };
        Work {
            prover: Prover::new(memory),
            state: Mutex::new(state),
            given: Condvar::new(),
            watch: Arc::default(),
            stop,
        }
    }

    /// Takes in what was found before, with the positions, and keeps what will be.
    pub fn resume(&mut self, journal: Journal, found: Vec<(Position, Fact)>) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (position, fact) in found {
            state.facts.add(&position, fact.chip, fact.won);
        }
        state.tree.learn(&state.facts);
        state.journal = Some(journal);
    }

    /// Works on what is not settled yet, as far as it is not stopped, and returns what is known of
    /// the first moves then.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn run(self, threads: NonZeroUsize) -> io::Result<Tree> {
        let bar = self.progress_bar();
        self.lock().bar = bar;
        thread::scope(|scope| {
            for _ in 0..threads.get() {
                scope.spawn(|| self.work());
            }
        });
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.bar.finish_and_clear();
        state.failure.map_or(Ok(state.tree), Err)
    }

    fn work(&self) {
        while let Some(task) = self.take() {
            let (standing, nodes) = self.solve(&task);
            let mut state = self.lock();
            state.tree.give(&task, standing, nodes);
            state.busy -= 1;
            let (_, settled) = state.tree.progress();
            state.bar.set_position(settled as u64);
            self.given.notify_all();
        }
    }

    /// Something to do; waits while what others do may lead to more.
    fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(task) = state.tree.take() {
                state.busy += 1;
                state.bar.set_message(format!("{} by chip {}", moves_text(&task.moves), task.chip));
                return Some(task);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tries the replies of a task, and counts the positions visited.
    fn solve(&self, task: &Task) -> (Standing, u64) {
        let known = task.known(&self.lock().facts);
        if known != Standing::Open {
            return (known, 0);
        }
        let (mut nodes, mut undecided) = (0, 0);
        for &reply in &task.replies {
            let (verdict, visited) = self.after(task, reply);
            nodes += visited;
            match verdict {
                Some(true) => {}
                Some(false) => return (Standing::Refuted(Some(reply)), nodes),
                None => undecided += 1,
            }
            if undecided >= task.trial.undecided || self.is_stopped() {
                return (Standing::Open, nodes);
            }
        }
        (if undecided == 0 { Standing::Wins } else { Standing::Open }, nodes)
    }

    /// Whether the color wins after a reply, if that is known or found out, and the positions
    /// visited for it.
    fn after(&self, task: &Task, reply: Move) -> (Option<bool>, u64) {
        let position = task.position.after(reply);
        let (known, goal) = {
            let state = self.lock();
            (state.facts.verdict(&position, task.chip), state.tree.goal)
        };
        if known.is_some() {
            return (known, 0);
        }
        let limits = Limits {
            nodes: Some(task.trial.nodes),
            stop: Some(Arc::clone(&self.stop)),
            watch: Some(Arc::clone(&self.watch)),
            ..Limits::default()
        };
        let proof = self.prover.prove(&goal, &position, plies_to(&position, task.chip), &limits);
        if let Some(won) = proof.reached {
            let moves = task.moves.iter().copied().chain([reply]).collect();
            self.keep(&position, &Fact { moves, chip: task.chip, won, nodes: proof.nodes });
        }
        (proof.reached, proof.nodes)
    }

    fn keep(&self, position: &Position, fact: &Fact) {
        let mut state = self.lock();
        state.facts.add(position, fact.chip, fact.won);
        if let Some(Err(error)) = state.journal.as_mut().map(|journal| journal.add(&fact.line())) {
            state.failure = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A line on standard error, if that is a terminal: what is settled, what was begun last, and
    /// the speed.
    fn progress_bar(&self) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} settled {wide_bar}  \
            now {msg}, {speed} nodes/s";
        let style = progress::style(template).with_key("speed", speed_of(&self.watch));
        let (all, settled) = self.lock().tree.progress();
        progress::bar(all as u64, style).with_position(settled as u64)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

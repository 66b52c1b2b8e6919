//! Searches that share a table in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plyground::search::{Checkpoint, Limits, Monitor, Options};
use plyground::{AlphaBeta, Evaluator, Score, Search, SearchHints};

use crate::margin::Margin;

/// The greatest distance from the likely value at which questions are asked when those about itself
/// are given up, in points.
const FARTHEST: i32 = 2;

/// Finds values by one search after another with one table.
pub(crate) struct Solver<E> {
    search: AlphaBeta<E>,
    /// The most nodes for one question.
    patience: u64,
    nodes: u64,
}

impl<E> Solver<E> {
    pub(crate) fn new(evaluator: E, table_mib: usize, patience: u64) -> Solver<E> {
        let search = AlphaBeta::new(evaluator, Options { table_mib, ..Options::default() });
        Solver { search, patience, nodes: 0 }
    }

    /// The nodes of all searches so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Searches for the value of `position`, which is within `known` and may be `likely`. Returns
    /// the limits found.
    pub(crate) fn value<G: SearchHints>(
        &mut self,
        position: &G,
        known: Margin,
        likely: i32,
    ) -> Margin
    where
        E: Evaluator<G>,
    {
        let others = (1..=FARTHEST).flat_map(|by| [likely + by, likely - by]);
        self.answers(position, known, [likely].into_iter().chain(others))
    }

    /// Searches for the value of `position`, which is within `known`, by asking whether it is at
    /// least each of the guesses where that is open. Returns the limits found.
    pub(crate) fn answers<G: SearchHints>(
        &mut self,
        position: &G,
        known: Margin,
        guesses: impl IntoIterator<Item = i32>,
    ) -> Margin
    where
        E: Evaluator<G>,
    {
        guesses.into_iter().fold(known, |known, guess| {
            if known.answers(guess) { known } else { known.intersect(self.ask(position, guess)) }
        })
    }

    /// Asks whether the value of `position` is at least `guess`, and nothing more.
    fn ask<G: SearchHints>(&mut self, position: &G, guess: i32) -> Margin
    where
        E: Evaluator<G>,
    {
        let (monitor, stop) = (Arc::<Monitor>::default(), Arc::<AtomicBool>::default());
        let question = Question { guess, monitor: Arc::clone(&monitor), stop: Arc::clone(&stop) };
        let checkpoint: Arc<dyn Checkpoint> = Arc::new(question);
        let limits = Limits {
            depth: position.plies_left(),
            guess: Some(Score::points(guess)),
            patience: Some(self.patience),
            monitor: Some(Arc::clone(&monitor)),
            stop: Some(stop),
            checkpoint: Some(checkpoint),
            ..Limits::default()
        };
        let known = Margin::of(position.bounds());
        let Some(report) = self.search.best(position, &limits) else { return known };
        self.nodes += report.nodes;
        if report.proven() {
            let value = report.score().get().div_euclid(Score::POINT);
            return Margin { least: value, most: value };
        }
        monitor.root().map_or(known, |root| known.intersect(Margin::of(root.proven)))
    }
}

/// Ends a search that has found out whether the value is at least the guess.
#[derive(Debug)]
struct Question {
    guess: i32,
    monitor: Arc<Monitor>,
    stop: Arc<AtomicBool>,
}

impl Checkpoint for Question {
    fn pass(&self) {
        if self.monitor.root().is_some_and(|root| Margin::of(root.proven).answers(self.guess)) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use maxconnect4::{Column, OpenQuads, Position};
    use plyground::Game;

    use super::*;

    #[test]
    fn no_question_is_asked_whose_answer_is_known() {
        // The value is 0, for the second player.
        let position = Position::empty("6x5".parse().expect("a size")).after(Column::from_index(2));
        let value = Margin { least: 0, most: 0 };
        let nodes = |known, guesses: &[i32]| {
            let mut solver = Solver::new(OpenQuads, 16, u64::MAX);
            let found = solver.answers(&position, known, guesses.iter().copied());
            assert!(value.is_within(found), "{found}");
            assert!(guesses.iter().all(|&guess| found.answers(guess)), "{found}");
            solver.nodes()
        };
        assert_eq!(nodes(value, &[-1, 0, 1, 2]), 0);
        let (both, upper) = (nodes(Margin::ANY, &[0, 1]), nodes(Margin::ANY, &[1]));
        assert!((1..both).contains(&upper), "{upper} {both}");
        assert_eq!(nodes(Margin { least: 0, most: 9 }, &[0, 1]), upper);
    }

    #[test]
    fn a_value_that_is_not_the_likely_one_is_found() {
        // The value is 1, for the second player.
        let position = Position::empty("6x4".parse().expect("a size")).after(Column::from_index(2));
        for likely in -1..=3 {
            let found = Solver::new(OpenQuads, 16, u64::MAX).value(&position, Margin::ANY, likely);
            assert_eq!(found, Margin { least: 1, most: 1 }, "{likely}");
        }
    }
}

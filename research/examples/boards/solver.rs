//! Searches that share a table in memory, and the second searches, which know less of the game.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use maxconnect4::{Position, Size};
use plyground::search::{Checkpoint, Limits, Monitor, Options, SearchContext};
use plyground::{AlphaBeta, Evaluator, Score, Search, SearchHints};

use crate::ablated::{Ablated, CLOSER, Judgment, ONLY_RULES, TWO_COLUMNS};
use crate::table::{FirstMove, Margin, Row};

/// The distances from the likely value at which questions are asked when those about itself are given up, in
/// points.
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

    /// Returns the margin found for `position`, which is within `known` and may be `likely`.
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

    /// Returns the margin found for `position`, which is within `known`, by asking whether it is at least
    /// each of the guesses where that is open.
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
        let checkpoint: Option<Arc<dyn Checkpoint>> = Some(Arc::new(question));
        let limits = Limits {
            depth: position.plies_left(),
            guess: Some(Score::points(guess)),
            patience: Some(self.patience),
            context: SearchContext { stop, monitor: Arc::clone(&monitor), checkpoint },
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

/// Says in the table that no second search found the values, because they would take too many nodes.
pub(crate) const NONE: &str = "none";

/// A search by the bare rules, which most boards are too large for, may take this part of the nodes.
const BARE_SHARE: u64 = 4;

/// The greatest number of nodes of such a search.
const BARE_MOST: u64 = 100_000_000;

/// Precedes, in the table, the columns of first moves that no second search found again.
pub(crate) const BUT_NOT: &str = ", but not ";

/// Finds what took a search in `row` again, and notes how.
pub(crate) fn find_again(row: &mut Row, patience: u64, table_mib: usize) -> Result<(), String> {
    let bare = (patience / BARE_SHARE).min(BARE_MOST);
    let searches: [(&str, SecondSearch, u64, usize); 3] = [
        ("rules", without::<ONLY_RULES>, bare, 0),
        ("on top", without::<CLOSER>, patience, 0),
        // The last may leave first moves out.
        ("one column", without::<TWO_COLUMNS>, patience, usize::MAX),
    ];
    row.found_again = NONE.to_owned();
    for (name, search, patience, most_missing) in searches {
        let again = search(row, Solver::new(Judgment, table_mib, patience), most_missing)?;
        if again.missing.len() <= most_missing && again.nodes > 0 {
            row.found_again = format!("{name}, {again}");
            break;
        }
    }
    Ok(())
}

/// Returns true if a second search found everything in `row` that took one.
pub(crate) fn is_found_again(row: &Row) -> bool {
    let how = row.found_again.as_str();
    !how.is_empty() && how != NONE && !how.contains(BUT_NOT)
}

/// A second search of a row, which gives up when it misses more first moves than this.
type SecondSearch = fn(&Row, Solver<Judgment>, usize) -> Result<Again, String>;

/// The findings of a second search.
struct Again {
    /// The nodes that this took.
    nodes: u64,
    /// The columns of the first moves that took too many, from 1 at the left.
    missing: Vec<usize>,
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.nodes)?;
        if self.missing.is_empty() {
            return Ok(());
        }
        let columns: Vec<_> = self.missing.iter().map(usize::to_string).collect();
        write!(f, "{BUT_NOT}{}", columns.join(", "))
    }
}

/// Returns the margin that a look at the empty board proves of every first move without the technique `OFF`.
fn at_sight<const OFF: u8>(size: Size) -> Margin {
    let empty = Margin::of(Ablated::<OFF>(Position::empty(size)).closest_bounds());
    Margin { most: empty.most, ..Margin::ANY }
}

/// Returns the text about a first move whose margin is not within that in the table.
fn contradiction(row: &Row, index: usize, found: Margin) -> String {
    let expected = row.first_moves[index];
    let found = if found.most < expected.least {
        format!("at most {}", found.most)
    } else {
        format!("at least {}", found.least)
    };
    format!("{}, column {}: {found}, not {expected}", row.size, index + 1)
}

/// Finds everything again without the technique `OFF`. What a look at the board proves is not asked for; of
/// a value, what it proves without that technique.
fn without<const OFF: u8>(
    row: &Row,
    mut solver: Solver<Judgment>,
    most_missing: usize,
) -> Result<Again, String> {
    let mut again = Again { nodes: 0, missing: Vec::new() };
    for mv in FirstMove::all(row.size) {
        let (margin, before) = (row.first_moves[mv.index].flip(), solver.nodes());
        let position = Ablated::<OFF>(mv.position);
        let known =
            if margin.is_exact() { at_sight::<OFF>(row.size) } else { mv.at_sight() }.flip();
        let found = solver.answers(&position, known, [margin.least, margin.most + 1]);
        if found.contradicts(margin) {
            return Err(contradiction(row, mv.index, found.flip()));
        }
        if found.is_within(margin) {
            again.nodes += solver.nodes() - before;
        } else {
            again.missing.insert(0, mv.index + 1);
            if again.missing.len() > most_missing {
                break;
            }
        }
    }
    Ok(again)
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

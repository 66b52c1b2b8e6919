//! The value of every board from 4x4 to 8x8 and of its first moves, as a table in Markdown.
//!
//!     cargo run --release -p research --example boards -- results/boards.md NODES [SIZE]...
//!
//! Each question, whether a first move has at least some value, is given up after NODES positions; the table
//! then has the limits that are proven by then. Every value, and every limit that took a search, is found
//! again by a search that knows less: without limits and with plain keys; if that takes more than a quarter
//! of NODES positions or a hundred million, without limits from filling columns from the bottom; if that
//! takes more than NODES, without limits from filling two columns. First moves that still take more than
//! NODES are named. The table in memory grows with NODES, up to 4 GiB.
//!
//! The table is written after each first move and each search that finds again. Exact values in it are not
//! searched again, and given-up questions only if NODES is greater than before.

#[path = "../../benches/ablated/mod.rs"]
#[expect(dead_code, reason = "shared with the benches")]
mod ablated;

mod table;

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cpu_time::ThreadTime;
use maxconnect4::{OpenQuads, Position, Size};
use plyground::search::{Checkpoint, Limits, Monitor, Options, SearchContext};
use plyground::{AlphaBeta, Evaluator, Score, Search, SearchHints};

use ablated::{Ablated, CLOSER, Judgment, ONLY_RULES, TWO_COLUMNS};
use table::{FirstMove, Margin, Row, Table};

/// The least and the most MiB of a table in memory.
const TABLE_MIB: RangeInclusive<usize> = 512..=4_096;

/// The number of nodes of a question for each MiB of a table in memory.
const NODES_A_MIB: u64 = 2_000_000;

/// Searches the first moves of `row` that are not exact yet, and calls `save` after each.
fn solve(
    row: &mut Row,
    patience: u64,
    table_mib: usize,
    mut save: impl FnMut(&Row) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (mut solver, mut likely) = (Solver::new(OpenQuads, table_mib, patience), 0);
    let before = row.nodes;
    for FirstMove { index, position } in FirstMove::all(row.size) {
        let margin = row.first_moves[index];
        if !margin.is_exact() {
            let start = ThreadTime::now();
            row.first_moves[index] = solver.value(&position, margin.flip(), -likely).flip();
            row.cpu += start.elapsed();
            row.nodes = before + solver.nodes();
            if row.first_moves[index] != margin {
                row.found_again.clear();
            }
            save(row)?;
        }
        let margin = row.first_moves[index];
        likely = if margin.is_exact() { margin.least } else { likely };
    }
    row.given_up_at = patience;
    save(row)
}

/// Brings the table up to date for these boards.
fn update(
    table: &mut Table,
    sizes: &[Size],
    patience: u64,
    table_mib: usize,
) -> Result<(), Box<dyn Error>> {
    for &size in sizes {
        let mut row = table.get(size).cloned().unwrap_or_else(|| Row::at_sight(size));
        let is_older = row.given_up_at < patience;
        if is_older && !row.is_exact() {
            solve(&mut row, patience, table_mib, |row| table.put(row))?;
        }
        let is_wanted = row.found_again.is_empty() || is_older && !is_found_again(&row);
        if is_wanted && row.took_a_search() {
            find_again(&mut row, patience, table_mib)?;
            row.given_up_at = row.given_up_at.max(patience);
            table.put(&row)?;
        }
    }
    Ok(())
}

/// Returns the size in MiB of a table in memory for this number of nodes.
fn table_mib(patience: u64) -> usize {
    let wanted = usize::try_from(patience / NODES_A_MIB).unwrap_or(usize::MAX);
    wanted.clamp(*TABLE_MIB.start(), *TABLE_MIB.end())
}

/// Reads the command line: the file, the most nodes, and the boards, the smallest first.
fn arguments(
    mut words: impl Iterator<Item = String>,
) -> Result<(PathBuf, u64, Vec<Size>), Box<dyn Error>> {
    let path = words.next().ok_or("expected the file of the table")?;
    let patience = words.next().ok_or("expected a number of positions after the file")?;
    let patience = patience
        .parse()
        .map_err(|_| format!("expected a number of positions, found {patience}"))?;
    let read = |size: String| size.parse().map_err(|fault| format!("{size}: {fault}"));
    let mut sizes = words.map(read).collect::<Result<Vec<Size>, _>>()?;
    if sizes.is_empty() {
        sizes = Size::all().collect();
        sizes.sort_by_key(|size| size.columns() * size.rows());
    }
    Ok((path.into(), patience, sizes))
}

fn main() -> ExitCode {
    let complain = |error: Box<dyn Error>, code: u8| {
        eprintln!("error: {error}");
        ExitCode::from(code)
    };
    let asked = arguments(std::env::args().skip(1));
    let asked =
        asked.and_then(|(path, patience, sizes)| Ok((Table::read(&path)?, patience, sizes)));
    match asked {
        Ok((mut table, patience, sizes)) => {
            match update(&mut table, &sizes, patience, table_mib(patience)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => complain(error, 1),
            }
        }
        Err(error) => complain(error, 2),
    }
}

/// The greatest distance from the likely value, in points, at which questions are asked when the questions
/// about the value itself are given up.
const FARTHEST: i32 = 2;

/// A solver that finds values by one search after another with one table.
struct Solver<E> {
    search: AlphaBeta<E>,
    /// The most nodes for one question.
    patience: u64,
    nodes: u64,
}

impl<E> Solver<E> {
    fn new(evaluator: E, table_mib: usize, patience: u64) -> Solver<E> {
        let search = AlphaBeta::new(evaluator, Options { table_mib, ..Options::default() });
        Solver { search, patience, nodes: 0 }
    }

    /// Returns the number of nodes of all searches so far.
    fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the margin found for `position`, which is within `known` and may be `likely`.
    fn value<G: SearchHints>(&mut self, position: &G, known: Margin, likely: i32) -> Margin
    where
        E: Evaluator<G>,
    {
        let others = (1..=FARTHEST).flat_map(|by| [likely + by, likely - by]);
        self.answers(position, known, [likely].into_iter().chain(others))
    }

    /// Returns the margin found for `position`, which is within `known`, by asking whether it is at least
    /// each of the guesses where that is open.
    fn answers<G: SearchHints>(
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

/// A checkpoint that ends a search once it is known whether the value is at least the guess.
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

/// The word in the table for a row whose values no second search found, because they would take too many
/// nodes.
const NONE: &str = "none";

/// The divisor of the nodes that gives the limit of a search by the bare rules, for which most boards are
/// too large.
const BARE_SHARE: u64 = 4;

/// The greatest number of nodes of such a search.
const BARE_MOST: u64 = 100_000_000;

/// The text in the table before the columns of first moves that no second search found again.
const BUT_NOT: &str = ", but not ";

/// Finds the results in `row` that took a search again, and notes the second search.
fn find_again(row: &mut Row, patience: u64, table_mib: usize) -> Result<(), String> {
    let bare = (patience / BARE_SHARE).min(BARE_MOST);
    let searches: [(&str, SecondSearch, u64, usize); 3] = [
        ("rules", without::<ONLY_RULES>, bare, 0),
        ("on top", without::<CLOSER>, patience, 0),
        // The last search may leave first moves out.
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

/// Returns true if a second search found everything in `row` that took a search.
fn is_found_again(row: &Row) -> bool {
    let how = row.found_again.as_str();
    !how.is_empty() && how != NONE && !how.contains(BUT_NOT)
}

/// A second search of a row, which gives up when it misses more first moves than this.
type SecondSearch = fn(&Row, Solver<Judgment>, usize) -> Result<Again, String>;

/// The findings of a second search.
struct Again {
    /// The number of nodes of the search.
    nodes: u64,
    /// The columns of the first moves that took too many nodes, from 1 at the left.
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

/// Returns the text about a first move whose margin is not within the margin in the table.
fn contradiction(row: &Row, index: usize, found: Margin) -> String {
    let expected = row.first_moves[index];
    let found = if found.most < expected.least {
        format!("at most {}", found.most)
    } else {
        format!("at least {}", found.least)
    };
    format!("{}, column {}: {found}, not {expected}", row.size, index + 1)
}

/// Finds all results again without the technique `OFF`. Limits that a look at the board proves are not asked
/// for; about an exact value, only limits that this look proves without the technique are assumed.
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
    use std::fs;

    use maxconnect4::Column;
    use plyground::Game;

    use super::*;

    const NODES: u64 = 1_000_000;

    fn size(text: &str) -> Size {
        text.parse().expect("a size")
    }

    fn solved(size: Size, patience: u64) -> Row {
        let mut row = Row::at_sight(size);
        solve(&mut row, patience, 1, |_| Ok(())).expect("nothing is written");
        row
    }

    #[test]
    fn small_boards_have_the_values_of_the_bare_rules() {
        for (name, value) in [("4x4", 0), ("5x4", 0), ("4x5", 0)] {
            let mut row = solved(size(name), NODES);
            find_again(&mut row, 20 * NODES, 16).expect("the same values");
            assert_eq!(row.value(), Margin { least: value, most: value }, "{name}");
            assert!(row.is_exact() && row.found_again.starts_with("rules, "));
        }
    }

    #[test]
    fn a_wrong_value_is_found_out() {
        let mut row = solved(size("4x4"), NODES);
        row.first_moves[0] = Margin { least: 1, most: 1 };
        let error = find_again(&mut row, 20 * NODES, 1).expect_err("a wrong value");
        assert_eq!(error, "4x4, column 1: at most 0, not 1");
    }

    #[test]
    fn limits_that_took_a_search_are_found_again() {
        let whole = solved(size("6x4"), NODES);
        let limited = |least, most| {
            let mut row =
                Row { first_moves: Row::at_sight(whole.size).first_moves, ..whole.clone() };
            row.first_moves[1] = Margin { least, most };
            row
        };
        // The value is -1.
        for (least, most) in [(-1, 9), (-9, -1), (-2, 0)] {
            let mut row = limited(least, most);
            find_again(&mut row, 40 * NODES, 16).expect("limits that hold");
            assert!(row.found_again.starts_with("rules, "), "{row:?}");
        }
        for (least, most) in [(0, 1), (-9, -2)] {
            let error = find_again(&mut limited(least, most), 40 * NODES, 16);
            assert!(error.expect_err("a wrong limit").starts_with("6x4, column 2: "));
        }
        let mut row = limited(-1, 9);
        find_again(&mut row, 10, 1).expect("no contradiction");
        assert_eq!(row.found_again, NONE);
    }

    #[test]
    fn first_moves_that_are_not_found_again_are_named() {
        let whole = solved(size("8x4"), 5 * NODES);
        let found_again = |patience| {
            let mut row = whole.clone();
            find_again(&mut row, patience, 16).expect("no contradiction");
            (row.found_again.clone(), is_found_again(&row))
        };
        // The nodes suffice for most columns, but not for the column that takes the most.
        let (part, is_whole) = found_again(60_000);
        let missing = part.strip_prefix("one column, ").and_then(|rest| rest.split_once(BUT_NOT));
        let column = missing.and_then(|(_, column)| column.parse::<usize>().ok());
        assert!(column.is_some_and(|column| (1..=8).contains(&column)), "{part}");
        assert!(!is_whole);
        let (all, is_whole) = found_again(NODES);
        assert!(all.starts_with("one column, ") && is_whole, "{all}");
    }

    #[test]
    fn what_is_given_up_is_no_value_but_limits_that_hold() {
        let [given_up, solved] = [100, NODES].map(|nodes| solved(size("6x4"), nodes));
        assert!(!given_up.is_exact());
        let both = given_up.first_moves.iter().zip(&solved.first_moves);
        for (&limits, &value) in both.chain([(&given_up.value(), &solved.value())]) {
            assert!(value.is_within(limits), "{limits} {value}");
        }
    }

    #[test]
    fn a_second_search_is_kept_unless_more_is_known() {
        let whole = solved(size("6x4"), NODES);
        let mut row = solved(size("6x4"), 100);
        row.found_again = "on top, 7".to_owned();
        let known = row.first_moves.clone();
        solve(&mut row, 100, 1, |_| Ok(())).expect("nothing is written");
        assert_eq!((&row.first_moves, row.found_again.as_str()), (&known, "on top, 7"));
        solve(&mut row, NODES, 1, |_| Ok(())).expect("nothing is written");
        assert_eq!((&row.first_moves, row.found_again.as_str()), (&whole.first_moves, ""));
    }

    #[test]
    fn exact_first_moves_are_not_searched_again() {
        let whole = solved(size("6x4"), NODES);
        let mut row = Row { nodes: 0, given_up_at: 0, ..whole.clone() };
        let mut saved = 0;
        solve(&mut row, NODES, 1, |_| {
            saved += 1;
            Ok(())
        })
        .expect("nothing is written");
        assert_eq!((row.nodes, &row.first_moves, saved), (0, &whole.first_moves, 1));
        row.first_moves[0] = Row::at_sight(row.size).first_moves[0];
        solve(&mut row, NODES, 1, |_| {
            saved += 1;
            Ok(())
        })
        .expect("nothing is written");
        assert_eq!((&row.first_moves, saved), (&whole.first_moves, 3));
        assert!((1..whole.nodes).contains(&row.nodes));
    }

    #[test]
    fn the_table_is_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("boards.md");
        let update = |sizes: &[&str], patience| {
            let sizes: Vec<_> = sizes.iter().map(|name| size(name)).collect();
            let mut table = Table::read(&path).expect("a table");
            update(&mut table, &sizes, patience, 1).expect("a table");
            fs::read_to_string(&path).expect("a table")
        };
        let first = update(&["6x4", "4x4"], 100);
        assert_eq!(update(&["4x4", "6x4"], 100), first);
        let rows: Vec<_> = update(&["6x4"], 20 * NODES).lines().filter_map(Row::parse).collect();
        let [four, six] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((four.size, six.size), (size("4x4"), size("6x4")));
        assert_eq!((six.value(), six.is_exact()), (Margin { least: -1, most: -1 }, true));
    }

    #[test]
    fn many_nodes_have_a_large_table() {
        assert_eq!([400_000_000, 4_000_000_000, u64::MAX].map(table_mib), [512, 2_000, 4_096]);
    }

    #[test]
    fn slips_are_named() {
        let fault = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned());
            arguments(words).expect_err("a slip").to_string()
        };
        assert_eq!(fault(&[]), "expected the file of the table");
        assert_eq!(fault(&["t.md"]), "expected a number of positions after the file");
        assert_eq!(fault(&["t.md", "soon"]), "expected a number of positions, found soon");
        assert!(fault(&["t.md", "9", "9x9"]).starts_with("9x9: "));
    }

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

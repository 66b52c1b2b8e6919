//! The value of every board from 4x4 to 8x8 and of its first moves, as a table in Markdown.
//!
//!     cargo run --release -p maxconnect4 --example boards -- results/boards.md NODES [SIZE]...
//!
//! No question, whether a first move has at least some value, is pursued for more than NODES positions;
//! where it is given up, the limits that are proven by then stand in the table. Every value is found
//! again by a search that knows less: no limits and plain keys; or if that takes more than a quarter of NODES
//! positions or a hundred million, no limits from filling columns from the bottom; or if that takes more than
//! NODES, none from filling two. Many positions want a large table in memory, of up to 4 GiB.
//!
//! The table is written after each search, and what is in it already is not searched again, unless it was
//! given up and NODES are more than at that time. Where a value is known and not all first moves are, what is
//! known of them is found again.

#[path = "../benches/ablated/mod.rs"]
#[expect(dead_code, reason = "shared with the benches")]
mod ablated;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ablated::{Ablated, CLOSER, Judgment, ONLY_RULES, TWO_COLUMNS};
use cpu_time::ThreadTime;
use maxconnect4::{Column, OpenQuads, Position, Size};
use plyground::search::{Limits, Monitor, Options};
use plyground::{AlphaBeta, Bounds, Evaluator, Game, Score, Search, SearchHints};
use plyground_host::output::{check_writable, write_whole};

/// How far from the likely value questions are asked when those about itself are given up, in points.
const FARTHEST: i32 = 2;

/// The least and the most MiB of a table in memory.
const TABLE_MIB: RangeInclusive<usize> = 512..=4_096;

/// So many nodes for a question want another MiB.
const NODES_A_MIB: u64 = 2_000_000;

/// Says in the table that no second search found the values, because they would take too many nodes.
const NONE: &str = "none";

/// A search by the bare rules, which most boards are too large for, may take this part of the nodes.
const BARE_SHARE: u64 = 4;

/// And no more than so many.
const BARE_MOST: u64 = 100_000_000;

/// What the file begins with.
const HEAD: &str = "# Every board from 4x4 to 8x8

The final margin for the first player with best play, on boards of so many columns by so many rows, and
after each first move, from the left to the middle: the rest mirrors it. `a to b` where only these limits are
proven. `nodes` and `CPU time`, of one thread, are those of all first moves together; a question that took
more nodes than `given up at` was left open. `found again by` is the second search that found all of
the exact values, and the nodes that it took: by the `rules` alone, without any limits on the margin and
with plain keys; or with the limit from answering `on top`, but without those from [filling columns from the
bottom](../docs/search.md#the-techniques); or with that from filling `one column`, but without that from
filling two; or by `none` within that many nodes.

    cargo run --release -p maxconnect4 --example boards -- results/boards.md 400000000

The table is resumed: what is exact in it is not computed again.

| board | value | first moves | nodes | CPU time | given up at | found again by |
| --- | --- | --- | --- | --- | --- | --- |
";

/// What is proven of a margin, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Margin {
    least: i32,
    most: i32,
}

impl Margin {
    fn of(bounds: Bounds) -> Margin {
        let [lower, upper] = [bounds.lower, bounds.upper].map(Score::get);
        Margin { least: -(-lower).div_euclid(Score::POINT), most: upper.div_euclid(Score::POINT) }
    }

    fn is_exact(self) -> bool {
        self.least == self.most
    }

    fn intersect(self, other: Margin) -> Margin {
        Margin { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    fn flip(self) -> Margin {
        Margin { least: -self.most, most: -self.least }
    }

    fn parse(text: &str) -> Option<Margin> {
        let (least, most) = text.split_once(" to ").unwrap_or((text, text));
        Some(Margin { least: least.parse().ok()?, most: most.parse().ok()? })
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Margin { least, most } = *self;
        if least == most { write!(f, "{least}") } else { write!(f, "{least} to {most}") }
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    value: Margin,
    first_moves: Vec<Margin>,
    nodes: u64,
    cpu: Duration,
    given_up_at: u64,
    /// How the values were found again, empty if nobody has tried.
    found_again: String,
}

impl Row {
    fn is_exact(&self) -> bool {
        self.value.is_exact() && self.first_moves.iter().all(|margin| margin.is_exact())
    }

    fn write(&self, size: Size) -> String {
        let first_moves: Vec<_> = self.first_moves.iter().map(Margin::to_string).collect();
        format!(
            "| {size} | {} | {} | {} | {:.2} s | {} | {} |\n",
            self.value,
            first_moves.join(", "),
            self.nodes,
            self.cpu.as_secs_f64(),
            self.given_up_at,
            self.found_again,
        )
    }

    fn parse(line: &str) -> Option<(Size, Row)> {
        let fields: Vec<&str> = line.trim().split('|').map(str::trim).collect();
        let [_, size, value, first_moves, nodes, cpu, given_up_at, again, _] = fields[..] else {
            return None;
        };
        let row = Row {
            value: Margin::parse(value)?,
            first_moves: first_moves.split(", ").map(Margin::parse).collect::<Option<_>>()?,
            nodes: nodes.parse().ok()?,
            cpu: Duration::try_from_secs_f64(cpu.strip_suffix(" s")?.parse().ok()?).ok()?,
            given_up_at: given_up_at.parse().ok()?,
            found_again: again.to_owned(),
        };
        Some((size.parse().ok()?, row))
    }
}

/// Finds values by one search after another with one table.
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

    /// What is found of the value of `position`, which may be `likely`.
    fn value<G: SearchHints>(&mut self, position: &G, likely: i32) -> Margin
    where
        E: Evaluator<G>,
    {
        let mut known = Margin::of(position.bounds());
        let others = (1..=FARTHEST).flat_map(|by| [likely + by, likely - by]);
        for guess in [likely].into_iter().chain(others) {
            // The first question is whether the value is at least the guess.
            if !known.is_exact() && (known.least < guess || guess == likely) && guess <= known.most
            {
                known = known.intersect(self.ask(position, guess));
            }
        }
        known
    }

    fn ask<G: SearchHints>(&mut self, position: &G, guess: i32) -> Margin
    where
        E: Evaluator<G>,
    {
        let monitor = Arc::new(Monitor::default());
        let limits = Limits {
            guess: Some(Score::points(guess)),
            patience: Some(self.patience),
            monitor: Some(Arc::clone(&monitor)),
            ..Limits::depth(position.plies_left().unwrap_or_default())
        };
        let Some(report) = self.search.best(position, &limits) else {
            return Margin::of(position.bounds());
        };
        self.nodes += report.nodes;
        let proven = monitor.root().map_or(position.bounds(), |root| root.proven);
        Margin::of(if report.proven() { Bounds::only(report.score()) } else { proven })
    }
}

/// The first moves up to the middle, which is the first of them.
fn columns(size: Size) -> impl Iterator<Item = Column> {
    (0..size.columns().div_ceil(2)).rev().map(Column::from_index)
}

fn solve(size: Size, patience: u64, table_mib: usize) -> Row {
    let (start, empty) = (ThreadTime::now(), Position::empty(size));
    let mut solver = Solver::new(OpenQuads, table_mib, patience);
    let (mut first_moves, mut likely) = (Vec::new(), 0);
    for column in columns(size) {
        let margin = solver.value(&empty.after(column), -likely).flip();
        likely = if margin.is_exact() { margin.least } else { likely };
        first_moves.insert(0, margin);
    }
    let most = |of: fn(&Margin) -> i32| first_moves.iter().map(of).max().unwrap_or_default();
    let value = Margin { least: most(|margin| margin.least), most: most(|margin| margin.most) };
    let (nodes, cpu) = (solver.nodes, start.elapsed());
    let value = value.intersect(Margin::of(empty.closest_bounds()));
    Row { value, first_moves, nodes, cpu, given_up_at: patience, found_again: String::new() }
}

/// Finds what is exact of the first moves of `row` again without a technique of the game, and returns
/// the nodes that it took, `None` if they were too many.
fn find_again<const OFF: u8>(
    size: Size,
    row: &Row,
    patience: u64,
    table_mib: usize,
) -> Result<Option<u64>, String> {
    let mut solver = Solver::new(Judgment, table_mib, patience);
    let empty = Position::empty(size);
    let middle_first = row.first_moves.iter().rev();
    for (column, &expected) in columns(size).zip(middle_first).filter(|(_, known)| known.is_exact())
    {
        let found = solver.ask(&Ablated::<OFF>(empty.after(column)), -expected.least).flip();
        if found.is_exact() && found != expected {
            return Err(format!("{size}, column {column}: {found}, not {expected}"));
        }
        if !found.is_exact() {
            return Ok(None);
        }
    }
    Ok(Some(solver.nodes))
}

fn check(size: Size, row: &mut Row, patience: u64, table_mib: usize) -> Result<(), String> {
    let bare = (patience / BARE_SHARE).min(BARE_MOST);
    if let Some(nodes) = find_again::<ONLY_RULES>(size, row, bare, table_mib)? {
        row.found_again = format!("rules, {nodes}");
    } else if let Some(nodes) = find_again::<CLOSER>(size, row, patience, table_mib)? {
        row.found_again = format!("on top, {nodes}");
    } else if let Some(nodes) = find_again::<TWO_COLUMNS>(size, row, patience, table_mib)? {
        row.found_again = format!("one column, {nodes}");
    } else {
        row.found_again = NONE.to_owned();
    }
    Ok(())
}

/// Brings the table in the file up to date for these boards.
fn update(
    path: &Path,
    sizes: &[Size],
    patience: u64,
    table_mib: usize,
) -> Result<(), Box<dyn Error>> {
    check_writable(path)?;
    let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
    let mut table = Table::parse(&text);
    for &size in sizes {
        let mut row = match table.get(size) {
            Some(row) if row.is_exact() || row.given_up_at >= patience => row.clone(),
            _ => table.put(path, size, solve(size, patience, table_mib))?,
        };
        let is_new = row.found_again == NONE && row.given_up_at < patience;
        if row.value.is_exact() && (row.found_again.is_empty() || is_new) {
            check(size, &mut row, patience, table_mib)?;
            row.given_up_at = row.given_up_at.max(patience);
            table.put(path, size, row)?;
        }
    }
    Ok(())
}

/// The rows, the smallest board first.
struct Table(BTreeMap<(u8, u8), (Size, Row)>);

impl Table {
    fn parse(text: &str) -> Table {
        let rows = text.lines().filter_map(Row::parse);
        Table(rows.map(|(size, row)| (Self::order(size), (size, row))).collect())
    }

    fn order(size: Size) -> (u8, u8) {
        (size.columns() * size.rows(), size.columns())
    }

    fn get(&self, size: Size) -> Option<&Row> {
        self.0.get(&Self::order(size)).map(|(_, row)| row)
    }

    /// Writes the file with this row, and returns it.
    fn put(&mut self, path: &Path, size: Size, row: Row) -> Result<Row, Box<dyn Error>> {
        eprint!("{}", row.write(size));
        self.0.insert(Self::order(size), (size, row.clone()));
        let mut text = HEAD.to_owned();
        self.0.values().try_for_each(|(size, row)| text.write_str(&row.write(*size)))?;
        write_whole(path, text)?;
        Ok(row)
    }
}

/// The MiB of a table in memory for so many nodes.
fn table_mib(patience: u64) -> usize {
    let wanted = usize::try_from(patience / NODES_A_MIB).unwrap_or(usize::MAX);
    wanted.clamp(*TABLE_MIB.start(), *TABLE_MIB.end())
}

/// What the command line asks for: the file, the most nodes, and the boards, the smallest first.
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
    match arguments(std::env::args().skip(1)) {
        Ok((path, patience, sizes)) => match update(&path, &sizes, patience, table_mib(patience)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => complain(error, 1),
        },
        Err(error) => complain(error, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: u64 = 1_000_000;

    fn size(text: &str) -> Size {
        text.parse().expect("a size")
    }

    #[test]
    fn small_boards_have_the_values_of_the_bare_rules() {
        for (name, value) in [("4x4", 0), ("5x4", 0), ("4x5", 0)] {
            let mut row = solve(size(name), NODES, 16);
            check(size(name), &mut row, 20 * NODES, 16).expect("the same values");
            assert_eq!(row.value, Margin { least: value, most: value }, "{name}");
            assert!(row.is_exact() && row.found_again.starts_with("rules, "));
        }
    }

    #[test]
    fn a_wrong_value_is_found_out() {
        let mut row = solve(size("4x4"), NODES, 1);
        row.first_moves[0] = Margin { least: 1, most: 1 };
        assert!(check(size("4x4"), &mut row, 20 * NODES, 1).is_err());
    }

    #[test]
    fn of_what_is_given_up_the_exact_first_moves_are_found_again() {
        let whole = solve(size("4x4"), NODES, 1);
        let given_up = Margin { least: -9, most: 9 };
        let mut row = Row { first_moves: vec![given_up, whole.first_moves[1]], ..whole.clone() };
        check(size("4x4"), &mut row, 20 * NODES, 1).expect("the same values");
        assert!(row.found_again.starts_with("rules, "));
        row.first_moves[1] = Margin { least: 1, most: 1 };
        assert!(check(size("4x4"), &mut row, 20 * NODES, 1).is_err());
    }

    #[test]
    fn what_is_given_up_is_no_value_but_limits_that_hold() {
        let [given_up, solved] = [100, NODES].map(|nodes| solve(size("6x4"), nodes, 1));
        assert!(!given_up.is_exact());
        let both = given_up.first_moves.iter().zip(&solved.first_moves);
        for (limits, value) in both.chain([(&given_up.value, &solved.value)]) {
            assert!(limits.least <= value.least && value.most <= limits.most, "{limits} {value}");
        }
    }

    #[test]
    fn the_table_is_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("boards.md");
        let table = || fs::read_to_string(&path).expect("a table");
        update(&path, &[size("6x4"), size("4x4")], 100, 1).expect("a table");
        let first = table();
        assert!(first.starts_with(HEAD));
        update(&path, &[size("4x4"), size("6x4")], 100, 1).expect("a table");
        assert_eq!(table(), first);
        update(&path, &[size("6x4")], 20 * NODES, 1).expect("a table");
        let rows: Vec<_> = table().lines().filter_map(Row::parse).collect();
        let [(four, _), (six, row)] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((*four, *six), (size("4x4"), size("6x4")));
        assert_eq!((row.value, row.is_exact()), (Margin { least: -1, most: -1 }, true));
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
}

//! The table: margins, its rows, and its file.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs};

use maxconnect4::{Column, Position, Size};
use plyground::{Bounds, Game, Score, SearchHints};
use plyground_durable::output::{check_writable, write_whole};

/// The head of the file.
pub(crate) const HEAD: &str = "# Every board from 4x4 to 8x8

The final margin for the first player with best play, on boards of so many columns by so many rows, and
after each first move, from the left to the middle: the rest mirrors it. `a to b` where only these limits are
proven. `nodes` and `CPU time`, of one thread, are those of all first moves together; a question that took
more nodes than `given up at` was left open. `found again by` is the second search that found all of the
exact values and the limits that took a search, and the nodes that it took: by the `rules` alone, without any
limits on the margin and with plain keys; or with the limit from answering `on top`, but without those from
[filling columns from the bottom](../docs/search.md#the-techniques); or with that from filling `one column`,
but without that from filling two; or by `none`, where each took too many nodes. `but not` names the columns
of first moves for which the last took too many.

    cargo run --release -p research --example boards -- results/boards.md 400000000

The table is resumed: what is exact in it is not computed again.

| board | value | first moves | nodes | CPU time | given up at | found again by |
| --- | --- | --- | --- | --- | --- | --- |
";

/// The rows, the smallest board first, and their file.
pub(crate) struct Table {
    path: PathBuf,
    rows: BTreeMap<(u8, u8), Row>,
}

impl Table {
    /// Reads the table of a file that can be written, an empty one if there is no such file yet.
    pub(crate) fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
        check_writable(path)?;
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        let mut rows = BTreeMap::new();
        for (line, number) in text.lines().zip(1..) {
            if line.trim_start_matches('|').trim().starts_with(|first: char| first.is_ascii_digit())
            {
                let row = Row::parse(line).ok_or_else(|| {
                    format!("{}, line {number}: expected a row of the table", path.display())
                })?;
                rows.insert(order(row.size), row);
            }
        }
        Ok(Table { path: path.to_owned(), rows })
    }

    pub(crate) fn get(&self, size: Size) -> Option<&Row> {
        self.rows.get(&order(size))
    }

    /// Writes the file with this row.
    pub(crate) fn put(&mut self, row: &Row) -> Result<(), Box<dyn Error>> {
        eprint!("{}", row.write());
        self.rows.insert(order(row.size), row.clone());
        let rows = self.rows.values().map(Row::write);
        write_whole(&self.path, [HEAD.to_owned()].into_iter().chain(rows).collect::<String>())?;
        Ok(())
    }
}

fn order(size: Size) -> (u8, u8) {
    (size.columns() * size.rows(), size.columns())
}

/// The least and the most points that a margin can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Margin {
    pub(crate) least: i32,
    pub(crate) most: i32,
}

impl Margin {
    /// The margin of which nothing is known, for either player.
    pub(crate) const ANY: Margin = Margin { least: -i32::MAX, most: i32::MAX };

    pub(crate) fn of(bounds: Bounds) -> Margin {
        let [lower, upper] = [bounds.lower, bounds.upper].map(Score::get);
        Margin { least: -(-lower).div_euclid(Score::POINT), most: upper.div_euclid(Score::POINT) }
    }

    pub(crate) fn is_exact(self) -> bool {
        self.least == self.most
    }

    /// Returns true if no margin is within both limits.
    pub(crate) fn contradicts(self, other: Margin) -> bool {
        self.least > other.most || other.least > self.most
    }

    /// Returns true if `other` follows from this margin.
    pub(crate) fn is_within(self, other: Margin) -> bool {
        self.least >= other.least && self.most <= other.most
    }

    /// Returns true if the limits tell whether the margin is at least this.
    pub(crate) fn answers(self, guess: i32) -> bool {
        self.least >= guess || self.most < guess
    }

    pub(crate) fn intersect(self, other: Margin) -> Margin {
        Margin { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    /// Returns the margin for the other player.
    pub(crate) fn flip(self) -> Margin {
        Margin { least: -self.most, most: -self.least }
    }

    pub(crate) fn parse(text: &str) -> Option<Margin> {
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
pub(crate) struct Row {
    pub(crate) size: Size,
    /// The margin after each first move, from the left to the middle.
    pub(crate) first_moves: Vec<Margin>,
    pub(crate) nodes: u64,
    pub(crate) cpu: Duration,
    pub(crate) given_up_at: u64,
    /// The search that found the values again; empty before any second search.
    pub(crate) found_again: String,
}

/// A first move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstMove {
    /// The index of its margin in a row.
    pub(crate) index: usize,
    /// The position after it.
    pub(crate) position: Position,
}

impl FirstMove {
    fn new(size: Size, index: u8) -> FirstMove {
        let position = Position::empty(size).after(Column::from_index(index));
        FirstMove { index: index.into(), position }
    }

    /// Returns the limits that a look at the board proves, and the upper limit of the empty board, because
    /// no first move is better than the best.
    pub(crate) fn at_sight(&self) -> Margin {
        let empty = Margin::of(Position::empty(self.position.size()).closest_bounds());
        let Margin { least, most } = Margin::of(self.position.bounds()).flip();
        Margin { least, most: most.min(empty.most) }
    }

    /// Returns the first moves up to the middle, which is the first of them.
    pub(crate) fn all(size: Size) -> impl Iterator<Item = FirstMove> {
        (0..size.columns().div_ceil(2)).rev().map(move |index| FirstMove::new(size, index))
    }
}

impl Row {
    /// Makes the row of a board before any search.
    pub(crate) fn at_sight(size: Size) -> Row {
        let mut first_moves: Vec<_> = FirstMove::all(size).map(|mv| mv.at_sight()).collect();
        first_moves.reverse();
        let (nodes, cpu, given_up_at) = (0, Duration::ZERO, 0);
        Row { size, first_moves, nodes, cpu, given_up_at, found_again: String::new() }
    }

    /// Returns the margin with best play.
    pub(crate) fn value(&self) -> Margin {
        let most = |of: fn(&Margin) -> i32| self.first_moves.iter().map(of).max();
        let best = most(|margin| margin.least).zip(most(|margin| margin.most));
        best.map_or(Margin::ANY, |(least, most)| Margin { least, most })
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.first_moves.iter().all(|margin| margin.is_exact())
    }

    /// Returns true if the row says more than a look at the board proves.
    pub(crate) fn took_a_search(&self) -> bool {
        self.first_moves != Row::at_sight(self.size).first_moves
    }

    pub(crate) fn write(&self) -> String {
        let first_moves: Vec<_> = self.first_moves.iter().map(Margin::to_string).collect();
        format!(
            "| {} | {} | {} | {} | {:.2} s | {} | {} |\n",
            self.size,
            self.value(),
            first_moves.join(", "),
            self.nodes,
            self.cpu.as_secs_f64(),
            self.given_up_at,
            self.found_again,
        )
    }

    /// Reads a line; `None` if it is not a row, or if its value contradicts its first moves.
    pub(crate) fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.trim().split('|').map(str::trim).collect();
        let [_, size, value, first_moves, nodes, cpu, given_up_at, again, _] = fields[..] else {
            return None;
        };
        let row = Row {
            size: size.parse().ok()?,
            first_moves: first_moves.split(", ").map(Margin::parse).collect::<Option<_>>()?,
            nodes: nodes.parse().ok()?,
            cpu: Duration::try_from_secs_f64(cpu.strip_suffix(" s")?.parse().ok()?).ok()?,
            given_up_at: given_up_at.parse().ok()?,
            found_again: again.to_owned(),
        };
        let is_whole = row.first_moves.len() == usize::from(row.size.columns().div_ceil(2));
        (is_whole && row.value() == Margin::parse(value)?).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_row_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("boards.md");
        let mut table = Table::read(&path).expect("no file yet");
        table.put(&Row::at_sight("4x4".parse().expect("a size"))).expect("a file");
        let text = fs::read_to_string(&path).expect("a table");
        assert!(text.starts_with(HEAD) && Table::read(&path).is_ok());
        fs::write(&path, text.replace("0.00 s", "soon")).expect("a file");
        let error = Table::read(&path).err().expect("a damaged row").to_string();
        let line = HEAD.lines().count() + 1;
        assert!(error.ends_with(&format!("boards.md, line {line}: expected a row of the table")));
    }

    fn row() -> Row {
        let first_moves = [(-2, 0), (-1, 0), (0, 0)];
        Row {
            first_moves: first_moves.map(|(least, most)| Margin { least, most }).to_vec(),
            nodes: 7,
            cpu: Duration::from_millis(1_250),
            given_up_at: 9,
            found_again: "rules, 8".to_owned(),
            ..Row::at_sight("6x5".parse().expect("a size"))
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let text = "| 6x5 | 0 | -2 to 0, -1 to 0, 0 | 7 | 1.25 s | 9 | rules, 8 |\n";
        assert_eq!((row().write().as_str(), Row::parse(text)), (text, Some(row())));
    }

    #[test]
    fn a_damaged_row_is_none() {
        let text = row().write();
        for (from, to) in [("| 0 |", "| -1 |"), ("-2 to 0, ", ""), (" s ", " "), ("6x5", "9x9")] {
            assert!(text.contains(from));
            assert_eq!(Row::parse(&text.replacen(from, to, 1)), None, "{from} {to}");
        }
    }

    #[test]
    fn a_look_at_the_board_is_no_search() {
        let mut row = Row::at_sight("5x4".parse().expect("a size"));
        assert!(!row.took_a_search() && !row.is_exact());
        row.first_moves[0].most -= 1;
        assert!(row.took_a_search());
    }
}

//! A runtime table, its rows, and CSV.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use plyground::search::MAX_DEPTH;
use plyground::{Score, Value};
use plyground_durable::quantities::seconds;
use plyground_durable::sealed_line::{seal, unseal};
use plyground_durable::text::{csv_line, csv_records};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The columns of the CSV, in order.
pub const RUNTIME_COLUMNS: &str = "game,position,search,depth,runs,nodes,cpu_seconds_min,\
    cpu_seconds_median,cpu_seconds_max,nodes_per_second,\
    best_move,score,proven,checksum";

/// The measured rows of one position, with at most one row for each search and depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeTable {
    /// The rows, by search and then by depth.
    rows: Vec<RuntimeRow>,
}

/// The content of a CSV.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRuntimeTable {
    /// The rows that are undamaged.
    pub table: RuntimeTable,
    /// The numbers of the damaged lines, from 1.
    pub damaged: Vec<usize>,
    /// The number of the last line, if it has no line end.
    pub cut_off: Option<usize>,
}

impl ReadRuntimeTable {
    fn add(&mut self, line: usize, row: Option<RuntimeRow>) -> Result<(), NotARuntimeTable> {
        let Some(row) = row else {
            self.damaged.push(line);
            return Ok(());
        };
        let first = self.table.rows.first();
        if first.is_some_and(|first| !first.is_of(&row.game, &row.position)) {
            return Err(NotARuntimeTable::Mixed(line));
        }
        self.table.insert(row);
        Ok(())
    }
}

/// The error for a text that is not the CSV of a runtime table, as one line.
#[derive(Debug, thiserror::Error)]
pub enum NotARuntimeTable {
    /// The first line is not the header.
    #[error("line 1: expected the columns {}", RUNTIME_COLUMNS)]
    Header,
    /// The line with this number is damaged.
    #[error("line {0} is damaged")]
    Damaged(usize),
    /// The row on the line with this number is of another game or position than the row before.
    #[error("line {0}: expected the same game and position as in the row before")]
    Mixed(usize),
}

impl RuntimeTable {
    /// Returns the rows, by search and then by depth.
    pub fn rows(&self) -> &[RuntimeRow] {
        &self.rows
    }

    /// Returns the row of this search and depth, if the table has it.
    pub fn get(&self, search: SearchKind, depth: u32) -> Option<&RuntimeRow> {
        self.find(search, depth).ok().map(|index| &self.rows[index])
    }

    /// Adds a row, and replaces the row of the same search and depth, if any.
    pub fn insert(&mut self, row: RuntimeRow) {
        match self.find(row.search, row.depth) {
            Ok(index) => self.rows[index] = row,
            Err(index) => self.rows.insert(index, row),
        }
    }

    fn find(&self, search: SearchKind, depth: u32) -> Result<usize, usize> {
        self.rows.binary_search_by_key(&(search, depth), |row| (row.search, row.depth))
    }

    /// Reads a CSV without damaged rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not the CSV of a runtime table of one position, or if a row
    /// is damaged.
    pub fn from_csv(text: &[u8]) -> Result<RuntimeTable, NotARuntimeTable> {
        let read = RuntimeTable::read_csv(text)?;
        match read.damaged.into_iter().chain(read.cut_off).next() {
            Some(line) => Err(NotARuntimeTable::Damaged(line)),
            None => Ok(read.table),
        }
    }

    /// Reads the undamaged rows of a CSV. Damaged rows are left out, as is a last line without a
    /// line end, which a killed writer may leave. An empty text or an incomplete header gives an
    /// empty table.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not the CSV of a runtime table of one position.
    pub fn read_csv(text: &[u8]) -> Result<ReadRuntimeTable, NotARuntimeTable> {
        let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (whole, torn) = text.split_at(complete);
        let header = RUNTIME_COLUMNS;
        let mut read = ReadRuntimeTable::default();
        let mut lines = (1..).zip(lines_of(whole));
        match lines.next() {
            None if header.as_bytes().starts_with(torn) => return Ok(read),
            Some((_, line)) if line == header.as_bytes() => {}
            _ => return Err(NotARuntimeTable::Header),
        }
        let mut last = 1;
        for (line, text) in lines {
            last = line;
            if !text.is_empty() {
                read.add(line, row_of(text))?;
            }
        }
        read.cut_off = (!torn.is_empty()).then_some(last + 1);
        Ok(read)
    }

    /// Returns the table as CSV, header first.
    pub fn to_csv(&self) -> String {
        let header = format!("{RUNTIME_COLUMNS}\n");
        self.rows.iter().fold(header, |text, row| text + &row.to_csv())
    }
}

/// Returns the lines of a text in which every line has a line end, without the line ends.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Returns the row of a line; `None` if the line is damaged.
fn row_of(line: &[u8]) -> Option<RuntimeRow> {
    let fields = unseal(SEALED, str::from_utf8(line).ok()?, SEPARATOR)?;
    let row: RuntimeRow = csv_records(fields, b',').ok()?.first()?.deserialize(None).ok()?;
    row.fault().is_none().then_some(row)
}

/// The kind of content that the checksum of a row covers besides the row.
const SEALED: &str = "runtime";
/// The separator before the checksum of a row.
const SEPARATOR: &str = ",";

/// The kind of search that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Plain minimax, without any pruning.
    Minimax,
    /// Alpha-beta with all its techniques.
    AlphaBeta,
}

impl SearchKind {
    /// Both kinds, in the order in which tables list them.
    pub const ALL: [SearchKind; 2] = [SearchKind::Minimax, SearchKind::AlphaBeta];
}

/// Writes the name as in tables and on the command line.
impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The error for a text that names no search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected minimax or alphabeta")]
pub struct NotASearch;

impl FromStr for SearchKind {
    type Err = NotASearch;

    fn from_str(text: &str) -> Result<SearchKind, NotASearch> {
        SearchKind::ALL.into_iter().find(|kind| kind.to_string() == text).ok_or(NotASearch)
    }
}

/// The cost of choosing one move at one depth. The fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeRow {
    /// The name of the game.
    pub game: String,
    /// The state file of the position, its lines joined by `/`.
    pub position: String,
    /// The search that was timed.
    pub search: SearchKind,
    /// The number of plies that the search looked ahead: 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// The number of runs, each from scratch; at least 1.
    pub runs: u32,
    /// The number of positions visited by one run.
    pub nodes: u64,
    /// The CPU time (user and system) of the fastest run.
    #[serde(rename = "cpu_seconds_min", with = "seconds")]
    pub cpu_min: Duration,
    /// The median of the CPU times; the mean of the middle two, if the runs are even in number.
    #[serde(rename = "cpu_seconds_median", with = "seconds")]
    pub cpu_median: Duration,
    /// The CPU time of the slowest run.
    #[serde(rename = "cpu_seconds_max", with = "seconds")]
    pub cpu_max: Duration,
    /// The number of nodes per second of the median CPU time.
    pub nodes_per_second: u64,
    /// The move chosen, in canonical notation.
    pub best_move: String,
    /// The [`Score::get`] of the position's value for the side to move.
    pub score: i32,
    /// If true, the score is the result of best play, and not an estimate.
    pub proven: bool,
}

impl RuntimeRow {
    /// Returns the value of the position for the side to move.
    pub fn value(&self) -> Value {
        let score = Score::new(self.score);
        if self.proven { Value::Exact(score) } else { Value::Estimate(score) }
    }

    /// Returns the row as one line of CSV, with its checksum and line end.
    pub fn to_csv(&self) -> String {
        seal(SEALED, csv_line(self).trim_end_matches('\n'), SEPARATOR) + "\n"
    }

    /// Returns true if the row is of this game and position.
    pub(super) fn is_of(&self, game: &str, position: &str) -> bool {
        self.game == game && self.position == position
    }

    /// Returns the fault in the numbers of the row, if any.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            Some("no search has this depth")
        } else if !(Score::MIN.get()..=Score::MAX.get()).contains(&self.score) {
            Some("no position has this score")
        } else if self.runs == 0 {
            Some("the number of runs is 0")
        } else if self.cpu_min > self.cpu_median || self.cpu_median > self.cpu_max {
            Some("the minimum, median and maximum of the CPU time are not in order")
        } else {
            None
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a row whose times grow with its depth.
    pub(crate) fn row(search: SearchKind, depth: u32) -> RuntimeRow {
        let cpu = Duration::from_nanos(2_345) * 3_u32.pow(depth);
        RuntimeRow {
            game: "toy".to_owned(),
            position: "0000/1".to_owned(),
            search,
            depth,
            runs: 3,
            nodes: 100 * u64::from(depth),
            cpu_min: cpu - Duration::from_nanos(1),
            cpu_median: cpu,
            cpu_max: cpu * 2,
            nodes_per_second: 1_000_000,
            best_move: "4".to_owned(),
            score: -35,
            proven: false,
        }
    }

    #[test]
    fn searches_are_read_back() {
        for kind in SearchKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("guess".parse::<SearchKind>(), Err(NotASearch));
    }

    #[test]
    fn score_is_exact_only_where_it_is_proven() {
        let row = row(SearchKind::Minimax, 3);
        assert_eq!(row.value(), Value::Estimate(Score::new(-35)));
        assert!(RuntimeRow { proven: true, ..row }.value().is_exact());
    }

    #[test]
    fn faulty_numbers_are_seen() {
        let good = row(SearchKind::Minimax, 3);
        assert_eq!(good.fault(), None);
        assert!(RuntimeRow { depth: 0, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { depth: MAX_DEPTH + 1, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { runs: 0, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { score: 30_001, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { cpu_max: Duration::ZERO, ..good }.fault().is_some());
    }

    fn table() -> RuntimeTable {
        let mut table = RuntimeTable::default();
        for depth in [2, 1, 3] {
            table.insert(row(SearchKind::AlphaBeta, depth));
            table.insert(row(SearchKind::Minimax, depth));
        }
        table
    }

    #[test]
    fn rows_are_in_order() {
        let table = table();
        let order: Vec<_> = table.rows().iter().map(|row| (row.search, row.depth)).collect();
        let expected: Vec<_> =
            SearchKind::ALL.into_iter().flat_map(|s| (1..=3).map(move |d| (s, d))).collect();
        assert_eq!(order, expected);
    }

    #[test]
    fn row_replaces_the_old_one() {
        let mut table = table();
        let newer = RuntimeRow { runs: 9, ..row(SearchKind::Minimax, 2) };
        table.insert(newer.clone());
        assert_eq!(table.rows().len(), 6);
        assert_eq!(table.get(SearchKind::Minimax, 2), Some(&newer));
        assert_eq!(table.get(SearchKind::Minimax, 4), None);
    }

    #[test]
    fn columns_are_those_of_the_row() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row(SearchKind::Minimax, 1)).unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        assert_eq!(text.lines().next(), RUNTIME_COLUMNS.strip_suffix(",checksum"));
        let line =
            "toy,0000/1,minimax,1,3,100,0.000007034,0.000007035,0.000014070,1000000,4,-35,false,";
        let written = row(SearchKind::Minimax, 1).to_csv();
        assert_eq!(written.strip_prefix(line).map(str::len), Some("0123456789abcdef\n".len()));
    }

    #[test]
    fn csv_reads_back_equal() {
        let text = table().to_csv();
        assert_eq!(RuntimeTable::from_csv(text.as_bytes()).unwrap(), table());
        let windows = text.replace('\n', "\r\n");
        assert_eq!(RuntimeTable::from_csv(windows.as_bytes()).unwrap(), table());
    }

    #[test]
    fn text_torn_anywhere_keeps_its_whole_lines() {
        let text = table().to_csv();
        for length in 0..=text.len() {
            let torn = &text.as_bytes()[..length];
            let lines = torn.iter().filter(|&&byte| byte == b'\n').count();
            let read = RuntimeTable::read_csv(torn).unwrap();
            assert_eq!(read.table.rows(), &table().rows()[..lines.saturating_sub(1)]);
            let is_torn = lines > 0 && !torn.ends_with(b"\n");
            assert_eq!(read.cut_off, is_torn.then_some(lines + 1), "{length}");
        }
    }

    #[test]
    fn every_changed_character_of_a_row_is_named_and_not_believed() {
        let table = table();
        let text = table.to_csv();
        let rows = text.find('\n').unwrap() + 1;
        for (at, old) in text.char_indices().skip(rows).filter(|&(_, old)| old != '\n') {
            let line = 1 + text[..at].matches('\n').count();
            for new in ['7', ',', 'x'].into_iter().filter(|&new| new != old) {
                let changed = format!("{}{new}{}", &text[..at], &text[at + 1..]);
                let read = RuntimeTable::read_csv(changed.as_bytes()).unwrap();
                assert_eq!(read.damaged, [line], "{changed}");
                let (before, after) = table.rows().split_at(line - 2);
                assert_eq!(read.table.rows(), [before, &after[1..]].concat());
                let error = RuntimeTable::from_csv(changed.as_bytes()).unwrap_err().to_string();
                assert_eq!(error, format!("line {line} is damaged"));
            }
        }
    }

    #[test]
    fn other_text_is_refused() {
        let header = RUNTIME_COLUMNS;
        let good = row(SearchKind::Minimax, 1).to_csv();
        let other =
            RuntimeRow { position: "0001/2".to_owned(), ..row(SearchKind::Minimax, 2) }.to_csv();
        for (text, message) in [
            ("hello".to_owned(), "line 1: expected the columns game,"),
            ("name,mark\nAda,1\n".to_owned(), "line 1: expected the columns game,"),
            (format!("{header},notes\n"), "line 1: expected the columns game,"),
            (format!("{header}\n{good}toy,x\n"), "line 3 is damaged"),
            (format!("{header}\n\n{good}{other}"), "line 4: expected the same game and position"),
        ] {
            let error = RuntimeTable::from_csv(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{text}\n{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        assert!(RuntimeTable::from_csv(b"\xff\xd8\n\xff").is_err());
    }
}

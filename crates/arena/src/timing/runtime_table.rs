//! The rows of a runtime table, and CSV.

use super::runtime_row::{RuntimeRow, SearchKind};

/// The columns of the CSV, in order.
pub const RUNTIME_COLUMNS: [&str; 13] = [
    "game",
    "position",
    "search",
    "depth",
    "runs",
    "nodes",
    "cpu_seconds_min",
    "cpu_seconds_median",
    "cpu_seconds_max",
    "nodes_per_second",
    "best_move",
    "score",
    "proven",
];

/// Measured rows of one position, by search and depth; at most one row for each of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeTable {
    /// By search, then depth.
    rows: Vec<RuntimeRow>,
}

/// Why a text is not the CSV of a runtime table, as one line.
#[derive(Debug, thiserror::Error)]
pub enum NotARuntimeTable {
    /// The first line is not the header.
    #[error("line 1: expected the columns {}", RUNTIME_COLUMNS.join(","))]
    Header,
    /// A line is not a row.
    #[error("line {line}: expected a row of a runtime table, but {fault}")]
    Row {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
    /// Rows of different games or positions are mixed.
    #[error("line {line}: expected the same game and position as in the row before")]
    Mixed {
        /// The number of the line, from 1.
        line: u64,
    },
}

impl RuntimeTable {
    /// The rows, by search and then by depth.
    #[must_use]
    pub fn rows(&self) -> &[RuntimeRow] {
        &self.rows
    }

    /// The row of this search and depth, if it is there.
    #[must_use]
    pub fn get(&self, search: SearchKind, depth: u32) -> Option<&RuntimeRow> {
        self.find(search, depth).ok().map(|index| &self.rows[index])
    }

    /// Adds a row, in place of the one of the same search and depth, if there is one.
    pub fn insert(&mut self, row: RuntimeRow) {
        match self.find(row.search, row.depth) {
            Ok(index) => self.rows[index] = row,
            Err(index) => self.rows.insert(index, row),
        }
    }

    fn find(&self, search: SearchKind, depth: u32) -> Result<usize, usize> {
        self.rows.binary_search_by_key(&(search, depth), |row| (row.search, row.depth))
    }

    /// Reads a CSV.
    ///
    /// A last line without an end was torn by whatever killed its writer, and is dropped. An
    /// empty text, and a torn header, are an empty table.
    ///
    /// # Errors
    ///
    /// When the text is not the CSV of a runtime table of one position.
    pub fn from_csv(text: &[u8]) -> Result<RuntimeTable, NotARuntimeTable> {
        let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let (lines, torn) = text.split_at(complete);
        if lines.is_empty() {
            let header = RUNTIME_COLUMNS.join(",");
            let is_ours = header.as_bytes().starts_with(torn);
            return if is_ours {
                Ok(RuntimeTable::default())
            } else {
                Err(NotARuntimeTable::Header)
            };
        }
        let mut reader = csv::Reader::from_reader(lines);
        if !reader.headers().is_ok_and(|header| *header == RUNTIME_COLUMNS[..]) {
            return Err(NotARuntimeTable::Header);
        }
        let mut table = RuntimeTable::default();
        let mut record = csv::StringRecord::new();
        let header = reader.headers().cloned().unwrap_or_default();
        loop {
            // The reader skips empty lines, so the row may begin later than where it stands now.
            let before = reader.position().line();
            let more =
                reader.read_record(&mut record).map_err(|error| not_a_row(before, &error))?;
            if !more {
                return Ok(table);
            }
            let line = record.position().map_or(before, csv::Position::line);
            let row: RuntimeRow =
                record.deserialize(Some(&header)).map_err(|error| not_a_row(line, &error))?;
            if let Some(fault) = row.fault() {
                return Err(NotARuntimeTable::Row { line, fault: fault.to_owned() });
            }
            if table.rows.first().is_some_and(|first| !first.is_of(&row.game, &row.position)) {
                return Err(NotARuntimeTable::Mixed { line });
            }
            table.insert(row);
        }
    }

    /// The table as CSV, header first.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let header = RUNTIME_COLUMNS.join(",") + "\n";
        self.rows.iter().fold(header, |text, row| text + &row.to_csv())
    }
}

fn not_a_row(line: u64, error: &csv::Error) -> NotARuntimeTable {
    let fault = match error.kind() {
        csv::ErrorKind::UnequalLengths { len, .. } => format!("it has {len} fields"),
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(field) => {
                let column = RUNTIME_COLUMNS.get(field as usize).copied().unwrap_or("a field");
                format!("{column} is wrong: {}", err.kind())
            }
            None => err.kind().to_string(),
        },
        _ => error.to_string(),
    };
    NotARuntimeTable::Row { line, fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::runtime_row::tests::row;

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
        assert_eq!(text.lines().next(), Some(RUNTIME_COLUMNS.join(",").as_str()));
        let line =
            "toy,0000/1,minimax,1,3,100,0.000007034,0.000007035,0.000014070,1000000,4,-35,false";
        assert_eq!(row(SearchKind::Minimax, 1).to_csv(), format!("{line}\n"));
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
            let read = RuntimeTable::from_csv(torn).unwrap();
            assert_eq!(read.rows(), &table().rows()[..lines.saturating_sub(1)]);
        }
    }

    #[test]
    fn other_text_is_refused() {
        let header = RUNTIME_COLUMNS.join(",");
        let good = row(SearchKind::Minimax, 1).to_csv();
        let other =
            RuntimeRow { position: "0001/2".to_owned(), ..row(SearchKind::Minimax, 2) }.to_csv();
        for (text, message) in [
            ("hello".to_owned(), "line 1: expected the columns game,"),
            ("name,mark\nAda,1\n".to_owned(), "line 1: expected the columns game,"),
            (format!("{header},notes\n"), "line 1: expected the columns game,"),
            (
                format!("{header}\ntoy,x\n"),
                "line 2: expected a row of a runtime table, but it has 2",
            ),
            (
                format!("{header}\n{good}{}", good.replace(",3,", ",x,")),
                "line 3: expected a row of a runtime table, but runs is wrong: ",
            ),
            (format!("{header}\n{}", good.replace("minimax", "guess")), "unknown variant `guess`"),
            (format!("{header}\n{}", good.replace(",0.0", ",-0.0")), "value is negative"),
            (format!("{header}\n\n{good}{other}"), "line 4: expected the same game and position"),
        ] {
            let error = RuntimeTable::from_csv(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{text}\n{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        assert!(RuntimeTable::from_csv(b"\xff\xd8\n\xff").is_err());
    }
}

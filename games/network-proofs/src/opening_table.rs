//! The table of the results of openings, as `network openings` writes it.

use network::Move;
use plyground_durable::csv_text::csv_text;
use plyground_durable::excerpt;
use plyground_host::state::TextError;

/// The result of a reply to a first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningRow {
    /// The first move of the color that is to win.
    pub first: Move,
    /// The reply.
    pub reply: Move,
    /// The number of the chip of the color by which it must win.
    pub chip: usize,
    /// The result: won by this chip, or refuted.
    pub result: OpeningResult,
}

/// The result for a color after its first move and a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningResult {
    /// The color wins with this second move; `None` if the win is seen without one.
    Won(Option<Move>),
    /// The color does not win with this second move.
    Refuted {
        /// The second move.
        second: Move,
        /// The reply that refutes it; `None` if the refutation is seen without one.
        by: Option<Move>,
    },
}

/// The columns of the table.
const COLUMNS: [&str; 6] = ["first", "reply", "chip", "result", "second", "refuted_by"];

/// The words for results.
const WON: &str = "won";
const NOT_WON: &str = "not";

/// Returns the table of these rows, as CSV.
#[must_use]
pub fn opening_table(rows: impl IntoIterator<Item = OpeningRow>) -> String {
    let header = COLUMNS.map(str::to_owned).to_vec();
    csv_text([header].into_iter().chain(rows.into_iter().map(|row| row.fields())))
}

/// Reads the rows of a table.
///
/// # Errors
///
/// Returns the first place where the text is not that of a table.
pub fn parse_opening_table(text: &str) -> Result<Vec<OpeningRow>, TextError> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records = reader.records().map(|record| record.unwrap_or_default());
    let header = records.next().unwrap_or_default();
    if header != COLUMNS[..] {
        return Err(TextError {
            line: 1,
            column: 1,
            expected: format!("the columns {}", COLUMNS.join(",")),
            found: format!("`{}`", excerpt(text.lines().next().unwrap_or_default())),
        });
    }
    records.map(|record| Fields(&record).row()).collect()
}

impl OpeningRow {
    fn fields(&self) -> Vec<String> {
        let text = |mv: Option<Move>| mv.map_or_else(String::new, |mv| mv.to_string());
        let (result, second, by) = match self.result {
            OpeningResult::Won(second) => (WON, second, None),
            OpeningResult::Refuted { second, by } => (NOT_WON, Some(second), by),
        };
        let OpeningRow { first, reply, chip, .. } = self;
        let begin = [first.to_string(), reply.to_string(), chip.to_string(), result.to_owned()];
        begin.into_iter().chain([text(second), text(by)]).collect()
    }
}

/// The fields of a row.
struct Fields<'a>(&'a csv::StringRecord);

impl Fields<'_> {
    fn row(&self) -> Result<OpeningRow, TextError> {
        if self.0.len() > COLUMNS.len() {
            return Err(self.fault(COLUMNS.len(), "the end of the line"));
        }
        let chip = self.get(2).parse().map_err(|_| self.fault(2, "the number of a chip"))?;
        let result = match self.get(3) {
            WON if self.get(5).is_empty() => OpeningResult::Won(self.mv_if_any(4)?),
            WON => return Err(self.fault(5, "no move where the reply is won")),
            NOT_WON => OpeningResult::Refuted { second: self.mv(4)?, by: self.mv_if_any(5)? },
            _ => return Err(self.fault(3, &format!("`{WON}` or `{NOT_WON}`"))),
        };
        Ok(OpeningRow { first: self.mv(0)?, reply: self.mv(1)?, chip, result })
    }

    /// Returns the text of a field; an empty text if the row ends before it.
    fn get(&self, index: usize) -> &str {
        self.0.get(index).unwrap_or_default()
    }

    fn mv(&self, index: usize) -> Result<Move, TextError> {
        self.get(index).parse().map_err(|_| self.fault(index, "a move"))
    }

    fn mv_if_any(&self, index: usize) -> Result<Option<Move>, TextError> {
        let is_any = !self.get(index).is_empty();
        is_any.then(|| self.mv(index)).transpose()
    }

    fn fault(&self, index: usize, expected: &str) -> TextError {
        let before = self.0.iter().take(index).map(|field| field.chars().count() + 1);
        TextError {
            line: self.0.position().map_or(0, csv::Position::line) as usize,
            column: 1 + before.sum::<usize>(),
            expected: expected.to_owned(),
            found: format!("`{}`", excerpt(self.get(index))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    #[test]
    fn table_is_read_back() {
        let results = [
            OpeningResult::Won(Some(mv("73"))),
            OpeningResult::Won(None),
            OpeningResult::Refuted { second: mv("03"), by: Some(mv("12-34")) },
            OpeningResult::Refuted { second: mv("03"), by: None },
        ];
        let row = |result| OpeningRow { first: mv("13"), reply: mv("20"), chip: 8, result };
        let rows = results.map(row).to_vec();
        assert_eq!(parse_opening_table(&opening_table(rows.clone())), Ok(rows));
        assert_eq!(parse_opening_table(&opening_table([])), Ok(Vec::new()));
    }

    #[test]
    fn malformed_table_is_told_with_its_place() {
        let fault = |rows: &str| {
            let text = format!("first,reply,chip,result,second,refuted_by\n{rows}");
            parse_opening_table(&text).map_err(|fault| fault.to_string())
        };
        for (rows, said) in [
            ("13,20,8,won,73,\nx,20,8,won,,\n", "3:1: expected a move, found `x`"),
            ("13,20,8.0,won,73,\n", "2:7: expected the number of a chip, found `8.0`"),
            ("13,20,8,lost,73,\n", "2:9: expected `won` or `not`, found `lost`"),
            ("13,20,8,not,,30\n", "2:13: expected a move, found ``"),
            ("13,20,8\n", "2:9: expected `won` or `not`, found ``"),
            ("13,20,8,won,73,30\n", "2:16: expected no move where the reply is won, found `30`"),
            ("13,20,8,won,73,,\n", "2:17: expected the end of the line, found ``"),
        ] {
            assert_eq!(fault(rows), Err(said.to_owned()));
        }
        for text in ["", "first,reply\n", "moves,chip,nodes\n03 34,8,1\n"] {
            let fault = parse_opening_table(text).expect_err("no table");
            assert_eq!((fault.line, fault.column), (1, 1), "{fault}");
        }
    }
}

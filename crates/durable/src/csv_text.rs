//! Tables for other programs.

use serde::Serialize;

use crate::excerpt::shown;

/// Returns a header and rows, all of the same length, as CSV that is safe to open in a spreadsheet: see
/// [`cell`].
pub fn csv_text<T: Into<String>>(
    header: impl IntoIterator<Item = T>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = header.into_iter().map(Into::into).collect();
    for row in [header].into_iter().chain(rows) {
        // Writing to memory cannot fail.
        let _ = writer.write_record(row.into_iter().map(cell));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Returns the cell on one line and such that no spreadsheet takes it for a formula: an apostrophe precedes a
/// text that would begin one. Numbers stay as they are, and hidden characters are [`shown`].
pub fn cell(cell: String) -> String {
    const BEGINNINGS: [char; 8] =
        ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    const BLANKS: [char; 3] = ['\t', '\r', '\n'];
    let cell = if cell.contains(BLANKS) { cell.replace(BLANKS, " ") } else { cell };
    let cell = shown(&cell).into_owned();
    if is_number(&cell) {
        return cell;
    }
    // A spreadsheet may take another separator than the comma, and then no quotes around the whole.
    let part = |part: &str| {
        let is_formula = part.trim_start().trim_start_matches('"').starts_with(BEGINNINGS);
        format!("{}{part}", if is_formula { "'" } else { "" })
    };
    cell.split_inclusive(';').map(part).collect()
}

/// Returns a row of numbers and plain words as one line of CSV, with its line end.
pub fn csv_line(row: &impl Serialize) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    // Writing plain fields to memory cannot fail.
    let _ = writer.serialize(row);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// If true, the cell is a number as this program writes them. `+1` and `-` are not numbers.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        let formulas = ["=1+1", "+1", "-2+3", "-", "--1", "@SUM(A1)", "\t=1", " =1", "\r\n=A1()"];
        for formula in formulas {
            assert!(cell(formula.to_owned()).starts_with('\''), "{formula}");
        }
        assert_eq!(cell("a;=1+1;b; -2".to_owned()), "a;'=1+1;b;' -2");
        assert_eq!(cell("a;\"=1+1\"".to_owned()), "a;'\"=1+1\"");
        for plain in ["Ann Lee = 1", "-2", "-0.25", "12", "", "1e5", "1; 2"] {
            assert_eq!(cell(plain.to_owned()), plain);
        }
        assert_eq!(cell("a\u{202e}b\u{1b}[m\n".to_owned()), "a\\u{202e}b\\u{1b}[m ");
        let row = ["=HYPERLINK(\"x\")", "-3"].map(str::to_owned).to_vec();
        let text = csv_text(["name", "margin"], [row]);
        assert_eq!(text, "name,margin\n\"'=HYPERLINK(\"\"x\"\")\",-3\n");
    }
}

//! Tables for other programs.

/// These rows, all of one length and the header first, as CSV.
#[must_use]
pub fn csv_text(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A cell that no spreadsheet takes for a formula: an apostrophe comes before what would begin one,
/// and it is one line.
#[must_use]
pub fn safe(cell: &str) -> String {
    const BEGINNINGS: [char; 8] =
        ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let cell = cell.replace(['\t', '\r', '\n'], " ");
    let is_formula = cell.trim_start().starts_with(BEGINNINGS);
    if is_formula { format!("'{cell}") } else { cell }
}

//! The table of the submissions: for each student, the files that were taken.

use std::fs;
use std::path::Path;

use plyground_durable::csv_text::csv_text;
use plyground_durable::output::write_whole;
use plyground_host::external::{HandedIn, PreparedSubmission};

use crate::error::PrepareError;

/// The file with the table, among the submissions.
const FILE: &str = "handed-in.csv";

/// The columns. The columns of a roster have the same names there.
const HEADER: [&str; 12] = [
    "submission",
    "name",
    "id",
    "login",
    "email",
    "submitted",
    "late",
    "attempt",
    "attempts",
    "taken",
    "left_out",
    "status",
];

/// Writes the table of all submissions in a folder.
pub(crate) fn write_table(out: &Path) -> Result<(), PrepareError> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(out).map_err(PrepareError::at(out))? {
        let entry = entry.map_err(PrepareError::at(out))?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') || !entry.path().is_dir() {
            continue;
        }
        match PreparedSubmission::read(&entry.path()) {
            Ok(Some(prepared)) => rows.push(row(&name, &prepared)),
            Ok(None) => {}
            Err(error) => rows.push(row(&name, &PreparedSubmission::damaged(&error))),
        }
    }
    rows.sort();
    let header = HEADER.map(str::to_owned).to_vec();
    Ok(write_whole(&out.join(FILE), csv_text([header].into_iter().chain(rows)))?)
}

fn row(submission: &str, prepared: &PreparedSubmission) -> Vec<String> {
    let HandedIn { name, id, login, email, late, attempt, attempts, taken, left_out } =
        &prepared.handed_in;
    let late = if *late { "yes" } else { "" };
    let cells = [
        submission,
        name,
        id,
        login,
        email,
        &prepared.submitted,
        late,
        &attempt.to_string(),
        &attempts.to_string(),
        &taken.join("; "),
        &left_out.join("; "),
        prepared.status.words(),
    ];
    cells.map(str::to_owned).to_vec()
}

//! What a journal has lost.

use std::fmt;
use std::path::{Path, PathBuf};

/// Up to this many lines are named one by one.
const MOST_NAMED: usize = 10;

/// What was once in a journal and is lost, as one line for a person. There is at least one loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLoss {
    /// The journal.
    pub path: PathBuf,
    /// The numbers of the lines, from 1, that are not as they were written.
    pub damaged: Vec<usize>,
    /// The number of the last line, if it was not written to its end.
    pub cut_off: Option<usize>,
    /// How many lines there were more when a run ended in order.
    pub missing: usize,
    /// Whether the last run did not end in order, so that lines may be missing at the end.
    pub is_unclosed: bool,
}

impl JournalLoss {
    /// What another file of lines has lost, if it has.
    #[must_use]
    pub fn of_lines(
        path: &Path,
        damaged: Vec<usize>,
        cut_off: Option<usize>,
    ) -> Option<JournalLoss> {
        let path = path.to_owned();
        JournalLoss { path, damaged, cut_off, missing: 0, is_unclosed: false }.if_any()
    }

    pub(super) fn if_any(self) -> Option<JournalLoss> {
        let is_any = !self.damaged.is_empty()
            || self.cut_off.is_some()
            || self.missing > 0
            || self.is_unclosed;
        is_any.then_some(self)
    }
}

impl fmt::Display for JournalLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.damaged.is_empty() {
            parts.push(format!("{} damaged and not used", numbered(&self.damaged)));
        }
        if let Some(line) = self.cut_off {
            parts.push(format!("line {line} is cut off and not used"));
        }
        match self.missing {
            0 => {}
            1 => parts.push("a line is missing".to_owned()),
            lines => parts.push(format!("{lines} lines are missing")),
        }
        if self.is_unclosed {
            parts.push("it was not closed, so what was found last may be missing".to_owned());
        }
        write!(f, "{}: {}", self.path.display(), parts.join("; "))
    }
}

/// Which lines, with the verb.
fn numbered(lines: &[usize]) -> String {
    let named: Vec<_> = lines.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let named = named.join(", ");
    match lines.len() {
        1 => format!("line {named} is"),
        count if count > MOST_NAMED => format!("lines {named} and {} more are", count - MOST_NAMED),
        _ => format!("lines {named} are"),
    }
}

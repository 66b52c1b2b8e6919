//! What a program says besides its moves.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first word of such a line.
pub(super) const KEYWORD: &str = "info";

/// How many lines are kept.
const MOST: usize = 20;

/// How many characters of each.
const LONGEST: usize = 200;

/// The last `info` lines of a program. Clones share them, so that one thread may read them while
/// another hears the program.
#[derive(Clone, Debug, Default)]
pub struct InfoLines(Arc<Mutex<VecDeque<String>>>);

impl InfoLines {
    /// Adds a line if it is one of these, without its first word.
    pub(super) fn hear(&self, line: &str) {
        let line = line.trim_start();
        let Some(rest) = line.strip_prefix(KEYWORD).filter(|rest| begins_anew(rest)) else {
            return;
        };
        let mut lines = self.lock();
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back(rest.trim().chars().take(LONGEST).collect());
    }

    /// Returns the lines, the oldest first, with line ends between them.
    #[must_use]
    pub fn text(&self) -> String {
        self.lock().iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        // Nothing here can be left half done by a thread that panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a word ends before this.
fn begins_anew(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_lines_are_kept() {
        let info = InfoLines::default();
        for line in ["bestmove 4", "information", "info", " info depth 3"] {
            info.hear(line);
        }
        assert_eq!(info.text(), "\ndepth 3");
        (0..MOST).for_each(|number| info.hear(&format!("info {number}")));
        assert_eq!(info.text().lines().next(), Some("0"));
    }
}

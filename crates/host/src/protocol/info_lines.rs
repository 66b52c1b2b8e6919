//! The lines in which a program reports more than its moves.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::program_info::ProgramInfo;

/// The first word of such a line.
pub(super) const KEYWORD: &str = "info";

/// The number of lines that are kept.
const MOST: usize = 20;

/// The number of characters of each line that are kept.
const LONGEST: usize = 200;

/// The last `info` lines of a program. Clones share them, so that one thread may read them while
/// another hears the program.
#[derive(Clone, Debug, Default)]
pub struct InfoLines(Arc<Mutex<Heard>>);

/// The lines that have been heard.
#[derive(Debug, Default)]
struct Heard {
    lines: VecDeque<String>,
    /// The facts in the lines about the search for the move of this turn, or else of the last.
    said: ProgramInfo,
}

impl InfoLines {
    /// Adds a line, without its first word, if it is an `info` line.
    pub(super) fn hear(&self, line: &str) {
        let line = line.trim_start();
        let Some(rest) = line.strip_prefix(KEYWORD).filter(|rest| begins_anew(rest)) else {
            return;
        };
        let mut heard = self.lock();
        heard.said.hear(rest);
        if heard.lines.len() == MOST {
            heard.lines.pop_front();
        }
        heard.lines.push_back(rest.trim().chars().take(LONGEST).collect());
    }

    /// Forgets the facts about the search for an earlier move.
    pub(super) fn begin_turn(&self) {
        self.lock().said = ProgramInfo::default();
    }

    /// Returns the facts that the program has reported about the search for its last move.
    #[must_use]
    pub fn said(&self) -> ProgramInfo {
        self.lock().said.clone()
    }

    /// Returns the lines, the oldest first, with line ends between them.
    #[must_use]
    pub fn text(&self) -> String {
        self.lock().lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        // A thread that panics leaves nothing here half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// If true, a word ends before this text.
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

    #[test]
    fn turn_has_what_is_said_in_it() {
        let info = InfoLines::default();
        info.hear("info depth 5 nodes 10");
        info.hear("info depth 6");
        assert_eq!((info.said().depth, info.said().nodes), (Some(6), Some(10)));
        info.begin_turn();
        info.hear("bestmove 4 depth 9");
        assert!(info.said().is_empty());
    }
}

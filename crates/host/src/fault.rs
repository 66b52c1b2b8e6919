//! The fault by which a player loses a game, the cause of a crash, and counts of faults.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use plyground_durable::{cut, excerpt, shown};
use plyground_sandbox::{Leftovers, ProcessFailure};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The way in which a player loses a game other than by the rules of the game. A limit has the same text as
/// the [`ProcessFailure`] of a program that has broken it.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A move against the rules, or an answer that is not a move of the game.
    #[error("illegal move, {why}")]
    IllegalMove {
        /// The reason why the move is illegal, with the move in it.
        why: String,
    },
    /// No move, although the player could have moved.
    #[error("no move")]
    NoMove,
    /// No move from a program or an engine that was asked for one.
    #[error("no move, {why}")]
    NoAnswer {
        /// The action of the program in place of an answer, or the error of the engine.
        why: String,
        /// If true, the program was asked until its time was over.
        #[serde(default, rename = "late", skip_serializing_if = "std::ops::Not::not")]
        is_late: bool,
    },
    /// The player gave up.
    #[error("{}", ProcessFailure::Quit)]
    Quit,
    /// The input from which the player's moves come has ended.
    #[error("no move, the input has ended")]
    EndOfInput,
    /// The player's process has ended.
    #[error("crash, {how}")]
    Died {
        /// The known facts about its end.
        how: String,
    },
    /// The system cannot run the player's program. No player loses by this fault and no record contains it:
    /// [`play`](crate::referee::play) fails.
    #[error("the system cannot run a program now: {why}")]
    #[serde(skip)]
    System {
        /// The system's error.
        why: String,
    },
    /// The answer took too long.
    #[error("{}", ProcessFailure::WallLimit { limit: *limit })]
    WallLimit {
        /// The limit on the time.
        #[serde(with = "plyground_durable::quantities::microseconds")]
        limit: Duration,
    },
    /// The processes of the player used too much CPU time.
    #[error("{}", ProcessFailure::CpuLimit { limit: *limit })]
    CpuLimit {
        /// The limit on the CPU time.
        #[serde(with = "plyground_durable::quantities::microseconds")]
        limit: Duration,
    },
    /// The processes of the player occupied too much memory.
    #[error("{}", ProcessFailure::MemoryLimit { limit: *limit })]
    MemoryLimit {
        /// The limit on the memory, in bytes.
        limit: u64,
    },
    /// The player printed or wrote too much.
    #[error("{}", ProcessFailure::OutputLimit { limit: *limit })]
    OutputLimit {
        /// The limit on the output, in bytes.
        limit: u64,
    },
}

impl Fault {
    /// Returns the fault of a program that does something else in place of an answer, or of an engine that has an
    /// error.
    #[must_use]
    pub const fn no_answer(why: String) -> Fault {
        Fault::NoAnswer { why, is_late: false }
    }

    /// Returns true if the player used up its time.
    #[must_use]
    pub const fn is_late(&self) -> bool {
        match self {
            Fault::WallLimit { .. } | Fault::CpuLimit { .. } => true,
            Fault::NoAnswer { is_late, .. } => *is_late,
            _ => false,
        }
    }

    /// Returns the fault of a program that has failed, with the cause of a crash if the program has printed
    /// one to standard error.
    #[must_use]
    pub(crate) fn of_program(failure: ProcessFailure, errors: &[u8]) -> Fault {
        match (Fault::from(failure), crash_cause(errors)) {
            (Fault::Died { how }, Some(cause)) => Fault::Died { how: format!("{how}: {cause}") },
            (fault, _) => fault,
        }
    }

    /// Returns the fault of a program that exchanges lines. The fault quotes a line that was not received, because the
    /// program's author cannot otherwise see the cause.
    #[must_use]
    pub(crate) fn of_talk(failure: ProcessFailure, left: &Leftovers, keywords: &[&str]) -> Fault {
        let is_silent = matches!(
            failure,
            ProcessFailure::WallLimit { .. } | ProcessFailure::Quit | ProcessFailure::ClosedOutput
        );
        match unheard_line(left, keywords).filter(|_| is_silent) {
            Some(line) => {
                let is_late = matches!(failure, ProcessFailure::WallLimit { .. });
                Fault::NoAnswer { why: format!("{line} ({failure})"), is_late }
            }
            None => Fault::of_program(failure, &left.errors),
        }
    }

    /// Returns the word for the kind of fault. The text of the fault begins with this word, except for faults of the
    /// system.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Fault::IllegalMove { .. } => "illegal move",
            Fault::NoMove | Fault::NoAnswer { .. } | Fault::EndOfInput => "no move",
            Fault::Quit => "quit",
            Fault::Died { .. } => "crash",
            Fault::System { .. } => "system",
            Fault::WallLimit { .. } => "wall limit",
            Fault::CpuLimit { .. } => "cpu limit",
            Fault::MemoryLimit { .. } => "memory limit",
            Fault::OutputLimit { .. } => "output limit",
        }
    }
}

/// Returns a line that a program has printed and that was not received, with the likely cause, if there is such a line.
/// `keywords` are the first words of the lines that would have been received.
pub(crate) fn unheard_line(left: &Leftovers, keywords: &[&str]) -> Option<String> {
    let unfinished = String::from_utf8_lossy(&left.unfinished);
    if !unfinished.trim().is_empty() {
        return Some(format!("`{}` has no line end: flush?", excerpt(unfinished.trim())));
    }
    let line = String::from_utf8_lossy(&left.unheard);
    let lower = line.to_ascii_lowercase();
    let keyword = keywords.iter().find(|keyword| lower.contains(**keyword))?;
    let why = if line.split_ascii_whitespace().next() == Some(*keyword) {
        "came only when its input had ended: flush?".to_owned()
    } else {
        format!("does not begin with `{keyword}`")
    };
    Some(format!("`{}` {why}", excerpt(line.trim())))
}

impl From<ProcessFailure> for Fault {
    fn from(failure: ProcessFailure) -> Fault {
        match failure {
            ProcessFailure::Quit => Fault::Quit,
            ProcessFailure::ClosedOutput => Fault::no_answer(failure.to_string()),
            ProcessFailure::Died { how } => Fault::Died { how },
            ProcessFailure::System { why } => Fault::System { why },
            ProcessFailure::WallLimit { limit } => Fault::WallLimit { limit },
            ProcessFailure::CpuLimit { limit } => Fault::CpuLimit { limit },
            ProcessFailure::MemoryLimit { limit } => Fault::MemoryLimit { limit },
            ProcessFailure::OutputLimit { limit } => Fault::OutputLimit { limit },
        }
    }
}

/// The most characters of a line that a fault repeats.
const LONGEST: usize = 120;

/// The beginning of the traceback of a Python exception. The exception follows it, not indented.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// The words that mark a line as an error, in any programming language.
const SIGNS: [&str; 6] = ["exception", "error", "panicked", "fault", "abort", "terminate called"];

/// Returns the line that names the cause, shortened, or `None` if nothing was printed.
fn crash_cause(errors: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(errors);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // A program goes on after an exception that it catches and prints, so the last one is the cause.
    let of_python = lines
        .iter()
        .rposition(|line| line.starts_with(TRACEBACK))
        .and_then(|at| lines[at + 1..].iter().find(|line| !line.starts_with(char::is_whitespace)));
    let says_so = |line: &&&str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    let of_trace = lines.iter().rfind(|line| begins_trace(line));
    let said = || of_trace.or_else(|| lines.iter().find(says_so)).or_else(|| lines.last());
    let line = of_python.or_else(said)?;
    let plain: String = line.trim().chars().filter(|c| !c.is_control()).collect();
    Some(shown(&cut(&plain, LONGEST)).into_owned()).filter(|plain| !plain.is_empty())
}

/// Returns true if a line begins the stack trace of an exception of Java or JavaScript, but not that of its own cause.
fn begins_trace(line: &str) -> bool {
    let class = line.split(':').next().unwrap_or_default();
    // The code of an error of Node.js follows its class.
    let class = class.split(" [").next().unwrap_or_default();
    let is_class = class.ends_with("Exception") || class.ends_with("Error");
    line.starts_with("Exception in thread ") || is_class && !class.contains(char::is_whitespace)
}

/// The number of games that a player has lost by a fault, by the word for the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FaultCounts(BTreeMap<&'static str, u64>);

impl FaultCounts {
    /// Adds a fault.
    pub fn add(&mut self, fault: &Fault) {
        *self.0.entry(fault.word()).or_default() += 1;
    }

    /// Returns the number of all faults.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns true if there are no faults.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Writes every kind with its number: `crash 2, no move 1`.
impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (word, count)) in self.0.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{word} {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_without_an_end_is_quoted() {
        let left = |unfinished: &[u8]| Leftovers {
            unfinished: unfinished.to_vec(),
            errors: b"oops\n".to_vec(),
            ..Leftovers::default()
        };
        let of_talk = |failure, left: &_| Fault::of_talk(failure, left, &["readyok", "bestmove"]);
        let limit = Duration::from_secs(5);
        let late = || ProcessFailure::WallLimit { limit };
        let text = of_talk(late(), &left(b"bestmove 4")).to_string();
        assert_eq!(
            text,
            "no move, `bestmove 4` has no line end: flush? (wall limit of 5s exceeded)"
        );
        let text = of_talk(ProcessFailure::Quit, &left(b"bestmove\x07")).to_string();
        assert_eq!(text, "no move, `bestmove\\u{7}` has no line end: flush? (quit)");
        assert_eq!(of_talk(late(), &left(b" \t")), Fault::WallLimit { limit });
        let unheard =
            |unheard: &[u8]| Leftovers { unheard: unheard.to_vec(), ..Leftovers::default() };
        for (line, quoted) in [
            ("Your move? bestmove 4", "`Your move? bestmove 4` does not begin with `bestmove`"),
            ("BestMove 4", "`BestMove 4` does not begin with `bestmove`"),
            ("bestmove 4", "`bestmove 4` came only when its input had ended: flush?"),
        ] {
            let text = of_talk(late(), &unheard(line.as_bytes())).to_string();
            assert_eq!(text, format!("no move, {quoted} (wall limit of 5s exceeded)"));
        }
        // The cause of the end matters more than an unfinished line.
        let crash = ProcessFailure::Died { how: "exit code 1".to_owned() };
        let text = of_talk(crash, &left(b"bestmove 4")).to_string();
        assert_eq!(text, "crash, exit code 1: oops");
    }

    #[test]
    fn text_of_fault_begins_with_its_word() {
        let why = || "why".to_owned();
        let limit = Duration::from_secs(1);
        for fault in [
            Fault::IllegalMove { why: why() },
            Fault::NoMove,
            Fault::no_answer(why()),
            Fault::Quit,
            Fault::EndOfInput,
            Fault::Died { how: why() },
            Fault::WallLimit { limit },
            Fault::CpuLimit { limit },
            Fault::MemoryLimit { limit: 1 },
            Fault::OutputLimit { limit: 1 },
        ] {
            assert!(fault.to_string().starts_with(fault.word()), "{fault}");
        }
    }

    #[test]
    fn line_with_the_cause_is_found() {
        for (errors, cause) in [
            (
                "thinking\nTraceback (most recent call last):\n  File \"x\", line 1\n    a error\nKeyError: 3\n",
                "KeyError: 3",
            ),
            (
                "depth 3\nException in thread \"main\" java.lang.Error: no\n\tat X\n",
                "Exception in thread \"main\" java.lang.Error: no",
            ),
            (
                "java.io.FileNotFoundException: w.ser\n\tat X\njava.lang.NullPointerException: null\n\tat Y\n\
                 Caused by: java.lang.Error: no\n",
                "java.lang.NullPointerException: null",
            ),
            (
                "Traceback (most recent call last):\nOSError: no file\ngoes on\n\
                 Traceback (most recent call last):\n  File \"x\"\nKeyError: 3\n",
                "KeyError: 3",
            ),
            (
                "node:internal/errors:496\n    error: x\n    ^\n\nTypeError [ERR_ARG]: no path\n    at Object.<anonymous>\n\
                 \nNode.js v20\n",
                "TypeError [ERR_ARG]: no path",
            ),
            ("one\ntwo\x1b[0m\n\n", "two[0m"),
        ] {
            assert_eq!(crash_cause(errors.as_bytes()).as_deref(), Some(cause));
        }
        assert_eq!(crash_cause(b"\n \x07\n"), None);
        assert!(crash_cause(&[b'x'; 1_000]).is_some_and(|cause| cause.len() == LONGEST + 3));
    }
}

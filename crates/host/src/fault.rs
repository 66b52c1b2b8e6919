//! The ways in which a player loses a game other than by its rules.

use std::time::Duration;

use bytesize::ByteSize;
use plyground_sandbox::{Leftovers, ProcessFailure};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::crash_cause::crash_cause;
use plyground_durable::excerpt;

/// The way in which a player loses a game other than by the rules of the game.
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
    /// No move from a program that was asked for one.
    #[error("no move, {why}")]
    NoAnswer {
        /// The action of the program in place of an answer.
        why: String,
    },
    /// The player gave up.
    #[error("quit")]
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
    #[error("wall limit of {} exceeded", humantime::format_duration(*limit))]
    WallLimit {
        /// The limit on the time.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player used too much CPU time.
    #[error("cpu limit of {} exceeded", humantime::format_duration(*limit))]
    CpuLimit {
        /// The limit on the CPU time.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player occupied too much memory.
    #[error("memory limit of {} exceeded", ByteSize(*limit))]
    MemoryLimit {
        /// The limit on the memory, in bytes.
        limit: u64,
    },
    /// The player printed or wrote too much.
    #[error("output limit of {} exceeded", ByteSize(*limit))]
    OutputLimit {
        /// The limit on the output, in bytes.
        limit: u64,
    },
}

impl Fault {
    /// Returns the fault of a program that has failed, with the cause of a crash if the program has printed
    /// one to standard error.
    #[must_use]
    pub(crate) fn of_program(failure: ProcessFailure, errors: &[u8]) -> Fault {
        match (Fault::from(failure), crash_cause(errors)) {
            (Fault::Died { how }, Some(cause)) => Fault::Died { how: format!("{how}: {cause}") },
            (fault, _) => fault,
        }
    }

    /// Returns the fault of a program that was talked to. It quotes a line that the program has not ended:
    /// nothing has received that line, and the program's author cannot see why.
    #[must_use]
    pub(crate) fn of_talk(failure: ProcessFailure, left: &Leftovers) -> Fault {
        let is_silent = matches!(
            failure,
            ProcessFailure::WallLimit { .. } | ProcessFailure::Quit | ProcessFailure::ClosedOutput
        );
        match unfinished_line(&left.unfinished).filter(|_| is_silent) {
            Some(line) => Fault::NoAnswer { why: format!("{line} ({failure})") },
            None => Fault::of_program(failure, &left.errors),
        }
    }

    /// Returns the word for the kind of fault, with which its text begins.
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

/// Returns a line that a program has not ended, with the likely cause, or `None` if it has ended all lines.
pub(crate) fn unfinished_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    (!text.is_empty()).then(|| format!("`{}` has no line end: flush?", excerpt(text)))
}

impl From<ProcessFailure> for Fault {
    fn from(failure: ProcessFailure) -> Fault {
        match failure {
            ProcessFailure::Quit => Fault::Quit,
            ProcessFailure::ClosedOutput => Fault::NoAnswer { why: failure.to_string() },
            ProcessFailure::Died { how } => Fault::Died { how },
            ProcessFailure::System { why } => Fault::System { why },
            ProcessFailure::WallLimit { limit } => Fault::WallLimit { limit },
            ProcessFailure::CpuLimit { limit } => Fault::CpuLimit { limit },
            ProcessFailure::MemoryLimit { limit } => Fault::MemoryLimit { limit },
            ProcessFailure::OutputLimit { limit } => Fault::OutputLimit { limit },
        }
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
        let limit = Duration::from_secs(5);
        let late = || ProcessFailure::WallLimit { limit };
        let text = Fault::of_talk(late(), &left(b"bestmove 4")).to_string();
        assert_eq!(
            text,
            "no move, `bestmove 4` has no line end: flush? (wall limit of 5s exceeded)"
        );
        let text = Fault::of_talk(ProcessFailure::Quit, &left(b"bestmove\x07")).to_string();
        assert_eq!(text, "no move, `bestmove\\u{7}` has no line end: flush? (quit)");
        assert_eq!(Fault::of_talk(late(), &left(b" \t")), Fault::WallLimit { limit });
        // The cause of the end matters more than an unfinished line.
        let crash = ProcessFailure::Died { how: "exit code 1".to_owned() };
        let text = Fault::of_talk(crash, &left(b"bestmove 4")).to_string();
        assert_eq!(text, "crash, exit code 1: oops");
    }
}

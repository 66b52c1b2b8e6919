//! How a player loses a game other than by its rules.

use std::time::Duration;

use bytesize::ByteSize;
use plyground_sandbox::ProcessFailure;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::crash_cause::crash_cause;

/// How a player loses a game other than by the rules of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A move against the rules, or an answer that is no move of the game at all.
    #[error("illegal move, {why}")]
    IllegalMove {
        /// Why the move is illegal, with the move in it.
        why: String,
    },
    /// No move, although the player could have moved.
    #[error("no move")]
    NoMove,
    /// No move from a program that was asked for one.
    #[error("no move, {why}")]
    NoAnswer {
        /// What it did instead.
        why: String,
    },
    /// The player gave up.
    #[error("quit")]
    Quit,
    /// The input from which the player's moves come has ended.
    #[error("no move, the input has ended")]
    EndOfInput,
    /// The player has ended.
    #[error("crash, {how}")]
    Died {
        /// What is known of its end.
        how: String,
    },
    /// The system cannot run the player's program. No player loses by this, and no record contains
    /// it: [`play`](crate::referee::play) fails.
    #[error("the system cannot run a program now: {why}")]
    #[serde(skip)]
    System {
        /// What it says.
        why: String,
    },
    /// The answer took too long.
    #[error("wall limit of {} exceeded", humantime::format_duration(*limit))]
    WallLimit {
        /// The time that there was.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player used too much CPU time.
    #[error("cpu limit of {} exceeded", humantime::format_duration(*limit))]
    CpuLimit {
        /// The CPU time that there was.
        #[serde(with = "crate::record::microseconds")]
        limit: Duration,
    },
    /// The processes of the player occupied too much memory.
    #[error("memory limit of {} exceeded", ByteSize(*limit))]
    MemoryLimit {
        /// The memory that there was, in bytes.
        limit: u64,
    },
    /// The player printed or wrote too much.
    #[error("output limit of {} exceeded", ByteSize(*limit))]
    OutputLimit {
        /// What it might have written, in bytes.
        limit: u64,
    },
}

impl Fault {
    /// The fault of a program that has failed, with the cause of a crash if there is one in what it
    /// has printed to standard error.
    #[must_use]
    pub(crate) fn of_program(failure: ProcessFailure, errors: &[u8]) -> Fault {
        match (Fault::from(failure), crash_cause(errors)) {
            (Fault::Died { how }, Some(cause)) => Fault::Died { how: format!("{how}: {cause}") },
            (fault, _) => fault,
        }
    }

    /// The word for the kind of fault, with which its text begins.
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

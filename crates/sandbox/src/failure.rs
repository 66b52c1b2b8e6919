//! The ends of a process, and the failures that result from them.

use std::io;
use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The reason why a program did not fulfill its task: it broke a limit, or ended too early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessFailure {
    /// The program ended by itself with exit code 0, or the host dismissed it.
    #[error("quit")]
    Quit,
    /// The program closed its standard output.
    #[error("it closed its output")]
    ClosedOutput,
    /// The program crashed, could not be started, or had too many processes.
    #[error("crash, {how}")]
    Died {
        /// The end of the program, in words.
        how: String,
    },
    /// The OS refused a resource that a run of the program needs. The program is not to blame.
    #[error("the system cannot run a program now: {why}")]
    System {
        /// The error of the OS.
        why: String,
    },
    /// The program took too long.
    #[error("wall limit of {} exceeded", humantime::format_duration(*limit))]
    WallLimit {
        /// The limit.
        limit: Duration,
    },
    /// The processes of the program used too much CPU time.
    #[error("cpu limit of {} exceeded", humantime::format_duration(*limit))]
    CpuLimit {
        /// The limit.
        limit: Duration,
    },
    /// The processes of the program occupied too much memory.
    #[error("memory limit of {} exceeded", ByteSize(*limit))]
    MemoryLimit {
        /// The limit in bytes.
        limit: u64,
    },
    /// The program printed or wrote too much.
    #[error("output limit of {} exceeded", ByteSize(*limit))]
    OutputLimit {
        /// The limit in bytes.
        limit: u64,
    },
}

impl ProcessFailure {
    /// Returns the failure of a host that could not run a program because of `error`.
    #[must_use]
    pub fn system(error: &io::Error) -> ProcessFailure {
        ProcessFailure::System { why: error.to_string() }
    }
}

/// Returns true if the OS refused a request because it has run out of processes, memory or open files. No
/// program is to blame.
#[cfg(unix)]
#[must_use]
pub fn is_exhausted(error: &io::Error) -> bool {
    use nix::errno::Errno;

    /// Processes, memory, open files of a process, open files of all processes.
    const EXHAUSTED: [Errno; 4] = [Errno::EAGAIN, Errno::ENOMEM, Errno::EMFILE, Errno::ENFILE];
    error.raw_os_error().is_some_and(|code| EXHAUSTED.contains(&Errno::from_raw(code)))
}

/// Returns true if the OS refused a request because it has run out of memory. No program is to blame.
#[cfg(not(unix))]
#[must_use]
pub fn is_exhausted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

/// The end of the processes of a program.
///
/// [`Meter::failure`](crate::Meter::failure) returns the failure of a program that ended before its task was
/// done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessEnd {
    /// The first process ended by itself, with this exit code.
    Exit(i32),
    /// This signal ended the first process.
    Signal(String),
    /// The program could not be started, for this reason.
    NotStarted(String),
    /// The OS refused to start or supervise the program, for this reason. The program is not to blame.
    System(String),
    /// The program closed its standard output, and the supervisor killed it.
    ClosedOutput,
    /// The supervisor killed the processes for using too much CPU time.
    CpuLimit,
    /// The supervisor killed the processes for taking too long.
    WallLimit,
    /// The time was over, but other processes kept the program from running for longer than a turn is
    /// extended. The program is not to blame.
    Starved(Duration),
    /// The supervisor killed the processes for occupying too much memory.
    MemoryLimit,
    /// The supervisor killed the processes for printing or writing too much.
    OutputLimit,
    /// The supervisor killed the processes for being too many.
    Processes,
    /// The supervisor killed the processes because it could not inspect everything that they held.
    Hidden,
    /// The supervisor killed the processes because they ran a program that neither they nor the supervisor
    /// may read.
    Unreadable,
    /// The supervisor killed the processes because they ran when they had to stand still.
    NotStill,
    /// The supervisor killed the processes because the host no longer needs them.
    Dismissed,
    /// The supervisor itself is gone. The program is not to blame.
    Lost,
}

impl ProcessEnd {
    /// Returns the end of a program that does not run because the OS refused a request of the supervisor.
    #[cfg(unix)]
    pub(crate) fn system(error: impl Into<io::Error>) -> ProcessEnd {
        ProcessEnd::System(error.into().to_string())
    }

    /// Returns true if the program was killed because it had more than it may have, or ran when it had to stand still.
    /// Then it is to blame, even if it has answered.
    #[must_use]
    pub fn is_excess(&self) -> bool {
        matches!(
            self,
            ProcessEnd::CpuLimit
                | ProcessEnd::MemoryLimit
                | ProcessEnd::OutputLimit
                | ProcessEnd::Processes
                | ProcessEnd::Hidden
                | ProcessEnd::Unreadable
                | ProcessEnd::NotStill
        )
    }

    /// Returns the fault of the system that caused the end, if there is one. No program is to blame for such
    /// a fault.
    #[must_use]
    pub fn fault_of_system(&self) -> Option<String> {
        match self {
            ProcessEnd::System(why) => Some(why.clone()),
            ProcessEnd::Lost => Some("the supervisor of a program is gone".to_owned()),
            ProcessEnd::Starved(waited) => Some(format!(
                "a program waited {} for a processor: the computer is too busy",
                humantime::format_duration(Duration::from_millis(waited.as_millis() as u64))
            )),
            _ => None,
        }
    }
}

/// An event that the supervisor of a program reports to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEvent {
    /// The program printed a line that begins with a keyword of
    /// [`Launch::talking`](crate::Launch::talking).
    Line(String),
    /// The supervisor has ended the turn and measured its CPU time.
    TurnEnded,
    /// The program has ended, and all its processes are gone.
    Ended(ProcessEnd),
}

/// Names the step that failed, or the file, in the error of a result.
#[cfg(unix)]
pub(crate) fn step<T>(
    what: impl AsRef<std::path::Path>,
    result: Result<T, impl Into<io::Error>>,
) -> io::Result<T> {
    result.map_err(Into::into).map_err(|error| {
        // Such an error keeps its code, which shows that no program is to blame.
        if is_exhausted(&error) {
            return error;
        }
        io::Error::new(error.kind(), format!("{}: {error}", what.as_ref().display()))
    })
}

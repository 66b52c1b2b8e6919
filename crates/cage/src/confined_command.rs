//! The last step before a foreign program: a process that gives up what the program must not
//! have, and then becomes the program.

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{Resource, rlim_t, setrlimit};
use serde::{Deserialize, Serialize};

use crate::end::ProcessEnd;
use crate::failure::is_exhausted;
use crate::sandbox;

/// The exit code that a shell uses for a program that cannot be started.
const NOT_STARTED: u8 = 127;

/// How many times the memory limit a process may reserve.
///
/// Reserved memory is not occupied memory: Java reserves a heap in proportion to the computer's
/// memory, and never touches most of it. The supervisor finds processes that occupy too much. This
/// limit covers the time in which a busy supervisor does not look.
const RESERVED_MEMORY_FACTOR: u64 = 16;

/// The CPU time beyond the limit after which the kernel kills a process that the supervisor has
/// not killed.
const CPU_GRACE: Duration = Duration::from_secs(2);

/// A program to become, and what to give up first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ConfinedCommand {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The only folder in which the program may write, or `None` without confinement.
    pub(crate) folder: Option<PathBuf>,
    /// The memory that the program may occupy, in bytes.
    pub(crate) memory: u64,
    /// The size of a file that the program may write, in bytes.
    pub(crate) output: u64,
    /// The CPU time of the program's life.
    pub(crate) cpu: Option<Duration>,
    /// The process ID of the supervisor, which must outlive the program.
    pub(crate) supervisor: i32,
    /// The pipe that tells the supervisor why the program does not run. This process has it open,
    /// the program does not.
    pub(crate) status_pipe: RawFd,
}

/// Becomes the program of the command that `text` describes. Returns only if that fails.
pub(crate) fn become_confined(text: &str) -> u8 {
    let Ok(command) = serde_json::from_str::<ConfinedCommand>(text) else { return NOT_STARTED };
    // SAFETY: the supervisor opened the descriptor for this process, and nothing else in this
    // process uses it.
    let pipe = File::from(unsafe { OwnedFd::from_raw_fd(command.status_pipe) });
    // The copy is closed when this process becomes the program. Without a copy, the program would
    // hold the pipe open, so it is not started.
    let end = match pipe.try_clone() {
        Ok(copy) => {
            drop(pipe);
            let end = command.enter();
            send_end(copy, &end);
            end
        }
        Err(error) => {
            let end = ProcessEnd::System(error.to_string());
            send_end(pipe, &end);
            end
        }
    };
    if let ProcessEnd::NotStarted(why) = end {
        // Standard error is the program's already.
        eprintln!("cannot be started: {why}");
    }
    NOT_STARTED
}

/// Tells the supervisor why the program does not run.
fn send_end(pipe: File, end: &ProcessEnd) {
    // If writing fails, the supervisor is gone.
    let _ = serde_json::to_writer(pipe, end);
}

impl ConfinedCommand {
    /// Becomes the program, or returns why that failed.
    fn enter(&self) -> ProcessEnd {
        if let Err(error) = self.give_up() {
            return ProcessEnd::System(error.to_string());
        }
        let error = match self.words.split_first() {
            Some((program, arguments)) => Command::new(program).args(arguments).exec(),
            None => io::ErrorKind::InvalidInput.into(),
        };
        if is_exhausted(&error) {
            ProcessEnd::System(error.to_string())
        } else {
            ProcessEnd::NotStarted(error.to_string())
        }
    }

    fn give_up(&self) -> io::Result<()> {
        die_with(self.supervisor)?;
        limit(Resource::RLIMIT_CORE, 0)?;
        limit(Resource::RLIMIT_FSIZE, self.output)?;
        limit(Resource::RLIMIT_DATA, self.memory.saturating_mul(RESERVED_MEMORY_FACTOR))?;
        if let Some(cpu) = self.cpu {
            limit(Resource::RLIMIT_CPU, (cpu + CPU_GRACE).as_secs() + 1)?;
        }
        if let Some(folder) = &self.folder {
            sandbox::confine(folder)?;
        }
        Ok(())
    }
}

/// Lowers a limit of this process and everything it starts. A limit that is lower already stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = rlim_t::try_from(most).unwrap_or(rlim_t::MAX);
    let (_, hard) = nix::sys::resource::getrlimit(resource)?;
    let most = most.min(hard);
    setrlimit(resource, most, most)?;
    Ok(())
}

/// Makes the kernel kill this process when the supervisor ends.
#[cfg(target_os = "linux")]
fn die_with(supervisor: i32) -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    // The supervisor may have ended before the call.
    if nix::unistd::getppid().as_raw() != supervisor {
        return Err(io::Error::other("the supervisor is gone"));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: i32) -> io::Result<()> {
    Ok(())
}

//! The last step before somebody else's program: a process that gives up what the program is not
//! to have, and then becomes it.

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::resource::{Resource, rlim_t, setrlimit};
use serde::{Deserialize, Serialize};

use super::message::End;
use super::sandbox;
use super::system::is_exhausted;

/// The exit code of a shell for a program that cannot be started.
const NOT_STARTED: u8 = 127;

/// A process may reserve more memory than it occupies, so many times as much: Java begins with a
/// heap in proportion to the computer's memory, most of which it never touches. Who occupies too
/// much is found by the supervisor; this is for a supervisor that is kept waiting.
const RESERVED_MEMORY: u64 = 16;

/// The CPU time beyond the limit after which the kernel ends a process that the supervisor has not.
const CPU_GRACE: Duration = Duration::from_secs(2);

/// What is given up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cell {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The only folder in which it may write, if it is to be confined.
    pub(super) folder: Option<PathBuf>,
    /// The memory that it may occupy, in bytes.
    pub(super) memory: u64,
    /// The size of a file that it may write, in bytes.
    pub(super) output: u64,
    /// The CPU time of its life.
    pub(super) cpu: Option<Duration>,
    /// The process that must outlive it.
    pub(super) supervisor: i32,
    /// Where that process is told why the program does not run: an open file of this process, and
    /// not of the program.
    pub(super) teller: RawFd,
}

/// Becomes the program of the cell that `text` describes. Comes back only if it cannot.
pub(super) fn become_confined(text: &str) -> u8 {
    let Ok(cell) = serde_json::from_str::<Cell>(text) else { return NOT_STARTED };
    // SAFETY: the supervisor has opened it for this process, in which nobody else knows of it.
    let teller = File::from(unsafe { OwnedFd::from_raw_fd(cell.teller) });
    // The program does not get the copy, and the original ends here. Without a copy, nothing is
    // started.
    let end = match teller.try_clone() {
        Ok(copy) => {
            drop(teller);
            let end = cell.enter();
            tell(copy, &end);
            end
        }
        Err(error) => {
            let end = End::System(error.to_string());
            tell(teller, &end);
            end
        }
    };
    if let End::NotStarted(why) = end {
        // Standard error is that of the player already.
        eprintln!("cannot be started: {why}");
    }
    NOT_STARTED
}

/// Tells the supervisor why the program does not run.
fn tell(teller: File, end: &End) {
    // Who is gone need not know.
    let _ = serde_json::to_writer(teller, end);
}

impl Cell {
    /// Becomes the program, or says why not.
    fn enter(&self) -> End {
        if let Err(error) = self.give_up() {
            return End::System(error.to_string());
        }
        let error = match self.words.split_first() {
            Some((program, arguments)) => Command::new(program).args(arguments).exec(),
            None => io::ErrorKind::InvalidInput.into(),
        };
        if is_exhausted(&error) {
            End::System(error.to_string())
        } else {
            End::NotStarted(error.to_string())
        }
    }

    fn give_up(&self) -> io::Result<()> {
        die_with(self.supervisor)?;
        limit(Resource::RLIMIT_CORE, 0)?;
        limit(Resource::RLIMIT_FSIZE, self.output)?;
        limit(Resource::RLIMIT_DATA, self.memory.saturating_mul(RESERVED_MEMORY))?;
        if let Some(cpu) = self.cpu {
            limit(Resource::RLIMIT_CPU, (cpu + CPU_GRACE).as_secs() + 1)?;
        }
        if let Some(folder) = &self.folder {
            sandbox::confine(folder)?;
        }
        Ok(())
    }
}

/// Lowers a limit of this process and all that it starts; one that is lower already stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = rlim_t::try_from(most).unwrap_or(rlim_t::MAX);
    let (_, hard) = nix::sys::resource::getrlimit(resource)?;
    let most = most.min(hard);
    setrlimit(resource, most, most)?;
    Ok(())
}

/// Has the kernel end this process when the supervisor ends.
#[cfg(target_os = "linux")]
fn die_with(supervisor: i32) -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    // It may have ended before that.
    if nix::unistd::getppid().as_raw() != supervisor {
        return Err(io::Error::other("the supervisor is gone"));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: i32) -> io::Result<()> {
    Ok(())
}

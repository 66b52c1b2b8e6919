//! How a command fails, and what the shell sees of it.

use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::book::BookError;
use crate::output::WriteError;
use crate::referee::Interrupted;
use crate::state::ReadError;
use crate::toml_file::TomlError;
use crate::tournament::{OpeningFault, StoreError};

/// The exit code when the run failed.
const RUN_FAILED: u8 = 1;
/// The exit code when the input is at fault; clap uses the same for the arguments.
const BAD_INPUT: u8 = 2;

/// The exit code when the user interrupts, by the custom of the shells: 128 and the number of the
/// signal.
pub(super) const STOPPED: u8 = 130;

/// Why a command did not do what was asked. The text is one line.
#[derive(Debug, Error)]
pub enum Failure {
    /// A position could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The arguments ask for something that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A book can not be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The user stopped the program, which says what it has got so far.
    #[error("interrupted; {0}")]
    Stopped(String),
    /// Nobody reads our output any more. No reason to complain.
    #[error("standard output is closed")]
    Closed,
    /// Standard input cannot be read, or standard output not written.
    #[error("standard input or output: {0}")]
    Screen(io::Error),
    /// Anything else that went wrong on the way.
    #[error("{0:#}")]
    Run(anyhow::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Screen(error),
        }
    }
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Failure {
        match interrupted {
            Interrupted::Observer(error) => error.into(),
            Interrupted::Opening { .. } => Failure::Usage(interrupted.to_string()),
            Interrupted::System { .. } => Failure::Run(interrupted.into()),
        }
    }
}

impl From<TomlError> for Failure {
    fn from(error: TomlError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<OpeningFault> for Failure {
    fn from(error: OpeningFault) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        match error {
            StoreError::Write(error) => Failure::Write(error),
            StoreError::Unreadable { .. }
            | StoreError::OtherPlan { .. }
            | StoreError::Damaged { .. } => Failure::Usage(error.to_string()),
        }
    }
}

/// Reports a failure on standard error, and the exit code: 0 if all went well, 1 if the run
/// failed, 2 if the arguments or the input are at fault,
/// 130 if the user stopped it.
#[must_use]
pub fn finish(result: Result<(), Failure>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    let code = match failure {
        Failure::Closed => return ExitCode::SUCCESS,
        Failure::Read(_) | Failure::Usage(_) | Failure::Book(_) => BAD_INPUT,
        Failure::Stopped(_) => STOPPED,
        Failure::Write(_) | Failure::Screen(_) | Failure::Run(_) => RUN_FAILED,
    };
    // As clap reports faulty arguments, in colour where that is wanted. If standard error is
    // closed, there is nobody left to tell.
    let _ = clap::Error::raw(clap::error::ErrorKind::Io, format!("{failure}\n")).print();
    ExitCode::from(code)
}

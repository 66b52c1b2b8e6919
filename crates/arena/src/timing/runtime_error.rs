//! What can go wrong with a runtime table.

use std::io;
use std::path::PathBuf;

use plyground_durable::lock::LockError;
use plyground_durable::output::WriteError;
use thiserror::Error;

use super::plot::PlotError;
use super::runtime_table::NotARuntimeTable;

/// Why a runtime table cannot be measured or kept, as one line for a person.
#[derive(Debug, Error)]
pub enum RuntimeError {
    /// There is no move to time.
    #[error("the game is over in this position: there is no move to time")]
    GameOver,
    /// The file is there, but it is not the CSV of a runtime table.
    #[error("{}: not a runtime table, so it is left alone: {fault}", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What it should have been.
        fault: NotARuntimeTable,
    },
    /// The file is the runtime table of another game or position.
    #[error("{}: holds the runtime table of another position, so it is left alone: expected {game} \
             {position}, found {found_game} {found_position}", path.display())]
    OtherPosition {
        /// The file.
        path: PathBuf,
        /// The game to be timed.
        game: String,
        /// The position to be timed.
        position: String,
        /// The game in the file.
        found_game: String,
        /// The position in the file.
        found_position: String,
    },
    /// The path leads to a folder, a device or a pipe.
    #[error("{}: expected a file, found a folder, device or pipe", path.display())]
    NotAFile {
        /// What was given as the file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason of the system.
        source: io::Error,
    },
    /// Another process has the file, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The rows cannot be shown.
    #[error("cannot print the table: {0}")]
    Output(#[from] io::Error),
    /// Somebody wanted no more of it.
    #[error("stopped in depth {depth}")]
    Stopped {
        /// The depth that was not finished.
        depth: u32,
    },
    /// The plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

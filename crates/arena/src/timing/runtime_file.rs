//! The file that keeps a runtime table, and the faults of such a file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use plyground_durable::FileError;
use plyground_durable::input::STDIN;
use plyground_durable::journal::JournalLoss;
use plyground_durable::lock::{LockError, WorkLock};
use plyground_durable::output::{check_writable, remove_abandoned_of, write_whole};
use plyground_host::OtherGame;
use thiserror::Error;

use super::plot::PlotError;
use super::runtime_table::{NotARuntimeTable, ReadRuntimeTable, RuntimeTable};

/// The CSV file of the runtime table of one position. Only one process uses it at a time.
#[derive(Debug)]
pub struct RuntimeFile {
    path: PathBuf,
    _lock: Option<WorkLock>,
}

/// A file with its content.
#[derive(Debug)]
pub struct OpenedRuntimeFile {
    /// The file, to which new rows are written.
    pub file: RuntimeFile,
    /// The rows in the file.
    pub table: RuntimeTable,
    /// The damaged rows, which were removed from the file and are not in the table.
    pub loss: Option<JournalLoss>,
}

impl RuntimeFile {
    /// Opens the file for rows of this game and position. A missing file is created, and damaged
    /// rows are removed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is something else, in which case it is left unchanged. Also
    /// returns an error if the file cannot be read or written, or if another process uses it.
    pub fn open(
        path: &Path,
        game: &str,
        position: &str,
    ) -> Result<OpenedRuntimeFile, RuntimeError> {
        RuntimeFile::open_with(path, game, position, |path| WorkLock::of_file(path).map(Some))
    }

    /// Opens the file like [`RuntimeFile::open`], even if the file system has no locks. The caller
    /// ensures that no other process uses the file.
    pub fn open_lockless(
        path: &Path,
        game: &str,
        position: &str,
    ) -> Result<OpenedRuntimeFile, RuntimeError> {
        RuntimeFile::open_with(path, game, position, |path| match WorkLock::of_file(path) {
            Ok(lock) => Ok(Some(lock)),
            Err(LockError::File(_)) => Ok(None),
            Err(busy @ LockError::Busy { .. }) => Err(busy),
        })
    }

    fn open_with(
        path: &Path,
        game: &str,
        position: &str,
        lock: impl Fn(&Path) -> Result<Option<WorkLock>, LockError>,
    ) -> Result<OpenedRuntimeFile, RuntimeError> {
        // A file that is not a runtime table gets no lock either.
        read(path, game, position)?;
        check_writable(path)?;
        let lock = lock(path)?;
        remove_abandoned_of(path);
        let ReadRuntimeTable { table, damaged, cut_off } = read(path, game, position)?;
        let file = RuntimeFile { path: path.to_owned(), _lock: lock };
        file.write(&table)?;
        let loss = JournalLoss::of_lines(path, damaged, cut_off);
        Ok(OpenedRuntimeFile { file, table, loss })
    }

    /// Checks that a file can hold rows of this game and position and can be written.
    pub fn check(path: &Path, game: &str, position: &str) -> Result<(), RuntimeError> {
        read(path, game, position)?;
        Ok(check_writable(path)?)
    }

    /// Replaces the rows in the file. The file is complete at every moment.
    pub fn write(&self, table: &RuntimeTable) -> Result<(), FileError> {
        write_whole(&self.path, table.to_csv())
    }
}

/// Reads the file, if it holds rows of this game and position or does not exist.
fn read(path: &Path, game: &str, position: &str) -> Result<ReadRuntimeTable, RuntimeError> {
    let path = path.to_owned();
    let text = match fs::metadata(&path) {
        _ if path == Path::new(STDIN) => return Err(RuntimeError::NotAFile { path }),
        Ok(metadata) if !metadata.is_file() => return Err(RuntimeError::NotAFile { path }),
        Ok(_) => fs::read(&path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let text = text
        .map_err(|error| RuntimeError::Unreadable(FileError::at(&path, "read the file")(error)))?;
    let read = RuntimeTable::read_csv(&text)
        .map_err(|fault| RuntimeError::NotATable { path: path.clone(), fault })?;
    match read.table.rows().first() {
        Some(row) if !row.is_of(game, position) => Err(RuntimeError::OtherPosition {
            path,
            game: game.to_owned(),
            position: position.to_owned(),
            found_game: row.game.clone(),
            found_position: row.position.clone(),
        }),
        _ => Ok(read),
    }
}

/// The error for a runtime table that cannot be measured or kept, as one line.
#[derive(Debug, Error)]
pub enum RuntimeError {
    /// The position has no move to time.
    #[error("the game is over in this position: there is no move to time")]
    GameOver,
    /// The engine is not one for the position.
    #[error(transparent)]
    OtherGame(#[from] OtherGame),
    /// The file exists but is not the CSV of a runtime table.
    #[error("{}: not a runtime table, so it is left alone: {fault}", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// The reason.
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
        /// The path that was given.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// Another process uses the file, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The rows cannot be printed.
    #[error("cannot print the table: {0}")]
    Output(#[from] io::Error),
    /// The measurement was stopped.
    #[error("stopped in depth {depth}")]
    Stopped {
        /// The depth that was not finished.
        depth: u32,
    },
    /// The plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::runtime_table::SearchKind;
    use crate::timing::runtime_table::tests::row;

    fn open(path: &Path) -> Result<OpenedRuntimeFile, RuntimeError> {
        RuntimeFile::open(path, "toy", "0000/1")
    }

    #[test]
    fn rows_survive_and_nothing_else_is_left() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let OpenedRuntimeFile { file, mut table, loss } = open(&path)?;
        assert_eq!((&table, loss), (&RuntimeTable::default(), None));
        assert_eq!(fs::read_to_string(&path)?, table.to_csv(), "the header is there at once");
        for search in SearchKind::ALL {
            table.insert(row(search, 1));
            file.write(&table)?;
        }
        let error = open(&path).expect_err("a lock").to_string();
        assert!(error.ends_with("t.csv: another process is at work on it"), "{error}");
        drop(file);
        assert_eq!(open(&path)?.table, table);
        assert_eq!(fs::read_dir(folder.path())?.count(), 1, "no temporary file is left");
        Ok(())
    }

    #[test]
    fn damaged_and_torn_lines_are_named_and_left_out() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let mut table = RuntimeTable::default();
        table.insert(row(SearchKind::AlphaBeta, 1));
        let whole = table.to_csv();
        let damaged = row(SearchKind::AlphaBeta, 2).to_csv().replace(",3,", ",4,");
        fs::write(&path, whole.clone() + &damaged + "toy,0000/1,alphabeta,3,3,55")?;
        let opened = open(&path)?;
        assert_eq!(opened.table, table);
        let loss = opened.loss.expect("a loss").to_string();
        let said = "t.csv: line 3 is damaged and not used; line 4 is cut off and not used";
        assert!(loss.ends_with(said), "{loss}");
        assert_eq!(fs::read_to_string(&path)?, whole);
        Ok(())
    }

    #[test]
    fn other_file_is_never_overwritten() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let mut other = RuntimeTable::default();
        other.insert(row(SearchKind::AlphaBeta, 1));
        for text in ["my notes", "my notes\n", "a,b\n1,2\n", &other.to_csv()] {
            fs::write(&path, text)?;
            let error = RuntimeFile::open(&path, "toy", "1000/2").unwrap_err().to_string();
            assert!(error.contains("t.csv: ") && !error.contains('\n'), "{error}");
            assert_eq!(fs::read_to_string(&path)?, text);
        }
        let error = open(folder.path()).unwrap_err();
        assert!(matches!(error, RuntimeError::NotAFile { .. }), "{error}");
        let error = open(&folder.path().join("no/t.csv")).unwrap_err();
        assert!(matches!(error, RuntimeError::Write(_)), "{error}");
        Ok(())
    }
}

//! The file that keeps a table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_host::input::STDIN;
use plyground_host::output::write_whole;

use super::runtime_error::RuntimeError;
use super::runtime_row::RuntimeRow;
use super::runtime_table::RuntimeTable;

/// The CSV file of the runtime table of one position.
#[derive(Clone, Debug)]
pub struct RuntimeFile {
    path: PathBuf,
    game: String,
    position: String,
}

impl RuntimeFile {
    /// Opens the file for rows of this game and position, and returns it with the rows that it
    /// has already. It is made if it is not there, and a torn last line is cut off.
    ///
    /// # Errors
    ///
    /// When the file is something else, which is then left as it is, or when it cannot be read or
    /// written.
    pub fn open(
        path: &Path,
        game: &str,
        position: &str,
    ) -> Result<(RuntimeFile, RuntimeTable), RuntimeError> {
        let [game, position] = [game, position].map(str::to_owned);
        let file = RuntimeFile { path: path.to_owned(), game, position };
        let table = file.read()?;
        file.write(&table)?;
        Ok((file, table))
    }

    /// Adds a row to the file, in place of the one of the same search and depth, and returns all
    /// that the file now holds. The file is whole at every moment.
    ///
    /// # Errors
    ///
    /// As those of [`open`](RuntimeFile::open): the file is read again, so that rows that another
    /// process has added are kept.
    pub fn record(&self, row: &RuntimeRow) -> Result<RuntimeTable, RuntimeError> {
        let mut table = self.read()?;
        table.insert(row.clone());
        self.write(&table)?;
        Ok(table)
    }

    fn read(&self) -> Result<RuntimeTable, RuntimeError> {
        let path = self.path.clone();
        let text = match fs::metadata(&path) {
            _ if path == Path::new(STDIN) => return Err(RuntimeError::NotAFile { path }),
            Ok(metadata) if !metadata.is_file() => return Err(RuntimeError::NotAFile { path }),
            Ok(_) => fs::read(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let text =
            text.map_err(|source| RuntimeError::Unreadable { path: path.clone(), source })?;
        let table = RuntimeTable::from_csv(&text)
            .map_err(|fault| RuntimeError::NotATable { path: path.clone(), fault })?;
        match table.rows().first() {
            Some(row) if !row.is_of(&self.game, &self.position) => {
                Err(RuntimeError::OtherPosition {
                    path,
                    game: self.game.clone(),
                    position: self.position.clone(),
                    found_game: row.game.clone(),
                    found_position: row.position.clone(),
                })
            }
            _ => Ok(table),
        }
    }

    fn write(&self, table: &RuntimeTable) -> Result<(), RuntimeError> {
        Ok(write_whole(&self.path, table.to_csv())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::runtime_row::SearchKind;
    use crate::timing::runtime_row::tests::row;

    #[test]
    fn rows_survive_and_other_searches_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let (file, table) = RuntimeFile::open(&path, "toy", "0000/1").unwrap();
        assert_eq!(table, RuntimeTable::default());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            table.to_csv(),
            "the header is there at once"
        );
        for search in SearchKind::ALL {
            file.record(&row(search, 1)).unwrap();
        }
        let all = file.record(&row(SearchKind::Minimax, 2)).unwrap();
        assert_eq!(all.rows().len(), 3);
        assert_eq!(RuntimeFile::open(&path, "toy", "0000/1").unwrap().1, all);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn torn_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut table = RuntimeTable::default();
        table.insert(row(SearchKind::AlphaBeta, 1));
        let whole = table.to_csv();
        fs::write(&path, whole.clone() + "toy,0000/1,alphabeta,2,3,55").unwrap();
        assert_eq!(RuntimeFile::open(&path, "toy", "0000/1").unwrap().1, table);
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }

    #[test]
    fn other_file_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut other = RuntimeTable::default();
        other.insert(row(SearchKind::AlphaBeta, 1));
        for text in ["my notes", "my notes\n", "a,b\n1,2\n", &other.to_csv()] {
            fs::write(&path, text).unwrap();
            let error = RuntimeFile::open(&path, "toy", "1000/2").unwrap_err().to_string();
            assert!(error.contains("t.csv: ") && !error.contains('\n'), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let error = RuntimeFile::open(folder.path(), "toy", "1000/2").unwrap_err();
        assert!(matches!(error, RuntimeError::NotAFile { .. }), "{error}");
        let nowhere = folder.path().join("no/t.csv");
        let error = RuntimeFile::open(&nowhere, "toy", "1").unwrap_err();
        assert!(matches!(error, RuntimeError::Write(_)), "{error}");
    }
}

//! The file that keeps a table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::row::Row;
use super::table::Table;
use crate::input::STDIN;
use crate::output::write_whole;

/// The CSV file of the runtime table of one position.
#[derive(Clone, Debug)]
pub struct TableFile {
    path: PathBuf,
    game: String,
    position: String,
}

impl TableFile {
    /// Opens the file for rows of this game and position, and returns it with the rows that it
    /// has already. It is made if it is not there, and a torn last line is cut off.
    ///
    /// # Errors
    ///
    /// When the file is something else, which is then left as it is, or when it cannot be read or
    /// written.
    pub fn open(path: &Path, game: &str, position: &str) -> Result<(TableFile, Table), Error> {
        let [game, position] = [game, position].map(str::to_owned);
        let file = TableFile { path: path.to_owned(), game, position };
        let table = file.read()?;
        file.write(&table)?;
        Ok((file, table))
    }

    /// Adds a row to the file, in place of the one of the same search and depth, and returns all
    /// that the file now holds. The file is whole at every moment.
    ///
    /// # Errors
    ///
    /// As those of [`open`](TableFile::open): the file is read again, so that rows that another
    /// process has added are kept.
    pub fn record(&self, row: &Row) -> Result<Table, Error> {
        let mut table = self.read()?;
        table.insert(row.clone());
        self.write(&table)?;
        Ok(table)
    }

    fn read(&self) -> Result<Table, Error> {
        let path = self.path.clone();
        let text = match fs::metadata(&path) {
            _ if path == Path::new(STDIN) => return Err(Error::NotAFile { path }),
            Ok(metadata) if !metadata.is_file() => return Err(Error::NotAFile { path }),
            Ok(_) => fs::read(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let text = text.map_err(|source| Error::Unreadable { path: path.clone(), source })?;
        let table = Table::from_csv(&text)
            .map_err(|fault| Error::NotATable { path: path.clone(), fault })?;
        match table.rows().first() {
            Some(row) if !row.is_of(&self.game, &self.position) => Err(Error::OtherPosition {
                path,
                game: self.game.clone(),
                position: self.position.clone(),
                found_game: row.game.clone(),
                found_position: row.position.clone(),
            }),
            _ => Ok(table),
        }
    }

    fn write(&self, table: &Table) -> Result<(), Error> {
        Ok(write_whole(&self.path, table.to_csv())?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::SearchKind;
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn rows_survive_and_other_searches_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let (file, table) = TableFile::open(&path, "toy", "0000/1").unwrap();
        assert_eq!(table, Table::default());
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
        assert_eq!(TableFile::open(&path, "toy", "0000/1").unwrap().1, all);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_torn_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut table = Table::default();
        table.insert(row(SearchKind::AlphaBeta, 1));
        let whole = table.to_csv();
        fs::write(&path, whole.clone() + "toy,0000/1,alphabeta,2,3,55").unwrap();
        assert_eq!(TableFile::open(&path, "toy", "0000/1").unwrap().1, table);
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }

    #[test]
    fn something_else_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut other = Table::default();
        other.insert(row(SearchKind::AlphaBeta, 1));
        for text in ["my notes", "my notes\n", "a,b\n1,2\n", &other.to_csv()] {
            fs::write(&path, text).unwrap();
            let error = TableFile::open(&path, "toy", "1000/2").unwrap_err().to_string();
            assert!(error.contains("t.csv: ") && !error.contains('\n'), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let error = TableFile::open(folder.path(), "toy", "1000/2").unwrap_err();
        assert!(matches!(error, Error::NotAFile { .. }), "{error}");
        let nowhere = folder.path().join("no/t.csv");
        let error = TableFile::open(&nowhere, "toy", "1").unwrap_err();
        assert!(matches!(error, Error::Write(_)), "{error}");
    }
}

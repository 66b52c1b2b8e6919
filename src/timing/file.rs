//! Files that a killed program leaves whole.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::Error;
use super::row::Row;
use super::table::Table;

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
        // A link is followed now, or the first write would replace it by a file.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = TableFile { path, game: game.to_owned(), position: position.to_owned() };
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
            Ok(metadata) if !metadata.is_file() => return Err(Error::NotAFile { path }),
            Ok(_) => fs::read(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let text = text.map_err(|source| Error::File { path: path.clone(), source })?;
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
        write_whole(&self.path, &table.to_csv())
    }
}

/// Writes a file so that it has either all of `contents` or, if anything goes wrong or the
/// program is killed, what it had before.
///
/// # Errors
///
/// When the file, or its folder, cannot be written.
pub fn write_whole(path: &Path, contents: &str) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let mut temporary = temporary_beside(path)?;
        temporary.write_all(contents.as_bytes())?;
        // Without this, a power cut after the rename can leave an empty file.
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    };
    write().map_err(|source| Error::File { path: path.to_owned(), source })
}

/// Whether [`write_whole`] can write this file: better known before long work than after it.
///
/// # Errors
///
/// When it cannot.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    let path = path.to_owned();
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Error::NotAFile { path });
    }
    match temporary_beside(&path) {
        Ok(_) => Ok(()),
        Err(source) => Err(Error::File { path, source }),
    }
}

/// A temporary file with the permissions of any other new file, not of a secret one.
fn temporary_beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        const READ_AND_WRITE: u32 = 0o666;
        builder.permissions(fs::Permissions::from_mode(READ_AND_WRITE));
    }
    // The error would name the temporary file, which nobody has asked for.
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
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
        assert!(matches!(error, Error::File { .. }), "{error}");
        assert!(matches!(check_writable(&nowhere), Err(Error::File { .. })));
        assert!(matches!(check_writable(folder.path()), Err(Error::NotAFile { .. })));
        assert!(check_writable(&path).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["t.csv", "link.csv"].map(|name| folder.path().join(name));
        fs::write(&path, "").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let (file, _) = TableFile::open(&link, "toy", "0000/1").unwrap();
        file.record(&row(SearchKind::Minimax, 1)).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(&path).unwrap().contains("minimax"));
    }
}

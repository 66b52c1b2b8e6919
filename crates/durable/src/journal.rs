//! The results of a long run so far, kept so that a run that was killed continues where it stopped.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::excerpt;
use crate::input::{FileError, WRITE};
use crate::lock::{LockError, LockedFile, open_locked};
use crate::output::sync_folder;
use crate::sealed_line::{seal, unseal};

/// The least time between two syncs to disk, because a sync takes longer than an easy piece of work.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Separates a line from its checksum.
const SEPARATOR: &str = " ";
/// The first word of the line that ends a run, which begins no entry. The second word is the number of the
/// line.
const CLOSED: &str = "closed";

/// A text file whose first line names the work and whose other lines hold one result each, written as soon as
/// the result is known. Every line ends in a checksum of itself and the name of the work. A run that ends in
/// order adds a closing line with its own line number, so that a later loss of lines is noticed. Only one
/// process uses the journal at a time.
#[derive(Debug)]
pub struct Journal {
    file: LockedFile,
    path: PathBuf,
    work: String,
    /// The number of lines.
    lines: usize,
    is_closed: bool,
    /// The time of the last sync to disk.
    synced: Instant,
}

/// A journal and its contents.
#[derive(Debug)]
pub struct OpenedJournal<T> {
    /// The journal, ready for new results.
    pub journal: Journal,
    /// The results found so far, in order.
    pub entries: Vec<T>,
    /// The losses of the journal, if any. The entries omit the lost lines.
    pub loss: Option<JournalLoss>,
}

impl Journal {
    /// Opens the journal of the work called `work` (one line), or begins one. `parse` turns each line into an
    /// entry. A line that is changed, or that `parse` rejects, is left out and reported as a
    /// [loss](JournalLoss).
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, belongs to other work, or is in use by another
    /// process.
    pub fn open<T>(
        path: &Path,
        work: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<OpenedJournal<T>, JournalError> {
        let failed = FileError::at(path, "use the journal");
        // A device may never end, and a pipe would wait for a writer.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(
                failed(io::Error::new(io::ErrorKind::InvalidInput, "expected a file")).into()
            );
        }
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let contents = Contents::read(path, &bytes, work, parse).map_err(|found| {
            JournalError::OtherWork { path: path.to_owned(), expected: work.to_owned(), found }
        })?;
        let Contents { entries, whole, lines, loss } = contents;
        let (path, work, synced) = (path.to_owned(), work.to_owned(), Instant::now());
        let mut journal = Journal { file, path, work, lines, is_closed: !loss.is_unclosed, synced };
        journal.begin(whole).map_err(failed)?;
        Ok(OpenedJournal { journal, entries, loss: loss.if_any() })
    }

    /// Keeps the first `whole` bytes, and begins with the title if `whole` is zero.
    fn begin(&mut self, whole: usize) -> io::Result<()> {
        self.file.set_len(whole as u64)?;
        if whole == 0 {
            let title = seal("", &self.work, SEPARATOR) + "\n";
            self.file.write_all(title.as_bytes())?;
            (self.lines, self.is_closed) = (1, false);
        }
        self.file.sync_data()?;
        sync_folder(&self.path)
    }

    /// Adds a line. Afterward, the line survives a crash of this process. The line survives a crash of the
    /// computer after the next sync: by `add`, at most once a second, or by [`close`](Journal::close).
    pub fn add(&mut self, line: &str) -> Result<(), FileError> {
        self.is_closed = false;
        self.append(line, self.synced.elapsed() >= SYNC_INTERVAL)
    }

    /// Ends a run in order. Afterward, all lines survive a crash of the computer.
    pub fn close(mut self) -> Result<(), FileError> {
        if self.is_closed {
            return Ok(());
        }
        self.append(&format!("{CLOSED} {}", self.lines + 1), true)
    }

    fn append(&mut self, line: &str, is_synced: bool) -> Result<(), FileError> {
        let mut write = || {
            self.file.write_all((seal(&self.work, line, SEPARATOR) + "\n").as_bytes())?;
            self.lines += 1;
            if is_synced {
                self.file.sync_data()?;
                self.synced = Instant::now();
            }
            Ok(())
        };
        write().map_err(FileError::at(&self.path, WRITE))
    }

    /// Removes the journal of finished work.
    pub fn remove(self) -> Result<(), JournalError> {
        // The file stays locked until it is gone, so that no other process opens it.
        Ok(fs::remove_file(&self.path).map_err(FileError::at(&self.path, "remove the journal"))?)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The contents of a journal's file.
struct Contents<T> {
    entries: Vec<T>,
    /// The length of the whole lines, in bytes.
    whole: usize,
    /// The number of whole lines.
    lines: usize,
    loss: JournalLoss,
}

/// The meaning of a line.
enum Said<T> {
    Title,
    Entry(T),
    /// The end of a run, with the number that the line had when it was written.
    Closed(usize),
    Nothing,
}

impl<T> Contents<T> {
    /// Reads the journal of `work`.
    ///
    /// # Errors
    ///
    /// Returns an excerpt of the first line if no line belongs to this work.
    fn read(
        path: &Path,
        bytes: &[u8],
        work: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Contents<T>, String> {
        // The end of a line is written last, so a line without one was cut off.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let loss = JournalLoss { path: path.to_owned(), ..JournalLoss::default() };
        let mut contents = Contents { entries: Vec::new(), whole, lines: 0, loss };
        let first_line = || {
            let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
            Err(excerpt(&String::from_utf8_lossy(line)))
        };
        if whole == 0 {
            let title = seal("", work, SEPARATOR);
            return if title.as_bytes().starts_with(bytes) { Ok(contents) } else { first_line() };
        }
        let lines = bytes[..whole - 1].split(|&byte| byte == b'\n');
        let mut is_of_this_work = false;
        for (number, line) in (1..).zip(lines) {
            let said = read_line(number, line, work, &parse);
            is_of_this_work |= !matches!(said, Said::Nothing);
            contents.add(number, said);
        }
        contents.loss.cut_off = (whole < bytes.len()).then_some(contents.lines + 1);
        if is_of_this_work { Ok(contents) } else { first_line() }
    }

    fn add(&mut self, number: usize, said: Said<T>) {
        self.lines = number;
        self.loss.is_unclosed = true;
        match said {
            Said::Title => {}
            Said::Entry(entry) => self.entries.push(entry),
            Said::Closed(at) => {
                self.loss.is_unclosed = false;
                self.loss.missing = self.loss.missing.max(at.saturating_sub(number));
            }
            Said::Nothing => self.loss.damaged.push(number),
        }
    }
}

fn read_line<T>(
    number: usize,
    line: &[u8],
    work: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Said<T> {
    let Ok(line) = str::from_utf8(line) else { return Said::Nothing };
    if number == 1 {
        let is_title = unseal("", line, SEPARATOR) == Some(work);
        return if is_title { Said::Title } else { Said::Nothing };
    }
    let Some(line) = unseal(work, line, SEPARATOR) else { return Said::Nothing };
    match line.strip_prefix(CLOSED).and_then(|rest| rest.strip_prefix(' ')) {
        Some(at) => at.parse().map_or(Said::Nothing, Said::Closed),
        None => parse(line).map_or(Said::Nothing, Said::Entry),
    }
}

/// The reason why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Another process uses the journal, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The system refuses.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal belongs to other work, or the file is not a journal.
    #[error(
        "{}: line 1 of the journal is of other work: expected `{expected}`, found `{found}`",
        path.display()
    )]
    OtherWork {
        /// The journal.
        path: PathBuf,
        /// The name of this work.
        expected: String,
        /// The beginning of the name in the journal.
        found: String,
    },
}

impl JournalError {
    /// Returns true if the file that the user named is at fault, and not the run.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, JournalError::OtherWork { .. })
    }
}

/// The most lines that a message names one by one.
const MOST_NAMED: usize = 10;

/// The losses of a journal, at least one, shown to people as one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalLoss {
    /// The journal.
    pub path: PathBuf,
    /// The numbers of the lines, from 1, that are changed or rejected.
    pub damaged: Vec<usize>,
    /// The number of the last line, if that line was not written to its end.
    pub cut_off: Option<usize>,
    /// The number of lines that were there when a run ended in order and are missing now.
    pub missing: usize,
    /// If true, the last run did not end in order, so that lines may be missing at the end.
    pub is_unclosed: bool,
}

impl JournalLoss {
    /// Returns the losses of another file of lines, if there are any.
    pub fn of_lines(
        path: &Path,
        damaged: Vec<usize>,
        cut_off: Option<usize>,
    ) -> Option<JournalLoss> {
        let path = path.to_owned();
        JournalLoss { path, damaged, cut_off, ..JournalLoss::default() }.if_any()
    }

    fn if_any(self) -> Option<JournalLoss> {
        let is_any = !self.damaged.is_empty()
            || self.cut_off.is_some()
            || self.missing > 0
            || self.is_unclosed;
        is_any.then_some(self)
    }
}

impl fmt::Display for JournalLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.damaged.is_empty() {
            parts.push(format!("{} damaged and not used", numbered(&self.damaged)));
        }
        if let Some(line) = self.cut_off {
            parts.push(format!("line {line} is cut off and not used"));
        }
        match self.missing {
            0 => {}
            1 => parts.push("a line is missing".to_owned()),
            lines => parts.push(format!("{lines} lines are missing")),
        }
        if self.is_unclosed {
            parts.push("it was not closed, so the last results may be missing".to_owned());
        }
        write!(f, "{}: {}", self.path.display(), parts.join("; "))
    }
}

/// Returns the numbers of the lines, with the verb.
fn numbered(lines: &[usize]) -> String {
    let named: Vec<_> = lines.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let named = named.join(", ");
    match lines.len() {
        1 => format!("line {named} is"),
        count if count > MOST_NAMED => format!("lines {named} and {} more are", count - MOST_NAMED),
        _ => format!("lines {named} are"),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::fs;

    use super::*;

    const WORK: &str = "work of these tests";

    /// Reads an entry of these tests, a number below 1,000.
    fn parse(line: &str) -> Option<u32> {
        line.parse().ok().filter(|&number| number < 1_000)
    }

    fn open(path: &Path) -> Result<OpenedJournal<u32>, JournalError> {
        Journal::open(path, WORK, parse)
    }

    /// Writes these entries to the journal and closes it.
    fn journal(path: &Path, entries: impl IntoIterator<Item = u32>) -> Result<(), Box<dyn Error>> {
        let mut journal = open(path)?.journal;
        entries.into_iter().try_for_each(|entry| journal.add(&entry.to_string()))?;
        Ok(journal.close()?)
    }

    #[test]
    fn entries_are_read_back() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        journal(&path, [1, 2, 3])?;
        journal(&path, [4])?;
        let text = fs::read(&path)?;
        let opened = open(&path)?;
        assert_eq!((opened.entries, opened.loss), (vec![1, 2, 3, 4], None));
        opened.journal.close()?;
        assert_eq!(fs::read(&path)?, text, "a run that finds nothing adds nothing");
        Ok(())
    }

    #[test]
    fn every_changed_character_is_named_by_its_line_and_not_believed() -> Result<(), Box<dyn Error>>
    {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        journal(&path, [11, 22, 33])?;
        let text = fs::read_to_string(&path)?;
        for (at, old) in text.char_indices() {
            let line = 1 + text[..at].matches('\n').count();
            for new in ['1', '\n', ' ', 'é'].into_iter().filter(|&new| new != old) {
                let changed = format!("{}{new}{}", &text[..at], &text[at + 1..]);
                fs::write(&path, &changed)?;
                let opened = open(&path)?;
                let loss = opened.loss.expect("a loss");
                let is_named = loss.damaged.contains(&line) || loss.cut_off == Some(line);
                assert!(is_named, "{loss} in\n{changed}");
                let expected = [11, 22, 33].into_iter().enumerate();
                let joined = usize::from(old == '\n');
                let expected = expected.filter(|(i, _)| !(line..=line + joined).contains(&(i + 2)));
                assert_eq!(
                    opened.entries,
                    expected.map(|(_, n)| n).collect::<Vec<_>>(),
                    "{changed}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_cut_off_at_any_length_is_there_or_missed() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        journal(&path, [11, 22, 33])?;
        let text = fs::read_to_string(&path)?;
        for length in 0..text.len() {
            fs::write(&path, &text[..length])?;
            let opened = open(&path)?;
            let lines = text[..length].matches('\n').count();
            let entries = [11, 22, 33].into_iter().take(lines.saturating_sub(1));
            assert_eq!(opened.entries, entries.collect::<Vec<_>>());
            // Without a whole title there is no journal yet, and so no loss.
            assert_eq!(opened.loss.is_some(), lines > 0, "{length}");
            drop(opened.journal);
            journal(&path, [44])?;
            assert_eq!(open(&path)?.entries.last(), Some(&44));
        }
        Ok(())
    }

    #[test]
    fn lines_that_are_taken_out_are_missed() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        journal(&path, [11, 22, 33])?;
        let text = fs::read_to_string(&path)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        fs::write(&path, [lines[0], lines[2], lines[4]].concat())?;
        let opened = open(&path)?;
        assert_eq!((opened.entries, opened.loss.map(|loss| loss.missing)), (vec![22], Some(2)));
        Ok(())
    }

    #[test]
    fn a_line_that_says_what_cannot_be_is_not_believed() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        journal(&path, [1, 5_000, 3])?;
        let opened = open(&path)?;
        assert_eq!(opened.entries, [1, 3]);
        let loss = opened.loss.expect("a loss").to_string();
        assert!(loss.ends_with("journal: line 3 is damaged and not used"), "{loss}");
        Ok(())
    }

    #[test]
    fn other_files_are_refused_and_left_alone() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        let other = seal("", "other work", SEPARATOR) + "\n" + &seal("other work", "1", " ") + "\n";
        for text in ["notes", "my\nnotes\n", &other, &"long ".repeat(10_000)] {
            fs::write(&path, text)?;
            let error = open(&path).expect_err("another file");
            assert!(error.is_bad_input() && error.to_string().len() < 300, "{error}");
            assert_eq!(fs::read_to_string(&path)?, text);
        }
        Ok(())
    }

    #[test]
    fn one_process_has_it_at_a_time() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        let opened = open(&path)?;
        let error = open(&path).expect_err("a lock").to_string();
        assert!(error.ends_with("journal: another process is at work on it"), "{error}");
        opened.journal.remove()?;
        assert!(!path.exists());
        assert!(open(&path)?.entries.is_empty());
        Ok(())
    }
}

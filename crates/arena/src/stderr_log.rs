//! What a program prints to standard error.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;

/// The lines that are shown, and the characters of each.
const MOST_LINES: usize = 10;
const LONGEST_LINE: usize = 200;

/// The bytes that are looked at.
const MOST_BYTES: u64 = 16 * 1024;

/// The file to which a program prints, and how much of it is old.
///
/// The file is the one of [`SandboxPolicy::log`](plyground_sandbox::SandboxPolicy), which holds 1 MiB
/// at most.
#[derive(Debug)]
pub struct StderrLog {
    path: Option<PathBuf>,
    old: AtomicU64,
    /// Removed with the log, if the file is nobody else's.
    _folder: Option<TempDir>,
}

impl StderrLog {
    /// The log in this file, or in one that nobody else sees and that ends with the value.
    #[must_use]
    pub fn new(file: Option<PathBuf>) -> StderrLog {
        // Without a temporary folder there is no log, and no program would run either.
        let folder = if file.is_none() { tempfile::tempdir().ok() } else { None };
        let own = folder.as_ref().map(|folder| folder.path().join("stderr"));
        let log = StderrLog { path: file.or(own), old: AtomicU64::new(0), _folder: folder };
        log.forget();
        log
    }

    /// The file, for the policy by which the program is held.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Takes what is there for old.
    pub fn forget(&self) {
        let length = self.path().and_then(|path| path.metadata().ok()).map_or(0, |file| file.len());
        self.old.store(length, Ordering::Relaxed);
    }

    /// The last lines of what is new, with line ends between them: ten at most, of 200 characters at
    /// most, without what would mean something to a terminal.
    #[must_use]
    pub fn end(&self) -> String {
        let bytes = self.new_bytes().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
        last.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n")
    }

    fn new_bytes(&self) -> Option<Vec<u8>> {
        let mut file = File::open(self.path()?).ok()?;
        let length = file.metadata().ok()?.len();
        let start = self.old.load(Ordering::Relaxed).max(length.saturating_sub(MOST_BYTES));
        file.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// A line without what would mean something to a terminal, and not too long.
fn plain(line: &str) -> String {
    let symbols =
        line.trim_end().chars().map(|c| if c.is_control() && c != '\t' { '?' } else { c });
    symbols.take(LONGEST_LINE).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_end_of_what_is_new_is_shown() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log");
        fs::write(&path, "old\n")?;
        let log = StderrLog::new(Some(path.clone()));
        assert_eq!(log.end(), "");
        let lines: String = (0..20).map(|line| format!("line {line}\x1b\n")).collect();
        fs::write(&path, format!("old\n{lines}"))?;
        assert_eq!(log.end().lines().next(), Some("line 10?"));
        log.forget();
        assert_eq!(log.end(), "");
        Ok(())
    }
}

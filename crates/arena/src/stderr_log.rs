//! The standard error of an external program, of which reports show the end.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use plyground_durable::shown;
use tempfile::TempDir;

/// The beginnings of frames in stack traces of Java that are not of a student's class.
const FOREIGN: [&str; 2] = ["java.base/", "plyground.host."];
/// The beginning of the frame that tells of a read of standard input, at whose end an exception has no message.
const SCANNER: &str = "java.base/java.util.Scanner.next";

/// The part of the frames of Node.js itself.
const NODE: &str = "node:internal/";

/// The greatest number of lines that are shown, and the greatest number of characters of a line.
const MOST_LINES: usize = 10;
/// The greatest number of frames of a trace that are shown.
const MOST_FRAMES: usize = 5;
const LONGEST_LINE: usize = 200;

/// The greatest number of bytes that are read at the end of the file.
const MOST_BYTES: u64 = 16 * 1024;

/// The file for the standard error of a program, with the length of its old part.
///
/// The file is that of [`SandboxPolicy::log`](plyground_sandbox::SandboxPolicy), which holds at
/// most 1 MiB.
#[derive(Debug)]
pub struct StderrLog {
    path: Option<PathBuf>,
    old: AtomicU64,
    /// The folder of a private file, which is removed with the log.
    _folder: Option<TempDir>,
}

impl StderrLog {
    /// Creates the log in this file, or in a private file that is removed with the log.
    pub fn new(file: Option<PathBuf>) -> StderrLog {
        // Without a temporary folder there is no log, but then no program could run either.
        let folder = if file.is_none() { tempfile::tempdir().ok() } else { None };
        let own = folder.as_ref().map(|folder| folder.path().join("stderr"));
        let log = StderrLog { path: file.or(own), old: AtomicU64::new(0), _folder: folder };
        log.forget();
        log
    }

    /// Returns the file, for the sandbox policy of the program.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Marks the present content of the file as old.
    pub fn forget(&self) {
        let length = self.path().and_then(|path| path.metadata().ok()).map_or(0, |file| file.len());
        self.old.store(length, Ordering::Relaxed);
    }

    /// Returns the last lines of the new part, with line ends between them: at most ten, each of at
    /// most 200 characters, without control characters. The frames of the methods of Java and Node.js, and of the
    /// program that plays for a Java class, are left out, because they would leave no room for those of the class.
    pub fn end(&self) -> String {
        let bytes = self.new_bytes().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let is_foreign = |line: &str| {
            let frame = line.trim().strip_prefix("at ");
            frame.is_some_and(|frame| {
                let is_of_java = FOREIGN.iter().any(|of| frame.starts_with(of));
                is_of_java && !frame.starts_with(SCANNER) || frame.contains(NODE)
            })
        };
        // The line before the frames has the cause, which the frames of a deep search would push out.
        let mut frames = 0;
        let is_shown = |line: &&str| {
            if line.trim().is_empty() || is_foreign(line) {
                return false;
            }
            frames = if line.trim().starts_with("at ") { frames + 1 } else { 0 };
            frames <= MOST_FRAMES
        };
        let lines: Vec<_> = text.lines().filter(is_shown).collect();
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

/// Returns a line of at most 200 characters, with `?` for control characters, and with hidden characters
/// [`shown`].
fn plain(line: &str) -> String {
    let symbols =
        line.trim_end().chars().map(|c| if c.is_control() && c != '\t' { '?' } else { c });
    let line: String = symbols.take(LONGEST_LINE).collect();
    line.split('\t').map(shown).collect::<Vec<_>>().join("\t")
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
        let frames = "    at f (node:internal/x:1:1)\n".repeat(20);
        fs::write(
            &path,
            format!("{}Error: no\n    at a (b.js:1:1)\n{frames}", fs::read_to_string(&path)?),
        )?;
        assert_eq!(log.end(), "Error: no\n    at a (b.js:1:1)");
        log.forget();
        let asks = "\tat java.base/java.util.Scanner.nextInt(Scanner.java:1)\n";
        let trace = format!("\tat java.base/java.util.Scanner.throwFor(Scanner.java:1)\n{asks}");
        fs::write(&path, format!("{}No: 1\n{trace}", fs::read_to_string(&path)?))?;
        assert_eq!(log.end(), format!("No: 1\n{}", asks.trim_end()));
        log.forget();
        let frames = "    at a (b.js:1:1)\n".repeat(20);
        fs::write(&path, format!("{}RangeError: no\n{frames}end", fs::read_to_string(&path)?))?;
        assert_eq!(
            (log.end().lines().next(), log.end().lines().count()),
            (Some("RangeError: no"), 7)
        );
        Ok(())
    }
}

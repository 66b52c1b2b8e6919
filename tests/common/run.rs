//! One run of a program, and what came out of it: shared by the tests of every game's program.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// The outcome of a run.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

/// If true, a line of standard error says how long `grade --class` takes at most, or that a submission is
/// graded.
pub fn is_progress(line: &str) -> bool {
    let begins_with_count = line
        .split_once(" of ")
        .is_some_and(|(done, rest)| done.parse::<u32>().is_ok() && rest.contains(": "));
    begins_with_count || line.contains(" to grade: at most ")
}

impl Run {
    pub fn of(command: &mut Command) -> Run {
        let Output { status, stdout, stderr } = command.output().expect("the program");
        Run {
            stdout: String::from_utf8_lossy(&stdout).into(),
            stderr: String::from_utf8_lossy(&stderr).into(),
            code: status.code(),
        }
    }

    /// The same without the lines on standard error that say how far `grade --class` is.
    pub fn without_progress(mut self) -> Run {
        let lines = self.stderr.lines().filter(|line| !is_progress(line));
        self.stderr = lines.map(|line| format!("{line}\n")).collect();
        self
    }

    /// Holds the run to exit code 0 and silence on standard error.
    #[track_caller]
    pub fn success(self) -> Run {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self
    }

    /// Holds the run to exit code 0 and one line on standard error, a warning with `part` in it.
    #[track_caller]
    pub fn warned(self, part: &str) -> Run {
        assert_eq!((self.code, self.stderr.lines().count()), (Some(0), 1), "{self:?}");
        assert!(self.stderr.starts_with("warning: "), "{}", self.stderr);
        assert!(self.stderr.contains(part), "no `{part}` in {}", self.stderr);
        self
    }

    /// Holds the run to an exit code and one line on standard error with `part` in it.
    #[track_caller]
    pub fn failure(self, code: i32, part: &str) -> Run {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert!(self.stderr.contains(part), "no `{part}` in {}", self.stderr);
        self
    }
}

/// Compares with a golden file, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_same_as_file(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, actual).expect("a golden file");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(actual, expected, "not as in {}; UPDATE_GOLDEN=1 accepts it", path.display());
}

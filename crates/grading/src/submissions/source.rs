//! Facts that the text of a source file tells, and its line ends.

use std::path::{Path, PathBuf};
use std::{fs, io};

use plyground_durable::input::read_regular;
use plyground_durable::output::write_whole;
use plyground_durable::text::csv_text;
use plyground_host::external::{HandedIn, PreparedSubmission};

use crate::submissions::archive::LARGEST;
use crate::submissions::error::PrepareError;

/// The longest source file that is read, in bytes; a longer one counts as empty.
const MOST: u64 = 1 << 20;

/// A language in which programs are handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Java,
    Cpp,
    C,
    Rust,
    Python,
    JavaScript,
}

impl Language {
    /// All languages. If all else is equal, the first is taken.
    pub(crate) const ALL: [Language; 6] = [
        Language::Java,
        Language::Cpp,
        Language::C,
        Language::Rust,
        Language::Python,
        Language::JavaScript,
    ];

    /// The name of the language.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::Java => "Java",
            Language::Cpp => "C++",
            Language::C => "C",
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::JavaScript => "JavaScript",
        }
    }

    /// Returns the endings of the names of source files.
    fn ends(self) -> &'static [&'static str] {
        match self {
            Language::Java => &["java"],
            Language::Cpp => &["cpp", "cc", "cxx", "C"],
            Language::C => &["c"],
            Language::Rust => &["rs"],
            Language::Python => &["py"],
            Language::JavaScript => &["js", "mjs"],
        }
    }

    /// Returns the language of a source file.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        let end = path.extension()?.to_str()?;
        Language::ALL.into_iter().find(|language| language.ends().contains(&end))
    }

    /// Returns true if the language is compiled to native programs.
    pub(crate) fn is_native(self) -> bool {
        matches!(self, Language::Cpp | Language::C | Language::Rust)
    }

    /// Returns true if a program seems to begin in a source file with this text.
    pub(crate) fn is_entry(self, text: &str) -> bool {
        let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Language::Java => squeezed.contains("static void main"),
            Language::Cpp | Language::C => ["int main(", "int main (", "void main(", "auto main("]
                .iter()
                .any(|main| squeezed.contains(main)),
            Language::Rust => squeezed.contains("fn main("),
            Language::Python => squeezed.contains("__main__") || squeezed.contains("sys.argv"),
            Language::JavaScript => squeezed.contains("process.argv"),
        }
    }
}

/// Returns the text of a source file, with a replacement for bytes that are not UTF-8; empty if the file is
/// longer than [`MOST`] or cannot be read.
pub(crate) fn read_source(path: &Path) -> String {
    let bytes = read_regular(path, MOST).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns true if a file is text in UTF-8.
pub(crate) fn is_utf8(path: &Path) -> bool {
    let bytes = read_regular(path, LARGEST).ok().flatten();
    bytes.is_some_and(|bytes| std::str::from_utf8(&bytes).is_ok())
}

/// The greatest length of a script, in bytes.
const LONGEST: u64 = 1 << 20;

/// Gives shell scripts, scripts with a `#!` line and makefiles the line ends of this system, and returns the
/// files that were changed.
pub(crate) fn mend(root: &Path, files: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut mended = Vec::new();
    for file in files {
        let path = root.join(file);
        let Some(bytes) = read_regular(&path, LONGEST)? else { continue };
        let is_script = bytes.starts_with(b"#!") || is_named_script(file);
        if !is_script || bytes.contains(&0) || !bytes.windows(2).any(|pair| pair == b"\r\n") {
            continue;
        }
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes.iter().peekable();
        while let Some(byte) = rest.next() {
            if *byte != b'\r' || rest.peek() != Some(&&b'\n') {
                plain.push(*byte);
            }
        }
        // The file keeps its mode.
        fs::write(&path, plain)?;
        mended.push(file.clone());
    }
    Ok(mended)
}

fn is_named_script(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".sh") || ["makefile", "gnumakefile"].contains(&name.to_lowercase().as_str())
}

/// The file with the table, among the submissions.
const FILE: &str = "handed-in.csv";

/// The columns. The columns of a roster have the same names there.
const HEADER: &str =
    "submission,name,id,login,email,submitted,late,attempt,attempts,taken,left_out,status";

/// Writes the table of all submissions in a folder.
pub(crate) fn write_table(out: &Path) -> Result<(), PrepareError> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(out).map_err(PrepareError::at(out))? {
        let entry = entry.map_err(PrepareError::at(out))?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if name.starts_with('.') || !entry.path().is_dir() {
            continue;
        }
        match PreparedSubmission::read(&entry.path()) {
            Ok(Some(prepared)) => rows.push(row(&name, &prepared)),
            Ok(None) => {}
            Err(error) => rows.push(row(&name, &PreparedSubmission::damaged(&error))),
        }
    }
    rows.sort();
    Ok(write_whole(&out.join(FILE), csv_text(HEADER.split(','), rows))?)
}

fn row(submission: &str, prepared: &PreparedSubmission) -> Vec<String> {
    let HandedIn { name, id, login, email, late, attempt, attempts, taken, left_out } =
        &prepared.handed_in;
    let late = if *late { "yes" } else { "" };
    let cells = [
        submission,
        name,
        id,
        login,
        email,
        &prepared.submitted,
        late,
        &attempt.to_string(),
        &attempts.to_string(),
        &taken.join("; "),
        &left_out.join("; "),
        prepared.status.words(),
    ];
    cells.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_recognized() {
        assert!(Language::Java.is_entry("public static\n void main(String[] a)"));
        assert!(Language::Cpp.is_entry("int\nmain(int argc, char **argv)"));
        assert!(!Language::C.is_entry("int maintain(void);"));
        assert!(Language::Python.is_entry("if __name__ == '__main__':"));
        assert_eq!(Language::of(Path::new("a.cc")), Some(Language::Cpp));
        assert_eq!(Language::of(Path::new("a.h")), None);
    }

    #[test]
    fn scripts_are_mended_and_nothing_else() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let files = ["run.sh", "play", "Makefile", "input.txt", "fine.sh"].map(PathBuf::from);
        let texts = ["a\r\nb\r\n", "#!/bin/sh\r\nx\r\n", "all:\r\n", "1\r\n", "a\n"];
        for (file, text) in files.iter().zip(texts) {
            fs::write(folder.path().join(file), text)?;
        }
        assert_eq!(mend(folder.path(), &files)?, files[..3]);
        let read = |file: &str| fs::read_to_string(folder.path().join(file));
        assert_eq!((read("run.sh")?, read("input.txt")?), ("a\nb\n".into(), "1\r\n".into()));
        assert_eq!(read("play")?, "#!/bin/sh\nx\n");
        Ok(())
    }
}

//! Facts that the text of a source file tells.

use std::path::Path;

use plyground_durable::input::read_regular;

use crate::archive::LARGEST;

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
}

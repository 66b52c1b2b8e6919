//! The files of a submission, and the file in which its program begins.

use std::path::{Path, PathBuf};

use crate::source::{Language, read_source};

/// The files of a submission, and the program that the assignment requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submission<'a> {
    /// The folder of the files.
    pub(crate) root: &'a Path,
    /// The files below it that may stand in a command, as [`plain_files`](crate::tree::plain_files)
    /// sorts them.
    pub(crate) files: &'a [PathBuf],
    /// The name of the program in the assignment.
    pub(crate) program: &'a str,
}

impl<'a> Submission<'a> {
    /// Returns the files right in this folder.
    pub(crate) fn in_folder(self, folder: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        self.files.iter().filter(move |file| file.parent() == Some(folder))
    }

    /// Returns true if a file has the name of the program, without regard to case.
    pub(crate) fn is_called_program(self, file: &Path) -> bool {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(self.program))
    }

    /// Returns the folders that have files, the nearest first.
    pub(crate) fn folders(self) -> Vec<&'a Path> {
        let mut folders: Vec<&Path> = Vec::new();
        for folder in self.files.iter().filter_map(|file| file.parent()) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// Returns the source file of a language in a folder in which its program begins: the one with the name
    /// of the program, else `main`, else the first. One that a readme names comes first: the course's own
    /// code may lie beside it.
    pub(crate) fn entry(self, folder: &'a Path, language: Language) -> Option<&'a PathBuf> {
        let sources = self.in_folder(folder).filter(|file| Language::of(file) == Some(language));
        let sources: Vec<&PathBuf> = sources.collect();
        let text = |file: &PathBuf| read_source(&self.root.join(file));
        let mut entries: Vec<&PathBuf> =
            sources.iter().copied().filter(|file| language.is_entry(&text(file))).collect();
        // A script needs no `main` to be a program.
        if entries.is_empty() && matches!(language, Language::Python | Language::JavaScript) {
            let is_called = |file: &&PathBuf| self.is_called_program(file) || is_main(file);
            entries = sources.iter().copied().filter(is_called).collect();
            if let ([], [only]) = (entries.as_slice(), sources.as_slice()) {
                entries.push(only);
            }
        }
        let said = if entries.len() > 1 { self.readme() } else { String::new() };
        let is_named = |file: &PathBuf| {
            let of = |part: Option<&std::ffi::OsStr>| {
                part.and_then(|part| part.to_str()).unwrap_or_default().to_lowercase()
            };
            let (name, stem) = (of(file.file_name()), of(file.file_stem()));
            // Other names are words of English, too: board, game.
            let as_program = [name, format!("./{stem}"), format!("java {stem}")];
            self.is_called_program(file) && has_word(&said, &stem)
                || as_program.iter().any(|words| has_word(&said, words))
        };
        entries
            .sort_by_key(|file| (!is_named(file), !self.is_called_program(file), !is_main(file)));
        entries.first().copied()
    }

    /// Returns the text of all files called `readme`, in lowercase.
    fn readme(self) -> String {
        let is_readme = |file: &&PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let text = ["", ".txt", ".md", ".markdown", ".rst"];
            text.iter().any(|end| name.eq_ignore_ascii_case(&format!("readme{end}")))
        };
        let texts = self.files.iter().filter(is_readme);
        let texts = texts.map(|file| read_source(&self.root.join(file)).to_lowercase());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Returns true if a text has this word, and not just as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let behind = text[start + word.len()..].chars().next();
        !before.into_iter().chain(behind).any(is_part)
    })
}

fn is_main(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("main"))
}

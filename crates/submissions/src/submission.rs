//! The files of a submission, and the file in which its program begins.

use std::path::{Path, PathBuf};

use crate::source::{Language, read_source};
use crate::tree::Place;

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
    /// Returns the files right in this folder. They lie beside each other in the order of the files.
    pub(crate) fn in_folder(self, folder: &Path) -> impl Iterator<Item = &'a PathBuf> + use<'a> {
        let place = Place::inside(folder);
        let first = self.files.partition_point(|file| Place::of(file) < place);
        let rest = &self.files[first..];
        rest[..rest.partition_point(|file| Place::of(file) == place)].iter()
    }

    /// Returns true if a file has the name of the program, without regard to case.
    pub(crate) fn is_called_program(self, file: &Path) -> bool {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(self.program))
    }

    /// Returns the folders that have files, the nearest first.
    pub(crate) fn folders(self) -> Vec<&'a Path> {
        let mut folders: Vec<&Path> = self.files.iter().filter_map(|file| file.parent()).collect();
        // The files of a folder lie beside each other.
        folders.dedup();
        folders
    }

    /// Returns the source file of a language in a folder in which its program begins: the one with the name
    /// of the program, else `main`, else the first.
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
        entries.sort_by_key(|file| (!self.is_called_program(file), !is_main(file)));
        entries.first().copied()
    }
}

fn is_main(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("main"))
}

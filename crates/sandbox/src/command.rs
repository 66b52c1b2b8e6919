//! The words of a command: which program it starts, and which files it names.

use std::env;
use std::path::{Path, PathBuf, absolute};

/// Returns the words of a command that works in any current folder: the program and all files that
/// the arguments name have absolute paths.
///
/// A part of an argument names a file if there is a file of that name now. The parts of an argument
/// are separated by `=` and `:`. A `public` program is one that every user of the computer can start.
pub(crate) fn absolute_words(words: &[String], public: bool) -> Vec<String> {
    let mut absolute_words = Vec::with_capacity(words.len());
    if let Some(program) = words.first() {
        let path = find_program(program, public).unwrap_or_else(|| program.into());
        absolute_words.push(path.to_string_lossy().into_owned());
    }
    absolute_words.extend(words.iter().skip(1).map(|word| absolute_word(word)));
    absolute_words
}

/// Returns the path of a program that is named as in a shell. A `public` program is one that every
/// user of the computer can start.
pub(crate) fn find_program(name: &str, public: bool) -> Option<PathBuf> {
    if name.contains('/') {
        return absolute(name).ok();
    }
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    absolute(places.find(|place| place.is_file() && (!public || is_public(place)))?).ok()
}

/// Returns whether every user can start a program, or find what is in a folder.
pub(crate) fn is_public(path: &Path) -> bool {
    let open_to_all = |path: &Path| {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            /// The bit of a mode that lets others run a file, or find what is in a folder.
            const OTHERS: u32 = 0o001;
            path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & OTHERS != 0)
        }
        #[cfg(not(unix))]
        path.exists()
    };
    let Ok(real) = path.canonicalize() else { return false };
    // A file need not be a program.
    let skipped = usize::from(real.is_file() && !is_program(&real));
    real.ancestors().skip(skipped).all(open_to_all)
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

/// Returns the files and folders that an argument names.
pub(crate) fn named_paths(word: &str) -> impl Iterator<Item = PathBuf> {
    word.split(['=', ':']).filter(|part| names_file(part)).filter_map(|part| absolute(part).ok())
}

fn names_file(part: &str) -> bool {
    !part.is_empty() && Path::new(part).exists()
}

fn absolute_word(word: &str) -> String {
    let parts = word.split_inclusive(['=', ':']).map(|part| {
        let name = part.trim_end_matches(['=', ':']);
        let path =
            absolute(name).ok().filter(|_| names_file(name) && Path::new(name).is_relative());
        match path.as_ref().and_then(|path| path.to_str()) {
            Some(path) => format!("{path}{}", &part[name.len()..]),
            None => part.to_owned(),
        }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files_become_absolute() {
        // The tests of a package run in its folder.
        let here = env::current_dir().expect("a folder");
        let here = here.to_string_lossy();
        for (word, expected) in [
            ("src", format!("{here}/src")),
            ("-cp=src:nowhere:Cargo.toml", format!("-cp={here}/src:nowhere:{here}/Cargo.toml")),
            ("/usr", "/usr".to_owned()),
            ("7", "7".to_owned()),
            ("", String::new()),
            ("a=", "a=".to_owned()),
        ] {
            assert_eq!(absolute_word(word), expected);
        }
        let words = ["sh", "-c", "echo src"].map(str::to_owned);
        let found = absolute_words(&words, true);
        assert!(found[0].ends_with("/sh") && found[0].starts_with('/'), "{found:?}");
        assert_eq!(found[1..], words[1..]);
        assert_eq!(absolute_words(&["no-such-program".to_owned()], false), ["no-such-program"]);
    }
}

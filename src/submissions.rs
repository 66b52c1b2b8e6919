//! A folder with a folder for each submission of a class.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// In the text of a player, stands for the folder of a submission.
pub(crate) const FOLDER: &str = "{folder}";

/// What stands for something else in the text of a player, and so in no name of a folder.
const PLACES: [&str; 4] = [FOLDER, "{in}", "{out}", "{depth}"];

/// The names and paths of the folders in a folder, by name; hidden ones do not count. Names are
/// one line each.
pub(crate) fn submissions(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.path().is_dir() || is_hidden(&name) {
            continue;
        }
        let path = entry.path();
        // Commands and tables are text.
        let (Some(name), Some(path)) = (name.to_str().filter(|name| is_line(name)), path.to_str())
        else {
            let why = format!("expected the name of a folder in UTF-8, found {name:?}");
            return Err(io::Error::other(why));
        };
        if let Some(place) = PLACES.iter().find(|place| path.contains(*place)) {
            return Err(io::Error::other(format!(
                "expected names of folders without {place} in them"
            )));
        }
        found.push((name.to_owned(), path.to_owned()));
    }
    found.sort();
    if found.is_empty() {
        return Err(io::Error::other("expected folders in this folder, one for each submission"));
    }
    Ok(found)
}

/// Whether a folder, which need not be there yet, is that of the submissions, is one of them or
/// lies in one.
pub(crate) fn is_among(path: &Path, submissions: &Path) -> bool {
    let Ok(place) = real(path).strip_prefix(real(submissions)).map(Path::to_owned) else {
        return false;
    };
    // What is hidden is no submission.
    !matches!(place.components().next(), Some(Component::Normal(name)) if is_hidden(name))
}

/// The path without links, as far as there is something.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = PathBuf::new();
    for there in path.ancestors() {
        if let Ok(found) = fs::canonicalize(there) {
            // Nothing to add leaves no slash at the end.
            return found.components().chain(rest.components()).collect();
        }
        let last = there.components().next_back();
        rest = last.into_iter().chain(rest.components()).collect();
    }
    path
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_line(name: &str) -> bool {
    !name.chars().any(char::is_control)
}

/// The player of this text with the path of a folder in it.
pub(crate) fn in_folder(player: &str, folder: &str) -> String {
    // Only in a command do blanks matter.
    let is_java = player.starts_with("java:");
    player.replace(FOLDER, &if is_java { folder.to_owned() } else { quoted(folder) })
}

/// The path as one word of a command.
fn quoted(path: &str) -> String {
    // Only a zero byte cannot be quoted, and no path has one.
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_word_of_a_command() {
        let filled = in_folder("file:{folder}/play {in} {out}", "my subs/o'neil");
        let words = shlex::split(&filled["file:".len()..]);
        assert_eq!(words.unwrap_or_default(), ["my subs/o'neil/play", "{in}", "{out}"]);
        assert_eq!(in_folder("java:{folder}", "my subs/ann"), "java:my subs/ann");
    }

    #[test]
    fn what_is_written_into_a_class_is_among_the_submissions() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let class = folder.path().join("subs");
        fs::create_dir_all(class.join("ann"))?;
        for (path, expected) in [
            ("subs", true),
            ("subs/ann/out", true),
            ("subs/new", true),
            ("subs/ann/../new/out", true),
            ("subs/.out", false),
            ("subs2", false),
            ("new/subs", false),
            (".", false),
        ] {
            assert_eq!(is_among(&folder.path().join(path), &class), expected, "{path}");
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&class, &link)?;
            assert!(is_among(&link.join("out"), &class) && is_among(&class.join("out"), &link));
        }
        Ok(())
    }

    #[test]
    fn names_that_stand_for_something_else_are_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("ann{depth}"))?;
        let error = submissions(folder.path()).expect_err("a bad name").to_string();
        assert_eq!(error, "expected names of folders without {depth} in them");
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_are_no_line_of_text_are_refused() -> io::Result<()> {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        for name in [&b"two\nlines"[..], b"latin-\xe9"] {
            let folder = tempfile::tempdir()?;
            fs::create_dir(folder.path().join("ann"))?;
            fs::create_dir(folder.path().join(OsStr::from_bytes(name)))?;
            let error = submissions(folder.path()).expect_err("a bad name").to_string();
            assert!(error.starts_with("expected the name of a folder in UTF-8"), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        Ok(())
    }
}

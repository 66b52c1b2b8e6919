//! A folder with a folder for each submission of a class.

use std::fs;
use std::io;
use std::path::Path;

/// In the text of a player, stands for the folder of a submission.
pub(crate) const FOLDER: &str = "{folder}";

/// The names and paths of the folders in a folder, by name; hidden ones do not count. Names are
/// one line each.
pub(crate) fn submissions(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.path().is_dir() || name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        // Commands and tables are text.
        let (Some(name), Some(path)) = (name.to_str().filter(|name| is_line(name)), path.to_str())
        else {
            let why = format!("expected the name of a folder in UTF-8, found {name:?}");
            return Err(io::Error::other(why));
        };
        found.push((name.to_owned(), path.to_owned()));
    }
    found.sort();
    if found.is_empty() {
        return Err(io::Error::other("expected folders in this folder, one for each submission"));
    }
    Ok(found)
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

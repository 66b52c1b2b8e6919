//! A folder with a folder for each submission of a class.

use std::fs;
use std::io;
use std::path::Path;

/// In the text of a player, stands for the folder of a submission.
pub(crate) const FOLDER: &str = "{folder}";

/// The names and paths of the folders in a folder, by name; hidden ones do not count.
pub(crate) fn submissions(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !name.starts_with('.') {
            found.push((name, entry.path().to_string_lossy().into_owned()));
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(io::Error::other("expected folders in this folder, one for each submission"));
    }
    Ok(found)
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

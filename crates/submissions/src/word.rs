//! Paths of a submission as words for a shell.

use std::path::{Component, Path, PathBuf};

/// The path as a word that no program takes for an option: it begins with `./`.
pub(crate) fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if text.is_empty() { ".".to_owned() } else { format!("./{text}") };
    // Only a zero byte cannot be quoted, and no path has one.
    shlex::try_quote(&text).map_or_else(|_| String::new(), |word| word.into_owned())
}

/// The path of `path` below `folder`, both below the same folder; `None` if it is not below it.
pub(crate) fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    path.strip_prefix(folder).ok().map(Path::to_owned)
}

/// Whether a path that somebody has written leads to something below the folder that it is for.
pub(crate) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

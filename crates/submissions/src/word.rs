//! Paths of a submission as words for a shell.

use std::path::{Component, Path, PathBuf};

/// Returns the path as a shell word that no program takes for an option: it begins with `./`.
pub(crate) fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if text.is_empty() { ".".to_owned() } else { format!("./{text}") };
    // Only a zero byte cannot be quoted, and a path has no zero byte.
    shlex::try_quote(&text).map_or_else(|_| String::new(), |word| word.into_owned())
}

/// Returns the path of `path` below `folder`; `None` if it is not below `folder`.
pub(crate) fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    path.strip_prefix(folder).ok().map(Path::to_owned)
}

/// Returns true if a path that a person has written leads to something below the folder that it is relative
/// to.
pub(crate) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

//! The names of entries of archives, with the refusal of names that lead out of the folder, the omission of
//! files that no student made, and the change of names that no file can have.

use std::path::PathBuf;

use plyground_arena::contents::ContentHash;
use plyground_durable::excerpt;

/// Folders that a computer adds, not a student.
const JUNK_FOLDERS: [&str; 13] = [
    "__MACOSX",
    // A virtual environment has programs for one computer only.
    "venv",
    ".venv",
    ".hg",
    ".gradle",
    "__pycache__",
    ".git",
    ".svn",
    ".idea",
    ".vscode",
    ".vs",
    ".Spotlight-V100",
    ".Trashes",
];

/// Folders with other people's packages, which a program may need.
const DEPENDENCY_FOLDERS: [&str; 2] = ["node_modules", "site-packages"];

/// Files that a computer adds.
const JUNK_FILES: [&str; 4] = [".DS_Store", "Thumbs.db", "desktop.ini", "Icon\r"];

/// The prefix of files in which macOS keeps data that other systems lack.
pub(super) const RESOURCE_FORK: &str = "._";

/// The greatest depth of nested folders.
const DEEPEST: usize = 32;

/// The longest name of a file, in bytes, as in most file systems.
pub(super) const LONGEST: usize = 255;

/// The lengths of the beginning and the end of a name that is too long, in bytes. The two have the student in
/// the name of a platform, and the kind of the file.
const KEPT: (usize, usize) = (160, 60);

/// Returns the place of a file of this name below the folder to unpack into; `None` for a file that no
/// student made. A name that no file can have is changed, so that the file does not vanish.
///
/// # Errors
///
/// Returns the reason, as one line, if the file would lie outside of that folder, or too deep in it.
pub fn entry_place(name: &str) -> Result<Option<PathBuf>, String> {
    // Some programs for Windows separate folders by `\`.
    let name = name.replace('\\', "/");
    let shown = || excerpt(&name);
    let drive = name.split('/').next().unwrap_or_default();
    if name.starts_with('/') || drive.len() == 2 && drive.ends_with(':') {
        return Err(format!("it has a file with an absolute path, `{}`", shown()));
    }
    let parts: Vec<&str> =
        name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err(format!("it has a file outside of its folder, `{}`", shown()));
    }
    if parts.len() > DEEPEST {
        return Err(format!("expected folders nested at most {DEEPEST} deep, found more"));
    }
    if parts.is_empty() || is_junk(&parts) {
        return Ok(None);
    }
    Ok(Some(parts.into_iter().map(usable).collect()))
}

/// Returns the first part of this name that a place has in another form.
pub(super) fn unusable_part(name: &str) -> Option<&str> {
    name.split(['/', '\\']).find(|part| usable(part) != *part)
}

/// Returns a part of a name without control characters. If it is too long, a hash replaces its middle, so that
/// two names do not become one.
fn usable(part: &str) -> String {
    let form = |c: char| match c.is_control() {
        true => format!("%{:02X}", u32::from(c)),
        false => c.to_string(),
    };
    let plain: String = part.chars().map(form).collect();
    if plain.len() <= LONGEST {
        return plain;
    }
    let mut hash = ContentHash::default();
    hash.add(part);
    let is_boundary = |at: &usize| plain.is_char_boundary(*at);
    let start = (0..=KEPT.0).rev().find(is_boundary).unwrap_or_default();
    let end = (plain.len() - KEPT.1..).find(is_boundary).unwrap_or_default();
    format!("{}~{}~{}", &plain[..start], &hash.word()[..8], &plain[end..])
}

/// Returns true if a file of this name belongs to a package that the program needs.
pub(super) fn is_dependency(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| DEPENDENCY_FOLDERS.contains(&part))
}

fn is_junk(parts: &[&str]) -> bool {
    let last = parts.last().copied().unwrap_or_default();
    parts.iter().any(|part| JUNK_FOLDERS.contains(part))
        || JUNK_FILES.contains(&last)
        || last.starts_with(RESOURCE_FORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_below_the_folder() {
        let place = |name: &str| entry_place(name).map(|place| place.unwrap_or_default());
        for (name, expected) in [
            ("a/b.c", "a/b.c"),
            ("./a//b.c", "a/b.c"),
            (r"a\b.c", "a/b.c"),
            ("a/..b", "a/..b"),
            ("=cmd|x", "=cmd|x"),
        ] {
            assert_eq!(place(name), Ok(PathBuf::from(expected)), "{name}");
        }
        for name in ["/etc/passwd", "../x", "a/../../x", r"..\x", r"C:\x", "c:/x", r"\\host\x"] {
            assert!(entry_place(name).is_err(), "{name}");
        }
        assert!(entry_place(&"a/".repeat(DEEPEST + 1)).is_err());
    }

    #[test]
    fn what_no_student_made_is_left_out() {
        for name in [
            "",
            "/./".trim_start_matches('/'),
            "__MACOSX/a/._b.c",
            "a/.DS_Store",
            "a/._b.c",
            "Icon\r",
            "x/.git/config",
        ] {
            assert_eq!(entry_place(name), Ok(None), "{name:?}");
        }
    }

    #[test]
    fn file_whose_name_no_file_can_have_gets_another() {
        let place = |name: &str| entry_place(name).ok().flatten().expect("a place");
        assert_eq!(place("a\u{7}\n/b.c"), PathBuf::from("a%07%0A/b.c"));
        let long = |last: &str| format!("joe_20_504_{}{last}.tar.gz", "\u{8bfe}".repeat(85));
        let [one, other] = ["a", "b"].map(|last| place(&long(last)).display().to_string());
        assert!(one.starts_with("joe_20_504_\u{8bfe}") && one.ends_with("a.tar.gz"), "{one}");
        assert!(one.len() <= LONGEST && one[..180] != other[..180], "{one} {other}");
        assert_eq!(place(&one), PathBuf::from(&one));
        assert_eq!((unusable_part("a/b.c"), unusable_part("a/b\t")), (None, Some("b\t")));
    }
}

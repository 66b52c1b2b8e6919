//! The files of an unpacked submission, without those that a build has left; the facts that the text of a
//! source file tells, and its line ends.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use plyground_durable::input::{open_regular, read_regular};
use plyground_host::external::{is_plain_path, java_package};
use plyground_sandbox::remove_folder;

use crate::submissions::limited_folder::set_mode;
use crate::submissions::unpack::{LARGEST, open_zip};

/// The names of folders whose programs come last, because they are rarely the program of the submission.
const BESIDE: [&str; 12] = [
    "test",
    "tests",
    "backup",
    "old",
    "example",
    "examples",
    "sample",
    "samples",
    "node_modules",
    "target",
    "venv",
    "doc",
];

/// Returns the regular files in a folder and below, as paths below it: the nearest first, except that files
/// in the folders of [`BESIDE`] come last.
pub(crate) fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut pending) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = pending.pop() {
        for entry in fs::read_dir(root.join(&below))? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, below.join(entry.file_name()));
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    // At the same depth, paths are sorted by their folders first: the files of a folder lie beside each
    // other.
    found.sort_by_cached_key(|path| {
        let place = Place::of(path);
        (place.is_beside, place.depth, path.clone())
    });
    Ok(found)
}

/// The place of the folder of a file in the order of [`files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<'a> {
    is_beside: bool,
    depth: usize,
    folder: &'a Path,
}

impl Place<'_> {
    /// Returns the place of the folder that a file lies in.
    pub(crate) fn of(file: &Path) -> Place<'_> {
        Place::inside(file.parent().unwrap_or(Path::new("")))
    }

    /// Returns the place of a folder.
    pub(crate) fn inside(folder: &Path) -> Place<'_> {
        let names = folder.components().filter_map(|part| part.as_os_str().to_str());
        let mut beside =
            names.filter(|name| BESIDE.iter().any(|beside| beside.eq_ignore_ascii_case(name)));
        let is_beside = beside.next().is_some();
        Place { is_beside, depth: folder.components().count(), folder }
    }
}

/// Returns the [`files`] whose paths may stand in a command. Neither a build nor a start uses the others.
pub(crate) fn plain_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(files(folder)?.into_iter().filter(|file| is_plain_path(file)).collect())
}

/// Returns the innermost folder: goes down as long as a folder has nothing in it but one folder, because such
/// nesting says nothing about the submission. A folder in which Java packages begin is not left.
pub(crate) fn innermost(folder: &Path) -> io::Result<PathBuf> {
    let mut folder = folder.to_owned();
    loop {
        let entries: Vec<_> = fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
        match entries.as_slice() {
            [only] if only.file_type()?.is_dir() && !is_package_root(&folder)? => {
                folder = only.path();
            }
            _ => return Ok(folder),
        }
    }
}

/// Returns true if Java packages begin in a folder; their classes are found only from there.
fn is_package_root(folder: &Path) -> io::Result<bool> {
    let all = files(folder)?;
    let mut java = all.iter().filter(|file| Language::of(file) == Some(Language::Java));
    Ok(java.any(|file| {
        let package = java_package(&read_source(&folder.join(file)));
        let place: PathBuf = package.split('.').collect();
        !package.is_empty() && file.parent() == Some(&place)
    }))
}

/// Makes the files that a stranger's build has left safe to read. Only files, folders, and links that lead down
/// stay, and no file runs with its owner's rights.
pub(crate) fn sweep(root: &Path) -> io::Result<()> {
    set_mode(root, true)?;
    let mut pending = vec![root.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                // The build may have locked the folder.
                set_mode(&path, true)?;
                pending.push(path);
            } else if kind.is_file() {
                set_mode(&path, is_program(&entry.metadata()?))?;
            } else if !kind.is_symlink() || !leads_down(&path) {
                remove_folder(&path);
            }
        }
    }
    Ok(())
}

/// Returns true if a link leads to a place below the folder that it is in, as far as all other links do.
///
/// The text decides. To follow links, which may lead down and down by others, can take the kernel a long time for
/// each of many.
fn leads_down(link: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| {
        target.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    })
}

#[cfg(unix)]
pub(crate) fn is_program(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_program(_: &fs::Metadata) -> bool {
    false
}

/// The first bytes of native programs: Linux, Windows, and the four formats of macOS.
const NATIVE: [&[u8]; 6] = [
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
];

/// The endings of the names of files that a compiler leaves.
const OBJECTS: [&str; 6] = ["o", "obj", "a", "lib", "gch", "pdb"];

/// The greatest number of files in a jar whose list is read.
const MOST_CLASSES: usize = 20_000;

/// The names of files of an earlier CMake build, which would mislead a build here.
const LEFT_BY_CMAKE: [&str; 1] = ["CMakeCache.txt"];

/// Removes built files whose sources are there, and returns their paths. A built file without a source stays,
/// as there is nothing else to run.
pub(crate) fn remove_built(root: &Path, files: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let languages: BTreeSet<Language> =
        files.iter().filter_map(|file| Language::of(file)).collect();
    let has_native = languages.iter().any(|language| language.is_native());
    let has_python = languages.contains(&Language::Python);
    let java: BTreeSet<&str> = files
        .iter()
        .filter(|file| Language::of(file) == Some(Language::Java))
        .filter_map(|file| file.file_stem()?.to_str())
        .collect();
    let mut removed = Vec::new();
    for file in files {
        let path = root.join(file);
        let is_built = match file.extension().and_then(|end| end.to_str()).unwrap_or_default() {
            "class" => !java.is_empty(),
            "jar" => jar_has_one_of(&path, &java),
            "pyc" => has_python,
            end if OBJECTS.contains(&end) => has_native,
            _ => has_native && is_native(&path)? || is_left_by_cmake(file),
        };
        if is_built {
            fs::remove_file(&path)?;
            removed.push(file.clone());
        }
    }
    Ok(removed)
}

fn is_native(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    open_regular(path)?.take(4).read_to_end(&mut start)?;
    Ok(NATIVE.iter().any(|magic| start.starts_with(magic)))
}

fn is_left_by_cmake(file: &Path) -> bool {
    file.file_name().is_some_and(|name| LEFT_BY_CMAKE.iter().any(|left| name == *left))
}

/// Returns true if a jar has a class whose source is there. The classes of a library have no sources there.
fn jar_has_one_of(path: &Path, stems: &BTreeSet<&str>) -> bool {
    let archive = open_regular(path).ok().and_then(|file| open_zip(file, MOST_CLASSES).ok());
    archive.is_some_and(|archive| {
        archive.file_names().flatten().any(|name| {
            let class = name.rsplit('/').next().and_then(|name| name.strip_suffix(".class"));
            class.is_some_and(|class| stems.contains(class))
        })
    })
}

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

/// The greatest length of a script, in bytes.
const LONGEST: u64 = 1 << 20;

/// Gives shell scripts, scripts with a `#!` line and makefiles the line ends of this system, and returns the
/// files that were changed.
pub(crate) fn mend(root: &Path, files: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut mended = Vec::new();
    for file in files {
        let path = root.join(file);
        let Some(bytes) = read_regular(&path, LONGEST)? else { continue };
        let is_script = bytes.starts_with(b"#!") || is_named_script(file);
        if !is_script || bytes.contains(&0) || !bytes.windows(2).any(|pair| pair == b"\r\n") {
            continue;
        }
        let mut plain = Vec::with_capacity(bytes.len());
        let mut rest = bytes.iter().peekable();
        while let Some(byte) = rest.next() {
            if *byte != b'\r' || rest.peek() != Some(&&b'\n') {
                plain.push(*byte);
            }
        }
        // The file keeps its mode.
        fs::write(&path, plain)?;
        mended.push(file.clone());
    }
    Ok(mended)
}

fn is_named_script(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".sh") || ["makefile", "gnumakefile"].contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::submissions::recipe::Submission;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap_or(folder.path())).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        folder
    }

    #[test]
    fn near_files_come_first_and_tests_last() -> io::Result<()> {
        let folder = tree(&["test/a.c", "z.c", "src/deep/b.c", "src/c.c"]);
        let found = files(folder.path())?;
        assert_eq!(found, ["z.c", "src/c.c", "src/deep/b.c", "test/a.c"].map(PathBuf::from));
        Ok(())
    }

    #[test]
    fn files_of_a_folder_lie_together() -> io::Result<()> {
        let folder =
            tree(&["a/b.c", "a.c", "a-b/x.c", "a/b/c.c", "a b/c.c", "test/a.c", "a/test/x.c"]);
        let found = files(folder.path())?;
        let submission = Submission { root: folder.path(), files: &found, program: "x" };
        let mut all = Vec::new();
        for inner in submission.folders() {
            all.extend(submission.in_folder(inner).cloned());
        }
        assert_eq!(all, found);
        assert_eq!(submission.in_folder(Path::new("a")).count(), 1);
        assert_eq!(submission.in_folder(Path::new("none")).count(), 0);
        Ok(())
    }

    #[test]
    fn nesting_does_not_matter() -> io::Result<()> {
        let folder = tree(&["submission/programming2/a.c", "submission/programming2/b/c.c"]);
        assert_eq!(innermost(folder.path())?, folder.path().join("submission/programming2"));
        // A Java package stays in its folder.
        let folder = tree(&["hw/a/player/X.java"]);
        let file = folder.path().join("hw/a/player/X.java");
        fs::write(&file, "package player;\nclass X {}")?;
        assert_eq!(innermost(folder.path())?, folder.path().join("hw/a"));
        let folder = tree(&["a/b.c", "report.pdf"]);
        assert_eq!(innermost(folder.path())?, folder.path());
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn what_a_build_leaves_leads_nowhere() -> io::Result<()> {
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::process::Command;

        let folder = tree(&["a/play", "locked/x"]);
        let path = |name: &str| folder.path().join(name);
        symlink("/etc/passwd", path("out"))?;
        symlink("../../x", path("up"))?;
        symlink("a/play", path("in"))?;
        symlink(fs::canonicalize(path("a"))?, path("absolute"))?;
        assert!(Command::new("mkfifo").arg(path("pipe")).status()?.success());
        fs::set_permissions(path("a/play"), fs::Permissions::from_mode(0o4755))?;
        fs::set_permissions(path("locked"), fs::Permissions::from_mode(0o000))?;
        sweep(folder.path())?;
        let mut left: Vec<_> = fs::read_dir(folder.path())?
            .map(|e| e.map(|e| e.file_name()))
            .collect::<Result<_, _>>()?;
        left.sort();
        assert_eq!(left, ["a", "in", "locked"]);
        assert_eq!(fs::metadata(path("a/play"))?.permissions().mode() & 0o7777, 0o755);
        assert!(path("locked/x").exists());
        Ok(())
    }

    fn left(names: &[(&str, &[u8])]) -> Vec<PathBuf> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in names {
            fs::write(folder.path().join(name), bytes).expect("a file");
        }
        let found = files(folder.path()).expect("files");
        remove_built(folder.path(), &found).expect("files that can be removed");
        files(folder.path()).expect("files")
    }

    #[test]
    fn built_is_removed_where_there_is_a_source() {
        let elf: &[u8] = b"\x7fELF...";
        assert_eq!(left(&[("a.c", b""), ("a.o", b""), ("play", elf)]), [PathBuf::from("a.c")]);
        assert_eq!(left(&[("A.java", b""), ("A.class", b"")]), [PathBuf::from("A.java")]);
        // A program without a source stays, and so do the weights of a neural network.
        assert_eq!(left(&[("play", elf)]), [PathBuf::from("play")]);
        let kept = ["a.py", "weights.bin"].map(PathBuf::from);
        assert_eq!(left(&[("a.py", b""), ("weights.bin", elf), ("a.pyc", b"")]), kept);
    }

    #[test]
    fn library_stays() {
        use std::io::Write;
        use zip::write::SimpleFileOptions;

        let jar = |class: &str| {
            let mut jar = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
            jar.start_file(class, SimpleFileOptions::default()).expect("an entry");
            jar.write_all(b"").expect("a class");
            jar.finish().expect("a jar").into_inner()
        };
        let (own, library) = (jar("edu/Main.class"), jar("org/Json.class"));
        let left = left(&[("Main.java", b""), ("own.jar", &own), ("json.jar", &library)]);
        assert_eq!(left, ["Main.java", "json.jar"].map(PathBuf::from));
    }

    #[test]
    fn entries_are_recognized() {
        assert!(Language::Java.is_entry("public static\n void main(String[] a)"));
        assert!(Language::Cpp.is_entry("int\nmain(int argc, char **argv)"));
        assert!(!Language::C.is_entry("int maintain(void);"));
        assert!(Language::Python.is_entry("if __name__ == '__main__':"));
        assert_eq!(Language::of(Path::new("a.cc")), Some(Language::Cpp));
        assert_eq!(Language::of(Path::new("a.h")), None);
    }

    #[test]
    fn scripts_are_mended_and_nothing_else() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let files = ["run.sh", "play", "Makefile", "input.txt", "fine.sh"].map(PathBuf::from);
        let texts = ["a\r\nb\r\n", "#!/bin/sh\r\nx\r\n", "all:\r\n", "1\r\n", "a\n"];
        for (file, text) in files.iter().zip(texts) {
            fs::write(folder.path().join(file), text)?;
        }
        assert_eq!(mend(folder.path(), &files)?, files[..3]);
        let read = |file: &str| fs::read_to_string(folder.path().join(file));
        assert_eq!((read("run.sh")?, read("input.txt")?), ("a\nb\n".into(), "1\r\n".into()));
        assert_eq!(read("play")?, "#!/bin/sh\nx\n");
        Ok(())
    }
}

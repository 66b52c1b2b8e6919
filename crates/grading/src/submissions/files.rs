//! The files of an unpacked submission, without the results of earlier builds, and the texts of its sources.
//!
//! A stranger chose the number, the sizes and the folders of the files. Therefore files are listed once, most
//! files are read only at the beginning, and a [`SourceReader`] limits the bytes that are read of all files
//! together.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use plyground_durable::input::{decode_layout, open_regular, unix_lines};
use plyground_host::external::{is_plain_path, java_package, java_types};
use plyground_sandbox::remove_folder;

use crate::submissions::file_kind::{
    Language, beginning, directive, end_of, folder_of, is_header, is_marked_script,
    is_of_build_tool, stem_of,
};
use crate::submissions::limited_folder::{is_program, set_mode};
use crate::submissions::unpack::open_zip;

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

/// The names of folders with the code of others, in which no program of a student is searched for. The list
/// is short, because programs and copies in these folders are not found.
const DEPENDENCIES: [&str; 7] = [
    "node_modules",
    "bower_components",
    "site-packages",
    "dist-packages",
    "venv",
    ".venv",
    "__MACOSX",
];

/// Returns true if a file is in a folder of dependencies.
pub(crate) fn is_of_others(file: &Path) -> bool {
    folder_of(file)
        .components()
        .any(|part| DEPENDENCIES.iter().any(|name| part.as_os_str() == *name))
}

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
    /// If true, the files in the folder come last, because they are rarely the program.
    pub(crate) is_beside: bool,
    pub(crate) depth: usize,
    folder: &'a Path,
}

impl Place<'_> {
    pub(crate) fn of(file: &Path) -> Place<'_> {
        Place::inside(folder_of(file))
    }

    pub(crate) fn inside(folder: &Path) -> Place<'_> {
        let mut names = folder.components().filter_map(|part| part.as_os_str().to_str());
        let is_beside =
            names.any(|name| BESIDE.iter().any(|beside| beside.eq_ignore_ascii_case(name)));
        Place { is_beside, depth: folder.components().count(), folder }
    }
}

/// Returns the [`files`] whose paths may stand in a command. Neither a build nor a start uses the others.
pub(crate) fn plain_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(files(folder)?.into_iter().filter(|file| is_plain_path(file)).collect())
}

/// Makes the files that a stranger's build has left safe to read. Only files, folders, and links that lead down
/// stay, and no file keeps a set-user-ID bit.
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
            } else if !kind.is_symlink() || !fs::read_link(&path).is_ok_and(|it| is_below(&it)) {
                remove_folder(&path);
            }
        }
    }
    Ok(())
}

/// Returns true if the path that a person or a link has leads to a place below its own folder, provided that all links
/// do.
///
/// Only the text of a link decides, because following many links that lead through each other can take the
/// kernel a long time.
pub(crate) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
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

/// The endings of the names of files that a compiler leaves, each beside the source of its name.
const OBJECTS: [&str; 4] = ["o", "obj", "gch", "pdb"];

/// The endings of the names of files with many objects.
const LIBRARIES: [&str; 2] = ["a", "lib"];

/// The greatest number of files in a jar whose list is read.
const MOST_CLASSES: usize = 20_000;

/// The greatest number of jars whose lists are read; others stay.
const MOST_JARS: usize = 100;

/// The name of a file of an earlier CMake build, which would mislead a build here.
const LEFT_BY_CMAKE: &str = "CMakeCache.txt";

/// The longest package of a class, in bytes: its folders are a path.
const LONGEST_PACKAGE: usize = 4096;

/// The types that the Java sources of a submission declare. A type is also called as its file, in case its
/// declaration cannot be read.
#[derive(Debug, Default)]
pub(crate) struct JavaTypes {
    /// The types of each folder, and of each package as a folder.
    by_place: HashMap<PathBuf, HashSet<String>>,
}

impl JavaTypes {
    /// The greatest number of folders above a class that are compared with packages.
    const MOST_FOLDERS: usize = 20;
    /// The greatest number of types of a source, which a stranger chose.
    const MOST_TYPES: usize = 1_000;

    /// Returns the types of the sources among these files.
    pub(crate) fn of(root: &Path, files: &[PathBuf]) -> JavaTypes {
        let (mut types, sources) = (JavaTypes::default(), SourceReader::default());
        for file in files.iter().filter(|file| Language::of(file) == Some(Language::Java)) {
            let text = sources.text(&root.join(file));
            let package = PathBuf::from(java_package(&text).replace('.', "/"));
            let declared = java_types(&text).into_iter().take(JavaTypes::MOST_TYPES);
            let stem = Some(stem_of(file).to_owned()).filter(|stem| !stem.is_empty());
            let names: Vec<String> = declared.chain(stem).collect();
            // No package that a class can have is longer.
            let package = Some(package).filter(|it| it.as_os_str().len() <= LONGEST_PACKAGE);
            for place in [Some(folder_of(file).to_owned()), package].into_iter().flatten() {
                types.by_place.entry(place).or_default().extend(names.iter().cloned());
            }
        }
        types
    }

    /// Returns true if one of the sources declares the type in a class file, or the type around it. The file
    /// lies beside the source, or in the folder of its package, which may be in a folder of the compiler.
    pub(crate) fn declare(&self, class: &Path) -> bool {
        let folder = folder_of(class);
        let parts: Vec<_> = folder.components().collect();
        let least = parts.len().saturating_sub(JavaTypes::MOST_FOLDERS);
        let mut below = (least..=parts.len()).map(|from| parts[from..].iter().collect());
        self.declare_in(class, folder) || below.any(|place: PathBuf| self.declare_in(class, &place))
    }

    fn declare_in(&self, class: &Path, place: &Path) -> bool {
        let stem = stem_of(class);
        let outer = stem.split_once('$').map(|(outer, _)| outer);
        let types = self.by_place.get(place);
        types.is_some_and(|types| [stem].into_iter().chain(outer).any(|name| types.contains(name)))
    }
}

/// A change of a submission before its build: the reason and the file.
pub(crate) type Change = (&'static str, PathBuf);

/// Removes built files if the submission has their sources, and returns the changes. A built file without a
/// source stays, because nothing else can run, and the course may have handed it out.
pub(crate) fn remove_built(root: &Path, files: &[PathBuf]) -> io::Result<Vec<Change>> {
    let has_native = files.iter().filter_map(|file| Language::of(file)).any(Language::is_native);
    let java = JavaTypes::of(root, files);
    let stems = |is_source: fn(&Path) -> bool| -> HashSet<&str> {
        files.iter().filter(|file| is_source(file)).filter_map(|file| first_stem(file)).collect()
    };
    let python = stems(|file| Language::of(file) == Some(Language::Python));
    let native =
        stems(|file| is_header(file) || Language::of(file).is_some_and(Language::is_native));
    let is_of = |stems: &HashSet<&str>, file: &Path| {
        first_stem(file).is_some_and(|stem| stems.contains(stem))
    };
    let (mut removed, mut jars) = (Vec::new(), 0);
    for file in files {
        let path = root.join(file);
        let is_built = match end_of(file) {
            "class" => java.declare(file),
            "jar" => {
                jars += 1;
                jars <= MOST_JARS && jar_has_one_of(&path, &java)
            }
            // `board.cpython-311.pyc` is of `board.py`.
            "pyc" => is_of(&python, file),
            end if OBJECTS.contains(&end) => is_of(&native, file),
            end if LIBRARIES.contains(&end) => has_native,
            _ => has_native && is_native(&path)? || file.ends_with(LEFT_BY_CMAKE),
        };
        if is_built {
            fs::remove_file(&path)?;
            removed.push(("removed, because a build makes it", file.clone()));
        }
    }
    Ok(removed)
}

fn is_native(path: &Path) -> io::Result<bool> {
    let start = beginning(path, 4)?;
    Ok(NATIVE.iter().any(|magic| start.starts_with(magic)))
}

/// Returns the name of a file up to the first dot.
fn first_stem(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.split('.').next()
}

/// Returns true if a jar has a class whose source is in the submission. The classes of a library have no
/// sources there.
fn jar_has_one_of(path: &Path, java: &JavaTypes) -> bool {
    let archive = open_regular(path).ok().and_then(|file| open_zip(file, MOST_CLASSES).ok());
    archive.is_some_and(|archive| {
        let mut names = archive.file_names().flatten();
        // The folders of a jar are packages, and a library may have a class of the same name in its own.
        let is_own = |class: &Path| java.declare_in(class, folder_of(class));
        names.any(|name| name.ends_with(".class") && is_own(Path::new(&*name)))
    })
}

/// The longest source file that is read, in bytes; a longer one counts as empty.
pub(crate) const LONGEST_SOURCE: u64 = 1 << 20;

/// The number of bytes at the start of a Java source file that are read to find its package, which may
/// follow comments.
pub(crate) const BEFORE_PACKAGE: u64 = 64 << 10;

/// The number of bytes that one reader reads of all sources together: twice the default limit of a
/// submission.
pub(crate) const MOST_BYTES: u64 = 128 << 20;

/// The number of files that one reader reads.
pub(crate) const MOST_FILES: usize = 10_000;

/// A reader of the sources of a submission, at most [`MOST_BYTES`] and [`MOST_FILES`] in all. Further files
/// count as empty.
#[derive(Debug)]
pub(crate) struct SourceReader {
    bytes: Cell<u64>,
    files: Cell<usize>,
}

impl Default for SourceReader {
    fn default() -> SourceReader {
        SourceReader { bytes: Cell::new(MOST_BYTES), files: Cell::new(MOST_FILES) }
    }
}

impl SourceReader {
    /// Returns the text of a source file, with a replacement for bytes that are not UTF-8; empty if the file
    /// is longer than [`LONGEST_SOURCE`] or cannot be read.
    pub(crate) fn text(&self, path: &Path) -> String {
        text_of(&self.bytes(path, LONGEST_SOURCE).ok().flatten().unwrap_or_default())
    }

    /// Returns the package of a source file of Java, as [`java_package`] does.
    pub(crate) fn package(&self, path: &Path) -> String {
        let bytes = self.beginning(path, BEFORE_PACKAGE).unwrap_or_default();
        java_package(&text_of(&bytes))
    }

    /// Returns true if a file is text in UTF-8, as far as it is read.
    pub(crate) fn is_utf8(&self, path: &Path) -> bool {
        let bytes = self.beginning(path, LONGEST_SOURCE);
        bytes.is_ok_and(|bytes| match std::str::from_utf8(&bytes) {
            Ok(_) => true,
            // The last byte that is read may lie within a character.
            Err(error) => error.error_len().is_none() && bytes.len() as u64 == LONGEST_SOURCE,
        })
    }

    /// Returns true if nothing more is read.
    pub(crate) fn is_used_up(&self) -> bool {
        self.bytes.get() == 0 || self.files.get() == 0
    }

    /// Returns the bytes of a file; `None` if there are more than `most`.
    fn bytes(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        let length = fs::symlink_metadata(path)?.len();
        if length > most {
            return Ok(None);
        }
        // A part of a file says something else than the file.
        if length > self.bytes.get() {
            self.bytes.set(0);
        }
        self.beginning(path, length).map(Some)
    }

    /// Returns the beginning of a file, within the remaining limits.
    pub(crate) fn beginning(&self, path: &Path, length: u64) -> io::Result<Vec<u8>> {
        if self.is_used_up() {
            return Ok(Vec::new());
        }
        let bytes = beginning(path, length.min(self.bytes.get()))?;
        self.bytes.set(self.bytes.get() - bytes.len() as u64);
        self.files.set(self.files.get() - 1);
        Ok(bytes)
    }
}

/// Returns a source text with a replacement for bytes that are not text, and LF in place of each CR without one, which
/// ends the lines of old systems.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    unix_lines(&decode_layout(bytes)).into_owned()
}

/// The greatest length of a file that is mended, in bytes.
const LONGEST: u64 = 1 << 20;

/// Gives sources and scripts the form that the tools of this system read, as those of Windows read theirs. Returns the
/// changes.
pub(crate) fn mend(root: &Path, files: &[PathBuf]) -> io::Result<Vec<Change>> {
    let (mut changes, reader) = (Vec::new(), SourceReader::default());
    let is_c = |file: &Path| is_header(file) || Language::is_of_c(file);
    let mut in_lower_case: HashMap<String, BTreeSet<&Path>> = HashMap::new();
    for file in files {
        let name = file.to_string_lossy().to_lowercase();
        if is_c(Path::new(&name)) {
            in_lower_case.entry(name).or_default().insert(file);
        }
    }
    for file in files {
        let path = root.join(file);
        let is_script = is_named_script(file) || is_marked_script(&path)?;
        if !is_script && !is_c(file) && Language::of(file).is_none() {
            continue;
        }
        let Some(before) = reader.bytes(&path, LONGEST)? else { continue };
        let mut now = before.clone();
        let mut change = |said: &'static str, mend: &dyn Fn(&[u8]) -> Option<Vec<u8>>| {
            if let Some(mended) = mend(&now) {
                now = mended;
                changes.push((said, file.clone()));
            }
        };
        change("mended, it had a byte order mark", &without_mark);
        if is_script {
            change("mended, its lines ended in CR LF", &without_cr);
        }
        if is_c(file) {
            let folder = folder_of(file);
            change(
                "mended, it included a file by a name in another case or with backslashes",
                &|text| with_right_includes(text, folder, &in_lower_case),
            );
        }
        if now != before {
            // The file keeps its mode.
            fs::write(&path, now)?;
        }
    }
    Ok(changes)
}

/// Gives sources whose names end in capitals, as on Windows, the usual ends, and returns the changes. `.C` is the end
/// of a source in C++. Files with a makefile or a script beside them or above stay, because these may name them.
pub(crate) fn name_plainly(root: &Path) -> io::Result<Vec<Change>> {
    let all = files(root)?;
    let plain = |file: &PathBuf| {
        let plain = file.with_extension(file.extension()?.to_str()?.to_lowercase());
        let is_source = Language::of(file).is_none() && Language::of(&plain).is_some();
        is_source.then(|| (file.clone(), plain))
    };
    let named: Vec<(PathBuf, PathBuf)> = all.iter().filter_map(plain).collect();
    // Hardly any submission has such names, and the search for scripts opens each file.
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let (mut changes, made) = (Vec::new(), MadeFolders::of(root, &all)?);
    for (file, plain) in named.into_iter().filter(|(file, _)| !made.have(file)) {
        if fs::symlink_metadata(root.join(&plain)).is_err() {
            fs::rename(root.join(&file), root.join(&plain))?;
            changes.push(("renamed, the end of its name was in capitals", file));
        }
    }
    Ok(changes)
}

/// The folders of a submission with a makefile, a project of a build tool or a script, which may name files.
pub(crate) struct MadeFolders(HashSet<PathBuf>);

impl MadeFolders {
    /// Returns the folders with such a file among these.
    pub(crate) fn of(root: &Path, files: &[PathBuf]) -> io::Result<MadeFolders> {
        let mut made = HashSet::new();
        for file in files {
            let is_project = ["xml", "gradle"].contains(&end_of(file));
            let is_made = is_project || is_named_script(file) || is_of_build_tool(file);
            if is_made || is_marked_script(&root.join(file))? {
                made.extend(file.parent().map(Path::to_owned));
            }
        }
        Ok(MadeFolders(made))
    }

    /// Returns true if a file is in such a folder, or below one.
    pub(crate) fn have(&self, file: &Path) -> bool {
        file.ancestors().skip(1).any(|above| self.0.contains(above))
    }
}

/// Returns a text in UTF-8 without the byte order mark that it has: the compiler of Java, for example, takes the mark
/// for a part of the text. `None` if it has none.
fn without_mark(bytes: &[u8]) -> Option<Vec<u8>> {
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    let has_mark = marks.iter().any(|mark| bytes.starts_with(mark));
    has_mark.then(|| decode_layout(bytes).into_bytes())
}

/// Returns a text with LF in place of each CR LF, or `None` if it has none or is no text.
fn without_cr(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.contains(&0) || !bytes.windows(2).any(|pair| pair == b"\r\n") {
        return None;
    }
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().peekable();
    while let Some(byte) = rest.next() {
        if *byte != b'\r' || rest.peek() != Some(&&b'\n') {
            plain.push(*byte);
        }
    }
    Some(plain)
}

/// Returns a source of C or C++ in `folder` that includes the files of the submission by their names, or `None` if it
/// does already. Windows and macOS ignore case, and Windows allows backslashes. `in_lower_case` has the files by their
/// names in lower case.
fn with_right_includes(
    bytes: &[u8],
    folder: &Path,
    in_lower_case: &HashMap<String, BTreeSet<&Path>>,
) -> Option<Vec<u8>> {
    let right = |line: &str| {
        let rest = directive(line)?.strip_prefix("include")?.trim_start().strip_prefix('"')?;
        let name = rest.split_once('"')?.0;
        let mut place = PathBuf::new();
        for part in folder.join(name.replace('\\', "/")).components() {
            match part {
                Component::Normal(part) => place.push(part),
                Component::ParentDir if !place.pop() => return None,
                Component::ParentDir | Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        let files = in_lower_case.get(&place.to_string_lossy().to_lowercase())?;
        let file = match files.first() {
            _ if files.contains(&*place) => &place,
            Some(only) if files.len() == 1 => *only,
            _ => return None,
        };
        // The steps up to a folder come first, and have no case.
        let (mut parts, mut steps) = (file.iter().rev(), Vec::new());
        for step in name.split(['/', '\\']).rev() {
            let is_name = !["", ".", ".."].contains(&step);
            steps.push(if is_name { parts.next()?.to_str()? } else { step });
        }
        steps.reverse();
        let found = steps.join("/");
        (found != name).then(|| line.replacen(&format!("\"{name}\""), &format!("\"{found}\""), 1))
    };
    let mut mended = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match std::str::from_utf8(line).ok().and_then(right) {
            Some(line) => mended.extend(line.into_bytes()),
            None => mended.extend(line),
        }
    }
    (mended != bytes).then_some(mended)
}

/// Returns true if a file has the name of a shell script or of a makefile.
pub(crate) fn is_named_script(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".sh") || ["makefile", "gnumakefile"].contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, tree};
    use crate::submissions::recipe::Submission;

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
        let (root, files, sources) = (folder.path(), &found, &SourceReader::default());
        let submission = Submission { root, files, program: "x", sources };
        let folders = submission.folders().into_iter();
        let all: Vec<PathBuf> = folders.flat_map(|it| submission.in_folder(it).cloned()).collect();
        assert_eq!(all, found);
        assert_eq!(submission.in_folder(Path::new("a")).count(), 1);
        assert_eq!(submission.in_folder(Path::new("none")).count(), 0);
        Ok(())
    }

    impl SourceReader {
        /// Returns a reader with these limits.
        pub(crate) fn of(bytes: u64, files: usize) -> SourceReader {
            SourceReader { bytes: Cell::new(bytes), files: Cell::new(files) }
        }

        /// Returns the remaining numbers of bytes and files.
        pub(crate) fn left(&self) -> (u64, usize) {
            (self.bytes.get(), self.files.get())
        }
    }

    #[test]
    fn no_more_is_read_than_the_limits() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.py");
        fs::write(&path, "12345")?;
        let sources = SourceReader::of(13, 1_000);
        assert_eq!(sources.text(&path), "12345");
        assert_eq!((sources.beginning(&path, 2)?, sources.left()), (b"12".to_vec(), (6, 998)));
        assert_eq!((sources.text(&path), sources.is_used_up()), ("12345".to_owned(), false));
        // A part of a file says something else than the file.
        assert_eq!((sources.text(&path), sources.is_used_up()), (String::new(), true));
        assert!(sources.is_utf8(&path) && sources.package(&path).is_empty());
        let sources = SourceReader::of(1_000, 2);
        let texts = [(); 3].map(|()| sources.text(&path));
        assert_eq!((texts.concat().as_str(), sources.left()), ("1234512345", (990, 0)));
        // A file that is too long does not use up the limits.
        fs::File::create(&path)?.set_len(LONGEST_SOURCE + 1)?;
        let sources = SourceReader::of(1 << 30, 2);
        assert_eq!((sources.text(&path), sources.left()), (String::new(), (1 << 30, 2)));
        // The beginning may end within a character.
        fs::write(&path, format!("x{}", "é".repeat(1 << 19)))?;
        assert!(sources.is_utf8(&path));
        fs::write(&path, b"x\xe9")?;
        assert!(!sources.is_utf8(&path));
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
        let left = fs::read_dir(folder.path())?.map(|entry| Ok(entry?.file_name()));
        let mut left: Vec<_> = left.collect::<io::Result<_>>()?;
        left.sort();
        assert_eq!(left, ["a", "in", "locked"]);
        assert_eq!(fs::metadata(path("a/play"))?.permissions().mode() & 0o7777, 0o755);
        assert!(path("locked/x").exists());
        Ok(())
    }

    fn left(names: &[(&str, &[u8])]) -> Vec<PathBuf> {
        let folder = fixtures::folder(names);
        let found = files(folder.path()).expect("files");
        remove_built(folder.path(), &found).expect("files that can be removed");
        files(folder.path()).expect("files")
    }

    #[test]
    fn built_is_removed_where_there_is_a_source() {
        let elf: &[u8] = b"\x7fELF...";
        assert_eq!(left(&[("a.c", b""), ("a.o", b""), ("play", elf)]), [PathBuf::from("a.c")]);
        assert_eq!(left(&[("A.java", b""), ("A.class", b"")]), [PathBuf::from("A.java")]);
        let course = ["a.c", "course.o"].map(PathBuf::from);
        assert_eq!(left(&[("a.c", b""), ("course.o", elf)]), course);
        // A program without a source stays, and so do the weights of a neural network.
        assert_eq!(left(&[("play", elf)]), [PathBuf::from("play")]);
        let kept = ["a.py", "weights.bin"].map(PathBuf::from);
        assert_eq!(left(&[("a.py", b""), ("weights.bin", elf), ("a.pyc", b"")]), kept);
    }

    /// A course hands out the classes of a list without their sources.
    #[test]
    fn class_without_a_source_stays() {
        let sources: [(&str, &[u8]); 3] = [
            ("src/player/Player.java", b"package player;\nclass Player {}\nclass Second {}\n"),
            ("src/list/Other.java", b"package list;\nclass Other { }"),
            ("Main.java", b"class Main {}"),
        ];
        let built = [
            "src/player/Player.class",
            "src/player/Player$1.class",
            "src/player/Second$Node$1.class",
            "bin/player/Second.class",
            "out/Main.class",
            "src/player/Other.py",
            "src/player/Other.pyc",
        ];
        let kept = ["network/Second.class", "src/list/List.class", "src/list/List$Node.class"];
        let empty = built.into_iter().chain(kept).map(|it| (it, &b""[..]));
        let mut found = left(&sources.into_iter().chain(empty).collect::<Vec<_>>());
        found.sort();
        let mut expected: Vec<_> = sources.map(|(name, _)| name).to_vec();
        expected.extend(kept);
        expected.push("src/player/Other.py");
        expected.sort_unstable();
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        let module: [(&str, &[u8]); 3] =
            [("a.py", b""), ("course.pyc", b""), ("__pycache__/a.cpython-311.pyc", b"")];
        assert_eq!(left(&module), ["a.py", "course.pyc"].map(PathBuf::from));
    }

    #[test]
    fn library_stays() {
        // A library may have a class of the same name.
        let [own, library] =
            ["edu/Main.class", "org/Main.class"].map(|class| fixtures::zip(&[(class, "")]));
        let source = b"package edu;\nclass Main {}\n";
        let left = left(&[("Main.java", source), ("own.jar", &own), ("json.jar", &library)]);
        assert_eq!(left, ["Main.java", "json.jar"].map(PathBuf::from));
    }

    #[test]
    fn names_in_capitals_are_those_of_sources() -> io::Result<()> {
        let folder =
            tree(&["MAIN.PY", "a.CPP", "b.C", "c.PY", "c.py", "D.TXT", "x/Makefile", "x/y/E.CPP"]);
        let changes = name_plainly(folder.path())?;
        let mut changed: Vec<_> = changes.into_iter().map(|it| it.1).collect();
        changed.sort();
        assert_eq!(changed, ["MAIN.PY", "a.CPP"].map(PathBuf::from));
        assert!(folder.path().join("MAIN.py").exists() && folder.path().join("a.cpp").exists());
        Ok(())
    }

    #[test]
    fn files_of_other_systems_are_mended_and_nothing_else() -> io::Result<()> {
        let utf_16 = "\u{feff}class A {}".encode_utf16().flat_map(u16::to_le_bytes);
        let utf_16: Vec<u8> = utf_16.collect();
        let includes = "#include \"Board.h\"\n# include \"..\\Lib\\a.h\" // a\n#include <Board.h>\n\
                        #include \"two.h\"\n#include \"none.h\"\n#include \"../../Lib/a.h\"\nBoard.h\n";
        let right = "#include \"board.h\"\n# include \"../lib/A.h\" // a\n#include <Board.h>\n\
                     #include \"two.h\"\n#include \"none.h\"\n#include \"../../Lib/a.h\"\nBoard.h\n";
        let (mark, case) = ("mended, it had a byte order mark", "mended, it included");
        let lines = "mended, its lines ended in CR LF";
        let files: [(&str, &[u8], &str, &[&str]); 15] = [
            ("run.sh", b"\xef\xbb\xbfa\r\nb\r\n", "a\nb\n", &[mark, lines]),
            ("play", b"#!/bin/sh\r\nx\r\n", "#!/bin/sh\nx\n", &[lines]),
            ("Makefile", b"all:\r\n", "all:\n", &[lines]),
            ("input.txt", b"1\r\n", "1\r\n", &[]),
            ("fine.sh", b"a\n", "a\n", &[]),
            ("A.java", b"\xef\xbb\xbfclass A {}\r\n", "class A {}\r\n", &[mark]),
            ("B.java", &utf_16, "class A {}", &[mark]),
            ("src/main.cpp", includes.as_bytes(), right, &[case]),
            ("src/board.h", b"\xe4", "", &[]),
            ("src/TWO.h", b"", "", &[]),
            ("src/Two.h", b"", "", &[]),
            ("src/ALL.H", b"", "", &[]),
            ("src/all.cpp", b"#include \"all.h\"", "#include \"ALL.H\"", &[case]),
            ("lib/A.h", b"#include \"a.h\"\r\n", "#include \"A.h\"\r\n", &[case]),
            ("lib/b.c", b"#include \"A.h\"\r\n", "#include \"A.h\"\r\n", &[]),
        ];
        let folder = fixtures::folder(&files.map(|it| (it.0, it.1)));
        let changes = mend(folder.path(), &files.map(|it| PathBuf::from(it.0)))?;
        for (file, before, after, said) in files {
            let found = changes.iter().filter(|it| it.1 == Path::new(file));
            let found: Vec<_> = found.map(|it| it.0).collect();
            assert!(found.len() == said.len(), "{file}: {found:?}");
            assert!(found.iter().zip(said).all(|(it, said)| it.starts_with(said)), "{found:?}");
            let after = if said.is_empty() { before } else { after.as_bytes() };
            assert_eq!(fs::read(folder.path().join(file))?, after, "{file}");
        }
        Ok(())
    }
}

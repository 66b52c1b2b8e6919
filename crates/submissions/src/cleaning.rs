//! Removes the results of earlier builds, which may not match the sources beside them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyground_durable::input::open_regular;

use crate::archive::open_zip;
use crate::source::Language;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::files;

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
}

//! The packages of Java and Python in a submission, and the folders in which they begin.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_host::external::java_class_name;

use crate::submissions::file_kind::{code_lines, folder_of, is_of_name};
use crate::submissions::files::{LONGEST_SOURCE, SourceReader, files, is_of_others};

/// The longest name of a module or a package, in bytes: that of a package of npm.
pub(crate) const LONGEST_NAME: usize = 214;

/// The greatest number of names that are looked for, in one script and for one program.
pub(crate) const MOST_MODULES: usize = 100;

/// The greatest number of names in the name of a module, which dots divide.
const MOST_PARTS: usize = 8;

/// The greatest number of scripts that may say where a package begins, the nearest ones.
const MOST_SCRIPTS: usize = 50;

/// The greatest number of folders above a script in which its package may begin.
const MOST_ABOVE: usize = 8;

/// Returns the innermost folder: descends as long as a folder has only one folder in it, because such nesting
/// says nothing about the submission. The descent stops at a folder in which packages begin.
pub(crate) fn innermost(folder: &Path, sources: &SourceReader) -> io::Result<PathBuf> {
    let mut inner = PathBuf::new();
    loop {
        let mut entries = fs::read_dir(folder.join(&inner))?;
        match (entries.next().transpose()?, entries.next()) {
            (Some(only), None) if only.file_type()?.is_dir() => inner.push(only.file_name()),
            _ => break,
        }
    }
    if inner.parent().is_none() {
        return Ok(folder.to_owned());
    }
    let root = package_root(folder, &inner, sources)?;
    Ok(folder.join(root.unwrap_or(inner)))
}

/// Returns the first folder on the way down to `inner` in which packages begin. Java finds the classes of its packages
/// only from there, and a script in Python may name the folder that it is in.
fn package_root(
    folder: &Path,
    inner: &Path,
    sources: &SourceReader,
) -> io::Result<Option<PathBuf>> {
    let all = files(folder)?;
    let places: HashSet<&Path> = all.iter().map(PathBuf::as_path).collect();
    let mut scripts = 0;
    let roots = all.iter().filter(|file| !is_of_others(file)).filter_map(|file| {
        let path = folder.join(file);
        let package = match file.extension()?.to_str()? {
            "java" => sources.package(&path),
            // A class that was handed in without its source.
            "class" => {
                let name = java_class_name(&sources.beginning(&path, LONGEST_SOURCE).ok()?)?;
                name.rsplit_once('.')?.0.to_owned()
            }
            "py" => {
                scripts += 1;
                let imports = (scripts <= MOST_SCRIPTS).then(|| imports(&sources.text(&path)))?;
                return Some(top_of(&places, file, &imports));
            }
            _ => return None,
        };
        let place: PathBuf = package.split('.').collect();
        let parent = file.parent().filter(|parent| !package.is_empty() && parent.ends_with(&place));
        Some(parent?.ancestors().nth(place.components().count())?.to_owned())
    });
    let roots = roots.filter(|root| inner.starts_with(root));
    Ok(roots.min_by_key(|root| root.components().count()))
}

/// Returns the folder from which the imports of a script lead to its files: its own, or one above.
pub(crate) fn top_of(files: &HashSet<&Path>, entry: &Path, imports: &[Import]) -> PathBuf {
    let own = folder_of(entry);
    let is_part = |name: &str| !name.is_empty() && name.chars().all(is_of_name);
    // The name of a package is that of a folder.
    let is_module = |top: &Path| {
        let below = entry.with_extension("");
        let below = below.strip_prefix(top).unwrap_or(&below);
        below.iter().all(|part| part.to_str().is_some_and(is_part))
    };
    let leads_from =
        |top: &Path, it: &Import| !places(files, top, &it.module, &it.names).is_empty();
    // Python looks beside the script alone.
    if imports.iter().any(|import| import.level == 0 && leads_from(own, import)) {
        return own.to_owned();
    }
    let above = |import: &Import| match import.level {
        // As `src.rules` in `src/main.py`.
        0 => own.ancestors().skip(1).take(MOST_ABOVE).find(|top| {
            let first = own.strip_prefix(top).ok().and_then(|below| below.iter().next());
            let is_own = first.is_some_and(|it| import.module.split('.').next() == it.to_str());
            is_own && leads_from(top, import)
        }),
        level => own.ancestors().nth(level),
    };
    let mut tops = imports.iter().filter_map(above).filter(|top| is_module(top));
    tops.next().unwrap_or(own).to_owned()
}

/// An `import` of Python.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The number of dots before the module, for a module beside the script or above.
    pub(crate) level: usize,
    /// The module, with its packages.
    pub(crate) module: String,
    /// The names that are imported from it, which may be modules.
    pub(crate) names: Vec<String>,
}

/// Returns the imports of a script outside of all blocks, up to [`MOST_MODULES`] of their names.
pub(crate) fn imports(text: &str) -> Vec<Import> {
    let is_name = |name: &str| {
        let is_part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        // A stranger chose the number of the parts, and each is searched for.
        let is_usual = name.len() <= LONGEST_NAME && name.split('.').count() <= MOST_PARTS;
        is_usual && name.split('.').all(is_part)
    };
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let (mut found, mut goes_on): (Vec<Import>, bool) = (Vec::new(), false);
    for line in code_lines(text) {
        let names_of = |import: &Import| import.names.len().max(1);
        let room = MOST_MODULES.saturating_sub(found.iter().map(names_of).sum());
        if room == 0 {
            break;
        }
        let is_rest = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        let line = line.split(['#', ';', '\\']).next().unwrap_or_default();
        if is_rest {
            continue;
        }
        if let Some(modules) = line.strip_prefix("import ") {
            let modules = modules.split(',').map(first).filter(|module| is_name(module));
            let import = |module| Import { level: 0, module, names: Vec::new() };
            found.extend(modules.take(room).map(import));
        } else if let Some((module, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
        {
            let below = module.trim().trim_start_matches('.');
            let level = module.trim().len() - below.len();
            let names = names.trim_start_matches([' ', '(']).split([',', ')']).map(first);
            let names = names.filter(|name| is_name(name)).take(room).collect();
            if is_name(below) || level > 0 && below.is_empty() {
                found.push(Import { level, module: below.to_owned(), names });
            }
        }
    }
    found
}

/// Returns the files that the import of a module below a folder runs.
pub(crate) fn places(
    files: &HashSet<&Path>,
    folder: &Path,
    module: &str,
    names: &[String],
) -> Vec<PathBuf> {
    // A package goes before a script of its name.
    let of = |place: &Path| {
        let all = [place.join("__init__.py"), place.with_extension("py")];
        all.into_iter().find(|file| files.contains(&**file))
    };
    let mut place = folder.to_owned();
    let mut found = Vec::new();
    for part in module.split('.').filter(|part| !part.is_empty()) {
        place.push(part);
        found.extend(of(&place));
    }
    found.extend(names.iter().filter_map(|name| of(&place.join(name))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, tree};
    use crate::submissions::files::BEFORE_PACKAGE;

    #[test]
    fn imports_are_those_that_are_always_made() {
        let text = "import os.path as p, board  # import no\nfrom .pieces import (a as b, c)\nfrom .. import d\n\
                    try:\n    import fast\nexcept ImportError: pass\nif x: import y\n'''\nimport text\n'''\n\
                    from game.rules import *\nx = 1 + \\\nimport rest\nimport a-b\nimportant = 1\n";
        let import = |level, module: &str, names: &[&str]| Import {
            level,
            module: module.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let expected = [
            import(0, "os.path", &[]),
            import(0, "board", &[]),
            import(1, "pieces", &["a", "c"]),
            import(2, "", &["d"]),
            import(0, "game.rules", &[]),
        ];
        assert_eq!(imports(text), expected);
        assert!(imports(&format!("import a{}", ".a".repeat(MOST_PARTS))).is_empty());
        let many = "from a import b, c\nimport d\n".repeat(100);
        let names = imports(&many).iter().map(|import| import.names.len().max(1)).sum::<usize>();
        assert_eq!(names, MOST_MODULES);
    }

    fn inner(folder: &tempfile::TempDir) -> io::Result<PathBuf> {
        innermost(folder.path(), &SourceReader::default())
    }

    /// Returns a class file up to the name of the class, its only constants.
    fn class_file(name: &str) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 3];
        bytes.extend([1, 0, u8::try_from(name.len()).expect("a short name")]);
        bytes.extend(name.as_bytes());
        bytes.extend([7, 0, 1, 0, 0x21, 0, 2]);
        bytes
    }

    #[test]
    fn packages_of_classes_begin_in_the_root() -> io::Result<()> {
        for (name, root) in
            [("edu/uta/Play", "bin"), ("Play", "bin/edu/uta"), ("x/Play", "bin/edu/uta")]
        {
            let folder = fixtures::folder(&[("bin/edu/uta/Play.class", class_file(name))]);
            assert_eq!(inner(&folder)?, folder.path().join(root), "{name}");
        }
        Ok(())
    }

    #[test]
    fn nesting_does_not_matter() -> io::Result<()> {
        let folder = tree(&["submission/programming2/a.c", "submission/programming2/b/c.c"]);
        assert_eq!(inner(&folder)?, folder.path().join("submission/programming2"));
        // A Java package stays in its folder.
        let folder = tree(&["hw/a/player/X.java"]);
        let file = folder.path().join("hw/a/player/X.java");
        fs::write(&file, "package player;\nclass X {}")?;
        assert_eq!(inner(&folder)?, folder.path().join("hw/a"));
        fs::write(&file, "package a.player;\nclass X {}")?;
        assert_eq!(inner(&folder)?, folder.path().join("hw"));
        fs::write(&file, "package hw.a.player;\nclass X {}")?;
        assert_eq!(inner(&folder)?, folder.path());
        fs::write(&file, "package other.player;\nclass X {}")?;
        assert_eq!(inner(&folder)?, folder.path().join("hw/a/player"));
        // So does a package of Python that its own scripts name.
        for (import, root) in [
            ("from game.rules import x", "hw"),
            ("import hw.game.rules", ""),
            ("from . import rules", "hw"),
            ("from game import other", "hw/game"),
            ("import rules", "hw/game"),
            ("import game", "hw/game"),
        ] {
            let files = [("hw/game/main.py", &*format!("{import}\n")), ("hw/game/rules.py", "")];
            let folder = fixtures::folder(&files);
            assert_eq!(inner(&folder)?, folder.path().join(root), "{import}");
        }
        let folder = tree(&["a/b.c", "report.pdf"]);
        assert_eq!(inner(&folder)?, folder.path());
        Ok(())
    }

    /// To read all files whole at each level of a chain of folders would take minutes.
    #[test]
    fn deep_folders_are_read_once() -> io::Result<()> {
        let deep = "a/".repeat(28);
        let own = (0..8).map(|number| format!("{deep}F{number}.java"));
        let others = (0..8).map(|number| format!("{deep}node_modules/F{number}.java"));
        let all = own.chain(others);
        let text = "/ ".repeat(1 << 19);
        let folder = fixtures::folder(&all.map(|file| (file, &text)).collect::<Vec<_>>());
        let sources = SourceReader::of(1 << 30, 1_000);
        assert_eq!(innermost(folder.path(), &sources)?, folder.path().join(deep));
        let (bytes, files) = sources.left();
        assert_eq!(((1 << 30) - bytes, 1_000 - files), (8 * BEFORE_PACKAGE, 8));
        Ok(())
    }
}

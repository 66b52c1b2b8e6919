//! Finds scripts, programs and classes that can be started, and the version of Python that a script needs.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use plyground_durable::input::open_regular;
use plyground_host::external::java_package;

use crate::submissions::recipe::{Recipe, Submission, word};
use crate::submissions::source::{Language, read_source};
use crate::submissions::tree::is_program;

/// The names of scripts that start a program, besides the program's own name.
const SCRIPTS: [&str; 3] = ["run", "start", "play"];

/// The first bytes of a program of this system.
const ELF: &[u8] = b"\x7fELF";

/// Returns the shell command for the script in a folder that starts the program, if there is one.
pub(crate) fn start_script(submission: Submission<'_>, folder: &Path) -> Option<String> {
    let mut names = SCRIPTS.to_vec();
    names.insert(0, submission.program);
    let mut scripts = submission.in_folder(folder).filter(|file| {
        let is_shell = file.extension().is_none_or(|end| end == "sh");
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        is_shell && names.iter().any(|name| name.eq_ignore_ascii_case(stem))
    });
    scripts.find_map(|file| {
        let name = word(Path::new(file.file_name()?));
        let text = read_source(&submission.root.join(file));
        if text.starts_with("#!") {
            return Some(name);
        }
        file.extension().map(|_| format!("sh {name}"))
    })
}

/// Returns the folder and the shell command that starts the program after a build: a program of this system,
/// or a class with the name of a source that has a `main`.
pub(crate) fn built_start(
    submission: Submission<'_>,
    folder: &Path,
) -> io::Result<Option<(PathBuf, String)>> {
    let mut programs: Vec<&PathBuf> = Vec::new();
    for file in submission.files.iter().filter(|file| file.starts_with(folder)) {
        if is_native_program(&submission.root.join(file))? && !is_part_of_build(file) {
            programs.push(file);
        }
    }
    programs.sort_by_key(|file| !submission.is_called_program(file));
    if let Some(program) = programs.first() {
        let below = program.strip_prefix(folder).unwrap_or(program);
        return Ok(Some((folder.to_owned(), word(below))));
    }
    Ok(compiled_class(submission, folder))
}

/// Returns true if a file is an object, a shared library, or a file that `cmake` or `cargo` builds for
/// itself.
fn is_part_of_build(file: &Path) -> bool {
    let mut parts = file.components().filter_map(|part| part.as_os_str().to_str());
    parts.any(|part| ["CMakeFiles", "deps", "build-script-build"].contains(&part))
        || file.extension().is_some_and(|end| end == "so" || end == "o")
}

fn is_native_program(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    let file = open_regular(path)?;
    let found = file.metadata()?;
    file.take(ELF.len() as u64).read_to_end(&mut start)?;
    Ok(start == ELF && is_program(&found))
}

/// The greatest number of classes of the same name that are looked at for each source, the nearest first.
const MOST_SAME: usize = 100;

/// Returns the folder in which the package of a compiled class begins, and the command that starts the class.
/// Its source has a `main`.
fn compiled_class(submission: Submission<'_>, folder: &Path) -> Option<(PathBuf, String)> {
    let sources = submission.files.iter().filter(|file| Language::of(file) == Some(Language::Java));
    let mut entries: Vec<(&PathBuf, String)> = sources
        .map(|file| (file, read_source(&submission.root.join(file))))
        .filter(|(_, text)| Language::Java.is_entry(text))
        .collect();
    entries.sort_by_key(|(file, _)| !submission.is_called_program(file));
    let mut classes: HashMap<&OsStr, Vec<&PathBuf>> = HashMap::new();
    for file in submission.files.iter().filter(|file| file.starts_with(folder)) {
        let same = classes.entry(file.file_name().unwrap_or_default()).or_default();
        if same.len() < MOST_SAME {
            same.push(file);
        }
    }
    entries.into_iter().find_map(|(source, text)| {
        let package = java_package(&text);
        let stem = source.file_stem()?.to_str()?;
        let name = if package.is_empty() { stem.to_owned() } else { format!("{package}.{stem}") };
        let place: PathBuf = PathBuf::from(name.replace('.', "/") + ".class");
        let class = classes.get(place.file_name()?)?.iter().find(|file| file.ends_with(&place))?;
        let root = class.ancestors().nth(place.components().count())?;
        let quoted = shlex::try_quote(&name).ok()?;
        Some((root.to_owned(), format!("java -cp . {quoted}")))
    })
}

/// Returns the recipe for a submission without sources: a program of this system, or a class with the name of
/// the program.
pub(crate) fn shipped_start(submission: Submission<'_>) -> io::Result<Option<Recipe>> {
    let recipe = |language: &str, folder: &Path, start: String, tools| Recipe {
        language: language.to_owned(),
        folder: folder.to_owned(),
        build: String::new(),
        start: Some(start),
        is_player: false,
        tools,
    };
    for file in submission.files {
        let folder = file.parent().unwrap_or(Path::new(""));
        let name = file.file_name().map(Path::new).unwrap_or(file);
        if is_native_program(&submission.root.join(file))? {
            return Ok(Some(recipe("binary", folder, word(name), Vec::new())));
        }
        let is_class = file.extension().is_some_and(|end| end == "class");
        if is_class && submission.is_called_program(file) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let Ok(class) = shlex::try_quote(&stem) else { continue };
            return Ok(Some(recipe(
                "Java classes",
                folder,
                format!("java -cp . {class}"),
                vec!["java"],
            )));
        }
    }
    Ok(None)
}

/// The reason why a script for Python 2 cannot be started.
pub(crate) const NO_PYTHON2: &str =
    "this is Python 2: install python2 or pypy, and prepare it again";

/// The programs that may run Python 2.
const PROGRAMS: [&str; 4] = ["python2", "python2.7", "pypy", "pypy2"];

/// Returns the first program of this system that runs Python 2. A program of such a name may fail to: it may
/// only tell how to install it, or be a newer version.
pub(crate) fn python2() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        PROGRAMS.into_iter().find(|program| {
            let mut command = Command::new(program);
            let quiet = command.args(["-c", "print 2"]).stdin(Stdio::null());
            let run = quiet.stdout(Stdio::null()).stderr(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        })
    })
}

/// Returns true if a script has a statement that only Python 2 has: `print "x"`, `except E, e:` or
/// `exec "x"`.
pub(crate) fn is_python2(text: &str) -> bool {
    let mut quotes: Option<&str> = None;
    for line in text.lines() {
        let is_within = quotes.is_some();
        // The inside of a string of several lines is no code.
        let mut rest = line;
        while let Some(at) = quotes.map_or_else(|| first_quotes(rest), |end| rest.find(end)) {
            quotes = match quotes {
                Some(_) => None,
                None => Some(if rest[at..].starts_with("\"\"\"") { "\"\"\"" } else { "'''" }),
            };
            rest = &rest[at + 3..];
        }
        if !is_within && line.split(';').any(is_old_statement) {
            return true;
        }
    }
    false
}

/// Returns the place of the first three quotes that are not in a comment. It looks no further: a line may have
/// a hundred thousand of them.
fn first_quotes(line: &str) -> Option<usize> {
    let is_mark = |rest: &str| {
        rest.starts_with(['#']) || ["\"\"\"", "'''"].iter().any(|it| rest.starts_with(it))
    };
    let (at, sign) = line.char_indices().find(|&(at, _)| is_mark(&line[at..]))?;
    (sign != '#').then_some(at)
}

fn is_old_statement(statement: &str) -> bool {
    let statement = statement.trim();
    // A statement may follow a condition in the same line.
    let after = statement.rsplit_once(": ").map_or(statement, |(_, after)| after).trim();
    let is_print = [statement, after].iter().any(|statement| {
        ["print ", "exec "].iter().any(|word| {
            let rest = statement.strip_prefix(word).map(str::trim_start).unwrap_or_default();
            rest.starts_with(['"', '\'', '>', '%'])
                || rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    });
    let except = statement.strip_prefix("except ").and_then(|rest| rest.strip_suffix(':'));
    let is_except = except.is_some_and(|rest| rest.contains(',') && !rest.contains(['(', ')']));
    is_print || is_except
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every source of a name was compared with every class of that name.
    #[test]
    fn classes_of_one_name_are_looked_at_within_limits() {
        use std::fs;

        let folder = tempfile::tempdir().expect("a folder");
        let main = "class A { static void main(String[] a) {} }";
        let mut files = Vec::new();
        for (name, text) in [("A.java", main), ("z/A.java", "package none; static void main")] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
            files.push(PathBuf::from(name));
        }
        files.extend((0..50_000).map(|number| PathBuf::from(format!("out/{number:05}/A.class"))));
        let submission = Submission { root: folder.path(), files: &files, program: "x" };
        let found = compiled_class(submission, Path::new(""));
        assert_eq!(found, Some(("out/00000".into(), "java -cp . A".to_owned())));
        let submission = Submission { files: &files[1..], ..submission };
        assert_eq!(compiled_class(submission, Path::new("")), None);
    }

    #[test]
    fn old_statements_are_told_from_new_ones() {
        for old in [
            "print 'usage'",
            "if x: print \"a\"",
            "  print x, y",
            "try: pass\nexcept IOError, e:\n",
            "x = 1; print >>sys.stderr, x",
        ] {
            assert!(is_python2(old), "{old}");
        }
        for new in [
            "print('usage')",
            "print (x)",
            "except (A, B):",
            "'''\nprint it\n'''\nprint(1)",
            "\"\"\"Usage:\n  print the board\n\"\"\"",
            "# print x",
            "printer = 1",
            "print = f",
            "x = 1 # \"\"\"\nprint(1)",
        ] {
            assert!(!is_python2(new), "{new}");
        }
        // Each three quotes were looked for in all the rest of their line.
        let quotes = "\"\"\"".repeat(300_000);
        assert!(!is_python2(&quotes) && is_python2(&format!("{quotes}\nprint 'usage'")));
    }
}

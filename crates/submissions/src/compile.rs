//! Submissions that consist of sources only: the commands that compile and start each language.

use std::path::{Path, PathBuf};

use plyground_host::external::java_package;

use crate::python2::{NO_PYTHON2, is_python2, python2};
use crate::recipe::Recipe;
use crate::source::{Language, is_utf8, read_source};
use crate::submission::Submission;
use crate::word::{relative, word};

/// The name of the program that we compile.
const OWN: &str = "plyground-program";

/// The memory of the heap of Java's compiler.
const JAVA_HEAP: &str = "-J-Xmx512m";

/// Returns the recipe for a submission that consists of sources only. With `is_built`, the build is over: C,
/// C++ and Rust then have no recipe.
pub(crate) fn by_language(
    submission: Submission<'_>,
    folder: &Path,
    is_built: bool,
) -> Option<Recipe> {
    let entries = Language::ALL
        .into_iter()
        .filter_map(|language| Some((language, submission.entry(folder, language)?)));
    let mut entries: Vec<(Language, &PathBuf)> = entries.collect();
    entries.sort_by_key(|(_, file)| !submission.is_called_program(file));
    let &(language, entry) = entries.first()?;
    let recipe = match language {
        Language::Java => java(submission, entry),
        Language::Cpp | Language::C | Language::Rust if is_built => return None,
        Language::Cpp => native(submission, entry, Language::Cpp, "g++ -O2 -std=c++17", "g++"),
        Language::C => native(submission, entry, Language::C, "gcc -O2", "gcc"),
        Language::Rust => {
            let name = word(Path::new(entry.file_name()?));
            plain(
                entry,
                language,
                &format!("rustc -O -o {OWN} {name}"),
                &format!("./{OWN}"),
                "rustc",
            )
        }
        Language::Python => {
            let name = word(Path::new(entry.file_name()?));
            if is_python2(&read_source(&submission.root.join(entry))) {
                return Some(old_python(entry, &name));
            }
            // A Python that cannot read the script would otherwise fail only when the program plays.
            let check = "PYTHONPYCACHEPREFIX=\"$TMPDIR\" python3 -m py_compile";
            plain(
                entry,
                language,
                &format!("{check} {name}"),
                &format!("python3 {name}"),
                "python3",
            )
        }
        Language::JavaScript => {
            let name = word(Path::new(entry.file_name()?));
            plain(entry, language, "", &format!("node {name}"), "node")
        }
    };
    Some(recipe)
}

fn plain(entry: &Path, language: Language, build: &str, start: &str, tool: &'static str) -> Recipe {
    Recipe {
        language: language.name().to_owned(),
        folder: entry.parent().unwrap_or(Path::new("")).to_owned(),
        build: build.to_owned(),
        start: Some(start.to_owned()),
        is_player: false,
        tools: vec![tool],
    }
}

/// Returns the recipe for a script in Python 2, whose build fails if nothing here runs Python 2.
fn old_python(entry: &Path, name: &str) -> Recipe {
    const CHECK: &str = "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], \"exec\")";
    match python2() {
        Some(python) => {
            let build = format!("{python} -c '{CHECK}' {name}");
            plain(entry, Language::Python, &build, &format!("{python} {name}"), python)
        }
        None => {
            let build = format!("echo {} >&2; exit 1", quoted(NO_PYTHON2));
            Recipe { tools: Vec::new(), ..plain(entry, Language::Python, &build, name, "") }
        }
    }
}

/// Returns the recipe for a class with a `main`, or for a class that plays, compiled with the classes that it
/// needs. The folder of the recipe is the root of its package.
pub(crate) fn java(submission: Submission<'_>, entry: &Path) -> Recipe {
    let package = java_package(&read_source(&submission.root.join(entry)));
    let folder = entry.parent().unwrap_or(Path::new(""));
    let parts: Vec<&str> = package.split('.').filter(|part| !part.is_empty()).collect();
    let below: PathBuf = parts.iter().collect();
    // If the file is not in the folder of its package, its own folder is used.
    let root = if folder.ends_with(&below) || parts.is_empty() {
        folder.ancestors().nth(parts.len()).unwrap_or(folder)
    } else {
        folder
    };
    let place = relative(folder, root).unwrap_or_default();
    let stem = entry.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let class = if package.is_empty() { stem.to_owned() } else { format!("{package}.{stem}") };
    let sources =
        submission.in_folder(folder).filter(|file| Language::of(file) == Some(Language::Java));
    let has_other_encoding =
        sources.map(|file| submission.root.join(file)).any(|file| !is_utf8(&file));
    let encoding = if has_other_encoding { "ISO-8859-1" } else { "UTF-8" };
    let has_jars =
        submission.files.iter().any(|file| file.extension().is_some_and(|end| end == "jar"));
    let path = if has_jars { "\"./*:lib/*:.\"" } else { "." };
    let compiler = format!(
        "javac {JAVA_HEAP} -encoding {encoding} -proc:none -nowarn -cp {path} -sourcepath . -d ."
    );
    let file = relative(entry, root).unwrap_or_default();
    Recipe {
        language: Language::Java.name().to_owned(),
        folder: root.to_owned(),
        // The first command builds only the classes that this class needs. If it fails, the second builds all
        // classes, because only among all of them is a class found that is in a file of another name.
        build: format!("{compiler} {} || {compiler} {}/*.java", word(&file), word(&place)),
        start: Some(format!("java -cp {path} {}", quoted(&class))),
        is_player: false,
        tools: vec!["javac", "java"],
    }
}

/// Returns the recipe for all sources of a folder as one program, without the other sources that have a
/// `main`.
fn native(
    submission: Submission<'_>,
    entry: &Path,
    language: Language,
    compiler: &str,
    tool: &'static str,
) -> Recipe {
    let folder = entry.parent().unwrap_or(Path::new(""));
    let is_part = |file: &&PathBuf| {
        file.as_path() == entry
            || Language::of(file).is_some_and(|found| found.is_native() && found != Language::Rust)
                && !language.is_entry(&read_source(&submission.root.join(file)))
    };
    let sources = submission.in_folder(folder).filter(is_part);
    let sources = sources.filter_map(|file| file.file_name()).map(|name| word(Path::new(name)));
    let sources: Vec<String> = sources.collect();
    let with = |sources: &str| format!("{compiler} -o {OWN} {sources} -lm -pthread");
    let all = with(&sources.join(" "));
    // If another file of the folder does not compile, the program may not need it.
    let build = match sources.len() {
        1 => all,
        _ => {
            let name = entry.file_name().map(|name| word(Path::new(name))).unwrap_or_default();
            format!("{all} || {}", with(&name))
        }
    };
    plain(entry, language, &build, &format!("./{OWN}"), tool)
}

fn quoted(text: &str) -> String {
    // Only a zero byte cannot be quoted, and a name has no zero byte.
    shlex::try_quote(text).map_or_else(|_| String::new(), |text| text.into_owned())
}

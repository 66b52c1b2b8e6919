//! An unpacked submission; the recipe that builds and starts it, with the scripts, programs and classes that
//! can be started; and a person's overrides of the recipe.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use plyground_durable::excerpt;
use plyground_durable::input::{TomlError, TomlFile, open_regular};
use plyground_host::external::{java_class_name, java_main_class, java_package};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::submissions::file_kind::{
    Language, beginning, calls_at_once, end_of, folder_of, is_marked_script, is_of_name, stem_of,
};
use crate::submissions::files::{Place, SourceReader, is_below, is_of_others};
use crate::submissions::limited_folder::is_program;
use crate::submissions::unpack::open_zip;

/// The greatest number of bytes that are read of all readmes together.
pub(super) const LONGEST_README: u64 = 64 << 10;

/// The files of a submission, and the program that the assignment requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submission<'a> {
    /// The folder of the files.
    pub(crate) root: &'a Path,
    /// The files below it that may stand in a command, as
    /// [`plain_files`](crate::submissions::files::plain_files) sorts them.
    pub(crate) files: &'a [PathBuf],
    /// The name of the program in the assignment.
    pub(crate) program: &'a str,
    /// The reader of the texts of the files.
    pub(crate) sources: &'a SourceReader,
}

/// The facts about a source file by which it is taken for a program.
#[derive(Clone, Copy)]
struct Source {
    /// If true, a program seems to begin in it.
    is_entry: bool,
    /// If true, it is a script that does something when it is started.
    runs: bool,
    /// If true, it is a script with a text.
    has_text: bool,
}

impl<'a> Submission<'a> {
    /// Returns the files directly in this folder, which are adjacent in the order of the files.
    pub(crate) fn in_folder(self, folder: &Path) -> impl Iterator<Item = &'a PathBuf> + use<'a> {
        let place = Place::inside(folder);
        let first = self.files.partition_point(|file| Place::of(file) < place);
        let rest = &self.files[first..];
        rest[..rest.partition_point(|file| Place::of(file) == place)].iter()
    }

    /// Returns true if a file has the name of the program, without regard to case and to signs between its words.
    pub(crate) fn is_called_program(self, file: &Path) -> bool {
        letters_of(stem_of(file)) == letters_of(self.program)
    }

    /// Returns true if a folder, or one around it, has the name of the program among the words of its own.
    pub(crate) fn is_called_folder(self, folder: &Path) -> bool {
        let program = letters_of(self.program);
        let is_called = |name: &str| {
            let name = name.to_lowercase();
            let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).collect();
            (0..words.len()).any(|from| {
                let mut rest = program.as_str();
                for word in &words[from..] {
                    let Some(behind) = rest.strip_prefix(word) else { break };
                    rest = behind;
                }
                rest.is_empty()
            })
        };
        folder.components().any(|part| part.as_os_str().to_str().is_some_and(is_called))
    }

    /// Returns the text of a source file, within the limits of the reader.
    pub(crate) fn text(self, file: &Path) -> String {
        self.sources.text(&self.root.join(file))
    }

    /// Returns the folders that have files of the student, the nearest first.
    pub(crate) fn folders(self) -> Vec<&'a Path> {
        let own = self.files.iter().filter(|file| !is_of_others(file));
        let mut folders: Vec<&Path> = own.filter_map(|file| file.parent()).collect();
        // The files of a folder are adjacent.
        folders.dedup();
        folders
    }

    /// Returns the source file of a language in a folder in which the program begins, and the files that are as good a
    /// choice: the file that a readme names, else the file with the name of the program, else `main`, else the first.
    /// The readme comes first, because the course's own code may lie beside the program under the requested name.
    pub(crate) fn entries(self, folder: &'a Path, language: Language) -> Vec<&'a PathBuf> {
        let sources = self.in_folder(folder).filter(|file| Language::of(file) == Some(language));
        // As in `maxconnect4.min.js`.
        let program = letters_of(self.program);
        let begins = |file: &Path| letters_of(stem_of(file)).starts_with(&program);
        let sources = sources.filter(|file| begins(file) || !is_of_tool(file));
        let is_script = language.is_script();
        let is_called = |file: &PathBuf| self.is_called_program(file) || is_main(file);
        // Each text is read once, because the reader has limits. A script needs no `main` to be a program, but an
        // empty one ends at once, whatever its name.
        let sources = sources.map(|file| {
            let text = self.text(file);
            let has_text = is_script && !text.trim().is_empty();
            let runs = has_text && (language != Language::Python || calls_at_once(&text));
            let is_entry = language.is_entry(&text) || is_called(file) && runs;
            (file, Source { is_entry, runs, has_text })
        });
        let sources: Vec<(&PathBuf, Source)> = sources.collect();
        let those = |is_it: &dyn Fn(&PathBuf, Source) -> bool| -> Vec<&PathBuf> {
            let found = sources.iter().filter(|(file, source)| is_it(file, *source));
            found.map(|(file, _)| *file).collect()
        };
        let mut entries = those(&|_, source| source.is_entry);
        if entries.is_empty() {
            entries = those(&|file, source| source.has_text && is_called(file));
        }
        if entries.is_empty() && language == Language::Python {
            entries = those(&|file, source| source.runs && !is_setup(file));
        }
        if entries.is_empty() && sources.len() == 1 {
            entries = those(&|_, source| source.has_text);
        }
        let said =
            if entries.len() > 1 { self.readme(&[folder, Path::new("")]) } else { String::new() };
        let is_named = |file: &PathBuf| self.names(&said, file);
        // The readmes are searched once for each file.
        let keyed = entries
            .into_iter()
            .map(|file| ((!is_named(file), !self.is_called_program(file), !is_main(file)), file));
        let mut keyed: Vec<_> = keyed.collect();
        keyed.sort_by_key(|(key, _)| *key);
        let best = keyed.first().map(|(key, _)| *key);
        keyed.into_iter().filter(|(key, _)| Some(*key) == best).map(|(_, file)| file).collect()
    }

    /// Returns true if the text of a readme names a source file as a program.
    pub(crate) fn names(self, readme: &str, file: &Path) -> bool {
        let of = |part: Option<&OsStr>| {
            part.and_then(|part| part.to_str()).unwrap_or_default().to_lowercase()
        };
        let (name, stem) = (of(file.file_name()), of(file.file_stem()));
        // A name without an ending may be an English word, such as board or game.
        let as_program = [name, format!("./{stem}"), format!("java {stem}")];
        self.is_called_program(file) && has_word(readme, &stem)
            || as_program.iter().any(|words| has_word(readme, words))
    }

    /// Returns the text of the files called `readme` in these folders, in lowercase, up to [`LONGEST_README`] bytes.
    pub(crate) fn readme(self, folders: &[&Path]) -> String {
        let is_readme = |file: &&PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let text = ["", ".txt", ".md", ".markdown", ".rst"];
            text.iter().any(|end| name.eq_ignore_ascii_case(&format!("readme{end}")))
        };
        let mut bytes = Vec::new();
        let files = folders.iter().flat_map(|folder| self.in_folder(folder));
        for file in files.filter(is_readme) {
            let room = LONGEST_README.saturating_sub(bytes.len() as u64);
            // A readme that cannot be read says nothing.
            if let Ok(file) = open_regular(&self.root.join(file)) {
                let _ = file.take(room).read_to_end(&mut bytes);
            }
            bytes.push(b'\n');
        }
        String::from_utf8_lossy(&bytes).to_lowercase()
    }
}

/// Returns the letters and digits of a text, in lowercase.
pub(crate) fn letters_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns true if a text has this word, and not only as a part of another word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let behind = text[start + word.len()..].chars().next();
        !before.into_iter().chain(behind).any(is_of_name)
    })
}

/// Returns true if a file has the name that scripts give to their beginning: `main`, or `index` in JavaScript.
fn is_main(file: &Path) -> bool {
    let is_script = Language::of(file) == Some(Language::JavaScript);
    let stem = stem_of(file);
    stem.eq_ignore_ascii_case("main") || is_script && stem.eq_ignore_ascii_case("index")
}

/// Returns true if a script in Python installs or tests something by its name.
fn is_setup(file: &Path) -> bool {
    let stem = stem_of(file);
    stem == "setup" || stem == "conftest" || stem.starts_with("test_") || stem.ends_with("_test")
}

/// Returns true if a script in JavaScript configures a tool or is a library by its name, such as `tailwind.config.js`.
fn is_of_tool(file: &Path) -> bool {
    let stem = stem_of(file).to_lowercase();
    let is_called = ["gulpfile", "gruntfile", "setuptests"].contains(&&*stem);
    let ends = [".min", ".config", ".conf", ".test", ".spec"];
    Language::of(file) == Some(Language::JavaScript)
        && (ends.iter().any(|end| stem.ends_with(end)) || is_called || stem.starts_with('.'))
}

/// The name of a compiled program.
pub(crate) const OWN: &str = "plyground-program";

/// The commands that build and start a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// The name of the language for people; empty if it is not known.
    pub(crate) language: String,
    /// The folder in which both commands run, below the folder of the submission.
    pub(crate) folder: PathBuf,
    /// The shell command that builds the program; empty if there is nothing to build.
    pub(crate) build: String,
    /// The builds that are tried in turn if the first one fails or makes no program, each with the doubt about a
    /// program that it makes; empty without one.
    pub(crate) other_builds: Vec<(String, &'static str)>,
    /// The shell command that starts the program; `None` if it can be found only after the build.
    pub(crate) start: Option<String>,
    /// If true, the program is a Java class without a `main`, which cannot be started by itself.
    pub(crate) is_player: bool,
    /// The programs that the system must have.
    pub(crate) tools: Vec<&'static str>,
    /// The modules of Python that the program imports and the submission does not have, or the
    /// [`packages`](crate::submissions::modules::packages) of JavaScript that it takes in.
    pub(crate) modules: Vec<String>,
    /// A line that names equally good programs of the submission; empty if the choice is clear.
    pub(crate) doubt: String,
}

/// The greatest number of other programs that a doubt names.
const NAMED: usize = 3;

/// Returns the doubt about a choice: the programs that were found, the first of which is taken, and the key
/// of an override that takes another.
pub(crate) fn doubt(found: &[&Path], noun: &str, remedy: &str) -> String {
    let [taken, others @ ..] = found else { return String::new() };
    if others.is_empty() {
        return String::new();
    }
    let name = |file: &Path| match file.to_string_lossy() {
        top if top.is_empty() => ".".to_owned(),
        name => excerpt(&name),
    };
    let named: Vec<String> = others.iter().take(NAMED).map(|file| name(file)).collect();
    let more = match others.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "found {} {noun}, took {}, not {}{more}: {remedy} in a file of --override takes another",
        found.len(),
        name(taken),
        named.join(", ")
    )
}

/// Returns the text as one word for a shell.
pub(crate) fn quoted(text: &str) -> String {
    // Only a zero byte cannot be quoted, and a name has no zero byte.
    shlex::try_quote(text).map_or_else(|_| String::new(), |text| text.into_owned())
}

/// Returns the path as a shell word. The word begins with `./`, so no program takes the word for an
/// option.
pub(crate) fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.is_empty() { ".".to_owned() } else { quoted(&format!("./{text}")) }
}

/// Returns a path as it is seen from a folder. Both are below one folder.
pub(crate) fn path_from(folder: &Path, path: &Path) -> PathBuf {
    let shared = folder.components().zip(path.components()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// The overrides for one submission, or for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The shell command that builds the program; empty if there is nothing to build.
    pub build: Option<String>,
    /// The shell command that starts the program; the arguments are appended.
    pub start: Option<String>,
    /// The folder in which both commands run, below the folder of the submission's files.
    pub folder: Option<PathBuf>,
}

/// The overrides for the submissions of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    class: Override,
    submissions: BTreeMap<String, Override>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OverrideFile {
    class: Option<Spanned<Override>>,
    #[serde(default)]
    submission: BTreeMap<Spanned<String>, Spanned<Override>>,
}

impl Overrides {
    /// Reads a TOML file. The table `class` applies to all submissions; the table `submission.NAME`
    /// takes precedence for the submission NAME.
    ///
    /// ```toml
    /// [class]
    /// build = "make player"
    ///
    /// [submission.ann]
    /// folder = "src"
    /// build = ""
    /// start = "python3 main.py --quiet"
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has a fault, or names a submission that is not among
    /// `names`.
    pub fn read(path: &Path, names: &[String]) -> Result<Overrides, TomlError> {
        let source = TomlFile::read(path)?;
        let file: OverrideFile = source.parse()?;
        file.class.iter().try_for_each(|said| check(&source, said))?;
        let mut submissions = BTreeMap::new();
        for (name, said) in file.submission {
            if !names.contains(name.get_ref()) {
                let (found, names) = (name.get_ref().escape_debug(), names.join(", "));
                let why = format!(
                    "expected the name of a submission, found `{found}`; there are {names}"
                );
                return Err(source.fault(name.span(), why));
            }
            check(&source, &said)?;
            submissions.insert(name.into_inner(), said.into_inner());
        }
        let class = file.class.map(Spanned::into_inner).unwrap_or_default();
        Ok(Overrides { class, submissions })
    }

    /// Returns the overrides for one submission.
    pub fn of(&self, name: &str) -> Override {
        let own = self.submissions.get(name).cloned().unwrap_or_default();
        Override {
            build: own.build.or_else(|| self.class.build.clone()),
            start: own.start.or_else(|| self.class.start.clone()),
            folder: own.folder.or_else(|| self.class.folder.clone()),
        }
    }
}

fn check(source: &TomlFile<'_>, said: &Spanned<Override>) -> Result<(), TomlError> {
    let Override { build, start, folder } = said.get_ref();
    let has_lines = |text: &Option<String>| {
        text.as_ref().is_some_and(|text| text.chars().any(char::is_control))
    };
    if has_lines(build) || has_lines(start) {
        return Err(source.fault(said.span(), "expected commands of one line".to_owned()));
    }
    if start.as_ref().is_some_and(|start| start.trim().is_empty()) {
        return Err(source.fault(said.span(), "expected a command as start".to_owned()));
    }
    if folder.as_ref().is_some_and(|folder| !is_below(folder)) {
        let fault = "expected a folder below the folder of the submission".to_owned();
        return Err(source.fault(said.span(), fault));
    }
    Ok(())
}

/// The names of scripts that start a program, besides the program's own name.
const SCRIPTS: [&str; 3] = ["run", "start", "play"];

/// The first bytes of a program of this system.
const ELF: &[u8] = b"\x7fELF";

pub(crate) struct StartScript {
    /// The shell command that starts it.
    pub(crate) start: String,
    /// If true, it passes its arguments on, or is no script for a shell.
    pub(crate) takes_arguments: bool,
}

/// The words for the arguments of a script for a shell.
const ARGUMENTS: [&str; 7] = ["$@", "$*", "$1", "${@", "${*", "${1", "$argv"];

/// Returns the script in a folder that starts the program, if there is one.
pub(crate) fn start_script(submission: Submission<'_>, folder: &Path) -> Option<StartScript> {
    let names = [&[submission.program][..], &SCRIPTS].concat();
    let mut scripts = submission.in_folder(folder).filter(|file| {
        let is_shell = file.extension().is_none_or(|end| end == "sh");
        is_shell && names.iter().any(|name| name.eq_ignore_ascii_case(stem_of(file)))
    });
    scripts.find_map(|file| {
        let name = word(Path::new(file.file_name()?));
        let is_marked = is_marked_script(&submission.root.join(file)).unwrap_or_default();
        if !is_marked && file.extension().is_none() {
            return None;
        }
        let text = submission.text(file);
        // As in `#!/bin/sh -e` and `#!/usr/bin/env bash`.
        let mut first = text.lines().next().unwrap_or_default().split_whitespace();
        let is_of_shell = !is_marked || first.any(|word| word.ends_with("sh"));
        let takes_arguments = !is_of_shell || ARGUMENTS.iter().any(|word| text.contains(word));
        let start = if is_marked { name } else { format!("sh {name}") };
        Some(StartScript { start, takes_arguments })
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
    // Our own build is made where the tool of the author has failed.
    programs.sort_by_key(|file| (!file.ends_with(OWN), !submission.is_called_program(file)));
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
        || ["so", "o"].contains(&end_of(file))
}

fn is_native_program(path: &Path) -> io::Result<bool> {
    Ok(beginning(path, ELF.len() as u64)? == ELF && is_program(&fs::symlink_metadata(path)?))
}

/// Returns the path of a class file in the root of its package.
fn place_of_class(name: &str) -> PathBuf {
    PathBuf::from(name.replace('.', "/") + ".class")
}

/// Returns the root of the package of the class with this name in a file, and the command that starts it there; `None`
/// if the file is not in the folders of its package.
fn start_of_class(file: &Path, name: &str) -> Option<(PathBuf, String)> {
    let place = place_of_class(name);
    let root =
        file.ends_with(&place).then(|| file.ancestors().nth(place.components().count()))??;
    Some((root.to_owned(), format!("java -cp . {}", quoted(name))))
}

/// The greatest number of classes of the same name that are compared with each source, the nearest first.
const MOST_SAME: usize = 100;

/// Returns the folder in which the package of a compiled class begins, and the command that starts the class.
/// The source of the class has a `main`.
fn compiled_class(submission: Submission<'_>, folder: &Path) -> Option<(PathBuf, String)> {
    let is_own =
        |file: &&PathBuf| Language::of(file) == Some(Language::Java) && !is_of_others(file);
    let sources = submission.files.iter().filter(is_own);
    let mut entries: Vec<(&PathBuf, String)> = sources
        .map(|file| (file, submission.text(file)))
        .filter(|(_, text)| Language::Java.is_entry(text))
        .map(|(file, text)| (file, java_package(&text)))
        .collect();
    entries.sort_by_key(|(file, _)| !submission.is_called_program(file));
    let mut classes: HashMap<&OsStr, Vec<&PathBuf>> = HashMap::new();
    for file in submission.files.iter().filter(|file| file.starts_with(folder)) {
        let same = classes.entry(file.file_name().unwrap_or_default()).or_default();
        if same.len() < MOST_SAME {
            same.push(file);
        }
    }
    entries.into_iter().find_map(|(source, package)| {
        let own = java_main_class(&submission.text(source), source.file_stem()?.to_str()?);
        let name = if package.is_empty() { own } else { format!("{package}.{own}") };
        let place = place_of_class(&name);
        let mut same = classes.get(place.file_name()?)?.iter();
        same.find_map(|class| start_of_class(class, &name))
    })
}

/// The greatest number of files in a jar that may start by itself, and the greatest length of its manifest, in bytes.
const LARGEST_JAR: (usize, u64) = (20_000, 64 << 10);

/// Returns true if a file is a jar whose manifest names a class to start.
fn starts_by_itself(path: &Path) -> bool {
    let main_class = || {
        let (files, bytes) = LARGEST_JAR;
        let mut archive = open_zip(open_regular(path).ok()?, files).ok()?;
        let mut text = String::new();
        let manifest = archive.by_name("META-INF/MANIFEST.MF").ok()?;
        manifest.take(bytes).read_to_string(&mut text).ok()?;
        text.lines().any(|line| line.starts_with("Main-Class:")).then_some(())
    };
    end_of(path) == "jar" && main_class().is_some()
}

/// Returns the recipe for a submission without sources: a program of this system, a jar that starts by itself, or a
/// class with the name of the program.
pub(crate) fn shipped_start(submission: Submission<'_>) -> io::Result<Option<Recipe>> {
    let recipe = |language: &str, (folder, start), tools| Recipe {
        language: language.to_owned(),
        folder,
        start: Some(start),
        tools,
        ..Recipe::default()
    };
    let place_of = |file: &PathBuf| {
        (folder_of(file).to_owned(), word(file.file_name().map_or(file.as_path(), Path::new)))
    };
    for file in submission.files {
        if is_native_program(&submission.root.join(file))? {
            return Ok(Some(recipe("binary", place_of(file), Vec::new())));
        }
    }
    let own = || submission.files.iter().filter(|file| !is_of_others(file));
    let mut jars = own().filter(|file| starts_by_itself(&submission.root.join(file))).peekable();
    let jar = jars.peek().copied();
    let called = jars.find(|file| submission.is_called_program(file));
    let jar = called.or(jar).map(place_of);
    let jar = jar.map(|(folder, name)| (folder, format!("java -jar {name}")));
    let found = match shipped_class(submission) {
        Some((is_called, class)) if is_called || jar.is_none() => Some(("Java classes", class)),
        _ => jar.map(|jar| ("Java archive", jar)),
    };
    Ok(found.map(|(language, program)| recipe(language, program, vec!["java"])))
}

/// The longest class file that is read, in bytes, and the greatest number of class files.
const LARGEST_CLASS: u64 = 1 << 20;
const MOST_CLASSES: usize = 1_000;

/// Returns the root of the package of the class with the name of the program, or of the only class that has a `main`,
/// and the command that starts it; before them, true if it has the name.
fn shipped_class(submission: Submission<'_>) -> Option<(bool, (PathBuf, String))> {
    let is_class = |file: &&PathBuf| end_of(file) == "class";
    let classes = submission.files.iter().filter(is_class).take(MOST_CLASSES);
    let start_of = |file: &PathBuf| {
        let bytes = beginning(&submission.root.join(file), LARGEST_CLASS).ok()?;
        let start = start_of_class(file, &java_class_name(&bytes)?)?;
        // The name and the type of a `main`, each as a constant.
        let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        let has_main = has(b"\x00\x04main") && has(b"\x00\x16([Ljava/lang/String;)V");
        has_main.then(|| (submission.is_called_program(file), start))
    };
    let found: Vec<_> = classes.filter_map(start_of).collect();
    let is_only = found.len() == 1;
    found.into_iter().find(|(is_called, _)| *is_called || is_only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn read(text: &str) -> Result<Overrides, String> {
        let folder = fixtures::folder(&[("o.toml", text)]);
        let names = ["ann", "bob"].map(str::to_owned);
        let read = Overrides::read(&folder.path().join("o.toml"), &names);
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_said_of_one_goes_before_what_is_said_of_all() {
        let text = "class = { build = 'make', start = 'x' }\n[submission.ann]\nstart = 'y z'\n";
        let overrides = read(text).expect("overrides");
        let ann = overrides.of("ann");
        assert_eq!((ann.build.as_deref(), ann.start.as_deref()), (Some("make"), Some("y z")));
        assert_eq!(overrides.of("bob").start.as_deref(), Some("x"));
    }

    #[test]
    fn fault_is_named_with_its_place() {
        for (text, part) in [
            (
                "[submission.carl]\n",
                "o.toml:1:13: expected the name of a submission, found `carl`; there are ann, bob",
            ),
            ("[class]\nbuilt = 'x'\n", "o.toml:2:1: unknown field `built`"),
            ("class = { start = ' ' }\n", "o.toml:1:9: expected a command"),
            ("class = { folder = '../x' }\n", "o.toml:1:9: expected a folder below"),
            ("class = { build = \"a\\nb\" }\n", "o.toml:1:9: expected commands of one line"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        }
    }

    /// A stranger chose how many sources and classes have one name.
    #[test]
    fn classes_of_one_name_are_looked_at_within_limits() {
        let main = "class A { static void main(String[] a) {} }";
        let sources = [("A.java", main), ("z/A.java", "package none; static void main")];
        let folder = fixtures::folder(&sources);
        let mut files = sources.map(|(name, _)| PathBuf::from(name)).to_vec();
        files.extend((0..50_000).map(|number| PathBuf::from(format!("out/{number:05}/A.class"))));
        let (root, sources) = (folder.path(), &SourceReader::default());
        let submission = Submission { root, files: &files, program: "x", sources };
        let found = compiled_class(submission, Path::new(""));
        assert_eq!(found, Some(("out/00000".into(), "java -cp . A".to_owned())));
        let submission = Submission { files: &files[1..], ..submission };
        assert_eq!(compiled_class(submission, Path::new("")), None);
    }
}

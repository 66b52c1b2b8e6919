//! The build of a submission in a sandbox, because the build is a stranger's code; and the commands and the
//! errors of compilers.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use std::{fs, io};

use plyground_durable::quantities::size_text;
use plyground_durable::{cut, excerpt, shown};
use plyground_host::external::{Lack, java_fault};
use plyground_sandbox::{
    ByteSize, LONGEST_PATH, Launch, Meter, ProcessEnd, ProcessLimits, Sandbox, SandboxLevel,
    SandboxPolicy, finds_program,
};
use serde::Serialize;

use crate::submissions::file_kind::{CARGO, Language, folder_of, included, is_header};
use crate::submissions::files::{files, is_of_others};
use crate::submissions::java::java;
use crate::submissions::limited_folder::TOO_LONG;
use crate::submissions::modules::{NO_PYTHON2, PythonImports, packages, python2};
use crate::submissions::recipe::{OWN, Recipe, Submission, doubt, path_from, word};

/// The greatest number of files and folders that are copied for a build.
const MOST_FILES: usize = 100_000;

/// The greatest number of runs of a build that the computer is too busy to finish.
const TRIES: usize = 3;

/// The lock that builds share. A build that runs again holds it alone, because other builds may have
/// starved its first run.
static ALONE: RwLock<()> = RwLock::new(());

/// The limits of the build of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BuildLimits {
    /// The wall time of all builds of a submission.
    pub time: Duration,
    /// The memory of all processes of the build.
    #[serde(with = "size_text")]
    pub memory: ByteSize,
    /// The size of the folder after the build, and the size of the output of the build.
    #[serde(with = "size_text")]
    pub output: ByteSize,
    /// The greatest number of processes at a time.
    pub processes: u32,
}

impl Default for BuildLimits {
    fn default() -> BuildLimits {
        BuildLimits {
            time: Duration::from_secs(120),
            memory: ByteSize::gib(2),
            output: ByteSize::mib(256),
            processes: 128,
        }
    }
}

/// The options for building submissions.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The limits of a build.
    pub limits: BuildLimits,
    /// The level of the sandbox.
    pub level: SandboxLevel,
    /// A flag that any thread may set to stop the build.
    pub stop: Option<Arc<AtomicBool>>,
}

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Built {
    /// The build has succeeded.
    Done,
    /// The build has failed for this reason: one line.
    Failed(String),
    /// The build has failed, and this is the first error that it has printed: one line.
    Complained(String),
    /// The build has failed because the system lacks this.
    Lacks(Lack),
    /// The build was stopped by the flag in the options.
    Stopped,
}

/// Runs a shell command in `folder`, a folder below `root`, for at most `time`. The build may change everything below
/// `root`. Its output is appended to `log`.
///
/// # Errors
///
/// Returns the reason why the system cannot run the build, which is not the fault of the submission.
pub(crate) fn build(
    root: &Path,
    folder: &Path,
    line: &str,
    log: &Path,
    options: &BuildOptions,
    time: Duration,
) -> Result<Built, String> {
    let cannot = |error: io::Error| error.to_string();
    let BuildLimits { memory, output, processes, .. } = options.limits;
    let limits = ProcessLimits { memory, output, processes, ..ProcessLimits::default() };
    let policy = SandboxPolicy {
        limits,
        level: options.level,
        workshop: Some(root.to_owned()),
        log: Some(log.to_owned()),
        stop: options.stop.clone(),
        ..SandboxPolicy::default()
    };
    let place = Path::new(".").join(folder);
    let place = place.to_str().ok_or("expected a path in UTF-8")?;
    // A sandbox shows the files of the host that words name. No word is text of the submission alone: the
    // script has text around the command, and `place` begins with `./`.
    let script = format!("exec 1>&2; cd \"$1\" && {{ {line}\n}}");
    // A shell begins its own complaints with the word after the script.
    let words = ["sh", "-c", &script, "sh", place].map(str::to_owned).to_vec();
    // The build before this one may have made folders that lead too deep.
    match fits(root, output.as_u64()) {
        Ok(true) => {}
        Ok(false) => {
            let why = format!("it is larger than the {output} that a build may use");
            return Ok(Built::Failed(why));
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            return Ok(Built::Failed(TOO_LONG.to_owned()));
        }
        Err(error) => return Err(cannot(error)),
    }
    let run = || Sandbox::run_once(Launch::new(words.clone(), None), &policy, time).map_err(cannot);
    let mut ran = {
        let _others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
        run()
    };
    for _ in 1..TRIES {
        // The system may lack room for several builds at a time.
        if !matches!(ran, Err(_) | Ok((ProcessEnd::Lost | ProcessEnd::Starved(_), _)))
            || policy.is_stopped()
        {
            break;
        }
        let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
        ran = run();
    }
    let (end, left) = ran?;
    let why = match end {
        ProcessEnd::Exit(0) => return Ok(Built::Done),
        ProcessEnd::Dismissed => return Ok(Built::Stopped),
        ProcessEnd::System(why) | ProcessEnd::NotStarted(why) => return Err(why),
        ProcessEnd::Lost | ProcessEnd::Starved(_) => {
            return Err("the computer is too busy to build it".to_owned());
        }
        ProcessEnd::Exit(code) => {
            let printed = String::from_utf8_lossy(&left.errors);
            // Another tool may print such words for any reason.
            let missing = missing_crate(&printed).filter(|_| line.contains(CARGO_BUILD));
            // A stranger chose the number of the files, and of the lines.
            let own = LazyCell::new(|| -> HashSet<OsString> {
                let files = files(root).unwrap_or_default();
                files.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect()
            });
            let is_there = |name: &str| {
                own.contains(OsStr::new(name)) || finds_program(name, options.level, &[])
            };
            let is_absent = code == NOT_FOUND || printed.contains(NOT_FOUND_BY_MAKE);
            let tool = || missing_tool(&printed, |name| !is_absent || is_there(name));
            let lack = missing.map(Lack::Crate).or_else(tool);
            if let Some(lack) = lack {
                return Ok(Built::Lacks(lack));
            }
            let complaint = first_complaint(&printed);
            if !complaint.is_empty() {
                return Ok(Built::Complained(complaint));
            }
            format!("exit code {code}")
        }
        // Of a build, all that it leaves is limited.
        ProcessEnd::OutputLimit => format!(
            "it makes more than a build may: {output}, {MOST_FILES} files, paths of {LONGEST_PATH} bytes"
        ),
        // The text is that of a player that exceeds the same limit.
        end => {
            let meter = Meter::new(&policy);
            meter.failure(&end, &meter.budget(Some(time))).to_string()
        }
    };
    Ok(Built::Failed(why))
}

/// Returns true if the files of a folder, each in whole pages, fit into the room of a build.
///
/// # Errors
///
/// Returns an error of the kind [`InvalidFilename`](io::ErrorKind::InvalidFilename) if a path is too long for a build,
/// and the error of the OS if the folder cannot be read.
fn fits(root: &Path, room: u64) -> io::Result<bool> {
    const PAGE: u64 = 4096;
    let mut left = Some(room);
    let mut pending = vec![root.to_owned()];
    let mut count = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let found = entry.metadata()?;
            let path = entry.path();
            if path.strip_prefix(root).is_ok_and(|path| path.as_os_str().len() > LONGEST_PATH) {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            count += 1;
            let size = if found.is_file() { found.len() } else { 0 };
            left = left.and_then(|left| left.checked_sub(size.next_multiple_of(PAGE)));
            if left.is_none() || count > MOST_FILES {
                return Ok(false);
            }
            if found.is_dir() {
                pending.push(path);
            }
        }
    }
    Ok(true)
}

/// The headers of the standard that the headers of some compilers include, so that programs leave them out. None of
/// them is an error in an old version of C++.
const CPP_HEADERS: &[&str] = &[
    "algorithm",
    "cfloat",
    "climits",
    "cmath",
    "stdint.h",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "limits",
    "string",
];
const C_HEADERS: &[&str] =
    &["float.h", "limits.h", "math.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h"];

/// Returns the options of a compiler that include the headers of the standard.
pub(crate) fn inclusions(language: Language) -> String {
    let headers = if language == Language::C { C_HEADERS } else { CPP_HEADERS };
    headers.iter().map(|name| format!(" -include {name}")).collect()
}

/// The doubt about a program that is built with headers that it does not include.
pub(crate) const NOT_INCLUDED: &str =
    "it does not include all headers of the standard that it uses, and is built with them";

/// Returns the recipe for a submission that consists of sources only. With `is_built`, the build is over: C,
/// C++ and Rust then have no recipe.
pub(crate) fn by_language(
    submission: Submission<'_>,
    folder: &Path,
    is_built: bool,
) -> Option<Recipe> {
    let entries = Language::ALL.into_iter().flat_map(|language| {
        let found = submission.entries(folder, language);
        found.into_iter().map(move |file| (language, file))
    });
    let mut entries: Vec<(Language, &PathBuf)> = entries.collect();
    let is_called = |file: &Path| submission.is_called_program(file);
    entries.sort_by_key(|(_, file)| !is_called(file));
    let &(language, entry) = entries.first()?;
    let equal = entries.iter().filter(|(_, file)| is_called(file) == is_called(entry));
    let equal: Vec<&Path> = equal.map(|(_, file)| file.as_path()).collect();
    let doubt = doubt(&equal, "programs", "`start`");
    let name = word(Path::new(entry.file_name()?));
    let recipe = match language {
        Language::Java => java(submission, entry),
        Language::Cpp | Language::C | Language::Rust if is_built => return None,
        // An assignment says `g++ -o`: optimized, a program that reads beyond an array or does not return a value may
        // fail here, and never where its author has tried it.
        Language::Cpp => {
            native(submission, entry, language, "g++", &[" -std=gnu++17", " -std=gnu++20"])
        }
        Language::C => native(submission, entry, language, "gcc", &[""]),
        Language::Rust => {
            let build = format!("rustc -O -o {OWN} {name}");
            plain(entry, language, &build, &format!("./{OWN}"), "rustc")
        }
        Language::Python => {
            let imports = PythonImports::of(submission, entry);
            let below = |script: &PathBuf| Some(word(script.strip_prefix(&imports.top).ok()?));
            let all = imports.scripts.iter().filter_map(below).collect::<Vec<_>>().join(" ");
            // As a part of a package, a script is started by the names of its folders.
            let name = match entry.with_extension("").strip_prefix(&imports.top) {
                Ok(module) if module.iter().count() > 1 => {
                    let parts: Vec<_> = module.iter().map(|part| part.to_string_lossy()).collect();
                    format!("-m {}", parts.join("."))
                }
                _ => name,
            };
            let recipe = if imports.is_python2(submission) {
                old_python(entry, &name, &all)
            } else {
                // Without this check, a Python that cannot parse a script would fail only in a game.
                let check = format!("PYTHONPYCACHEPREFIX=\"$TMPDIR\" python3 -m py_compile {all}");
                plain(entry, language, &check, &format!("python3 {name}"), "python3")
            };
            let folder = imports.top.clone();
            Recipe { modules: imports.others.into_iter().collect(), folder, ..recipe }
        }
        Language::JavaScript => {
            let recipe = plain(entry, language, "", &format!("node {name}"), "node");
            Recipe { modules: packages(submission, entry), ..recipe }
        }
    };
    Some(Recipe { doubt, ..recipe })
}

fn plain(entry: &Path, language: Language, build: &str, start: &str, tool: &'static str) -> Recipe {
    Recipe {
        language: language.name().to_owned(),
        folder: folder_of(entry).to_owned(),
        build: build.to_owned(),
        start: Some(start.to_owned()),
        tools: vec![tool],
        ..Recipe::default()
    }
}

/// Returns the recipe for a script in Python 2, which needs a program of this system that runs it.
fn old_python(entry: &Path, name: &str, all: &str) -> Recipe {
    const CHECK: &str =
        "import sys; [compile(open(name).read(), name, \"exec\") for name in sys.argv[1:]]";
    let python = python2().unwrap_or(NO_PYTHON2);
    let build = format!("{python} -c '{CHECK}' {all}");
    plain(entry, Language::Python, &build, &format!("{python} {name}"), python)
}

/// The command by which crates are built, here and in overrides.
const CARGO_BUILD: &str = "cargo build";

/// Returns the command for `cargo`. A crate may need the configuration beside it; but if this is for the author's
/// computer, such as a compiler or a target of Windows, the build fails, and a second one does without it: `cargo`
/// reads it only from the folder where it starts. Only the errors of the first one are told, because the second one may
/// lack the crates.
pub(crate) fn cargo_build(submission: Submission<'_>, folder: &Path) -> String {
    let is_read = |file: &&PathBuf| {
        let above = [".cargo/config.toml", ".cargo/config"].iter().any(|it| file.ends_with(it));
        above && file.ancestors().nth(2).is_some_and(|place| folder.starts_with(place))
    };
    let build = format!("{CARGO_BUILD} --release --offline");
    if !submission.files.iter().any(|file| is_read(&file)) {
        return build;
    }
    format!(
        "{build} || (own=\"$PWD\" && cd \"$TMPDIR\" && \
         {build} --manifest-path \"$own/{CARGO}\" 2>/dev/null)"
    )
}

/// Returns the recipe for all sources of a folder as one program, without the other sources that have a
/// `main`. If they do not compile, the later of the `standards`, the sources of [`NativeParts`], and headers that the
/// program may have left out are tried.
fn native(
    submission: Submission<'_>,
    entry: &Path,
    language: Language,
    tool: &'static str,
    standards: &[&str],
) -> Recipe {
    let folder = folder_of(entry);
    let is_source = |file: &&PathBuf| file.as_path() == entry || Language::is_of_c(file);
    let sources = submission.in_folder(folder).filter(is_source);
    let sources = sources.map(|file| (file, submission.text(file)));
    let is_part = |(file, text): &(&PathBuf, String)| *file == entry || !language.is_entry(text);
    let sources: Vec<(&PathBuf, String)> = sources.filter(is_part).collect();
    let included: HashSet<&OsStr> =
        sources.iter().flat_map(|(_, text)| included(text)).filter_map(Path::file_name).collect();
    let names: Vec<&OsStr> = sources.iter().filter_map(|(file, _)| file.file_name()).collect();
    let own = entry.file_name();
    let with = |compiler: &str, is_part: &dyn Fn(&OsStr) -> bool| {
        let names = names.iter().filter(|name| is_part(name));
        let names = names.map(|name| word(Path::new(name))).collect::<Vec<_>>().join(" ");
        format!("{compiler} -o {OWN} {names} -lm -pthread")
    };
    // A source that another includes is compiled with it. If another file of the folder does not compile, the program
    // may not need it; and the line that includes it may have no effect.
    let builds = |compiler: &str| {
        let mut builds =
            vec![with(compiler, &|name| Some(name) == own || !included.contains(name))];
        for build in [with(compiler, &|name| Some(name) == own), with(compiler, &|_| true)] {
            if !builds.contains(&build) {
                builds.push(build);
            }
        }
        builds.join(" || ")
    };
    let parts = NativeParts::of(submission, entry, language);
    let mut all: Vec<(String, &str)> = Vec::new();
    for (headers, doubt) in [(String::new(), ""), (inclusions(language), NOT_INCLUDED)] {
        let compilers: Vec<String> =
            standards.iter().map(|standard| format!("{tool}{standard}{headers}")).collect();
        all.extend(compilers.iter().map(|compiler| (builds(compiler), doubt)));
        if let Some(parts) = &parts {
            all.extend(compilers.iter().map(|compiler| (parts.build(compiler), doubt)));
        }
    }
    let (build, _) = all.remove(0);
    let recipe = plain(entry, language, &build, &format!("./{OWN}"), tool);
    Recipe { other_builds: all, ..recipe }
}

/// The parts of a program in C or C++ whose files are in several folders: its sources and the folders of its headers,
/// as seen from the folder of the program. The project files of development environments are not read.
struct NativeParts {
    sources: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl NativeParts {
    /// The greatest number of files.
    const MOST: usize = 200;
    /// The greatest number of files that a file includes, which a stranger chose.
    const MOST_INCLUDED: usize = 500;

    /// Returns the parts of the program that begins in `entry`: the headers that it includes, the sources with the
    /// names of these, and so on. `None` if all of them are in the folder of the program.
    fn of(submission: Submission<'_>, entry: &Path, language: Language) -> Option<NativeParts> {
        let folder = folder_of(entry);
        let is_part =
            |file: &&PathBuf| (Language::is_of_c(file) || is_header(file)) && !is_of_others(file);
        let all: Vec<&PathBuf> = submission.files.iter().filter(is_part).collect();
        // The texts need not be read for this.
        if all.iter().all(|file| file.parent() == Some(folder)) {
            return None;
        }
        // The first of a name is the nearest to the top.
        let mut by_name: HashMap<(Option<&Path>, &OsStr), &Path> = HashMap::new();
        let mut by_stem: HashMap<(Option<&Path>, &OsStr), &Path> = HashMap::new();
        for file in &all {
            for folder in [file.parent(), None] {
                by_name.entry((folder, file.file_name()?)).or_insert(file);
                if Language::is_of_c(file) {
                    by_stem.entry((folder, file.file_stem()?)).or_insert(file);
                }
            }
        }
        let mut parts = NativeParts { sources: BTreeSet::new(), folders: BTreeSet::new() };
        let (mut files, mut seen, mut next) = (vec![entry], HashSet::from([entry]), 0);
        while let Some(&file) = files.get(next).filter(|_| next < NativeParts::MOST) {
            next += 1;
            let text = submission.text(file);
            let beside = folder_of(file);
            if Language::is_of_c(file) {
                if file != entry && language.is_entry(&text) {
                    continue;
                }
                parts.sources.insert(path_from(folder, file));
            }
            let mut found = Vec::new();
            for name in included(&text).take(NativeParts::MOST_INCLUDED) {
                let Some(part) = name.file_name().and_then(|it| nearest(&by_name, beside, it))
                else {
                    continue;
                };
                let above = part.ancestors().nth(name.components().count());
                let place = above.filter(|_| part.ends_with(name)).or(part.parent());
                parts.folders.insert(path_from(folder, place.unwrap_or(Path::new(""))));
                found.push(part);
            }
            let own = file.file_stem().filter(|_| is_header(file));
            found.extend(own.and_then(|stem| nearest(&by_stem, beside, stem)));
            files.extend(found.into_iter().filter(|part| seen.insert(*part)));
        }
        let is_outside =
            |path: &PathBuf| path.parent().is_some_and(|it| !it.as_os_str().is_empty());
        let is_elsewhere = |place: &PathBuf| !place.as_os_str().is_empty();
        let has_others =
            parts.sources.iter().any(is_outside) || parts.folders.iter().any(is_elsewhere);
        has_others.then_some(parts)
    }

    fn build(&self, compiler: &str) -> String {
        let folders: String = self.folders.iter().map(|it| format!(" -I{}", word(it))).collect();
        let sources: Vec<String> = self.sources.iter().map(|it| word(it)).collect();
        format!("{compiler}{folders} -o {OWN} {} -lm -pthread", sources.join(" "))
    }
}

/// Returns the file of a name that lies in a folder, or else the nearest to the top, which has no folder as its key.
fn nearest<'a, 'k>(
    all: &HashMap<(Option<&'k Path>, &'k OsStr), &'a Path>,
    beside: &'k Path,
    name: &'k OsStr,
) -> Option<&'a Path> {
    all.get(&(Some(beside), name)).or_else(|| all.get(&(None, name))).copied()
}

/// The greatest length of a reported line, in characters.
pub(crate) const LONGEST_ERROR: usize = 200;

/// The beginnings of the lines by which Python reports an error.
const PYTHON: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];

/// Returns the first error in the output of a compiler, as one line; empty if there is no output.
fn first_complaint(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        line.contains("error") || line.contains("undefined reference")
    };
    let at = lines.iter().position(is_error);
    let line = at.or(lines.len().checked_sub(1)).map_or("", |at| lines[at]).trim();
    // CMake writes the reason in the line below.
    let below = at.filter(|_| line.starts_with("CMake Error") && line.ends_with("):"));
    let below =
        below.and_then(|at| lines.get(at + 1)).map(|below| format!("{line} {}", below.trim()));
    let line = below.as_deref().unwrap_or(line);
    let fault = java_fault(printed).filter(|_| line.contains(".java:"));
    let line = fault.as_deref().unwrap_or(line);
    let line = match at.filter(|_| PYTHON.iter().any(|start| line.starts_with(start))) {
        Some(at) => {
            lines[..at].iter().rev().find_map(|line| python_place(line)).unwrap_or_default() + line
        }
        None => line.to_owned(),
    };
    // A source can make a compiler print characters that a terminal would obey.
    let line = shown(&line);
    let short = cut(&line, LONGEST_ERROR);
    short.trim_start_matches("./").to_owned()
}

/// Returns the name of the crate that `cargo` has looked for in vain, since it has no network. A crate in a folder that
/// is missing is the student's fault.
fn missing_crate(printed: &str) -> Option<String> {
    let is_cut_off = ["no matching package named", "offline mode", "--offline was specified"];
    if !is_cut_off.iter().any(|sign| printed.contains(sign)) {
        return None;
    }
    let signs = ["no matching package named `", "failed to get `", "failed to download `"];
    let rest = signs.iter().find_map(|sign| Some(printed.split_once(sign)?.1))?;
    let name = rest.split(['`', ' ']).next().filter(|name| !name.is_empty())?;
    Some(excerpt(name))
}

/// The exit code of a shell that does not find a program, and the words of `make` about it.
const NOT_FOUND: i32 = 127;
const NOT_FOUND_BY_MAKE: &str = "Error 127";

/// The greatest number of names in the output of a build that may be those of missing programs.
const MOST_NAMES: usize = 100;

/// Commands of Windows in makefiles.
const OF_WINDOWS: [&str; 9] =
    ["cl", "cls", "copy", "del", "erase", "move", "pause", "ren", "xcopy"];

/// Returns the program that a build has looked for in vain, by the name that a shell or `make` reports, or the program
/// of which it needs a newer version. `is_there` returns true for a program that the system or the submission has.
fn missing_tool(printed: &str, is_there: impl Fn(&str) -> bool) -> Option<Lack> {
    let newer = |line: &str| {
        let is_of_cmake =
            line.trim().starts_with("CMake ") && line.contains(" or higher is required.");
        let is_of_rust = line.starts_with("error: rustc ")
            && line.contains(" is not supported by the following package");
        let found = [("cmake", is_of_cmake), ("rustc", is_of_rust)].into_iter().find(|it| it.1);
        found.map(|(name, _)| Lack::Newer(name.to_owned()))
    };
    // `make: clang++: No such file or directory`, `/bin/sh: 1: ant: not found`, or
    // `run.sh: line 3: ant: command not found`.
    let mut seen = HashSet::new();
    let mut absent = |line: &str| {
        let (start, end) = line.trim_end().rsplit_once(": ")?;
        let is_shell = ["not found", "command not found"].contains(&end);
        let is_make = end == "No such file or directory" && start.starts_with("make");
        let name = start.rsplit(": ").next().filter(|_| is_shell || is_make)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let is_name =
            name.chars().all(is_plain) && name.contains(|c: char| c.is_ascii_alphabetic());
        let mut is_new = || seen.len() < MOST_NAMES && seen.insert(name.to_owned());
        (is_name && !OF_WINDOWS.contains(&name) && is_new() && !is_there(name))
            .then(|| Lack::Program(excerpt(name)))
    };
    printed.lines().find_map(|line| newer(line).or_else(|| absent(line)))
}

/// The headers of Windows and of its compiler that programs of students include.
const WINDOWS: [&str; 7] =
    ["conio.h", "direct.h", "io.h", "process.h", "sdkddkver.h", "tchar.h", "windows.h"];

/// The headers that Visual Studio makes for a project, which are handed in with it.
const OF_PROJECT: [&str; 2] = ["pch.h", "stdafx.h"];

/// Returns the words about a complaint that a header of Windows, or of a project there, is missing; empty for others.
pub(crate) fn for_windows(complaint: &str) -> &'static str {
    let header = complaint.split_once("fatal error: ").map_or("", |it| it.1);
    // Some compilers quote it.
    let header = header.trim_start_matches('\'').split([':', '\'']).next().unwrap_or_default();
    let header = header.to_lowercase();
    if WINDOWS.contains(&&*header) {
        return "; only Windows has this header: ask for a program without it, or replace it in \
                `build` of --override";
    }
    if OF_PROJECT.contains(&&*header) {
        return "; this header is a file of the student's project in Visual Studio: ask for it, or \
                make an empty one in `build` of --override";
    }
    ""
}

/// Returns the place in `File "./play.py", line 3` as other compilers write it.
fn python_place(line: &str) -> Option<String> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once('"')?;
    let number: String =
        rest.strip_prefix(", line ")?.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{file}:{number}: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_that_needs_a_network_is_told() {
        let named = "error: no matching package named `rand` found\n\
                     you're using offline mode (--offline)\n";
        assert_eq!(missing_crate(named).as_deref(), Some("rand"));
        let part = "error: failed to get `foo` as a dependency of package `a v0.1.0`\nCaused by:\n";
        let of_git =
            format!("{part}  can't checkout from 'https://x': you are in the offline mode\n");
        assert_eq!(missing_crate(&of_git).as_deref(), Some("foo"));
        let of_folder = format!("{part}  failed to read `/sandbox/foo/Cargo.toml`\n");
        assert_eq!(missing_crate(&of_folder), None);
    }

    #[test]
    fn tool_that_the_system_lacks_is_told() {
        let missing = |printed: &str| missing_tool(printed, |name| ["gcc", "own"].contains(&name));
        let program = |name: &str| Some(Lack::Program(name.to_owned()));
        let newer = |name: &str| Some(Lack::Newer(name.to_owned()));
        for (printed, lack) in [
            ("make: clang++: No such file or directory\n", program("clang++")),
            ("/bin/sh: 1: ant: not found\n", program("ant")),
            ("./build.sh: line 3: mvn: command not found\n", program("mvn")),
            ("error: rustc 1.95.0 is not supported by the following package:\n", newer("rustc")),
            (
                "CMake Error at a:1 (x):\n  CMake 3.30 or higher is required.  You are running 3.25\n",
                newer("cmake"),
            ),
            // A file of the submission, a tool that is there, and a command of Windows.
            ("make: ./run: No such file or directory\n", None),
            ("make: own: No such file or directory\n", None),
            ("/bin/sh: 1: gcc: not found\n", None),
            ("/bin/sh: 1: del: not found\n", None),
            ("a.c:1:10: fatal error: x.h: No such file or directory\n", None),
        ] {
            assert_eq!(missing(printed), lack, "{printed}");
        }
    }

    #[test]
    fn header_of_windows_is_told() {
        let missing = |header: &str| format!("a.cpp:1:10: fatal error: {header}: No such file");
        assert!(for_windows(&missing("Windows.h")).contains("only Windows has this header"));
        let of_clang = "a.cpp:1:10: fatal error: 'conio.h' file not found";
        assert!(for_windows(of_clang).contains("only Windows has this header"));
        for header in ["pch.h", "StdAfx.h"] {
            assert!(for_windows(&missing(header)).contains("ask for it"), "{header}");
        }
        assert_eq!(for_windows(&missing("board.h")), "");
    }

    #[test]
    fn first_error_is_told() {
        let no_class = "./A.java:1: error: cannot find symbol\n  symbol:   class B\n1 error\n";
        let public =
            "b.java:2: error: class B is public, should be declared in a file named B.java";
        for (printed, line) in [
            (
                "$ make\ng++ -c a.cpp\na.cpp:3:5: error: 'x'\nmake: *** [all] Error 1\n",
                "a.cpp:3:5: error: 'x'",
            ),
            ("./A.java:1: error: no\n  class\n1 error\n", "A.java:1: error: no"),
            (no_class, "A.java:1: error: cannot find symbol: class B"),
            (&format!("{no_class}./{public}\n1 error\n"), public),
            (
                &[no_class, &no_class.replace("java:1", "java:9").replace("class B", "class C")]
                    .concat(),
                "A.java:9: error: cannot find symbol: class C",
            ),
            (
                "  File \"./play.py\", line 3\n    print \"x\"\n    ^\nSyntaxError: Missing parentheses\n",
                "play.py:3: SyntaxError: Missing parentheses",
            ),
            (
                "CMake Error at CMakeLists.txt:1 (find_package):\n  Could not find X.\n",
                "CMake Error at CMakeLists.txt:1 (find_package): Could not find X.",
            ),
            ("nothing\nto do \x1b[31m\n\n", r"to do \u{1b}[31m"),
            ("", ""),
        ] {
            assert_eq!(first_complaint(printed), line);
        }
        assert_eq!(first_complaint(&"error ".repeat(100)).len(), LONGEST_ERROR + 3);
    }
}

//! The build of a submission in a sandbox, because the build is a stranger's code; the commands and the
//! errors of compilers; and the version of Python that a script needs.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;
use std::{fs, io};

use plyground_arena::programs::place_of_program;
use plyground_durable::quantities::size_text;
use plyground_durable::shown;
use plyground_sandbox::{
    ByteSize, Launch, ProcessEnd, ProcessLimits, Sandbox, SandboxLevel, SandboxPolicy,
};
use serde::Serialize;

use crate::submissions::files::Language;
use crate::submissions::recipe::{Recipe, Submission, doubt, relative, word};

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
    /// The wall time.
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
    /// The build was stopped by the flag in the options.
    Stopped,
}

/// The reason why the system cannot run a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotRun(pub(crate) String);

/// Runs a shell command in `folder`, a folder below `root`. The build may change everything below `root`. Its
/// output is appended to `log`.
///
/// # Errors
///
/// Returns an error if the system cannot run the build, which is not the fault of the submission.
pub(crate) fn build(
    root: &Path,
    folder: &Path,
    line: &str,
    log: &Path,
    options: &BuildOptions,
) -> Result<Built, CannotRun> {
    let cannot = |error: std::io::Error| CannotRun(error.to_string());
    let BuildLimits { time, memory, output, processes } = options.limits;
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
    let place = place.to_str().ok_or_else(|| CannotRun("expected a path in UTF-8".to_owned()))?;
    // A sandbox shows the files of the host that words name. No word is text of the submission alone: the
    // script has text around the command, and `place` begins with `./`.
    let script = format!("exec 1>&2; cd \"$1\" && {{ {line}\n}}");
    // A shell begins its own complaints with the word after the script.
    let words = ["sh", "-c", &script, "sh", place].map(str::to_owned).to_vec();
    if !fits(root, output.as_u64()).map_err(cannot)? {
        let why = format!("it is larger than the {output} that a build may use");
        return Ok(Built::Failed(why));
    }
    let run = || Sandbox::run_once(Launch::new(words.clone(), None), &policy, time).map_err(cannot);
    let mut ran = {
        let _others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
        run()?
    };
    for _ in 1..TRIES {
        if !matches!(ran.0, ProcessEnd::Lost | ProcessEnd::Starved(_)) || policy.is_stopped() {
            break;
        }
        let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
        ran = run()?;
    }
    let (end, left) = ran;
    let why = match end {
        ProcessEnd::Exit(0) => return Ok(Built::Done),
        ProcessEnd::Dismissed => return Ok(Built::Stopped),
        ProcessEnd::System(why) | ProcessEnd::NotStarted(why) => return Err(CannotRun(why)),
        ProcessEnd::Lost | ProcessEnd::Starved(_) => {
            return Err(CannotRun("the computer is too busy to build it".to_owned()));
        }
        ProcessEnd::Exit(code) => {
            let complaint = first_complaint(&String::from_utf8_lossy(&left.errors));
            if complaint.is_empty() { format!("exit code {code}") } else { complaint }
        }
        ProcessEnd::WallLimit => {
            format!("its build takes more than {}", humantime::format_duration(time))
        }
        ProcessEnd::MemoryLimit => format!("its build takes more than {memory} of memory"),
        ProcessEnd::OutputLimit => format!("its build writes more than {output}"),
        ProcessEnd::Processes => format!("its build has more than {processes} processes"),
        ProcessEnd::Signal(name) => format!("its build is ended by the signal {name}"),
        ProcessEnd::Hidden => "its build holds more than can be counted".to_owned(),
        ProcessEnd::Unreadable => "its build runs a program that it may not read".to_owned(),
        ProcessEnd::ClosedOutput | ProcessEnd::CpuLimit | ProcessEnd::NotStill => {
            "its build was ended".to_owned()
        }
    };
    Ok(Built::Failed(why))
}

/// Returns true if the files of a folder, each in whole pages, fit into the room of a build.
fn fits(root: &Path, room: u64) -> io::Result<bool> {
    const PAGE: u64 = 4096;
    let mut left = Some(room);
    let mut pending = vec![root.to_owned()];
    let mut count = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let found = entry.metadata()?;
            count += 1;
            let size = if found.is_file() { found.len() } else { 0 };
            left = left.and_then(|left| left.checked_sub(size.next_multiple_of(PAGE)));
            if left.is_none() || count > MOST_FILES {
                return Ok(false);
            }
            if found.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    Ok(true)
}

/// Returns the first of these programs that this system lacks.
pub(crate) fn missing_tool<'a>(tools: &[&'a str]) -> Option<&'a str> {
    tools.iter().copied().find(|tool| place_of_program(tool).is_none())
}

/// The name of a compiled program.
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
    let recipe = match language {
        Language::Java => java(submission, entry),
        Language::Cpp | Language::C | Language::Rust if is_built => return None,
        // An assignment says `g++ -o`: optimized, a program that reads beyond an array or does not return a value may
        // fail here, and never where its author has tried it.
        Language::Cpp => native(submission, entry, Language::Cpp, "g++ -std=gnu++17", "g++"),
        Language::C => native(submission, entry, Language::C, "gcc", "gcc"),
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
            let PythonImports { scripts, others } = PythonImports::of(submission, entry);
            let below = |script: &PathBuf| Some(word(&relative(script, entry.parent()?)?));
            let all = scripts.iter().filter_map(below).collect::<Vec<_>>().join(" ");
            let is_old = OLD_MODULES.iter().any(|module| others.contains(*module))
                || scripts.iter().any(|script| is_python2(&submission.text(script)));
            let recipe = if is_old {
                old_python(entry, &name, &all)
            } else {
                // Without this check, a Python that cannot parse a script would fail only in a game.
                let check = "PYTHONPYCACHEPREFIX=\"$TMPDIR\" python3 -m py_compile";
                plain(
                    entry,
                    language,
                    &format!("{check} {all}"),
                    &format!("python3 {name}"),
                    "python3",
                )
            };
            Recipe { modules: others.into_iter().collect(), ..recipe }
        }
        Language::JavaScript => {
            let name = word(Path::new(entry.file_name()?));
            plain(entry, language, "", &format!("node {name}"), "node")
        }
    };
    Some(Recipe { doubt, ..recipe })
}

fn plain(entry: &Path, language: Language, build: &str, start: &str, tool: &'static str) -> Recipe {
    Recipe {
        language: language.name().to_owned(),
        folder: entry.parent().unwrap_or(Path::new("")).to_owned(),
        build: build.to_owned(),
        start: Some(start.to_owned()),
        is_player: false,
        tools: vec![tool],
        modules: Vec::new(),
        doubt: String::new(),
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

/// The greatest number of modules that are looked for.
const MOST_MODULES: usize = 100;

/// The word before the name of a module that the system lacks, in the output of the check.
const LACKS: &str = "lacks ";

impl Recipe {
    /// Returns the line for a shell that looks for the modules of Python without running them; empty if there
    /// is nothing to look for.
    pub(crate) fn modules_check(&self) -> String {
        let Some(python) = self.tools.first().filter(|_| !self.modules.is_empty()) else {
            return String::new();
        };
        let find = match *python {
            "python3" => "import sys, importlib.util as u; f = u.find_spec",
            _ => "import sys, pkgutil; f = pkgutil.find_loader",
        };
        let modules = self.modules.iter().take(MOST_MODULES).map(|name| quoted(name));
        let modules = modules.collect::<Vec<_>>().join(" ");
        // In the folder of the submission, its files would take the place of the modules of the check.
        format!(
            "cd \"$TMPDIR\" && {python} -c '{find}; \
             m = [n for n in sys.argv[1:] if n != \"__main__\" and f(n) is None]; \
             m and sys.exit(\"{LACKS}\" + m[0])' {modules}"
        )
    }
}

/// Returns the module that the system lacks, as the check has said it.
pub(crate) fn missing_module(said: &str) -> Option<String> {
    said.strip_prefix(LACKS).map(str::to_owned)
}

/// Returns the recipe for a class with a `main`, or for a class that plays. The build also compiles the
/// classes that the class needs. The folder of the recipe is the root of its package.
pub(crate) fn java(submission: Submission<'_>, entry: &Path) -> Recipe {
    let package = submission.sources.package(&submission.root.join(entry));
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
    let has_other_encoding = sources
        .map(|file| submission.root.join(file))
        .any(|file| !submission.sources.is_utf8(&file));
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
        // classes, because the compiler finds a class in a file of another name only if the command names
        // that file.
        build: format!("{compiler} {} || {compiler} {}/*.java", word(&file), word(&place)),
        start: Some(format!("java -cp {path} {}", quoted(&class))),
        is_player: false,
        tools: vec!["javac", "java"],
        modules: Vec::new(),
        doubt: String::new(),
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
                && !language.is_entry(&submission.text(file))
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

/// The greatest length of a reported line, in characters.
const LONGEST: usize = 200;

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
    let line = match at.filter(|_| PYTHON.iter().any(|start| line.starts_with(start))) {
        Some(at) => {
            lines[..at].iter().rev().find_map(|line| python_place(line)).unwrap_or_default() + line
        }
        None => line.to_owned(),
    };
    // A source can make a compiler print characters that a terminal would obey.
    let short: String = shown(&line).chars().take(LONGEST).collect();
    short.trim_start_matches("./").to_owned()
}

/// Returns the place in `File "./play.py", line 3` as other compilers write it.
fn python_place(line: &str) -> Option<String> {
    let (file, rest) = line.trim().strip_prefix("File \"")?.split_once('"')?;
    let number: String =
        rest.strip_prefix(", line ")?.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("{file}:{number}: "))
}

/// The name of the program that is missing if no program of this system runs Python 2.
const NO_PYTHON2: &str = "python2 or pypy";

/// The programs that may run Python 2.
const PROGRAMS: [&str; 4] = ["python2", "python2.7", "pypy", "pypy2"];

/// Returns the first program of this system that runs Python 2. A program of such a name may be a newer
/// version, or may only print how to install Python 2.
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

/// Modules that only Python 2 has.
const OLD_MODULES: [&str; 10] = [
    "ConfigParser",
    "HTMLParser",
    "Queue",
    "StringIO",
    "Tkinter",
    "__builtin__",
    "cPickle",
    "cStringIO",
    "tkMessageBox",
    "urllib2",
];

/// Returns true if a script has a statement that only Python 2 has: `print "x"`, `except E, e:` or
/// `exec "x"`.
fn is_python2(text: &str) -> bool {
    code_lines(text).any(|line| line.split(';').any(is_old_statement))
}

/// Returns the lines of a script without the lines inside of texts of several lines, which are not code.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut quotes: Option<&str> = None;
    text.lines().filter(move |line| {
        let is_within = quotes.is_some();
        let mut rest = *line;
        while let Some(at) = quotes.map_or_else(|| first_quotes(rest), |end| rest.find(end)) {
            quotes = match quotes {
                Some(_) => None,
                None => Some(if rest[at..].starts_with("\"\"\"") { "\"\"\"" } else { "'''" }),
            };
            rest = &rest[at + 3..];
        }
        !is_within
    })
}

/// The scripts of a submission that a script in Python always imports.
#[derive(Debug, Default)]
struct PythonImports {
    /// The script itself, and the imported scripts.
    scripts: Vec<PathBuf>,
    /// The imported modules that are not in the submission.
    others: BTreeSet<String>,
}

impl PythonImports {
    /// The greatest number of scripts that are read.
    const MOST: usize = 200;
    /// The greatest length of the names of all scripts, which the command of a build names.
    const LONGEST: usize = 50_000;

    /// Follows the imports that a script always makes: those in a block may depend on something, and `try`
    /// does without them.
    fn of(submission: Submission<'_>, entry: &Path) -> PythonImports {
        let files: HashSet<&Path> = submission.files.iter().map(PathBuf::as_path).collect();
        // A program may change the places of its modules, so modules of any folder count as its own.
        let names = submission.files.iter().flat_map(|file| file.components());
        let names = names.filter_map(|part| part.as_os_str().to_str()?.split('.').next());
        let own: HashSet<&str> = names.collect();
        let top = entry.parent().unwrap_or(Path::new(""));
        let mut found =
            PythonImports { scripts: vec![entry.to_owned()], ..PythonImports::default() };
        let (mut next, mut room) = (0, PythonImports::LONGEST);
        while let Some(script) = found.scripts.get(next).cloned() {
            next += 1;
            for Import { level, module, names } in imports(&submission.text(&script)) {
                let name = module.split('.').next().unwrap_or_default();
                let place = match level {
                    0 if !own.contains(name) => {
                        found.others.insert(name.to_owned());
                        continue;
                    }
                    0 => Some(top),
                    _ => script.ancestors().nth(level),
                };
                let Some(place) = place.filter(|place| place.starts_with(top)) else { continue };
                for file in places(&files, place, &module, &names) {
                    let length = file.as_os_str().len();
                    let is_new = !found.scripts.contains(&file);
                    if is_new && length < room && found.scripts.len() < PythonImports::MOST {
                        room -= length;
                        found.scripts.push(file);
                    }
                }
            }
        }
        found
    }
}

/// An `import` of Python.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    /// The number of dots before the module, for a module beside the script or above.
    level: usize,
    /// The module, with its packages.
    module: String,
    /// The names that are imported from it, which may be modules.
    names: Vec<String>,
}

/// Returns the imports of a script outside of all blocks.
fn imports(text: &str) -> Vec<Import> {
    let is_name = |name: &str| {
        name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
    let (mut found, mut goes_on) = (Vec::new(), false);
    for line in code_lines(text) {
        let is_rest = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        let line = line.split(['#', ';', '\\']).next().unwrap_or_default();
        if is_rest {
            continue;
        }
        if let Some(modules) = line.strip_prefix("import ") {
            let modules = modules.split(',').map(first).filter(|module| is_name(module));
            found.extend(modules.map(|module| Import { level: 0, module, names: Vec::new() }));
        } else if let Some((module, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
        {
            let below = module.trim().trim_start_matches('.');
            let level = module.trim().len() - below.len();
            let names = names.trim_start_matches([' ', '(']).split([',', ')']).map(first);
            let names = names.filter(|name| is_name(name)).collect();
            if is_name(below) || level > 0 && below.is_empty() {
                found.push(Import { level, module: below.to_owned(), names });
            }
        }
    }
    found
}

/// Returns the files that the import of a module below a folder runs.
fn places(files: &HashSet<&Path>, folder: &Path, module: &str, names: &[String]) -> Vec<PathBuf> {
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

/// Returns the place of the first three quotes that are not in a comment. The search stops there, because a
/// line may have a hundred thousand such quotes.
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

    #[test]
    fn first_error_is_told() {
        for (printed, line) in [
            (
                "$ make\ng++ -c a.cpp\na.cpp:3:5: error: 'x'\nmake: *** [all] Error 1\n",
                "a.cpp:3:5: error: 'x'",
            ),
            ("./A.java:1: error: no\n  class\n1 error\n", "A.java:1: error: no"),
            (
                "  File \"./play.py\", line 3\n    print \"x\"\n    ^\nSyntaxError: Missing parentheses\n",
                "play.py:3: SyntaxError: Missing parentheses",
            ),
            ("nothing\nto do \x1b[31m\n\n", r"to do \u{1b}[31m"),
            ("", ""),
        ] {
            assert_eq!(first_complaint(printed), line);
        }
        assert_eq!(first_complaint(&"error ".repeat(100)).len(), LONGEST);
    }

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
        assert_eq!(
            code_lines("a\n\"\"\"b\nc\n\"\"\"\nd").collect::<Vec<_>>(),
            ["a", "\"\"\"b", "d"]
        );
        // An earlier version searched the rest of the line again for every three quotes.
        let quotes = "\"\"\"".repeat(300_000);
        assert!(!is_python2(&quotes) && is_python2(&format!("{quotes}\nprint 'usage'")));
    }
}

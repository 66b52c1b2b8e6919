//! The scripts and modules that a script in Python or JavaScript takes in, and the version of Python that it needs.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use plyground_arena::programs::place_of_program;
use plyground_durable::excerpt;
use plyground_host::external::Lack;

use crate::submissions::file_kind::{Language, code_lines, end_of, folder_of, is_of_name, stem_of};
use crate::submissions::files::{files, is_of_others};
use crate::submissions::packages::{Import, LONGEST_NAME, MOST_MODULES, imports, places, top_of};
use crate::submissions::recipe::{Recipe, Submission, has_word, quoted};

/// The name of the program that is missing if no program of this system runs Python 2.
pub(crate) const NO_PYTHON2: &str = "python2 or pypy";

/// The programs that run Python, and may be the tool of a recipe. All but the first may run Python 2.
const PYTHONS: [&str; 5] = ["python3", "python2", "python2.7", "pypy", "pypy2"];

/// Returns the first program of this system that runs Python 2. A program of such a name may be a newer
/// version, or may only print how to install Python 2.
pub(crate) fn python2() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        PYTHONS.into_iter().skip(1).find(|program| {
            let Some(place) = place_of_program(program) else { return false };
            let mut command = Command::new(place);
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

/// Names of Python 2 without which a search fails in Python 3. Names that only a dialog with a person needs, such as
/// `raw_input`, are not among them: a program may do without one.
const OLD_NAMES: [&str; 4] = ["xrange(", ".has_key(", ".iteritems(", "sys.maxint"];

/// Parts of scripts that Python 2 cannot run, and of scripts that run in both versions.
const NEW_PARTS: [&str; 14] = [
    "end=",
    "f\"",
    "f'",
    "nonlocal ",
    "NameError",
    "AttributeError",
    "except:",
    "sys.version",
    "def xrange",
    "xrange =",
    "as xrange",
    "import xrange",
    "def has_key",
    "def iteritems",
];

/// Returns true if a script is in Python 2 alone: it has a statement such as `print "x"`, `except E, e:` or `exec "x"`,
/// or its first line or a name says so and nothing is of Python 3.
fn is_python2(text: &str) -> bool {
    let said = text.lines().next().is_some_and(|line| {
        line.starts_with("#!") && line.contains("python2") && !line.contains("python3")
    });
    let has = |line: &str, part: &str| {
        line.match_indices(part)
            .any(|(at, _)| part.starts_with('.') || !line[..at].ends_with(is_of_name))
    };
    let code = |line: &str| {
        line.split('#').next().is_some_and(|line| OLD_NAMES.iter().any(|name| has(line, name)))
    };
    // Python 2 can print as Python 3 does.
    let prints_as_new = text.contains("__future__");
    let new = |part: &&&str| !(prints_as_new && **part == "end=");
    let is_new = |line: &str| NEW_PARTS.iter().filter(new).any(|part| has(line, part));
    code_lines(text).any(|line| line.split(';').any(is_old_statement))
        || (said || code_lines(text).any(code)) && !code_lines(text).any(is_new)
}

/// The scripts of a submission that a script in Python always imports.
#[derive(Debug, Default)]
pub(crate) struct PythonImports {
    /// The script itself, and the imported scripts.
    pub(crate) scripts: Vec<PathBuf>,
    /// The imported modules that are not in the submission.
    pub(crate) others: BTreeSet<String>,
    /// The folder in which the program starts: that of the script, or a folder above it if the script imports modules
    /// as parts of a package that it belongs to itself.
    pub(crate) top: PathBuf,
}

impl PythonImports {
    /// The greatest number of scripts that are read.
    const MOST: usize = 200;
    /// The greatest length of the names of all scripts, which the command of a build names.
    const LONGEST: usize = 50_000;

    /// Follows the imports that a script always makes: those in a block may depend on something, and `try`
    /// does without them.
    pub(crate) fn of(submission: Submission<'_>, entry: &Path) -> PythonImports {
        let files: HashSet<&Path> = submission.files.iter().map(PathBuf::as_path).collect();
        // A program may change the places of its modules, so modules of any folder count as its own.
        let names = submission.files.iter().flat_map(|file| file.components());
        let names = names.filter_map(|part| part.as_os_str().to_str()?.split('.').next());
        let own: HashSet<&str> = names.collect();
        let mut of_entry = Some(imports(&submission.text(entry)));
        let top = &*top_of(&files, entry, of_entry.as_deref().unwrap_or_default());
        let (scripts, others) = (vec![entry.to_owned()], BTreeSet::new());
        let mut found = PythonImports { scripts, others, top: top.to_owned() };
        let (mut next, mut room) = (0, PythonImports::LONGEST);
        let mut seen = HashSet::from([entry.to_owned()]);
        while let Some(script) = found.scripts.get(next).cloned() {
            next += 1;
            let all = of_entry.take().unwrap_or_else(|| imports(&submission.text(&script)));
            for Import { level, module, names } in all {
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
                    let has_room = length < room && found.scripts.len() < PythonImports::MOST;
                    if has_room && seen.insert(file.clone()) {
                        room -= length;
                        found.scripts.push(file);
                    }
                }
            }
        }
        found
    }

    /// Returns true if the scripts need Python 2: a statement, or a module, is of no later version.
    pub(crate) fn is_python2(&self, submission: Submission<'_>) -> bool {
        OLD_MODULES.iter().any(|module| self.others.contains(*module))
            || self.scripts.iter().any(|script| is_python2(&submission.text(script)))
    }
}

/// Returns the packages that a script in JavaScript, with the scripts that it takes in, always takes in, as
/// [`PythonImports::of`] finds the modules of Python. Each such script, which begins with `./` and is seen from the
/// folder of the first one, stands before the packages that it names: Node.js looks for them from there.
pub(crate) fn packages(submission: Submission<'_>, entry: &Path) -> Vec<String> {
    let files: HashSet<&Path> = submission.files.iter().map(PathBuf::as_path).collect();
    let depth = entry.components().count() - 1;
    let top = "../".repeat(depth);
    let (mut scripts, mut next, mut found) = (vec![entry.to_owned()], 0, Vec::new());
    let mut seen = HashSet::from([entry.to_owned()]);
    // A stranger chose the number of the names and of the files.
    let mut meant = HashMap::new();
    let own = own_scripts(submission.files);
    while let Some(script) = scripts.get(next).cloned() {
        next += 1;
        let mut names = BTreeSet::new();
        let text = submission.text(&script);
        for name in required(&text) {
            if name.starts_with('.') {
                let mut place = folder_of(&script).to_owned();
                for part in name.split('/').filter(|part| *part != ".") {
                    match part {
                        // A name that leads out of the submission has no file.
                        ".." => drop(place.pop()),
                        part => place.push(part),
                    }
                }
                let place = place.to_string_lossy();
                let ends = ["", ".js", ".cjs", ".mjs", "/index.js"];
                let mut all = ends.iter().map(|end| PathBuf::from(format!("{place}{end}")));
                let file = all.find(|file| files.contains(&**file));
                let has_room = scripts.len() < PythonImports::MOST;
                scripts.extend(file.filter(|file| has_room && seen.insert(file.clone())));
                continue;
            }
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
            if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
                && name.len() <= LONGEST_NAME
                && name.chars().all(is_plain)
                && (meant.len() < MOST_MODULES || meant.contains_key(name))
            {
                let is_meant = || is_meant(&own, name);
                if !*meant.entry(name.to_owned()).or_insert_with(is_meant) {
                    names.insert(name.to_owned());
                }
            }
        }
        if !names.is_empty() {
            found.push(format!("./{top}{}", script.to_string_lossy()));
            found.extend(names);
        }
    }
    found
}

/// Returns the scripts in JavaScript among the files of a submission, without those of packages.
fn own_scripts(files: &[PathBuf]) -> Vec<PathBuf> {
    let is_script = |file: &&PathBuf| {
        let end = end_of(file);
        ["js", "cjs", "mjs", "json"].contains(&end) && !is_of_others(file)
    };
    files.iter().filter(is_script).cloned().collect()
}

/// Returns true if one of the scripts of a submission may be meant by the name of a package: its author forgot the `./`
/// before it.
fn is_meant(scripts: &[PathBuf], name: &str) -> bool {
    let inner = Path::new(name).join("index");
    let is_it = |file: &PathBuf| {
        let plain = file.with_extension("");
        file.ends_with(name) || plain.ends_with(name) || plain.ends_with(&inner)
    };
    scripts.iter().any(is_it)
}

/// The words of Python before the name of a missing module, which Python 2 does not quote.
const NO_MODULE: &str = "No module named ";

/// The words of Node.js before the name of a missing package, or of a file of the submission.
const NO_PACKAGE: [&str; 2] = ["Cannot find module '", "Cannot find package '"];

/// The words of Java about a class that was compiled for a newer version.
const OF_NEWER_JAVA: &str = "has been compiled by a more recent version of the Java Runtime";

/// Returns the package of JavaScript or the module of Python that neither this computer nor the submission has, or the
/// newer Java that this computer lacks, as one of the errors `texts` tells. `folder` has the files of the submission,
/// if they are known.
pub(crate) fn lack_told<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    folder: Option<&Path>,
) -> Option<Lack> {
    if texts.clone().any(|text| text.contains(OF_NEWER_JAVA)) {
        return Some(Lack::Newer("java".to_owned()));
    }
    let own = LazyCell::new(|| folder.and_then(|folder| files(folder).ok()).unwrap_or_default());
    let mut of_node = texts.clone().flat_map(|text| {
        NO_PACKAGE.iter().filter_map(|words| text.split_once(words)?.1.split('\'').next())
    });
    // Other names are those of files, which the student forgot, or whose `./` the student forgot.
    let is_package = |name: &&str| {
        name.starts_with(|c: char| c.is_alphanumeric() || c == '@')
            && !is_meant(&own_scripts(&own), name)
    };
    if let Some(name) = of_node.find(is_package) {
        return Some(Lack::Package(excerpt(name)));
    }
    // A module of the submission is there, and is looked for in another folder.
    let is_own = |name: &str| {
        let top = name.split('.').next().unwrap_or_default();
        let script = format!("{top}.py");
        let is_it = |part: &OsStr| part == top || part == &*script;
        own.iter().filter(|file| !is_of_others(file)).any(|file| file.iter().any(is_it))
    };
    let mut of_python = texts.filter_map(|text| {
        let name = text.split_once(NO_MODULE)?.1.trim_start_matches('\'');
        let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
        name.split(is_end).next().filter(|name| !name.is_empty() && !is_own(name))
    });
    of_python.next().map(|name| Lack::Module(excerpt(name)))
}

/// The words before a call in its line that make it depend on something.
const GUARDS: [&str; 8] = ["try", "catch", "if", "else", "for", "while", "case", "function"];

/// The longest line in which names are looked for, in bytes: a longer one was written by a tool, and the search in it
/// would take long.
const LONGEST_LINE: usize = 500;

/// The greatest number of places in a line in which a name is looked for.
const MOST_IN_A_LINE: usize = 10;

/// Returns the names of the files and packages that a script in JavaScript takes in outside of all blocks, up to
/// [`MOST_MODULES`] or a few more.
fn required(text: &str) -> Vec<&str> {
    fn in_quotes(text: &str) -> Option<&str> {
        let text = text.trim_start();
        let quote = text.chars().next().filter(|c| ['"', '\''].contains(c))?;
        Some(text[1..].split_once(quote)?.0)
    }
    /// Returns the number of open braces behind a part of a script.
    fn depth_behind(depth: usize, part: &str) -> usize {
        part.chars().fold(depth, |depth, c| match c {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        })
    }
    let is_comment_in = |part: &str| part.contains("//") || part.contains("/*");
    let is_in_text =
        |part: &str| ['"', '\'', '`'].iter().any(|it| part.matches(*it).count() % 2 > 0);
    // A brace in a text can hide what follows, but a package too many would leave a program without a grade.
    let (mut found, mut is_comment, mut is_template, mut outer) = (Vec::new(), false, false, 0);
    for line in text.lines() {
        if found.len() >= MOST_MODULES {
            break;
        }
        let (was_comment, was_template, depth) = (is_comment, is_template, outer);
        is_comment = (was_comment || line.starts_with("/*")) && !line.contains("*/");
        if was_comment {
            continue;
        }
        is_template ^= line.matches('`').count() % 2 > 0;
        outer = depth_behind(depth, line);
        let is_inner = line.starts_with(char::is_whitespace) || line.starts_with('/');
        if was_template || is_inner || line.len() > LONGEST_LINE {
            continue;
        }
        let is_now = |before: &str| depth_behind(depth, before) == 0 && !is_comment_in(before);
        let first = line.split(|c| !is_of_name(c)).next().unwrap_or_default();
        if first == "import" || first == "export" || line.starts_with('}') {
            let mut places = line.match_indices("from").take(MOST_IN_A_LINE).filter(|(at, _)| {
                let before = &line[..*at];
                !before.ends_with(is_of_name)
                    && !before.contains(['"', '\'', '`'])
                    && is_now(before)
            });
            let from = places.find_map(|(at, from)| in_quotes(&line[at + from.len()..]));
            let bare = line.strip_prefix("import").filter(|_| is_now(""));
            found.extend(from.or(bare.and_then(in_quotes)));
        }
        // What an arrow leads to runs later.
        let now = line.split("=>").next().unwrap_or_default();
        let calls = now.match_indices("require(").take(MOST_IN_A_LINE).filter(|(at, _)| {
            let before = &now[..*at];
            let is_guarded = ["?", "&&", "||"].iter().any(|sign| before.contains(sign))
                || GUARDS.iter().any(|word| has_word(before, word));
            !before.ends_with(is_of_name) && is_now(before) && !is_in_text(before) && !is_guarded
        });
        found.extend(calls.filter_map(|(at, call)| in_quotes(&now[at + call.len()..])));
    }
    found
}

fn is_old_statement(statement: &str) -> bool {
    let statement = statement.trim();
    // A statement may follow a condition in the same line.
    let after = statement.rsplit_once(": ").map_or(statement, |(_, after)| after).trim();
    let is_print = [statement, after].iter().any(|statement| {
        ["print ", "exec "].iter().any(|word| {
            let rest = statement.strip_prefix(word).map(str::trim_start).unwrap_or_default();
            rest.starts_with(['"', '\'', '>', '%']) || rest.starts_with(is_of_name)
        })
    });
    let except = statement.strip_prefix("except ").and_then(|rest| rest.strip_suffix(':'));
    let is_except = except.is_some_and(|rest| rest.contains(',') && !rest.contains(['(', ')']));
    is_print || is_except
}

/// The word before the names of the modules that the system lacks, in the output of the check.
const LACKS: &str = "lacks ";

/// The word before the names of the packages of JavaScript that are missing, in the output of the check.
const MISSES: &str = "misses ";

/// The text of the check before the name of a Python that does not start.
const STOPS: &str = "cannot start ";

impl Recipe {
    /// Returns the line for a shell that starts Python, and looks for the modules without running them, or that looks
    /// for the packages of JavaScript; empty for other languages. A Python that is there may not start: a manager of
    /// versions has its name for versions that it lacks.
    pub(crate) fn module_check(&self) -> String {
        let modules = self.modules.iter().take(MOST_MODULES).map(|name| quoted(name));
        let modules = modules.collect::<Vec<_>>().join(" ");
        if self.tools == ["node"] && !modules.is_empty() {
            return format!(
                "node -e 'let r; \
                 const lacks = n => {{ \
                 if (n[0] == \".\") {{ \
                 r = require(\"module\").createRequire(require(\"path\").resolve(n)); return }} \
                 try {{ r.resolve(n) }} catch (e) {{ return e.code == \"MODULE_NOT_FOUND\" }} }}; \
                 const name = n => n.split(\"/\", n[0] == \"@\" ? 2 : 1).join(\"/\"); \
                 const m = new Set(process.argv.slice(1).filter(lacks).map(name)); \
                 if (m.size) {{ \
                 console.error(\"{MISSES}\" + [...m].join(\" \")); process.exit(1) }}' -- {modules}"
            );
        }
        let Some(python) = self.tools.first().filter(|tool| PYTHONS.contains(tool)) else {
            return String::new();
        };
        let find = match *python {
            "python3" => "import sys, importlib.util as u; f = u.find_spec",
            _ => "import sys, pkgutil; f = pkgutil.find_loader",
        };
        // In the folder of the submission, its files would take the place of the modules of the check.
        format!(
            "cd \"$TMPDIR\" && {{ {python} -c '' 2>/dev/null || {{ echo {STOPS}{python}; exit 1; }}; }} && \
             {python} -c '{find}; \
             m = [n for n in sys.argv[1:] if n != \"__main__\" and f(n) is None]; \
             m and sys.exit(\"{LACKS}\" + \" \".join(m))' {modules}"
        )
    }
}

/// Returns the things that the system lacks, as the check has said it. If `is_cut`, the end of the line is missing.
pub(crate) fn lacks_of(said: &str, is_cut: bool) -> Vec<Lack> {
    let modules = said.strip_prefix(LACKS);
    let Some(names) = modules.or_else(|| said.strip_prefix(MISSES)) else {
        let program = said.strip_prefix(STOPS).map(|name| Lack::Program(name.to_owned()));
        return program.into_iter().collect();
    };
    // The last name may not be whole then.
    let whole = names.rsplit_once(' ').filter(|_| is_cut).map_or(names, |(whole, _)| whole);
    let lack = if modules.is_some() { Lack::Module } else { Lack::Package };
    whole.split(' ').map(|name| lack(name.to_owned())).collect()
}

/// Returns the words about a file of the submission that may be one of the missing modules under another name. Without
/// such a file, the text is empty.
pub(crate) fn namesake(submission: Submission<'_>, lacks: &[Lack]) -> String {
    let is_python = |file: &&PathBuf| Language::of(file) == Some(Language::Python);
    let found = lacks.iter().find_map(|lack| {
        let Lack::Module(module) = lack else { return None };
        let class = format!("class {module}");
        let mut files = submission.files.iter().filter(is_python);
        files.find(|file| {
            let stem = stem_of(file);
            // A browser numbers files of one name, as `board (1).py`.
            let own = stem.strip_suffix(')').and_then(|stem| stem.rsplit_once(" (")).map(|it| it.0);
            own.unwrap_or(stem).eq_ignore_ascii_case(module)
                || has_word(&submission.text(file), &class)
        })
    });
    match found {
        Some(file) => format!("; `{}` may be meant", excerpt(&file.to_string_lossy())),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::submissions::files::{SourceReader, plain_files};

    #[test]
    fn packages_are_those_that_are_always_taken_in() {
        let text = "const fs = require('fs'), ask = require(\"prompt-sync\")();\n\
                    import x, { y } from '@a/b/c';\n\
                    import './board';\n} from 'last';\nconst late = () => require('late');\n\
                    /*\nrequire('old');\n*/\n\
                    // require('older');\ntry { require('fast') } catch {}\n    require('inner');\n\
                    import 'bare';\nmy_require('no');\nrequire(name);\n";
        let expected = ["fs", "prompt-sync", "@a/b/c", "./board", "last", "bare"];
        assert_eq!(required(text), expected);
        let main = "require('./game');\nrequire('../lib/moves.js');\nrequire('fs/promises');\n";
        let game = "import c from 'chalk';\nrequire('../main');\nrequire('./gone');\n";
        let moves = "require('@scope/x/y');\nrequire('../../../out');\nrequire('node:fs');\n";
        let tree = [("src/main.js", main), ("src/game/index.js", game), ("lib/moves.js", moves)];
        let folder = fixtures::folder(&tree);
        let (root, sources) = (folder.path(), &SourceReader::default());
        let files = &plain_files(root).expect("files");
        let submission = Submission { root, files, program: "x", sources };
        let expected = [
            "./../src/main.js",
            "fs/promises",
            "./../src/game/index.js",
            "chalk",
            "./../lib/moves.js",
            "@scope/x/y",
        ];
        assert_eq!(packages(submission, Path::new("src/main.js")), expected);
    }

    #[test]
    fn package_that_a_script_can_do_without_is_left_out() {
        for line in [
            "let c; try { c = require('chalk') } catch {}",
            "const c = process.stdout.isTTY ? require('chalk') : null;",
            "const c = a && require('chalk');",
            "try {\n} catch { x = require('chalk') }",
            "try {\nc = require('chalk');\n} catch {}",
            "if (a) c = require('chalk');",
            "f(); // require('chalk')",
            "say(\"require('chalk')\");",
            "const HELP = `\nrequire('chalk')\n`;",
            "export const HELP = \"from 'a1' to 'b2'\";",
            "export default x; // from 'chalk'",
            "export const x = a_from 'chalk'",
        ] {
            assert_eq!(required(line), [""; 0], "{line}");
        }
        let text = "const {\n  a,\n} = require('one');\nimport { from } from 'two';\n\
                    import x, {\n  y,\n} from 'three';\n\
                    'use strict'; const { b } = require('four')(`x`);";
        assert_eq!(required(text), ["one", "two", "three", "four"]);
    }

    #[test]
    fn file_of_another_name_may_be_meant() {
        let folder = fixtures::folder(&[
            ("board (1).py", ""),
            ("Rules.py", ""),
            ("rest.py", "class Move:\n    pass\n"),
        ]);
        let (root, files) = (folder.path(), plain_files(folder.path()).expect("its files"));
        let sources = &SourceReader::default();
        let submission = Submission { root, files: &files, program: "p", sources };
        for (module, file) in
            [("board", "board (1).py"), ("rules", "Rules.py"), ("Move", "rest.py")]
        {
            let meant = namesake(submission, &[Lack::Module(module.to_owned())]);
            assert_eq!(meant, format!("; `{file}` may be meant"));
        }
        assert_eq!(namesake(submission, &[Lack::Module("numpy".to_owned())]), "");
    }

    /// The author forgot the `./`.
    #[test]
    fn script_of_the_submission_is_no_package() {
        let all = ["src/board.js", "lib/a/moves.mjs", "game/index.js", "node_modules/chalk.js"];
        let mut all = all.map(PathBuf::from).to_vec();
        all.push("tree.py".into());
        let files = own_scripts(&all);
        for name in ["board", "board.js", "a/moves", "moves", "game"] {
            assert!(is_meant(&files, name), "{name}");
        }
        for name in ["chalk", "tree", "oard", "src"] {
            assert!(!is_meant(&files, name), "{name}");
        }
    }

    #[test]
    fn all_that_is_lacking_is_told() {
        let modules = |names: &[&str]| -> Vec<Lack> {
            names.iter().map(|name| Lack::Module((*name).to_owned())).collect()
        };
        assert_eq!(lacks_of("lacks numpy scipy", false), modules(&["numpy", "scipy"]));
        assert_eq!(lacks_of("lacks numpy sc", true), modules(&["numpy"]));
        let package = Lack::Package("prompt-sync".to_owned());
        assert_eq!(lacks_of("misses prompt-sync", false), [package]);
        let python = Lack::Program("python3".to_owned());
        assert_eq!(lacks_of("cannot start python3", false), [python]);
        assert_eq!(lacks_of("x.py:1: SyntaxError", false), []);
    }

    #[test]
    fn old_statements_are_told_from_new_ones() {
        for old in [
            "print 'usage'",
            "if x: print \"a\"",
            "  print x, y",
            "try: pass\nexcept IOError, e:\n",
            "x = 1; print >>sys.stderr, x",
            "#!/usr/bin/env python2.7\nprint(1)",
            "for i in xrange(7):\n  print(i)",
            "if not seen.has_key(1): pass",
            "best = -sys.maxint - 1",
            "#!/usr/bin/python2\nfrom __future__ import print_function\nprint(1, end='')",
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
            "#!/usr/bin/env python\nprint(1)",
            "for i in my_xrange(7): pass # xrange(7)",
            "try: xrange(1)\nexcept NameError: xrange = range",
            "print(1, end='')\nfor i in xrange(2): pass",
            "name = raw_input()",
            "xrange = range\nfor i in xrange(2): pass",
            "try: xrange\nexcept: xrange = range\nxrange(2)",
            "from builtins import range as xrange\nxrange(2)",
            "class A:\n  def has_key(self): pass\nA().has_key(1)",
            "a.iteritems()\nprint('#', end='')",
            "#!/usr/bin/env python2\nprint(f'x')",
        ] {
            assert!(!is_python2(new), "{new}");
        }
        let code = code_lines("a\n\"\"\"b\nc\n\"\"\"\nd");
        assert_eq!(code.collect::<Vec<_>>(), ["a", "\"\"\"b", "d"]);
        // A search of the rest of the line for every three quotes would take long.
        let quotes = "\"\"\"".repeat(300_000);
        assert!(!is_python2(&quotes) && is_python2(&format!("{quotes}\nprint 'usage'")));
    }

    #[test]
    fn lack_that_an_error_tells_is_found() {
        let folder =
            fixtures::folder(&[("src/board.js", ""), ("main.js", ""), ("game/rules.py", "")]);
        let module = |name: &str| Some(Lack::Module(name.into()));
        let package = |name: &str| Some(Lack::Package(name.into()));
        let newer = "UnsupportedClassVersionError: A has been compiled by a more recent version of the \
                     Java Runtime";
        let own = Some(folder.path());
        for (text, folder, lack) in [
            ("ValueError: 1", None, None),
            ("Traceback:\nModuleNotFoundError: No module named 'numpy'", None, module("numpy")),
            ("ImportError: No module named Minimax\n", None, module("Minimax")),
            ("ModuleNotFoundError: No module named 'src'", own, None),
            ("ModuleNotFoundError: No module named 'game.moves'", own, None),
            ("Error: Cannot find module 'prompt-sync'\nRequire:\n", None, package("prompt-sync")),
            ("Error: Cannot find module './board'", None, None),
            (newer, None, Some(Lack::Newer("java".into()))),
            // The author forgot the `./`.
            ("Error: Cannot find module 'board'\nRequire stack:\n", own, None),
            ("Error: Cannot find package 'chalk' imported from /x\n", own, package("chalk")),
        ] {
            assert_eq!(lack_told(["", text].into_iter(), folder), lack, "{text}");
        }
    }
}

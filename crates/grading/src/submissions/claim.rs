//! The claim of a program in a submission to be the program of the assignment, and the reason why there is no program.
//! A student's collection of homework has other programs, too.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use plyground_durable::excerpt;
use plyground_host::external::{INTERACTIVE, ONE_MOVE};
use plyground_host::protocol::BEST_MOVE;
use plyground_sandbox::ByteSize;

use crate::submissions::download::{attempt_number, stem};
use crate::submissions::file_kind::{
    CARGO, Language, is_called_archive, is_of_build_tool, is_of_name, kind_not_built, stem_of,
};
use crate::submissions::files::{MOST_BYTES, MOST_FILES, SourceReader, files, is_of_others};
use crate::submissions::recipe::{Submission, has_word, letters_of, start_script};

/// The words of the assignment: the mode for one move, and the answer of a talk.
const WORDS: [&str; 2] = [ONE_MOVE, BEST_MOVE];

/// Returns true if a source in a folder, or below it, has one of the [`WORDS`], the word of the interactive mode or the
/// name in the assignment; `None` without a source. The sources in the folders `others` do not count.
pub(crate) fn has_words(
    submission: Submission<'_>,
    folder: &Path,
    others: &[&Path],
) -> Option<bool> {
    let is_own = |file: &&PathBuf| {
        let is_of_another = others.iter().any(|other| file.starts_with(other));
        Language::of(file).is_some() && file.starts_with(folder) && !is_of_another
    };
    let mut sources = submission.files.iter().filter(is_own).peekable();
    sources.peek()?;
    Some(sources.any(|file| has_word_of(submission, file)))
}

/// Returns true if a file has a word of the assignment, as [`has_words`] looks for them.
fn has_word_of(submission: Submission<'_>, file: &Path) -> bool {
    let text = submission.text(file);
    // Any search has a `bestMove`.
    let has_answer = text.contains(BEST_MOVE);
    let text = text.to_lowercase();
    has_answer
        || [ONE_MOVE, INTERACTIVE].iter().any(|word| text.contains(word))
        || letters_of(&text).contains(&letters_of(submission.program))
}

/// Returns a file of a kind that is not built here, with the name in the assignment, or else with words of it.
pub(crate) fn program_not_built(submission: Submission<'_>) -> Option<&PathBuf> {
    let is_it = |file: &&PathBuf| !is_of_others(file) && kind_not_built(file).is_some();
    let mut files = submission.files.iter().filter(is_it);
    let called = files.clone().find(|file| submission.is_called_program(file));
    called.or_else(|| files.find(|file| has_word_of(submission, file)))
}

/// Returns true if the script that a folder has as its program may be a helper of another program: no script in the
/// folder or below reads arguments, and it neither is called as the assignment says nor is named in a readme.
pub(crate) fn is_helper(submission: Submission<'_>, folder: &Path) -> bool {
    if is_built_or_started(submission, folder) {
        return false;
    }
    let readme = submission.readme(&[folder, Path::new("")]);
    // Another script may read the arguments for it.
    let is_script = |file: &Path| Language::of(file).is_some_and(Language::is_script);
    let reads_arguments = |file: &PathBuf| {
        let text = submission.text(file);
        ["argv", "argparse", "parse_args", "getopt", "parseArgs"].iter().any(|it| text.contains(it))
    };
    let below = submission.files.iter().filter(|file| file.starts_with(folder));
    let mut scripts = below.filter(|file| !is_of_others(file) && is_script(file));
    if scripts.any(reads_arguments) {
        return false;
    }
    let mut entries = entries(submission, folder).peekable();
    entries.peek().is_some()
        && entries.all(|file| {
            let is_named = submission.is_called_program(file) || submission.names(&readme, file);
            let language = Language::of(file).filter(|language| language.is_script());
            !is_named && language.is_some_and(|it| !it.is_entry(&submission.text(file)))
        })
}

/// Returns the doubt about a program that has nothing of the assignment.
pub(crate) fn strange(submission: Submission<'_>) -> String {
    let program = submission.program;
    let [mode, answer] = WORDS;
    format!(
        "the program has none of the words `{program}`, `{mode}` and `{answer}`: \
         is it for another assignment?"
    )
}

/// The greatest number of folders in which other programs are searched for.
pub(crate) const MOST_FOLDERS: usize = 100;

/// The least number of folders that look like the students of a class.
const CLASS: usize = 3;

/// The greatest depth of the folders whose names are compared with those of students.
const MOST_OUTER: usize = 4;

/// Words in the names of folders with parts or versions of one program, as `Source Code`.
const PARTS: [&str; 12] = [
    "code", "source", "old", "new", "files", "project", "version", "part", "final", "test",
    "tests", "copy",
];

/// Returns true if a folder may be named after a student, as `Ann Lee`, `Lee, Ann - s42` or `Lee, Ann(alee)`, or after
/// an attempt.
fn is_of_person(name: &str) -> bool {
    let person = name.split(" - ").next().unwrap_or(name);
    let person = person.split('(').next().unwrap_or(person).replace(',', " ");
    let is_name = |word: &str| {
        word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().nth(1).is_some()
            && word.chars().all(|c| c.is_alphabetic() || "-.'".contains(c))
            && !PARTS.contains(&&*word.to_lowercase())
    };
    let words: Vec<&str> = person.split_whitespace().collect();
    name.contains('@')
        || attempt_number(name).is_some()
        || (2..=4).contains(&words.len()) && words.into_iter().all(is_name)
}

/// Returns the doubt about a submission in which several names of one level look like those of students or attempts,
/// each with an archive or a program.
fn persons(submission: Submission<'_>) -> Option<String> {
    let mut levels: BTreeMap<PathBuf, BTreeSet<&str>> = BTreeMap::new();
    for file in submission.files.iter().filter(|file| !is_of_others(file)) {
        let mut outer = PathBuf::new();
        let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        for (at, part) in parts.iter().copied().enumerate().take(MOST_OUTER) {
            // Students call their files in many ways, but not like this.
            let is_file = at + 1 == parts.len();
            let is_named = !is_file || part.contains(" - ") || part.contains('@');
            let name = if is_file { stem(part) } else { part };
            let is_new = is_named
                && is_of_person(name)
                && levels.get(&outer).is_none_or(|names| !names.contains(part));
            let is_program = || {
                let language = Language::of(file);
                // A collection of homework has folders such as `Wumpus World`.
                language.is_some_and(|language| language.is_entry(&submission.text(file)))
                    && (submission.is_called_program(file) || has_word_of(submission, file))
            };
            if is_new && (is_called_archive(file) || is_program()) {
                levels.entry(outer.clone()).or_default().insert(part);
            }
            outer.push(part);
        }
    }
    let names = levels.into_values().find(|names| names.len() > 1)?;
    let (count, named) =
        (names.len(), listed(names.iter().map(|name| format!("`{}`", excerpt(name)))));
    Some(format!(
        "{count} names in it look like those of students or attempts ({named}): if it is a class, \
         unpack it and name the folder that has them, and of several attempts, keep one"
    ))
}

/// Returns the doubt about a submission that may be a whole class: several names in it look like those of students or
/// attempts, or several folders at its top each have a program of the assignment, and nothing that belongs to one
/// submission lies beside them.
pub(crate) fn class(submission: Submission<'_>) -> Option<String> {
    persons(submission).or_else(|| programs(submission))
}

fn programs(submission: Submission<'_>) -> Option<String> {
    let is_of_one = |file: &PathBuf| {
        let name = file.to_string_lossy().to_lowercase();
        let is_tool = is_of_build_tool(file) || file.ends_with(CARGO);
        file.components().nth(1).is_none()
            && (is_tool || name.starts_with("readme") || Language::of(file).is_some())
    };
    if submission.files.iter().any(is_of_one) {
        return None;
    }
    let top = |folder: &Path| folder.iter().next().map(|top| top.to_string_lossy().into_owned());
    let is_program = |folder: &&Path| Claim::of(submission, folder) > Claim::Place;
    let folders = submission.folders().into_iter().take(MOST_FOLDERS);
    let tops: BTreeSet<String> = folders.filter(is_program).filter_map(top).collect();
    let (count, named) = (tops.len(), listed(tops.iter().map(|top| excerpt(top))));
    (count >= CLASS).then(|| {
        format!(
            "{count} folders in it have a program of the assignment each ({named}): \
             if it is a class, unpack it and name its folder"
        )
    })
}

/// Returns the first of these names, for people.
fn listed(mut names: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = names.by_ref().take(CLASS).collect();
    let more = if names.next().is_some() { ", ..." } else { "" };
    first.join(", ") + more
}

/// The claim of the program in a folder to be the program of the assignment, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// Nothing but its place.
    Place,
    /// It has one of the [`WORDS`], its readme has one, or it has a part of the name in the assignment.
    Words,
    /// The program, or the folder, has the name in the assignment.
    Name,
}

impl Claim {
    /// The least number of letters of the end of a name that count as the name.
    const LEAST_PART: usize = 6;

    /// Returns the claim of the program in a folder.
    pub(crate) fn of(submission: Submission<'_>, folder: &Path) -> Claim {
        let is_called = submission.is_called_folder(folder);
        let program = letters_of(submission.program);
        let has_one = |text: &str| WORDS.iter().any(|word| text.contains(word));
        let mut claim = Claim::Place;
        for file in submission.in_folder(folder) {
            let Some(language) = Language::of(file) else { continue };
            let text = submission.text(file);
            if !language.is_entry(&text) {
                continue;
            }
            if is_called || submission.is_called_program(file) {
                return Claim::Name;
            }
            let stem = letters_of(stem_of(file));
            // `connect4` for maxconnect4, or a version of the program.
            let is_end = stem.len() >= Claim::LEAST_PART && program.ends_with(&stem);
            if is_end || stem.starts_with(&program) || has_one(&text) {
                claim = Claim::Words;
            }
        }
        if claim == Claim::Place && has_one(&submission.readme(&[folder])) {
            claim = Claim::Words;
        }
        claim
    }
}

/// Returns true if a tool builds the program in a folder, or a script starts it.
fn is_built_or_started(submission: Submission<'_>, folder: &Path) -> bool {
    let is_tool = |file: &PathBuf| is_of_build_tool(file) || file.ends_with(CARGO);
    submission.in_folder(folder).any(is_tool) || start_script(submission, folder).is_some()
}

/// Returns true if the program in a folder is that of the folders below, too: it is built by a tool, or started by a
/// script, or it mentions the name in the assignment, or only its own name is in the readme.
pub(crate) fn is_whole(submission: Submission<'_>, folder: &Path) -> bool {
    if is_built_or_started(submission, folder) {
        return true;
    }
    let readme = submission.readme(&[folder, Path::new("")]);
    let has_name = |text: &str| letters_of(text).contains(&letters_of(submission.program));
    let mut entries = entries(submission, folder);
    entries.any(|file| {
        has_name(&submission.text(file)) || submission.names(&readme, file) && !has_name(&readme)
    })
}

/// Returns the words of the lines by which the program in a folder takes in other files.
pub(crate) fn imports(submission: Submission<'_>, folder: &Path) -> HashSet<String> {
    /// The words by which a line of code takes in another file.
    const SIGNS: [&str; 5] = ["import", "from", "include", "require", "mod"];
    let mut found = HashSet::new();
    for file in entries(submission, folder) {
        let text = submission.text(file);
        let lines = text.lines().filter(|line| SIGNS.iter().any(|sign| has_word(line, sign)));
        found.extend(lines.flat_map(names_in).map(str::to_owned));
    }
    found
}

/// Returns true if the words `imports` of the program in a folder have the name of a folder on the way to the folder
/// `inner` below.
pub(crate) fn leads_to(imports: &HashSet<String>, folder: &Path, inner: &Path) -> bool {
    let way = inner.strip_prefix(folder).unwrap_or(inner);
    let mut way = way.components().filter_map(|part| part.as_os_str().to_str());
    way.any(|part| names_in(part).all(|name| imports.contains(name)))
}

/// Returns the names in a line of code.
fn names_in(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_of_name(c)).filter(|name| !name.is_empty())
}

/// Returns the first file of each language in which a program in a folder begins.
fn entries<'a>(submission: Submission<'a>, folder: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
    let languages = Language::ALL.into_iter();
    languages.filter_map(move |it| submission.entries(folder, it).into_iter().next())
}

/// Returns the reason why a submission has no program, and the doubt whether it is a class, which does not use up the
/// limits of the submission.
pub(crate) fn no_program(submission: Submission<'_>) -> io::Result<(String, String)> {
    let Submission { root, sources, .. } = submission;
    let claims = Submission { sources: &SourceReader::default(), ..submission };
    let why = match sources.is_used_up() {
        true => format!(
            "no program is found in the first {MOST_FILES} of its source files, or {} of them: \
             put it in an outer folder",
            ByteSize(MOST_BYTES)
        ),
        false => nothing_to_start(
            &files(root)?,
            program_not_built(submission),
            |file| sources.text(&root.join(file)),
            |file| fs::metadata(root.join(file)).is_ok_and(|found| found.len() == 0),
        ),
    };
    Ok((why, class(claims).unwrap_or_default()))
}

/// Returns the reason why there is nothing to start among these files, whose texts `text` returns. `program` is the one
/// of a kind that is not built, if it is known. `is_empty` returns true for a file without a byte: a long one has no
/// text either.
fn nothing_to_start(
    all: &[PathBuf],
    program: Option<&PathBuf>,
    text: impl Fn(&Path) -> String,
    is_empty: impl Fn(&Path) -> bool,
) -> String {
    let named = |file: &Path| excerpt(&file.to_string_lossy());
    let is_hidden = |file: &&PathBuf| {
        file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let Some(first) = all.iter().find(|file| !is_hidden(file)).or(all.first()) else {
        return "there are no files in it".to_owned();
    };
    let not_built = |file: &PathBuf| Some(format!("{} {}", named(file), kind_not_built(file)?));
    if let Some(why) = program.and_then(not_built) {
        return why;
    }
    let mut own = all.iter().filter(|file| !is_of_others(file));
    let sources: Vec<_> = all.iter().filter_map(|file| Some((file, Language::of(file)?))).collect();
    if let [(source, language), others @ ..] = &*sources {
        if sources.iter().all(|(file, _)| is_empty(file)) {
            let are = if others.is_empty() { "is" } else { "and all other source files are" };
            return format!("{} {are} empty, which points at a failed upload", named(source));
        }
        let why = format!("found files of {}, but none that begins a program", language.name());
        let mut others = all.iter().filter(|file| Language::of(file).is_none());
        return match others.find(|file| language.is_entry(&text(file))) {
            Some(file) => {
                format!("{why}: expected a name in .{}, found {}", language.end(), named(file))
            }
            None => own.find_map(not_built).unwrap_or(why),
        };
    }
    if let Some(why) = own.find_map(not_built) {
        return why;
    }
    let others = if all.len() > 1 { " and others" } else { "" };
    format!(
        "expected a source file, a Makefile or a script to run, found {}{others}: give `build` and `start` in --override",
        named(first)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::submissions::file_kind::end_of;

    #[test]
    fn files_without_a_program_are_named() {
        let why = |files: &[&str]| {
            let files: Vec<_> = files.iter().map(PathBuf::from).collect();
            let is_empty = |file: &Path| end_of(file) == "py";
            nothing_to_start(&files, None, |file| format!("int {}()", file.display()), is_empty)
        };
        assert_eq!(why(&[]), "there are no files in it");
        assert_eq!(why(&["a.c", "a.h"]), "found files of C, but none that begins a program");
        let empty = "maxconnect4.py is empty, which points at a failed upload";
        assert_eq!(why(&["a.txt", "maxconnect4.py"]), empty);
        let empty = "a.py and all other source files are empty, which points at a failed upload";
        assert_eq!(why(&["a.py", "b.py"]), empty);
        assert_eq!(why(&["a.c", "b.py"]), "found files of C, but none that begins a program");
        let expected = "none that begins a program: expected a name in .c, found main";
        assert!(why(&["a.c", "main"]).ends_with(expected), "{}", why(&["a.c", "main"]));
        let expected = "expected a source file, a Makefile or a script to run, found ";
        let remedy = ": give `build` and `start` in --override";
        assert_eq!(why(&["report.pdf"]), format!("{expected}report.pdf{remedy}"));
        let others = [".gitignore", "a.txt", "report.pdf"];
        assert_eq!(why(&others), format!("{expected}a.txt and others{remedy}"));
        let name = "maxconnect4.py.txt is no source by its name: expected `maxconnect4.py`";
        assert_eq!(why(&["a.txt", "maxconnect4.py.txt"]), name);
        let windows = "maxconnect4.exe is a program of Windows: expected its sources";
        assert_eq!(why(&["maxconnect4.exe"]), windows);
        let archive = "ann/HW4.RAR is not unpacked: unpack it, and put a zip in its place";
        assert_eq!(why(&["ann/HW4.RAR", "ann/report.pdf"]), archive);
        let notebook = "game/main.ipynb is a notebook: expected its code in a .py file";
        assert_eq!(why(&["a.txt", "game/main.ipynb"]), notebook);
        let other = "Main.kt is in Kotlin, which is not built here by itself: give `build` and `start` in --override";
        assert_eq!(why(&["a.txt", "Main.kt"]), other);
        assert_eq!(why(&["a.c", "Main.kt", "node_modules/x/y.ts"]), other);
        assert!(why(&["a.c", "node_modules/x/y.ts"]).starts_with("found files of C"));
    }

    #[test]
    fn search_for_a_class_does_not_use_up_the_limits() {
        let files = ["Ann Lee/a.c", "Bob Ray/b.c"];
        let folder = fixtures::folder(&files.map(|file| (file, "int x;\n")));
        let (root, files) = (folder.path(), files.map(PathBuf::from));
        let sources = &SourceReader::of(1 << 20, 2);
        let (why, _) = no_program(Submission { root, files: &files, program: "p", sources })
            .expect("a reason");
        assert_eq!(why, "found files of C, but none that begins a program");
    }
}

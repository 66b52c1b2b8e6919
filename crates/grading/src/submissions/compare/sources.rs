//! The sources of a submission, with the fingerprints of their tokens; and the code that many submissions of a class
//! have in common.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_durable::quantities::grouped;
use plyground_durable::{FileError, excerpt, fnv1a, one_line, shown};

use super::tokens::{Hash, MOST_OF_FILE, Token, tokens};
use crate::submissions::file_kind::{Language, beginning, included, is_header, other_language};
use crate::submissions::files::{files, is_of_others, text_of};

/// The number of tokens in a run: about two lines. Shorter runs are equal by chance.
pub(super) const RUN: usize = 20;

/// The number of consecutive hashes whose least hash becomes a fingerprint.
pub(super) const WINDOW: usize = 12;

/// The greatest length of all files of a submission that is compared, in bytes: students write far
/// less.
const MOST: usize = 2 << 20;

/// The greatest length of all files of a submission that is read, in bytes, including repeated files.
const MOST_READ: usize = 16 * MOST;

/// The length of a word in which a program may be hidden, in bytes.
const LONG_WORD: usize = 1000;

/// The most lines of a passage that are shown.
pub(super) const MOST_LINES: usize = 200;

/// The most characters of a line that are shown.
pub(super) const MOST_OF_LINE: usize = 200;

/// The greatest number of submissions that share a fingerprint without making it common to the
/// class.
const COMMON: usize = 3;

/// The same bound as a part of the class. The greater of the two bounds applies.
const COMMON_PART: f64 = 0.1;

/// The same bound for submissions of which many may be one ring: a ring may be half of the class.
const RING_PART: f64 = 0.5;

/// The least part of the larger submission that two submissions of a ring share. In a real class, programs on
/// the same starter code shared up to half, and copies 85 %.
const NEARLY_ALL: f64 = 2.0 / 3.0;

/// The greatest number of submissions as which a ring counts: its code then counts even if a neighbor took
/// some, but starter code does not count if several others have it.
const RING: usize = 2;

/// The fewest shared fingerprints that are worth a look: some 25 lines.
pub(super) const FEWEST: usize = 12;

/// The sources of a submission.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The name of the submission.
    pub name: String,
    pub(super) files: Vec<SourceFile>,
    /// The reasons why parts of the submission are not compared, one line each.
    pub left_out: Vec<String>,
}

/// A source file.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// The places in the text at which lines begin.
    pub(super) lines: Vec<usize>,
    pub(super) prints: Vec<Print>,
}

impl SourceFile {
    pub(super) fn new(path: PathBuf, text: String) -> SourceFile {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let lines = [0].into_iter().chain(ends).collect();
        SourceFile { lines, prints: prints(&tokens(&text, hash_in(&path))), path, text }
    }

    /// Returns the beginnings of the first of these lines, which are counted from 0, and the number of omitted
    /// lines.
    pub(super) fn text_of(&self, (first, last): (usize, usize)) -> String {
        let at = |line: usize| self.lines.get(line).copied().unwrap_or(self.text.len());
        let all = self.text[at(first)..at(last + 1)].lines();
        let mut lines: Vec<String> = all.take(MOST_LINES).map(beginning_of_line).collect();
        let more = (last + 1 - first).saturating_sub(MOST_LINES);
        if more > 0 {
            lines.push(format!("... and {more} more lines"));
        }
        lines.join("\n")
    }
}

/// Returns the beginning of a line, with its hidden characters except tabs [`shown`], and the number
/// of omitted characters.
fn beginning_of_line(line: &str) -> String {
    let end = line.char_indices().nth(MOST_OF_LINE).map_or(line.len(), |(end, _)| end);
    let (first, rest) = line.split_at(end);
    let mut text = first.split('\t').map(shown).collect::<Vec<_>>().join("\t");
    if !rest.is_empty() {
        text += &format!(" ... and {} more characters", rest.chars().count());
    }
    text
}

/// A fingerprint, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print {
    pub(super) hash: u64,
    /// The index of the first token.
    pub(super) token: usize,
    /// The first and the last line, from 0.
    pub(super) lines: (usize, usize),
}

impl Sources {
    /// Reads the source files in a folder, or one file. Repeated files count once; the folders of
    /// dependencies do not count.
    pub fn read(name: &str, path: &Path) -> io::Result<Sources> {
        let (mut known, mut left, mut unread) = (BTreeSet::new(), MOST, MOST_READ);
        let mut sources = Sources { name: name.to_owned(), ..Sources::default() };
        for (below, mut text, is_whole) in Reading::of(path)? {
            let Some(rest) = unread.checked_sub(text.len()) else {
                sources.left_out.push("too much to compare: it repeats itself".to_owned());
                break;
            };
            unread = rest;
            if !known.insert(fnv1a(text.as_bytes())) {
                continue;
            }
            let file = excerpt(&below.to_string_lossy());
            if !is_whole {
                let said = "is longer than 1 MiB, and only its beginning is compared";
                sources.left_out.push(format!("{file} {said}"));
            }
            let longest = text.split_ascii_whitespace().map(str::len).max().unwrap_or_default();
            if longest > LONG_WORD {
                let count = grouped(longest as u64);
                let said = format!("has a word of {count} bytes, in which code may be hidden");
                sources.left_out.push(format!("{file} {said}"));
            }
            let is_too_much = text.len() > left;
            if is_too_much {
                let said = "too much to compare: only 2 MiB of its sources are compared";
                sources.left_out.push(said.to_owned());
                let end = (0..=left).rev().find(|&end| text.is_char_boundary(end));
                text.truncate(end.unwrap_or_default());
            }
            left -= text.len();
            sources.files.push(SourceFile::new(below, text));
            if is_too_much {
                break;
            }
        }
        Ok(sources)
    }

    pub(super) fn hashes(&self) -> BTreeSet<u64> {
        self.files.iter().flat_map(|file| &file.prints).map(|print| print.hash).collect()
    }
}

/// The source files in a folder, or one file, which are read one after another: for each the path in the folder, the
/// compared part, and true if this is the whole file. Unreadable files are left out, since they cannot be played
/// either. A file that a C or C++ file includes is a source, whatever its name.
struct Reading {
    /// The files to read next, each as the path in the folder and the whole path.
    sources: VecDeque<(PathBuf, PathBuf)>,
    /// The files that are no sources unless one includes them.
    others: Vec<(PathBuf, PathBuf)>,
}

impl Reading {
    fn of(path: &Path) -> io::Result<Reading> {
        let is_source = |file: &Path| {
            is_header(file) || Language::of(file).is_some() || other_language(file).is_some()
        };
        let found = if path.is_file() {
            vec![(PathBuf::new(), path.to_owned())]
        } else {
            files(path)?.into_iter().map(|below| (below.clone(), path.join(below))).collect()
        };
        let own = found.into_iter().filter(|(below, _)| !is_of_others(below));
        let (sources, others): (Vec<_>, Vec<_>) = own.partition(|(_, full)| is_source(full));
        Ok(Reading { sources: sources.into(), others })
    }
}

impl Iterator for Reading {
    type Item = (PathBuf, String, bool);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((below, full)) = self.sources.pop_front() {
            let Ok(mut bytes) = beginning(&full, MOST_OF_FILE as u64 + 1) else { continue };
            let is_whole = bytes.len() <= MOST_OF_FILE;
            bytes.truncate(MOST_OF_FILE);
            let text = text_of(&bytes);
            if hash_in(&full) == Hash::Directive && !self.others.is_empty() {
                let names: HashSet<&OsStr> = included(&text).filter_map(Path::file_name).collect();
                let is_included = |(_, full): &mut (PathBuf, PathBuf)| {
                    full.file_name().is_some_and(|name| names.contains(name))
                };
                self.sources.extend(self.others.extract_if(.., is_included));
            }
            return Some((below, text, is_whole));
        }
        None
    }
}

/// Languages that are only compared, in which `#` begins a comment or a directive.
const WITH_HASHES: [&str; 8] = ["C#", "Elixir", "Julia", "Nim", "PHP", "Perl", "R", "Ruby"];

/// Returns the meaning of `#` in a file. A header, or a file of an unknown kind that a source of C includes, is of C.
fn hash_in(file: &Path) -> Hash {
    match (Language::of(file), other_language(file)) {
        (Some(Language::C | Language::Cpp), _) | (None, None) => Hash::Directive,
        (Some(Language::Rust | Language::JavaScript), _) => Hash::Sign,
        (None, Some(language)) if !WITH_HASHES.contains(&language) => Hash::Sign,
        _ => Hash::Comment,
    }
}

/// Returns the source files in a folder, with a hash of the compared part of each file.
pub(crate) fn source_hashes(folder: &Path) -> io::Result<BTreeMap<PathBuf, u64>> {
    let mut unread = MOST_READ;
    let mut hashes = BTreeMap::new();
    for (below, text, _) in Reading::of(folder)? {
        let Some(rest) = unread.checked_sub(text.len()) else { break };
        unread = rest;
        hashes.insert(below, fnv1a(text.as_bytes()));
    }
    Ok(hashes)
}

/// Returns the sources of these submissions. A submission that cannot be read has the reason in
/// [`Sources::left_out`].
pub fn class_sources<'a>(submissions: impl Iterator<Item = (&'a str, &'a Path)>) -> Vec<Sources> {
    let read = |(name, path): (&str, &Path)| {
        Sources::read(name, path).unwrap_or_else(|error| Sources {
            name: name.to_owned(),
            left_out: vec![format!("cannot be compared: {error}")],
            ..Sources::default()
        })
    };
    submissions.map(read).collect()
}

/// Returns the sources of the starter code, from files and folders.
///
/// # Errors
///
/// Returns an error if a path cannot be read.
pub fn starter_sources(paths: &[PathBuf]) -> Result<Vec<Sources>, FileError> {
    let read = |path: &PathBuf| {
        let sources = fs::metadata(path).and_then(|_| Sources::read("", path));
        sources.map_err(FileError::at(path, "read it"))
    };
    paths.iter().map(read).collect()
}

/// Code that many submissions have, and that does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonCode {
    /// The submissions that have most of the code, each with the part of it, from 0 to 1, that does not
    /// count, the greatest part first.
    pub shares: Vec<(String, f64)>,
}

impl std::fmt::Display for CommonCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |(name, share): &(String, f64)| {
            format!("{} % of {}", (share * 100.0).round(), one_line(name))
        };
        let parts: Vec<String> = self.shares.iter().map(part).collect();
        let (count, parts) = (self.shares.len(), parts.join(", "));
        write!(
            f,
            "{count} submissions have code in common that does not count: {parts}. If it is starter \
             code, name it with --starter; if not, read it."
        )
    }
}

/// Returns the part of the code of each submission that counts.
pub(super) fn own_code(written: &[BTreeSet<u64>]) -> Vec<BTreeSet<u64>> {
    let bound = |part: f64| COMMON.max((written.len() as f64 * part) as usize);
    let everyone: Vec<usize> = (0..written.len()).collect();
    let own = without_common(written, &everyone, bound(RING_PART));
    let groups = groups(own.len(), |one, other| {
        let (one, other) = (&own[one], &own[other]);
        let shared = one.intersection(other).count();
        // The larger submission matters: starter code alone is no ring with all that contain it.
        shared >= FEWEST && shared as f64 >= NEARLY_ALL * one.len().max(other.len()) as f64
    });
    without_common(&own, &groups, bound(COMMON_PART))
}

/// Returns the code without the fingerprints that more than `most` submissions have. A group counts as at
/// most [`RING`] submissions.
fn without_common(code: &[BTreeSet<u64>], groups: &[usize], most: usize) -> Vec<BTreeSet<u64>> {
    // The submissions of a group follow each other, so the last group of each fingerprint is enough.
    let mut order: Vec<usize> = (0..code.len()).collect();
    order.sort_by_key(|&index| groups[index]);
    let mut owners: HashMap<u64, Owners> = HashMap::new();
    for index in order {
        code[index].iter().for_each(|&hash| owners.entry(hash).or_default().add(groups[index]));
    }
    let is_own = |hash: &u64| owners[hash].count <= most;
    code.iter().map(|hashes| hashes.iter().copied().filter(is_own).collect()).collect()
}

/// The submissions that have a fingerprint.
#[derive(Default)]
struct Owners {
    count: usize,
    /// The last group, and the number of its submissions.
    last: (usize, usize),
}

impl Owners {
    fn add(&mut self, group: usize) {
        let before = if self.last.0 == group { self.last.1 } else { 0 };
        self.count += usize::from(before < RING);
        self.last = (group, before + 1);
    }
}

/// Returns the group of each submission. The submissions of a group are linked, directly or by others.
fn groups(count: usize, is_linked: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..count).collect();
    for first in 0..count {
        for second in first + 1..count {
            let (one, other) = (groups[first], groups[second]);
            if one != other && is_linked(first, second) {
                groups.iter_mut().filter(|group| **group == other).for_each(|group| *group = one);
            }
        }
    }
    groups
}

/// Returns the code that does not count, where it is more than half of a submission.
pub(super) fn common_code(
    class: &[Sources],
    written: &[BTreeSet<u64>],
    own: &[BTreeSet<u64>],
) -> Vec<CommonCode> {
    let common: Vec<BTreeSet<u64>> =
        written.iter().zip(own).map(|(written, own)| written - own).collect();
    let is_much = |index: usize| {
        let count = common[index].len();
        count >= FEWEST && 2 * count > written[index].len()
    };
    let has_most_of = |one: usize, other: usize| {
        2 * common[one].intersection(&common[other]).count() > common[other].len()
    };
    let groups = groups(class.len(), |one, other| {
        (is_much(one) && has_most_of(other, one)) || (is_much(other) && has_most_of(one, other))
    });
    let share = |index: usize| common[index].len() as f64 / written[index].len().max(1) as f64;
    let said: BTreeSet<usize> =
        (0..class.len()).filter(|&index| is_much(index)).map(|index| groups[index]).collect();
    let code = |group: usize| {
        let members = (0..class.len()).filter(|&index| groups[index] == group);
        let mut shares: Vec<(String, f64)> =
            members.map(|index| (class[index].name.clone(), share(index))).collect();
        shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        CommonCode { shares }
    };
    said.into_iter().map(code).collect()
}

/// Returns the fingerprints of a text with these tokens.
fn prints(tokens: &[Token]) -> Vec<Print> {
    let runs: Vec<Print> =
        tokens.windows(RUN).enumerate().map(|(token, run)| run_of(token, run)).collect();
    let mut kept: Vec<Print> = Vec::new();
    let mut known = HashSet::new();
    let mut last: Option<Print> = None;
    for window in runs.windows(WINDOW.min(runs.len()).max(1)) {
        let Some(least) = window.iter().map(|print| print.hash).min() else { continue };
        // Among equal hashes, the hash chosen in an earlier window is kept as long as the window
        // has it (robust winnowing).
        if last.is_some_and(|last| last.hash == least && last.token >= window[0].token) {
            continue;
        }
        last = window.iter().rev().find(|print| print.hash == least).copied();
        // A repeated fingerprint of a file counts once.
        kept.extend(last.filter(|print| known.insert(print.hash)));
    }
    kept
}

fn run_of(token: usize, run: &[Token]) -> Print {
    let mut bytes = [0; RUN * size_of::<u64>()];
    for (place, token) in bytes.chunks_exact_mut(size_of::<u64>()).zip(run) {
        place.copy_from_slice(&token.kind.to_le_bytes());
    }
    let hash = fnv1a(&bytes);
    Print { hash, token, lines: (run[0].line, run[run.len() - 1].line) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn included_files_are_compared() -> io::Result<()> {
        let long = "x".repeat(LONG_WORD + 1);
        let folder = fixtures::folder(&[
            ("main.cpp", "#include <vector>\n# include \"src/player.txt\"\n"),
            ("src/player.txt", "int main() {}"),
            ("notes.txt", "words"),
            ("long.py", &long),
        ]);
        let sources = Sources::read("ann", folder.path())?;
        let names: BTreeSet<&Path> = sources.files.iter().map(|file| &*file.path).collect();
        let expected = ["long.py", "main.cpp", "src/player.txt"].map(Path::new);
        assert_eq!(names, BTreeSet::from(expected));
        let said = "long.py has a word of 1,001 bytes, in which code may be hidden";
        assert_eq!(sources.left_out, [said]);
        Ok(())
    }

    #[test]
    fn sources_of_other_languages_are_read() -> io::Result<()> {
        let text = "val a = 1\n#if 0\nval b = 2\n";
        let folder = fixtures::folder(&[("Main.kt", text), ("notes.txt", "x"), ("a.go", "a\n")]);
        let files = Sources::read("ann", folder.path())?.files;
        let mut names: Vec<_> = files.iter().map(|file| file.path.display().to_string()).collect();
        names.sort();
        assert_eq!(names, ["Main.kt", "a.go"]);
        // The meaning of `#` goes by the language.
        for (file, hash) in [
            ("Main.kt", Hash::Sign),
            ("a.h", Hash::Directive),
            ("a.rb", Hash::Comment),
            ("a.cs", Hash::Comment),
            ("a.R", Hash::Comment),
            ("a.pl", Hash::Comment),
            ("a.jl", Hash::Comment),
            ("a.exs", Hash::Comment),
            ("a.nim", Hash::Comment),
            ("a.php", Hash::Comment),
            ("a.py", Hash::Comment),
            ("a.js", Hash::Sign),
        ] {
            assert_eq!(hash_in(Path::new(file)), hash, "{file}");
        }
        Ok(())
    }

    #[test]
    fn copies_are_read_within_limits() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |number: usize| folder.path().join(format!("{number:02}.py"));
        fs::write(path(0), "+ ".repeat(MOST_OF_FILE / 2))?;
        let fit = MOST_READ / MOST_OF_FILE;
        (1..fit).try_for_each(|number| fs::hard_link(path(0), path(number)))?;
        assert!(Sources::read("ann", folder.path())?.left_out.is_empty());
        fs::hard_link(path(0), path(fit))?;
        let sources = Sources::read("ann", folder.path())?;
        assert_eq!(sources.files.len(), 1);
        assert_eq!(sources.left_out, ["too much to compare: it repeats itself"]);
        Ok(())
    }

    #[test]
    fn what_a_file_repeats_counts_once() {
        let text = include_str!("../../../tests/compare/one.py");
        let prints_of = |text: &str| prints(&tokens(text, Hash::Comment));
        assert_eq!(prints_of(&"+".repeat(10_000)).len(), 1);
        assert_eq!(prints_of(&text.repeat(3)).len() / 2, prints_of(&text.repeat(2)).len() / 2);
    }
}

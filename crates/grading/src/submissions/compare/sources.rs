//! The sources of a submission, with tokens that do not change when names change, and with
//! fingerprints; and the code that many submissions of a class have in common.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_durable::quantities::grouped;
use plyground_durable::{FileError, excerpt, one_line, shown};
use plyground_host::external::{SourcePart, source_parts};

use crate::submissions::file_kind::{
    Language, beginning, directive, included, is_header, is_of_name, other_language,
};
use crate::submissions::files::{files, is_of_others, text_of};

/// The number of tokens in a run: about two lines. Shorter runs are equal by chance.
pub(super) const RUN: usize = 20;

/// The number of consecutive hashes whose least hash becomes a fingerprint.
pub(super) const WINDOW: usize = 12;

/// The greatest length of a file that is compared, in bytes.
pub(super) const MOST_OF_FILE: usize = 1 << 20;

/// The greatest length of all files of a submission that is compared, in bytes: students write far
/// less.
const MOST: usize = 2 << 20;

/// The greatest length of all files of a submission that is read, in bytes, including repeated files.
const MOST_READ: usize = 16 * MOST;

/// The length of a word in which a program may be hidden, in bytes.
const LONG_WORD: usize = 1000;

/// The most characters of a macro whose words are compared.
const MOST_OF_MACRO: usize = 40;

/// The number of branches of the preprocessor without an end after which none is searched for.
const MOST_OPEN_BRANCHES: u32 = 20;

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
        SourceFile { lines, prints: prints(&tokens(&text, has_preprocessor(&path))), path, text }
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
            if !known.insert(hash(text.bytes())) {
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
        loop {
            let (below, full) = self.sources.pop_front()?;
            let Ok((text, is_whole)) = comparable(&full) else { continue };
            if has_preprocessor(&full) && !self.others.is_empty() {
                let names: HashSet<&OsStr> = included(&text).collect();
                let is_included = |(_, full): &mut (PathBuf, PathBuf)| {
                    full.file_name().is_some_and(|name| names.contains(name))
                };
                self.sources.extend(self.others.extract_if(.., is_included));
            }
            return Some((below, text, is_whole));
        }
    }
}

/// Returns true if a file is of C or C++: a source, a header, or a file of another kind that one of these includes.
fn has_preprocessor(file: &Path) -> bool {
    match Language::of(file) {
        Some(language) => matches!(language, Language::C | Language::Cpp),
        None => other_language(file).is_none(),
    }
}

/// Returns the source files in a folder, with a hash of the compared part of each file.
pub(crate) fn source_hashes(folder: &Path) -> io::Result<BTreeMap<PathBuf, u64>> {
    let mut unread = MOST_READ;
    let mut hashes = BTreeMap::new();
    for (below, text, _) in Reading::of(folder)? {
        let Some(rest) = unread.checked_sub(text.len()) else { break };
        unread = rest;
        hashes.insert(below, hash(text.bytes()));
    }
    Ok(hashes)
}

/// Returns the beginning of a source file, with a replacement for bytes that are not UTF-8, and true if the
/// beginning is the whole file.
fn comparable(path: &Path) -> io::Result<(String, bool)> {
    let mut bytes = beginning(path, MOST_OF_FILE as u64 + 1)?;
    let is_whole = bytes.len() <= MOST_OF_FILE;
    bytes.truncate(MOST_OF_FILE);
    Ok((text_of(&bytes), is_whole))
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
    let hash = hash(run.iter().flat_map(|token| token.kind.to_le_bytes()));
    Print { hash, token, lines: (run[0].line, run[run.len() - 1].line) }
}

/// A token, with the line in which it begins, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    /// The hash of the word. It is the same for all names, for all numbers and for all string
    /// literals.
    kind: u64,
    line: usize,
}

/// The keywords of all languages together, which stay as they are. A name that is a keyword of another
/// language stays, too, which makes the tokens only more specific.
const KEYWORDS: [&str; 62] = [
    "and", "as", "auto", "bool", "boolean", "break", "byte", "case", "catch", "char", "class",
    "const", "continue", "def", "default", "del", "do", "double", "elif", "else", "enum", "except",
    "extends", "false", "final", "finally", "float", "fn", "for", "from", "function", "global",
    "goto", "if", "impl", "import", "in", "int", "is", "lambda", "let", "long", "match", "mut",
    "new", "not", "null", "or", "pass", "return", "short", "static", "struct", "switch", "this",
    "throw", "true", "try", "var", "void", "while", "yield",
];

/// Returns the tokens of a source text. Comments, blanks, lines of the preprocessor and statements without a name
/// or a keyword, such as `0;`, do not count. `#` begins a comment in every language, because the code behind a `#` in
/// other languages is rare.
///
/// In C and C++, the code behind `#if 0` does not count either, and the name of a short macro without arguments
/// stands for its words.
fn tokens(text: &str, is_c: bool) -> Vec<Token> {
    let chars: Vec<char> =
        if is_c { as_compiled(text).chars().collect() } else { text.chars().collect() };
    let mut tokens = Tokens::default();
    let mut macros = Macros::default();
    let at = |place: usize| chars.get(place).copied().unwrap_or('\0');
    let end_of_line =
        |place: usize| place + chars[place..].iter().take_while(|&&c| c != '\n').count();
    let (mut place, mut line, mut open_branches) = (0, 0, 0);
    while place < chars.len() {
        let first = chars[place];
        let start = place;
        if first == '#' {
            place = end_of_line(place);
            let directive: String = chars[start + 1..place].iter().collect();
            if is_c && let Some((name, words)) = macro_of(&directive) {
                macros.define(name, words);
            } else if is_c && is_never(&directive) && open_branches < MOST_OPEN_BRANCHES {
                let end = end_of_branch(&chars, place);
                open_branches += u32::from(end.is_none());
                place = end.unwrap_or(place);
            }
        } else if first == '/' && at(place + 1) == '/' {
            place = end_of_line(place);
        } else if first == '/' && at(place + 1) == '*' {
            place += 2;
            while place < chars.len() && !(at(place) == '*' && at(place + 1) == '/') {
                place += 1;
            }
            place += 2;
        } else if first == '"' || first == '\'' && !is_c {
            // A string over several lines is documentation.
            let is_long = !is_c && at(place + 1) == first && at(place + 2) == first;
            place = end_of_text(&chars, place, is_long);
            if !is_long {
                tokens.add("\"", line);
            }
        } else if first.is_alphabetic() || first == '_' {
            place += chars[place..].iter().take_while(|&&c| is_of_name(c)).count();
            let word: String = chars[start..place].iter().collect();
            // Macros make no more tokens than a file without them has.
            let has_room = tokens.found.len() < MOST_OF_FILE;
            match has_room.then(|| macros.words(&word)).flatten() {
                Some(words) => tokens.extend(words, line),
                None => tokens.add_word(&word, line),
            }
        } else if first.is_ascii_digit() {
            let is_part = |&&c: &&char| c.is_alphanumeric() || c == '.' || is_c && c == '\'';
            place += chars[place..].iter().take_while(is_part).count();
            tokens.add("0", line);
        } else {
            let of_two = if is_c { digraph(first, at(place + 1)) } else { None };
            place += if of_two.is_some() { 2 } else { 1 };
            if !first.is_whitespace() {
                tokens.add(of_two.unwrap_or(first).encode_utf8(&mut [0; 4]), line);
            }
        }
        let end = place.min(chars.len());
        line += chars[start..end].iter().filter(|&&c| c == '\n').count();
    }
    tokens.found
}

/// The tokens so far.
#[derive(Default)]
struct Tokens {
    found: Vec<Token>,
    /// The number of tokens before the present statement.
    statement: usize,
    /// If true, the statement has a name, or a keyword that does something.
    is_named: bool,
    /// If true, the statement is for the compiler alone.
    is_assertion: bool,
}

impl Tokens {
    fn add_word(&mut self, word: &str, line: usize) {
        let is_first = self.found.len() == self.statement;
        self.is_assertion |= is_first && matches!(word, "static_assert" | "_Static_assert");
        self.is_named |= word != "void";
        self.push(if KEYWORDS.contains(&word) { word } else { "a" }, line);
    }

    /// Adds a sign, a number or a string literal.
    fn add(&mut self, sign: &str, line: usize) {
        match sign {
            ";" if !self.is_named || self.is_assertion => self.found.truncate(self.statement),
            ";" => {}
            _ => self.push(sign, line),
        }
        if matches!(sign, ";" | "{" | "}") {
            self.statement = self.found.len();
            (self.is_named, self.is_assertion) = (false, false);
        }
    }

    fn push(&mut self, word: &str, line: usize) {
        self.found.push(Token { kind: hash(word.bytes()), line });
    }

    /// Adds the words of a macro.
    fn extend(&mut self, words: &[Token], line: usize) {
        self.is_named |= !words.is_empty();
        self.found.extend(words.iter().map(|token| Token { line, ..*token }));
    }
}

/// Returns a text in C or C++ as the preprocessor sees it: with the lines joined that a backslash ends, without
/// comments, and with a short text in place of each literal. Every line keeps its number.
fn as_compiled(text: &str) -> String {
    let (mut joined, mut ends) = (String::with_capacity(text.len()), 1);
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_suffix('\\') {
            Some(line) => {
                joined += line;
                ends += 1;
            }
            None => {
                joined += line;
                (1..std::mem::replace(&mut ends, 1)).for_each(|_| joined.push('\n'));
            }
        }
    }
    let mut compiled = String::with_capacity(joined.len());
    for (kind, part) in source_parts(&joined, false) {
        match kind {
            SourcePart::Code => compiled += part,
            SourcePart::Comment => compiled.push(' '),
            SourcePart::Literal => {
                // The letters before a text of another form are a part of it.
                let name = compiled.trim_end_matches(is_of_name).len();
                if ["L", "R", "LR", "U", "UR", "u", "uR", "u8", "u8R"].contains(&&compiled[name..])
                {
                    compiled.truncate(name);
                }
                compiled += "\"\"";
            }
        }
        if kind != SourcePart::Code {
            part.matches('\n').for_each(|end| compiled += end);
        }
    }
    compiled
}

/// The macros of a file.
#[derive(Default)]
struct Macros {
    /// The words of each macro.
    defined: HashMap<String, String>,
    /// The tokens of the macros that are used, with those of the macros within.
    used: HashMap<String, Vec<Token>>,
    /// The number of bytes that macros have made so far.
    made: usize,
}

impl Macros {
    /// The number of words that the macros within a macro are looked up for.
    const MOST_WITHIN: u32 = 100;

    fn define(&mut self, name: &str, words: &str) {
        self.defined.insert(name.to_owned(), words.to_owned());
        self.used.clear();
    }

    /// Returns the tokens for which a name stands, if it is that of a macro.
    fn words(&mut self, name: &str) -> Option<&[Token]> {
        let words = self.defined.get(name)?;
        if !self.used.contains_key(name) {
            if self.made >= MOST_OF_FILE {
                return None;
            }
            let (mut spelled, mut left) = (String::new(), Macros::MOST_WITHIN);
            self.spell(words, &mut spelled, &mut left);
            self.made += spelled.len() + words.len();
            self.used.insert(name.to_owned(), tokens(&spelled, false));
        }
        self.used.get(name).map(Vec::as_slice)
    }

    /// Adds words to a text, with the words of each macro in its place, while lookups are `left`.
    fn spell(&self, words: &str, spelled: &mut String, left: &mut u32) {
        let mut rest = words;
        while let Some(first) = rest.chars().next() {
            let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(length.max(first.len_utf8()));
            rest = behind;
            match self.defined.get(word).filter(|_| *left > 0) {
                Some(within) => {
                    *left -= 1;
                    self.spell(within, spelled, left);
                }
                None => *spelled += word,
            }
        }
    }
}

/// Returns the name and the words of a short macro without arguments, from a directive without its `#`.
fn macro_of(directive: &str) -> Option<(&str, &str)> {
    let macro_words = directive.trim().strip_prefix("define")?.trim();
    let (name, words) = macro_words.split_once(char::is_whitespace).unwrap_or((macro_words, ""));
    // Nothing stands for a keyword where the program is compiled with it.
    let is_name = name.chars().all(is_of_name) && !KEYWORDS.contains(&name);
    (is_name && words.len() <= MOST_OF_MACRO).then_some((name, words))
}

/// Returns true if a directive without its `#` leaves out the code behind it.
fn is_never(directive: &str) -> bool {
    directive.split_whitespace().eq(["if", "0"])
}

/// Returns the place behind the branch of the preprocessor that begins at `start`, unless the branch has no end.
fn end_of_branch(chars: &[char], start: usize) -> Option<usize> {
    let (mut depth, mut place) = (0, start);
    for line in chars[start..].split_inclusive(|&c| c == '\n') {
        let text = line.iter().skip_while(|c| c.is_whitespace());
        let line_text: String = text.take(MOST_OF_LINE).collect();
        let word = directive(&line_text).unwrap_or_default();
        if depth == 0 && (word.starts_with("el") || word.starts_with("endif")) {
            return Some(place);
        }
        depth += usize::from(word.starts_with("if"));
        depth -= usize::from(word.starts_with("endif"));
        place += line.len();
    }
    None
}

/// Returns the sign for which C and C++ have these two signs as well.
fn digraph(first: char, second: char) -> Option<char> {
    match (first, second) {
        ('<', '%') => Some('{'),
        ('%', '>') => Some('}'),
        ('<', ':') => Some('['),
        (':', '>') => Some(']'),
        _ => None,
    }
}

/// Returns the place behind the string literal that begins at `start`, with three quotes if `is_long` is
/// true. A literal of one quote that is not closed ends with its line.
fn end_of_text(chars: &[char], start: usize, is_long: bool) -> usize {
    let quote = chars[start];
    let width = if is_long { 3 } else { 1 };
    let mut place = start + width;
    while place < chars.len() {
        let rest = &chars[place..];
        match chars[place] {
            '\\' => place += 2,
            '\n' if !is_long => return place,
            c if c == quote && rest.iter().take(width).all(|&c| c == quote) => {
                return (place + width).min(chars.len());
            }
            _ => place += 1,
        }
    }
    chars.len()
}

/// Returns the FNV-1a hash, which is the same in every run and on every machine.
fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn kinds(text: &str) -> Vec<u64> {
        kinds_in(text, false)
    }

    fn kinds_in(text: &str, is_c: bool) -> Vec<u64> {
        tokens(text, is_c).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn names_comments_and_blanks_do_not_count() {
        let one = "int best = 0; // of all\nfor (int i = 0; i < 7; i++) { best += f(\"x\"); }";
        let other =
            "int v=12;\n/* a\nb */ for(int col=1;col<42;col++){\n# c\nv+=search('it\\'s');}";
        assert_eq!(kinds(one), kinds(other));
        assert_ne!(kinds(one), kinds(&one.replace("for", "while")));
        assert_eq!(
            kinds("def f():\n  \"\"\"Says\n  it.\"\"\"\n  return 1"),
            kinds("def g(): return 2")
        );
    }

    #[test]
    fn lines_are_counted_over_comments_and_texts() {
        let found = tokens("/* a\n*/ x\n'''\n''' y \"open\nz", false);
        let lines: Vec<usize> = found.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 3, 3, 4]);
        let count = |text| kinds(text).len();
        assert_eq!([count("'''open"), count("\"a\\"), count("/*")], [0, 1, 0]);
    }

    #[test]
    fn words_that_a_compiler_does_not_see_hide_nothing() {
        let plain = kinds_in("while (a[0]) { f(\"x\"); }\nreturn 0;", true);
        for text in [
            "while (b[0]) { (void)0; f(\"y\"); static_assert(sizeof(int) > 1, \"\"); };;\nreturn 1; 0;",
            "#define W while\n#define OPEN (\n#define R return // R\nW OPEN x[0]) { y(\"\"); } R 7;",
            "while (a<:0:>) <% f(\"x\"); %>\nreturn 0;",
            "#if 0\n#if 1\nfor (;;) {}\n#endif\nelse\n#else\nwhile (a[0]) { f(\"x\"); }\n#endif\nreturn 0;",
            "#if 0 /* x */\nfor\n/*\n#endif\n*/\n#endif\nwhile (a[0]) { f(\"x\"); }\nreturn 0;",
            "#if 0 /**/ || 1\nwhile (a[0]) { f(\"x\"); }\n#endif\nreturn 1'0;",
            "// x \\\n#if 0\nwhi\\\nle (a[0]) { f(R\"(\n#if 0\n)\"); }\nreturn 0; // x \\\n#endif\n",
            "#define E\n#define B A\n#define A while\nE B (a[0]) { f(\"x\") E; E; }\nreturn 0; E",
            "#if 0\n\"\"\"\n#endif\nwhile (a[0]) { f('/*'); }\nreturn 0;",
            "#ifdef NEVER\n#define while\n#endif\nwhile (a[0]) { f(\"x\"); }\nreturn 0;",
            "// x \\ \n#if 0\nwhile (a[0]) { f(\"x\"); }\nreturn 0;\n// x \\ \n#endif",
            &format!("#if 0\n{:300}#endif\nwhile (a[0]) {{ f(\"x\"); }}\nreturn 0;", ""),
        ] {
            assert_eq!(kinds_in(text, true), plain, "{text}");
        }
        // What is no branch stays.
        for text in ["#if 0 || 1\nx\n#endif", "#if 0\nx", "/*\n#if 0\n*/ x /*\n#endif\n*/"] {
            assert_eq!(kinds_in(text, true), kinds("x"), "{text}");
        }
        assert_eq!(kinds("#if 0\nx\n#endif"), kinds("x"));
        let long = format!("#define M {}\n{}", "+".repeat(MOST_OF_MACRO), "M ".repeat(100_000));
        assert!(tokens(&long, true).len() < MOST_OF_FILE + MOST_OF_FILE / 2);
        let within = "#define A B B B B B B\n#define B A A A A A A\nA";
        assert!(kinds_in(within, true).len() < 1_000);
        // Macros that are made again and again take no longer than as many bytes of code.
        let again = format!("{within}\n{}", "#define X\nA\n".repeat(3_000));
        assert!(tokens(&again, true).len() < MOST_OF_FILE + MOST_OF_FILE / 2);
        let lines = |text| tokens(text, true).iter().map(|token| token.line).collect::<Vec<_>>();
        assert_eq!(lines("a \\\n b\n/*\n*/ c R\"(\n)\" d"), [0, 0, 3, 3, 4]);
    }

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
        // They have no preprocessor.
        assert!(!has_preprocessor(Path::new("Main.kt")) && has_preprocessor(Path::new("a.h")));
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
        let prints_of = |text: &str| prints(&tokens(text, false));
        assert_eq!(prints_of(&"+".repeat(10_000)).len(), 1);
        assert_eq!(prints_of(&text.repeat(3)).len() / 2, prints_of(&text.repeat(2)).len() / 2);
    }
}

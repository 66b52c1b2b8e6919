//! A Java class that plays, and facts from its sources and class files.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fmt, fs};

use plyground_durable::shorten;
use thiserror::Error;

/// A Java class in a folder or a jar: `subs/ann`, `subs/bob.jar:player.MachinePlayer`.
///
/// `Display` writes what `FromStr` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaProgram {
    path: PathBuf,
    class: Option<String>,
}

/// The error of a text that names neither a folder nor a jar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a folder or a jar, as in `java:subs/ann` or `java:{{folder}}` of a class, and perhaps `:CLASS`"
)]
pub struct NoJavaProgram;

impl JavaProgram {
    /// Returns the folder or the jar.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the class with its package, if it is given; otherwise the game's program finds it.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }
}

impl FromStr for JavaProgram {
    type Err = NoJavaProgram;

    fn from_str(text: &str) -> Result<JavaProgram, NoJavaProgram> {
        // The path may contain colons.
        let (path, class) = match text.rsplit_once(':') {
            Some((path, class)) if is_class_name(class) => (path, Some(class.to_owned())),
            _ => (text, None),
        };
        // A class is not started by a command.
        if path.is_empty() || path.contains("{start") {
            return Err(NoJavaProgram);
        }
        Ok(JavaProgram { path: path.into(), class })
    }
}

/// Returns `true` if a Java class or package can have this name.
fn is_class_name(name: &str) -> bool {
    name.split('.').all(|part| {
        part.chars().all(is_part) && part.starts_with(|first: char| !first.is_ascii_digit())
    })
}

/// Returns `true` if the name of a Java class can have this symbol.
fn is_part(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_' || symbol == '$'
}

impl fmt::Display for JavaProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.class {
            Some(class) => write!(f, ":{class}"),
            None => Ok(()),
        }
    }
}

/// The options of `java` whose value is the next word: the class path.
const CLASS_PATH: [&str; 3] = ["-cp", "-classpath", "--class-path"];
/// The option of the class path, with its value in the same word.
const CLASS_PATH_IS: &str = "--class-path=";
/// The beginnings of options that name classes in other places, and the variables that may do so.
const ELSEWHERE: [&str; 3] = ["-Djava.class.path", "-Xbootclasspath", "-javaagent"];
const VARIABLES: [&str; 2] = ["CLASSPATH", "JDK_JAVA_OPTIONS"];
/// Other options whose value is the next word.
const WITH_VALUE: [&str; 11] = [
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--source",
];
/// The options after which there is no name of a class.
const NO_CLASS: [&str; 3] = ["-jar", "-m", "--module"];

/// Returns the words of a command, with the case of a `java`'s main class corrected: if no class has exactly
/// this name and a single one differs only in case, that one takes its place.
pub(crate) fn find_class(mut words: Vec<String>) -> Vec<String> {
    let found = main_class(&words).and_then(|(index, folders)| {
        let class = words.get(index)?;
        Some((index, other_case(class, &folders)?))
    });
    if let Some((index, class)) = found {
        words[index] = class;
    }
    words
}

/// Checks that the main class of a `java` is in a folder of its class path. A missing class was probably
/// never compiled. A class that may be elsewhere, in a jar for example, passes.
///
/// # Errors
///
/// Returns one line that names the missing class.
pub fn check_class(words: &[String]) -> Result<(), String> {
    if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return Ok(());
    }
    missing_class(words).map_or(Ok(()), Err)
}

/// Returns the message about a missing class.
fn missing_class(words: &[String]) -> Option<String> {
    let words = find_class(words.to_vec());
    let (index, folders) = main_class(&words)?;
    // Java also takes the name of a source file, which it compiles.
    let is_class = |word: &&String| is_class_name(word) && !word.ends_with(".java");
    let class = words.get(index).filter(is_class)?;
    let says_so = |word: &String| ELSEWHERE.iter().any(|start| word.starts_with(start));
    let file = format!("{}.class", class.replace('.', "/"));
    let may_be_there = words[..index].iter().any(says_so)
        // A star stands for jars.
        || folders.iter().any(|it| !it.is_dir() && (it.exists() || it.ends_with("*")))
        || folders.iter().any(|folder| folder.join(&file).exists());
    let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let folders = folders.join(", ");
    let fault = format!("there is no class `{class}` in {}", folders.escape_debug());
    (!may_be_there).then(|| shorten(&fault).into_owned())
}

/// Returns the place of the main class among the words, and the folders in which it may be.
fn main_class(words: &[String]) -> Option<(usize, Vec<PathBuf>)> {
    if Path::new(words.first()?).file_stem()? != "java" {
        return None;
    }
    let mut folders = vec![PathBuf::from(".")];
    let mut index = 1;
    while let Some(word) = words.get(index).filter(|word| word.starts_with('-')) {
        if NO_CLASS.contains(&word.as_str()) {
            return None;
        }
        if CLASS_PATH.contains(&word.as_str()) {
            folders = env::split_paths(words.get(index + 1)?).collect();
        } else if let Some(path) = word.strip_prefix(CLASS_PATH_IS) {
            folders = env::split_paths(path).collect();
        }
        let has_value = CLASS_PATH.iter().chain(&WITH_VALUE).any(|option| option == word);
        index += if has_value { 2 } else { 1 };
    }
    (index < words.len()).then_some((index, folders))
}

fn other_case(class: &str, folders: &[PathBuf]) -> Option<String> {
    let (package, name) =
        class.rsplit_once('.').map_or(("", class), |(package, name)| (package, name));
    let file = format!("{name}.class");
    let folders = folders.iter().map(|folder| folder.join(package.replace('.', "/")));
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    if names.contains(&file) {
        return None;
    }
    let mut alike = names.iter().filter(|name| name.eq_ignore_ascii_case(&file));
    let (Some(only), None) = (alike.next(), alike.next()) else { return None };
    let name = only.strip_suffix(".class")?;
    Some(if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") })
}

/// Returns the package of a Java source file, as its `package` line states it, or an empty text.
#[must_use]
pub fn java_package(text: &str) -> String {
    let code = without_comments(text);
    let statement = code.split(';').next().unwrap_or_default();
    // Annotations may precede the word, but no block of a class does.
    let (head, _) = statement.split_once('{').unwrap_or((statement, ""));
    // Blanks may stand around the dots.
    let package: String =
        head.split_whitespace().skip_while(|word| *word != "package").skip(1).collect();
    if is_class_name(&package) { package } else { String::new() }
}

/// Returns the name of the public class of a Java source file, which must be the name of the file.
#[must_use]
pub fn java_public_class(text: &str) -> Option<String> {
    let code = without_comments(text);
    let words: Vec<&str> = code.split_whitespace().collect();
    let at = words.windows(2).position(|pair| {
        pair[0] == "public" && ["class", "final", "abstract"].contains(&pair[1])
    })?;
    let name = words[at..].iter().skip_while(|word| **word != "class").nth(1)?;
    let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// The first bytes of a class file.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Returns the name of the Java class in a class file, with its package; `None` if the file is not a class
/// file, or is damaged.
///
/// The format is defined in chapter 4 of the Java Virtual Machine Specification: the constants come first;
/// one of them is the class, and refers to another that is its name.
#[must_use]
pub fn java_class_name(bytes: &[u8]) -> Option<String> {
    let mut rest = Reader(bytes);
    // The version follows.
    if rest.take(MAGIC.len())? != MAGIC || rest.take(4).is_none() {
        return None;
    }
    let count = usize::from(rest.number()?);
    let (mut texts, mut classes) = (vec![None; count], vec![None; count]);
    let mut index = 1;
    while index < count {
        let kind = rest.take(1)?[0];
        match kind {
            1 => {
                let length = usize::from(rest.number()?);
                texts[index] = Some(rest.take(length)?);
            }
            7 => classes[index] = Some(usize::from(rest.number()?)),
            8 | 16 | 19 | 20 => drop(rest.take(2)?),
            15 => drop(rest.take(3)?),
            3 | 4 | 9..=12 | 17 | 18 => drop(rest.take(4)?),
            5 | 6 => drop(rest.take(8)?),
            _ => return None,
        }
        // A long number takes two indexes.
        index += if matches!(kind, 5 | 6) { 2 } else { 1 };
    }
    // The access flags of the class.
    rest.take(2)?;
    let own = classes.get(usize::from(rest.number()?)).copied().flatten()?;
    let name = texts.get(own).copied().flatten()?;
    String::from_utf8(name.to_vec()).ok().map(|name| name.replace('/', "."))
}

/// A reader of the bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }
}

/// The words before the name of a type in its declaration.
const DECLARES: [&str; 4] = ["class", "interface", "enum", "record"];

/// Returns the names of the types that a Java source file declares, nested types among them, in order.
#[must_use]
pub fn java_types(text: &str) -> Vec<String> {
    let code = without_comments(text);
    // Every other part of a line is inside of quotes.
    let code: Vec<&str> = code.lines().flat_map(|line| line.split('"').step_by(2)).collect();
    let code = code.join(" ");
    let mut names = Vec::new();
    for word in DECLARES {
        for (at, _) in code.match_indices(word) {
            // `Board.class` declares nothing.
            let is_word = !code[..at].ends_with(|c| is_part(c) || c == '.');
            let rest = &code[at + word.len()..];
            if !is_word || !rest.starts_with(char::is_whitespace) {
                continue;
            }
            let name: String = rest.trim_start().chars().take_while(|&c| is_part(c)).collect();
            if !name.is_empty() {
                names.push((at, name));
            }
        }
    }
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}

/// Returns the name of the class in a source file that has the `main`: the class with the name of the file, its `stem`,
/// if there is one, else the last type that is declared before the `main`. A class that is not public may be in a file
/// of any name.
#[must_use]
pub fn java_main_class(text: &str, stem: &str) -> String {
    if java_types(text).iter().any(|name| name == stem) {
        return stem.to_owned();
    }
    let before = text.split("void main").next().unwrap_or_default();
    java_types(before).pop().unwrap_or_else(|| stem.to_owned())
}

/// The greatest number of runs of Java's compiler whose errors are read.
const MOST_RUNS: usize = 4;

/// Returns the line by which Java's compiler says best why sources do not compile, from its output; `None` if the
/// output has no error. A file in another folder than its package comes first, and then a package that is missing,
/// because they cause many other errors. The symbol that the compiler does not find is named.
///
/// A second run of the compiler, with all files, may follow. It tells more about a symbol that the first run does not
/// find: the file of the class may have another name, or another folder than its package.
#[must_use]
pub fn java_fault(printed: &str) -> Option<String> {
    let is_end = |line: &&str| {
        let count = line.strip_suffix(" errors").or_else(|| line.strip_suffix(" error"));
        count.is_some_and(|count| count.parse::<u32>().is_ok())
    };
    let mut all = printed.lines();
    let is_error = |line: &&str| line.contains(".java:") && line.contains(": error: ");
    let is_package = |line: &&str| {
        is_error(line) && line.contains(": error: package ") && line.ends_with(" does not exist")
    };
    let symbol_of =
        |line: &&str| line.trim().strip_prefix("symbol:").map(|it| it.trim().to_owned());
    let mut fault = None;
    // More runs tell nothing more.
    for _ in 0..MOST_RUNS {
        let lines: Vec<&str> = all.by_ref().take_while(|line| !is_end(line)).collect();
        let rest: Vec<&str> = all.clone().collect();
        if let Some(misplaced) = misplaced(&lines) {
            return Some(misplaced);
        }
        if let Some(line) = lines.iter().find(|line| is_package(line)) {
            return Some(line.trim().to_owned());
        }
        let at = lines.iter().position(is_error)?;
        let mut details = lines[at + 1..].iter().take_while(|line| !is_error(line));
        let Some(symbol) = details.find_map(symbol_of) else {
            return Some(lines[at].trim().to_owned());
        };
        let misnamed = format!(": error: {symbol} is public, should be declared in a file named ");
        if let Some(line) = rest.iter().find(|line| line.contains(&misnamed)) {
            return Some(line.trim().to_owned());
        }
        fault = Some(format!("{}: {symbol}", lines[at].trim()));
        // The compiler looks for symbols last, so a run that misses others has found this one.
        let mut missed = rest.iter().filter_map(symbol_of).peekable();
        if missed.peek().is_none() || missed.any(|other| other == symbol) {
            break;
        }
    }
    fault
}

/// Returns the words about a file in another folder than its package, if the lines of a run of Java's compiler have
/// such a file. The compiler names the class that it expects there, or takes the file for a second one of its class.
fn misplaced(lines: &[&str]) -> Option<String> {
    let found = |file: &str, class: &str| {
        let file = file.trim();
        format!("{file}: error: its package is not that of its folder: expected the class {class}")
    };
    let expected = lines.windows(2).find_map(|pair| {
        let file = pair[0].trim().strip_prefix("bad source file: ")?;
        Some(found(file, pair[1].trim().strip_prefix("file does not contain class ")?))
    });
    expected.or_else(|| {
        lines.iter().find_map(|line| {
            let (place, class) = line.split_once(": error: duplicate class: ")?;
            let (file, _) = place.rsplit_once(':')?;
            let (folder, _) = file.rsplit_once('/').unwrap_or_default();
            let (package, name) = class.rsplit_once('.').unwrap_or(("", class));
            let is_of_folder = package.is_empty() || folder.replace('/', ".").ends_with(package);
            let package = folder.trim_start_matches("./").replace('/', ".");
            (!is_of_folder).then(|| found(file, &format!("{package}.{name}")))
        })
    })
}

/// Returns a source text without comments, in Java or another language with the comments and literals of C.
#[must_use]
pub fn without_comments(text: &str) -> String {
    let part = |(kind, part)| if kind == SourcePart::Comment { " " } else { part };
    source_parts(text, true).map(part).collect()
}

/// The kind of a part of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourcePart {
    /// Neither a comment nor a literal.
    Code,
    /// A comment of one line, without its end, or of several.
    Comment,
    /// A text or a character.
    Literal,
}

/// Returns the parts of a source text in a language with the comments and literals of C, or of Java if it has
/// text blocks.
pub fn source_parts(text: &str, has_text_blocks: bool) -> impl Iterator<Item = (SourcePart, &str)> {
    let (mut rest, mut next) = (text, None);
    std::iter::from_fn(move || {
        if let Some(part) = next.take() {
            return Some(part);
        }
        let at = rest.find(['/', '"', '\'']).unwrap_or(rest.len());
        let (before, behind) = rest.split_at(at);
        let comment = if behind.starts_with("//") {
            Some(behind.find('\n').unwrap_or(behind.len()))
        } else {
            let inside = behind.strip_prefix("/*");
            inside.map(|inside| inside.find("*/").map_or(behind.len(), |end| end + 4))
        };
        let (kind, length) =
            match comment.or_else(|| length_of_block(before, behind, has_text_blocks)) {
                Some(length) if comment.is_some() => (SourcePart::Comment, length),
                Some(length) => (SourcePart::Literal, length),
                None => match length_of_literal(before, behind) {
                    length @ 0..=1 => (SourcePart::Code, length),
                    length => (SourcePart::Literal, length),
                },
            };
        let is_over = rest.is_empty();
        next = (length > 0).then_some((kind, &behind[..length]));
        rest = &behind[length..];
        (!is_over).then_some((SourcePart::Code, before))
    })
}

/// Returns the length of the literal of several lines with which a text begins, in bytes, if it begins one: a text
/// block of Java, or a raw string of C++, which has an `R` before it.
fn length_of_block(before: &str, text: &str, has_text_blocks: bool) -> Option<usize> {
    /// The most bytes between the quote and the parenthesis of a raw string.
    const LONGEST: usize = 16;
    const QUOTES: &str = "\"\"\"";
    if has_text_blocks
        && let Some(inside) = text.strip_prefix(QUOTES)
        && inside.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
    {
        let mut chars = inside.char_indices();
        while let Some((at, sign)) = chars.next() {
            match sign {
                '\\' => drop(chars.next()),
                '"' if inside[at..].starts_with(QUOTES) => return Some(at + 2 * QUOTES.len()),
                _ => {}
            }
        }
        return Some(text.len());
    }
    let is_raw = ["R", "LR", "uR", "UR", "u8R"].contains(&last_word(before));
    let inside = text.strip_prefix('"').filter(|_| is_raw)?;
    let at = inside.bytes().take(LONGEST + 1).position(|byte| byte == b'(')?;
    let mark = &inside[..at];
    if mark.contains(['"', ')', '\\', ' ', '\n']) {
        return None;
    }
    let end = format!("){mark}\"");
    Some(text.find(&end).map_or(text.len(), |at| at + end.len()))
}

/// Returns the word with which a text ends; empty if the text does not end with a word.
fn last_word(text: &str) -> &str {
    let rest = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    &text[rest.len()..]
}

/// Returns the length of the literal with which a text begins, in bytes, or of its first character if that begins no
/// literal. A literal ends with its line at the latest.
fn length_of_literal(before: &str, text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, quote)) = chars.next() else { return 0 };
    let is_literal = match quote {
        '"' => true,
        // A word before it may be a number, which has such signs between its digits, or one in English.
        '\'' => ["", "L", "u", "U", "u8"].contains(&last_word(before)),
        _ => false,
    };
    if !is_literal {
        return quote.len_utf8();
    }
    while let Some((at, sign)) = chars.next() {
        match sign {
            '\\' => drop(chars.next()),
            '\n' => return at,
            _ if sign == quote => return at + sign.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_follow_the_path() -> Result<(), NoJavaProgram> {
        for (text, path, class) in [
            ("subs/ann", "subs/ann", None),
            ("bob.jar:player.MachinePlayer", "bob.jar", Some("player.MachinePlayer")),
            ("subs/a:b:gallesComputerPlayer", "subs/a:b", Some("gallesComputerPlayer")),
            (r"C:\subs\ann", r"C:\subs\ann", None),
            ("a:2", "a:2", None),
        ] {
            let program: JavaProgram = text.parse()?;
            assert_eq!((program.path(), program.class()), (Path::new(path), class));
            assert_eq!(program.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn without_a_path_there_is_nothing() {
        for text in ["", ":Player", "{start:subs/ann}", "{start}"] {
            assert_eq!(text.parse::<JavaProgram>(), Err(NoJavaProgram), "{text}");
        }
    }

    fn found(folder: &Path, command: &str) -> String {
        let command = command.replace('@', &folder.to_string_lossy());
        let words = find_class(command.split(' ').map(str::to_owned).collect());
        words.join(" ").replace(&*folder.to_string_lossy(), "@")
    }

    #[test]
    fn a_class_that_is_not_there_is_named() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("player"))?;
        for name in ["MaxConnect4.class", "player/Bob.class", "lib.jar"] {
            fs::write(folder.path().join(name), "")?;
        }
        let check = |command: &str| {
            let command = command.replace('@', &folder.path().to_string_lossy());
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            missing_class(&words).map(|why| why.replace(&*folder.path().to_string_lossy(), "@"))
        };
        for command in [
            "java -cp @ MaxConnect4 one-move",
            "java -cp @ maxconnect4",
            "java -ea -cp nowhere:@ player.Bob",
            "java --limit-modules java.base -cp @ player.bob",
            "java -cp @:@/lib.jar Other",
            "java -cp @/* Other",
            "java --class-path=@ maxconnect4",
            "java -Djava.class.path=@ Other",
            "java -cp @ Other.java",
            "java -cp @ player/Other",
            "java -jar @/lib.jar",
            "java -cp",
            "python -cp @ Other",
        ] {
            assert_eq!(check(command), None, "{command}");
        }
        let why = "there is no class `player.Ann` in nowhere, @".to_owned();
        assert_eq!(check("/usr/bin/java -Xmx1g -cp nowhere:@ player.Ann {in}"), Some(why));
        let many = check(&format!("java -cp {} Ann", "nowhere:".repeat(1_000)));
        let starts = "there is no class `Ann` in nowhere, nowhere, ";
        assert!(many.is_some_and(|why| why.starts_with(starts) && why.len() < 500));
        Ok(())
    }

    #[test]
    fn a_class_in_another_case_is_found() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("player"))?;
        for name in ["MaxConnect4.class", "player/Bob.class", "Twin.class", "tWin.class"] {
            fs::write(folder.path().join(name), "")?;
        }
        for (command, expected) in [
            ("java -cp @ maxconnect4 one-move", "java -cp @ MaxConnect4 one-move"),
            (
                "/bin/java -ea -Xmx1g -classpath nowhere:@ player.bob",
                "/bin/java -ea -Xmx1g -classpath nowhere:@ player.Bob",
            ),
        ] {
            assert_eq!(found(folder.path(), command), expected);
        }
        for command in [
            "java -cp @ MaxConnect4",
            "java -cp @ twin",
            "java -cp @ other",
            "java -jar maxconnect4",
            "java -cp",
            "java",
            "python -cp @ maxconnect4",
        ] {
            assert_eq!(found(folder.path(), command), command);
        }
        Ok(())
    }

    #[test]
    fn fault_is_what_is_missing() {
        let error =
            |line: u32, why: &str| format!("./p/A.java:{line}: error: {why}\n  code\n  ^\n");
        let symbol =
            error(6, "cannot find symbol") + "  symbol:   class Queue\n  location: class A\n";
        let package = error(9, "package list does not exist");
        let junit = "2 errors\n".to_owned() + &error(1, "package org.junit does not exist");
        for (printed, fault) in [
            (
                symbol.clone() + &error(7, "incompatible types") + &junit,
                "6: error: cannot find symbol: class Queue",
            ),
            (symbol.clone() + &package + &junit, "9: error: package list does not exist"),
            (
                package.clone() + &error(1, "duplicate class: p.list.A"),
                " error: its package is not that of its folder: expected the class p.A",
            ),
            (
                package.clone()
                    + &error(3, "cannot access A")
                    + "  bad source file: ./p/A.java\n    file does not contain class p.A\n",
                " error: its package is not that of its folder: expected the class p.A",
            ),
            (error(1, "duplicate class: p.A"), "1: error: duplicate class: p.A"),
            (error(2, "';' expected") + &symbol, "2: error: ';' expected"),
        ] {
            assert_eq!(java_fault(&printed), Some(format!("./p/A.java:{fault}")));
        }
        assert_eq!(java_fault("a.cpp:3:5: error: no\n1 error\n"), None);
    }

    #[test]
    fn package_is_that_of_the_package_line() {
        for (text, package) in [
            ("/* package a; */ // package b;\npackage a.player ;\npublic class X {}", "a.player"),
            ("import java.util.*;\nclass X { /* package y; */ }", ""),
            ("\u{feff}package\n  edu.uta;\n", "edu.uta"),
            ("@A package p; class X {}", "p"),
            ("package a . b\n.c ; class X {}", "a.b.c"),
            ("package a/b;", ""),
            ("", ""),
        ] {
            let text = text.trim_start_matches('\u{feff}');
            assert_eq!(java_package(text), package, "{text}");
        }
    }

    #[test]
    fn types_are_those_that_are_declared() {
        let text = "// class No\npublic final class Yes<T> { @interface\n A {} enum E{} Class c = f(X.class, Y.class); \
                    String s = \"the class Board is\"; } interface I {} record R(int a) {} subclass Z";
        let mut names = java_types(text);
        names.sort();
        assert_eq!(names, ["A", "E", "I", "R", "Yes"]);
    }

    #[test]
    fn class_of_a_program_is_that_with_the_main() {
        let main = "public static void main(String[] a) {}";
        for (text, class) in [
            (format!("class Board {{}} class Game {{ {main} }} class Move {{}}"), "Game"),
            (format!("interface Rules {{}} class maxconnect4 {{ {main} }}"), "maxconnect4"),
            (format!("class Board {{}} public class MaxConnect4 {{ {main} }}"), "MaxConnect4"),
            (main.to_owned(), "MaxConnect4"),
        ] {
            assert_eq!(java_main_class(&text, "MaxConnect4"), class, "{text}");
        }
    }

    #[test]
    fn public_class_is_found() {
        let text = "// public class No\npublic final class Yes{ }";
        assert_eq!(java_public_class(text).as_deref(), Some("Yes"));
        assert_eq!(java_public_class("class No {}"), None);
    }

    /// Returns the beginning of a class file: constants, a long one among them.
    fn class_file(name: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 0, 0, 61, 0, 6]);
        bytes.extend([1, 0, u8::try_from(name.len()).expect("a short name")]);
        bytes.extend(name.as_bytes());
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 9, 7, 0, 1, 10, 0, 4, 0, 1]);
        bytes.extend([0, 0x21, 0, 4]);
        bytes
    }

    #[test]
    fn name_is_read_and_damage_is_noticed() {
        let bytes = class_file("a/player/Bob");
        assert_eq!(java_class_name(&bytes).as_deref(), Some("a.player.Bob"));
        for length in 0..bytes.len() {
            assert_eq!(java_class_name(&bytes[..length]), None, "{length} bytes");
        }
        assert_eq!(java_class_name(b"#!/bin/sh and more"), None);
    }
}

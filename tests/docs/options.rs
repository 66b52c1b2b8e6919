//! The commands and options of the programs, and what the pages say of them.
//!
//! `docs/options.md` is written from the programs themselves: with `UPDATE_GOLDEN=1` the test writes
//! it anew. What other pages say of options is held to the same command line.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::{env, fs, io};

use clap::{Arg, ArgAction, Command};
use snapbox::IntoData;

use super::markdown::{self, Page};
use crate::common::project;

const REFERENCE: &str = "docs/options.md";

const HEAD: &str = "\
# Commands and options

This page is made from the programs, and `--help` says the same. `maxconnect4 COMMAND` and
`network COMMAND` are also `plyground maxconnect4 COMMAND` and `plyground network COMMAND`. `research COMMAND`,
which proves and is in no package, is `cargo run --release -p research -- COMMAND` in the repository.

An option means the same wherever it stands. Sizes are like `512MiB` or `2GiB`, times like `1s`,
`250ms` or `1m 30s`. `-` in place of a FILE is standard input where the file is read, and standard
output where it is written. A line that begins with the name of a game holds for that game only. Every
command of `network` and `research` takes the option `--rules`.
";

/// The beginnings and ends of paths in the repository. An installed program has none of these
/// files.
const REPOSITORY: [&str; 7] = ["README", ".md", "docs/", "inputs/", "results/", "src/", "tests/"];

/// Options of other programs that the pages name as well, which are not looked for in ours.
const FOREIGN: [&str; 8] =
    ["--bench", "--bin", "--example", "--no-deps", "--release", "--test", "--user", "--workspace"];

/// The commands whose work `cluster` shares: they stand behind its options with their own.
const SHARED: [&str; 7] = ["tournament", "grade", "match", "timing", "book", "solve", "openings"];

/// The programs that people call by their own names.
const PROGRAMS: [&str; 3] = ["maxconnect4", "network", "research"];

/// The command line of the program that has all others in it, and `research` besides, complete.
fn plyground() -> Command {
    let mut command = programs::command().subcommand(research::command());
    command.build();
    command
}

/// Returns the arguments that the help shows of a command: its own, without those that all have.
fn arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| {
        let is_common = matches!(arg.get_id().as_str(), "help" | "version");
        !is_common && !arg.is_hide_set()
    })
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

/// `-q, --quit`, `--seed N`, `[FILE]`.
fn name(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let value: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
    let value = value.join(" ");
    let Some(long) = arg.get_long() else {
        return if arg.is_required_set() { value } else { format!("[{value}]") };
    };
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let value = if takes_value(arg) { format!(" {value}") } else { String::new() };
    format!("{short}--{long}{value}")
}

/// Returns what the help says of an argument, with its values and its default.
fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| match value.get_help() {
            Some(help) if takes_value(arg) => format!("`{}`: {help}", value.get_name()),
            _ => format!("`{}`", value.get_name()),
        })
        .collect();
    if takes_value(arg) && !values.is_empty() {
        let _ = write!(text, ": {}", values.join("; "));
    }
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value(arg) && !defaults.is_empty() {
        let _ = write!(text, " (`{}` by default)", defaults.join(" "));
    }
    text.replace('|', "\\|").replace('<', "\\<").replace('\n', " ")
}

/// A line of a table, and the programs whose command has it.
type Line<'a> = (String, Vec<&'a str>);

/// A command as its programs have it.
struct Entry<'a> {
    /// The words that people type after the name of the program.
    words: String,
    programs: Vec<&'a str>,
    about: String,
    /// By the heading in the help, which most have none of.
    tables: BTreeMap<String, Vec<Line<'a>>>,
}

impl<'a> Entry<'a> {
    /// Adds the arguments that `program` has, except those named in `known`.
    fn add(&mut self, program: &'a str, command: &Command, known: &[&str]) {
        self.programs.push(program);
        for arg in arguments(command).filter(|arg| !known.contains(&arg.get_id().as_str())) {
            let heading = arg.get_help_heading().unwrap_or_default().to_owned();
            let line = format!("| `{}` | {} |", name(arg).replace('|', "\\|"), meaning(arg));
            let table = self.tables.entry(heading).or_default();
            match table.iter_mut().find(|(known, _)| *known == line) {
                Some((_, programs)) => programs.push(program),
                None => table.push((line, vec![program])),
            }
        }
    }

    /// The lines of a table. Those of one program among several say so.
    fn lines(&self, table: &[Line]) -> String {
        let line = |(line, programs): &Line| match programs[..] {
            [program] if self.programs.len() > 1 => {
                let (name, meaning) = line.split_once("` | ").unwrap_or((line, ""));
                format!("{name}` | `{program}`: {meaning}\n")
            }
            _ => format!("{line}\n"),
        };
        table.iter().map(line).collect()
    }
}

/// Adds a command with its subcommands, or a program to the same command of another. What all
/// subcommands have from the command above is `known`.
fn collect<'a>(
    entries: &mut Vec<Entry<'a>>,
    program: &'a str,
    words: &str,
    command: &Command,
    known: &[&str],
) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let place = entries.iter().position(|entry| entry.words == words && entry.about == about);
    let place = place.unwrap_or_else(|| {
        let (words, programs, tables) = (words.to_owned(), Vec::new(), BTreeMap::new());
        entries.push(Entry { words, programs, about, tables });
        entries.len() - 1
    });
    entries[place].add(program, command, known);
    let globals = command.get_arguments().filter(|arg| arg.is_global_set());
    let known: Vec<&str> = globals.map(|arg| arg.get_id().as_str()).collect();
    for inner in subcommands(command) {
        let words = format!("{words} {}", inner.get_name());
        collect(entries, program, words.trim_start(), inner, &known);
    }
}

fn entries(root: &Command) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    for program in subcommands(root) {
        match program.get_name() {
            name if PROGRAMS.contains(&name) => collect(&mut entries, name, "", program, &[]),
            own => collect(&mut entries, "plyground", own, program, &[]),
        }
    }
    entries.retain(|entry| !entry.tables.is_empty());
    entries.sort_by(|one, other| one.words.cmp(&other.words));
    entries
}

/// The page of reference. Groups of options that several commands share are written once.
fn reference(entries: &[Entry]) -> String {
    let mut text = HEAD.to_owned();
    let mut groups: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for entry in entries {
        for (heading, table) in entry.tables.iter().filter(|(heading, _)| !heading.is_empty()) {
            *groups.entry((heading, entry.lines(table))).or_default() += 1;
        }
    }
    groups.retain(|_, uses| *uses > 1);
    for entry in entries {
        let Entry { words, programs, about, tables } = entry;
        let is_only = entries.iter().filter(|other| other.words == *words).count() == 1;
        let title = match words.as_str() {
            "" => programs.join(", "),
            words if is_only => words.to_owned(),
            words => format!("{words}: {}", programs.join(", ")),
        };
        let called =
            programs.iter().map(|program| format!("`{program} {words}").trim().to_owned() + "`");
        let called = called.collect::<Vec<_>>().join(", ");
        let _ = write!(text, "\n## {title}\n\n{about}: {called}.\n");
        for (heading, table) in tables {
            let lines = entry.lines(table);
            if groups.contains_key(&(heading.as_str(), lines.clone())) {
                let anchor = markdown::slug(&group_title(heading));
                let _ = write!(text, "\nAnd the options [{heading}](#{anchor}).\n");
            } else {
                let _ = write!(text, "\n| {heading} | |\n| --- | --- |\n{lines}");
            }
        }
    }
    for (heading, lines) in groups.keys() {
        let title = group_title(heading);
        let _ = write!(text, "\n## {title}\n\n| | |\n| --- | --- |\n{lines}");
    }
    text
}

fn group_title(heading: &str) -> String {
    format!("Options of several commands: {heading}")
}

#[test]
fn reference_has_the_options_of_the_programs() -> io::Result<()> {
    let root = plyground();
    let expected = reference(&entries(&root));
    let path = project().join(REFERENCE);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        return fs::write(path, expected);
    }
    snapbox::Assert::new().eq(fs::read_to_string(path)?, expected.raw());
    Ok(())
}

/// The options of a command and of all above it, by the words that people type after `plyground`,
/// and whether each takes a value.
fn options(root: &Command, words: &[&str]) -> BTreeMap<String, bool> {
    let mut options = BTreeMap::new();
    let mut command = root;
    let mut words = words.iter();
    loop {
        for arg in command.get_arguments() {
            options.extend(arg.get_long().map(|long| (format!("--{long}"), takes_value(arg))));
        }
        match words.find_map(|word| command.find_subcommand(word)) {
            Some(inner) => command = inner,
            None => return options,
        }
    }
}

/// The options of all commands.
fn all_options(command: &Command) -> BTreeMap<String, Vec<bool>> {
    let mut all: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for (option, has_value) in options(command, &[]) {
        all.entry(option).or_default().push(has_value);
    }
    for (option, values) in subcommands(command).flat_map(all_options) {
        all.entry(option).or_default().extend(values);
    }
    all
}

/// The words before those of a command whose work is shared, and these behind the name of the game.
fn split_shared<'w, 'l>(words: &'w [&'l str]) -> (&'w [&'l str], Option<Vec<&'l str>>) {
    let is_cluster = words.get(1) == Some(&"cluster");
    let place = words.iter().position(|word| SHARED.contains(word)).filter(|_| is_cluster);
    match place {
        None => (words, None),
        Some(place) => {
            let command = words[..1].iter().chain(&words[place..]).copied().collect();
            (&words[..place], Some(command))
        }
    }
}

/// Returns the options of a command line on a page that the programs have not. Words between quotes
/// are one.
fn unknown(root: &Command, line: &str) -> Vec<String> {
    let Some(words) = shlex::split(line) else { return vec![format!("cannot be split: {line}")] };
    let is_end = |word: &String| matches!(word.as_str(), "|" | ";" | "&" | "&&" | "||");
    let mut unknown = Vec::new();
    for words in words.split(is_end) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (research, game): (Vec<&str>, Vec<&str>);
        let words = match words.as_slice() {
            // A game that is a program has the commands of every game.
            ["plyground", "--game", _, rest @ ..] => {
                game = [&["maxconnect4"][..], rest].concat();
                &game[..]
            }
            ["plyground", words @ ..] => words,
            ["cargo", "run", "--release", "-p", "research", "--", rest @ ..] => {
                research = [&["research"][..], rest].concat();
                &research[..]
            }
            [program, ..] if PROGRAMS.contains(program) => &words[..],
            _ => continue,
        };
        let (words, shared) = split_shared(words);
        let mut known = options(root, words);
        known.extend(shared.iter().flat_map(|words| options(root, words)));
        let words: Vec<&str> = words.iter().copied().chain(shared.into_iter().flatten()).collect();
        let named = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
        let named = named.map(|word| word.split('=').next().unwrap_or(word));
        let missing = named.filter(|option| !known.contains_key(*option));
        unknown.extend(missing.map(|option| format!("{option} in {line}")));
    }
    unknown
}

#[test]
fn options_on_the_pages_are_those_of_the_programs() -> io::Result<()> {
    let root = plyground();
    let all = all_options(&root);
    let mut faults = Vec::new();
    let mut count = 0;
    let mut pages = markdown::pages()?;
    // The one says what older programs had; the other is held to the league's own command line, in its tests.
    pages.retain(|page| !["CHANGELOG.md", "docs/league.md"].contains(&&*page.path));
    for page in pages {
        let Page { path, .. } = &page;
        let commands = page.blocks().iter().flat_map(markdown::Block::commands).collect::<Vec<_>>();
        let (spans, other): (Vec<_>, Vec<_>) =
            page.code().into_iter().partition(|code| code.starts_with("--"));
        for line in commands.iter().chain(&other) {
            faults.extend(unknown(&root, line).into_iter().map(|fault| format!("{path}: {fault}")));
        }
        for span in spans {
            let option = span.split([' ', '=']).next().unwrap_or_default();
            count += 1;
            if !all.contains_key(option) && !FOREIGN.contains(&option) {
                faults.push(format!("{path}: {span}"));
            }
        }
    }
    assert!(count > 100, "{count} options");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

#[test]
fn option_that_no_command_has_is_found() {
    let root = plyground();
    for (line, faults) in [
        ("maxconnect4 match random random --games 2", 0),
        ("maxconnect4 match random random --divide", 1),
        ("echo 4 | plyground network perft 3 --rules usf --divide", 0),
        ("network perft 3 --size=4x4 | grep --color x", 1),
        ("maxconnect4 book build --repertoire --plies 3", 0),
        ("maxconnect4 book merge --repertoire a b", 1),
        ("cargo run --release -p research -- solve --least --chips 7", 0),
        ("cargo run --release -p research -- solve --minimax", 1),
    ] {
        assert_eq!(unknown(&root, line).len(), faults, "{line}");
    }
}

#[test]
fn option_takes_a_value_everywhere_or_nowhere() {
    for (option, values) in all_options(&plyground()) {
        // The results of a submission go to a file, as its autograder wants them.
        let is_excepted = option == "--json";
        let is_same = values.iter().all(|value| *value == values[0]);
        assert!(is_same || is_excepted, "{option}");
    }
}

/// All that the help of a command and its subcommands says.
fn help(command: &Command) -> String {
    let mut command = command.clone();
    let inner: String = subcommands(&command).map(help).collect();
    format!("{}\n{inner}", command.render_long_help())
}

#[test]
fn help_names_no_file_of_the_repository() {
    let help = help(&plyground());
    assert!(help.contains("The Plyground manual describes"), "{help}");
    for part in REPOSITORY {
        let line = help.lines().find(|line| line.contains(part));
        assert_eq!(line, None, "`{part}`");
    }
}

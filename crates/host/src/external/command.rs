//! The command line of another person's program, and an exchange of files with it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anstream::adapter::strip_str;
use plyground_durable::excerpt;
use plyground_sandbox::{
    INPUT, Launch, Leftovers, Meter, OUTPUT, ProcessEnd, ProcessFailure, Sandbox, SandboxPolicy,
    name_files,
};
use thiserror::Error;

use super::java::find_class;
use super::prepared::{NotReady, start_words};
use crate::fault::Fault;

/// The placeholder of the file with the position before the move.
const INPUT_WORD: &str = "{in}";
/// The placeholder of the file for the position after the move.
const OUTPUT_WORD: &str = "{out}";
/// The word of the mode of the Max-Connect4 assignment in which a program makes one move.
pub const ONE_MOVE: &str = "one-move";
/// The word of the mode of the assignment in which a program plays a person.
pub const INTERACTIVE: &str = "interactive";
/// The placeholder of the number of plies to look ahead.
const DEPTH: &str = "{depth}";
/// The placeholder of a prepared submission, which only a player of a whole class may contain.
const START: &str = "{start}";
/// The beginning and the end of a word that stands for the words that start a prepared submission. The folder
/// of the submission is between the two.
const START_OF: [&str; 2] = ["{start:", "}"];

/// A program and its arguments, written as for a shell: blanks separate words, and quotes and backslashes
/// protect blanks. No shell ever reads it; `$`, `*`, `|` and the like are ordinary characters. The word
/// `{start:FOLDER}` stands for the words that start the submission in a [prepared](super::PreparedSubmission)
/// folder.
///
/// `Display` writes the text as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    /// The words, at least one.
    words: Vec<String>,
}

/// The words that start a program, and the files that it may see for that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramCommand {
    /// The program, as for a shell, and its arguments.
    pub words: Vec<String>,
    /// The files and folders that the author of the command has named. The words of a submission are not searched for
    /// files, so a name in them does not show a file to the program.
    pub files: Vec<PathBuf>,
}

impl ProgramCommand {
    /// Returns the words, with the main class of a `java` spelled as on the disk, and the policy of a sandbox
    /// that shows the files.
    pub(crate) fn under(self, policy: SandboxPolicy) -> (Vec<String>, SandboxPolicy) {
        (find_class(self.words), SandboxPolicy { named: self.files, ..policy })
    }
}

impl From<Vec<String>> for ProgramCommand {
    /// Returns a command that names no files but its program.
    fn from(words: Vec<String>) -> ProgramCommand {
        ProgramCommand { words, files: Vec::new() }
    }
}

/// The error of a text that is not a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The text has no word.
    #[error("expected a command")]
    Empty,
    /// A quote is not closed, or a backslash is the last character.
    #[error("expected a closing quote")]
    Quote,
    /// A placeholder of a file that the player needs is missing.
    #[error("expected {{in}} and {{out}} in the command, for the two files")]
    Files,
    /// A placeholder does not tell which submission to start.
    #[error(
        "expected `{{start:FOLDER}}` as a word of its own, with the folder of a prepared submission, and in quotes if \
         the folder's name has blanks: '{{start:my subs/ann}}'"
    )]
    Start,
}

impl CommandLine {
    /// Checks that the command has places for the two files of a file exchange.
    ///
    /// # Errors
    ///
    /// Returns an error if one is missing.
    pub(crate) fn with_files(self) -> Result<CommandLine, CommandError> {
        if self.mentions(INPUT_WORD) && self.mentions(OUTPUT_WORD) {
            Ok(self)
        } else {
            Err(CommandError::Files)
        }
    }

    /// Returns `true` if the command needs the number of plies to look ahead.
    #[must_use]
    pub fn needs_depth(&self) -> bool {
        self.mentions(DEPTH)
    }

    /// Checks that the prepared submissions in the command can be started. Returns the names of the installed programs
    /// that start them, each with the folder of its submission.
    ///
    /// # Errors
    ///
    /// Returns the reason why the first such submission cannot be started.
    pub fn check_start(&self) -> Result<Vec<(String, &str)>, NotReady> {
        let mut tools = Vec::new();
        for folder in self.words.iter().filter_map(|word| prepared_folder(word)) {
            tools.extend(start_words(Path::new(folder))?.tool.map(|tool| (tool, folder)));
        }
        Ok(tools)
    }

    /// Returns the program with its arguments. `{depth}` is replaced if a depth is given, and
    /// `{start:FOLDER}` if there is a prepared submission.
    #[must_use]
    pub fn program(&self, depth: Option<u32>) -> ProgramCommand {
        let mut command = ProgramCommand::default();
        for (index, word) in self.words.iter().enumerate() {
            if let Some(folder) = prepared_folder(word)
                && let Ok(start) = start_words(Path::new(folder))
            {
                command.files.push(start.folder);
                command.words.extend(start.words);
                continue;
            }
            // The program itself is found as a shell finds it.
            let (word, files) =
                if index == 0 { (word.clone(), Vec::new()) } else { name_files(word) };
            command.files.extend(files);
            command.words.push(match depth {
                Some(depth) => word.replace(DEPTH, &depth.to_string()),
                None => word,
            });
        }
        command
    }

    /// Returns the program with the arguments of its interactive mode: `interactive` in place of the word `one-move`,
    /// and `next` in place of `{out}`. Returns `None` if the command lacks one of these words.
    #[must_use]
    pub fn interactive(&self, depth: u32, next: &str) -> Option<ProgramCommand> {
        let mut command = self.program(Some(depth));
        for (word, other) in [(ONE_MOVE, INTERACTIVE), (OUTPUT_WORD, next)] {
            let place = command.words.iter_mut().find(|found| *found == word)?;
            *place = other.to_owned();
        }
        Some(command)
    }

    /// Replaces `{in}` and `{out}` by the names of the files.
    #[must_use]
    pub fn fill_files(words: &[String], input: &Path, output: &Path) -> Vec<String> {
        let [input, output] = [input, output].map(|path| path.to_string_lossy());
        words
            .iter()
            .map(|word| word.replace(INPUT_WORD, &input).replace(OUTPUT_WORD, &output))
            .collect()
    }

    fn mentions(&self, place: &str) -> bool {
        self.words.iter().any(|word| word.contains(place))
    }
}

/// Returns the folder of the prepared submission that a word stands for, if it stands for one.
fn prepared_folder(word: &str) -> Option<&str> {
    let [start, end] = START_OF;
    word.strip_prefix(start)?.strip_suffix(end).filter(|folder| !folder.is_empty())
}

impl FromStr for CommandLine {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<CommandLine, CommandError> {
        let words = shlex::split(text).ok_or(CommandError::Quote)?;
        if words.first().is_none_or(String::is_empty) {
            return Err(CommandError::Empty);
        }
        let is_start = |word: &String| word.contains(START) || word.contains(START_OF[0]);
        if words.iter().any(|word| is_start(word) && prepared_folder(word).is_none()) {
            return Err(CommandError::Start);
        }
        Ok(CommandLine { text: text.to_owned(), words })
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The most bytes of each file that are read: more than any state file has.
pub(super) const MOST_BYTES: u64 = 256 * 1024;

/// The results of a program that ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The beginnings of the files that it was to write, in the order of their names; `None` for a file that it has not
    /// written.
    pub files: Vec<Option<Vec<u8>>>,
    /// The name of another file that it has written, if it has not written one of these.
    pub other_file: Option<String>,
    /// The text that the program printed to standard output, without the codes of a terminal for colors and the like:
    /// their numbers are no part of a score or a board.
    pub stdout: String,
    /// If true, the text is cut off.
    pub is_cut: bool,
    /// The number of lines of those that a person types that the program has read.
    pub read_lines: usize,
}

impl Exchange {
    /// Returns the content of the first file, if there is one.
    #[must_use]
    pub fn output(&self) -> Option<&[u8]> {
        self.files.first()?.as_deref()
    }
}

/// The words before the last lines that a program has printed.
pub const PRINTED_LAST: &str = "; it printed at the end: ";

/// Returns the words about the last two lines that a program has printed, for the end of a fault; empty if it has
/// printed nothing. A program that refuses its input says so there, and may take its leave in the last line.
#[must_use]
pub fn printed_last(stdout: &str) -> String {
    let mut lines =
        stdout.lines().rev().map(str::trim).filter(|line| !line.is_empty()).map(excerpt);
    match (lines.next(), lines.next()) {
        (Some(last), Some(before)) => format!("{PRINTED_LAST}{before} / {last}"),
        (Some(last), None) => format!("{PRINTED_LAST}{last}"),
        (None, _) => String::new(),
    }
}

/// Returns the words about a file that a program has written in place of its output. Without such a file, the text is
/// empty.
#[must_use]
pub fn wrote_instead(other_file: Option<&str>) -> String {
    other_file.map(|name| format!(", but `{}`", excerpt(name))).unwrap_or_default()
}

/// Runs a program once with the input file `input`, for its output file. `command` has [places](CommandLine) for the
/// two files, whose names are `names`.
///
/// # Errors
///
/// Returns a fault if the program cannot be started, is ended for exceeding a limit or by a signal, or if its
/// result is no longer wanted. The exit code does not matter.
pub fn exchange(
    command: ProgramCommand,
    input: &str,
    names: [&str; 2],
    policy: &SandboxPolicy,
) -> Result<Exchange, Fault> {
    run(command, names, policy, |launch| {
        launch.with_input(names[0], input.to_owned()).with_files(&names[1..], MOST_BYTES)
    })
}

/// Runs a program once with the input file `input`, and `typed` as all that a person types, for the files with these
/// names in its current folder.
///
/// # Errors
///
/// Returns a fault as [`exchange`] does.
pub fn converse(
    command: ProgramCommand,
    input: &str,
    typed: &str,
    files: &[&str],
    policy: &SandboxPolicy,
) -> Result<Exchange, Fault> {
    run(command, [INPUT, OUTPUT], policy, |launch| {
        let launch = launch.with_input(INPUT, input.to_owned()).with_typed(typed.to_owned());
        launch.with_files(files, MOST_BYTES)
    })
}

fn run(
    command: ProgramCommand,
    names: [&str; 2],
    policy: &SandboxPolicy,
    files: impl FnOnce(Launch) -> Launch,
) -> Result<Exchange, Fault> {
    let (words, policy) = command.under(policy.clone());
    let sandbox = Sandbox::new(&words, &policy);
    let mut sandbox = sandbox.map_err(|error| ProcessFailure::system(&error))?;
    let [from, to] = names.map(|name| sandbox.folder().join(name));
    let words = CommandLine::fill_files(&words, &from, &to);
    let mut meter = Meter::new(&policy);
    let budget = meter.budget(None);
    let cpu = budget.cpu.map(|cpu| cpu.left);
    let launch = files(Launch::new(words, cpu)).with_printed(MOST_BYTES);
    let end = sandbox.run(launch, budget.wall.left, &|| policy.is_stopped());
    meter.spend(sandbox.cpu(), sandbox.wall());
    meter.delay(sandbox.delay());
    match end {
        None => Err(Fault::Quit),
        Some(ProcessEnd::Exit(_)) => {
            let left = sandbox.take_leftovers();
            let stdout = strip_str(&String::from_utf8_lossy(&left.printed)).to_string();
            let is_cut = left.printed.len() as u64 >= MOST_BYTES;
            let Leftovers { files, other_file, read_lines, .. } = left;
            Ok(Exchange { files, other_file, stdout, is_cut, read_lines })
        }
        Some(end) => {
            let failure = meter.failure(&end, &budget);
            Err(Fault::of_program(failure, &sandbox.take_leftovers().errors))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_two_lines_are_quoted() {
        assert_eq!(printed_last(" \n\n"), "");
        assert_eq!(printed_last("full\n"), "; it printed at the end: full");
        assert_eq!(printed_last("a\nno file\n\n bye\n"), "; it printed at the end: no file / bye");
    }

    #[test]
    fn words_are_those_of_a_shell() -> Result<(), CommandError> {
        let command: CommandLine = r#"java -cp 'my subs/ann' main "a b"\ c $HOME"#.parse()?;
        let words = command.program(None).words;
        assert_eq!(words, ["java", "-cp", "my subs/ann", "main", "a b c", "$HOME"]);
        Ok(())
    }

    #[test]
    fn places_are_filled_inside_words_too() -> Result<(), CommandError> {
        let command: CommandLine = "play --in={in} {out} -d{depth}".parse()?;
        assert!(command.needs_depth());
        let words = command.with_files()?.program(Some(7)).words;
        let words = CommandLine::fill_files(&words, Path::new("/t/a b"), Path::new("/t/c"));
        assert_eq!(words, ["play", "--in=/t/a b", "/t/c", "-d7"]);
        Ok(())
    }

    #[test]
    fn interactive_mode_has_other_words() -> Result<(), CommandError> {
        let command: CommandLine = "java ann one-move {in} {out} {depth}".parse()?;
        let words = command.interactive(3, "human-next").map(|command| command.words);
        let words = words.unwrap_or_default();
        assert_eq!(words, ["java", "ann", "interactive", "{in}", "human-next", "3"]);
        for other in ["ann {in} {out}", "ann one-move {in} --to={out}"] {
            let command: CommandLine = other.parse()?;
            assert_eq!(command.interactive(3, "human-next"), None, "{other}");
        }
        Ok(())
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let parse = |text: &str| text.parse::<CommandLine>();
        assert_eq!(parse(""), Err(CommandError::Empty));
        assert_eq!(parse("  "), Err(CommandError::Empty));
        assert_eq!(parse("'' a"), Err(CommandError::Empty));
        assert_eq!(parse("a 'b"), Err(CommandError::Quote));
        for text in ["{start} {in}", "{start:} x", "nice={start:a}", "{start:a b}"] {
            assert_eq!(parse(text), Err(CommandError::Start), "{text}");
        }
        assert!(parse("nice '{start:a b}' {in}").is_ok());
        assert_eq!(parse("a {in}").and_then(CommandLine::with_files), Err(CommandError::Files));
    }
}

//! The player whose program is started for every move, and exchanges files; the file that it writes.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plyground::Game;
use plyground_durable::input::decode_lossy;
use plyground_sandbox::{
    INPUT, Launch, Leftovers, Meter, OUTPUT, ProcessEnd, ProcessFailure, Sandbox, SandboxPolicy,
    TurnBudget,
};

use super::command::{CommandLine, MOST_BYTES, ProgramCommand, printed_last, wrote_instead};
use crate::adapter::MoveText;
use crate::fault::Fault;
use crate::game::HostedPosition;
use crate::player::{Answer, Player, Turn};
use crate::state::{LineEnds, StateText, TextError};

/// The size in bytes above which an output cannot be a state file.
const LONGEST_OUTPUT: u64 = 64 * 1024;

/// The line ends of the files that a program reads in all games of a run, as far as they are known.
///
/// Files have CR LF, like those of the assignments. If the program fails at such a file before its first move, it is
/// asked once more with LF; if it then makes a legal move, all later files have LF. Clones share the knowledge, because
/// a program has a new player in every game.
#[derive(Clone, Debug, Default)]
pub struct KnownLineEnds(Arc<OnceLock<LineEnds>>);

impl KnownLineEnds {
    /// Returns the line ends of the next file.
    #[must_use]
    pub fn get(&self) -> LineEnds {
        self.known().unwrap_or_default()
    }

    /// Returns a warning, as one line, if the program with this name reads LF only.
    #[must_use]
    pub fn warning(&self, name: &str) -> Option<String> {
        let is_lf = self.get() == LineEnds::Lf;
        is_lf.then(|| format!("{name} reads LF only: its files had LF in place of CR LF"))
    }

    fn known(&self) -> Option<LineEnds> {
        self.0.get().copied()
    }

    fn learn(&self, line_ends: LineEnds) {
        // The first move in any game decides.
        let _ = self.0.set(line_ends);
    }
}

impl From<LineEnds> for KnownLineEnds {
    fn from(line_ends: LineEnds) -> KnownLineEnds {
        KnownLineEnds(Arc::new(OnceLock::from(line_ends)))
    }
}

/// A program that reads a position in one file and writes the next into another.
#[derive(Debug)]
pub struct FilePlayer {
    words: Vec<String>,
    policy: SandboxPolicy,
    /// If true, the output may lack or mistake the next player, or be printed in place of a file.
    lenient: bool,
    /// The line ends of the files for the program, which other players of it may know or learn.
    pub line_ends: KnownLineEnds,
    meter: Meter,
    turn_time: Duration,
    /// The sandbox in which the program is started, from its first move on.
    sandbox: Option<Sandbox>,
}

/// A program that has run.
struct Run {
    end: ProcessEnd,
    cpu: Duration,
    wall: Duration,
    /// The time for which it kept the host waiting after its end.
    delay: Duration,
    /// The move in its output, or the fault of the output; `None` if only the end of the program counts.
    answer: Option<Result<MoveText, Fault>>,
    /// The beginning and the end of the text that it has printed to standard error.
    errors: Vec<u8>,
}

impl Run {
    fn has_moved(&self) -> bool {
        matches!(self.answer, Some(Ok(_)))
    }

    /// Returns true if the program ended without a legal move, and no limit ended it.
    fn has_failed(&self) -> bool {
        matches!(self.end, ProcessEnd::Exit(_) | ProcessEnd::Signal(_)) && !self.has_moved()
    }
}

impl FilePlayer {
    /// Returns a player for one game. `command` has [places](CommandLine) for the files. If `lenient` is
    /// true, outputs in which the next player is missing or wrong are accepted, and a board that is printed if no file
    /// is written.
    #[must_use]
    pub fn new(
        command: impl Into<ProgramCommand>,
        policy: SandboxPolicy,
        lenient: bool,
    ) -> FilePlayer {
        let meter = Meter::new(&policy);
        let (words, policy) = command.into().under(policy);
        let line_ends = KnownLineEnds::default();
        let turn_time = Duration::ZERO;
        FilePlayer { words, policy, lenient, line_ends, meter, turn_time, sandbox: None }
    }

    /// Runs the program in `sandbox`, with a file with these line ends.
    fn run(
        &self,
        sandbox: &mut Sandbox,
        position: &HostedPosition,
        line_ends: LineEnds,
        budget: &TurnBudget,
    ) -> Result<Run, Fault> {
        let [input, output] = [INPUT, OUTPUT].map(|name| sandbox.folder().join(name));
        let cpu = budget.cpu.map(|cpu| cpu.left);
        let words = CommandLine::fill_files(&self.words, &input, &output);
        let state = line_ends.lay_out(&position.state());
        let launch = Launch::new(words, cpu).with_input(INPUT, state);
        let launch = launch.with_files(&[OUTPUT], LONGEST_OUTPUT).with_printed(MOST_BYTES);
        let end = sandbox.run(launch, budget.wall.left, &|| self.policy.is_stopped());
        let end = end.ok_or(Fault::Quit)?;
        let left = sandbox.take_leftovers();
        let answer = self.judge(&end, &left, position);
        let (cpu, wall, delay) = (sandbox.cpu(), sandbox.wall(), sandbox.delay());
        Ok(Run { end, cpu, wall, delay, answer, errors: left.errors })
    }

    /// Runs the program again with LF, after it has failed with CR LF. Returns the run that counts: the other run costs
    /// the program nothing.
    fn run_again(
        &self,
        position: &HostedPosition,
        failed: Run,
        budget: &TurnBudget,
    ) -> Result<Run, Fault> {
        // If both runs fail, the log has the errors of the first, which counts.
        let policy = SandboxPolicy { log: None, ..self.policy.clone() };
        let mut sandbox = new_sandbox(&self.words, &policy)?;
        // Both runs together are one turn, or a program would think in the run that costs it nothing.
        let rest = budget.after(failed.cpu, failed.wall);
        let again = self.run(&mut sandbox, position, LineEnds::Lf, &rest)?;
        if let Some(why) = again.end.fault_of_system() {
            return Err(Fault::System { why });
        }
        let (counted, other) = if again.has_moved() { (again, failed) } else { (failed, again) };
        if let Some(allowance) = &self.policy.allowance {
            // The allowance is the time of the user, not of the program.
            allowance.spend(other.wall + other.delay);
        }
        if counted.has_moved() {
            self.line_ends.learn(LineEnds::Lf);
        }
        Ok(counted)
    }

    fn judge(
        &self,
        end: &ProcessEnd,
        left: &Leftovers,
        position: &HostedPosition,
    ) -> Option<Result<MoveText, Fault>> {
        let ProcessEnd::Exit(code) = end else { return None };
        let written = left.files.first().and_then(|file| file.as_deref().map(decode_lossy));
        match written.filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let read = |lenient| move_in_output(position, &text, lenient);
                Some(read(self.lenient).map_err(|fault| match fault {
                    Fault::IllegalMove { why } if read(true).is_ok() => {
                        illegal(format!("{why} ({ACCEPTED})"))
                    }
                    fault => fault,
                }))
            }
            None if *code == 0 => {
                // The end of a longer text is not known.
                let is_whole = (left.printed.len() as u64) < MOST_BYTES;
                let printed = String::from_utf8_lossy(&left.printed);
                let is_judged = is_whole && self.lenient;
                if let Some(mv) = is_judged.then(|| move_printed(position, &printed)).flatten() {
                    return Some(Ok(mv));
                }
                let last = if is_whole { printed_last(&printed) } else { String::new() };
                let instead = wrote_instead(left.other_file.as_deref());
                Some(Err(Fault::no_answer(format!("it wrote no output{instead}{last}"))))
            }
            None => None,
        }
    }
}

fn new_sandbox(words: &[String], policy: &SandboxPolicy) -> Result<Sandbox, Fault> {
    Sandbox::new(words, policy).map_err(|error| ProcessFailure::system(&error).into())
}

impl Player for FilePlayer {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let budget = self.meter.budget(turn.limit);
        // Another game may learn the line ends while the program runs.
        let known = self.line_ends.known();
        let line_ends = known.unwrap_or_default();
        let mut sandbox = match self.sandbox.take() {
            Some(sandbox) => sandbox,
            None => new_sandbox(&self.words, &self.policy)?,
        };
        let mut run = self.run(&mut sandbox, turn.position, line_ends, &budget)?;
        if run.has_failed() && known.is_none() {
            // A sandbox has room on the disk, which is now for the other run.
            drop(sandbox);
            run = self.run_again(turn.position, run, &budget)?;
        } else {
            if run.has_moved() {
                self.line_ends.learn(line_ends);
            }
            self.sandbox = Some(sandbox);
        }
        self.turn_time = run.wall;
        self.meter.spend(run.cpu, self.turn_time);
        self.meter.delay(run.delay);
        match run.answer {
            Some(mv) => mv.map(|mv| Answer::Move(mv.into())),
            None => Err(Fault::of_program(self.meter.failure(&run.end, &budget), &run.errors)),
        }
    }

    fn allows_take_back(&self) -> bool {
        true
    }

    fn turn_time(&self) -> Option<Duration> {
        Some(self.turn_time)
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.meter.cpu())
    }
}

/// The most symbols to read of an output with foreign symbols in its board, for each symbol of a state. Without the
/// limit, the comparison with every legal move could take long, because an output may be much longer than a state.
const MOST_SYMBOLS: usize = 4;

/// Returns the move that leads from `position` to the one in `text`. Only symbols matter, not their layout.
///
/// If `lenient` is true, slips are accepted: the next player is missing, is the player that has moved, or is something
/// else, or other characters, such as commas, separate the symbols.
///
/// # Errors
///
/// Returns the fault by which a player with this output loses.
pub fn move_in_output(
    position: &HostedPosition,
    text: &str,
    lenient: bool,
) -> Result<MoveText, Fault> {
    let found = symbols(text);
    let own_name = last_line(&position.state());
    let mut nearly = None;
    for mv in position.legal_moves() {
        let after = position.after(mv).state();
        let next_player = last_line(&after);
        let (after, next_player) = (symbols(&after), next_player.len());
        if found == after {
            return Ok(mv);
        }
        let cells = &after[..after.len() - next_player];
        let room = after.len().saturating_mul(MOST_SYMBOLS);
        let mut known = found.chars().take(room).filter(|&symbol| after.contains(symbol));
        if found == cells {
            nearly = Some((mv, "the next player is missing in its output"));
        } else if found.strip_prefix(cells) == Some(&own_name) {
            nearly = Some((mv, "the next player in its output is itself"));
        } else if found.starts_with(cells) {
            nearly = Some((mv, "something else follows the board in its output"));
        } else if cells.chars().all(|cell| known.next() == Some(cell)) {
            nearly = Some((mv, "other symbols are in the board in its output"));
        }
    }
    match nearly {
        Some((mv, _)) if lenient => Ok(mv),
        Some((_, why)) => Err(illegal(why.to_owned())),
        None => Err(illegal(describe(position, text))),
    }
}

/// Returns the lines of a text without blanks and frames: their letters, digits, and symbols of `state`. Lines without
/// any are left out.
#[must_use]
pub fn rows(text: &str, state: &str) -> Vec<String> {
    let is_symbol = |it: &char| it.is_alphanumeric() || !it.is_whitespace() && state.contains(*it);
    let rows = text.lines().map(|line| line.chars().filter(is_symbol).collect());
    rows.filter(|row: &String| !row.is_empty()).collect()
}

/// Returns the rows of the board of a position, in the symbols of its state.
#[must_use]
pub fn rows_of_board(position: &HostedPosition) -> Vec<String> {
    let state = position.state();
    let mut rows = rows(&state, &state);
    // The last line of a state is the next player.
    rows.pop();
    rows
}

/// Returns the rows of the last board in a printed text: of the size of the board of `position`, and in symbols of its
/// state.
#[must_use]
pub fn last_board(position: &HostedPosition, printed: &str) -> Option<Vec<String>> {
    let state = position.state();
    let (board, printed) = (rows_of_board(position), rows(printed, &state));
    let is_row = |row: &String| row.chars().all(|symbol| state.contains(symbol));
    let mut boards = printed.windows(board.len().max(1)).rev();
    let is_board = |rows: &&[String]| {
        rows.iter().zip(&board).all(|(row, other)| row.len() == other.len() && is_row(row))
    };
    Some(boards.find(is_board)?.to_vec())
}

/// Returns the move that leads from `position` to the last board in a printed text, without regard to the next player;
/// `None` if no legal move does.
#[must_use]
pub fn move_printed(position: &HostedPosition, printed: &str) -> Option<MoveText> {
    let board = last_board(position, printed)?;
    position.legal_moves().find(|&mv| rows_of_board(&position.after(mv)) == board)
}

/// The words about a slip that a person may decide to accept.
const ACCEPTED: &str = "accepted with `lenient`, an option of matches and tournaments";

fn illegal(why: String) -> Fault {
    Fault::IllegalMove { why }
}

/// Returns the reason why the text is not a position after a legal move.
fn describe(position: &HostedPosition, text: &str) -> String {
    let state = position.state();
    let layout = StateText::from_lines(&state);
    let text = StateText::new(text.to_owned());
    let has_all = text.symbols().count() == layout.symbols().count();
    // Blanks are removed unless they separate words in the state, because a program may add blanks between cells.
    let blank: &[char] = if state.contains(' ') { &[] } else { &[' ', '\t'] };
    let cells = text.as_str().replace(blank, "");
    let text = if has_all { StateText::new(layout.with_symbols(&cells)) } else { text };
    match position.game().parse_state(&text) {
        Ok(after) if after == *position => "its output is the position before the move".to_owned(),
        Ok(after) if board(&after) == board(position) => {
            "its output is the position before the move, except for the next player".to_owned()
        }
        Ok(after) => difference(position, &after),
        Err(fault) => {
            format!("its output is no position, {}", with_line_end(fault, &text, &state))
        }
    }
}

/// Returns the reason why no legal move leads to the position in an output, whose board differs.
fn difference(position: &HostedPosition, output: &HostedPosition) -> String {
    let cells = |position: &HostedPosition| board(position).chars().collect::<Vec<_>>();
    let changed = |one: &[char], other: &[char]| -> Vec<usize> {
        let pairs = one.iter().zip(other).enumerate();
        pairs.filter(|(_, (one, other))| one != other).map(|(cell, _)| cell).collect()
    };
    let (before, found) = (cells(position), cells(output));
    let differ = changed(&before, &found);
    let mut empty = Vec::new();
    for mv in position.legal_moves() {
        let expected = cells(&position.after(mv));
        let filled = changed(&before, &expected);
        if let [cell] = changed(&expected, &found)[..]
            && filled.contains(&cell)
            && differ.contains(&cell)
        {
            let (found, expected) = (found[cell], expected[cell]);
            return format!("its output has `{found}` where the move `{mv}` puts `{expected}`");
        }
        // As far as one can tell without the rules, a cell is empty if it is the only one that a move changes.
        if let [cell] = filled[..] {
            empty.push(before[cell]);
        }
    }
    let differing = match differ.len() {
        1 => {
            let cell = differ[0];
            let place = place_of(position, cell);
            let place = place.map(|(row, column)| format!(" in row {row}, column {column}"));
            format!("`{}` became `{}`{}", before[cell], found[cell], place.unwrap_or_default())
        }
        count @ 2.. if differ.iter().all(|&cell| empty.contains(&before[cell])) => {
            format!("{count} cells differ, as after several moves")
        }
        count => format!("{count} cells differ"),
    };
    format!("no legal move leads to the position in its output, in which {differing}")
}

/// Returns the row and the column, both from 1, of a cell by its number in the state of a position.
fn place_of(position: &HostedPosition, cell: usize) -> Option<(usize, usize)> {
    let rows = rows_of_board(position);
    let lengths = rows.iter().map(|row| row.chars().count());
    let mut places =
        (1..).zip(lengths).flat_map(|(row, length)| (1..=length).map(move |at| (row, at)));
    places.nth(cell)
}

/// Returns the symbols of a position without the side to move.
fn board(position: &HostedPosition) -> String {
    let state = position.state();
    symbols(state.rsplit_once('\n').map_or("", |(board, _)| board))
}

/// The numbers that a program makes of the characters of a line end if it takes them for digits.
const LINE_ENDS_AS_DIGITS: [(&str, &str); 2] = [("-35", "CR"), ("-38", "LF")];

/// Returns the fault with a line end as what was found, if the program has read one in the input as a cell: a CR that
/// ends no line has made the line of the fault, or a line end counts as a digit. `state` is the text of the input.
fn with_line_end(fault: TextError, text: &StateText, state: &str) -> TextError {
    let text = text.as_str().replace("\r\n", "\n");
    let row = text.split(['\n', '\r', '/']).nth(fault.line.saturating_sub(1)).unwrap_or_default();
    let mut as_digits = LINE_ENDS_AS_DIGITS.iter().filter(|(number, _)| !state.contains(number));
    if let Some((number, end)) = as_digits.find(|(number, _)| row.contains(number)) {
        let found =
            format!("{number}, which is {end} as a digit: a line end of the input is no cell");
        return TextError { found, ..fault };
    }
    if !text.contains('\n') {
        return fault;
    }
    let mut ends = (1..).zip(text.matches(['\r', '\n', '/']));
    // The CR ends one line for the reader, and begins the next.
    if ends.any(|(line, end)| end == "\r" && [line, line + 1].contains(&fault.line)) {
        let found = "a stray CR: read CR LF in the input as one line end".to_owned();
        return TextError { found, ..fault };
    }
    fault
}

fn symbols(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn last_line(text: &str) -> String {
    symbols(text.lines().next_back().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::toy;

    /// Reads the output of a program that was to move on an empty board.
    fn read(text: &str, lenient: bool) -> Result<String, String> {
        let mv = move_in_output(&toy().start(), text, lenient);
        mv.map(|mv| mv.to_string()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn layout_does_not_matter() {
        for text in
            ["...\n.X.\n...\nO\n", "...\r\n.X.\r\n...\r\nO", "....X....O", " . . .\n\n.X....O\n\n"]
        {
            assert_eq!(read(text, false), Ok("5".to_owned()), "{text:?}");
        }
    }

    #[test]
    fn board_that_is_printed_last_tells_the_move() {
        let printed = |text: &str| move_printed(&toy().start(), text).map(|mv| mv.to_string());
        let after = " | . . . |\n | . X . |\n | . . . |\n";
        for (text, mv) in [
            (format!("before:\n...\n...\n...\nafter:\n-----\n{after}-----\nScore: 0\n"), Some("5")),
            (format!("{after}X..\n...\n...\n"), Some("1")),
            (format!("{after}X..\n.O.\n...\n"), None),
            (format!("{after}...\n...\n...\n"), None),
            (".X.\n...\n".to_owned(), None),
            ("no board".to_owned(), None),
        ] {
            assert_eq!(printed(&text).as_deref(), mv, "{text}");
        }
    }

    #[test]
    fn slips_matter_to_all_but_the_lenient() {
        for (text, why) in [
            ("....X....", "is missing"),
            ("....X....X", "is itself"),
            ("....X....?", "something else follows"),
            ("....X....O\nScore: 0", "something else follows"),
            (".,.,.\n.,X,.\n.,.,.\nO\n", "other symbols"),
        ] {
            assert_eq!(read(text, true), Ok("5".to_owned()));
            let fault = read(text, false).expect_err("a fault");
            assert!(fault.starts_with("illegal move, ") && fault.contains(why), "{fault}");
        }
        // More is not a slip.
        assert!(read(&format!("{}....X....O", ",".repeat(1_000)), true).is_err());
    }

    #[test]
    fn faults_say_what_is_wrong() {
        for (text, why) in [
            (".........X", "its output is the position before the move"),
            ("X...X....O", "no legal move leads to the position in its output"),
            ("XO.......X", "in which 2 cells differ, as after several moves"),
            ("hello", "its output is no position"),
            // A blank to some, but not to the readers of state files.
            ("\u{b}.X..X...O", "its output is no position"),
            (".........\u{b}X", "its output is no position"),
            (
                "...\n\r..\n.\r.\nO",
                "2:1: expected a row of 3 cells, found a stray CR: read CR LF in the input as one",
            ),
            (
                "000-35\n000-35\n",
                "found -35, which is CR as a digit: a line end of the input is no",
            ),
            (
                "000-38000-38",
                "found -38, which is LF as a digit: a line end of the input is no cell",
            ),
            // A blank line without a CR, or with CR at the end of every line, is only a blank line.
            ("...\n\n..\n.X.\nO", "2:1: expected a row of 3 cells, found an empty line"),
            ("...\r\r..\r.X.\rO", "2:1: expected a row of 3 cells, found an empty line"),
        ] {
            let fault = read(text, true).expect_err("a fault");
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }
}

//! The person who plays at a terminal or a pipe, the lines of input, and the rules of the game as text for a terminal.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;

use anstream::adapter::strip_str;
use plyground::Game;
use plyground::clock::Instant;
use plyground_durable::excerpt;
use plyground_durable::input::LineDecoder;
use plyground_durable::output::write_whole;

use super::interface::{Answer, Player, Turn};
use crate::adapter::{Figure, Lesson, MoveText, Text};
use crate::engine::{Constraints, EngineOptions, Strength};
use crate::fault::Fault;
use crate::game::{HostedEngine, HostedGame, HostedPosition};
use crate::page::Picture;
use crate::state::StateText;

/// A person who types moves, and may ask for help, a hint or the legal moves, undo a move, or quit.
///
/// A line that is not a legal move is answered with the reason, and another line is read.
pub struct Human {
    console: Console,
    /// The engine that gives hints, which is made for the first hint.
    adviser: Option<Box<dyn HostedEngine>>,
}

const COMMANDS: &str = "\
Or one of these commands:
  hint       a good move
  moves      the legal moves
  undo       take back your last move
             and the reply to it
  save FILE  save the position
  resign     give up; also quit and q
  help       this text
";

enum Request {
    Answer(Answer),
    /// Only this text is shown, and the next line is read.
    Text(String),
    Quit,
}

/// Reads the legal move that a person has typed.
///
/// # Errors
///
/// Returns the reason why the text is not a legal move, as one line; `or` is appended to the expected form.
pub fn read_legal_move(
    position: &HostedPosition,
    text: &str,
    or: &str,
) -> Result<MoveText, String> {
    let Some(mv) = position.parse_move(text) else {
        let expected = only_move(position).map_or_else(
            || position.game().move_hint(),
            |only| format!("`{only}`, the only legal move"),
        );
        let found = match text {
            "" => "nothing".to_owned(),
            _ => format!("`{}`", excerpt(text)),
        };
        return Err(format!("expected {expected}{or}, found {found}"));
    };
    position.check_legal(mv).map_err(|illegal| illegal.to_string())?;
    Ok(mv)
}

/// Returns the only legal move, if there is just one.
fn only_move(position: &HostedPosition) -> Option<MoveText> {
    let mut moves = position.legal_moves();
    moves.next().filter(|_| moves.next().is_none())
}

/// Returns the only legal move if that is a pass, for which a person is not asked.
#[must_use]
pub fn forced_pass(position: &HostedPosition) -> Option<MoveText> {
    only_move(position).filter(|&mv| position.is_pass(mv))
}

impl Human {
    /// Returns the player at `console`.
    #[must_use]
    pub fn new(console: Console) -> Human {
        Human { console, adviser: None }
    }

    fn understand(&mut self, turn: &Turn<'_>, line: &str) -> Request {
        let position = turn.position;
        match line {
            "help" | "?" => Request::Text(self.help(position)),
            "moves" => {
                let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
                Request::Text(filled(&moves.join(" "), self.console.width()))
            }
            "hint" => Request::Text(self.hint(position)),
            "undo" if turn.may_take_back => Request::Answer(Answer::TakeBack),
            "undo" => Request::Text("you have no move to take back\n".to_owned()),
            "quit" | "q" | "resign" => Request::Quit,
            _ if line.split_whitespace().next() == Some("save") => {
                Request::Text(save(position, line["save".len()..].trim()))
            }
            _ => match read_legal_move(position, line, ", or `help`") {
                Ok(mv) => Request::Answer(Answer::Move(mv.into())),
                Err(why) => Request::Text(format!("{why}\n")),
            },
        }
    }

    /// Returns the rules of the game, and the commands.
    fn help(&self, position: &HostedPosition) -> String {
        let game = position.game();
        let width = self.console.width();
        let rules = self.console.fitted(&rules_text(&*game, width));
        let moves = filled(&format!("Type {} to move.", game.move_hint()), width);
        format!("{rules}{moves}{COMMANDS}")
    }

    /// Returns a good move, with its value.
    fn hint(&mut self, position: &HostedPosition) -> String {
        let game = position.game();
        let adviser = self.adviser.get_or_insert_with(|| game.engine(EngineOptions::default()));
        let chosen = adviser.choose(position, Strength::Default, &Constraints::default());
        let chosen = match chosen {
            Ok(Some(chosen)) => chosen,
            Ok(None) => return String::new(),
            Err(error) => return format!("{error}\n"),
        };
        let (value, depth) = (game.show(chosen.value), chosen.depth.unwrap_or_default());
        format!("{}  ({value}, depth {depth})\n", chosen.mv)
    }
}

impl Player for Human {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        if let Some(pass) = forced_pass(turn.position) {
            return Ok(Answer::Move(pass.into()));
        }
        let died = |error: io::Error| Fault::Died { how: error.to_string() };
        loop {
            let prompt = format!("{}: ", turn.position.text(Text::Prompt));
            let line = match self.console.ask(&prompt, turn.deadline()).map_err(died)? {
                Input::Line(line) => line,
                Input::End => return Err(Fault::EndOfInput),
                Input::TimedOut => {
                    let limit = turn.limit.unwrap_or_default();
                    return Err(Fault::WallLimit { limit });
                }
            };
            match self.understand(turn, line.trim()) {
                Request::Answer(answer) => return Ok(answer),
                Request::Text(text) => self.console.show(&text).map_err(died)?,
                Request::Quit => return Err(Fault::Quit),
            }
        }
    }
}

/// Writes the state file of the position, and returns a message about the result.
fn save(position: &HostedPosition, path: &str) -> String {
    if path.is_empty() {
        return "expected a file: save FILE\n".to_owned();
    }
    let text = StateText::from_lines(&position.state());
    match write_whole(Path::new(path), text.as_str()) {
        Ok(()) => format!("the position is in {path}\n"),
        Err(error) => format!("{error}\n"),
    }
}

/// The default width of a console, in characters.
const WIDTH: usize = 76;

/// The blanks between a board and the notes beside it.
const GAP: &str = "   ";

/// The input from a [`LineSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its end, with U+FFFD in place of bytes that are not UTF-8.
    Line(String),
    /// The input has ended.
    End,
    /// No line came in time.
    TimedOut,
}

/// A source of typed lines.
pub trait LineSource {
    /// Returns the next line. A source that can wait for a limited time gives up at `deadline`.
    fn next_line(&mut self, deadline: Option<Instant>) -> io::Result<Input>;

    /// Shows `prompt` and returns the next line, which a person may edit meanwhile. Returns `None` without
    /// having shown anything if the source cannot do so, or not with this deadline.
    fn edited_line(
        &mut self,
        prompt: &str,
        deadline: Option<Instant>,
    ) -> Option<io::Result<Input>> {
        let _ = (prompt, deadline);
        None
    }
}

/// The most bytes of a line: people and protocols do not write longer ones.
const LONGEST_LINE: u64 = 1 << 16;

/// The lines of any reader, as [plain text](plyground_durable::input). Waiting for a line cannot be
/// limited.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    decoder: LineDecoder,
}

impl<R: BufRead> Lines<R> {
    /// Returns the lines of `reader`.
    pub fn new(reader: R) -> Lines<R> {
        Lines { reader, decoder: LineDecoder::default() }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut line = Vec::new();
        let mut reader = self.reader.by_ref().take(LONGEST_LINE + 1);
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(length) if length as u64 > LONGEST_LINE => {
                let why =
                    format!("expected lines of at most {LONGEST_LINE} bytes, found a longer one");
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, why)))
            }
            Ok(_) => Some(Ok(self.decoder.line(&line))),
            Err(error) => Some(Err(error)),
        }
    }
}

impl<R: BufRead> LineSource for Lines<R> {
    fn next_line(&mut self, _: Option<Instant>) -> io::Result<Input> {
        self.next().map_or(Ok(Input::End), |line| line.map(Input::Line))
    }
}

/// The lines of standard input. Waiting for a line can be limited by a deadline.
///
/// A thread reads the lines. It begins when the first line is asked for and lasts as long as the process, so a program
/// should have only one such source, and no other reader of standard input.
#[derive(Debug, Default)]
pub struct StdinLines {
    /// The receiver of the lines, which fails after the end of the input.
    lines: Option<Receiver<io::Result<String>>>,
}

impl LineSource for StdinLines {
    fn next_line(&mut self, deadline: Option<Instant>) -> io::Result<Input> {
        let lines = self.lines.get_or_insert_with(read_stdin);
        let received = match deadline {
            None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => {
                lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
        };
        match received {
            Ok(line) => line.map(Input::Line),
            Err(RecvTimeoutError::Disconnected) => Ok(Input::End),
            Err(RecvTimeoutError::Timeout) => Ok(Input::TimedOut),
        }
    }
}

fn read_stdin() -> Receiver<io::Result<String>> {
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || {
        for line in Lines::new(io::stdin().lock()) {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                break;
            }
        }
    });
    lines
}

/// A terminal, or two pipes in its place. Clones are the same console.
#[derive(Clone)]
pub struct Console(Rc<RefCell<Ends>>);

struct Ends {
    input: Box<dyn LineSource>,
    /// A line that was read ahead.
    pending: Option<String>,
    output: Box<dyn Write>,
    /// If true, the console ends the line of a prompt itself, since no Enter key does.
    ends_prompts: bool,
    /// The number of characters in a line.
    width: usize,
}

impl Console {
    /// Returns a console. If `is_terminal` is true, a person types the input where the output appears.
    pub fn new(
        input: impl LineSource + 'static,
        output: impl Write + 'static,
        is_terminal: bool,
    ) -> Console {
        let (input, output) = (Box::new(input), Box::new(output));
        Console(Rc::new(RefCell::new(Ends {
            input,
            pending: None,
            output,
            ends_prompts: !is_terminal,
            width: WIDTH,
        })))
    }

    /// Sets the number of characters in a line.
    #[must_use]
    pub fn with_width(self, width: usize) -> Console {
        self.0.borrow_mut().width = width;
        self
    }

    /// Returns the number of characters in a line.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.borrow().width
    }

    /// Returns the console of standard input and output. Colors are shown if the terminal and the environment
    /// want them.
    #[must_use]
    pub fn standard() -> Console {
        Console::new(StdinLines::default(), anstream::stdout(), io::stdin().is_terminal())
    }

    /// Returns `text` with boards that fit into the console: notes to the right of a board, after a gap, move below the
    /// board if a line would be too long.
    #[must_use]
    pub fn fitted(&self, text: &str) -> String {
        let width = self.width();
        let visible = |line: &str| strip_str(line).to_string().trim_end().chars().count();
        let (mut fitted, mut below) = (String::new(), String::new());
        for line in text.split_inclusive('\n') {
            match line.find(GAP).filter(|_| visible(line) > width) {
                Some(at) => {
                    fitted.push_str(line[..at].trim_end());
                    fitted.push('\n');
                    below.push_str(line[at..].trim_start());
                }
                None if line.starts_with(' ') => fitted.push_str(line),
                None => {
                    fitted.push_str(&std::mem::take(&mut below));
                    fitted.push_str(line);
                }
            }
        }
        fitted + &below
    }

    /// Shows a text at once.
    pub fn show(&self, text: &str) -> io::Result<()> {
        let output = &mut self.0.borrow_mut().output;
        output.write_all(text.as_bytes())?;
        output.flush()
    }

    /// Reads the next line, without a prompt.
    pub fn read(&self, deadline: Option<Instant>) -> io::Result<Input> {
        let ends = &mut *self.0.borrow_mut();
        match ends.pending.take() {
            Some(line) => Ok(Input::Line(line)),
            None => ends.input.next_line(deadline),
        }
    }

    /// Returns `true` if only blank lines are left to read. Waits until this is known, and drops the blank lines.
    pub fn is_at_end(&self) -> io::Result<bool> {
        loop {
            let Input::Line(line) = self.read(None)? else { return Ok(true) };
            if !line.trim().is_empty() {
                self.0.borrow_mut().pending = Some(line);
                return Ok(false);
            }
        }
    }

    /// Shows `prompt` and reads a line.
    pub fn ask(&self, prompt: &str, deadline: Option<Instant>) -> io::Result<Input> {
        if self.0.borrow().pending.is_none() {
            let edited = self.0.borrow_mut().input.edited_line(prompt, deadline);
            if let Some(input) = edited {
                return input;
            }
        }
        self.show(prompt)?;
        let input = self.read(deadline)?;
        let is_line = matches!(input, Input::Line(_));
        if !is_line || self.0.borrow().ends_prompts {
            self.show("\n")?;
        }
        Ok(input)
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").finish_non_exhaustive()
    }
}

impl Figure {
    /// Returns the picture of the position in `game`.
    ///
    /// # Errors
    ///
    /// Returns the fault of the state file as one line.
    pub fn picture(&self, game: &dyn HostedGame) -> Result<Picture, String> {
        let position = game.parse_state(&StateText::new(self.state.clone()));
        let fault = |fault| format!("{}: {fault}", excerpt(&self.state));
        position.map(|position| position.picture()).map_err(fault)
    }
}

/// Returns the rules of `game` as text for a terminal that is `width` characters wide, with boards.
fn rules_text(game: &dyn HostedGame, width: usize) -> String {
    let mut text = String::new();
    for Lesson { title, text: body, figure } in game.lessons() {
        let _ = writeln!(text, "{title}\n{}", filled(&body, width));
        let Some(Figure { state, caption, .. }) = figure else { continue };
        let Ok(position) = game.parse_state(&StateText::new(state)) else { continue };
        let _ = writeln!(text, "{}{}", position.text(Text::Drawing(None)), filled(&caption, width));
    }
    text
}

/// Fills words into lines of at most `width` characters; ends with a line end.
fn filled(text: &str, width: usize) -> String {
    let (mut lines, mut at) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let gap = if at == 0 { "" } else { " " };
        if at > 0 && at + 1 + length > width {
            lines.push('\n');
            at = 0;
        } else {
            lines.push_str(gap);
            at += gap.len();
        }
        lines.push_str(word);
        at += length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_beside_a_board_go_below_it() {
        let console =
            |width| Console::new(Lines::new(&b""[..]), io::sink(), true).with_width(width);
        let text = "Start\n 0 . .\n 1 . .   White  3 in hand\n 2 . .\nWhite: 34\n";
        assert_eq!(console(76).fitted(text), text);
        let narrow = "Start\n 0 . .\n 1 . .\n 2 . .\nWhite  3 in hand\nWhite: 34\n";
        assert_eq!(console(20).fitted(text), narrow);
    }

    #[test]
    fn line_without_end_is_not_kept() {
        let mut lines = Lines::new(io::BufReader::new(io::repeat(b'x')));
        let error = lines.next_line(None).expect_err("no line");
        assert_eq!(error.to_string(), "expected lines of at most 65536 bytes, found a longer one");
        let longest = "x".repeat(LONGEST_LINE as usize);
        assert_eq!(Lines::new(longest.as_bytes()).next_line(None).ok(), Some(Input::Line(longest)));
    }

    #[test]
    fn words_fill_lines() {
        assert_eq!(filled("one two  three four", 9), "one two\nthree\nfour\n");
        assert_eq!(filled("a-word-that-is-long", 5), "a-word-that-is-long\n");
    }
}

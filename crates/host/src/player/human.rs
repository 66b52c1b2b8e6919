//! The player at a terminal or a pipe.

use std::io;
use std::path::Path;

use plyground::Game;
use plyground_durable::excerpt;
use plyground_durable::output::write_whole;

use super::console::{Console, Input};
use super::turn::{Answer, Player, Turn};
use crate::adapter::Text;
use crate::engine::{Constraints, EngineOptions, Strength};
use crate::fault::Fault;
use crate::game::{HostedEngine, HostedPosition};
use crate::move_text::MoveText;
use crate::rules_text::{filled, rules_text};
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

/// The request of a line.
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
/// Returns the reason why the text is not a legal move, as one line; `or` is appended to what is expected.
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

/// Returns the pass that the side to move must make, if it can do nothing else. A person is not asked for it.
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
            "moves" => Request::Text(list(position, self.console.width())),
            "hint" => Request::Text(self.hint(position)),
            "undo" if turn.may_take_back => Request::Answer(Answer::TakeBack),
            "undo" => Request::Text("there is nothing that you may take back\n".to_owned()),
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

/// Returns the legal moves, filled into lines.
fn list(position: &HostedPosition, width: usize) -> String {
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    filled(&moves.join(" "), width)
}

/// Writes the state file of the position, and returns what is to be said about that.
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

//! The player at a terminal or a pipe.

use std::io;

use plyground::Game;

use super::console::{Console, Input};
use super::{Answer, Player, Turn};
use crate::engine::{Constraints, EngineOptions, HostedEngine, Strength};
use crate::fault::Fault;
use crate::move_text::MoveText;
use crate::position::HostedPosition;
use plyground_durable::excerpt;

/// A person who types moves, and may ask for help, a hint or the legal moves, undo a move, or quit.
///
/// A line that is not a legal move is answered with the reason, and another line is read.
pub struct Human {
    console: Console,
    /// The engine that gives hints, which is made for the first hint.
    adviser: Option<Box<dyn HostedEngine>>,
}

/// The greatest width of the list of legal moves in characters.
const LINE_WIDTH: usize = 76;

const COMMANDS: &str = "\
Or one of these commands:
  hint   a good move
  moves  the legal moves
  undo   take back your last move and the reply to it
  quit   give up the game
  help   this text
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
        let found = match text {
            "" => "nothing".to_owned(),
            _ => format!("`{}`", excerpt(text)),
        };
        return Err(format!("expected {}{or}, found {found}", position.game().move_hint()));
    };
    position.check_legal(mv).map_err(|illegal| illegal.to_string())?;
    Ok(mv)
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
            "help" | "?" => {
                let hint = position.game().move_hint();
                Request::Text(format!("Type {hint} to move.\n{COMMANDS}"))
            }
            "moves" => Request::Text(list(position)),
            "hint" => Request::Text(self.hint(position)),
            "undo" if turn.may_take_back => Request::Answer(Answer::TakeBack),
            "undo" => Request::Text("there is nothing that you may take back\n".to_owned()),
            "quit" => Request::Quit,
            _ => match read_legal_move(position, line, ", or `help`") {
                Ok(mv) => Request::Answer(Answer::Move(mv.into())),
                Err(why) => Request::Text(format!("{why}\n")),
            },
        }
    }

    /// Returns a good move, with its value.
    fn hint(&mut self, position: &HostedPosition) -> String {
        let game = position.game();
        let adviser = self.adviser.get_or_insert_with(|| game.engine(EngineOptions::default()));
        let chosen = adviser.choose(position, Strength::Default, &Constraints::default());
        let Ok(Some(chosen)) = chosen else { return String::new() };
        let (value, depth) = (game.show(chosen.value), chosen.depth.unwrap_or_default());
        format!("{}  ({value}, depth {depth})\n", chosen.mv)
    }
}

impl Player for Human {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let died = |error: io::Error| Fault::Died { how: error.to_string() };
        loop {
            let prompt = format!("{}: ", turn.position.prompt());
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
fn list(position: &HostedPosition) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for mv in position.legal_moves() {
        let mv = mv.as_str();
        if width > 0 && width + 1 + mv.len() > LINE_WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += mv.len();
        text.push_str(mv);
    }
    text.push('\n');
    text
}

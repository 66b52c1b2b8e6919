//! The player at a terminal or a pipe.

use std::io;

use super::console::{Console, Input};
use super::{Answer, Fault, Player, Turn};
use crate::game::Game;

/// What a game says to a person who plays it, and what it understands of the answers.
pub trait Dialogue<G: Game> {
    /// Asks the side to move for a move.
    fn prompt(&self, position: &G) -> String;

    /// The move that `text` stands for, whether legal or not.
    ///
    /// # Errors
    ///
    /// Why it stands for none, as one line.
    fn read_move(&self, position: &G, text: &str) -> Result<G::Move, String>;

    /// How moves are typed: a line, or several.
    fn help(&self) -> String;

    /// A good move, with a few words about it; `None` when there is no move.
    fn hint(&mut self, position: &G) -> Option<String>;
}

/// Somebody who types moves, and may ask for help, a hint, the legal moves, to undo or to quit.
///
/// A line that is no legal move is answered with the reason, and asked for again.
pub struct Human<'a, G: Game> {
    console: Console,
    dialogue: Box<dyn Dialogue<G> + 'a>,
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

/// What a line asks for.
enum Request<M> {
    Answer(Answer<M>),
    /// Nothing more than this text, and the next line.
    Text(String),
    Quit,
}

impl<'a, G: Game> Human<'a, G> {
    /// Somebody at `console`.
    pub fn new(console: Console, dialogue: Box<dyn Dialogue<G> + 'a>) -> Human<'a, G> {
        Human { console, dialogue }
    }

    fn understand(&mut self, turn: &Turn<'_, G>, line: &str) -> Request<G::Move> {
        let position = turn.position;
        match line {
            "help" | "?" => Request::Text(format!("{}\n{COMMANDS}", self.dialogue.help())),
            "moves" => Request::Text(list(position)),
            "hint" => {
                let hint = self.dialogue.hint(position);
                Request::Text(hint.map_or_else(String::new, |hint| format!("{hint}\n")))
            }
            "undo" if turn.may_take_back => Request::Answer(Answer::TakeBack),
            "undo" => Request::Text("there is nothing that you may take back\n".to_owned()),
            "quit" => Request::Quit,
            _ => match self.legal_move(position, line) {
                Ok(mv) => Request::Answer(Answer::Move(mv.into())),
                Err(why) => Request::Text(format!("{why}\n")),
            },
        }
    }

    fn legal_move(&self, position: &G, line: &str) -> Result<G::Move, String> {
        let mv = self.dialogue.read_move(position, line)?;
        position.check_legal(mv).map_err(|illegal| illegal.to_string())?;
        Ok(mv)
    }
}

impl<G: Game> Player<G> for Human<'_, G> {
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
        let died = |error: io::Error| Fault::Died { how: error.to_string() };
        loop {
            let prompt = self.dialogue.prompt(turn.position);
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

/// The legal moves, filled into lines.
fn list<G: Game>(position: &G) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for mv in position.legal_moves() {
        let mv = mv.to_string();
        if width > 0 && width + 1 + mv.len() > LINE_WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += mv.len();
        text.push_str(&mv);
    }
    text.push('\n');
    text
}

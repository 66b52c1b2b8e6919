//! The terminal at which people play: lines that can be edited and repeated, and the standing of a game
//! that is interrupted.

use std::io::{self, IsTerminal};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use plyground::clock::Instant;
use plyground_host::player::{Console, Input, LineSource, StdinLines};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::failure::{self, Failure, STOPPED};

/// The widths that lines are filled to, in characters: in a narrower terminal they break, and longer ones
/// read badly.
const WIDTHS: [usize; 2] = [38, 76];

/// Returns the console of a person who plays: at a terminal, lines can be edited and repeated.
pub(super) fn console(standing: &Standing) -> Console {
    if !is_terminal() {
        return Console::standard();
    }
    let lines = EditedLines { editor: None, plain: None, standing: standing.clone() };
    let [least, most] = WIDTHS;
    let width = columns().unwrap_or(most).clamp(least, most);
    Console::new(lines, anstream::stdout(), true).with_width(width)
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns the number of characters in a line of the terminal.
fn columns() -> Option<usize> {
    terminal_size::terminal_size().map(|(terminal_size::Width(columns), _)| columns.into())
}

/// The lines of a terminal. Those with a deadline cannot be edited, since an editor waits for ever.
struct EditedLines {
    editor: Option<Editor<(), MemHistory>>,
    /// The lines without an editor. Once there are such, all are: they are read ahead.
    plain: Option<StdinLines>,
    standing: Standing,
}

impl LineSource for EditedLines {
    fn next_line(&mut self, deadline: Option<Instant>) -> io::Result<Input> {
        self.plain.get_or_insert_default().next_line(deadline)
    }

    fn edited_line(
        &mut self,
        prompt: &str,
        deadline: Option<Instant>,
    ) -> Option<io::Result<Input>> {
        if deadline.is_some() || self.plain.is_some() {
            return None;
        }
        if self.editor.is_none() {
            let config = Config::builder().auto_add_history(true).build();
            self.editor = Editor::with_history(config, MemHistory::new()).ok();
        }
        match self.editor.as_mut()?.readline(prompt) {
            Ok(line) => Some(Ok(Input::Line(line))),
            Err(ReadlineError::Interrupted) => self.standing.leave(),
            Err(ReadlineError::Io(error)) => Some(Err(error)),
            Err(_) => Some(Ok(Input::End)),
        }
    }
}

/// The standing of the games of a run, as one line for when it is interrupted.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing(Arc<Mutex<String>>);

impl Standing {
    /// Says the standing and ends the process when the user interrupts.
    pub(super) fn say_if_interrupted(&self) -> Result<(), Failure> {
        let standing = self.clone();
        failure::call_when_interrupted(move || standing.leave())
    }

    /// Changes the standing.
    pub(super) fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn leave(&self) -> ! {
        let standing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = if standing.is_empty() { "no move has been made" } else { &standing };
        eprintln!("\ninterrupted; {so_far}");
        process::exit(STOPPED.into())
    }
}

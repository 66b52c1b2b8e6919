//! Interactive mode: the program against a human.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::{DepthOrTime, SearchArgs};
use super::chooser::Chooser;
use super::failure::Failure;
use super::position::{load, start};
use super::program::Program;
use super::screen;
use crate::game::Game;
use crate::input::STDIN;
use crate::output::write_whole;
use crate::state::StateText;

/// The state after each of the program's moves, in the current folder.
const COMPUTER_FILE: &str = "computer.txt";
/// The state after each of the human's moves, in the current folder.
const HUMAN_FILE: &str = "human.txt";

/// Who makes the next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Next {
    /// The program moves next.
    #[value(name = "computer-next", alias = "computer-first")]
    Computer,
    /// The human moves next.
    #[value(name = "human-next", alias = "human-first")]
    Human,
}

/// The arguments of `interactive`.
#[derive(Clone, Debug, Args)]
pub struct InteractiveArgs {
    /// The state file to start from; if there is no such file, a new game
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// Who makes the next move; computer-first and human-first mean the same
    #[arg(value_name = "NEXT")]
    pub next: Next,

    /// How long to think
    #[command(flatten)]
    pub effort: DepthOrTime,

    /// How to search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn run<P: Program>(program: &P, args: &InteractiveArgs) -> Result<(), Failure> {
    if args.input == Path::new(STDIN) {
        let message = "interactive reads the moves from standard input, not the position";
        return Err(Failure::Usage(message.to_owned()));
    }
    let source = match load(program, &args.input) {
        Err(error) if error.is_not_found() => start(program),
        source => source?,
    };
    let chooser = Chooser::new(program, &source.position, &args.effort, &args.search)?;
    let stdin = io::stdin();
    Session {
        program,
        layout: source.text,
        position: source.position,
        chooser,
        echo_line_end: !stdin.is_terminal(),
        input: stdin.lock(),
        out: io::stdout().lock(),
    }
    .play(args.next)
}

/// A game in progress.
struct Session<'a, P: Program, R, W> {
    program: &'a P,
    layout: StateText,
    position: P::Game,
    chooser: Chooser<'a, P>,
    input: R,
    /// Whether to end the line of a prompt ourselves, since nobody's Enter key does.
    echo_line_end: bool,
    out: W,
}

impl<P: Program, R: BufRead, W: Write> Session<'_, P, R, W> {
    /// The eight numbered steps of the assignment: show the position, leave if it is final, let
    /// one side move, save; then the same with the other side.
    fn play(mut self, mut next: Next) -> Result<(), Failure> {
        let mut screen = screen::opening(self.program, &self.position);
        loop {
            self.show(&screen)?;
            if self.position.outcome().is_some() {
                return self.say_result();
            }
            self.show("\n")?;
            let (chosen, file, after) = match next {
                Next::Computer => {
                    (self.chooser.choose(&self.position)?, COMPUTER_FILE, Next::Human)
                }
                Next::Human => (self.ask()?, HUMAN_FILE, Next::Computer),
            };
            let Some(mv) = chosen else {
                return self.show("\nEnd of input: the game ends here.\n");
            };
            let announcement = self.program.announce(&self.position, mv);
            self.position.play_unchecked(mv);
            let state = self.layout.with_symbols(&self.program.format_state(&self.position));
            write_whole(Path::new(file), &state)?;
            screen = screen::after_move(self.program, &announcement, &self.position);
            next = after;
        }
    }

    /// Asks until the answer is a legal move; `None` at the end of the input.
    fn ask(&mut self) -> Result<Option<<P::Game as Game>::Move>, Failure> {
        loop {
            self.show(&format!("{}: ", self.program.prompt(&self.position)))?;
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            if self.echo_line_end {
                self.show("\n")?;
            }
            match self.understand(String::from_utf8_lossy(&line).trim()) {
                Ok(mv) => return Ok(Some(mv)),
                Err(reason) => self.show(&format!("{reason}\n"))?,
            }
        }
    }

    /// The legal move that `text` stands for, or why there is none.
    fn understand(&self, text: &str) -> Result<<P::Game as Game>::Move, String> {
        let found = || match text {
            "" => "nothing".to_owned(),
            _ => format!("`{}`", text.escape_debug()),
        };
        let mv = text
            .parse::<<P::Game as Game>::Move>()
            .map_err(|_| format!("expected {}, found {}", P::MOVE, found()))?;
        self.position.check_legal(mv).map_err(|illegal| illegal.to_string())?;
        Ok(mv)
    }

    fn say_result(&mut self) -> Result<(), Failure> {
        let ending = screen::ending(self.program, &self.position);
        let result = self.program.result(&self.position);
        self.show(&format!("{ending}{result}\n"))
    }

    /// Prints at once.
    fn show(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        Ok(())
    }
}

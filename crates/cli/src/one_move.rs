//! The modes of the assignments: one move from state file to state file, and a game against a person.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plyground::Game;
use plyground_durable::input::STDIN;
use plyground_durable::output::{check_writable, write_whole};
use plyground_host::player::{Console, Input, forced_pass, read_legal_move};
use plyground_host::state::StateText;
use plyground_host::{HostedGame, HostedPosition, MoveText, Text};

use super::args::{SearchArgs, Source, load, load_or_start, start};
use super::effort::{DepthOrTime, Mover};
use super::failure::{Failure, print, refuse};
use super::play;

/// The arguments of `one-move`.
#[derive(Clone, Debug, Args)]
pub struct OneMoveArgs {
    /// The state file with the position; - for standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The state file for the position after the move; - for standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    /// The effort for the move
    #[command(flatten)]
    pub effort: DepthOrTime,

    /// The options of the search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn one_move(game: &dyn HostedGame, args: &OneMoveArgs) -> Result<(), Failure> {
    let Source { text, position } = load(game, &args.input)?;
    let mut mover = Mover::new(&position, &args.effort, &args.search)?;
    let opening = play::opening(&position);
    if position.is_over() {
        return show(&format!("{opening}{}\n", play::ending(&position)));
    }
    check_writable(&args.output)?;
    show(&opening)?;

    let Some(mv) = mover.choose(&position)? else { return Ok(()) };
    let next = position.after(mv);
    show(&format!("\n\n\n{}\n", play::after_move(&position.text(Text::Announcement(mv)), &next)))?;
    write_whole(&args.output, text.with_symbols(&next.state()))?;
    Ok(())
}

/// Prints without delay. A closed standard output is no error: the move is still made.
fn show(text: &str) -> Result<(), Failure> {
    match print(text) {
        Err(Failure::Closed) => Ok(()),
        shown => shown,
    }
}

/// The state after each of the program's moves, in the current folder.
const COMPUTER_FILE: &str = "computer.txt";
/// The state after each of the human's moves, in the current folder.
const HUMAN_FILE: &str = "human.txt";

/// The player that makes the next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Next {
    /// The program moves next.
    #[value(name = "computer-next", alias = "computer-first")]
    Computer,
    /// The human moves next.
    #[value(name = "human-next", alias = "human-first")]
    Human,
}

/// The arguments of `state`.
#[derive(Clone, Debug, Args)]
pub struct StateArgs {
    /// The position: a state file, - for standard input, its lines joined by /, or the moves that lead to it; without
    /// it, the start of a game
    #[arg(value_name = "POSITION")]
    pub position: Option<PathBuf>,
}

pub(super) fn state(game: &dyn HostedGame, args: &StateArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.position.as_deref())?;
    show(&format!("{}\n", position.state()))
}

/// The arguments of `interactive`.
#[derive(Clone, Debug, Args)]
pub struct InteractiveArgs {
    /// The state file to start from; if there is no such file, a new game
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The player that makes the next move; computer-first and human-first mean the same
    #[arg(value_name = "NEXT")]
    pub next: Next,

    /// The effort for a move
    #[command(flatten)]
    pub effort: DepthOrTime,

    /// The options of the search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn interactive(game: &dyn HostedGame, args: &InteractiveArgs) -> Result<(), Failure> {
    if args.input == Path::new(STDIN) {
        return refuse("interactive reads the moves from standard input, not the position");
    }
    let source = match load(game, &args.input) {
        Err(error) if error.is_not_found() => start(game),
        source => source?,
    };
    let mover = Mover::new(&source.position, &args.effort, &args.search)?;
    let console = Console::standard();
    Session { layout: source.text, position: source.position, mover, console }.play(args.next)
}

/// A game in progress.
struct Session {
    layout: StateText,
    position: HostedPosition,
    mover: Mover,
    console: Console,
}

impl Session {
    /// Plays by the eight numbered steps of the assignment: show the position, leave if it is
    /// final, let one side move, save; then the same with the other side.
    fn play(mut self, mut next: Next) -> Result<(), Failure> {
        let mut screen = play::opening(&self.position);
        loop {
            self.console.show(&screen)?;
            if self.position.is_over() {
                let (ending, result) =
                    (play::ending(&self.position), self.position.text(Text::Result));
                return Ok(self.console.show(&format!("{ending}{result}\n"))?);
            }
            self.console.show("\n")?;
            let (chosen, file, after) = match next {
                Next::Computer => (self.mover.choose(&self.position)?, COMPUTER_FILE, Next::Human),
                Next::Human => (self.ask()?, HUMAN_FILE, Next::Computer),
            };
            let Some(mv) = chosen else {
                return Ok(self.console.show("End of input: the game ends here.\n")?);
            };
            let announcement = self.position.text(Text::Announcement(mv));
            self.position.play_unchecked(mv);
            write_whole(Path::new(file), self.layout.with_symbols(&self.position.state()))?;
            screen = play::after_move(&announcement, &self.position);
            next = after;
        }
    }

    /// Asks until the answer is a legal move; `None` at the end of the input.
    fn ask(&mut self) -> Result<Option<MoveText>, Failure> {
        if let Some(pass) = forced_pass(&self.position) {
            return Ok(Some(pass));
        }
        let prompt = format!("{}: ", self.position.text(Text::Prompt));
        loop {
            let Input::Line(line) = self.console.ask(&prompt, None)? else { return Ok(None) };
            match read_legal_move(&self.position, line.trim(), "") {
                Ok(mv) => return Ok(Some(mv)),
                Err(reason) => self.console.show(&format!("{reason}\n"))?,
            }
        }
    }
}

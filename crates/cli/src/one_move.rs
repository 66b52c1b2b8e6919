//! One-move mode: from state file to state file.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use plyground::Game;
use plyground_durable::output::{check_writable, write_whole};
use plyground_host::HostedGame;

use super::args::SearchArgs;
use super::effort::{DepthOrTime, Mover};
use super::failure::Failure;
use super::position::{Source, load};
use super::screen;

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

pub(super) fn run(game: &dyn HostedGame, args: &OneMoveArgs) -> Result<(), Failure> {
    let Source { text, position } = load(game, &args.input)?;
    let mut mover = Mover::new(&position, &args.effort, &args.search)?;
    let opening = screen::opening(&position);
    if position.is_over() {
        return show(&format!("{opening}{}\n", screen::ending(&position)));
    }
    check_writable(&args.output)?;
    show(&opening)?;

    let Some(mv) = mover.choose(&position)? else { return Ok(()) };
    let next = position.after(mv);
    show(&format!("\n\n\n{}\n", screen::after_move(&position.announce(mv), &next)))?;
    write_whole(&args.output, text.with_symbols(&next.state()))?;
    Ok(())
}

/// Prints at once. If standard output is closed, the move is made all the same.
fn show(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

//! One-move mode: from state file to state file.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::args::{DepthOrTime, SearchArgs};
use super::chooser::Chooser;
use super::failure::Failure;
use super::position::{Source, load};
use super::program::Program;
use super::screen;
use crate::game::Game;
use crate::output::{check_folder, write_whole};

/// The arguments of `one-move`.
#[derive(Clone, Debug, Args)]
pub struct OneMoveArgs {
    /// The state file with the position; - for standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The state file for the position after the move; - for standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    /// How long to think
    #[command(flatten)]
    pub effort: DepthOrTime,

    /// How to search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn run<P: Program>(program: &P, args: &OneMoveArgs) -> Result<(), Failure> {
    let Source { text, position } = load(program, &args.input)?;
    let mut chooser = Chooser::new(program, &position, &args.effort, &args.search)?;
    if position.outcome().is_some() {
        let opening = screen::opening(program, &position);
        let ending = screen::ending(program, &position);
        return show(&format!("{opening}{ending}\n"));
    }
    check_folder(&args.output)?;
    show(&screen::opening(program, &position))?;

    let Some(mv) = chooser.choose(&position)? else { return Ok(()) };
    let next = position.after(mv);
    let announcement = program.announce(&position, mv);
    let after_move = screen::after_move(program, &announcement, &next);
    show(&format!("\n\n\n{after_move}\n"))?;

    let state = text.with_symbols(&program.format_state(&next));
    write_whole(&args.output, &state)?;
    Ok(())
}

/// Prints at once. That nobody listens is no reason not to make the move.
fn show(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

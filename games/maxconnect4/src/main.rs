//! The program `maxconnect4`.

mod page;
mod program;

use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use maxconnect4::Size;
use plyground::Game;
use plyground::cli::{
    BookArgs, Command, Failure, Program, SolveArgs, book, complete, finish, run, solve,
};

use self::program::MaxConnect4;

#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: OwnCommand,
}

#[derive(Debug, Subcommand)]
enum OwnCommand {
    #[command(flatten)]
    Shared(Box<Command>),
    /// Find the exact value of a position and of every move
    Solve(OnBoard<SolveArgs>),
    /// Build, merge and check books for perfect play
    Book(OnBoard<BookArgs>),
}

/// The arguments of a command that works on boards of any size.
#[derive(Clone, Debug, Args)]
struct OnBoard<A: Args> {
    /// The size of the board, 4x4 to 8x8
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "7x6", value_parser = parse_size)]
    #[arg(global = true)]
    size: Size,

    #[command(flatten)]
    args: A,
}

fn parse_size(text: &str) -> Result<Size, String> {
    let numbers = text.split_once('x');
    numbers
        .and_then(|(columns, rows)| Size::new(columns.parse().ok()?, rows.parse().ok()?))
        .ok_or_else(|| "expected COLUMNSxROWS, both from 4 to 8, as in 7x6".to_owned())
}

fn main() -> ExitCode {
    let name = <MaxConnect4 as Program>::Game::NAME;
    let command = Cli::command().name(name).about(MaxConnect4::ABOUT).long_about(None);
    let matches = complete::<MaxConnect4>(command).get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => finish(run_own(cli.command)),
        Err(error) => error.exit(),
    }
}

fn run_own(command: OwnCommand) -> Result<(), Failure> {
    match command {
        OwnCommand::Shared(command) => run(&MaxConnect4::STANDARD, *command),
        OwnCommand::Solve(OnBoard { size, args }) => solve(&MaxConnect4 { size }, &args),
        OwnCommand::Book(OnBoard { size, args }) => book(&MaxConnect4 { size }, &args),
    }
}

//! The program `plyground`: the programs of all games in one, and one page for them.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use network::Rules;
use plyground_cli::{self as cli, EngineCheckArgs, Failure, ServeArgs, as_part_of};
use plyground_host::SharedGame;

use crate::network::{command, dispatch, session, with_tip};

const NAME: &str = "plyground";

const ENGINE_CHECK: &str = "engine-check";
const SUBMISSIONS: &str = "submissions";
const GAME: &str = "game";

const ENGINE_CHECK_EXAMPLES: &str = "\
Examples:
  plyground engine-check 'maxconnect4 engine'
  plyground engine-check --game network 'python3 bob.py' --wall 5s";

const EXAMPLES: &str = "\
Examples:
  plyground maxconnect4 analyze inputs/maxconnect4/input1.txt
  plyground maxconnect4 play human machine
  plyground network human machine
  plyground network solve inputs/network/forced-win.txt
  plyground serve --open
  plyground submissions prepare zips --out subs
  plyground sandbox check
  plyground help network match";

const SERVE_EXAMPLES: &str = "\
Examples:
  plyground serve
  plyground serve --open
  plyground serve --port 8080 --table 512";

/// All games, as one program has them.
struct AllGames {
    maxconnect4: SharedGame,
    network: SharedGame,
}

/// The whole of the program.
#[must_use]
pub fn main() -> ExitCode {
    cli::supervise_if_asked();
    let words: Vec<OsString> = env::args_os().collect();
    let is_network = words.get(1).is_some_and(|word| word == "network");
    if is_network && words.len() == 2 {
        return cli::finish(session());
    }
    let asked = |game: SharedGame| cli::as_asked(&game, words.iter().cloned());
    let games = AllGames {
        maxconnect4: asked(maxconnect4::game()),
        network: asked(network::game(Rules::Berkeley)),
    };
    let matches = games.command().try_get_matches_from(&words).unwrap_or_else(|error| {
        cli::exit(if is_network { with_tip(error, "plyground network") } else { error })
    });
    cli::finish(match matches.subcommand() {
        Some(("maxconnect4", matches)) => cli::dispatch(&games.maxconnect4, matches),
        Some(("network", matches)) => dispatch(&games.network, matches),
        #[cfg(target_os = "linux")]
        Some(("sandbox", matches)) => {
            let args = cli::SandboxArgs::from_arg_matches(matches);
            cli::sandbox(&args.unwrap_or_else(|error| error.exit()))
        }
        Some((SUBMISSIONS, matches)) => {
            let args = cli::SubmissionsArgs::from_arg_matches(matches);
            cli::submissions(&args.unwrap_or_else(|error| cli::exit(error)))
        }
        Some((ENGINE_CHECK, matches)) => games.check_engine(matches),
        Some((_, matches)) => {
            let args =
                ServeArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
            cli::serve(NAME, &[games.maxconnect4, games.network], &args)
        }
        None => Ok(()),
    })
}

impl AllGames {
    fn check_engine(&self, matches: &ArgMatches) -> Result<(), Failure> {
        let args =
            EngineCheckArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
        let is_network = matches.get_one::<String>(GAME).is_some_and(|game| game == "network");
        cli::engine_check(if is_network { &self.network } else { &self.maxconnect4 }, &args)
    }

    fn command(&self) -> Command {
        let maxconnect4 = cli::program(&self.maxconnect4);
        let network = command(&self.network, "plyground network");
        Command::new(NAME)
            .version(env!("CARGO_PKG_VERSION"))
            .about("Plays and analyzes two-player games")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(as_part_of(NAME, "maxconnect4", maxconnect4))
            .subcommand(as_part_of(NAME, "network", network))
            .subcommand(serve_command())
            .subcommand(submissions_command())
            .subcommands(sandbox_command())
            .subcommand(engine_check_command())
            .after_help(EXAMPLES)
    }
}

/// The command about other people's programs, where the system can hold them.
fn sandbox_command() -> Option<Command> {
    #[cfg(target_os = "linux")]
    return Some(
        cli::SandboxArgs::augment_args(Command::new("sandbox"))
            .about("Check how well this system holds other people's programs"),
    );
    #[cfg(not(target_os = "linux"))]
    None
}

/// The command about what students hand in.
fn submissions_command() -> Command {
    cli::SubmissionsArgs::augment_args(Command::new(SUBMISSIONS))
        .about("Prepare what students hand in: unpack it, build it, find out how it is started")
}

fn engine_check_command() -> Command {
    let games = PossibleValuesParser::new(["maxconnect4", "network"]);
    let game = Arg::new(GAME).long(GAME).value_name("GAME").value_parser(games);
    EngineCheckArgs::augment_args(Command::new(ENGINE_CHECK))
        .about("Check whether an engine speaks the line protocol")
        .arg(game.default_value("maxconnect4").help("The game that it plays").display_order(0))
        .after_help(ENGINE_CHECK_EXAMPLES)
}

fn serve_command() -> Command {
    ServeArgs::augment_args(Command::new("serve"))
        .about("Play and analyze all games in the browser")
        // A book is for one game.
        .mut_arg("book", |arg| arg.hide(true))
        .after_help(SERVE_EXAMPLES)
}

//! The program `plyground`: the programs of all games in one, and one page for all games.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use network::Rules;
use plyground_cli::{
    self as cli, EngineCheckArgs, Failure, MANUAL, ServeArgs, StarterArgs, as_part_of,
};
use plyground_host::SharedGame;

use crate::network::{self as network_program, dispatch, session, with_tip};

const NAME: &str = "plyground";

const ENGINE_CHECK: &str = "engine-check";
const STARTER: &str = "starter";
const SUBMISSIONS: &str = "submissions";
const GAME: &str = "game";
const RULES: &str = "rules";

const ENGINE_CHECK_EXAMPLES: &str = "\
Examples:
  plyground engine-check 'maxconnect4 engine'
  plyground engine-check --game network 'python3 bob.py' --wall 5s";

const STARTER_EXAMPLES: &str = "\
Examples:
  plyground starter
  plyground starter --game maxconnect4 --language python --out player
  plyground starter --game network --rules usf --language java --out player";

const EXAMPLES: &str = "\
Examples:
  plyground maxconnect4 analyze position.txt
  plyground maxconnect4 play human machine
  plyground network human machine
  plyground network solve position.txt
  plyground serve --open
  plyground starter
  plyground submissions prepare zips --out subs
  plyground sandbox check
  plyground help network match";

const SERVE_EXAMPLES: &str = "\
Examples:
  plyground serve
  plyground serve --open
  plyground serve --port 8080 --no-analysis
  plyground serve --player 'bob=line:python3 bob.py' --wall 5s";

/// All games, with the rules that the command line requests.
struct AllGames {
    maxconnect4: SharedGame,
    network: SharedGame,
}

/// Returns the command line of the program without any arguments.
#[must_use]
pub fn command() -> Command {
    let (maxconnect4, network) = (maxconnect4::game(), network::game(Rules::Berkeley));
    AllGames { maxconnect4, network }.command()
}

/// Runs the program.
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
    let mut command = games.command();
    let matches = command.try_get_matches_from_mut(&words).unwrap_or_else(|error| {
        let error = with_game(error, &command);
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
        Some((STARTER, matches)) => games.starter(matches),
        Some((_, matches)) => {
            let args =
                ServeArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
            cli::serve(NAME, &[games.maxconnect4, games.network], &args)
        }
        None => Ok(()),
    })
}

/// Adds a tip to an error about a command that this program lacks and a game has: the way to call it.
fn with_game(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let games = command.get_subcommands().filter(|game| game.find_subcommand(word).is_some());
    let calls: Vec<_> = games.map(|game| format!("`{NAME} {} {word}`", game.get_name())).collect();
    if !calls.is_empty() {
        // A command of this program with a similar name is not the one that was meant.
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = format!("it is {}", calls.join(" or ")).into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

impl AllGames {
    fn check_engine(&self, matches: &ArgMatches) -> Result<(), Failure> {
        let args =
            EngineCheckArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
        let is_network = matches.get_one::<String>(GAME).is_some_and(|game| game == "network");
        cli::engine_check(if is_network { &self.network } else { &self.maxconnect4 }, &args)
    }

    /// Writes the kits of the named game, or of all games.
    fn starter(&self, matches: &ArgMatches) -> Result<(), Failure> {
        let args = StarterArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
        let game = matches.get_one::<String>(GAME).map(String::as_str);
        let has_rules = matches.contains_id(RULES);
        let games = [&self.maxconnect4, &self.network].into_iter();
        let games = games.filter(|other| game.is_none_or(|name| name == other.name()));
        if has_rules && game != Some(self.network.name()) {
            let fault = "expected --game network, which alone has other rules, with --rules";
            return Err(Failure::Usage(fault.to_owned()));
        }
        cli::starter(&games.cloned().collect::<Vec<_>>(), &args)
    }

    fn command(&self) -> Command {
        let maxconnect4 = cli::program(&self.maxconnect4);
        let network = network_program::command(&self.network, "plyground network");
        Command::new(NAME)
            .version(cli::version())
            .about("Plays and analyzes two-player games")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(as_part_of(NAME, "maxconnect4", maxconnect4))
            .subcommand(as_part_of(NAME, "network", network))
            .subcommand(serve_command())
            .subcommand(starter_command())
            .subcommand(submissions_command())
            .subcommands(sandbox_command())
            .subcommand(engine_check_command())
            .after_help(format!("{MANUAL}\n\n{EXAMPLES}"))
    }
}

/// Returns the command about other people's programs, if the system can sandbox them.
fn sandbox_command() -> Option<Command> {
    #[cfg(target_os = "linux")]
    return Some(
        cli::SandboxArgs::augment_args(Command::new("sandbox"))
            .about("Check how well this system holds other people's programs"),
    );
    #[cfg(not(target_os = "linux"))]
    None
}

/// Returns the command that prepares submissions.
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

fn starter_command() -> Command {
    let games = PossibleValuesParser::new(["maxconnect4", "network"]);
    let game = Arg::new(GAME).long(GAME).value_name("GAME").value_parser(games);
    let rules = PossibleValuesParser::new(Rules::BOTH.map(|rules| rules.to_string()));
    let rules = Arg::new(RULES).long(RULES).value_name("RULES").value_parser(rules);
    StarterArgs::augment_args(Command::new(STARTER))
        .about("Write a folder to begin with: a program that plays legal moves at random")
        .arg(game.help("The game that it is for").display_order(0))
        .arg(rules.help("Whose rules, for Network; berkeley without it").display_order(0))
        .mut_arg("language", |language| language.requires(GAME))
        .after_help(STARTER_EXAMPLES)
}

fn serve_command() -> Command {
    ServeArgs::augment_args(Command::new("serve"))
        .about("Play and analyze all games in the browser")
        // A book is for one game.
        .mut_arg("book", |arg| arg.hide(true))
        .after_help(SERVE_EXAMPLES)
}

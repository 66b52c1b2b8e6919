//! The binary `plyground`: the commands of all games in one, and one page for all games; and the command
//! line of a game.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use plyground_cli::{self as cli, Failure, MANUAL, ServeArgs, StarterArgs, as_part_of};
use plyground_host::{HostedGame, SharedGame};

use crate::league;
use crate::network;
use crate::new_game::{NewGameArgs, new_game};
use crate::rules::{self, NAME, RulesArgs};
use crate::texts::{self, COMPLETIONS, MAN};

const STARTER: &str = "starter";
const SERVE: &str = "serve";
const NEW_GAME: &str = "new-game";
const GAME: &str = "game";
const RULES: &str = "rules";

const STARTER_EXAMPLES: &str = "\
Examples:
  plyground starter
  plyground starter --game maxconnect4 --language python --out player
  plyground starter --game network --rules usf --language java --out player";

const NEW_GAME_EXAMPLES: &str = "\
Examples:
  plyground new-game konane --source plyground
  plyground new-game konane --source ../plyground --out games/konane";

const EXAMPLES: &str = "\
Examples:
  plyground maxconnect4 analyze position.txt
  plyground maxconnect4 play human machine
  plyground maxconnect4 solve position.txt
  plyground network human machine
  plyground serve --open
  plyground starter
  plyground --game 'python3 konane.py' play human machine
  plyground --game 'python3 konane.py' help
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
struct AllGames(Vec<SharedGame>);

/// Returns the command line of the binary without any arguments.
pub fn command() -> Command {
    AllGames(games::all()).command()
}

/// Returns the command lines of all binaries, that of all games last.
pub(crate) fn programs() -> Vec<Command> {
    let of_game = |game: SharedGame| (GameCommands::of(&*game).command)(&game, game.name());
    games::all().into_iter().map(of_game).chain([command()]).collect()
}

/// Runs the binary.
pub fn main() -> ExitCode {
    cli::supervise_if_asked();
    let words: Vec<OsString> = env::args_os().collect();
    if let Some(args) = rules::asked(&words) {
        return rules::run(&args, &words);
    }
    let games = games::all().into_iter().map(|game| cli::as_asked(&game, words.iter().cloned()));
    let games = AllGames(games.collect());
    let named = words.get(1).and_then(|word| games.named(word.to_str()?));
    let commands = named.map(|game| (game, GameCommands::of(&**game)));
    if let Some((_, GameCommands { without_arguments: Some(run), .. })) = commands
        && words.len() == 2
    {
        return cli::finish(run());
    }
    let mut command = games.command();
    let matches = command.try_get_matches_from_mut(&words).unwrap_or_else(|error| {
        let error = with_game(error, &command);
        let called = |game: &SharedGame| format!("{NAME} {}", game.name());
        cli::exit(match commands {
            Some((game, program)) => (program.explain)(error, &called(game)),
            None => error,
        })
    });
    cli::finish(match matches.subcommand() {
        Some((NEW_GAME, matches)) => {
            let args = NewGameArgs::from_arg_matches(matches);
            new_game(&args.unwrap_or_else(|error| cli::exit(error)))
        }
        Some((STARTER, matches)) => games.starter(matches),
        Some((rules::KIT, matches)) => rules::kit(matches),
        Some((league::NAME, matches)) => league::run(matches),
        Some((COMPLETIONS, matches)) => texts::completions(programs(), matches),
        Some((MAN, matches)) => texts::man(programs(), matches),
        Some((SERVE, matches)) => {
            let args =
                ServeArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
            cli::serve(NAME, &games.0, &args)
        }
        Some((_, of_game)) => match commands {
            Some((game, program)) => (program.dispatch)(game, of_game),
            None => cli::run_without_game(&matches).unwrap_or(Ok(())),
        },
        None => Ok(()),
    })
}

/// Adds a tip to an error about a command that this binary lacks and a game has: the way to call it.
fn with_game(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let games = command.get_subcommands().filter(|game| game.find_subcommand(word).is_some());
    let calls: Vec<_> = games.map(|game| format!("`{NAME} {} {word}`", game.get_name())).collect();
    if !calls.is_empty() {
        // A command of this binary with a similar name is not the one that was meant.
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = format!("it is {}", calls.join(" or ")).into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

impl AllGames {
    /// Returns the game of this name.
    fn named(&self, name: &str) -> Option<&SharedGame> {
        self.0.iter().find(|game| game.name() == name)
    }

    /// Returns a parser of the names of games.
    fn names(&self) -> PossibleValuesParser {
        PossibleValuesParser::new(self.0.iter().map(|game| game.name()))
    }

    /// Returns the names of all binaries, that of this one last.
    fn programs(&self) -> Vec<&'static str> {
        self.0.iter().map(|game| game.name()).chain([NAME]).collect()
    }

    /// Returns the names of all rules of the games that have several by the option `--rules`.
    fn rule_sets(&self) -> Vec<String> {
        self.0.iter().filter(|game| has_rules(game)).flat_map(|game| game.rule_sets()).collect()
    }

    /// Writes the kits of the named game, or of all games.
    fn starter(&self, matches: &ArgMatches) -> Result<(), Failure> {
        let args = StarterArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
        let game = matches.get_one::<String>(GAME).map(String::as_str);
        if matches.contains_id(RULES)
            && !game.and_then(|name| self.named(name)).is_some_and(has_rules)
        {
            let games = self.0.iter().filter(|game| has_rules(game)).map(|game| game.name());
            let games = games.collect::<Vec<_>>().join(" or ");
            return Err(Failure::Usage(format!(
                "expected --game {games}, which alone has other rules, with --rules"
            )));
        }
        let games = self.0.iter().filter(|other| game.is_none_or(|name| name == other.name()));
        cli::starter(&games.cloned().collect::<Vec<_>>(), &args)
    }

    fn command(&self) -> Command {
        let games = self.0.iter().map(|game| {
            let called = format!("{NAME} {}", game.name());
            as_part_of(NAME, game.name(), (GameCommands::of(&**game).command)(game, &called))
        });
        RulesArgs::augment_args(Command::new(NAME))
            .version(cli::version())
            .about("Plays and analyzes two-player games")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(games)
            .subcommand(serve_command())
            .subcommand(self.starter_command())
            .subcommand(new_game_command())
            .subcommand(rules::kit_command())
            .subcommand(league::command())
            .subcommands(cli::commands_without_game())
            .subcommand(texts::completions_command(self.programs()))
            .subcommand(texts::man_command())
            .after_help(format!("{MANUAL}\n\n{EXAMPLES}"))
    }

    fn starter_command(&self) -> Command {
        let game = Arg::new(GAME).long(GAME).value_name("GAME").value_parser(self.names());
        let rules = PossibleValuesParser::new(self.rule_sets());
        let rules = Arg::new(RULES).long(RULES).value_name("RULES").value_parser(rules);
        StarterArgs::augment_args(Command::new(STARTER))
            .about("Write a folder to begin with: a program that plays legal moves at random")
            .arg(game.help("The game that it is for").display_order(0))
            .arg(rules.help("The rules of the game, if it has several").display_order(0))
            .mut_arg("language", |language| language.requires(GAME))
            .after_help(STARTER_EXAMPLES)
    }
}

/// If true, the game has several rules, and the option `--rules` chooses among them.
fn has_rules(game: &SharedGame) -> bool {
    game.variants().is_some_and(|variants| variants.option == RULES)
}

fn new_game_command() -> Command {
    NewGameArgs::augment_args(Command::new(NEW_GAME))
        .about("Write a package for a game of your own, outside of Plyground's sources")
        .after_help(NEW_GAME_EXAMPLES)
}

fn serve_command() -> Command {
    ServeArgs::augment_args(Command::new(SERVE))
        .about("Play and analyze all games in the browser")
        // A book is for one game.
        .mut_arg("book", |arg| arg.hide(true))
        .after_help(SERVE_EXAMPLES)
}

/// The command line of a game, as a binary or as a part of one.
#[derive(Clone, Copy, Debug)]
pub struct GameCommands {
    /// Returns the command line, which a person calls by these words.
    pub command: fn(&SharedGame, called: &str) -> Command,
    /// Runs the command of a command line.
    pub dispatch: fn(&SharedGame, &ArgMatches) -> Result<(), Failure>,
    /// Adds what helps a person to an error of the command line, which is called by these words.
    pub explain: fn(clap::Error, called: &str) -> clap::Error,
    /// Runs what the game does without any arguments, in place of showing help.
    pub without_arguments: Option<fn() -> Result<(), Failure>>,
}

impl GameCommands {
    /// The command line of a game without commands of its own.
    const SHARED: GameCommands = GameCommands {
        command: |game, _| cli::program(game),
        dispatch: cli::dispatch,
        explain: |error, _| error,
        without_arguments: None,
    };

    const NETWORK: GameCommands = GameCommands {
        command: network::command,
        dispatch: network::dispatch,
        explain: network::with_tip,
        without_arguments: Some(network::session),
    };

    /// Returns the command line of a game.
    pub fn of(game: &dyn HostedGame) -> GameCommands {
        match game.name() {
            "network" => GameCommands::NETWORK,
            _ => GameCommands::SHARED,
        }
    }
}

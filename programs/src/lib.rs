//! The binaries: one for each game of [`games::all`]; and `plyground` with the commands of all games, one page
//! for all games, and the call of the program of a league.
//!
//! The file of each binary has only a few lines, so that [`main`] can act as each of them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode};

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Args, Command};
use plyground_cli::{self as cli, Failure, MANUAL, ServeArgs, StarterArgs};
use plyground_host::{HostedGame, SharedGame};

mod completions;
mod network;
mod own_game;

use completions::{COMPLETIONS, MAN};
use own_game::{KIT, NAME, NewGameArgs, RulesArgs, new_game};

/// Runs the binary by whose name this process was started: the binary of a game, or `plyground` for any other name.
/// Packages have one file for all binaries.
pub fn main() -> ExitCode {
    let called = env::args_os().next().unwrap_or_default();
    let called = Path::new(&called).file_stem().unwrap_or_default();
    match called.to_str().and_then(games::named) {
        Some(game) => run(&game),
        None => run_all(),
    }
}

/// Runs the binary of a game.
pub fn run(game: &SharedGame) -> ExitCode {
    cli::supervise_if_asked();
    let commands = GameCommands::of(&**game);
    if let Some(run) = commands.without_arguments
        && env::args_os().len() <= 1
    {
        return cli::finish(run());
    }
    let game = cli::as_asked(game, env::args_os());
    let matches = (commands.command)(&game, game.name()).try_get_matches();
    let matches = matches.unwrap_or_else(|error| cli::exit((commands.explain)(error, game.name())));
    cli::finish((commands.dispatch)(&game, &matches))
}

/// Returns the text that `--version` prints after the name of the program: the version, and the instructions
/// that this build uses.
fn version() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), games::instructions())
}

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

/// Returns the command line of the binary `plyground` without any arguments.
pub fn command() -> Command {
    AllGames(games::all()).command()
}

/// Returns the command lines of all binaries, with the binary of all games last.
fn programs() -> Vec<Command> {
    let of_game = |game: SharedGame| (GameCommands::of(&*game).command)(&game, game.name());
    games::all().into_iter().map(of_game).chain([command()]).collect()
}

/// Runs the binary `plyground`.
fn run_all() -> ExitCode {
    cli::supervise_if_asked();
    let words: Vec<OsString> = env::args_os().collect();
    if let Some(args) = own_game::asked(&words) {
        return own_game::run(&args, &words);
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
        Some((NEW_GAME, matches)) => new_game(&cli::args_of(matches)),
        Some((STARTER, matches)) => games.starter(matches),
        Some((KIT, matches)) => own_game::kit(matches),
        Some((LEAGUE, matches)) => run_league(matches),
        Some((COMPLETIONS, matches)) => completions::completions(programs(), matches),
        Some((MAN, matches)) => completions::man(programs(), matches),
        Some((SERVE, matches)) => cli::serve(NAME, &games.0, &cli::args_of(matches)),
        Some((_, of_game)) => match commands {
            Some((game, program)) => (program.dispatch)(game, of_game),
            None => cli::run_without_game(&games.0, &matches).unwrap_or(Ok(())),
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

    /// Returns the names of the games.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|game| game.name())
    }

    /// Writes the kits of the named game, or of all games.
    fn starter(&self, matches: &ArgMatches) -> Result<(), Failure> {
        let args: StarterArgs = cli::args_of(matches);
        let game = matches.get_one::<String>(GAME).map(String::as_str);
        if matches.contains_id(RULES)
            && !game.and_then(|name| self.named(name)).is_some_and(has_rules)
        {
            let games = self.0.iter().filter(|game| has_rules(game)).map(|game| game.name());
            let games = games.collect::<Vec<_>>().join(" or ");
            return Err(Failure::Usage(format!(
                "expected --game {games} with --rules: other games have one set of rules"
            )));
        }
        let games = self.0.iter().filter(|other| game.is_none_or(|name| name == other.name()));
        cli::starter(&games.cloned().collect::<Vec<_>>(), &args)
    }

    fn command(&self) -> Command {
        let games = self.0.iter().map(|game| {
            let called = format!("{NAME} {}", game.name());
            cli::called(&called, game.name(), (GameCommands::of(&**game).command)(game, &called))
        });
        RulesArgs::augment_args(Command::new(NAME))
            .version(version())
            .about("Plays and analyzes two-player games")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(games)
            .subcommand(serve_command())
            .subcommand(self.starter_command())
            .subcommand(new_game_command())
            .subcommand(own_game::kit_command())
            .subcommand(league_command())
            .subcommands(cli::commands_without_game())
            .subcommand(completions::completions_command(self.names().chain([NAME]).collect()))
            .subcommand(completions::man_command())
            .after_help(format!("{MANUAL}\n\n{EXAMPLES}"))
    }

    fn starter_command(&self) -> Command {
        let names = PossibleValuesParser::new(self.names());
        let game = Arg::new(GAME).long(GAME).value_name("GAME").value_parser(names);
        let several = self.0.iter().filter(|game| has_rules(game));
        let rules = PossibleValuesParser::new(several.flat_map(|game| game.rule_sets()));
        let rules = Arg::new(RULES).long(RULES).value_name("RULES").value_parser(rules);
        StarterArgs::augment_args(Command::new(STARTER))
            .about("Write a starter folder with a program that plays legal moves at random")
            .arg(game.help("The game of the kit").display_order(0))
            .arg(rules.help("The rules of the game, if it has several").display_order(0))
            .mut_arg("language", |language| language.requires(GAME))
            .after_help(STARTER_EXAMPLES)
    }
}

/// Returns `true` if the game has several rules, and the option `--rules` chooses among them.
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
struct GameCommands {
    /// The function that returns the command line, which a person calls by these words.
    command: fn(&SharedGame, called: &str) -> Command,
    /// The function that runs the command of a command line.
    dispatch: fn(&SharedGame, &ArgMatches) -> Result<(), Failure>,
    /// The function that adds a tip to an error of the command line, which is called by these words.
    explain: fn(clap::Error, called: &str) -> clap::Error,
    /// The action of the game without any arguments, in place of showing help.
    without_arguments: Option<fn() -> Result<(), Failure>>,
}

impl GameCommands {
    /// The command line of a game without commands of its own.
    const SHARED: GameCommands = GameCommands {
        command: |game, _| cli::program(game).version(version()),
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
    fn of(game: &dyn HostedGame) -> GameCommands {
        match game.name() {
            "network" => GameCommands::NETWORK,
            _ => GameCommands::SHARED,
        }
    }
}

/// The command of a separate program, so that the build of this one needs no database.
const LEAGUE: &str = "league";

/// The program that runs a league.
const LEAGUE_PROGRAM: &str = "plyground-league";

/// The words after the name of the command `league`.
const WORDS: &str = "words";

/// Returns the command `league`, whose words are all those of its program.
fn league_command() -> Command {
    let words = Arg::new(WORDS).hide(true).num_args(0..).trailing_var_arg(true);
    let words = words.allow_hyphen_values(true).value_parser(clap::value_parser!(OsString));
    Command::new(LEAGUE)
        .about("Run a league: students upload programs, which play all day and are rated")
        .disable_help_flag(true)
        .arg(words)
}

/// Runs the program of a league in place of this one, as far as the system can.
fn run_league(matches: &ArgMatches) -> Result<(), Failure> {
    let words = matches.get_many::<OsString>(WORDS).into_iter().flatten();
    let missing = || {
        if cfg!(windows) {
            return Failure::Usage(
                "a league plays in sandboxes, which need Linux: on Windows, use WSL".to_owned(),
            );
        }
        Failure::Usage(format!(
            "`plyground league` is the program {LEAGUE_PROGRAM}, which is not beside this one: `cargo build \
             --release -p league` makes it, and the .deb has it"
        ))
    };
    let mut program = Process::new(league_place().ok_or_else(missing)?);
    let error = replace(program.args(words));
    Err(Failure::Run(anyhow::anyhow!("{LEAGUE_PROGRAM}: {error}")))
}

/// Replaces this process by another program, which then gets the signals for this process. Returns the error if the
/// program cannot be started.
#[cfg(unix)]
fn replace(program: &mut Process) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(program)
}

#[cfg(not(unix))]
fn replace(program: &mut Process) -> std::io::Error {
    match program.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns the place of the program of a league: beside this one, in the package of this one, or in `PATH`.
fn league_place() -> Option<PathBuf> {
    let name = format!("{LEAGUE_PROGRAM}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().unwrap_or_default();
    let beside = own.parent().map(|folder| folder.join(&name));
    // A package has several builds of this program, and one of the league, in the folder of commands.
    let packaged = own.ancestors().nth(4).map(|root| root.join("bin").join(&name));
    let path = env::var_os("PATH").unwrap_or_default();
    let others = env::split_paths(&path).map(|folder| folder.join(&name));
    beside.into_iter().chain(packaged).chain(others).find(|place| place.is_file())
}

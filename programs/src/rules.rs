//! A game that is a program: `plyground --game COMMAND`, its check, and the kits to write one.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use plyground_cli::{self as cli, Failure, MANUAL, called};
use plyground_host::host;
use plyground_host::rules::{Checked, RulesProgram};

/// The name of the binary of all games.
pub(crate) const NAME: &str = "plyground";

/// The command that tests a rules program.
const CHECK: &str = "rules-check";

/// The command that writes a kit.
pub(crate) const KIT: &str = "rules-kit";

const KIT_EXAMPLES: &str = "\
Examples:
  plyground rules-kit
  plyground rules-kit --language python --out konane";

/// The options before the command of a game that is a program.
#[derive(Clone, Debug, Args)]
pub(crate) struct RulesArgs {
    /// A program that has the rules of a game, by the protocol for rules in the manual. Every command of a
    /// game follows it: play, match, analyze, serve and all others
    #[arg(long, value_name = "COMMAND")]
    game: Option<String>,

    /// The time for each answer of that program
    #[arg(long, value_name = "TIME", default_value = "10s", requires = "game")]
    #[arg(value_parser = plyground_durable::parse_duration)]
    game_time: Duration,
}

/// The arguments of `rules-check`.
#[derive(Clone, Debug, Args)]
struct CheckArgs {
    /// The number of games to play at random
    #[arg(long, value_name = "N", default_value_t = 40)]
    games: usize,

    /// The seed of the games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The arguments of `rules-kit`.
#[derive(Clone, Debug, Args)]
struct KitArgs {
    /// The language of the kit; without it, all kits are listed
    #[arg(long, value_name = "LANGUAGE", requires = "out")]
    language: Option<String>,

    /// The folder for the kit, which must be empty or not there yet
    #[arg(long, value_name = "FOLDER", requires = "language")]
    out: Option<PathBuf>,
}

/// Returns the options of a game that is a program, if a command line begins with them and they have a fault
/// in no place. A fault is left to the command line of all games.
pub(crate) fn asked(words: &[OsString]) -> Option<RulesArgs> {
    if !words.get(1)?.to_str()?.starts_with("--game") {
        return None;
    }
    // Help and version are those of the game's command line.
    let flag = |name: &'static str, short| {
        Arg::new(name).long(name).short(short).action(ArgAction::SetTrue)
    };
    let command = RulesArgs::augment_args(Command::new(NAME)).disable_help_flag(true);
    let command = command.arg(flag("help", 'h')).arg(flag("version", 'V'));
    let matches = command.allow_external_subcommands(true).try_get_matches_from(words).ok()?;
    let args = RulesArgs::from_arg_matches(&matches).ok()?;
    args.game.is_some().then_some(args)
}

/// Runs a command for a game that is a program.
pub(crate) fn run(args: &RulesArgs, words: &[OsString]) -> ExitCode {
    let command = args.game.as_deref().unwrap_or_default();
    let rules = match RulesProgram::start(command, args.game_time, cli::give_up) {
        Ok(rules) => rules,
        Err(fault) => return cli::finish(Err(fault.into())),
    };
    let game = host(rules.clone());
    let shown = shlex::try_quote(command).map_or_else(|_| command.to_owned(), |word| word.into());
    let check = CheckArgs::augment_args(Command::new(CHECK))
        .about("Play at random, and test that the rules program keeps what it promises");
    let commands = cli::program(&game).subcommands(cli::commands_without_game());
    let program = called(&format!("{NAME} --game {shown}"), game.name(), commands);
    let program = RulesArgs::augment_args(program.name(NAME).bin_name(NAME)).subcommand(check);
    let program = program.about(game.about()).long_about(None);
    let matches = program.try_get_matches_from(words).unwrap_or_else(|error| cli::exit(error));
    cli::finish(match matches.subcommand() {
        Some((CHECK, matches)) => {
            let args = CheckArgs::from_arg_matches(matches);
            check_rules(&rules, &args.unwrap_or_else(|error| cli::exit(error)))
        }
        _ => cli::run_without_game(&matches).unwrap_or_else(|| cli::dispatch(&game, &matches)),
    })
}

fn check_rules(rules: &RulesProgram, args: &CheckArgs) -> Result<(), Failure> {
    let Checked { games, ended, positions, keys } = rules.check(args.games, args.seed)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{games} games, {ended} of them to the end; {positions} positions asked for twice, {keys} \
         keys compared: no breach found"
    )?;
    Ok(out.flush()?)
}

/// Returns the command that writes a kit.
pub(crate) fn kit_command() -> Command {
    KitArgs::augment_args(Command::new(KIT))
        .about("Write a folder to begin with: the rules of a game in a language of yours")
        .after_help(format!("{MANUAL}\n\n{KIT_EXAMPLES}"))
}

/// Lists the kits for rules, or writes one.
///
/// # Errors
///
/// Returns an error if there is no such kit, or the folder cannot be written.
pub(crate) fn kit(matches: &ArgMatches) -> Result<(), Failure> {
    let args = KitArgs::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
    let (Some(language), Some(out)) = (args.language, args.out) else {
        let mut out = io::stdout().lock();
        for kit in isolation::kits() {
            writeln!(out, "{:<10}{}", kit.language, kit.about)?;
        }
        return Ok(out.flush()?);
    };
    let kits = isolation::kits();
    let Some(kit) = kits.iter().find(|kit| kit.language == language) else {
        let languages: Vec<_> = kits.iter().map(|kit| kit.language).collect();
        let expected = languages.join(", ");
        return Err(Failure::Usage(format!("expected one of {expected}, found `{language}`")));
    };
    cli::write_kit(kit, &out)
}

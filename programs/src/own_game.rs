//! Games outside of this repository: `new-game`, which begins a package with the sources of `examples/mygame`, which
//! the tests of the workspace compile and run; and `plyground --game COMMAND`, which plays by a rules program in any
//! language, with the check of such a program, and the kits to write one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use plyground_cli::{self as cli, Failure, MANUAL, args_of, called, print};
use plyground_durable::output::write_new_folder;
use plyground_host::host;
use plyground_host::rules::{Checked, RulesProgram};

/// The names of the game in the sources: the name of the package, and the name of the type.
const NAMES: [&str; 2] = ["mygame", "MyGame"];

/// The manifest, with `{engine}`, `{cli}` and `{host}` for the folders of the packages.
const MANIFEST: &str = include_str!("new_game/Cargo.toml.in");

/// The other files of the package.
const FILES: [(&str, &str); 8] = [
    (".cargo/config.toml", include_str!("new_game/config.toml")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("new_game/README.md")),
    ("src/lib.rs", include_str!("../../examples/mygame/src/lib.rs")),
    ("src/main.rs", include_str!("../../examples/mygame/src/main.rs")),
    ("src/rules.rs", include_str!("../../examples/mygame/src/rules.rs")),
    ("starters/python/board.py", include_str!("../../examples/mygame/starters/python/board.py")),
    ("tests/contract.rs", include_str!("../../examples/mygame/tests/contract.rs")),
];

/// The words of Rust, and names of packages that a game builds on.
const TAKEN: &str = "abstract as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut plyground pub ref \
    return self static struct super test trait true type use while";

/// The arguments of `new-game`.
#[derive(Clone, Debug, Args)]
pub(crate) struct NewGameArgs {
    /// The name of the game: lower-case letters and digits, with a letter first
    #[arg(value_name = "NAME", value_parser = game_name)]
    name: String,

    /// The folder with the sources of Plyground, on which the package builds
    #[arg(long, value_name = "FOLDER")]
    source: PathBuf,

    /// The folder for the package, which must be empty or not there yet; without it, NAME
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

fn game_name(text: &str) -> Result<String, String> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !is_plain {
        return Err("expected lower-case letters and digits, with a letter first".to_owned());
    }
    if TAKEN.split(' ').any(|taken| taken == text) {
        return Err("expected another name, because Rust or Plyground uses this one".to_owned());
    }
    Ok(text.to_owned())
}

/// Writes the package.
///
/// # Errors
///
/// Returns an error if the sources of Plyground are not where they should be, or the folder cannot be
/// written.
pub(crate) fn new_game(args: &NewGameArgs) -> Result<(), Failure> {
    let source = absolute(&args.source)?;
    let folders = [source.clone(), source.join("crates/cli"), source.join("crates/host")];
    if let Some(folder) = folders.iter().find(|folder| !folder.join("Cargo.toml").is_file()) {
        let fault = "expected --source with the sources of Plyground";
        return Err(Failure::Usage(format!("{fault}: there is no {}", folder.display())));
    }
    let type_name = args.name[..1].to_uppercase() + &args.name[1..];
    let named = |text: &str| text.replace(NAMES[1], &type_name).replace(NAMES[0], &args.name);
    let [engine, cli, host] = folders.map(|folder| toml_text(&folder));
    let manifest = named(MANIFEST)
        .replace("{engine}", &engine)
        .replace("{cli}", &cli)
        .replace("{host}", &host);
    let texts: Vec<_> = FILES.iter().map(|(name, text)| (*name, named(text))).collect();
    let mut files = vec![("Cargo.toml", manifest.as_str())];
    files.extend(texts.iter().map(|(name, text)| (*name, text.as_str())));
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    write_new_folder(&out, &files)?;
    let out = out.display();
    print(format_args!(
        "{out}: a game of three in a row; README.md has the commands, and src/rules.rs and \
         starters/python/board.py have the rules\n"
    ))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Returns a path as a text in TOML.
fn toml_text(path: &Path) -> String {
    toml::Value::from(path.to_string_lossy().into_owned()).to_string()
}

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

/// Returns the options of a game that is a program, if a command line begins with them and they have no fault. A fault
/// is left to the command line of all games.
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
        .about("Play at random, and test that the rules program keeps its contract");
    let commands = cli::program(&game).subcommands(cli::commands_without_game());
    let program = called(&format!("{NAME} --game {shown}"), game.name(), commands);
    let program = RulesArgs::augment_args(program.name(NAME).bin_name(NAME)).subcommand(check);
    let program = program.version(crate::version()).about(game.about()).long_about(None);
    let matches = program.try_get_matches_from(words).unwrap_or_else(|error| cli::exit(error));
    cli::finish(match matches.subcommand() {
        Some((CHECK, matches)) => check_rules(&rules, &args_of(matches)),
        _ => cli::run_without_game(&[], &matches).unwrap_or_else(|| cli::dispatch(&game, &matches)),
    })
}

fn check_rules(rules: &RulesProgram, args: &CheckArgs) -> Result<(), Failure> {
    let Checked { games, ended, positions, keys } = rules.check(args.games, args.seed)?;
    print(format_args!(
        "{games} games, {ended} of them to the end; {positions} positions asked for twice, {keys} \
         keys compared: no breach found\n"
    ))
}

/// Returns the command that writes a kit.
pub(crate) fn kit_command() -> Command {
    KitArgs::augment_args(Command::new(KIT))
        .about("Write a starter folder with the rules of a game, in a language of your choice")
        .after_help(format!("{MANUAL}\n\n{KIT_EXAMPLES}"))
}

/// Lists the kits for rules, or writes one.
///
/// # Errors
///
/// Returns an error if there is no such kit, or the folder cannot be written.
pub(crate) fn kit(matches: &ArgMatches) -> Result<(), Failure> {
    let args: KitArgs = args_of(matches);
    let kits = isolation::kits();
    let (Some(language), Some(out)) = (args.language, args.out) else {
        let lines = kits.iter().map(|kit| format!("{:<10}{}\n", kit.language, kit.about));
        return print(lines.collect::<String>());
    };
    let Some(kit) = kits.iter().find(|kit| kit.language == language) else {
        let languages: Vec<_> = kits.iter().map(|kit| kit.language).collect();
        let expected = languages.join(", ");
        return Err(Failure::Usage(format!("expected one of {expected}, found `{language}`")));
    };
    cli::write_kit(kit, &out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_packages() {
        for (name, is_right) in [
            ("konane", true),
            ("y4", true),
            ("4y", false),
            ("Konane", false),
            ("a-b", false),
            ("fn", false),
        ] {
            assert_eq!(game_name(name).is_ok(), is_right, "{name}");
        }
    }
}

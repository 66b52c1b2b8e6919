//! The binary `network`: Berkeley's game, USF's session, the commands that all games share, and the check of
//! strategies.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use network::strategy_check::{Gap, check};
use network::usf_session;
use plyground_cli::{
    self as cli, ClusterCommands, Command, Failure, Job, MANUAL, Order, PlayArgs, TextFile,
    args_of, print, read_command, shared_job,
};
use plyground_host::SharedGame;

/// Plays and analyzes Network
///
/// With two players it plays a game between them, with the first as White: Berkeley's program.
/// With no arguments it asks for everything: USF's program.
#[derive(Debug, Parser)]
#[command(name = "network", version = crate::version(), subcommand_negates_reqs = true)]
struct NetworkCli {
    #[command(flatten)]
    play: Players,

    #[command(subcommand)]
    command: Option<NetworkCommand>,
}

#[derive(Clone, Debug, Subcommand)]
enum NetworkCommand {
    #[command(flatten)]
    Shared(Box<Command>),
    /// Check a strategy against every reply, with its own implementation of the rules
    #[command(after_help = VERIFY_EXAMPLES)]
    VerifySolution {
        /// The strategy that `research solve` wrote, whose rules it names; - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  network verify-solution answers.txt";

const STRATEGY: TextFile<'_> =
    TextFile { expected: "a strategy", what: "the strategy", most: 1 << 30 };

/// The two players and their options; `None` if a command is given instead.
// clap flattens optional arguments only if no other arguments are flattened into them.
#[derive(Debug)]
struct Players(Option<PlayArgs>);

impl Args for Players {
    fn augment_args(command: clap::Command) -> clap::Command {
        PlayArgs::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        PlayArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for Players {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Players, clap::Error> {
        let given = matches.contains_id("player1");
        given.then(|| PlayArgs::from_arg_matches(matches)).transpose().map(Players)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Players::from_arg_matches(matches)?;
        Ok(())
    }
}

const EXAMPLES: &str = "\
Examples:
  network human machine
  network -q machine:depth=4 random --seed 1 --record game.jsonl
  network -r -t 2 machine machine:time=1s Ann Bob
  network analyze position.txt --depth 6";

/// The commands that have moved to the binary `research`.
const MOVED: [&str; 2] = ["openings", "solve"];

/// Runs the session of USF's assignment, which asks for everything.
pub(crate) fn session() -> Result<(), Failure> {
    Ok(usf_session()?)
}

/// Returns the command line of the binary, which a person calls by the words `called`.
pub(crate) fn command(game: &SharedGame, called: &str) -> clap::Command {
    let command = NetworkCli::command().after_help(format!("{MANUAL}\n\n{EXAMPLES}")).override_usage(format!(
        "{called} [OPTIONS] PLAYER1 PLAYER2 [NAME1 [NAME2]]\n       {called}\n       {called} COMMAND"
    ));
    cli::complete(game, command)
}

/// Returns the same error with a tip: a first word that is not a player may be meant as a command.
pub(crate) fn with_tip(mut error: clap::Error, called: &str) -> clap::Error {
    let player = ContextValue::String("<PLAYER1>".to_owned());
    if error.get(ContextKind::InvalidArg) == Some(&player) {
        let tip = match error.get(ContextKind::InvalidValue) {
            Some(ContextValue::String(word)) if MOVED.contains(&word.as_str()) => {
                format!("it is `research {word}`, a program of its own")
            }
            _ => format!("`{called} help` lists the commands"),
        };
        let tip = tip.into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// Runs the command of the command line of [`command`].
pub(crate) fn dispatch(game: &SharedGame, matches: &ArgMatches) -> Result<(), Failure> {
    let NetworkCli { play, command } = args_of(matches);
    match (command, play.0) {
        (Some(NetworkCommand::Shared(command)), _) => match *command {
            Command::Cluster(command) => cli::cluster(game, &command, &Shareable),
            command => cli::run(game, command),
        },
        (Some(NetworkCommand::VerifySolution { file }), _) => verify(&file),
        (None, Some(players)) => cli::play(game, &players),
        (None, None) => {
            Err(Failure::Usage("expected two players, or a command; see --help".to_owned()))
        }
    }
}

/// Checks a strategy.
fn verify(file: &Path) -> Result<(), Failure> {
    let text = STRATEGY.read(file)?;
    let checked = check(&text).map_err(|gap| {
        let fault = format!("{}: {gap}", file.display());
        match gap {
            Gap::Heading | Gap::Start | Gap::Letter(_) => Failure::Usage(fault),
            _ => Failure::Run(anyhow::Error::msg(fault)),
        }
    })?;
    print(format_args!(
        "Accepted, 0 gaps: {} answers, {} replies, {} of them lost at once\n",
        checked.answers, checked.replies, checked.wins
    ))?;
    let heading: Vec<&str> =
        text.lines().next().unwrap_or_default().trim_end().split(' ').collect();
    if let &[_, rules, color, chips, board] = heading.as_slice() {
        let by = format!("by chip {chips}, by the rules of {rules}, from {board}");
        print(format_args!("{color} wins {by}\n"))?;
    }
    Ok(())
}

/// The commands whose work can be shared.
struct Shareable;

impl ClusterCommands for Shareable {
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        order: Option<&Order>,
    ) -> Option<Result<Job, Failure>> {
        let NetworkCli { command, .. } = read_command(command(game, "network"), words);
        match command? {
            NetworkCommand::Shared(command) => shared_job(game, *command, order),
            NetworkCommand::VerifySolution { .. } => None,
        }
    }

    fn names(&self) -> &'static str {
        "tournament, grade --class, match or timing"
    }
}

#[cfg(test)]
mod tests {
    use network::{Rules, game};

    use super::*;

    #[test]
    fn rules_decide_before_the_command_line_is_read() {
        for (line, rules) in [
            ("network --rules usf perft 2", "usf"),
            ("network perft 2 --rules=usf", "usf"),
            ("network perft 2", "berkeley"),
            ("network --rules chess perft 2", "berkeley"),
        ] {
            let words = line.split(' ').map(Into::into);
            assert_eq!(cli::as_asked(&game(Rules::Berkeley), words).rules(), rules, "{line}");
        }
    }

    #[test]
    fn command_line_is_consistent() {
        command(&game(Rules::Berkeley), "network").debug_assert();
    }
}

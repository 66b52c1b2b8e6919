//! The programs of other people that `serve` offers as players.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use plyground_durable::{parse_duration, whole_number};
use plyground_host::SharedGame;
use plyground_host::external::CommandLine;
use plyground_host::player::PlayerSpec;
use plyground_web::{ServedProgram, ServedPrograms};

use super::failure::Failure;
use super::programs::{ProgramArgs, not_ready, prepare_system};

/// More games of a program than this are a slip of the fingers.
const MAX_GAMES: u32 = 1_000;

/// A longer name does not fit on the page.
const LONGEST_NAME: usize = 24;

/// The programs that can be played with on the page.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Programs on the page")]
pub struct ServedPlayerArgs {
    /// Offer this program as a player on the page under this name; may be given several times.
    /// COMMAND is file:COMMAND, line:COMMAND or java:FOLDER-OR-JAR[:CLASS], as for `play`
    #[arg(long = "player", value_name = "NAME=COMMAND")]
    pub players: Vec<NamedPlayer>,

    /// The number of games of each --player that may be played at a time, half of them at one
    /// address
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = whole_number(1..=MAX_GAMES))]
    pub player_games: u32,

    /// The time that a page may be silent before the programs that it plays with are ended
    #[arg(long, value_name = "TIME", default_value = "150s", value_parser = parse_duration)]
    pub player_absence: Duration,

    /// The options of these programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

/// A program with a name: `NAME=COMMAND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlayer {
    name: String,
    spec: PlayerSpec,
}

impl FromStr for NamedPlayer {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedPlayer, String> {
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let Some((name, command)) = named else {
            return Err(format!(
                "expected NAME=COMMAND, the name of at most {LONGEST_NAME} letters, digits, `-`, `_` \
                 and `.`"
            ));
        };
        let spec: PlayerSpec = command.parse().map_err(|unknown| format!("{name}: {unknown}"))?;
        if !spec.is_external() {
            return Err(format!(
                "{name}: expected a program: file:COMMAND, line:COMMAND or \
                 java:FOLDER-OR-JAR[:CLASS]"
            ));
        }
        Ok(NamedPlayer { name: name.to_owned(), spec })
    }
}

fn is_name(name: &str) -> bool {
    let is_fit = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(is_fit)
}

/// The programs of the arguments, each for the games in which it can be started.
pub(super) fn served_players(
    games: &[SharedGame],
    args: &ServedPlayerArgs,
) -> Result<ServedPrograms, Failure> {
    let held = args.programs.options();
    for (index, NamedPlayer { name, .. }) in args.players.iter().enumerate() {
        if args.players[..index].iter().any(|other| other.name == *name) {
            return Err(Failure::Usage(format!("--player: there are two players called {name}")));
        }
    }
    if !args.players.is_empty() {
        prepare_system(&held)?;
    }
    let mut programs = Vec::with_capacity(args.players.len());
    for NamedPlayer { name, spec } in &args.players {
        // The page says how deep; that a program can be started does not depend on it.
        let depth = spec.command().is_some_and(CommandLine::needs_depth).then_some(1);
        let (mut names, mut fault) = (Vec::new(), None);
        for game in games {
            match held.make_ready(&**game, spec, depth) {
                Ok(()) => names.push(game.name().to_owned()),
                Err(why) => fault = Some(why),
            }
        }
        if let Some(why) = fault.filter(|_| names.is_empty()) {
            return Err(not_ready(spec, why));
        }
        programs.push(ServedProgram { name: name.clone(), spec: spec.clone(), games: names });
    }
    let most = usize::try_from(args.player_games).unwrap_or(usize::MAX);
    Ok(ServedPrograms { programs, held, games: most, absence: args.player_absence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_has_name_and_program() {
        let read = |text: &str| text.parse::<NamedPlayer>();
        let bob = read("bob=line:python3 bob.py --level=3").expect("a player");
        assert_eq!(bob.name, "bob");
        assert_eq!(bob.spec.to_string(), "line:python3 bob.py --level=3");
        for (text, why) in [
            ("line:cat", "expected NAME=COMMAND"),
            ("=line:cat", "expected NAME=COMMAND"),
            ("a,depth=line:cat", "expected NAME=COMMAND"),
            ("a:b=line:cat", "expected NAME=COMMAND"),
            ("bob=machine", "bob: expected a program"),
            ("bob=human", "bob: expected a program"),
            ("bob=cat", "bob: expected human, random"),
            ("bob=line:", "bob: after `line:`, expected a command"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(why), "{text}: {error}");
        }
        let long = format!("{}=line:cat", "x".repeat(LONGEST_NAME + 1));
        assert!(read(&long).is_err());
    }
}

//! Players as people name them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use plyground::perfect::Ties;
use plyground_durable::parse_duration;

use crate::engine::Strength;
use crate::external::{CommandError, CommandLine, JavaProgram, NoJavaProgram};

/// A player, as a string names it wherever a player is named: `human`, `random`, `machine`,
/// `machine:depth=7`, `machine:time=1s`, `machine:perfect`, `machine:perfect,time=1s`,
/// `machine:perfect,ties=first`, `file:COMMAND`, `line:COMMAND`, `java:FOLDER-OR-JAR`,
/// `java:FOLDER-OR-JAR:CLASS`.
///
/// `Display` writes what `FromStr` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerSpec {
    /// A person at the terminal, or at the other end of a pipe.
    Human,
    /// A player that chooses at random.
    Random,
    /// An engine player, which searches.
    Machine(Strength),
    /// A program that is started for every move, reads the position in one file and writes the
    /// next into another.
    File(CommandLine),
    /// A program that is started for every game and speaks the line protocol of
    /// [`protocol`](crate::protocol).
    Line(CommandLine),
    /// A Java class; the game's program knows how it plays.
    Java(JavaProgram),
}

impl PlayerSpec {
    /// Returns the command, if the player is another person's program that has one.
    #[must_use]
    pub fn command(&self) -> Option<&CommandLine> {
        match self {
            PlayerSpec::File(command) | PlayerSpec::Line(command) => Some(command),
            PlayerSpec::Human
            | PlayerSpec::Random
            | PlayerSpec::Machine(_)
            | PlayerSpec::Java(_) => None,
        }
    }

    /// If true, the player makes the best move there is.
    #[must_use]
    pub fn is_perfect(&self) -> bool {
        matches!(self, PlayerSpec::Machine(Strength::Perfect { .. }))
    }

    /// If true, the player is another person's program.
    #[must_use]
    pub fn is_external(&self) -> bool {
        self.command().is_some() || matches!(self, PlayerSpec::Java(_))
    }
}

/// The error of a text that names no player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownPlayer {
    /// There is no such kind of player.
    #[error("expected {PLAYERS}")]
    Kind,
    /// The depth of an engine player is invalid.
    #[error("expected a depth of 1 or more after `depth=`")]
    Depth,
    /// The time of an engine player is invalid.
    #[error("after `time=`, {0}")]
    Time(String),
    /// The command of a program is invalid.
    #[error("after `{kind}:`, {error}")]
    Command {
        /// The kind of the player, `file` or `line`.
        kind: &'static str,
        /// The fault of the command.
        error: CommandError,
    },
    /// The Java program is invalid.
    #[error("after `java:`, {0}")]
    Java(NoJavaProgram),
}

/// The forms of a player's name.
const PLAYERS: &str = "human, random, machine, machine:depth=N, machine:time=TIME, \
    machine:perfect, machine:perfect,time=TIME, machine:perfect,ties=first, file:COMMAND, \
    line:COMMAND or java:FOLDER-OR-JAR[:CLASS]";

impl FromStr for PlayerSpec {
    type Err = UnknownPlayer;

    fn from_str(text: &str) -> Result<PlayerSpec, UnknownPlayer> {
        match text.split_once(':') {
            None => match text {
                "human" => Ok(PlayerSpec::Human),
                "random" => Ok(PlayerSpec::Random),
                "machine" => Ok(PlayerSpec::Machine(Strength::Default)),
                _ => Err(UnknownPlayer::Kind),
            },
            Some(("machine", options)) => match options.strip_prefix("perfect") {
                Some("") => perfect([]),
                Some(options) if options.starts_with(',') => perfect(options[1..].split(',')),
                _ => strength(options).map(PlayerSpec::Machine),
            },
            Some(("file", command)) => {
                let command = command.parse().and_then(CommandLine::with_files);
                command
                    .map(PlayerSpec::File)
                    .map_err(|error| UnknownPlayer::Command { kind: "file", error })
            }
            Some(("line", command)) => command
                .parse()
                .map(PlayerSpec::Line)
                .map_err(|error| UnknownPlayer::Command { kind: "line", error }),
            Some(("java", program)) => {
                program.parse().map(PlayerSpec::Java).map_err(UnknownPlayer::Java)
            }
            Some(_) => Err(UnknownPlayer::Kind),
        }
    }
}

fn perfect<'a>(options: impl IntoIterator<Item = &'a str>) -> Result<PlayerSpec, UnknownPlayer> {
    let (mut time, mut ties) = (None, Ties::default());
    for option in options {
        match option.split_once('=') {
            Some(("time", text)) => time = Some(duration(text)?),
            Some(("ties", "first")) => ties = Ties::First,
            _ => return Err(UnknownPlayer::Kind),
        }
    }
    Ok(PlayerSpec::Machine(Strength::Perfect { time, ties }))
}

fn strength(option: &str) -> Result<Strength, UnknownPlayer> {
    match option.split_once('=') {
        Some(("depth", depth)) => {
            // The game limits the depth, which is not known here.
            let depth = depth.parse().ok().filter(|depth| *depth > 0);
            depth.map(Strength::Depth).ok_or(UnknownPlayer::Depth)
        }
        Some(("time", time)) => duration(time).map(Strength::Time),
        _ => Err(UnknownPlayer::Kind),
    }
}

fn duration(time: &str) -> Result<Duration, UnknownPlayer> {
    parse_duration(time).map_err(UnknownPlayer::Time)
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Human => f.pad("human"),
            PlayerSpec::Random => f.pad("random"),
            PlayerSpec::Machine(Strength::Default) => f.pad("machine"),
            PlayerSpec::Machine(Strength::Depth(depth)) => write!(f, "machine:depth={depth}"),
            PlayerSpec::Machine(Strength::Time(time)) => {
                write!(f, "machine:time={}", humantime::format_duration(*time))
            }
            PlayerSpec::Machine(Strength::Perfect { time, ties }) => {
                f.write_str("machine:perfect")?;
                if let Some(time) = time {
                    write!(f, ",time={}", humantime::format_duration(*time))?;
                }
                f.write_str(if *ties == Ties::First { ",ties=first" } else { "" })
            }
            PlayerSpec::File(command) => write!(f, "file:{command}"),
            PlayerSpec::Line(command) => write!(f, "line:{command}"),
            PlayerSpec::Java(program) => write!(f, "java:{program}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() -> Result<(), UnknownPlayer> {
        for name in [
            "human",
            "random",
            "machine",
            "machine:depth=7",
            "machine:time=1s",
            "machine:time=250ms",
            "machine:perfect",
            "machine:perfect,time=1m 30s",
            "machine:perfect,ties=first",
            "machine:perfect,time=2s,ties=first",
            "file:java -cp 'my subs/ann' maxconnect4 one-move {in} {out} {depth}",
            "line:./player --level=3",
            "java:my subs/ann",
            "java:subs/bob.jar:player.MachinePlayer",
        ] {
            assert_eq!(name.parse::<PlayerSpec>()?.to_string(), name);
        }
        Ok(())
    }

    #[test]
    fn anything_else_is_refused() {
        for name in [
            "",
            "Human",
            "human:depth=1",
            "machine:",
            "machine:depth",
            "machine:speed=1",
            "perfect",
            "machine:perfect,",
            "machine:perfect,depth=3",
        ] {
            assert_eq!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Kind), "{name}");
        }
        for depth in ["0", "-1", "x", "", "1.5", "99999999999"] {
            let name = format!("machine:depth={depth}");
            assert_eq!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Depth), "{name}");
        }
        for time in ["", "0", "-1s", "soon"] {
            let name = format!("machine:time={time}");
            assert!(matches!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Time(_))), "{name}");
            let name = format!("machine:perfect,time={time}");
            assert!(matches!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Time(_))), "{name}");
        }
        for (name, error) in [
            ("file:player {in}", CommandError::Files),
            ("file:", CommandError::Empty),
            ("line:player 'x", CommandError::Quote),
        ] {
            let kind = if name.starts_with("file") { "file" } else { "line" };
            assert_eq!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Command { kind, error }));
        }
    }
}

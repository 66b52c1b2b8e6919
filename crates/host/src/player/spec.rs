//! Players as people name them, and our engine as one of them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::perfect::Ties;
use plyground::search::SearchContext;
use plyground_durable::parse_duration;
use thiserror::Error;

use super::interface::{Answer, Player, ProposedMove, Turn};
use crate::engine::{ChosenMove, Constraints, EngineError, Strength};
use crate::external::{CommandError, CommandLine, JavaProgram, NoJavaProgram};
use crate::fault::Fault;
use crate::game::HostedEngine;

/// A player by its name, which is the same in commands, files and records: `human`, `random`,
/// `machine`, `machine:depth=7`, `machine:time=1s`, `machine:perfect`, `machine:perfect,time=1s`,
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

    /// Returns `true` if the player always makes a best move.
    #[must_use]
    pub fn is_perfect(&self) -> bool {
        matches!(self, PlayerSpec::Machine(Strength::Perfect { .. }))
    }

    /// Returns `true` if the player is another person's program.
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
    /// The command of a program of this kind, `file` or `line`, is invalid.
    #[error("after `{0}:`, {1}")]
    Command(&'static str, CommandError),
    /// A word in braces is no placeholder.
    #[error(
        "expected {{in}}, {{out}}, {{depth}}, {{start}} or {{folder}}, found `{0}`; a command with other braces can be \
         in a script"
    )]
    Placeholder(String),
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
                command.map(PlayerSpec::File).map_err(|error| UnknownPlayer::Command("file", error))
            }
            Some(("line", command)) => command
                .parse()
                .map(PlayerSpec::Line)
                .map_err(|error| UnknownPlayer::Command("line", error)),
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

/// The share of its time after which a punctual player of a fixed depth moves.
const SHARE_OF_LIMIT: f64 = 0.8;

/// A function that is called with every move that an engine makes, and its source.
pub type OnMove<'a> = Box<dyn FnMut(&ChosenMove) + Send + 'a>;

/// A player that makes the moves that an engine chooses.
pub struct EnginePlayer<'a> {
    engine: Box<dyn HostedEngine>,
    strength: Strength,
    /// The flag that makes the player move at once, unless it is perfect and not punctual.
    pub stop: Option<Arc<AtomicBool>>,
    /// If true, the player makes the best move so far when its time is over or its flag is raised, whatever its
    /// strength. Otherwise, a player whose time is too short for its depth loses the game.
    pub is_punctual: bool,
    /// The part of its time that the player leaves unused: other programs need it to start.
    pub margin: Duration,
    /// The function that is called with every move of the player.
    pub on_move: Option<OnMove<'a>>,
}

impl<'a> EnginePlayer<'a> {
    /// Returns a player that plays with this strength.
    #[must_use]
    pub fn new(engine: Box<dyn HostedEngine>, strength: Strength) -> EnginePlayer<'a> {
        let margin = Duration::ZERO;
        EnginePlayer { engine, strength, stop: None, is_punctual: false, margin, on_move: None }
    }
}

impl fmt::Debug for EnginePlayer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnginePlayer").field("strength", &self.strength).finish_non_exhaustive()
    }
}

impl Player for EnginePlayer<'_> {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let is_perfect = matches!(self.strength, Strength::Perfect { .. });
        let is_of_depth = matches!(self.strength, Strength::Depth(_));
        let limit = match self.is_punctual && is_of_depth {
            true => turn.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT)),
            false => turn.limit.map(|limit| limit.saturating_sub(self.margin)),
        };
        let stop = self.stop.clone().filter(|_| !is_perfect || self.is_punctual);
        let context = stop.map(SearchContext::from).unwrap_or_default();
        let constraints = Constraints { limit, context, ..Constraints::default() };
        let chosen = self.engine.choose(turn.position, self.strength, &constraints);
        let no_answer = |error: EngineError| Fault::no_answer(error.to_string());
        let chosen = chosen.map_err(no_answer)?.ok_or(Fault::NoMove)?;
        match (self.strength, turn.limit, chosen.depth) {
            (Strength::Depth(depth), Some(limit), Some(reached))
                if !self.is_punctual && reached < depth && !chosen.value.is_exact() =>
            {
                return Err(Fault::WallLimit { limit });
            }
            _ => {}
        }
        if let Some(on_move) = &mut self.on_move {
            on_move(&chosen);
        }
        let ChosenMove { mv, value, depth, .. } = chosen;
        Ok(Answer::Move(ProposedMove { mv, value: Some(value), depth }))
    }

    fn allows_take_back(&self) -> bool {
        true
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
            assert_eq!(name.parse::<PlayerSpec>(), Err(UnknownPlayer::Command(kind, error)));
        }
    }
}

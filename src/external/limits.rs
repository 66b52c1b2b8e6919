//! What somebody else's program may use.

use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use serde::{Deserialize, Serialize, Serializer};

use crate::duration::{self, parse_duration};

/// The time for a move, by the clock on the wall, if nobody says anything about it: a program that
/// never answers must not stop a tournament.
pub const DEFAULT_WALL: Duration = Duration::from_secs(60);

const DEFAULT_MEMORY: ByteSize = ByteSize::gib(2);
const DEFAULT_OUTPUT: ByteSize = ByteSize::mib(64);
const DEFAULT_PROCESSES: u32 = 64;

/// What the processes of a player may use together: options of a command, or fields of a table
/// in TOML or JSON, where times and sizes are written the same way.
///
/// What a player uses while its opponent thinks counts for its next move.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[command(next_help_heading = "Other people's programs")]
pub struct ProcessLimits {
    /// CPU time of an external program for a move
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(with = "duration::text", skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Duration>,

    /// Time for a move of an external program by the clock on the wall; without it, 1m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(with = "duration::text", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Duration>,

    /// CPU time of an external program for all its moves of a game
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(with = "duration::text", skip_serializing_if = "Option::is_none")]
    pub game_cpu: Option<Duration>,

    /// Time for all moves of an external program in a game by the clock on the wall
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(with = "duration::text", skip_serializing_if = "Option::is_none")]
    pub game_wall: Option<Duration>,

    /// Memory that the processes of an external program may occupy
    #[arg(long, value_name = "SIZE", default_value_t = DEFAULT_MEMORY)]
    #[serde(serialize_with = "in_bytes")]
    pub memory: ByteSize,

    /// What an external program may print during a move, and what it may leave in its folder
    #[arg(long, value_name = "SIZE", default_value_t = DEFAULT_OUTPUT)]
    #[serde(serialize_with = "in_bytes")]
    pub output: ByteSize,

    /// How many processes an external program may have at a time
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PROCESSES)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub processes: u32,
}

impl Default for ProcessLimits {
    fn default() -> ProcessLimits {
        ProcessLimits {
            cpu: None,
            wall: None,
            game_cpu: None,
            game_wall: None,
            memory: DEFAULT_MEMORY,
            output: DEFAULT_OUTPUT,
            processes: DEFAULT_PROCESSES,
        }
    }
}

/// The exact number: the text for people is rounded.
fn in_bytes<S: Serializer>(size: &ByteSize, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(size.as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_people_write_them() -> serde_json::Result<()> {
        let text = r#"{"cpu": "1s", "game-wall": "2m", "memory": "512MiB", "processes": 8}"#;
        let limits: ProcessLimits = serde_json::from_str(text)?;
        assert_eq!(limits.cpu, Some(Duration::from_secs(1)));
        assert_eq!(limits.game_wall, Some(Duration::from_secs(120)));
        assert_eq!(limits.memory, ByteSize::mib(512));
        assert_eq!((limits.processes, limits.output), (8, DEFAULT_OUTPUT));
        let again = serde_json::from_str(&serde_json::to_string(&limits)?)?;
        assert_eq!(limits, again);
        for wrong in [r#"{"cpu": "soon"}"#, r#"{"memory": "much"}"#, r#"{"colour": 1}"#] {
            assert!(serde_json::from_str::<ProcessLimits>(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }

    #[test]
    fn sizes_keep_every_byte() -> serde_json::Result<()> {
        let limits = ProcessLimits { memory: ByteSize(123_456_789), ..ProcessLimits::default() };
        let text = serde_json::to_string(&limits)?;
        assert_eq!(serde_json::from_str::<ProcessLimits>(&text)?, limits);
        Ok(())
    }
}

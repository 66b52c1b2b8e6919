//! What a foreign program may use.

use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

use plyground_durable::values::{duration_text, size_text};
#[cfg(feature = "clap")]
use plyground_durable::{parse_duration, parse_size, whole_number};

/// The wall time of a turn without any other limit, so that a program that never answers does not
/// stop its host.
pub const DEFAULT_WALL: Duration = Duration::from_secs(60);

const DEFAULT_MEMORY: ByteSize = ByteSize::gib(2);
const DEFAULT_OUTPUT: ByteSize = ByteSize::mib(64);
const DEFAULT_PROCESSES: u32 = 64;

/// What the processes of a program may use together.
///
/// The limits are options of a command (with the feature `clap`), or fields of a table in TOML or
/// JSON. Times and sizes are written the same way in both. A move is a turn, and a game is the
/// program's life.
///
/// What a program uses between two moves counts for the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "Other people's programs"))]
pub struct ProcessLimits {
    /// The CPU time of an external program for a move
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse_duration))]
    #[serde(with = "duration_text", skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Duration>,

    /// The time of an external program for a move by the clock on the wall [default: 1m]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse_duration))]
    #[serde(with = "duration_text", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Duration>,

    /// The CPU time of an external program for all its moves of a game
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse_duration))]
    #[serde(with = "duration_text", skip_serializing_if = "Option::is_none")]
    pub game_cpu: Option<Duration>,

    /// The time of an external program for all its moves of a game by the clock on the wall
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = parse_duration))]
    #[serde(with = "duration_text", skip_serializing_if = "Option::is_none")]
    pub game_wall: Option<Duration>,

    /// The memory that all processes of an external program may occupy
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", default_value = "2GiB"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_size))]
    #[serde(with = "size_text")]
    pub memory: ByteSize,

    /// What an external program may print during a move, and what it may leave in its folder
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", default_value = "64MiB"))]
    #[cfg_attr(feature = "clap", arg(value_parser = parse_size))]
    #[serde(with = "size_text")]
    pub output: ByteSize,

    /// The number of processes that an external program may have at a time
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = DEFAULT_PROCESSES))]
    #[cfg_attr(feature = "clap", arg(value_parser = whole_number(1..=u32::MAX)))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "clap")]
    #[test]
    fn options_and_files_have_same_defaults() -> Result<(), clap::Error> {
        use clap::{Args, FromArgMatches};

        let command = ProcessLimits::augment_args(clap::Command::new("toy"));
        let matches = command.try_get_matches_from(["toy"])?;
        assert_eq!(ProcessLimits::from_arg_matches(&matches)?, ProcessLimits::default());
        Ok(())
    }

    #[test]
    fn limits_deserialize_from_text_people_write() -> serde_json::Result<()> {
        let text = r#"{"cpu": "1s", "game-wall": "2m", "memory": "512MiB", "processes": 8}"#;
        let limits: ProcessLimits = serde_json::from_str(text)?;
        assert_eq!(limits.cpu, Some(Duration::from_secs(1)));
        assert_eq!(limits.game_wall, Some(Duration::from_secs(120)));
        assert_eq!(limits.memory, ByteSize::mib(512));
        assert_eq!((limits.processes, limits.output), (8, DEFAULT_OUTPUT));
        let again = serde_json::from_str(&serde_json::to_string(&limits)?)?;
        assert_eq!(limits, again);
        for (wrong, why) in [
            (r#"{"cpu": "soon"}"#, "expected a time like 1s"),
            (r#"{"memory": "much"}"#, "expected a size like 512MiB"),
            (r#"{"memory": true}"#, "expected a size like \"512MiB\", or a number of bytes"),
            (r#"{"output": 0}"#, "expected a size greater than nothing"),
            (r#"{"color": 1}"#, "unknown field `color`"),
        ] {
            let error = serde_json::from_str::<ProcessLimits>(wrong).map_err(|e| e.to_string());
            assert!(error.as_ref().is_err_and(|error| error.starts_with(why)), "{error:?}");
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

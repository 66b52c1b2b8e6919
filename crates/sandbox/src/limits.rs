//! The level of a sandbox; the limits of a foreign program, and the mechanism that enforces them; and time
//! limits that allow for late waits.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use plyground_durable::quantities::{duration_text, size_text};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "clap")]
use plyground_durable::{parse_duration, parse_size, whole_number};

/// The degree of isolation of a program from the rest of the computer.
///
/// A greater level promises more: see the [crate documentation](crate#levels).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// The program has all rights of the user. Only its limits are enforced.
    None,
    /// The kernel refuses files, sockets and system calls, and the program has a user ID of its own.
    /// The host runs as root.
    User,
    /// The program lives in namespaces of its own, which contain nothing that the program must not have.
    Full,
}

/// All levels, the least first.
const LEVELS: [SandboxLevel; 3] = [SandboxLevel::None, SandboxLevel::User, SandboxLevel::Full];

/// The error of a text that is no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected full, user or none")]
pub struct NoLevel;

impl SandboxLevel {
    /// Returns the name of the level in one lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SandboxLevel::None => "none",
            SandboxLevel::User => "user",
            SandboxLevel::Full => "full",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SandboxLevel {
    type Err = NoLevel;

    fn from_str(text: &str) -> Result<SandboxLevel, NoLevel> {
        LEVELS.into_iter().find(|level| level.name() == text).ok_or(NoLevel)
    }
}

/// The length of the longest path that a build may leave, in bytes. The rest of the 4 KiB that the kernel reads of a path
/// is for the folders above, so that a folder may be moved.
pub const LONGEST_PATH: usize = 2048;

const DEFAULT_MEMORY: ByteSize = ByteSize::gib(2);
const DEFAULT_OUTPUT: ByteSize = ByteSize::mib(64);
const DEFAULT_PROCESSES: u32 = 64;

/// The resources that the processes of a program may use together.
///
/// The limits are options of a command (with the feature `clap`), or fields of a table in TOML or
/// JSON. Times and sizes are written the same way in both. A move is a turn, and a game is the
/// program's life.
///
/// The use between two moves counts for the second.
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

    /// The size of the output of an external program during a move, and of the files in its folder
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

/// A limit on time, part of which may be used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The time that is left.
    pub left: Duration,
    /// The whole limit, which a [`ProcessFailure`](crate::ProcessFailure) names.
    pub limit: Duration,
}

impl Budget {
    pub(crate) const fn after(used: Duration, limit: Duration) -> Budget {
        Budget { left: limit.saturating_sub(used), limit }
    }
}

/// The wall time that several programs may use together.
///
/// Time in which other processes keep a program from running does not count. Neither does the time of the
/// host between two turns.
#[derive(Debug)]
pub struct Allowance {
    limit: Duration,
    used: Mutex<Duration>,
}

impl Allowance {
    /// Returns an unused allowance.
    #[must_use]
    pub fn new(limit: Duration) -> Allowance {
        Allowance { limit, used: Mutex::default() }
    }

    /// Returns true if nothing is left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.budget().left.is_zero()
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::after(*self.used(), self.limit)
    }

    /// Adds time that a program used, other than that of a [`Meter`](crate::Meter) with this allowance.
    pub fn spend(&self, wall: Duration) {
        let mut used = self.used();
        *used = used.saturating_add(wall);
    }

    /// Gives back all time used since the time `spent` was used, that of other programs as well.
    pub fn return_to(&self, spent: Duration) {
        let mut used = self.used();
        *used = spent.min(*used);
    }

    /// Returns the time that is used so far.
    #[must_use]
    pub fn spent(&self) -> Duration {
        *self.used()
    }

    fn used(&self) -> MutexGuard<'_, Duration> {
        // A thread that panics leaves nothing here half done.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The mechanism that enforces the limits of all processes of a program together: control groups of version 2
/// where the host has a delegated group, and accounting by the supervisor elsewhere.
///
/// The text is one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLimits {
    /// The folder in which each sandbox has a control group, if there is one. The kernel measures CPU time
    /// there, stops all processes at once, and kills them.
    pub groups: Option<PathBuf>,
    /// If true, the kernel limits the memory of a group, including all that it keeps for the processes.
    pub memory: bool,
    /// If true, the kernel limits the number of processes and threads in a group.
    pub processes: bool,
    /// The reason for accounting, if a limit depends on it.
    pub why: Option<String>,
    /// The remedy in one line, if one is known.
    pub remedy: Option<String>,
}

impl fmt::Display for TreeLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut held, mut accounted) = (vec!["CPU time", "freeze", "kill"], Vec::new());
        for (name, is_held) in [("processes", self.processes), ("memory", self.memory)] {
            if is_held { held.insert(0, name) } else { accounted.insert(0, name) }
        }
        match &self.groups {
            Some(folder) => {
                write!(f, "cgroup v2 ({}) in {}", held.join(", "), folder.display())?;
                if !accounted.is_empty() {
                    write!(f, ", accounting ({})", accounted.join(", "))?;
                }
            }
            None => write!(f, "accounting")?,
        }
        self.why.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}

/// Calls `wait` with this time, and adds the time that the call takes beyond it to `late`.
///
/// A process that waits until a time limit may wake long after the limit: the computer is busy, or all
/// processes were stopped for a while, as by Ctrl-Z or the suspension of a job. The awaited program is not to
/// blame for this delay.
pub(crate) fn wait_late<T>(
    late: &mut Duration,
    time: Duration,
    wait: impl FnOnce(Duration) -> T,
) -> T {
    let begun = Instant::now();
    let found = wait(time);
    *late = late.saturating_add(begun.elapsed().saturating_sub(time));
    found
}

/// A time limit that is extended by the time by which waits for it end too late.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    limit: Duration,
}

impl Deadline {
    /// Returns a limit that begins now.
    #[must_use]
    pub fn after(limit: Duration) -> Deadline {
        Deadline { begun: Instant::now(), limit }
    }

    /// Calls `wait` with this time, and extends the limit by the time that the call takes beyond it.
    pub fn wait<T>(&mut self, time: Duration, wait: impl FnOnce(Duration) -> T) -> T {
        wait_late(&mut self.limit, time, wait)
    }

    /// Adds this time to the limit.
    pub fn extend(&mut self, time: Duration) {
        self.limit = self.limit.saturating_add(time);
    }

    /// Returns the time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.begun.elapsed())
    }

    /// Returns true if no time is left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_is_read_as_it_is_written() {
        for level in LEVELS {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!("Full".parse::<SandboxLevel>(), Err(NoLevel));
        assert!(LEVELS.is_sorted());
    }

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
        let odd = ProcessLimits { output: ByteSize(123_456_789), ..limits };
        assert_eq!(odd, serde_json::from_str(&serde_json::to_string(&odd)?)?, "every byte");
        for (wrong, why) in [
            (r#"{"cpu": "soon"}"#, "expected a time like 1s"),
            (r#"{"memory": "much"}"#, "expected a size like 512MiB"),
            (r#"{"memory": true}"#, "expected a size like \"512MiB\", or a number of bytes"),
            (r#"{"output": 0}"#, "expected a size greater than zero"),
            (r#"{"color": 1}"#, "unknown field `color`"),
        ] {
            let error = serde_json::from_str::<ProcessLimits>(wrong).map_err(|e| e.to_string());
            assert!(error.as_ref().is_err_and(|error| error.starts_with(why)), "{error:?}");
        }
        Ok(())
    }

    #[test]
    fn limits_are_one_line() {
        let why = Some("it is not delegated".to_owned());
        let accounting = TreeLimits { why: why.clone(), ..TreeLimits::default() };
        assert_eq!(accounting.to_string(), "accounting: it is not delegated");
        let whole = TreeLimits {
            groups: Some("/tree/x".into()),
            memory: true,
            processes: true,
            ..TreeLimits::default()
        };
        let text = "cgroup v2 (memory, processes, CPU time, freeze, kill) in /tree/x";
        assert_eq!(whole.to_string(), text);
        let part = TreeLimits { memory: false, why, ..whole };
        let text = "cgroup v2 (processes, CPU time, freeze, kill) in /tree/x, accounting (memory): \
                    it is not delegated";
        assert_eq!(part.to_string(), text);
    }

    #[test]
    fn wait_that_ends_late_takes_nothing_off() {
        let mut deadline = Deadline::after(Duration::from_secs(3600));
        let left = deadline.left();
        deadline.wait(Duration::ZERO, |_| std::thread::sleep(Duration::from_millis(30)));
        assert!(deadline.left() + Duration::from_millis(30) > left);
        deadline.wait(Duration::from_secs(60), |time| assert_eq!(time, Duration::from_secs(60)));
        assert!(!deadline.is_over());
        assert!(Deadline::after(Duration::ZERO).is_over());
    }
}

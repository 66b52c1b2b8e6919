//! The signs of life of tasks: each task appends to a file of its own, and other tasks watch the file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

/// The byte that a living task appends again and again.
const BEAT: &[u8] = b".";
/// The byte that a task appends when it ends in order.
const END: &[u8] = b"e";

/// The file to which a task appends as long as it lives.
#[derive(Debug)]
pub(super) struct Heartbeat(File);

impl Heartbeat {
    pub(super) fn begin(path: &Path) -> io::Result<Heartbeat> {
        let mut heartbeat = Heartbeat(OpenOptions::new().append(true).create_new(true).open(path)?);
        heartbeat.add(BEAT)?;
        Ok(heartbeat)
    }

    /// Shows that the task lives.
    pub(super) fn beat(&mut self) {
        // A task that cannot show that it lives counts as dead; it cannot write its results either.
        let _ = self.add(BEAT);
    }

    /// Shows that the task has ended.
    pub(super) fn end(&mut self) {
        // Without this byte, other tasks only wait longer.
        let _ = self.add(END);
    }

    fn add(&mut self, byte: &[u8]) -> io::Result<()> {
        self.0.write_all(byte)?;
        // Other tasks see only the bytes on the server.
        self.0.sync_data()
    }
}

/// The last known state of a task.
#[derive(Clone, Copy, Debug)]
struct Sight {
    length: u64,
    /// The time when this length was first seen, by the observer's own clock.
    since: Duration,
}

/// The signs of life that a process has seen of other tasks.
#[derive(Debug)]
pub(super) struct Watch {
    /// The time without a sign of life after which a task is dead.
    patience: Duration,
    seen: HashMap<String, Sight>,
}

impl Watch {
    pub(super) fn new(patience: Duration) -> Watch {
        Watch { patience, seen: HashMap::new() }
    }

    /// Returns true if the task of this name, whose signs of life are in this file, is dead. `now` is the
    /// time on the observer's own clock, whose zero does not matter.
    pub(super) fn is_dead(&mut self, name: &str, file: &Path, now: Duration) -> bool {
        let Beats { length, has_ended } = Beats::read(file);
        if has_ended {
            return true;
        }
        let sight = self.seen.entry(name.to_owned()).or_insert(Sight { length, since: now });
        if sight.length != length {
            *sight = Sight { length, since: now };
        }
        now.saturating_sub(sight.since) >= self.patience
    }
}

/// The contents of the file of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Beats {
    pub(super) length: u64,
    pub(super) has_ended: bool,
}

impl Beats {
    /// Reads the file of a task; a missing file counts as empty. The file is opened anew, because a network
    /// file system then asks its server.
    pub(super) fn read(file: &Path) -> Beats {
        let mut bytes = Vec::new();
        if let Ok(mut file) = File::open(file) {
            // The bytes before an error of the system count.
            let _ = file.read_to_end(&mut bytes);
        }
        Beats { length: bytes.len() as u64, has_ended: bytes.ends_with(END) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_dead_when_they_stay_as_they_were() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t");
        let mut heartbeat = Heartbeat::begin(&path)?;
        let mut watch = Watch::new(Duration::from_secs(10));
        let mut is_dead = |seconds| watch.is_dead("t", &path, Duration::from_secs(seconds));
        assert!(!is_dead(1000) && !is_dead(1009));
        heartbeat.beat();
        assert!(!is_dead(1010) && !is_dead(1019) && is_dead(1020));
        heartbeat.beat();
        assert!(!is_dead(1021), "it was only slow");
        heartbeat.end();
        assert!(is_dead(1021));
        Ok(())
    }
}

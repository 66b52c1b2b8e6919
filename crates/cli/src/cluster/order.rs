//! The order for the work, as it is kept in the folder with the work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground_arena::contents::Contents;
use plyground_durable::one_line;
use plyground_durable::output::{make_folder, write_whole};
use plyground_sandbox::SandboxLevel;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The folder with the orders. None is ever replaced, for a task may read it.
const ORDERS: &str = "orders";

/// The work to be done, and the requirements on every machine that does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The words of the command.
    pub(super) command: Vec<String>,
    /// The folder in which it was given.
    pub(super) folder: PathBuf,
    /// The game.
    pub(super) game: String,
    /// Its rules.
    pub(super) rules: String,
    /// The machine that has prepared it.
    pub(super) machine: String,
    /// The content of this program, as one word.
    pub(super) program: String,
    /// The features that the processor must have.
    pub(super) features: Vec<String>,
    /// The level of the sandboxes, if there are programs to sandbox.
    pub(super) level: Option<SandboxLevel>,
    /// The contents of all programs.
    pub(super) contents: Contents,
    /// The players that cannot play, by name, and why.
    pub(super) absent: BTreeMap<String, String>,
    /// A task that shows nothing for this time, in milliseconds, is dead.
    pub(super) patience_ms: u64,
}

impl Order {
    pub(super) fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }

    /// The last order in the folder with the work, if there is any.
    pub(super) fn read(work: &Path) -> Result<Option<Order>, Failure> {
        let folder = work.join(ORDERS);
        let Some(last) = last(&folder) else { return Ok(None) };
        let path = folder.join(file_name(last));
        let damaged = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| damaged(error.to_string()))?;
        serde_json::from_str(&text).map(Some).map_err(|error| damaged(one_line(&error.to_string())))
    }

    /// Keeps it as the last order.
    pub(super) fn write(&self, work: &Path) -> Result<(), Failure> {
        let folder = work.join(ORDERS);
        make_folder(&folder)?;
        let number = last(&folder).unwrap_or_default() + 1;
        // Strings, numbers and maps of them always have a JSON text.
        let text = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        Ok(write_whole(&folder.join(file_name(number)), text)?)
    }
}

fn file_name(number: u32) -> String {
    format!("{number:04}.json")
}

fn last(folder: &Path) -> Option<u32> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.strip_suffix(".json")?.parse().ok()).max()
}

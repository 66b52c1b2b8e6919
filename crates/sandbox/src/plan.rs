//! What a host tells the supervisor of a sandbox.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::level::SandboxLevel;
use crate::view::View;

/// The control group of a sandbox, which the supervisor makes and removes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GroupPlan {
    /// The folder of the group, of which nobody else has the name.
    pub(crate) folder: PathBuf,
    /// Whether the group has the controller of memory.
    pub(crate) memory: bool,
    /// Whether the group has the controller of the number of processes.
    pub(crate) processes: bool,
}

/// How the programs of a sandbox are held.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxPlan {
    pub(crate) level: SandboxLevel,
    /// The only folder in which the programs may write, by the path by which they know it. The
    /// supervisor makes it.
    pub(crate) folder: PathBuf,
    /// Another folder in which they may write, which was there before and stays. It is the current
    /// folder.
    pub(crate) workshop: Option<PathBuf>,
    /// What the programs see of the disk. Without a sandbox, they see all of it.
    pub(crate) view: View,
    /// The variables of the environment that the host names.
    pub(crate) environment: Vec<(String, String)>,
    /// The memory that all processes of a program may occupy, in bytes.
    pub(crate) memory: u64,
    /// How much a program may print in a turn, and keep in its folder, in bytes.
    pub(crate) output: u64,
    /// How many processes a program may have.
    pub(crate) processes: u32,
    /// Whether a program may go on between its turns.
    pub(crate) ponder: bool,
    /// The file that receives standard error.
    pub(crate) log: Option<PathBuf>,
    /// The control group of the programs, where there are such groups.
    pub(crate) group: Option<GroupPlan>,
}

impl SandboxPlan {
    /// Returns the current folder of the programs.
    pub(crate) fn current_folder(&self) -> &Path {
        self.workshop.as_ref().unwrap_or(&self.folder)
    }

    /// Returns the environment of the programs.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let folder = self.folder.to_string_lossy().into_owned();
        let own = ["HOME", "TMPDIR"].map(|name| (name.to_owned(), folder.clone()));
        let fixed = [("PATH", self.view.path.as_str()), ("LANG", "C.UTF-8")];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let named = self.view.variables.iter().chain(&self.environment).cloned();
        fixed.into_iter().chain(own).chain(named).collect()
    }
}

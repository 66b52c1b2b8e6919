//! The policy by which a program runs in a sandbox, and the plan that comes of it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::level::SandboxLevel;
use crate::limits::{Allowance, ProcessLimits};
use crate::view::{View, check_public};

/// The limits of a foreign program, and how it is confined, logged and stopped.
#[derive(Clone, Debug)]
pub struct SandboxPolicy {
    /// The limits of the program.
    pub limits: ProcessLimits,
    /// The level of the sandbox. A sandbox of this level is built, or none: see
    /// [`availability`](crate::availability()).
    pub level: SandboxLevel,
    /// A folder that the program may change, and in which it starts. The program works on a copy,
    /// which takes the place of the folder when the program has ended. For programs that build others.
    pub workshop: Option<PathBuf>,
    /// The files that the command names, which the program sees with the folders that they are in.
    pub named: Vec<PathBuf>,
    /// The files and folders that the program sees besides.
    pub visible: Vec<PathBuf>,
    /// If true, or if it is not set and the command names one of them, programs that are hosts
    /// themselves run in the sandbox.
    pub hosts: Option<bool>,
    /// The variables of the environment that the program has besides `PATH`, `LANG`, `HOME`,
    /// `TMPDIR`, and those of installed languages: names and values.
    pub environment: Vec<(String, String)>,
    /// If true, the program may go on between its turns.
    pub ponder: bool,
    /// If true, a control group holds the limits where the host may make one: see
    /// [`tree_limits`](crate::tree_limits()).
    pub control_groups: bool,
    /// The wall time that the program shares with others, if that is limited.
    pub allowance: Option<Arc<Allowance>>,
    /// The file to which the program's standard error is appended, up to 1 MiB. Its folder must
    /// exist.
    pub log: Option<PathBuf>,
    /// A flag that any thread may set when the program is no longer needed.
    pub stop: Option<Arc<AtomicBool>>,
    /// The executable of the supervisor; by default, that of this process. It must call
    /// [`supervise`](crate::supervise) when its first argument is
    /// [`SUPERVISE`](crate::SUPERVISE).
    pub supervisor: Option<PathBuf>,
}

impl Default for SandboxPolicy {
    fn default() -> SandboxPolicy {
        SandboxPolicy {
            limits: ProcessLimits::default(),
            level: SandboxLevel::Full,
            workshop: None,
            named: Vec::new(),
            visible: Vec::new(),
            hosts: None,
            environment: Vec::new(),
            ponder: false,
            control_groups: true,
            allowance: None,
            log: None,
            stop: None,
            supervisor: None,
        }
    }
}

impl SandboxPolicy {
    /// Returns whether the flag [`stop`](SandboxPolicy::stop) is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the plan of a sandbox for a program, whose path is absolute.
    ///
    /// # Errors
    ///
    /// An error if the program will have a user of its own who cannot read what the command names.
    pub(crate) fn plan(
        &self,
        program: Option<&Path>,
        folder: &Path,
        ids: Option<Ids>,
        group: Option<GroupPlan>,
    ) -> io::Result<SandboxPlan> {
        let names_supervisor = program.is_some() && self.supervisor.as_deref() == program;
        let hosts = self.hosts.or(names_supervisor.then_some(true));
        let view = match self.level {
            SandboxLevel::None => View::default(),
            _ => View::of(program, &self.named, &self.visible, hosts),
        };
        if self.level == SandboxLevel::User {
            let named = program.into_iter().chain(self.named.iter().map(PathBuf::as_path));
            check_public(named.chain(self.visible.iter().map(PathBuf::as_path)))?;
        }
        let workshop = self.workshop.as_ref().map(std::fs::canonicalize).transpose()?;
        Ok(SandboxPlan {
            level: self.level,
            ids,
            folder: folder.to_owned(),
            workshop,
            view,
            environment: self.environment.clone(),
            memory: self.limits.memory.as_u64(),
            output: self.limits.output.as_u64(),
            processes: self.limits.processes,
            ponder: self.ponder,
            log: self.log.clone(),
            group,
        })
    }
}

/// The IDs of a program and of the process that starts and signals it, on the host. Each is the
/// number of a user and of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ids {
    pub(crate) program: u32,
    pub(crate) keeper: u32,
}

/// The control group of a sandbox, which the supervisor makes and removes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GroupPlan {
    /// The folder of the group, of which no other process has the name.
    pub(crate) folder: PathBuf,
    /// If true, the group has the controller of memory.
    pub(crate) memory: bool,
    /// If true, the group has the controller of the number of processes.
    pub(crate) processes: bool,
}

/// The plan of a sandbox, which a host sends to the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxPlan {
    pub(crate) level: SandboxLevel,
    /// The IDs on the host that the programs have, if the host is root.
    pub(crate) ids: Option<Ids>,
    /// The folder of the program's folders: at the level `full` by the path inside, else on the disk.
    pub(crate) folder: PathBuf,
    /// The folder of the host that the program changes a copy of. It is the current folder.
    pub(crate) workshop: Option<PathBuf>,
    /// The part of the disk that the programs see. Without a sandbox, they see all of it.
    pub(crate) view: View,
    /// The variables of the environment that the host names.
    pub(crate) environment: Vec<(String, String)>,
    /// The memory that all processes of a program may occupy, in bytes.
    pub(crate) memory: u64,
    /// The length of what a program may print in a turn, and keep in its folder, in bytes.
    pub(crate) output: u64,
    /// The number of processes that a program may have.
    pub(crate) processes: u32,
    /// If true, a program may go on between its turns.
    pub(crate) ponder: bool,
    /// The file that receives standard error.
    pub(crate) log: Option<PathBuf>,
    /// The control group of the programs, where there are such groups.
    pub(crate) group: Option<GroupPlan>,
}

/// The names of the two folders of a program.
pub(crate) const HOME: &str = "player";
pub(crate) const WORKSHOP: &str = "workshop";

impl SandboxPlan {
    /// Returns the folder in which the programs may write, by the path that they know.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join(HOME)
    }

    /// Returns the current folder of the programs, by the path that they know.
    pub(crate) fn current_folder(&self) -> PathBuf {
        match (&self.workshop, self.level) {
            (None, _) => self.home(),
            (Some(workshop), SandboxLevel::None) => workshop.clone(),
            (Some(_), _) => self.folder.join(WORKSHOP),
        }
    }

    /// Returns the environment of the programs.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let home = self.home().to_string_lossy().into_owned();
        let own = ["HOME", "TMPDIR"].map(|name| (name.to_owned(), home.clone()));
        let fixed = [("PATH", self.view.path.as_str()), ("LANG", "C.UTF-8")];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let named = self.view.variables.iter().chain(&self.environment).cloned();
        fixed.into_iter().chain(own).chain(named).collect()
    }
}

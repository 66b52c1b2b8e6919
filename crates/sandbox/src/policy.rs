//! How a foreign program is held.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::command::absolute_words;
use crate::level::SandboxLevel;
use crate::limits::ProcessLimits;
use crate::plan::{GroupPlan, SandboxPlan};
use crate::view::{View, check_public};

/// How a foreign program is held: what it may use, and how it is confined, logged and stopped.
#[derive(Clone, Debug)]
pub struct SandboxPolicy {
    /// What the program may use.
    pub limits: ProcessLimits,
    /// How far the program is kept apart from everything else. A sandbox of this level is built, or
    /// none: see [`availability`](crate::availability()).
    pub level: SandboxLevel,
    /// A folder, in which no part of the path is a link, where the program may write as well. It
    /// stays when the program ends. It is for programs that build others.
    pub workshop: Option<PathBuf>,
    /// The files and folders that the program sees besides those that its command names.
    pub visible: Vec<PathBuf>,
    /// The files that the program does not see, unless its command names one of them.
    pub hidden: Vec<PathBuf>,
    /// The variables of the environment that the program has besides `PATH`, `LANG`, `HOME`,
    /// `TMPDIR`, and those of installed languages: names and values.
    pub environment: Vec<(String, String)>,
    /// Whether the program may go on between its turns.
    pub ponder: bool,
    /// Whether a control group holds the limits where the host may make one: see
    /// [`tree_limits`](crate::tree_limits()).
    pub control_groups: bool,
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
            visible: Vec::new(),
            hidden: Vec::new(),
            environment: Vec::new(),
            ponder: false,
            control_groups: true,
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

    /// Returns what the supervisor of a sandbox is told. `words` are a command of the program.
    ///
    /// # Errors
    ///
    /// An error if the program will have a user of its own who cannot read what the command names.
    pub(crate) fn plan(
        &self,
        words: &[String],
        folder: &Path,
        group: Option<GroupPlan>,
    ) -> io::Result<SandboxPlan> {
        let view = match self.level {
            SandboxLevel::None => View::default(),
            _ => {
                let is_other_user = self.level == SandboxLevel::User;
                let words = absolute_words(words, is_other_user);
                if is_other_user {
                    let workshop = self.workshop.iter();
                    let shown: Vec<_> = self.visible.iter().chain(workshop).cloned().collect();
                    check_public(&words, &shown)?;
                }
                View::of(&words, &self.visible, &self.hidden())
            }
        };
        Ok(SandboxPlan {
            level: self.level,
            folder: folder.to_owned(),
            workshop: self.workshop.clone(),
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

    /// The program that supervises must not play.
    fn hidden(&self) -> Vec<PathBuf> {
        let own = std::env::current_exe().ok();
        self.hidden.iter().cloned().chain(own).chain(self.supervisor.clone()).collect()
    }
}

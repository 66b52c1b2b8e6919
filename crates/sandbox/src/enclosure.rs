//! A sandbox from inside: where its supervisor starts programs.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{self, Command, Stdio};
use std::sync::Arc;

use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;

use crate::accounting::Accounting;
use crate::building::{self, Confinement};
use crate::cgroup::Cgroup;
use crate::end::ProcessEnd;
use crate::failure::is_exhausted;
use crate::folder::{self, MOST_FILES};
use crate::folder_size::exceeds;
use crate::grouped::Grouped;
use crate::held::{Held, held};
use crate::launch::Launch;
use crate::level::SandboxLevel;
use crate::log::SharedLog;
use crate::plan::SandboxPlan;
use crate::reach::Reach;
use crate::started::Started;
use crate::tree_control::TreeControl;

/// A sandbox that is built, with this process in it as the supervisor.
#[derive(Debug)]
pub(crate) struct Enclosure {
    pub(crate) plan: SandboxPlan,
    pub(crate) log: SharedLog,
    reach: Reach,
    /// The control group of the programs, if there is one.
    group: Option<Arc<Cgroup>>,
    confinement: Arc<Confinement>,
}

impl Enclosure {
    /// Builds a sandbox around this process, which must have no other threads.
    ///
    /// At the level [`Full`](SandboxLevel::Full), it is another process that returns: the first in its
    /// namespaces.
    ///
    /// # Errors
    ///
    /// The step that the kernel refuses.
    pub(crate) fn build(plan: SandboxPlan) -> io::Result<Enclosure> {
        let log = SharedLog::new(plan.log.as_deref())?;
        let built = building::build(&plan)?;
        let confinement = Arc::new(built.confinement);
        Ok(Enclosure { plan, log, reach: built.reach, group: built.group, confinement })
    }

    /// Returns what will measure, stop and kill the processes of a program that is not started yet.
    pub(crate) fn control(&self) -> Box<dyn TreeControl> {
        let accounting = Accounting::new(self.reach);
        match &self.group {
            Some(group) => Box::new(Grouped::new(Arc::clone(group), accounting)),
            None => Box::new(accounting),
        }
    }

    /// Starts a program. Returns an error if it did not start.
    pub(crate) fn start(&self, launch: &Launch) -> Result<Started, ProcessEnd> {
        let system = |error: io::Error| ProcessEnd::System(error.to_string());
        let (mut refused, sender) = io::pipe().map_err(system)?;
        let mut command = self.command(launch).map_err(system)?;
        let enter = self.entrance(launch, sender);
        let spawned = match &self.group {
            Some(group) => {
                let inherits = self.plan.level == SandboxLevel::None;
                group.start(&command, launch.keywords.is_some(), inherits, enter)
            }
            None => {
                // SAFETY: the closure makes system calls, and allocates nothing.
                unsafe { command.pre_exec(enter) };
                command.spawn().map(Started::from)
            }
        };
        // The closure holds the other end of the pipe.
        drop(command);
        let error = match spawned {
            Ok(child) => return Ok(child),
            Err(error) => error,
        };
        let mut refusal = Vec::new();
        let _ = refused.read_to_end(&mut refusal);
        if !refusal.is_empty() || is_exhausted(&error) {
            return Err(system(error));
        }
        self.log.add(format!("cannot be started: {error}\n").as_bytes());
        Err(ProcessEnd::NotStarted(error.to_string()))
    }

    fn command(&self, launch: &Launch) -> io::Result<Command> {
        let (program, arguments) = launch.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(if launch.keywords.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.plan.level == SandboxLevel::None {
            command.env("TMPDIR", &self.plan.folder);
        } else {
            command.env_clear().envs(self.plan.variables()).current_dir(self.plan.current_folder());
        }
        Ok(command)
    }

    /// Returns what makes a process give up what the program must not have. If it cannot, it writes to
    /// `refusal`. It makes system calls, and allocates nothing.
    fn entrance(
        &self,
        launch: &Launch,
        refusal: io::PipeWriter,
    ) -> impl Fn() -> io::Result<()> + Send + Sync + 'static {
        let limits = self.confinement.limits(&self.plan, launch);
        let confinement = Arc::clone(&self.confinement);
        let supervisor = process::id();
        move || {
            confinement.enter(&limits, supervisor).inspect_err(|_| {
                let byte = [1u8];
                // SAFETY: the pointer is to a byte that outlives the call.
                unsafe { libc::write(refusal.as_raw_fd(), byte.as_ptr().cast(), 1) };
            })
        }
    }

    /// Returns what processes hold that is part of none.
    pub(crate) fn held(&self, processes: &[Pid]) -> Held {
        match self.plan.level {
            SandboxLevel::None => Held::default(),
            _ => held(processes, &self.plan.folder),
        }
    }

    /// Returns whether the program keeps more than it may in its folder. `processes` are those that may
    /// hold files there that have no name any more.
    pub(crate) fn is_folder_full(&self, processes: &[Pid]) -> bool {
        let (folder, most) = (&self.plan.folder, self.plan.output);
        if self.plan.level != SandboxLevel::Full {
            let deleted = self.held(processes).deleted;
            return deleted > most || exceeds(folder, most - deleted) || self.is_workshop_full();
        }
        // The folder is a file system of its own, which knows what it holds.
        statvfs(folder).is_ok_and(|found| {
            let blocks = wide(found.blocks() - found.blocks_free());
            let bytes = blocks.saturating_mul(wide(found.fragment_size()));
            bytes > most || wide(found.files() - found.files_free()) > MOST_FILES as u64
        }) || self.is_workshop_full()
    }

    fn is_workshop_full(&self) -> bool {
        self.plan.workshop.as_ref().is_some_and(|folder| exceeds(folder, self.plan.output))
    }

    /// Removes what the sandbox has made, and takes the workshop back.
    pub(crate) fn remove(&self) {
        // In a box, it goes with the last process.
        if let (Some(workshop), SandboxLevel::User) = (&self.plan.workshop, self.plan.level) {
            folder::give(workshop, nix::unistd::geteuid().as_raw());
        }
        if self.plan.level != SandboxLevel::Full {
            folder::remove(&self.plan.folder);
            // The process that has made the box removes its group, after everything in it.
            if let Some(group) = &self.group {
                group.remove();
            }
        }
    }
}

/// A number of a file system, for which every OS has another type.
fn wide(number: impl Into<u64>) -> u64 {
    number.into()
}

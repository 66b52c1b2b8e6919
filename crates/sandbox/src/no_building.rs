//! Replaces `building` on systems other than Linux, where there is no sandbox.

use std::io;
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::setsid;

use crate::cgroup::Cgroup;
use crate::folder;
use crate::launch::Launch;
use crate::level::SandboxLevel;
use crate::plan::SandboxPlan;
use crate::reach::Reach;

/// What all programs give up.
#[derive(Debug)]
pub(crate) struct Confinement;

impl Confinement {
    /// Returns the limits that the kernel enforces for each process of a program.
    pub(crate) fn limits(&self, plan: &SandboxPlan, launch: &Launch) -> Vec<(Resource, u64)> {
        let cpu = launch.cpu.map(|cpu| (Resource::RLIMIT_CPU, cpu.as_secs() + 3));
        let fixed =
            [(Resource::RLIMIT_CORE, 0), (Resource::RLIMIT_FSIZE, plan.output.saturating_add(1))];
        fixed.into_iter().chain(cpu).collect()
    }

    /// Gives up what can be given up.
    pub(crate) fn enter(&self, limits: &[(Resource, u64)], _: u32) -> io::Result<()> {
        setsid()?;
        for &(resource, most) in limits {
            let (_, hard) = getrlimit(resource)?;
            setrlimit(resource, most.min(hard), most.min(hard))?;
        }
        Ok(())
    }
}

/// A sandbox that is built.
pub(crate) struct Built {
    pub(crate) reach: Reach,
    pub(crate) confinement: Confinement,
    pub(crate) group: Option<Arc<Cgroup>>,
}

/// Makes the folder of the programs.
pub(crate) fn build(plan: &SandboxPlan) -> io::Result<Built> {
    if plan.level > SandboxLevel::None {
        return Err(io::Error::other("sandboxes need Linux"));
    }
    folder::make(&plan.folder)?;
    Ok(Built { reach: Reach::Descendants, confinement: Confinement, group: None })
}

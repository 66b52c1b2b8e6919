//! Building a sandbox around the process that is to supervise the programs in it.

use std::io;
use std::os::unix::fs::chown;
use std::path::Path;
use std::sync::Arc;

use nix::sys::prctl;

use crate::cgroup::Cgroup;
pub(crate) use crate::confinement::Confinement;
use crate::confinement::most_threads;
use crate::folder;
use crate::level::SandboxLevel;
use crate::own_user::{self, OwnUser};
use crate::plan::SandboxPlan;
use crate::reach::Reach;
use crate::{namespaces, new_root};

/// How much more than the limit a folder in memory holds, in bytes: enough to see that a program
/// exceeds the limit.
const SLACK: u64 = 1 << 20;

/// A sandbox that is built.
pub(crate) struct Built {
    pub(crate) reach: Reach,
    pub(crate) confinement: Confinement,
    pub(crate) group: Option<Arc<Cgroup>>,
}

/// Builds a sandbox. See [`Sandbox::build`](crate::enclosure::Enclosure::build).
pub(crate) fn build(plan: &SandboxPlan) -> io::Result<Built> {
    let mut user = None;
    // A box shows no control groups.
    let make = |group| Cgroup::make(group, plan.memory, most_threads(plan.processes)).map(Arc::new);
    let group = plan.group.as_ref().map(make).transpose()?;
    let reach = match plan.level {
        SandboxLevel::Full => {
            namespaces::enter(|| {
                if let Some(group) = &group {
                    group.remove();
                }
            })?;
            new_root::enter(plan, plan.output.saturating_add(SLACK))?;
            namespaces::drop_capabilities()?;
            Reach::Namespace
        }
        SandboxLevel::User => {
            let own = make_user(&plan.folder)?;
            if let Some(workshop) = &plan.workshop {
                folder::give(workshop, own.id);
            }
            user = Some(own);
            Reach::User(own)
        }
        SandboxLevel::Partial | SandboxLevel::None => {
            make_folder(&plan.folder)?;
            Reach::Descendants
        }
    };
    // Orphans become children of this process, whose open files others must not see.
    prctl::set_child_subreaper(true)?;
    prctl::set_dumpable(false)?;
    Ok(Built { reach, confinement: Confinement::new(plan, user)?, group })
}

fn make_folder(folder: &Path) -> io::Result<()> {
    folder::make(folder).map_err(|error| namespaces::step(&folder.to_string_lossy(), error))
}

fn make_user(folder: &Path) -> io::Result<OwnUser> {
    if !own_user::is_possible() {
        return Err(io::Error::other("only root can give a program a user ID of its own"));
    }
    let user = OwnUser::unused()?;
    make_folder(folder)?;
    chown(folder, Some(user.id), Some(user.id))?;
    Ok(user)
}

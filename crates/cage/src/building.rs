//! Building a cage around the process that is to supervise the programs in it.

use std::io;
use std::os::unix::fs::chown;
use std::path::Path;

use nix::sys::prctl;

pub(crate) use crate::confinement::Confinement;
use crate::folder;
use crate::level::CageLevel;
use crate::own_user::{self, OwnUser};
use crate::plan::CagePlan;
use crate::reach::Reach;
use crate::{namespaces, new_root};

/// How much more than the limit a folder in memory holds, in bytes: enough to see that a program
/// exceeds the limit.
const SLACK: u64 = 1 << 20;

/// Builds a cage. See [`Cage::build`](crate::enclosure::Enclosure::build).
pub(crate) fn build(plan: &CagePlan) -> io::Result<(Reach, Confinement)> {
    let mut user = None;
    let reach = match plan.level {
        CageLevel::Full => {
            namespaces::enter()?;
            new_root::enter(plan, plan.output.saturating_add(SLACK))?;
            namespaces::drop_capabilities()?;
            Reach::Namespace
        }
        CageLevel::User => {
            let own = make_user(&plan.folder)?;
            if let Some(workshop) = &plan.workshop {
                folder::give(workshop, own.id);
            }
            user = Some(own);
            Reach::User(own)
        }
        CageLevel::Partial | CageLevel::None => {
            make(&plan.folder)?;
            Reach::Descendants
        }
    };
    // Orphans become children of this process, whose open files others must not see.
    prctl::set_child_subreaper(true)?;
    prctl::set_dumpable(false)?;
    Ok((reach, Confinement::new(plan, user)?))
}

fn make(folder: &Path) -> io::Result<()> {
    folder::make(folder).map_err(|error| namespaces::step(&folder.to_string_lossy(), error))
}

fn make_user(folder: &Path) -> io::Result<OwnUser> {
    if !own_user::is_possible() {
        return Err(io::Error::other("only root can give a program a user ID of its own"));
    }
    let user = OwnUser::unused()?;
    make(folder)?;
    chown(folder, Some(user.id), Some(user.id))?;
    Ok(user)
}

//! Control groups: limits of all processes of a program together, held by the kernel.
//!
//! If a part of the tree of cgroup v2 is delegated to the host, each sandbox has a group of its own in it,
//! and its programs start inside that group. The kernel counts what they use, whatever they
//! do, and stops and kills them in one step. The supervisor stays outside.
//!
//! The files are few and hold plain words, so they are read and written here. The crates that do it
//! cover both versions and every controller, but neither freezing and killing by one write nor a start
//! inside a group.

use std::path::PathBuf;

use self::home::Hierarchy;

pub(crate) use group::{Cgroup, Counters};
pub(crate) use home::{NamedGroup, home_limits, next_group};

mod group;
mod home;

/// Returns the folder of the group in which this process is, and of those above it, the nearest first.
///
/// # Errors
///
/// Returns the reason, as text, if this process can see no such folder.
pub(crate) fn own_folders() -> Result<Vec<PathBuf>, String> {
    let (hierarchy, own) = Hierarchy::of_this_process()?;
    Ok(own.ancestors().filter_map(|group| hierarchy.folder(group)).collect())
}

//! Control groups: limits of all processes of a program together, held by the kernel.
//!
//! Where a part of the tree of cgroup v2 is delegated to the host, each sandbox has a group of its own in
//! it, and its programs are started inside that group. The kernel counts what they use, whatever they
//! do, and stops and kills them in one step. The supervisor stays outside.
//!
//! The files are few and hold plain words, so they are read and written here. The crates that do it
//! cover both versions and every controller, but neither freezing and killing by one write nor a start
//! inside a group.

mod group;
mod hierarchy;
mod home;

use std::path::PathBuf;

pub(crate) use group::{Cgroup, Counters};
pub(crate) use home::{NamedGroup, home_limits, next_group};

/// Returns the folder of the group in which this process is, and of those above it, the nearest first.
///
/// # Errors
///
/// Why there is none that this process can see.
pub(crate) fn own_folders() -> Result<Vec<PathBuf>, String> {
    let (hierarchy, own) = hierarchy::Hierarchy::of_this_process()?;
    Ok(own.ancestors().filter_map(|group| hierarchy.folder(group)).collect())
}

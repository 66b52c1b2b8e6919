//! Control groups: limits of all processes of a program together, held by the kernel.
//!
//! If a part of the tree of cgroup v2 is delegated to the host, each sandbox has a group of its own in it,
//! and its programs start inside that group. The kernel counts what they use, whatever they
//! do, and stops and kills them in one step. The supervisor stays outside.
//!
//! The files are few and hold plain words, so they are read and written here. The crates that do it
//! cover both versions and every controller, but neither freezing and killing by one write nor a start
//! inside a group.

use std::path::{Path, PathBuf};
use std::{fs, io};

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

/// The tree of cgroup v2, as it is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    /// The folder at which it is mounted.
    mount: PathBuf,
    /// The group that is in that folder.
    root: PathBuf,
}

impl Hierarchy {
    /// Finds the tree in which this process is, and its group there.
    fn of_this_process() -> Result<(Hierarchy, PathBuf), String> {
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error: io::Error| error.to_string());
        let own = own_group(&read("/proc/self/cgroup")?)
            .ok_or_else(|| "the kernel has no control groups of version 2".to_owned())?;
        let found = mounted(&read("/proc/self/mountinfo")?)
            .into_iter()
            .find(|hierarchy| hierarchy.folder(&own).is_some_and(|folder| folder.is_dir()));
        let found = found.ok_or_else(|| "cgroup v2 is not mounted".to_owned())?;
        Ok((found, own))
    }

    /// Returns the folder of a group, if the mount shows it.
    fn folder(&self, group: &Path) -> Option<PathBuf> {
        let rest = group.strip_prefix(&self.root).ok()?;
        // To join nothing would add a slash.
        Some(if rest.as_os_str().is_empty() { self.mount.clone() } else { self.mount.join(rest) })
    }
}

/// The group of version 2 in the text of `/proc/self/cgroup`.
fn own_group(text: &str) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(path.strip_suffix(" (deleted)").unwrap_or(path).into())
}

/// The mounts of cgroup v2 in the text of `/proc/self/mountinfo`.
fn mounted(text: &str) -> Vec<Hierarchy> {
    let parse = |line: &str| {
        // Before the hyphen: two numbers, the device, the root, the mount and options.
        let (place, kind) = line.split_once(" - ")?;
        let mut fields = place.split(' ').skip(3);
        let (root, mount) = (unescape(fields.next()?), unescape(fields.next()?));
        kind.starts_with("cgroup2 ").then_some(Hierarchy { mount, root })
    };
    text.lines().filter_map(parse).collect()
}

/// Paths have spaces and the like as a backslash and three octal digits.
fn unescape(field: &str) -> PathBuf {
    let (mut parts, mut text) = (field.split('\\'), String::new());
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                text.push(char::from(code));
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_group_is_that_of_version_2() {
        let both = "4:memory:/old/one\n1:name=systemd:/\n0::/user.slice/a b.scope\n";
        assert_eq!(own_group(both), Some("/user.slice/a b.scope".into()));
        assert_eq!(own_group("0::/gone (deleted)\n"), Some("/gone".into()));
        assert_eq!(own_group("4:memory:/old/one\n"), None);
    }

    #[test]
    fn folder_of_group_is_below_mount_that_shows_it() {
        let text = "30 23 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                    31 23 0:27 / /sys/fs/cgroup/uni\\040fied rw,nosuid shared:9 - cgroup2 cgroup2 rw\n\
                    32 23 0:27 /jobs/7 /mnt/job rw - cgroup2 cgroup2 rw\n";
        let found = mounted(text);
        let folders = |group: &str| -> Vec<Option<PathBuf>> {
            found.iter().map(|hierarchy| hierarchy.folder(Path::new(group))).collect()
        };
        let whole = |rest: &str| Some(Path::new("/sys/fs/cgroup/uni fied").join(rest));
        assert_eq!(folders("/jobs/7/a"), [whole("jobs/7/a"), Some("/mnt/job/a".into())]);
        assert_eq!(folders("/jobs/7"), [whole("jobs/7"), Some("/mnt/job".into())]);
        assert_eq!(folders("/"), [Some("/sys/fs/cgroup/uni fied".into()), None]);
        // From a namespace of control groups, a mount from outside shows what is above.
        assert_eq!(folders("/../other"), [whole("../other"), None]);
    }
}

//! The place where a host may make control groups.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::OnceLock;

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::wait::waitpid;
use nix::unistd::{AccessFlags, ForkResult, faccessat};

use super::group::{Cgroup, lock, remove, remove_locked, set};
use crate::folder::unused_number;
use crate::launch::GroupPlan;
use crate::limits::TreeLimits;
use crate::start::end_process;

/// The beginning of the name of every group, and of the name of the group of a host.
const PREFIX: &str = "plyground-";
const HOST_PREFIX: &str = "plyground-host-";
/// The attributes by which systemd marks the folder of a group that it delegates.
const DELEGATED: [&str; 2] = ["user.delegate", "trusted.delegate"];
/// A folder that exists where systemd is in charge of all groups.
const SYSTEMD: &str = "/run/systemd/system";
/// The controllers that enforce limits.
const WANTED: [&str; 2] = ["memory", "pids"];
const REMEDY: &str = "give it a control group of its own: `systemd-run --user --scope -p Delegate=yes \
                      plyground ...`, or without `--user` as root";

/// A place where this process may make control groups.
#[derive(Debug)]
struct Home {
    folder: PathBuf,
    limits: TreeLimits,
    /// The group of this process in it, if it had to move there.
    _own: Option<File>,
}

/// A group that the supervisor is to make and to remove. Dropping this value removes it too, in case the
/// supervisor was killed.
#[derive(Debug)]
pub(crate) struct NamedGroup {
    pub(crate) plan: GroupPlan,
}

impl Drop for NamedGroup {
    fn drop(&mut self) {
        remove(&self.plan.folder);
    }
}

/// Returns a group that does not exist yet, if this process may make one.
pub(crate) fn next_group() -> Option<NamedGroup> {
    home().as_ref().ok().map(Home::next_group)
}

/// Returns the mechanism that enforces the limits of all processes of a program together.
pub(crate) fn home_limits() -> TreeLimits {
    home().as_ref().map_or_else(TreeLimits::clone, |home| home.limits.clone())
}

/// Returns the place of this process. Without one, the limits hold nothing, and name the reason. The search happens
/// once, because the process may have to move for it.
fn home() -> &'static Result<Home, TreeLimits> {
    static HOME: OnceLock<Result<Home, TreeLimits>> = OnceLock::new();
    HOME.get_or_init(Home::find)
}

impl Home {
    fn find() -> Result<Home, TreeLimits> {
        let nowhere = |why| TreeLimits { why: Some(why), ..TreeLimits::default() };
        let (hierarchy, own) = Hierarchy::of_this_process().map_err(nowhere)?;
        let is_systemd = Path::new(SYSTEMD).exists();
        let found = delegated(&hierarchy, &own, is_systemd).ok_or_else(|| TreeLimits {
            remedy: is_systemd.then(|| REMEDY.to_owned()),
            ..nowhere(format!("the control group {} is not delegated", own.display()))
        })?;
        let folder = hierarchy.folder(&found).unwrap_or_default();
        remove_leftovers(&folder);
        let (leaf, why) = enable(&folder, found == own);
        let controllers = words(&folder.join("cgroup.subtree_control"));
        let [memory, processes] = WANTED.map(|name| controllers.contains(name));
        let groups = Some(folder.clone());
        let limits = TreeLimits { groups, memory, processes, why, remedy: None };
        let home = Home { folder, limits, _own: leaf };
        home.try_out().map_err(|error| nowhere(error.to_string()))?;
        Ok(home)
    }

    fn next_group(&self) -> NamedGroup {
        let folder = self.folder.join(format!("{PREFIX}{:016x}", unused_number()));
        let TreeLimits { memory, processes, .. } = self.limits;
        NamedGroup { plan: GroupPlan { folder, memory, processes } }
    }

    /// Uses a group as a supervisor does, because an old kernel lacks a part of it, and the filter of a
    /// container may refuse a part.
    fn try_out(&self) -> io::Result<()> {
        let named = self.next_group();
        let group = Cgroup::make(&named.plan, 1 << 30, 1 << 10, None)?;
        // SAFETY: the child calls nothing but a system call.
        match unsafe { group.fork() } {
            Ok(ForkResult::Child) => end_process(0),
            Ok(ForkResult::Parent { child }) => {
                while waitpid(child, None) == Err(nix::errno::Errno::EINTR) {}
                Ok(())
            }
            Err(error) => Err(io::Error::other(format!("a start in a control group: {error}"))),
        }
    }
}

/// Returns the nearest group, from the group of this process upward, in which this process may make groups.
///
/// If systemd is in charge, the group is one that systemd has delegated, but not to the systemd of a user,
/// which is in charge there. Otherwise, the group is one in which the process can write.
fn delegated(hierarchy: &Hierarchy, own: &Path, is_systemd: bool) -> Option<PathBuf> {
    for group in own.ancestors() {
        let name = group.file_name().unwrap_or_default().to_string_lossy();
        let is_of_other_manager = name.starts_with("user@") && name.ends_with(".service");
        if is_systemd && (is_of_other_manager || group.parent().is_none()) {
            return None;
        }
        if name.starts_with(HOST_PREFIX) {
            continue;
        }
        let folder = hierarchy.folder(group)?;
        let is_left_to_us = || is_marked_as_delegated(&folder) || is_of_user_and_delegated(group);
        if is_writable(&folder) && (!is_systemd || is_left_to_us()) {
            return Some(group.to_owned());
        }
    }
    None
}

/// Returns true if this process may make groups in a folder, give them controllers and move into them.
fn is_writable(folder: &Path) -> bool {
    let can_write =
        |path: PathBuf| faccessat(AT_FDCWD, &path, AccessFlags::W_OK, AtFlags::AT_EACCESS).is_ok();
    let files = ["cgroup.procs", "cgroup.subtree_control"];
    can_write(folder.to_owned()) && files.iter().all(|file| can_write(folder.join(file)))
}

fn is_marked_as_delegated(folder: &Path) -> bool {
    let mut value = [0; 8];
    DELEGATED.iter().any(|name| {
        rustix::fs::getxattr(folder, *name, &mut value).is_ok_and(|length| value[..length] == *b"1")
    })
}

/// Returns true if the systemd of this user says that it has delegated a group. Before version 253, systemd
/// does not mark such a group.
fn is_of_user_and_delegated(group: &Path) -> bool {
    let unit = group.file_name().unwrap_or_default().to_string_lossy();
    let is_of_user = group.iter().any(|name| name.to_string_lossy().starts_with("user@"));
    let is_unit = unit.ends_with(".scope") || unit.ends_with(".service");
    if !is_of_user || !is_unit {
        return false;
    }
    let asked = Command::new("systemctl")
        .args(["--user", "show", "--property=Delegate", "--value", "--", &unit])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|answer| answer.status.success() && answer.stdout.trim_ascii() == b"yes")
}

/// Gives the groups in a folder the available controllers. Returns the group into which this process has
/// moved for that, and the reason for missing controllers.
///
/// A group with processes cannot give controllers to groups inside it, unless it is the root group.
fn enable(folder: &Path, is_own: bool) -> (Option<File>, Option<String>) {
    let available = words(&folder.join("cgroup.controllers"));
    let enabled = words(&folder.join("cgroup.subtree_control"));
    let mut why: Vec<String> = WANTED
        .iter()
        .filter(|name| !available.contains(**name))
        .map(|name| format!("no controller {name} there"))
        .collect();
    let missing: Vec<&str> = WANTED
        .into_iter()
        .filter(|&name| available.contains(name) && !enabled.contains(name))
        .collect();
    let mut own = None;
    if !missing.is_empty() {
        let is_first = !folder.join("cgroup.events").exists();
        let result = if is_own && !is_first { enter_leaf(folder).map(Some) } else { Ok(None) };
        let result = result.and_then(|leaf| {
            own = leaf;
            missing
                .iter()
                .try_for_each(|name| set(folder, "cgroup.subtree_control", &format!("+{name}")))
        });
        why.extend(result.err().map(|error| {
            if error.kind() == io::ErrorKind::ResourceBusy {
                format!("other processes are in {} as well", folder.display())
            } else {
                error.to_string()
            }
        }));
    }
    (own, (!why.is_empty()).then(|| why.join(", ")))
}

/// Moves this process into a group of its own in a folder.
fn enter_leaf(folder: &Path) -> io::Result<File> {
    let leaf = folder.join(format!("{HOST_PREFIX}{}", process::id()));
    fs::create_dir(&leaf)?;
    let own = lock(&leaf)?;
    set(&leaf, "cgroup.procs", "0")?;
    Ok(own)
}

/// Removes the groups of killed hosts and supervisors.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && let Ok(owned) = lock(&entry.path())
        {
            remove_leftover(&owned, &entry.path());
        }
    }
}

/// Removes a group that its owner has left behind. Processes that a host has started outside sandboxes may go
/// on in the host's group.
fn remove_leftover(folder: &File, path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(HOST_PREFIX) {
        let _ = fs::remove_dir(path);
    } else {
        remove_locked(folder, path);
    }
}

fn words(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Returns the folders of the group of this process and of the groups above it, the nearest first.
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
pub(super) struct Hierarchy {
    /// The folder at which it is mounted.
    mount: PathBuf,
    /// The group that is in that folder.
    root: PathBuf,
}

impl Hierarchy {
    /// Finds the tree in which this process is, and its group there.
    pub(super) fn of_this_process() -> Result<(Hierarchy, PathBuf), String> {
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
    pub(super) fn folder(&self, group: &Path) -> Option<PathBuf> {
        let rest = group.strip_prefix(&self.root).ok()?;
        // A join with an empty path would add a slash.
        Some(if rest.as_os_str().is_empty() { self.mount.clone() } else { self.mount.join(rest) })
    }
}

/// Returns the group of version 2 in the text of `/proc/self/cgroup`.
fn own_group(text: &str) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(path.strip_suffix(" (deleted)").unwrap_or(path).into())
}

/// Returns the mounts of cgroup v2 in the text of `/proc/self/mountinfo`.
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

/// Returns a path from its text, in which spaces and the like are a backslash and three octal digits.
fn unescape(field: &str) -> PathBuf {
    const ESCAPED: [(&str, &str); 4] =
        [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    ESCAPED.iter().fold(field.to_owned(), |text, (code, own)| text.replace(code, own)).into()
}

#[cfg(test)]
mod tests {
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, WaitStatus};

    use super::*;

    /// A starting host takes a group that is just being made for a leftover. When the host removes it, the
    /// supervisor has made another group in its place.
    #[test]
    fn group_in_the_place_of_a_leftover_is_spared() -> io::Result<()> {
        let Ok(home) = home() else { return Ok(()) };
        let named = home.next_group();
        let path = &named.plan.folder;
        fs::create_dir(path)?;
        let leftover = lock(path)?;
        fs::remove_dir(path)?;
        let group = Cgroup::make(&named.plan, 1 << 30, 1 << 10, None)?;
        // SAFETY: the child calls nothing but a system call.
        let child = match unsafe { group.fork() }? {
            ForkResult::Child => loop {
                nix::unistd::pause();
            },
            ForkResult::Parent { child } => child,
        };
        remove_leftover(&leftover, path);
        let found = nix::sys::wait::waitpid(child, Some(WaitPidFlag::WNOHANG))?;
        assert_eq!(found, WaitStatus::StillAlive);
        kill(child, Signal::SIGKILL)?;
        waitpid(child, None)?;
        group.remove();
        assert!(!path.exists());
        Ok(())
    }

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
        // From a namespace of control groups, a mount from outside shows the groups above.
        assert_eq!(folders("/../other"), [whole("../other"), None]);
    }
}

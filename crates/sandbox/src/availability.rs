//! The sandbox levels that work on a system, and the parts of the system that enforce limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, io, thread};

use serde::{Deserialize, Serialize};

use crate::failure::is_exhausted;
#[cfg(unix)]
use crate::launch::SUPERVISE;
use crate::launch::supervisor_or_own;
use crate::limits::{SandboxLevel, TreeLimits};
#[cfg(not(unix))]
use crate::portable::unsupported;
#[cfg(unix)]
use crate::system::cgroup;
#[cfg(unix)]
use crate::system::task_clock::TaskClock;

/// The argument after [`SUPERVISE`] that asks for a trial of a level.
pub(crate) const PROBE: &str = "--probe";

/// The greatest level that works on a system, and the obstacles to greater levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// The greatest level that works.
    pub level: SandboxLevel,
    /// The obstacles to greater levels, the greatest first.
    pub obstacles: Vec<Obstacle>,
}

/// The reason why a level does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The level.
    pub level: SandboxLevel,
    /// The feature or permission that the system refuses.
    pub why: String,
    /// The remedy in one line, if one is known.
    pub remedy: Option<String>,
    /// If true, the level may work later: the OS has run out of a resource, or the attempt failed for another
    /// reason than a missing feature or permission.
    pub is_passing: bool,
}

/// The report of the process that tries a level.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// The reason why the level does not work, if it does not.
    pub(crate) obstacle: Option<String>,
    /// If true, the process lacks the permission.
    pub(crate) is_forbidden: bool,
    /// If true, the level may work later.
    pub(crate) is_passing: bool,
}

/// Tries the levels, and returns the greatest that works on this system.
///
/// `supervisor` is the executable of the supervisor; by default, that of this process. The result for an
/// executable is kept for the life of this process, unless an obstacle is [passing](Obstacle::is_passing).
#[must_use]
pub fn availability(supervisor: Option<&Path>) -> Availability {
    static KNOWN: Mutex<BTreeMap<PathBuf, Availability>> = Mutex::new(BTreeMap::new());
    let Ok(program) = supervisor_or_own(supervisor) else {
        return Availability { level: SandboxLevel::None, obstacles: Vec::new() };
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&program) {
        return found.clone();
    }
    let found = find(&program);
    if !found.obstacles.iter().any(|obstacle| obstacle.is_passing) {
        known.insert(program, found.clone());
    }
    found
}

/// Tries a level, and returns the reason why it does not work, or `None` if it works.
///
/// `supervisor` is as for [`availability`](availability()).
#[must_use]
pub fn obstacle(level: SandboxLevel, supervisor: Option<&Path>) -> Option<Obstacle> {
    match supervisor_or_own(supervisor) {
        _ if level == SandboxLevel::None && cfg!(unix) => None,
        Ok(program) => find_obstacle(&program, level),
        Err(error) => {
            Some(Obstacle { level, why: error.to_string(), remedy: None, is_passing: false })
        }
    }
}

/// The number of attempts at a level that may work later, and the pause after the first. Each further one is
/// twice as long.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

fn find_obstacle(program: &Path, level: SandboxLevel) -> Option<Obstacle> {
    let attempt = || try_level(program, level).unwrap_or_else(|error| Probe::failed(&error));
    let mut probe = attempt();
    for number in 0..ATTEMPTS - 1 {
        if !probe.is_passing {
            break;
        }
        thread::sleep(PAUSE * 2_u32.pow(number));
        probe = attempt();
    }
    let why = probe.obstacle?;
    let remedy = match level {
        SandboxLevel::Full if probe.is_forbidden => remedy(),
        // Only the user gives up a level that the system may have.
        SandboxLevel::Full if probe.is_passing => {
            Some("to try again later, or as root `--sandbox user`".to_owned())
        }
        _ => None,
    };
    Some(Obstacle { level, why, remedy, is_passing: probe.is_passing })
}

fn find(program: &Path) -> Availability {
    let mut obstacles = Vec::new();
    for level in [SandboxLevel::Full, SandboxLevel::User] {
        match find_obstacle(program, level) {
            None => return Availability { level, obstacles },
            Some(obstacle) => {
                let is_passing = obstacle.is_passing;
                obstacles.push(obstacle);
                // A level that may work later is not given up for a lower one.
                if is_passing {
                    break;
                }
            }
        }
    }
    Availability { level: SandboxLevel::None, obstacles }
}

impl Probe {
    /// Returns the report on a level that failed with this error.
    pub(crate) fn failed(error: &io::Error) -> Probe {
        // Linux reports a full storage if the limit of namespaces is zero.
        let is_forbidden =
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::StorageFull);
        // A system that lacks a feature reports one of these, and so does a supervisor that notices the lack.
        let is_lacking = is_forbidden
            || matches!(
                error.kind(),
                io::ErrorKind::Unsupported
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::ArgumentListTooLong
                    | io::ErrorKind::NotFound
                    | io::ErrorKind::ReadOnlyFilesystem
                    | io::ErrorKind::Other
            );
        let is_passing = is_exhausted(error) || !is_lacking;
        Probe { obstacle: Some(error.to_string()), is_forbidden, is_passing }
    }
}

#[cfg(not(unix))]
fn try_level(_: &Path, _: SandboxLevel) -> io::Result<Probe> {
    Err(unsupported())
}

#[cfg(unix)]
fn try_level(program: &Path, level: SandboxLevel) -> io::Result<Probe> {
    let output = Command::new(program)
        .args([SUPERVISE, PROBE, level.name()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    // A supervisor that was killed may answer the next time; a program that ended by itself is no supervisor.
    let no_answer = |_| Probe {
        obstacle: Some(format!("the supervisor failed, {}", output.status)),
        is_passing: output.status.code().is_none(),
        is_forbidden: false,
    };
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_else(no_answer))
}

/// Returns the remedy for the obstacles that distributions and containers put up.
fn remedy() -> Option<String> {
    let setting = |name: &str, value: &str| {
        fs::read_to_string(Path::new("/proc/sys").join(name)).is_ok_and(|text| text.trim() == value)
    };
    let program = env::current_exe().unwrap_or_default();
    let text = if setting("kernel/apparmor_restrict_unprivileged_userns", "1") {
        format!(
            "AppArmor restricts namespaces: `sudo sysctl -w \
             kernel.apparmor_restrict_unprivileged_userns=0`, or a profile for {} with `userns,`",
            program.display()
        )
    } else if setting("kernel/unprivileged_userns_clone", "0") {
        "`sudo sysctl -w kernel.unprivileged_userns_clone=1`".to_owned()
    } else if setting("user/max_user_namespaces", "0") {
        "`sudo sysctl -w user.max_user_namespaces=10000`".to_owned()
    } else if is_container() {
        "start the container with `--security-opt seccomp=unconfined --security-opt \
         systempaths=unconfined`"
            .to_owned()
    } else {
        return None;
    };
    Some(text)
}

fn is_container() -> bool {
    Path::new("/.dockerenv").exists()
        || Path::new("/run/.containerenv").exists()
        || env::var_os("container").is_some()
}

/// Returns the mechanism that enforces the limits of the programs of this process.
///
/// A process that is alone in a control group delegated to it moves to a group of its own inside when this is
/// called or the first sandbox is made.
#[must_use]
pub fn tree_limits() -> TreeLimits {
    #[cfg(unix)]
    return cgroup::home_limits();
    // No programs run on this system.
    #[cfg(not(unix))]
    TreeLimits::default()
}

/// Returns true if the kernel lets this process count the CPU time of programs and all their children.
/// Without control groups and such a clock, the measured CPU time is not exact.
#[must_use]
pub fn has_clock() -> bool {
    #[cfg(unix)]
    return TaskClock::of_next_program().is_ok();
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_of_an_attempt_is_no_lack() {
        use io::ErrorKind::{PermissionDenied, ResourceBusy, TimedOut, Unsupported};

        for (kind, is_passing) in [
            (PermissionDenied, false),
            (Unsupported, false),
            (ResourceBusy, true),
            (TimedOut, true),
        ] {
            assert_eq!(Probe::failed(&kind.into()).is_passing, is_passing, "{kind:?}");
        }
    }

    /// Returns the availability with a supervisor that fails this many times before it succeeds.
    #[cfg(unix)]
    fn found_after(failures: u32) -> io::Result<Availability> {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir()?;
        let [program, count] = ["supervisor", "count"].map(|name| folder.path().join(name));
        let count = count.display();
        let script = format!(
            "#!/bin/sh\necho >> {count}\nif [ $(wc -l < {count}) -gt {failures} ]; then echo \
             '{{\"obstacle\":null,\"is_forbidden\":false,\"is_passing\":false}}'; else echo \
             '{{\"obstacle\":\"busy\",\"is_forbidden\":false,\"is_passing\":true}}'; fi\n"
        );
        fs::write(&program, script)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        Ok(find(&program))
    }

    #[cfg(unix)]
    #[test]
    fn level_that_fails_is_tried_again_and_given_up_for_no_lower_one() -> io::Result<()> {
        assert_eq!(found_after(2)?.level, SandboxLevel::Full);
        let found = found_after(u32::MAX)?;
        assert_eq!((found.level, found.obstacles.len()), (SandboxLevel::None, 1));
        let Obstacle { why, remedy, is_passing, .. } = &found.obstacles[0];
        assert_eq!((&**why, is_passing), ("busy", &true));
        assert!(remedy.as_ref().is_some_and(|remedy| remedy.contains("--sandbox user")));
        Ok(())
    }
}

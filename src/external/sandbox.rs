//! Confinement by the kernel.

use std::env;
use std::thread;

/// How far the system can confine a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It writes in its own folder only, and opens no TCP connection.
    Full,
    /// It writes in its own folder only, more or less.
    Partial,
    /// Not at all.
    None,
}

/// How far this system can confine a program.
#[must_use]
pub fn confinement() -> Confinement {
    // What a thread takes upon itself ends with it.
    let tried = thread::spawn(|| promise(&env::temp_dir()));
    tried.join().unwrap_or(Confinement::None)
}

#[cfg(target_os = "linux")]
pub(super) use landlocked::confine;
#[cfg(target_os = "linux")]
use landlocked::promise;

#[cfg(not(target_os = "linux"))]
pub(super) use unavailable::confine;
#[cfg(not(target_os = "linux"))]
use unavailable::promise;

#[cfg(target_os = "linux")]
mod landlocked {
    use std::io;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::Confinement;

    /// The first version of Landlock that has all that [`Confinement::Full`] promises.
    const PROMISED: ABI = ABI::V4;

    /// The first version that has all that is asked for: it keeps signals in as well. Of older
    /// ones, as much as they have is used.
    const WANTED: ABI = ABI::V6;

    /// What is no file, and what programs write to or read from as a matter of course.
    const DEVICES: [&str; 5] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    /// How far this thread is confined by what is promised.
    pub(super) fn promise(folder: &Path) -> Confinement {
        match restrict(folder, PROMISED) {
            Ok(RulesetStatus::FullyEnforced) => Confinement::Full,
            Ok(RulesetStatus::PartiallyEnforced) => Confinement::Partial,
            Ok(RulesetStatus::NotEnforced) | Err(_) => Confinement::None,
        }
    }

    /// Confines this thread and all processes that it will start, as far as the system can.
    pub(in super::super) fn confine(folder: &Path) -> io::Result<()> {
        restrict(folder, WANTED).map(|_| ()).map_err(io::Error::other)
    }

    fn restrict(folder: &Path, version: ABI) -> Result<RulesetStatus, RulesetError> {
        let write: BitFlags<AccessFs> = AccessFs::from_write(version);
        let mut ruleset =
            Ruleset::default().handle_access(write)?.handle_access(AccessNet::from_all(version))?;
        let scope = Scope::from_all(version);
        if !scope.is_empty() {
            ruleset = ruleset.scope(scope)?;
        }
        let mut ruleset = ruleset.create()?;
        if let Ok(folder) = PathFd::new(folder) {
            ruleset = ruleset.add_rule(PathBeneath::new(folder, write))?;
        }
        for device in DEVICES.iter().filter_map(|path| PathFd::new(path).ok()) {
            ruleset =
                ruleset.add_rule(PathBeneath::new(device, write & AccessFs::from_file(version)))?;
        }
        Ok(ruleset.restrict_self()?.ruleset)
    }
}

#[cfg(not(target_os = "linux"))]
mod unavailable {
    use std::io;
    use std::path::Path;

    use super::Confinement;

    pub(super) fn promise(_: &Path) -> Confinement {
        Confinement::None
    }

    pub(in super::super) fn confine(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

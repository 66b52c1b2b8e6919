//! Confinement by the kernel.

use std::env;
use std::thread;

/// How far the system can confine a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// The program writes only in its own folder, and opens no TCP connections.
    Full,
    /// The kernel supports only some of what [`Full`](Confinement::Full) promises.
    Partial,
    /// The program is not confined.
    None,
}

/// Returns how far this system can confine a program.
#[must_use]
pub fn confinement() -> Confinement {
    // The restrictions of a thread end with the thread.
    let tried = thread::spawn(|| promise(&env::temp_dir()));
    tried.join().unwrap_or(Confinement::None)
}

#[cfg(target_os = "linux")]
pub(crate) use landlocked::confine;
#[cfg(target_os = "linux")]
use landlocked::promise;

#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use unavailable::confine;
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

    /// The first version of Landlock that provides all that [`Confinement::Full`] promises.
    const PROMISED: ABI = ABI::V4;

    /// The first version that provides all that we ask for, which includes signals. Of an older
    /// version, we use what it provides.
    const WANTED: ABI = ABI::V6;

    /// The devices that any program may write to.
    const DEVICES: [&str; 5] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    /// Confines this thread by what is promised, and returns how far that worked.
    pub(crate) fn promise(folder: &Path) -> Confinement {
        match restrict(folder, PROMISED) {
            Ok(RulesetStatus::FullyEnforced) => Confinement::Full,
            Ok(RulesetStatus::PartiallyEnforced) => Confinement::Partial,
            Ok(RulesetStatus::NotEnforced) | Err(_) => Confinement::None,
        }
    }

    /// Confines this thread and all processes that it starts, as far as the system can.
    pub(crate) fn confine(folder: &Path) -> io::Result<()> {
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
    use std::path::Path;

    use super::Confinement;

    pub(crate) fn promise(_: &Path) -> Confinement {
        Confinement::None
    }

    #[cfg(unix)]
    pub(crate) fn confine(_: &Path) -> std::io::Result<()> {
        Ok(())
    }
}

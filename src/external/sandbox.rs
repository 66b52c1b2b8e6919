//! Confinement by the kernel.

use std::env;
use std::thread;

/// How far the system can confine a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It writes in its own folder only, opens no TCP connection, and signals only its own
    /// processes.
    Full,
    /// Some of that.
    Partial,
    /// Not at all.
    None,
}

/// How far this system can confine a program.
#[must_use]
pub fn confinement() -> Confinement {
    // What a thread takes upon itself ends with it.
    let tried = thread::spawn(|| confine(&env::temp_dir()));
    tried.join().map_or(Confinement::None, |tried| tried.unwrap_or(Confinement::None))
}

#[cfg(target_os = "linux")]
pub(super) use landlocked::confine;

#[cfg(not(target_os = "linux"))]
pub(super) use unavailable::confine;

#[cfg(target_os = "linux")]
mod landlocked {
    use std::io;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use super::Confinement;

    /// The first version of Landlock that has all that is wanted. Of older ones, as much as they
    /// have is used.
    const WANTED: ABI = ABI::V6;

    /// What is no file, and what programs write to or read from as a matter of course.
    const DEVICES: [&str; 5] =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

    /// Confines this thread and all processes that it will start, as far as the system can.
    pub(in super::super) fn confine(folder: &Path) -> io::Result<Confinement> {
        let status = restrict(folder).map_err(io::Error::other)?;
        Ok(match status {
            RulesetStatus::FullyEnforced => Confinement::Full,
            RulesetStatus::PartiallyEnforced => Confinement::Partial,
            RulesetStatus::NotEnforced => Confinement::None,
        })
    }

    fn restrict(folder: &Path) -> Result<RulesetStatus, RulesetError> {
        let write: BitFlags<AccessFs> = AccessFs::from_write(WANTED);
        let mut ruleset = Ruleset::default()
            .handle_access(write)?
            .handle_access(AccessNet::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?
            .create()?;
        if let Ok(folder) = PathFd::new(folder) {
            ruleset = ruleset.add_rule(PathBeneath::new(folder, write))?;
        }
        for device in DEVICES.iter().filter_map(|path| PathFd::new(path).ok()) {
            ruleset =
                ruleset.add_rule(PathBeneath::new(device, write & AccessFs::from_file(WANTED)))?;
        }
        Ok(ruleset.restrict_self()?.ruleset)
    }
}

#[cfg(not(target_os = "linux"))]
mod unavailable {
    use std::io;
    use std::path::Path;

    use super::Confinement;

    pub(in super::super) fn confine(_: &Path) -> io::Result<Confinement> {
        Ok(Confinement::None)
    }
}

//! What a program may do to files, where it has no disk of its own.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use crate::view::View;

/// The first version of Landlock, without which there are no rules.
const LEAST: ABI = ABI::V1;
/// The first version with all that we ask for, which includes signals. Of an older version, we use
/// what there is.
const WANTED: ABI = ABI::V6;

/// The devices that a program may read and write.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// What a program may know of the kernel: nothing of other processes.
const KERNEL: [&str; 6] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/sys/devices/system/cpu",
];

/// Returns the rules for a program that sees `view` and writes in `folders`: a descriptor for the
/// process that is to obey them.
///
/// # Errors
///
/// An error if the kernel has no Landlock.
pub(crate) fn rules(view: &View, folders: &[&Path]) -> io::Result<OwnedFd> {
    let made =
        make(view, folders).map_err(|error| io::Error::other(format!("Landlock: {error}")))?;
    let made: Option<OwnedFd> = made.into();
    made.ok_or_else(|| io::Error::other("Landlock: this kernel does not have it"))
}

/// Returns whether Landlock keeps the signals of a program from others: from Linux 6.12 on. The level
/// [`Partial`](crate::SandboxLevel::Partial) has nothing else that does.
#[must_use]
pub fn landlock_keeps_signals() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.scope(Scope::Signal).is_ok()
}

fn make(view: &View, folders: &[&Path]) -> Result<RulesetCreated, RulesetError> {
    let all: BitFlags<AccessFs> = AccessFs::from_all(WANTED);
    let read: BitFlags<AccessFs> = AccessFs::from_read(WANTED);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(WANTED))?
        .create()?;
    let of_file = AccessFs::from_file(WANTED);
    let mut allow = |path: &Path, access: BitFlags<AccessFs>| -> Result<(), RulesetError> {
        // What is not there cannot be opened either.
        let Ok(opened) = PathFd::new(path) else { return Ok(()) };
        let access = if path.is_dir() { access } else { access & of_file };
        (&mut rules).add_rule(PathBeneath::new(opened, access))?;
        Ok(())
    };
    for folder in folders {
        allow(folder, all)?;
    }
    for device in DEVICES {
        allow(Path::new(device), read | AccessFs::WriteFile | AccessFs::IoctlDev)?;
    }
    for path in KERNEL {
        allow(Path::new(path), read)?;
    }
    for place in &view.places {
        for path in without_hidden(&place.path, &view.hidden) {
            allow(&path, read)?;
        }
    }
    Ok(rules)
}

/// The folders and files that make up a folder, less the hidden files.
fn without_hidden(folder: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let inside: Vec<PathBuf> =
        hidden.iter().filter(|path| path.starts_with(&real)).cloned().collect();
    if inside.is_empty() {
        return vec![folder.to_owned()];
    }
    if inside.contains(&real) {
        return Vec::new();
    }
    let entries = fs::read_dir(&real).into_iter().flatten().flatten();
    entries.flat_map(|entry| without_hidden(&real.join(entry.file_name()), &inside)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_are_left_out() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?;
        fs::create_dir_all(root.join("bin/more"))?;
        for file in ["bin/ours", "bin/theirs", "bin/more/x", "read"] {
            fs::write(root.join(file), "")?;
        }
        let hide = |hidden: &str| {
            let mut left = without_hidden(&root, &[root.join(hidden)]);
            left.sort();
            left
        };
        assert_eq!(hide("/elsewhere"), std::slice::from_ref(&root));
        assert_eq!(hide("bin/ours"), ["bin/more", "bin/theirs", "read"].map(|x| root.join(x)));
        assert_eq!(hide("bin"), [root.join("read")]);
        Ok(())
    }
}

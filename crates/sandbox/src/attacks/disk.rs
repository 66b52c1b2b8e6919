//! Attacks on files.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::{AttackTargets, Result, SECRET, SECRET_VARIABLE, why};
use crate::launch::OUTPUT;

/// How much to write at a time, in bytes.
const CHUNK: usize = 1 << 20;

fn own_folder() -> PathBuf {
    env::temp_dir()
}

pub(super) fn read_rival(targets: &AttackTargets) -> Result {
    fs::read_to_string(targets.rival_folder.join(SECRET)).map_err(why)
}

pub(super) fn list_rival(targets: &AttackTargets) -> Result {
    let entries = fs::read_dir(&targets.rival_folder).map_err(why)?;
    Ok(format!("{} files", entries.count()))
}

pub(super) fn lock_rival(targets: &AttackTargets) -> Result {
    let file = targets.rival_folder.join(SECRET);
    fs::set_permissions(file, Permissions::from_mode(0o000)).map_err(why)?;
    Ok("nobody can read it".to_owned())
}

pub(super) fn write_rival(targets: &AttackTargets) -> Result {
    fs::write(targets.rival_folder.join(SECRET), "mine").map_err(why)?;
    Ok("it is overwritten".to_owned())
}

pub(super) fn link_rival(targets: &AttackTargets) -> Result {
    let link = own_folder().join("hard");
    fs::hard_link(targets.rival_folder.join(SECRET), &link).map_err(why)?;
    fs::read_to_string(link).map_err(why)
}

pub(super) fn follow_link(targets: &AttackTargets) -> Result {
    let link = own_folder().join("soft");
    symlink(targets.rival_folder.join(SECRET), &link).map_err(why)?;
    fs::read_to_string(link).map_err(why)
}

pub(super) fn home(targets: &AttackTargets) -> Result {
    let entries = fs::read_dir(&targets.home).map_err(why)?;
    // On the way to what the program may see, there are empty folders.
    let seen = |name: &str| targets.home.join(name).exists();
    if ["private", ".ssh", ".bashrc", ".profile"].iter().any(|name| seen(name)) {
        return Ok(format!("{} entries", entries.count()));
    }
    Err("nothing of the user is in it".to_owned())
}

pub(super) fn environment(_: &AttackTargets) -> Result {
    env::var(SECRET_VARIABLE).map_err(why)
}

pub(super) fn engine(targets: &AttackTargets) -> Result {
    let output = Command::new(&targets.engine).arg("--version").output().map_err(why)?;
    if output.status.success() { Ok("it starts".to_owned()) } else { Err("it ends at once".into()) }
}

pub(super) fn fill(_: &AttackTargets) -> Result {
    // Files of a size that no limit of a single file forbids.
    for number in 0..64 {
        fs::write(own_folder().join(number.to_string()), vec![1; CHUNK]).map_err(why)?;
    }
    std::thread::sleep(std::time::Duration::from_secs(2));
    Ok("64 MiB".to_owned())
}

pub(super) fn fill_inodes(_: &AttackTargets) -> Result {
    for number in 0..100_000 {
        fs::write(own_folder().join(number.to_string()), "").map_err(why)?;
    }
    std::thread::sleep(std::time::Duration::from_secs(2));
    Ok("100,000 files".to_owned())
}

pub(super) fn link_as_output(targets: &AttackTargets) -> Result {
    symlink(targets.rival_folder.join(SECRET), own_folder().join(OUTPUT)).map_err(why)?;
    Err("the link is there, and must not be followed".to_owned())
}

pub(super) fn pipe_as_output(_: &AttackTargets) -> Result {
    mkfifo(&own_folder().join(OUTPUT), Mode::S_IRWXU).map_err(why)?;
    Err("the pipe is there, and must not be read".to_owned())
}

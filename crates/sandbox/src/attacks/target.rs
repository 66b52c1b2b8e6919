//! The targets of attacks, and the reports of what they achieve.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

use serde::{Deserialize, Serialize};

use crate::launch::SUPERVISE;

/// The argument after [`SUPERVISE`](crate::SUPERVISE) that asks for an attack. After it come the
/// attack's name and the [targets](AttackTargets) in JSON.
pub const ATTACK: &str = "--attack";

/// The targets of an attack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttackTargets {
    /// The folder of another submission, with a file in it.
    pub rival_folder: PathBuf,
    /// A process of another program, as the host sees it.
    pub rival: i32,
    /// A word among the arguments of all processes of this program.
    pub mark: String,
    /// A word among the arguments of the rival.
    pub rival_mark: String,
    /// The process of the host.
    pub referee: i32,
    /// The home folder of the user who runs the host.
    pub home: PathBuf,
    /// A port on which the host listens, for TCP and for UDP.
    pub port: u16,
    /// A socket in the file system on which the host listens.
    pub socket: PathBuf,
    /// An abstract socket on which the host listens.
    pub abstract_socket: String,
    /// A program that can play.
    pub engine: PathBuf,
    /// The number of bytes of memory to hold: more than the limit.
    pub memory: u64,
}

/// The name of the file in a submission's folder.
pub(crate) const SECRET: &str = "secret";

/// The variable of the host's environment that no other process should see.
pub(crate) const SECRET_VARIABLE: &str = "PLYGROUND_CHECK_SECRET";

/// The programs that load others.
pub(super) const LOADERS: [&str; 2] = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];

/// The names of attacks by programs that cannot be read.
pub(super) const HIDDEN_PIPES: &str = "hidden-pipes";

pub(super) const HIDDEN_TIME: &str = "hidden-time";

/// The name of the attack of a program that only waits.
pub(crate) const WAIT: &str = "wait";

/// The achievement of an attack, or the obstacle that prevented it.
pub(crate) type Result = std::result::Result<String, String>;

/// The report that the process of an attack prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Claim {
    /// The achievement, if the attack has succeeded.
    pub(crate) achieved: Option<String>,
    /// The obstacle, if the attack has failed.
    pub(crate) refused: Option<String>,
}

/// Starts an attack by a copy of the system's loader that its user may execute, not read.
pub(super) fn run_unreadable(name: &str, targets: &AttackTargets) -> Result {
    let copy = env::temp_dir().join("copy");
    // Smaller than this program, which may be larger than the folder may be.
    let loader = LOADERS.iter().find(|loader| Path::new(loader).exists()).ok_or("no loader")?;
    fs::copy(loader, &copy).map_err(why)?;
    fs::set_permissions(&copy, Permissions::from_mode(0o111)).map_err(why)?;
    let text = serde_json::to_string(targets).map_err(why)?;
    let own = env::args_os().next().unwrap_or_default();
    let output = Command::new(copy).arg(own).args([SUPERVISE, ATTACK, name, &text]).output();
    let claim: Claim = serde_json::from_slice(&output.map_err(why)?.stdout).map_err(why)?;
    claim.achieved.ok_or_else(|| claim.refused.unwrap_or_default())
}

/// Returns what a system call achieved: nothing, if it failed.
pub(super) fn call(what: &str, result: libc::c_long) -> Result {
    if result < 0 { Err(io::Error::last_os_error().to_string()) } else { Ok(what.to_owned()) }
}

/// Returns the text by which a process with a mark is found among others.
pub(crate) fn mark_text(mark: &str) -> String {
    format!("\"mark\":\"{mark}\"")
}

/// Returns why something failed.
pub(super) fn why(error: impl ToString) -> String {
    error.to_string()
}

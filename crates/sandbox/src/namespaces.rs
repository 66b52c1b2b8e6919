//! A process with namespaces of its own: the first process of a box.
//!
//! The supervisor of a box is the first process in it. When it ends, the kernel kills all others,
//! whatever they do. It cannot be signaled from inside.

use std::fs;
use std::io;
use std::process;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork, getegid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use crate::failure::is_exhausted;

/// The ID of the user and the group in a box. A process that starts a program with this ID keeps no
/// capability.
const ID: u32 = 1000;

/// Goes on as the first process of new namespaces for users, mounts, processes, the network, System
/// V objects and the name of the computer. It is the calling process that ends, with the exit code of the
/// new one, after it has done what `at_end` says.
///
/// The new process has all capabilities in its namespaces, and none outside.
///
/// The calling process must have no other threads.
///
/// # Errors
///
/// The step that the kernel refuses.
pub(crate) fn enter(at_end: impl FnOnce()) -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    unshare(flags).map_err(|error| step("new namespaces", error.into()))?;
    let write = |file: &str, text: String| {
        let path = format!("/proc/self/{file}");
        fs::write(&path, text).map_err(|error| step(&path, error))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{ID} {user} 1"))?;
    write("gid_map", format!("{ID} {group} 1"))?;
    // The two processes share a root. As soon as the child replaces it, there are no files here.
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    // SAFETY: this process has no other threads.
    match unsafe { fork() }.map_err(io::Error::from)? {
        ForkResult::Child => die_with_parent(),
        ForkResult::Parent { child } => {
            // The pipes of the host close when the child has closed them.
            nix::unistd::dup2_stdin(&null)?;
            nix::unistd::dup2_stdout(&null)?;
            let end = waitpid(child, None);
            at_end();
            process::exit(if let Ok(WaitStatus::Exited(_, code)) = end { code } else { 1 })
        }
    }
}

fn die_with_parent() -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    // If the parent has ended before the call, its end of the pipes is closed, which ends this
    // process as well.
    nix::unistd::sethostname("sandbox").map_err(|error| step("host name", error.into()))
}

/// Gives up all capabilities but those for looking at the processes of the box, ending them, and hiding
/// the control groups around the box from them.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    let kept = CapabilitySet::SYS_PTRACE | CapabilitySet::KILL | CapabilitySet::SYS_ADMIN;
    let sets =
        CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).map_err(|error| step("capabilities", error.into()))
}

/// Says in which step something failed.
pub(crate) fn step(what: &str, error: io::Error) -> io::Error {
    // Who is to blame for it depends on the code.
    if is_exhausted(&error) {
        return error;
    }
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

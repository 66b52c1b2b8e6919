//! The processes around the programs at the level `full`.
//!
//! The *keeper* stays outside. Only the keeper touches the disk of the host. The *init* is the first process
//! of new namespaces, and supervises the programs. When the init ends, for whatever reason, the kernel kills
//! all other processes in the namespaces. The init cannot be signaled from inside, and dies with the keeper.

use std::fs;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns};
use nix::sys::prctl;
use nix::sys::signal::{self, SigHandler, Signal};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, getegid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

use crate::failure::step;
use crate::launch::Ids;
use crate::start::end_process;
use crate::system::cgroup::Cgroup;
use crate::system::confine::become_user;
use crate::system::processes::fork;

/// The number of the program's user and group inside, and, if the host is root, the number of the init's. A
/// process that starts a program with the number of an ordinary user keeps no capability.
pub(crate) const PROGRAM_INSIDE: u32 = 1000;
const INIT_INSIDE: u32 = 0;

/// The namespaces of the init: for users, mounts, processes, the network, System V objects and the name of the
/// computer.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

/// Returns as the init in new namespaces. The calling process becomes the keeper and does not return: when
/// all processes in the namespaces are dead, it ends with the code that `at_end` returns for the code of the
/// init.
///
/// The init has all capabilities in its namespaces, and none outside. Its network is `network`, if that is
/// given, which must be empty.
///
/// The calling process must have no other threads.
pub(crate) fn enter(
    ids: Option<Ids>,
    group: Option<&Cgroup>,
    network: Option<OwnedFd>,
    at_end: impl FnOnce(i32) -> i32,
) -> io::Result<()> {
    let (keeper_end, init_end) = UnixStream::pair()?;
    let given = match network {
        Some(network) => {
            step("network", setns(network, CloneFlags::CLONE_NEWNET))?;
            libc::CLONE_NEWNET
        }
        None => 0,
    };
    // SAFETY: this process has no other threads.
    let forked = unsafe { fork(NAMESPACES & !given, group.and_then(Cgroup::of_init)) };
    match step("new namespaces", forked)? {
        ForkResult::Parent { child } => {
            drop(init_end);
            keep(ids, keeper_end, child, at_end)
        }
        ForkResult::Child => {
            drop(keeper_end);
            begin(ids.is_some(), init_end)
        }
    }
}

/// Returns as the init, after the keeper has mapped the users.
fn begin(has_own_ids: bool, mut keeper: UnixStream) -> io::Result<()> {
    let mut mapped = [0];
    keeper.read_exact(&mut mapped)?;
    if mapped == [0] {
        let mut why = String::new();
        keeper.read_to_string(&mut why)?;
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    if has_own_ids {
        // The user of the init is no user of the host.
        step("the user of the sandbox", become_user(INIT_INSIDE))?;
        // The change of the user has cleared this flag.
        prctl::set_dumpable(true)?;
    }
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // This fails if the keeper has ended before the call.
    keeper.write_all(&mapped)?;
    // The kernel keeps signals without handlers from an init. The standard library has handlers for two.
    for signal in [Signal::SIGSEGV, Signal::SIGBUS] {
        // SAFETY: the default is no handler.
        unsafe { signal::signal(signal, SigHandler::SigDfl) }?;
    }
    step("host name", nix::unistd::sethostname("sandbox"))
}

/// Makes this process the parent of all orphans below it, and hides its open files from them.
pub(crate) fn take_orphans() -> io::Result<()> {
    prctl::set_child_subreaper(true)?;
    Ok(prctl::set_dumpable(false)?)
}

/// Waits for the end of the init and of all processes in its namespaces, as the keeper.
fn keep(ids: Option<Ids>, mut init: UnixStream, child: Pid, at_end: impl FnOnce(i32) -> i32) -> ! {
    // If this fails, the init says so.
    let _ = match map_users(ids, child) {
        Ok(()) => init.write_all(&[1]),
        Err(error) => {
            let told =
                init.write_all(&[0]).and_then(|()| init.write_all(error.to_string().as_bytes()));
            told.and_then(|()| init.shutdown(Shutdown::Write))
        }
    };
    let _ = close_pipes_of_host();
    // The kernel reports the end of an init when all other processes in its namespace have ended.
    let code = loop {
        match waitpid(child, None) {
            Err(Errno::EINTR) => {}
            Ok(WaitStatus::Exited(_, code)) => break code,
            Ok(_) | Err(_) => break 1,
        }
    };
    end_process(at_end(code))
}

/// Closes the pipes of the host in this process, so that they end when the init closes them.
fn close_pipes_of_host() -> io::Result<()> {
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&null)?;
    Ok(nix::unistd::dup2_stdout(&null)?)
}

fn map_users(ids: Option<Ids>, child: Pid) -> io::Result<()> {
    let write =
        |file: &str, text: String| step(file, fs::write(format!("/proc/{child}/{file}"), text));
    let map = |own: u32| match ids {
        Some(Ids { program, keeper }) => {
            format!("{INIT_INSIDE} {keeper} 1\n{PROGRAM_INSIDE} {program} 1\n")
        }
        None => format!("{PROGRAM_INSIDE} {own} 1\n"),
    };
    if ids.is_none() {
        write("setgroups", "deny".to_owned())?;
    }
    write("uid_map", map(geteuid().as_raw()))?;
    write("gid_map", map(getegid().as_raw()))
}

/// Gives up all capabilities except those for the disk, the users and the processes of the sandbox.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    let kept = CapabilitySet::SYS_PTRACE
        | CapabilitySet::KILL
        | CapabilitySet::SYS_ADMIN
        | CapabilitySet::SETUID
        | CapabilitySet::SETGID
        | CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER;
    let sets =
        CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    step("capabilities", set_capabilities(None, sets))
}

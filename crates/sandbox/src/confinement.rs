//! What a process gives up before it becomes a foreign program.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{geteuid, getppid, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use seccompiler::BpfProgram;

use crate::launch::Launch;
use crate::level::SandboxLevel;
use crate::own_user::OwnUser;
use crate::plan::SandboxPlan;
use crate::{landlock_rules, system_calls};

/// How many times the memory limit a process may reserve.
///
/// Reserved memory is not occupied memory: Java reserves a heap in proportion to the computer's
/// memory, and never touches most of it. The supervisor finds processes that occupy too much. This
/// limit covers the time in which a busy supervisor does not look.
const RESERVED_MEMORY_FACTOR: u64 = 16;

/// The CPU time beyond the limit after which the kernel kills a process that the supervisor has
/// not killed.
const CPU_GRACE: Duration = Duration::from_secs(2);

/// How many files, pipes and sockets a process may have open. Each may hold memory that is in no
/// process.
pub(crate) const MOST_OPEN: u64 = 1024;

/// How many threads a process may have on average, besides those of one that has many.
const THREADS: u64 = 16;
const MANY_THREADS: u64 = 512;

/// How many signals may wait for a program.
const PENDING_SIGNALS: u64 = 4096;

/// What all programs of a sandbox give up. It is made before there is a process that must not
/// allocate.
#[derive(Debug)]
pub(crate) struct Confinement {
    level: SandboxLevel,
    /// The user that the program becomes.
    user: Option<OwnUser>,
    /// The rules of Landlock.
    rules: Option<OwnedFd>,
    filter: Option<BpfProgram>,
}

impl Confinement {
    /// Returns what programs at the level of the plan give up.
    ///
    /// # Errors
    ///
    /// What the kernel lacks.
    pub(crate) fn new(plan: &SandboxPlan, user: Option<OwnUser>) -> io::Result<Confinement> {
        let level = plan.level;
        let has_own_disk = level == SandboxLevel::Full;
        let rules = (level > SandboxLevel::None && !has_own_disk)
            .then(|| {
                let folders = [Some(&plan.folder), plan.workshop.as_ref()];
                let folders: Vec<&Path> =
                    folders.into_iter().flatten().map(PathBuf::as_path).collect();
                landlock_rules::rules(&plan.view, &folders)
            })
            .transpose()?;
        // With a user of its own, or nothing to write to, a program may do as it likes with files.
        let filter = (level > SandboxLevel::None)
            .then(|| system_calls::filter(level.contains_hostile()))
            .transpose()?;
        Ok(Confinement { level, user, rules, filter })
    }

    /// Returns the limits that the kernel enforces for each process of a program.
    pub(crate) fn limits(&self, plan: &SandboxPlan, launch: &Launch) -> Vec<(Resource, u64)> {
        let mut limits = vec![
            (Resource::RLIMIT_CORE, 0),
            // A byte more, so that the size of a file shows that it exceeds the limit.
            (Resource::RLIMIT_FSIZE, plan.output.saturating_add(1)),
            (Resource::RLIMIT_DATA, plan.memory.saturating_mul(RESERVED_MEMORY_FACTOR)),
        ];
        if let Some(cpu) = launch.cpu {
            limits.push((Resource::RLIMIT_CPU, (cpu + CPU_GRACE).as_secs() + 1));
        }
        if self.level > SandboxLevel::None {
            limits.extend([
                (Resource::RLIMIT_NOFILE, MOST_OPEN),
                (Resource::RLIMIT_MSGQUEUE, 0),
                (Resource::RLIMIT_NICE, 0),
                (Resource::RLIMIT_RTPRIO, 0),
                (Resource::RLIMIT_SIGPENDING, PENDING_SIGNALS),
            ]);
        }
        // Elsewhere the user's other processes would count, and a group counts its own only.
        let is_group = plan.group.as_ref().is_some_and(|group| group.processes);
        if self.level.contains_hostile() && !is_group {
            limits.push((Resource::RLIMIT_NPROC, most_threads(plan.processes)));
        }
        limits
    }

    /// Gives up everything that the program must not have, and makes the program die with its
    /// supervisor. The process keeps the descriptors 0 to 2.
    ///
    /// Only a process that is to become a program, between `fork` and `exec`, may call this. It
    /// allocates nothing.
    pub(crate) fn enter(&self, limits: &[(Resource, u64)], supervisor: u32) -> io::Result<()> {
        setsid()?;
        close_all_on_exec()?;
        for &(resource, most) in limits {
            limit(resource, most)?;
        }
        if let Some(user) = self.user {
            become_user(user)?;
        }
        die_with(supervisor)?;
        if self.level == SandboxLevel::None {
            return Ok(());
        }
        if self.level == SandboxLevel::Full {
            // What the program sees of control groups begins with its own.
            unshare(CloneFlags::CLONE_NEWCGROUP)?;
        }
        prctl::set_no_new_privs()?;
        if self.level == SandboxLevel::Partial {
            give_up_root()?;
        }
        if let Some(rules) = &self.rules {
            obey(rules)?;
        }
        match &self.filter {
            Some(filter) => seccompiler::apply_filter(filter)
                .map_err(|_| io::Error::from_raw_os_error(libc::ENOSYS)),
            None => Ok(()),
        }
    }
}

/// Returns how many threads that many processes may have together.
pub(crate) fn most_threads(processes: u32) -> u64 {
    u64::from(processes).saturating_mul(THREADS) + MANY_THREADS
}

/// Lowers a limit of this process and everything it starts. A limit that is lower already stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = rlim_t::try_from(most).unwrap_or(rlim_t::MAX);
    let (_, hard) = getrlimit(resource)?;
    let most = most.min(hard);
    setrlimit(resource, most, most)?;
    Ok(())
}

/// Makes sure that the program inherits nothing, also of what the host has inherited itself.
fn close_all_on_exec() -> io::Result<()> {
    // SAFETY: the call takes numbers only.
    let result = unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes the kernel kill this process when the supervisor ends. A change of the user would undo it.
fn die_with(supervisor: u32) -> io::Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // The supervisor may have ended before the call.
    if i64::from(getppid().as_raw()) == i64::from(supervisor) {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(libc::ESRCH))
    }
}

/// Makes root an ordinary user for good. For others, there is nothing to give up.
fn give_up_root() -> io::Result<()> {
    // All "no root" bits of capabilities(7), and their locks.
    const NO_ROOT: libc::c_ulong = 0b0010_1111;
    if !geteuid().is_root() {
        return Ok(());
    }
    // SAFETY: the call takes numbers only.
    if unsafe { libc::prctl(libc::PR_SET_SECUREBITS, NO_ROOT) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, sets)?)
}

fn become_user(user: OwnUser) -> io::Result<()> {
    let id = user.id;
    // The functions of the C library tell all threads that it knows of, which are not in this process.
    // SAFETY: the calls take numbers, and a pointer to no group.
    let result = unsafe {
        libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>())
            | libc::syscall(libc::SYS_setresgid, id, id, id)
            | libc::syscall(libc::SYS_setresuid, id, id, id)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Obeys rules of Landlock, and besides them may read what the kernel tells of this very process.
fn obey(rules: &OwnedFd) -> io::Result<()> {
    const RULE_PATH_BENEATH: libc::c_int = 1;
    const READ_FILE_AND_FOLDER: u64 = 1 << 2 | 1 << 3;
    #[repr(C, packed)]
    struct PathBeneath {
        allowed_access: u64,
        parent: libc::c_int,
    }
    // SAFETY: the pointers are to values that outlive the calls.
    unsafe {
        let own = libc::open(c"/proc/self".as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        if own >= 0 {
            let rule = PathBeneath { allowed_access: READ_FILE_AND_FOLDER, parent: own };
            let rule = &raw const rule;
            // Without it, programs do without what they would read there.
            libc::syscall(
                libc::SYS_landlock_add_rule,
                rules.as_raw_fd(),
                RULE_PATH_BENEATH,
                rule,
                0,
            );
        }
        match libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

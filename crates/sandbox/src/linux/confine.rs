//! The rights that a process gives up before it becomes a foreign program.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid, setsid};
use rustix::fs::{FileType, fstat};
use rustix::thread::{
    Gid, Uid, sched_getaffinity, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use seccompiler::BpfProgram;

use crate::failure::is_exhausted;
use crate::launch::{Launch, SandboxPlan};
use crate::limits::SandboxLevel;
use crate::start::lower_priority;
use crate::system::allowed_calls;
use crate::system::namespaces::PROGRAM_INSIDE;
use crate::view::View;

/// The limit on the core dump of a program: one byte prevents it. With zero, the system still starts its own
/// program for core dumps, if it has one, as root and outside.
const NO_IMAGE: u64 = 1;
/// The reserved memory of a process, as a multiple of the memory limit.
///
/// Reserved memory is not occupied memory: Java reserves a heap in proportion to the computer's
/// memory, and never touches most of it. The supervisor finds processes that occupy too much. This
/// limit covers the time in which a busy supervisor does not look.
const RESERVED_MEMORY_FACTOR: u64 = 16;

/// The CPU time beyond the limit after which the kernel kills a process that the supervisor has
/// not killed.
const CPU_GRACE: Duration = Duration::from_secs(2);

/// The number of files, pipes and sockets that a process may have open. Each may hold memory in the kernel.
pub(crate) const MOST_OPEN: u64 = 1024;

/// The number of threads that all processes may have, in addition to one for each process: a few for a pool,
/// and for each processor of the computer the threads that Java starts. Here the kernel stops a program that
/// starts processes as fast as it can, long before the program slows down the computer.
const MORE_THREADS: u64 = 64;
const THREADS_OF_PROCESSOR: u64 = 8;

/// The number of signals that may wait for a program.
const PENDING_SIGNALS: u64 = 4096;

/// The rights that all programs of a sandbox give up. A `Confinement` is made before the fork, because the
/// child must not allocate.
#[derive(Debug)]
pub(crate) struct Confinement {
    level: SandboxLevel,
    /// The user that the program becomes, by the number that the supervisor knows.
    user: Option<u32>,
    rules: Option<OwnedFd>,
    filter: Option<&'static BpfProgram>,
}

impl Confinement {
    /// Returns the rights that programs at the level of the plan give up.
    pub(crate) fn new(plan: &SandboxPlan) -> io::Result<Confinement> {
        let level = plan.level;
        let rules =
            (level == SandboxLevel::User).then(|| rules(&plan.view, &plan.folder)).transpose()?;
        let is_filtered = level > SandboxLevel::None;
        let filter =
            is_filtered.then(|| allowed_calls::filter(level, plan.view.hosts)).transpose()?;
        let user = match level {
            SandboxLevel::None => None,
            SandboxLevel::User => plan.ids.map(|ids| ids.program),
            SandboxLevel::Full => plan.ids.map(|_| PROGRAM_INSIDE),
        };
        Ok(Confinement { level, user, rules, filter })
    }

    /// Hides the processes and counters in `/proc` from programs in the root of this process. Returns false if the
    /// kernel has no Landlock.
    pub(crate) fn hide_processes(&mut self) -> io::Result<bool> {
        self.rules = has_landlock().then(rules_inside).transpose()?;
        Ok(self.rules.is_some())
    }

    /// Returns the limits that the kernel enforces for each process of a program.
    pub(crate) fn limits(&self, plan: &SandboxPlan, launch: &Launch) -> Vec<(Resource, u64)> {
        let mut limits = vec![
            (Resource::RLIMIT_CORE, NO_IMAGE),
            // A byte more, so that the size of a file shows that it exceeds the limit.
            (Resource::RLIMIT_FSIZE, plan.output.saturating_add(1)),
            (Resource::RLIMIT_DATA, plan.memory.saturating_mul(RESERVED_MEMORY_FACTOR)),
        ];
        if let Some(cpu) = launch.cpu {
            limits.push((Resource::RLIMIT_CPU, (cpu + CPU_GRACE).as_secs() + 1));
        }
        if self.level > SandboxLevel::None {
            // The limit of a control group must come first, because only the group reports that it has
            // refused a thread. This limit may include the threads of the supervisor, if they have the same
            // user.
            let is_bounded = plan.group.as_ref().is_some_and(|group| group.processes);
            let more = if is_bounded { THREADS_OF_SUPERVISOR } else { 0 };
            limits.extend([
                // Only processes of the program count, because the user ID or the namespace is theirs alone.
                (Resource::RLIMIT_NPROC, most_threads(plan.processes) + more),
                (Resource::RLIMIT_NOFILE, MOST_OPEN),
                (Resource::RLIMIT_MEMLOCK, 0),
                (Resource::RLIMIT_MSGQUEUE, 0),
                (Resource::RLIMIT_NICE, 0),
                (Resource::RLIMIT_RTPRIO, 0),
                (Resource::RLIMIT_SIGPENDING, PENDING_SIGNALS),
            ]);
        }
        limits
    }

    /// Gives up everything that the program must not have, and makes the program die with its
    /// supervisor. The process keeps the descriptors 0 to 2 and, until it is the program, `failure`.
    ///
    /// Only a process that is to become a program, between `fork` and `exec`, may call this. It
    /// allocates nothing.
    pub(crate) fn enter(
        &self,
        limits: &[(Resource, u64)],
        supervisor: Pid,
        failure: BorrowedFd,
    ) -> io::Result<()> {
        setsid()?;
        if self.level == SandboxLevel::Full {
            // The control groups that the program sees begin with its own.
            unshare(CloneFlags::CLONE_NEWCGROUP)?;
        }
        lower_priority();
        // This fails where the host allows no core dumps at all, because only root can raise a limit.
        let _ = setrlimit(Resource::RLIMIT_CORE, NO_IMAGE, NO_IMAGE);
        for &(resource, most) in limits {
            limit(resource, most)?;
        }
        if let Some(user) = self.user {
            become_user(user)?;
        }
        die_with(supervisor)?;
        if self.level == SandboxLevel::None {
            return close_all_but(failure);
        }
        // A single page in use keeps a whole huge page, but counts as one page.
        prctl::set_thp_disable(true)?;
        prctl::set_no_new_privs()?;
        if let Some(rules) = &self.rules {
            obey(rules)?;
        }
        close_all_but(failure)?;
        self.filter.iter().copied().try_for_each(|filter| {
            seccompiler::apply_filter(filter)
                .map_err(|_| io::Error::from_raw_os_error(libc::ENOSYS))
        })
    }
}

/// More threads than a supervisor has.
const THREADS_OF_SUPERVISOR: u64 = 16;

/// Returns the number of threads that this many processes may have together.
pub(crate) fn most_threads(processes: u32) -> u64 {
    u64::from(processes) + MORE_THREADS + THREADS_OF_PROCESSOR * u64::from(processors())
}

/// Returns the number of processors that this process may use.
///
/// The function of the standard library also reads the control groups each time, which takes longer than a
/// call.
pub(crate) fn processors() -> u32 {
    sched_getaffinity(None).map_or(1, |allowed| allowed.count().max(1))
}

/// Lowers a limit of this process and everything it starts. A limit that is lower already stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = rlim_t::try_from(most).unwrap_or(rlim_t::MAX);
    let (_, hard) = getrlimit(resource)?;
    let most = most.min(hard);
    setrlimit(resource, most, most)?;
    Ok(())
}

/// Closes all descriptors from 3 on, except `kept`, which the program does not inherit.
///
/// A descriptor that is only marked to be closed is still open when the kernel looks for the interpreter of a
/// script: a first line such as `#!/proc/self/fd/4/../play` would lead out of the sandbox by any open folder
/// of the host.
fn close_all_but(kept: BorrowedFd) -> io::Result<()> {
    let kept = kept.as_raw_fd().cast_unsigned();
    let close = |first: u32, last: u32, flags: u32| {
        if first > last {
            return Ok(());
        }
        // SAFETY: the call takes numbers only, and nothing uses the descriptors later.
        let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    close(3, kept - 1, 0)?;
    close(kept, kept, libc::CLOSE_RANGE_CLOEXEC)?;
    close(kept + 1, u32::MAX, 0)
}

/// Makes the kernel kill this process when the supervisor ends. A later change of the user would undo this.
fn die_with(supervisor: Pid) -> io::Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // The supervisor may have ended before the call.
    if getppid() == supervisor { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
}

/// Becomes another user for good, with a group of the same number and no other. This process has one thread.
pub(super) fn become_user(id: u32) -> io::Result<()> {
    // The functions of the C library would change all threads that it knows of, which do not exist in this
    // process.
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    Ok(set_thread_res_uid(user, user, user)?)
}

/// The first version of Landlock, without which there are no rules.
const LEAST: ABI = ABI::V1;
/// The first version with all requested rules, which include signals. Of an older version, the existing rules
/// are used.
const WANTED: ABI = ABI::V6;

/// The devices that a program may read and write.
pub(crate) const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// The facts of the kernel that a program may know: nothing of other processes.
pub(crate) const KERNEL: [&str; 6] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/sys/devices/system/cpu",
];

fn has_landlock() -> bool {
    const VERSION: u32 = 1;
    // SAFETY: with this flag, the call takes no pointer.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, VERSION)
    };
    version > 0
}

/// Returns the rules for files of a program that sees `view` and writes in `folder`, as a descriptor
/// for the process that is to obey them.
fn rules(view: &View, folder: &Path) -> io::Result<OwnedFd> {
    let read: BitFlags<AccessFs> = AccessFs::from_read(WANTED);
    let written = read | AccessFs::WriteFile | AccessFs::IoctlDev;
    let places = view.places.iter().flat_map(|place| without_hidden(&place.path, &view.hidden));
    let own = [(folder.to_owned(), AccessFs::from_all(WANTED))];
    let devices = DEVICES.map(|device| (PathBuf::from(device), written));
    descriptor_of(
        own.into_iter()
            .chain(devices)
            .chain(places.chain(KERNEL.map(PathBuf::from)).map(|path| (path, read))),
    )
}

/// Returns the rules for files of a program in a root of its own: it may use everything in that root, but of
/// `/proc` only [a few facts](KERNEL). Counters of the computer could carry information from one move to the
/// next. A process that has the memory of another process open keeps that memory after the other's death, and
/// no look finds it.
fn rules_inside() -> io::Result<OwnedFd> {
    let all: BitFlags<AccessFs> = AccessFs::from_all(WANTED);
    // A rule for its target covers a link.
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let folders = fs::read_dir("/")?.flatten().filter(|entry| !is_link(entry));
    let folders = folders.map(|entry| entry.path());
    let folders = folders.filter(|path| !path.starts_with("/proc")).map(|path| (path, all));
    let kernel = KERNEL.map(|path| (PathBuf::from(path), AccessFs::from_read(WANTED)));
    descriptor_of(folders.chain(kernel))
}

fn descriptor_of(
    allowed: impl Iterator<Item = (PathBuf, BitFlags<AccessFs>)>,
) -> io::Result<OwnedFd> {
    let refused = |error: RulesetError| io::Error::other(format!("Landlock: {error}"));
    let mut rules = create().map_err(refused)?;
    let of_file = AccessFs::from_file(WANTED);
    for (path, access) in allowed {
        let Some(opened) = open(&path)? else { continue };
        // By the descriptor: by now, the path may lead elsewhere.
        let kind = FileType::from_raw_mode(fstat(&opened)?.st_mode);
        let access = if kind == FileType::Directory { access } else { access & of_file };
        (&mut rules).add_rule(PathBeneath::new(opened, access)).map_err(refused)?;
    }
    let made: Option<OwnedFd> = rules.into();
    made.ok_or_else(|| io::Error::other("Landlock: this kernel does not have it"))
}

fn create() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()
}

/// Opens a file for a rule. Returns `None` if that fails, because the program cannot open the file either,
/// and an error if this process has too many files open.
fn open(path: &Path) -> io::Result<Option<PathFd>> {
    match PathFd::new(path) {
        Ok(opened) => Ok(Some(opened)),
        Err(PathFdError::OpenCall { source, .. }) if is_exhausted(&source) => Err(source),
        Err(_) => Ok(None),
    }
}

/// Returns the folders and files that make up a folder without the hidden files.
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
    // A rule for its target covers a link.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| without_hidden(&real.join(entry.file_name()), &inside)).collect()
}

/// Restricts this process by rules of Landlock, to which it adds the right to read files of the kernel about
/// itself.
fn obey(rules: &OwnedFd) -> io::Result<()> {
    const RULE_PATH_BENEATH: libc::c_int = 1;
    const READ_FILE: u64 = 1 << 2;
    const READ_FOLDER: u64 = 1 << 3;
    // The list leaves out the network of the host, and the control group, which has a name of its own for each game.
    const OWN: [(&CStr, u64); 7] = [
        (c"/proc/self/cmdline", READ_FILE),
        (c"/proc/self/fd", READ_FILE | READ_FOLDER),
        (c"/proc/self/limits", READ_FILE),
        (c"/proc/self/maps", READ_FILE),
        (c"/proc/self/stat", READ_FILE),
        (c"/proc/self/statm", READ_FILE),
        (c"/proc/self/status", READ_FILE),
    ];
    #[repr(C, packed)]
    struct PathBeneath {
        allowed_access: u64,
        parent: libc::c_int,
    }
    // SAFETY: the pointers are to values that outlive the calls.
    unsafe {
        for (file, allowed_access) in OWN {
            let parent = libc::open(file.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
            if parent >= 0 {
                let rule = PathBeneath { allowed_access, parent };
                let rule = &raw const rule;
                // If this fails, programs do without the file.
                libc::syscall(
                    libc::SYS_landlock_add_rule,
                    rules.as_raw_fd(),
                    RULE_PATH_BENEATH,
                    rule,
                    0,
                );
            }
        }
        match libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
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

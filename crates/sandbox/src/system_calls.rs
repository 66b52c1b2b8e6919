//! The system calls that a program may use.
//!
//! The list says what is allowed. A call that is not on it fails as if the kernel did not know it,
//! so that programs do without. Not on it is everything for which a player, a compiler or an
//! interpreter has no use: sockets, memory that belongs to no process, other processes' limits and
//! places on the processor, tracing, mounts, namespaces, keys, and the parts of the kernel in which
//! most faults are found. The list follows the default profile of containers, less these.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// The calls that are allowed whatever their arguments.
const ALLOWED: &[i64] = &[
    // Files.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_utimensat,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_umask,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    // Waiting.
    libc::SYS_pselect6,
    libc::SYS_ppoll,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_signalfd4,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_rm_watch,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete,
    libc::SYS_restart_syscall,
    // Memory.
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_mincore,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_get_mempolicy,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_membarrier,
    // Processes and threads.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_setpgid,
    libc::SYS_getsid,
    libc::SYS_setsid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_getpriority,
    libc::SYS_getcpu,
    libc::SYS_prctl,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    // Signals.
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sigaltstack,
    // What the process is, and what the computer is.
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_capget,
    // Programs give up rights that they do not have.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_getrlimit,
    libc::SYS_setrlimit,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrandom,
    // Pairs of sockets between its own processes.
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
];

/// Calls of the first Linux, which newer processors do not have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[i64] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_newfstatat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_mknod,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_select,
    libc::SYS_poll,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_signalfd,
    libc::SYS_inotify_init,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_time,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[libc::SYS_newfstatat, libc::SYS_renameat];

/// Calls that change who may use a file. They reach every file of the user who runs the program.
const OWNERSHIP: &[i64] =
    &[libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat];
/// The same, of the first Linux.
#[cfg(target_arch = "x86_64")]
const OWNERSHIP_HERE: &[i64] = &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const OWNERSHIP_HERE: &[i64] = &[];
/// The newest of them, which the list of calls does not name yet.
const FCHMODAT2: i64 = 452;

/// Flags of `clone` that ask for new namespaces.
const NEW_NAMESPACES: u64 = 0x7E02_0000;
/// The flags of `clone` for a thread, and for what shares its open files.
const THREAD: u64 = libc::CLONE_THREAD as u64;
const FILES: u64 = libc::CLONE_FILES as u64;
/// Flags of `mmap` for memory that several processes share and no file holds: it belongs to none of
/// them.
const SHARED: u64 = libc::MAP_SHARED as u64;
const ANONYMOUS: u64 = libc::MAP_ANONYMOUS as u64;
const HUGE_PAGES: u64 = libc::MAP_HUGETLB as u64;

/// Returns the filter. A program that shares its user with others must not be `owner` of files: it
/// may not change who may use them.
pub(crate) fn filter(owner: bool) -> io::Result<BpfProgram> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for &call in ALLOWED.iter().chain(ALLOWED_HERE) {
        rules.insert(call, Vec::new());
    }
    if owner {
        for &call in OWNERSHIP.iter().chain(OWNERSHIP_HERE).chain(&[FCHMODAT2]) {
            rules.insert(call, Vec::new());
        }
    }
    rules.extend(conditional().map_err(io::Error::other)?);
    let arch = ARCH.try_into().map_err(io::Error::other)?;
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(rules, unknown, SeccompAction::Allow, arch);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

/// The calls of which some uses are allowed.
fn conditional() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    use SeccompCmpArgLen::{Dword, Qword};
    use SeccompCmpOp::{Eq, MaskedEq, Ne};

    let when =
        |index, length, operator, value| SeccompCondition::new(index, length, operator, value);
    let rule = SeccompRule::new;
    let own_memory = || when(3, Qword, MaskedEq(SHARED | HUGE_PAGES), 0);
    let of_file = || when(3, Qword, MaskedEq(ANONYMOUS | HUGE_PAGES), 0);
    Ok(vec![
        // A thread has the files of its process: whoever counts those has counted all.
        (
            libc::SYS_clone,
            vec![
                rule(vec![when(0, Qword, MaskedEq(NEW_NAMESPACES | THREAD), 0)?])?,
                rule(vec![when(0, Qword, MaskedEq(NEW_NAMESPACES | FILES), FILES)?])?,
            ],
        ),
        (libc::SYS_mmap, vec![rule(vec![own_memory()?])?, rule(vec![of_file()?])?]),
        // The limits of this process, and of no other.
        (libc::SYS_prlimit64, vec![rule(vec![when(0, Dword, Eq, 0)?])?]),
        // A program that hides itself hides what it holds.
        (libc::SYS_prctl, vec![rule(vec![when(0, Dword, Ne, libc::PR_SET_DUMPABLE as u64)?])?]),
        (libc::SYS_socketpair, vec![rule(vec![when(0, Dword, Eq, libc::AF_UNIX as u64)?])?]),
        // No pipe holds more than its 64 KiB.
        (libc::SYS_fcntl, vec![rule(vec![when(1, Dword, Ne, libc::F_SETPIPE_SZ as u64)?])?]),
        // Nothing is typed into a terminal.
        (
            libc::SYS_ioctl,
            vec![rule(vec![
                when(1, Dword, Ne, libc::TIOCSTI)?,
                when(1, Dword, Ne, libc::TIOCLINUX)?,
            ])?],
        ),
    ])
}

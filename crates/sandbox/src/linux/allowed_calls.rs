//! The system calls that a program may use.
//!
//! The list names the calls that are allowed and, where one call can do many things, the arguments. Any other
//! call fails as if the kernel did not know it, so that programs do without. The list leaves out everything
//! for which a player, a compiler or an interpreter has no use: sockets, memory that belongs to no process,
//! other processes' limits and places on the processor, tracing, mounts, namespaces, keys, the watching of
//! files, timers that send any signal or wake others, and the parts of the kernel in which most faults are
//! found. Otherwise the list follows the default profile of containers.
//!
//! Some calls succeed without any effect: locks of files, because locks on files of the system would reach
//! other programs; waits until files are on the disk, because they would keep the disk busy for all; changes of
//! priorities and processors, with which honest programs begin; and, at the level `user`, changes of times,
//! because a program may write to devices, whose times all programs see.

use std::io;
use std::sync::OnceLock;

use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::{BackendError, BpfProgram, SeccompCmpOp};

use crate::installed::IS_INSIDE;
use crate::limits::SandboxLevel;
use crate::system::filter::{Condition, OfCalls, Parts, Rule};

/// The calls that are allowed whatever their arguments.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    // Files.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64,
    libc::SYS_pwrite64, libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_openat,
    libc::SYS_close, libc::SYS_lseek, libc::SYS_fstat, libc::SYS_statx, libc::SYS_statfs,
    libc::SYS_fstatfs, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlinkat,
    libc::SYS_getdents64, libc::SYS_getcwd, libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_mkdirat,
    libc::SYS_unlinkat, libc::SYS_renameat2, libc::SYS_linkat, libc::SYS_symlinkat,
    libc::SYS_truncate, libc::SYS_ftruncate, libc::SYS_fadvise64, libc::SYS_fchmod,
    libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat, libc::SYS_flock,
    libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync_file_range, libc::SYS_sendfile,
    libc::SYS_copy_file_range, libc::SYS_dup, libc::SYS_dup3, libc::SYS_pipe2, libc::SYS_umask,
    libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_fgetxattr, libc::SYS_listxattr,
    libc::SYS_llistxattr, libc::SYS_flistxattr,
    // Waiting.
    libc::SYS_pselect6, libc::SYS_ppoll, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd2, libc::SYS_signalfd4,
    libc::SYS_nanosleep, libc::SYS_gettimeofday, libc::SYS_getitimer, libc::SYS_setitimer,
    libc::SYS_restart_syscall,
    // Memory.
    libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_mremap, libc::SYS_msync, libc::SYS_brk,
    libc::SYS_madvise, libc::SYS_mlock, libc::SYS_munlock, libc::SYS_get_mempolicy,
    libc::SYS_pkey_alloc, libc::SYS_pkey_free, libc::SYS_pkey_mprotect, libc::SYS_membarrier,
    // Processes and threads.
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4,
    libc::SYS_waitid, libc::SYS_futex, libc::SYS_futex_waitv, libc::SYS_set_robust_list,
    libc::SYS_get_robust_list, libc::SYS_set_tid_address, libc::SYS_rseq, libc::SYS_getpid,
    libc::SYS_getppid, libc::SYS_gettid, libc::SYS_getpgid, libc::SYS_setpgid, libc::SYS_getsid,
    libc::SYS_setsid, libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler, libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min, libc::SYS_sched_rr_get_interval, libc::SYS_getpriority,
    libc::SYS_setpriority, libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam, libc::SYS_sched_setattr,
    libc::SYS_getcpu, libc::SYS_prctl,
    // Signals.
    libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo, libc::SYS_sigaltstack,
    // The identity of the process, and of the computer.
    libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid, libc::SYS_getgroups,
    libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_capget,
    // Programs give up rights that they do not have.
    libc::SYS_setuid, libc::SYS_setgid, libc::SYS_setreuid, libc::SYS_setregid, libc::SYS_setresuid,
    libc::SYS_setresgid, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_getrusage,
    libc::SYS_times, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    // Pairs of sockets between its own processes.
    libc::SYS_recvfrom, libc::SYS_shutdown, libc::SYS_getsockname, libc::SYS_getpeername,
];

/// Old calls, which Linux does not have on newer architectures.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_HERE: &[i64] = &[
    libc::SYS_open, libc::SYS_creat, libc::SYS_stat, libc::SYS_lstat, libc::SYS_newfstatat,
    libc::SYS_access, libc::SYS_readlink, libc::SYS_getdents, libc::SYS_mkdir, libc::SYS_rmdir,
    libc::SYS_unlink, libc::SYS_rename, libc::SYS_renameat, libc::SYS_link, libc::SYS_symlink,
    libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes,
    libc::SYS_futimesat, libc::SYS_dup2, libc::SYS_pipe, libc::SYS_select, libc::SYS_poll,
    libc::SYS_epoll_create, libc::SYS_epoll_wait, libc::SYS_eventfd, libc::SYS_signalfd,
    libc::SYS_alarm, libc::SYS_pause, libc::SYS_time, libc::SYS_fork, libc::SYS_vfork,
    libc::SYS_getpgrp, libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[libc::SYS_newfstatat, libc::SYS_renameat];

/// The calls that change times.
const TIMES: &[i64] = &[libc::SYS_utimensat];
#[cfg(target_arch = "x86_64")]
const TIMES_HERE: &[i64] = &[libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const TIMES_HERE: &[i64] = &[];

/// The newest call of its kind, which the C library does not name yet.
const FCHMODAT2: i64 = 452;

/// Flags of `clone` for a process that starts another program: it shares the memory of its parent, which waits.
/// Either flag needs the other: a parent with one of them could look as if it waited for such a child, and go on
/// with its work in the kernel.
const STARTER: u64 = (libc::CLONE_VM | libc::CLONE_VFORK) as u64;
/// Flags of `clone` for a process: it may have its number written to memory. The signal in the flags tells its
/// parent of its end.
const PROCESS: u64 = (libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_SETTLS) as u64;
/// Flags of `clone` for a thread. It shares the files of its process, so that a count of the files of the
/// process is complete.
const THREAD: u64 = (libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD) as u64;
/// Further flags that a thread may have.
const OF_THREAD: u64 = (libc::CLONE_SYSVSEM
    | libc::CLONE_SETTLS
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_DETACHED) as u64;
/// Flags of `mmap` for memory that several processes share and no file holds, which belongs to none of the
/// processes.
const SHARED: u64 = libc::MAP_SHARED as u64;
const ANONYMOUS: u64 = libc::MAP_ANONYMOUS as u64;
const HUGE_PAGES: u64 = libc::MAP_HUGETLB as u64;
/// The kinds of sockets of which a pair may be made, and the mask of the kind without its flags.
const STREAM: u64 = libc::SOCK_STREAM as u64;
const PACKETS: u64 = libc::SOCK_SEQPACKET as u64;
const SOCKET_KIND: u64 = !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u32 as u64;

/// Commands of `fcntl` on descriptors of the process itself.
#[rustfmt::skip]
const FCNTL: &[libc::c_int] = &[
    libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL,
    libc::F_GETPIPE_SZ, libc::F_GETLK, libc::F_OFD_GETLK,
];
/// Locks, which succeed without any effect.
const LOCKS: &[libc::c_int] =
    &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
/// Advice of `madvise` that concerns the process's own memory, and that a death interrupts. Pages that are paged out or
/// poisoned would be so for other programs as well, and pages that the kernel merges could belong to other programs.
/// The guards of newer kernels occupy a page of tables for 2 MiB of addresses, in one call that no signal ends.
#[rustfmt::skip]
const ADVICE: &[libc::c_int] = &[
    libc::MADV_NORMAL, libc::MADV_RANDOM, libc::MADV_SEQUENTIAL, libc::MADV_WILLNEED,
    libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_REMOVE, libc::MADV_DONTFORK,
    libc::MADV_DOFORK, libc::MADV_UNMERGEABLE, libc::MADV_HUGEPAGE, libc::MADV_NOHUGEPAGE,
    libc::MADV_DONTDUMP, libc::MADV_DODUMP, libc::MADV_WIPEONFORK, libc::MADV_KEEPONFORK,
    libc::MADV_POPULATE_READ, libc::MADV_POPULATE_WRITE, libc::MADV_DONTNEED_LOCKED,
];
/// Requests of `ioctl`: queries about terminals and pipes, and the two flags of a descriptor.
#[rustfmt::skip]
const IOCTL: &[u64] = &[
    libc::TCGETS, libc::TIOCGWINSZ, libc::TIOCGPGRP, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX,
    libc::FIONCLEX,
];
/// Options of `prctl` with which a process queries or sets properties of its own.
#[rustfmt::skip]
const PRCTL: &[libc::c_int] = &[
    libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_GET_PDEATHSIG, libc::PR_GET_DUMPABLE,
    libc::PR_SET_TIMERSLACK, libc::PR_GET_TIMERSLACK, libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_GET_NO_NEW_PRIVS, libc::PR_GET_SECCOMP, libc::PR_CAPBSET_READ, libc::PR_GET_KEEPCAPS,
    libc::PR_GET_THP_DISABLE, PR_SET_VMA, IS_INSIDE,
];
/// The option of `prctl` that names parts of a process's own memory.
const PR_SET_VMA: libc::c_int = 0x5356_4d41;
/// The options of a pair of sockets that neither hold memory nor watch other sockets.
const SOCKET_OPTIONS: &[libc::c_int] =
    &[libc::SO_RCVTIMEO, libc::SO_SNDTIMEO, libc::SO_KEEPALIVE, libc::SO_REUSEADDR];

/// The options that a program may query. Other options reveal the kernel's numbers of sockets, which could
/// carry information from one move to the next.
#[rustfmt::skip]
const ASKED_OPTIONS: &[libc::c_int] = &[
    libc::SO_TYPE, libc::SO_DOMAIN, libc::SO_PROTOCOL, libc::SO_ERROR, libc::SO_ACCEPTCONN,
    libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_RCVTIMEO, libc::SO_SNDTIMEO,
];

/// The limit on the core dump of a program.
const CORE: u64 = libc::RLIMIT_CORE as u64;

/// The number of files for which a thread may wait at a time, because the wait keeps the files even if no
/// process has them open.
pub(crate) const WAITED: u64 = 64;

/// Returns the filter of a program. If `hosts` is false, the filter tells hosts that they must not run.
pub(crate) fn filter(level: SandboxLevel, hosts: bool) -> io::Result<&'static BpfProgram> {
    static MADE: [OnceLock<BpfProgram>; 4] = [const { OnceLock::new() }; 4];
    let made = &MADE[2 * usize::from(level == SandboxLevel::User) + usize::from(hosts)];
    match made.get() {
        Some(filter) => Ok(filter),
        None => {
            let filter = parts(level, hosts).map_err(io::Error::other)?.filter()?;
            Ok(made.get_or_init(|| filter))
        }
    }
}

fn parts(level: SandboxLevel, hosts: bool) -> Result<Parts, BackendError> {
    let mut pretended = pretended();
    if !hosts {
        pretended.push((libc::SYS_prctl, any_of(0, &[IS_INSIDE])));
    }
    let mut refused = refused();
    refused.extend(unreadable_programs());
    refused.extend(around_memory(level));
    let mut unsupported = Vec::new();
    if level == SandboxLevel::User {
        pretended.extend(TIMES.iter().chain(TIMES_HERE).map(|&call| (call, Vec::new())));
        pretended.push((libc::SYS_msync, flags(2, libc::MS_SYNC)));
        // The folder is on a disk for all, which this call would fill faster than a look could prevent. After
        // the error, programs write instead.
        unsupported.push((libc::SYS_fallocate, Vec::new()));
    }
    let allowed = ALLOWED.iter().chain(ALLOWED_HERE).chain(&[FCHMODAT2]).copied().collect();
    let exceptions = vec![(refused, libc::EINVAL), (pretended, 0), (unsupported, libc::EOPNOTSUPP)];
    Parts::new(allowed, conditional(), exceptions)
}

/// Returns rules that each match one value of an argument.
fn any_of(index: u8, values: &[libc::c_int]) -> Vec<Rule> {
    values.iter().map(|&value| vec![is(index, value as u32 as u64)]).collect()
}

fn is(index: u8, value: u64) -> Condition {
    (index, Dword, SeccompCmpOp::Eq, value)
}

fn is_not(index: u8, value: u64) -> Condition {
    (index, Dword, SeccompCmpOp::Ne, value)
}

/// Returns rules for the clocks that a program may read. The clocks of processes have numbers below zero.
fn clocks() -> Vec<Rule> {
    const OWN_PROCESS: libc::c_int = -6;
    const OWN_THREAD: libc::c_int = -2;
    let mut rules = any_of(0, &[OWN_PROCESS, OWN_THREAD]);
    rules.push(vec![(0, Dword, SeccompCmpOp::Le, libc::CLOCK_TAI as u64)]);
    rules
}

/// Returns rules for the files that a program may make, by the argument with their kind.
fn nodes(index: u8) -> Vec<Rule> {
    [0, libc::S_IFREG].map(|kind| vec![masked(index, libc::S_IFMT.into(), kind.into())]).to_vec()
}

/// Returns the condition that the masked bits of an argument have this value.
fn masked(index: u8, mask: u64, value: u64) -> Condition {
    (index, Qword, SeccompCmpOp::MaskedEq(mask), value)
}

fn pretended() -> OfCalls {
    vec![
        (libc::SYS_flock, Vec::new()),
        (libc::SYS_fcntl, any_of(1, LOCKS)),
        // A program must not affect the pages of files in memory, which all programs share.
        (libc::SYS_fadvise64, Vec::new()),
        // The disk would do the reads in the turn of the rival.
        (libc::SYS_madvise, any_of(2, &[libc::MADV_WILLNEED])),
        // A wait for the disk has no use, because no file of a program lasts longer than its sandbox.
        (libc::SYS_fsync, Vec::new()),
        (libc::SYS_fdatasync, Vec::new()),
        (libc::SYS_sync_file_range, Vec::new()),
        // A program that makes way for others would be late by its own choice, and one that chooses processors
        // would choose those of others.
        (libc::SYS_setpriority, Vec::new()),
        (libc::SYS_sched_setaffinity, Vec::new()),
        (libc::SYS_sched_setscheduler, Vec::new()),
        (libc::SYS_sched_setparam, Vec::new()),
        (libc::SYS_sched_setattr, Vec::new()),
        // A program must not raise the limit on its core dump, which could start a program of the host: see
        // the limits.
        (libc::SYS_setrlimit, vec![vec![is(0, CORE)]]),
        (libc::SYS_prlimit64, vec![vec![is(1, CORE), (2, Qword, SeccompCmpOp::Ne, 0)]]),
    ]
}

/// Returns rules that each match one of these flags, whatever the other flags.
fn flags(index: u8, flags: libc::c_int) -> Vec<Rule> {
    let flags = u64::from(flags as u32);
    let each = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| flags & bit != 0);
    each.map(|flag| vec![masked(index, flag, flag)]).collect()
}

/// Returns the uses of calls that read and write around the memory of the kernel: such a read takes neither memory nor
/// CPU time, and goes on to its end even if its process is killed. At the level `user`, where the folder is on a disk
/// for all, also those that make each write go to the disk.
fn around_memory(level: SandboxLevel) -> OfCalls {
    let through = if level == SandboxLevel::User { libc::O_SYNC | libc::O_DSYNC } else { 0 };
    let around = libc::O_DIRECT | through;
    let later = masked(2, libc::O_DIRECT as u64, libc::O_DIRECT as u64);
    vec![
        (libc::SYS_openat, flags(2, around)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, flags(1, around)),
        (libc::SYS_fcntl, vec![vec![is(1, libc::F_SETFL as u64), later]]),
    ]
}

/// Returns the uses of calls that are refused as invalid.
fn refused() -> OfCalls {
    let more_than = |index| vec![vec![(index, Dword, SeccompCmpOp::Gt, WAITED)]];
    let other_advice = ADVICE.iter().map(|&advice| is_not(2, advice as u64)).collect();
    let other_names = [0, libc::RENAME_NOREPLACE, libc::RENAME_EXCHANGE];
    let other_names = other_names.map(|flag| is_not(4, flag.into())).to_vec();
    vec![
        (libc::SYS_madvise, vec![other_advice]),
        // A third flag makes a device.
        (libc::SYS_renameat2, vec![other_names]),
        // A pipe could keep a page of every file. Programs copy in another way after this error.
        (libc::SYS_sendfile, Vec::new()),
        // Files of other users have attributes, too, which no rule of Landlock hides.
        (libc::SYS_getxattr, Vec::new()),
        (libc::SYS_lgetxattr, Vec::new()),
        (libc::SYS_fgetxattr, Vec::new()),
        (libc::SYS_listxattr, Vec::new()),
        (libc::SYS_llistxattr, Vec::new()),
        (libc::SYS_flistxattr, Vec::new()),
        (libc::SYS_ppoll, more_than(1)),
        (libc::SYS_pselect6, more_than(0)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_poll, more_than(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_select, more_than(0)),
    ]
}

/// Returns the uses of calls that make a program that its own user may execute but not read. The kernel takes
/// the clock away from a process with such a program and from its children, and hides the resources that the
/// process holds; and the process may then become any other program. Another such call, `openat2`, is not on
/// the list of calls at all, because no filter sees its flags.
fn unreadable_programs() -> OfCalls {
    const EXECUTE: u64 = 0o100;
    const READ: u64 = 0o400;
    const CREATE: u64 = libc::O_CREAT as u64;
    // The flag of a file without a name, less the bit of the flag for folders that it contains.
    const NAMELESS: u64 = (libc::O_TMPFILE & !libc::O_DIRECTORY) as u64;
    let mode = |index| masked(index, EXECUTE | READ, EXECUTE);
    let given = |index| vec![vec![mode(index)]];
    let created = |flags: u8| {
        [CREATE, NAMELESS].map(|flag| vec![masked(flags, flag, flag), mode(flags + 1)]).to_vec()
    };
    vec![
        (libc::SYS_fchmod, given(1)),
        (libc::SYS_fchmodat, given(2)),
        (FCHMODAT2, given(2)),
        (libc::SYS_mknodat, given(2)),
        (libc::SYS_openat, created(2)),
        (libc::SYS_umask, vec![vec![masked(0, READ, READ)]]),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, given(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, given(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, given(1)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, created(1)),
    ]
}

/// Returns the calls of which only some uses are allowed.
fn conditional() -> OfCalls {
    const SIGNAL: u64 = 0xFF;
    const MORE: u64 = !(PROCESS | SIGNAL);
    let child = libc::SIGCHLD as u64;
    let mut fcntl = any_of(1, &[FCNTL, LOCKS].concat());
    // A descriptor must not send signals, because a signal could resume a stopped program.
    fcntl.push(vec![is(1, libc::F_SETFL as u64), masked(2, libc::O_ASYNC as u64, 0)]);
    // The death of a parent, which may take a while, must not resume a stopped program either.
    let mut prctl = any_of(0, PRCTL);
    let signal = is_not(1, libc::SIGCONT as u64);
    prctl.push(vec![is(0, libc::PR_SET_PDEATHSIG as u64), signal]);
    let options = |options: &[libc::c_int]| {
        let of = |&option| vec![is(1, libc::SOL_SOCKET as u64), is(2, option as u64)];
        options.iter().map(of).collect()
    };
    vec![
        (
            libc::SYS_clone,
            vec![
                vec![masked(0, MORE, 0), masked(0, SIGNAL, child)],
                vec![masked(0, MORE | STARTER, STARTER), masked(0, SIGNAL, child)],
                vec![masked(0, !OF_THREAD, THREAD)],
            ],
        ),
        (
            libc::SYS_mmap,
            vec![
                vec![masked(3, SHARED | HUGE_PAGES, 0)],
                vec![masked(3, ANONYMOUS | HUGE_PAGES, 0)],
            ],
        ),
        // The limits of this process, and of no other.
        (libc::SYS_prlimit64, vec![vec![is(0, 0)]]),
        (libc::SYS_prctl, prctl),
        // Datagrams could be sent to the sockets of other programs.
        (
            libc::SYS_socketpair,
            vec![
                vec![is(0, libc::AF_UNIX as u64), masked(1, SOCKET_KIND, STREAM)],
                vec![is(0, libc::AF_UNIX as u64), masked(1, SOCKET_KIND, PACKETS)],
            ],
        ),
        (libc::SYS_sendto, vec![vec![masked(4, u64::MAX, 0)]]),
        (libc::SYS_setsockopt, options(SOCKET_OPTIONS)),
        (libc::SYS_getsockopt, options(ASKED_OPTIONS)),
        // A thread with files of its own would hold resources that no look at its process finds.
        (libc::SYS_close_range, vec![vec![masked(2, u64::from(libc::CLOSE_RANGE_UNSHARE), 0)]]),
        (libc::SYS_fcntl, fcntl),
        (libc::SYS_ioctl, IOCTL.iter().map(|&request| vec![is(1, request)]).collect()),
        // The clocks of the computer and of the process itself, but of no other process.
        (libc::SYS_clock_gettime, clocks()),
        (libc::SYS_clock_getres, clocks()),
        (libc::SYS_clock_nanosleep, clocks()),
        // Files, and no pipes with a name, which hold memory.
        (libc::SYS_mknodat, nodes(2)),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, nodes(1)),
        // Only blocks within the size of a file, and none beyond its end.
        (libc::SYS_fallocate, vec![vec![is(1, 0)]]),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::system::filter::Verdict;
    use crate::system::filter::tests::{expected, verdict};

    #[test]
    fn filter_decides_as_its_parts() -> io::Result<()> {
        let values = |of: &[libc::c_int]| of.iter().map(|&it| u64::from(it as u32)).collect();
        let mut asked: Vec<u64> = values(&[FCNTL, LOCKS, PRCTL, SOCKET_OPTIONS, ADVICE].concat());
        asked.extend((0..u64::BITS).map(|bit| 1 << bit));
        asked.extend([
            0,
            17,
            CORE,
            WAITED + 1,
            THREAD,
            PROCESS,
            STARTER,
            STREAM,
            PACKETS,
            u64::MAX,
        ]);
        asked.extend(IOCTL);
        for (level, hosts) in [SandboxLevel::Full, SandboxLevel::User]
            .into_iter()
            .flat_map(|it| [(it, true), (it, false)])
        {
            let parts = parts(level, hosts).map_err(io::Error::other)?;
            let filter = filter(level, hosts)?;
            for call in (0..1_000).chain([1 << 30, u32::MAX]) {
                let zero = [0; 6];
                let decides = expected(&parts, call, zero);
                assert_eq!(verdict(filter, call, zero), decides, "{level} {hosts} call {call}");
                let is_open = parts.verdict(call) == Verdict::Open;
                for &value in asked.iter().filter(|_| is_open) {
                    for index in 0..6 {
                        let mut arguments = [0; 6];
                        arguments[index] = value;
                        let expected = expected(&parts, call, arguments);
                        let found = verdict(filter, call, arguments);
                        assert_eq!(found, expected, "{level} {hosts} call {call} {arguments:?}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn list_allows_its_calls_and_no_other() -> io::Result<()> {
        let filter = filter(SandboxLevel::Full, true)?;
        let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
        let named: BTreeSet<i64> = ALLOWED.iter().chain(ALLOWED_HERE).copied().collect();
        let conditional: BTreeSet<i64> = conditional().into_iter().map(|(call, _)| call).collect();
        for call in (0..1000).chain([1 << 30, u32::MAX]) {
            let (number, verdict) = (i64::from(call), verdict(filter, call, [0; 6]));
            let is_named = named.contains(&number) || number == FCHMODAT2;
            if !conditional.contains(&number) {
                assert_eq!(verdict != unknown, is_named, "call {call}");
            }
        }
        Ok(())
    }

    #[test]
    fn exceptions_of_the_levels_are_decided_by_errors() -> io::Result<()> {
        let error = |code: libc::c_int| libc::SECCOMP_RET_ERRNO | code as u32;
        let [invalid, unknown, pretended] = [libc::EINVAL, libc::ENOSYS, 0].map(error);
        let allowed = libc::SECCOMP_RET_ALLOW;
        let [full, user] = [&[SandboxLevel::Full][..], &[SandboxLevel::User]];
        let both = &[SandboxLevel::Full, SandboxLevel::User][..];
        let check = |levels: &[SandboxLevel], call: i64, given: &[u64], expected| {
            let mut arguments = [0; 6];
            arguments[..given.len()].copy_from_slice(given);
            for &level in levels {
                let found = verdict(filter(level, false)?, call as u32, arguments);
                assert_eq!(found, expected, "{level} call {call} {given:x?}");
            }
            io::Result::Ok(())
        };
        let [direct, through, create] =
            [libc::O_DIRECT, libc::O_SYNC, libc::O_CREAT].map(|flag| flag as u64);
        let cases: &[(_, _, &[u64], _)] = &[
            (both, libc::SYS_getpid, &[], allowed),
            (both, libc::SYS_ptrace, &[], unknown),
            (both, libc::SYS_openat2, &[], unknown),
            (both, libc::SYS_flock, &[], pretended),
            (both, libc::SYS_setpriority, &[], pretended),
            (both, libc::SYS_sched_setscheduler, &[], pretended),
            (both, libc::SYS_sendfile, &[], invalid),
            (full, libc::SYS_fallocate, &[], allowed),
            (user, libc::SYS_fallocate, &[], error(libc::EOPNOTSUPP)),
            (full, libc::SYS_utimensat, &[], allowed),
            (user, libc::SYS_utimensat, &[], pretended),
            (both, libc::SYS_umask, &[0o477], invalid),
            (both, libc::SYS_umask, &[0o77], allowed),
            (full, libc::SYS_openat, &[0, 0, through], allowed),
            (user, libc::SYS_openat, &[0, 0, through], invalid),
            (both, libc::SYS_openat, &[0, 0, direct], invalid),
            (both, libc::SYS_fcntl, &[0, libc::F_SETFL as u64, direct], invalid),
            (both, libc::SYS_prctl, &[IS_INSIDE as u32 as u64], pretended),
        ];
        for &(levels, call, given, expected) in cases {
            check(levels, call, given, expected)?;
        }
        for advice in 0..200 {
            let is_listed = ADVICE.contains(&(advice as libc::c_int));
            let is_known_to_be_harmless = [0..=4, 8..=11, 13..=19, 22..=24];
            assert_eq!(is_listed, is_known_to_be_harmless.iter().any(|it| it.contains(&advice)));
            let expected = match is_listed {
                true if advice == libc::MADV_WILLNEED as u64 => pretended,
                true => allowed,
                false => invalid,
            };
            check(both, libc::SYS_madvise, &[0, 0, advice], expected)?;
        }
        for flags in 0..8 {
            let expected = if flags <= 2 { allowed } else { invalid };
            check(both, libc::SYS_renameat2, &[0, 0, 0, 0, flags], expected)?;
        }
        for (mode, expected) in [
            (0o755, allowed),
            (0o711, allowed),
            (0o000, allowed),
            (0o111, invalid),
            (0o377, invalid),
        ] {
            check(both, libc::SYS_fchmodat, &[0, 0, mode], expected)?;
            check(both, libc::SYS_openat, &[0, 0, create, mode], expected)?;
            // Without the flag, there is no mode.
            check(both, libc::SYS_openat, &[0, 0, 0, mode], allowed)?;
        }
        for flags in [0, STARTER, STARTER | libc::CLONE_SETTLS as u64] {
            check(both, libc::SYS_clone, &[flags | 17], allowed)?;
        }
        for flags in [libc::CLONE_VFORK, libc::CLONE_VM, libc::CLONE_NEWUSER, libc::CLONE_PARENT] {
            check(both, libc::SYS_clone, &[flags as u64 | 17], unknown)?;
        }
        Ok(())
    }
}

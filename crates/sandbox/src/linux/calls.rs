//! The system calls that a program may use.
//!
//! The list names the calls that are allowed and, where one call can do many things, the arguments. Any other
//! call fails as if the kernel did not know it, so that programs do without. Not on the list is everything
//! for which a player, a compiler or an interpreter has no use: sockets, memory that belongs to no process,
//! other processes' limits and places on the processor, tracing, mounts, namespaces, keys, the watching of
//! files, timers that send any signal or wake others, and the parts of the kernel in which most faults are
//! found. The list follows the default profile of containers, less these.
//!
//! Locks of files are taken in pretense: they succeed, and nothing is locked. On files of the system,
//! they would reach other programs. So are changes of times at the level `user`: a program may write to
//! devices, whose times all programs see. Nor does a program there wait until its files are on the disk, which
//! it would keep busy for all.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::ARCH;
use std::ops::RangeInclusive;
use std::{io, mem};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

use crate::host_program::IS_INSIDE;
use crate::level::SandboxLevel;

/// The calls that are allowed whatever their arguments.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    // Files.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64,
    libc::SYS_pwrite64, libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_openat, libc::SYS_openat2,
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
    libc::SYS_mlock, libc::SYS_munlock, libc::SYS_get_mempolicy, libc::SYS_pkey_alloc,
    libc::SYS_pkey_free, libc::SYS_pkey_mprotect, libc::SYS_membarrier,
    // Processes and threads.
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4,
    libc::SYS_waitid, libc::SYS_futex, libc::SYS_futex_waitv, libc::SYS_set_robust_list,
    libc::SYS_get_robust_list, libc::SYS_set_tid_address, libc::SYS_rseq, libc::SYS_getpid,
    libc::SYS_getppid, libc::SYS_gettid, libc::SYS_getpgid, libc::SYS_setpgid, libc::SYS_getsid,
    libc::SYS_setsid, libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler, libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min, libc::SYS_sched_rr_get_interval, libc::SYS_getpriority,
    libc::SYS_getcpu, libc::SYS_prctl,
    // Signals.
    libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo, libc::SYS_sigaltstack,
    // What the process is, and what the computer is.
    libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid, libc::SYS_getgroups,
    libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_capget,
    // Programs give up rights that they do not have.
    libc::SYS_setuid, libc::SYS_setgid, libc::SYS_setreuid, libc::SYS_setregid, libc::SYS_setresuid,
    libc::SYS_setresgid, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_getrusage,
    libc::SYS_times, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    // Pairs of sockets between its own processes.
    libc::SYS_recvfrom, libc::SYS_shutdown, libc::SYS_getsockname, libc::SYS_getpeername,
];

/// Calls of the first Linux, which newer processors do not have.
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

/// The newest call of its kind, which the list of calls does not name yet.
const FCHMODAT2: i64 = 452;

/// Flags of `clone` for a process: memory and the parent's wait until it ends or becomes a program, and
/// where its number is written. Its last signal tells its parent of its end.
const PROCESS: u64 = (libc::CLONE_VM
    | libc::CLONE_VFORK
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_SETTLS) as u64;
/// Flags of `clone` for a thread. It shares the files of its process: a count of those counts all.
const THREAD: u64 = (libc::CLONE_VM
    | libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD) as u64;
/// Flags that a thread may have besides.
const OF_THREAD: u64 = (libc::CLONE_SYSVSEM
    | libc::CLONE_SETTLS
    | libc::CLONE_PARENT_SETTID
    | libc::CLONE_CHILD_SETTID
    | libc::CLONE_CHILD_CLEARTID
    | libc::CLONE_DETACHED) as u64;
/// Flags of `mmap` for memory that several processes share and no file holds: it belongs to none of
/// them.
const SHARED: u64 = libc::MAP_SHARED as u64;
const ANONYMOUS: u64 = libc::MAP_ANONYMOUS as u64;
const HUGE_PAGES: u64 = libc::MAP_HUGETLB as u64;
/// The kinds of sockets of which a pair may be made, less the flags that any may have.
const STREAM: u64 = libc::SOCK_STREAM as u64;
const PACKETS: u64 = libc::SOCK_SEQPACKET as u64;
const SOCKET_KIND: u64 = !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u32 as u64;

/// Commands of `fcntl` on descriptors of the process itself.
#[rustfmt::skip]
const FCNTL: &[libc::c_int] = &[
    libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL,
    libc::F_GETPIPE_SZ, libc::F_GETLK, libc::F_OFD_GETLK,
];
/// Locks, which are taken in pretense.
const LOCKS: &[libc::c_int] =
    &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
/// Questions about terminals and pipes, and the two flags of a descriptor.
#[rustfmt::skip]
const IOCTL: &[u64] = &[
    libc::TCGETS, libc::TIOCGWINSZ, libc::TIOCGPGRP, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX,
    libc::FIONCLEX,
];
/// Options of `prctl` by which a process asks or says something of itself.
#[rustfmt::skip]
const PRCTL: &[libc::c_int] = &[
    libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_GET_PDEATHSIG, libc::PR_GET_DUMPABLE,
    libc::PR_SET_TIMERSLACK, libc::PR_GET_TIMERSLACK, libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_GET_NO_NEW_PRIVS, libc::PR_GET_SECCOMP, libc::PR_CAPBSET_READ, libc::PR_GET_KEEPCAPS,
    libc::PR_GET_THP_DISABLE, PR_SET_VMA, IS_INSIDE,
];
/// Names for parts of a process's own memory.
const PR_SET_VMA: libc::c_int = 0x5356_4d41;
/// The options of a pair of sockets that neither hold memory nor watch others.
const SOCKET_OPTIONS: &[libc::c_int] =
    &[libc::SO_RCVTIMEO, libc::SO_SNDTIMEO, libc::SO_KEEPALIVE, libc::SO_REUSEADDR];

/// The options that a program may ask for. The kernel numbers sockets by others, which would remember a move.
#[rustfmt::skip]
const ASKED_OPTIONS: &[libc::c_int] = &[
    libc::SO_TYPE, libc::SO_DOMAIN, libc::SO_PROTOCOL, libc::SO_ERROR, libc::SO_ACCEPTCONN,
    libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_RCVTIMEO, libc::SO_SNDTIMEO,
];

/// The limit on the image of a program that a signal ends.
const CORE: u64 = libc::RLIMIT_CORE as u64;

/// The number of files for which a thread may wait at a time: it keeps them, though no process has them open.
pub(crate) const WAITED: u64 = 64;

/// The filters of a program, in the order in which a process must take them on.
///
/// In the last one is the list, in another the calls that succeed in pretense. Where `hosts` do not
/// run, one of these tells them so.
pub(crate) fn filters(level: SandboxLevel, hosts: bool) -> io::Result<Vec<BpfProgram>> {
    let rules: BTreeMap<i64, Vec<SeccompRule>> =
        conditional().map_err(io::Error::other)?.into_iter().collect();
    let calls = ALLOWED.iter().chain(ALLOWED_HERE).chain(&[FCHMODAT2]);
    // No filter sees the flags of the last way to open a file. Programs do without.
    let is_hidden = |call: &i64| level == SandboxLevel::User && *call == libc::SYS_openat2;
    let calls =
        calls.copied().filter(|call| !rules.contains_key(call) && !is_hidden(call)).collect();
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    let list = program(rules, unknown, SeccompAction::Allow)?;
    let list = before(ranges(calls), list);
    let mut pretended = pretended().map_err(io::Error::other)?;
    if !hosts {
        let told = any_of(0, &[IS_INSIDE]).map_err(io::Error::other)?;
        pretended.push((libc::SYS_prctl, told));
    }
    if level == SandboxLevel::User {
        pretended.extend(TIMES.iter().chain(TIMES_HERE).map(|&call| (call, Vec::new())));
        pretended.push((libc::SYS_msync, flags(2, libc::MS_SYNC).map_err(io::Error::other)?));
    }
    let pretended =
        program(pretended.into_iter().collect(), SeccompAction::Allow, SeccompAction::Errno(0))?;
    let unfit = SeccompAction::Errno(libc::EINVAL as u32);
    let mut refused: BTreeMap<_, _> = refused().map_err(io::Error::other)?.into_iter().collect();
    if level == SandboxLevel::User {
        refused.extend(writes_through().map_err(io::Error::other)?);
    }
    let refused = program(refused, SeccompAction::Allow, unfit)?;
    let mut filters = vec![pretended, refused, list];
    if level == SandboxLevel::User {
        // The folder is on a disk for all, of which this would take more in a moment than a look prevents.
        // Programs write instead.
        let unsupported = SeccompAction::Errno(libc::EOPNOTSUPP as u32);
        let claims = BTreeMap::from([(libc::SYS_fallocate, Vec::new())]);
        filters.insert(0, program(claims, SeccompAction::Allow, unsupported)?);
    }
    Ok(filters)
}

fn program(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    action: SeccompAction,
) -> io::Result<BpfProgram> {
    let arch = ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, otherwise, action, arch);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

/// Returns the ranges of these numbers, in ascending order.
fn ranges(numbers: BTreeSet<i64>) -> Vec<RangeInclusive<u32>> {
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers.into_iter().filter_map(|number| u32::try_from(number).ok()) {
        match ranges.last_mut() {
            Some(range) if *range.end() + 1 == number => *range = *range.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    ranges
}

/// Returns a filter that allows the calls in these ranges, which are in ascending order, and leaves all others
/// to `rest`.
///
/// When a process takes on a filter, the kernel runs it for every call there is. The library compares a number
/// with each call of a list, one after the other, and so a list of two hundred calls takes 0.7 ms of every
/// start of a program. There are a few dozen ranges.
fn before(ranges: Vec<RangeInclusive<u32>>, rest: BpfProgram) -> BpfProgram {
    const NUMBER: u32 = mem::offset_of!(libc::seccomp_data, nr) as u32;
    let statement = |code, k| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let compare = |code, k, jt, jf| sock_filter { code: (libc::BPF_JMP | code) as u16, jt, jf, k };
    // The rest begins with a check of the architecture, which says what the numbers mean: it comes first.
    let (check, rest) = rest.split_at(ARCHITECTURE_CHECK);
    let mut filter = check.to_vec();
    filter.push(statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NUMBER));
    let count = ranges.len() as u32;
    for (index, range) in (1..).zip(ranges) {
        const LENGTH: u32 = 4;
        let others = (count - index) * LENGTH + 1;
        filter.extend([
            compare(libc::BPF_JGT, *range.end(), 3, 0),
            compare(libc::BPF_JGE, *range.start(), 1, 0),
            statement(libc::BPF_JMP | libc::BPF_JA, others),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
        ]);
    }
    filter.extend_from_slice(rest);
    filter
}

/// The number of instructions with which the library begins every filter: they end processes of another
/// architecture.
const ARCHITECTURE_CHECK: usize = 3;

type Rules = Result<Vec<SeccompRule>, seccompiler::BackendError>;

/// Rules that each allow one value of an argument.
fn any_of(index: u8, values: &[libc::c_int]) -> Rules {
    let rule = |&value: &libc::c_int| SeccompRule::new(vec![is(index, value as u32 as u64)?]);
    values.iter().map(rule).collect()
}

fn is(index: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(index: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// The argument is no null pointer.
fn is_given(index: u8) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

/// The clocks that a program may read. The kernel numbers those of processes below zero.
fn clocks() -> Rules {
    const OWN_PROCESS: libc::c_int = -6;
    const OWN_THREAD: libc::c_int = -2;
    let mut rules = any_of(0, &[OWN_PROCESS, OWN_THREAD])?;
    let of_computer = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Le,
        libc::CLOCK_TAI as u64,
    )?;
    rules.push(SeccompRule::new(vec![of_computer])?);
    Ok(rules)
}

/// The files that a program may make, by the argument with their kind.
fn nodes(index: u8) -> Rules {
    const KIND: u64 = libc::S_IFMT as u64;
    let kinds = [0, libc::S_IFREG as u64];
    kinds.iter().map(|&kind| SeccompRule::new(vec![masked(index, KIND, kind)?])).collect()
}

/// The bits of an argument that are in the mask have this value.
fn masked(index: u8, mask: u64, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value)
}

fn pretended() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    Ok(vec![
        (libc::SYS_flock, Vec::new()),
        (libc::SYS_fcntl, any_of(1, LOCKS)?),
        // The pages of a file that are in memory are none of a program's business.
        (libc::SYS_fadvise64, Vec::new()),
        // The disk is there for all: nothing of a program lasts longer than its sandbox.
        (libc::SYS_fsync, Vec::new()),
        (libc::SYS_fdatasync, Vec::new()),
        (libc::SYS_sync_file_range, Vec::new()),
        // A program that ends by a signal starts nothing of the host: see the limits.
        (libc::SYS_setrlimit, vec![SeccompRule::new(vec![is(0, CORE)?])?]),
        (libc::SYS_prlimit64, vec![SeccompRule::new(vec![is(1, CORE)?, is_given(2)?])?]),
    ])
}

/// Rules that each allow one of these flags, whatever the others.
fn flags(index: u8, flags: libc::c_int) -> Rules {
    let flags = u64::from(flags as u32);
    let each = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| flags & bit != 0);
    each.map(|flag| SeccompRule::new(vec![masked(index, flag, flag)?])).collect()
}

/// The ways to open a file so that each write goes to the disk.
fn writes_through() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    const THROUGH: libc::c_int = libc::O_DIRECT | libc::O_SYNC | libc::O_DSYNC;
    let later = masked(2, libc::O_DIRECT as u64, libc::O_DIRECT as u64)?;
    Ok(vec![
        (libc::SYS_openat, flags(2, THROUGH)?),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, flags(1, THROUGH)?),
        (libc::SYS_fcntl, vec![SeccompRule::new(vec![is(1, libc::F_SETFL as u64)?, later])?]),
    ])
}

/// The uses of calls that are refused as unfit.
fn refused() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    let more_than = |index| -> Rules {
        let most = SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Gt, WAITED)?;
        Ok(vec![SeccompRule::new(vec![most])?])
    };
    Ok(vec![
        // A pipe could keep a page of every file. Programs copy in another way after this error.
        (libc::SYS_sendfile, Vec::new()),
        // Others' files have attributes, too, which no rule of Landlock hides.
        (libc::SYS_getxattr, Vec::new()),
        (libc::SYS_lgetxattr, Vec::new()),
        (libc::SYS_fgetxattr, Vec::new()),
        (libc::SYS_listxattr, Vec::new()),
        (libc::SYS_llistxattr, Vec::new()),
        (libc::SYS_flistxattr, Vec::new()),
        (libc::SYS_ppoll, more_than(1)?),
        (libc::SYS_pselect6, more_than(0)?),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_poll, more_than(1)?),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_select, more_than(0)?),
    ])
}

/// The calls of which some uses are allowed.
fn conditional() -> Result<Vec<(i64, Vec<SeccompRule>)>, seccompiler::BackendError> {
    const SIGNAL: u64 = 0xFF;
    let rule = SeccompRule::new;
    let child = libc::SIGCHLD as u64;
    let mut fcntl = any_of(1, &[FCNTL, LOCKS].concat())?;
    // No signals by descriptors: one could wake a program that stands still.
    fcntl.push(rule(vec![is(1, libc::F_SETFL as u64)?, masked(2, libc::O_ASYNC as u64, 0)?])?);
    // Nor by the death of a parent, which may take it a while.
    let mut prctl = any_of(0, PRCTL)?;
    let signal = is_not(1, libc::SIGCONT as u64)?;
    prctl.push(rule(vec![is(0, libc::PR_SET_PDEATHSIG as u64)?, signal])?);
    let ioctl: Result<Vec<SeccompRule>, _> =
        IOCTL.iter().map(|&request| rule(vec![is(1, request)?])).collect();
    let options = |options: &[libc::c_int]| -> Rules {
        let of = |&option| rule(vec![is(1, libc::SOL_SOCKET as u64)?, is(2, option as u64)?]);
        options.iter().map(of).collect()
    };
    Ok(vec![
        (
            libc::SYS_clone,
            vec![
                rule(vec![masked(0, !PROCESS & !SIGNAL, 0)?, masked(0, SIGNAL, child)?])?,
                rule(vec![masked(0, !OF_THREAD, THREAD)?])?,
            ],
        ),
        (
            libc::SYS_mmap,
            vec![
                rule(vec![masked(3, SHARED | HUGE_PAGES, 0)?])?,
                rule(vec![masked(3, ANONYMOUS | HUGE_PAGES, 0)?])?,
            ],
        ),
        // The limits of this process, and of no other.
        (libc::SYS_prlimit64, vec![rule(vec![is(0, 0)?])?]),
        (libc::SYS_prctl, prctl),
        // Datagrams could be sent to the sockets of others.
        (
            libc::SYS_socketpair,
            vec![
                rule(vec![is(0, libc::AF_UNIX as u64)?, masked(1, SOCKET_KIND, STREAM)?])?,
                rule(vec![is(0, libc::AF_UNIX as u64)?, masked(1, SOCKET_KIND, PACKETS)?])?,
            ],
        ),
        (libc::SYS_sendto, vec![rule(vec![masked(4, u64::MAX, 0)?])?]),
        (libc::SYS_setsockopt, options(SOCKET_OPTIONS)?),
        (libc::SYS_getsockopt, options(ASKED_OPTIONS)?),
        // A thread with files of its own would hold what no look at its process finds.
        (
            libc::SYS_close_range,
            vec![rule(vec![masked(2, u64::from(libc::CLOSE_RANGE_UNSHARE), 0)?])?],
        ),
        (libc::SYS_fcntl, fcntl),
        (libc::SYS_ioctl, ioctl?),
        // Pages that are put out of memory, or are no good, would be so for others as well; and others could
        // have those that the kernel merges.
        (
            libc::SYS_madvise,
            vec![rule(vec![
                is_not(2, libc::MADV_MERGEABLE as u64)?,
                is_not(2, 20)?,
                is_not(2, 21)?,
                is_not(2, 100)?,
                is_not(2, 101)?,
            ])?],
        ),
        // The clocks of the computer and of the process itself, and those of no other.
        (libc::SYS_clock_gettime, clocks()?),
        (libc::SYS_clock_getres, clocks()?),
        (libc::SYS_clock_nanosleep, clocks()?),
        // Files, and no pipes with a name, which hold memory.
        (libc::SYS_mknodat, nodes(2)?),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, nodes(1)?),
        // Blocks that a file claims, and none behind its end.
        (libc::SYS_fallocate, vec![rule(vec![is(1, 0)?])?]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verdict of a filter on a call of this architecture whose arguments are all zero, by the
    /// rules of classic BPF.
    fn verdict(filter: &[sock_filter], call: u32) -> u32 {
        const VALUE: u32 = libc::BPF_K;
        const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
        const AND: u32 = libc::BPF_ALU | libc::BPF_AND | VALUE;
        const GO: u32 = libc::BPF_JMP | libc::BPF_JA;
        let architecture = filter[1].k;
        let (mut at, mut value) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter[at];
            at += 1;
            let mut jump = |is_true| at += usize::from(if is_true { jt } else { jf });
            match u32::from(code) {
                LOAD => value = [call, architecture].get(k as usize / 4).copied().unwrap_or(0),
                RETURN => return k,
                AND => value &= k,
                GO => at += k as usize,
                code if code == libc::BPF_JMP | libc::BPF_JEQ | VALUE => jump(value == k),
                code if code == libc::BPF_JMP | libc::BPF_JGT | VALUE => jump(value > k),
                code if code == libc::BPF_JMP | libc::BPF_JGE | VALUE => jump(value >= k),
                code => panic!("code {code:#x} at {}", at - 1),
            }
        }
    }

    #[test]
    fn ranges_allow_the_calls_of_the_list_and_no_other() -> io::Result<()> {
        let allowed: BTreeSet<i64> = ALLOWED.iter().chain(ALLOWED_HERE).copied().collect();
        let rules = allowed.iter().map(|&call| (call, Vec::new())).collect();
        let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
        let slow = program(rules, unknown.clone(), SeccompAction::Allow)?;
        let flock = BTreeMap::from([(libc::SYS_flock, Vec::new())]);
        let rest = program(flock, unknown, SeccompAction::Allow)?;
        let fast = before(ranges(allowed.clone()), rest);
        for call in (0..1000).chain([1 << 30, u32::MAX]) {
            let expected = verdict(&slow, call);
            assert_eq!(verdict(&fast, call), expected, "call {call}");
            let is_allowed = allowed.contains(&i64::from(call));
            assert_eq!(expected == libc::SECCOMP_RET_ALLOW, is_allowed, "call {call}");
        }
        assert!(fast.len() < slow.len() / 2, "{} of {}", fast.len(), slow.len());
        Ok(())
    }

    #[test]
    fn what_no_range_allows_is_left_to_the_rest() -> io::Result<()> {
        let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
        let getpid = BTreeMap::from([(libc::SYS_getpid, Vec::new())]);
        let rest = program(getpid, unknown, SeccompAction::Allow)?;
        let [read, getpid] = [libc::SYS_read, libc::SYS_getpid].map(|call| call as u32);
        let filter = before(vec![read..=read], rest);
        assert_eq!(verdict(&filter, read), libc::SECCOMP_RET_ALLOW);
        assert_eq!(verdict(&filter, getpid), libc::SECCOMP_RET_ALLOW);
        assert_ne!(verdict(&filter, getpid + 1), libc::SECCOMP_RET_ALLOW);
        Ok(())
    }
}

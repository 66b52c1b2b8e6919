//! Attacks on parts of the kernel that no player needs, and by way of networks and sockets.

use std::ffi::CStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::mem::size_of;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::PathBuf;
use std::ptr::null_mut;

use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::{Mode, SFlag, mknod};
use nix::sys::timerfd::{self, TimerFd, TimerFlags};
use nix::time::ClockId;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::mount::MountFlags;
use rustix::net::sockopt::socket_cookie;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, connect, ipproto, sendto, socket, socketpair,
};

use super::memory::map;
use super::{AttackTargets, Result, achieved, call, why};

pub(super) fn keys(_: &AttackTargets) -> Result {
    const PROCESS_KEYRING: i64 = -2;
    let (kind, name, content) = (c"user", c"hoard", [1u8; 64]);
    // SAFETY: the pointers are to values that outlive the call, with the size of the third.
    let result = unsafe {
        libc::syscall(
            libc::SYS_add_key,
            kind.as_ptr(),
            name.as_ptr(),
            content.as_ptr(),
            content.len(),
            PROCESS_KEYRING,
        )
    };
    call("a key", result)
}

pub(super) fn io_uring(_: &AttackTargets) -> Result {
    let mut parameters = [0u8; 256];
    // SAFETY: the pointer is to more than the call writes.
    let result = unsafe { libc::syscall(libc::SYS_io_uring_setup, 8, parameters.as_mut_ptr()) };
    call("a ring", result)
}

pub(super) fn userfaultfd(_: &AttackTargets) -> Result {
    const USER_MODE_ONLY: i32 = 1;
    // SAFETY: the call takes numbers only.
    call("a descriptor", unsafe { libc::syscall(libc::SYS_userfaultfd, USER_MODE_ONLY) })
}

pub(super) fn bpf(_: &AttackTargets) -> Result {
    // Reads what a null pointer has: a kernel that lets programs try says that this is no address.
    // SAFETY: the call takes no memory.
    let result = unsafe { libc::syscall(libc::SYS_bpf, 0, null_mut::<u8>(), 0) };
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::ENOSYS | libc::EPERM | libc::EACCES) if result < 0 => {
            Err(why(io::Error::last_os_error()))
        }
        _ => Ok("the kernel looks at the program to be loaded".to_owned()),
    }
}

pub(super) fn perf(_: &AttackTargets) -> Result {
    let mut attributes = [0u8; 128];
    attributes[4] = 128;
    // SAFETY: the pointer is to as much as the call reads.
    let result =
        unsafe { libc::syscall(libc::SYS_perf_event_open, attributes.as_ptr(), 0, -1, -1, 0) };
    call("a counter", result)
}

pub(super) fn mount(_: &AttackTargets) -> Result {
    let (flags, none) = (MountFlags::empty(), None::<&CStr>);
    achieved("a file system", rustix::mount::mount("none", "/tmp", "tmpfs", flags, none))
}

pub(super) fn namespaces(_: &AttackTargets) -> Result {
    achieved("a user namespace", unshare(CloneFlags::CLONE_NEWUSER))
}

pub(super) fn clone3(_: &AttackTargets) -> Result {
    // The first word of the arguments is the flags, the fifth the signal at the end.
    let mut arguments = [0u64; 11];
    arguments[0] = libc::CLONE_NEWUSER as u64;
    arguments[4] = libc::SIGCHLD as u64;
    // SAFETY: the pointer is to as much as the call reads, and the child ends at once.
    let result = unsafe {
        let result = libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments));
        if result == 0 {
            libc::_exit(0);
        }
        result
    };
    call("a process in a user namespace", result)
}

/// Begins a thread or process with a stack of its own, which ends at once. A look at the process does not find the
/// files of a thread that shares its files with no other. A thread that waits for the disk looks as if it waited for a
/// process with its memory to become another program.
pub(super) fn clone(what: &str, flags: libc::c_int) -> Result {
    extern "C" fn end(_: *mut libc::c_void) -> libc::c_int {
        0
    }
    const STACK: usize = 1 << 16;
    let stack = Box::leak(Box::new([0_u128; STACK / size_of::<u128>()]));
    // SAFETY: the stack grows down from its end, and stays until this process ends.
    let begun = unsafe {
        libc::clone(end, stack.as_mut_ptr_range().end.cast(), flags, std::ptr::null_mut())
    };
    call(what, begun.into())
}

/// Takes files of its own for this thread, by a call that closes nothing.
pub(super) fn unshared_files(_: &AttackTargets) -> Result {
    const NONE: libc::c_uint = 1 << 20;
    // SAFETY: the call takes numbers only, and closes no descriptor that there is.
    let result =
        unsafe { libc::syscall(libc::SYS_close_range, NONE, NONE, libc::CLOSE_RANGE_UNSHARE) };
    call("files of its own", result)
}

/// Makes a timer that wakes those who wait for it, in the turn of another program as well.
pub(super) fn timer(_: &AttackTargets) -> Result {
    achieved("a timer", TimerFd::new(timerfd::ClockId::CLOCK_MONOTONIC, TimerFlags::empty()))
}

/// Asks for an image of this process when it ends: a system may start its own program for that.
pub(super) fn image(_: &AttackTargets) -> Result {
    let (before, hard) = getrlimit(Resource::RLIMIT_CORE).map_err(why)?;
    for wanted in [0, hard] {
        // The system refuses it, or pretends.
        let _ = setrlimit(Resource::RLIMIT_CORE, wanted, hard);
        let (limit, _) = getrlimit(Resource::RLIMIT_CORE).map_err(why)?;
        // By a limit of zero, only files are not written.
        let handler = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
        if limit > 1 || limit == 0 && handler.starts_with('|') {
            return Ok(format!("a limit of {limit} bytes"));
        }
    }
    Err(format!("the limit is {before}"))
}

pub(super) fn device(_: &AttackTargets) -> Result {
    let [path, other] = ["memory", "other"].map(|name| std::env::temp_dir().join(name));
    let memory = nix::sys::stat::makedev(1, 1);
    if mknod(&path, SFlag::S_IFCHR, Mode::S_IRWXU, memory).is_ok() {
        return Ok("a device".to_owned());
    }
    // A device takes the place of a file that is given another name in this way.
    fs::write(&path, "").map_err(why)?;
    achieved("a device", renameat_with(CWD, &path, CWD, &other, RenameFlags::WHITEOUT))
}

/// Types a letter into every terminal that it can open.
pub(super) fn terminal(_: &AttackTargets) -> Result {
    let terminals = fs::read_dir("/dev/pts").into_iter().flatten().flatten();
    let paths =
        terminals.map(|entry| entry.path()).chain(["/dev/tty".into(), "/dev/console".into()]);
    let mut last = "there is no terminal".to_owned();
    for path in paths {
        match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(_) => return Ok(format!("{} is open", path.display())),
            Err(error) => last = why(error),
        }
    }
    let stdin = io::stdin();
    // SAFETY: the pointer is to a letter that outlives the call.
    let typed = unsafe { libc::ioctl(stdin.as_raw_fd(), libc::TIOCSTI, c"x".as_ptr()) };
    call("a letter", typed.into()).map_err(|_| last)
}

pub(super) fn settings(_: &AttackTargets) -> Result {
    let path = "/proc/sys/kernel/core_pattern";
    let before = fs::read_to_string(path).map_err(why)?;
    // The setting stays as it is.
    achieved("it can be written", fs::write(path, before))
}

/// Calls the kernel by the numbers of another architecture, which a filter may forget.
pub(super) fn old_calls(_: &AttackTargets) -> Result {
    const X32: i64 = 0x4000_0000;
    // SAFETY: the call takes numbers only.
    let result =
        unsafe { libc::syscall(X32 | libc::SYS_socket, libc::AF_INET, libc::SOCK_DGRAM, 0) };
    call("a socket", result)
}

pub(super) fn leave_group(_: &AttackTargets) -> Result {
    let write = |path: PathBuf, word| OpenOptions::new().write(true).open(path)?.write_all(word);
    let mut refused = "no group is there".to_owned();
    for (above, folder) in crate::system::cgroup::own_folders()?.into_iter().enumerate() {
        for (file, word) in [("memory.max", "max"), ("pids.max", "max"), ("cgroup.procs", "0")] {
            // To move to where one is achieves nothing.
            if above == 0 && file == "cgroup.procs" {
                continue;
            }
            match write(folder.join(file), word.as_bytes()) {
                Ok(()) => return Ok(format!("{file} of {}", folder.display())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => refused = error.to_string(),
            }
        }
    }
    Err(refused)
}

/// Asks which pages of a file of the system are in memory: what other programs have read.
pub(super) fn cached_pages(_: &AttackTargets) -> Result {
    let file = fs::File::open("/usr/bin/env").map_err(why)?;
    let memory = map(4096, libc::PROT_READ, libc::MAP_PRIVATE, Some(&file))?;
    let mut pages = [0_u8; 1];
    // SAFETY: the memory is mapped, and the pointer is to as much as the call writes.
    let result = unsafe { libc::syscall(libc::SYS_mincore, memory, 4096, pages.as_mut_ptr()) };
    call("the pages", result)
}

/// Reads parts of the kernel that only root may read.
pub(super) fn secrets(_: &AttackTargets) -> Result {
    const FILES: [&str; 8] = [
        "/proc/kcore",
        "/proc/kpageflags",
        "/proc/kpagecount",
        "/proc/timer_list",
        "/proc/vmallocinfo",
        "/proc/slabinfo",
        "/proc/iomem",
        "/etc/shadow",
    ];
    let mut refused = String::new();
    for path in FILES {
        match fs::File::open(path).and_then(|mut file| {
            use std::io::Read;
            file.read(&mut [0; 64])
        }) {
            Ok(length) if length > 0 => {
                let text = fs::read_to_string(path).unwrap_or_default();
                // The kernel shows no addresses to others.
                if !text.lines().all(|line| line.trim_start().starts_with("00000000")) {
                    return Ok(format!("{length} bytes of {path}"));
                }
            }
            Ok(_) => {}
            Err(error) => refused = error.to_string(),
        }
    }
    Err(refused)
}

/// Reads the CPU time of the supervisor, which grows by what earlier programs have done, and its page
/// faults.
pub(super) fn clocks(_: &AttackTargets) -> Result {
    let parent = nix::unistd::getppid();
    if let Ok(stat) = fs::read_to_string(format!("/proc/{parent}/stat")) {
        return Ok(format!("its page faults: {stat}"));
    }
    // As clock_getcpuclockid(3) makes it, which asks the kernel first.
    let clock = ClockId::from_raw((!parent.as_raw() << 3) | 2);
    achieved("its CPU time", clock.now())
}

/// Reads counters of the computer, which one run can raise for the next.
pub(super) fn counters(_: &AttackTargets) -> Result {
    const FILES: [&str; 11] = [
        "/proc/buddyinfo",
        "/proc/diskstats",
        "/proc/interrupts",
        "/proc/loadavg",
        "/proc/pressure/cpu",
        "/proc/schedstat",
        "/proc/softirqs",
        "/proc/sys/fs/file-nr",
        "/proc/sys/fs/inode-nr",
        "/proc/vmstat",
        "/proc/zoneinfo",
    ];
    let is_read = |path: &&&str| fs::read_to_string(path).is_ok_and(|text| !text.is_empty());
    if let Some(path) = FILES.iter().find(is_read) {
        return Ok(format!("{path} tells of others"));
    }
    // The level `user` cannot show another in its place.
    if std::env::temp_dir().starts_with("/sandbox") {
        let text = fs::read_to_string("/proc/stat").map_err(why)?;
        if text.contains("processes ") {
            return Ok("the number of processes that the computer has started".to_owned());
        }
    }
    Err("the files are empty, or cannot be read".to_owned())
}

/// Reads which sockets and routes the host has.
pub(super) fn own_network(targets: &AttackTargets) -> Result {
    let text = fs::read_to_string("/proc/self/net/tcp").map_err(why)?;
    if text.contains(&format!(":{:04X} ", targets.port)) {
        return Ok("the port on which it listens".to_owned());
    }
    Err("its own network is another".to_owned())
}

pub(super) fn tcp(targets: &AttackTargets) -> Result {
    achieved("connected", TcpStream::connect((Ipv4Addr::LOCALHOST, targets.port)))
}

/// The address of the host.
fn address(targets: &AttackTargets) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, targets.port)
}

pub(super) fn fast_open(targets: &AttackTargets) -> Result {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).map_err(why)?;
    let flags = SendFlags::from_bits_retain(libc::MSG_FASTOPEN as u32);
    achieved("sent", sendto(&socket, b"hello", flags, &address(targets)))
}

pub(super) fn multipath(targets: &AttackTargets) -> Result {
    let protocol = Some(ipproto::MPTCP);
    let socket = socket(AddressFamily::INET, SocketType::STREAM, protocol).map_err(why)?;
    achieved("connected", connect(&socket, &address(targets)))
}

pub(super) fn udp(targets: &AttackTargets) -> Result {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(why)?;
    achieved("sent", socket.send_to(b"hello", (Ipv4Addr::LOCALHOST, targets.port)))
}

pub(super) fn unix(targets: &AttackTargets) -> Result {
    achieved("connected", UnixStream::connect(&targets.socket))
}

pub(super) fn abstract_socket(targets: &AttackTargets) -> Result {
    let address = SocketAddr::from_abstract_name(&targets.abstract_socket).map_err(why)?;
    achieved("connected", UnixStream::connect_addr(&address))
}

pub(super) fn netlink(_: &AttackTargets) -> Result {
    achieved("a socket", socket(AddressFamily::NETLINK, SocketType::RAW, None))
}

/// Makes a pair of sockets that can send to any other.
pub(super) fn datagrams(_: &AttackTargets) -> Result {
    let flags = SocketFlags::empty();
    achieved("a pair", socketpair(AddressFamily::UNIX, SocketType::DGRAM, flags, None))
}

/// Sends to an address by a socket that is connected.
pub(super) fn elsewhere(targets: &AttackTargets) -> Result {
    let (socket, _other) = UnixStream::pair().map_err(why)?;
    achieved("sent", sendto(&socket, b"hello", SendFlags::empty(), &address(targets)))
}

/// Reads the number of a socket, which counts those of all programs.
pub(super) fn cookie(_: &AttackTargets) -> Result {
    let (socket, _other) = UnixStream::pair().map_err(why)?;
    achieved("a number", socket_cookie(&socket))
}

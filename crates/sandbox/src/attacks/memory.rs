//! Attacks that hold memory of processes in places that are easy to overlook.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{AttackTargets, Result, call, why};

/// The number of bytes to write at a time.
pub(super) const CHUNK: usize = 1 << 20;
/// The time for which an attack holds its memory.
const HOLD: Duration = Duration::from_secs(2);
/// The longest sleep. The clock goes on while the whole computer is paused, and the supervisor sees nothing then,
/// so a pause must not count for more than this.
const STEP: Duration = Duration::from_millis(10);

/// The size of a page.
pub(super) const PAGE: usize = 4096;
/// The flags of new memory of one process.
pub(super) const OWN: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
const READ_WRITE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Keeps something that holds so many bytes for a while. A program that exceeds its limits does not live to say so.
pub(super) fn hold<T>(bytes: u64, _kept: T) -> Result {
    live(HOLD);
    Ok(format!("{} MiB", bytes >> 20))
}

/// Does nothing for a time, step by step.
fn live(time: Duration) {
    (0..time.as_millis() / STEP.as_millis()).for_each(|_| sleep(STEP));
}

/// Maps new memory, or the beginning of a file. The kernel chooses the place, which nothing else uses.
pub(super) fn map(
    length: usize,
    rights: libc::c_int,
    flags: libc::c_int,
    file: Option<&File>,
) -> Result<*mut libc::c_void> {
    let file = file.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: nothing else uses the place.
    let memory = unsafe { libc::mmap(null_mut(), length, rights, flags, file, 0) };
    if memory == libc::MAP_FAILED { Err(why(io::Error::last_os_error())) } else { Ok(memory) }
}

/// Gives every second page other rights, so that each page is a mapping of its own.
pub(super) fn split(memory: *mut libc::c_void, pages: usize) {
    for page in (0..pages).step_by(2) {
        // SAFETY: no code reads or writes the memory.
        unsafe { libc::mprotect(memory.byte_add(page * PAGE), PAGE, libc::PROT_READ) };
    }
}

/// Occupies so many bytes of memory.
fn hoard(bytes: u64) -> Vec<Vec<u8>> {
    (0..bytes / CHUNK as u64).map(|_| vec![1; CHUNK]).collect()
}

pub(super) fn own(targets: &AttackTargets) -> Result {
    hold(targets.memory, hoard(targets.memory))
}

pub(super) fn strange_name(targets: &AttackTargets) -> Result {
    nix::sys::prctl::set_name(c"\xFF\xFE").map_err(why)?;
    own(targets)
}

pub(super) fn system_v(targets: &AttackTargets) -> Result {
    let size = usize::try_from(targets.memory).unwrap_or(0);
    // SAFETY: the calls take numbers, and the memory is written within its size.
    unsafe {
        let segment = libc::shmget(libc::IPC_PRIVATE, size, libc::IPC_CREAT | 0o600);
        if segment < 0 {
            return Err(why(io::Error::last_os_error()));
        }
        let memory = libc::shmat(segment, null_mut(), 0);
        libc::memset(memory, 1, size);
        libc::shmdt(memory);
    }
    Ok(format!("{} MiB, without a process", size >> 20))
}

/// Maps memory for several processes, fills it, and lets go of it a part at a time.
pub(super) fn shared(targets: &AttackTargets) -> Result {
    let size = usize::try_from(targets.memory).unwrap_or(0);
    let memory = map(size, READ_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, None)?;
    for start in (0..size).step_by(CHUNK) {
        // SAFETY: the memory is written within its size.
        unsafe {
            let part = memory.add(start);
            libc::memset(part, 1, CHUNK.min(size - start));
            libc::madvise(part, CHUNK, libc::MADV_DONTNEED);
        }
    }
    hold(targets.memory, ())
}

pub(super) fn queue(_: &AttackTargets) -> Result {
    let flags = libc::O_CREAT | libc::O_RDWR;
    // SAFETY: the name is a string that outlives the call, and there are no attributes.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mq_open,
            c"hoard".as_ptr(),
            flags,
            0o600,
            null_mut::<libc::mq_attr>(),
        )
    };
    call("a queue", result)
}

/// Reads one page of many parts of a memory without a write to it: each page takes a table.
pub(super) fn page_tables(targets: &AttackTargets) -> Result {
    const LENGTH: usize = 1 << 36;
    const APART: usize = 2 << 20;
    const TABLE: u64 = 4096;
    let mut held = 0;
    while held < targets.memory {
        let memory = map(LENGTH, libc::PROT_READ, OWN | libc::MAP_NORESERVE, None)
            .map_err(|error| format!("{error}, with {held} bytes"))?;
        // SAFETY: the memory is read within its length.
        unsafe {
            libc::madvise(memory, LENGTH, libc::MADV_NOHUGEPAGE);
            for start in (0..LENGTH).step_by(APART) {
                std::ptr::read_volatile(memory.cast::<u8>().add(start));
                held += TABLE;
                if held >= targets.memory {
                    break;
                }
            }
        }
    }
    hold(held, ())
}

/// Holds memory in a process whose first thread has ended.
pub(super) fn dead_leader(targets: &AttackTargets) -> Result {
    let memory = targets.memory;
    // SAFETY: the calls take numbers only, and the child ends by itself.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            std::thread::spawn(move || {
                let _hoard = hoard(memory);
                live(HOLD);
                libc::_exit(7);
            });
            libc::syscall(libc::SYS_exit, 0);
        }
        let mut status = 0;
        libc::waitpid(child, &raw mut status, 0);
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7 {
            return Ok(format!("{} MiB", memory >> 20));
        }
    }
    Err("it is ended".to_owned())
}

/// Takes huge pages, and gives back all but the first page of each.
pub(super) fn huge_pages(targets: &AttackTargets) -> Result {
    const HUGE: usize = 2 << 20;
    let size = usize::try_from(targets.memory).unwrap_or(0);
    let occupied = || -> Result<u64> {
        let text = fs::read_to_string("/proc/self/statm").map_err(why)?;
        text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).ok_or_else(|| text.clone())
    };
    let memory = map(size + HUGE, READ_WRITE, OWN, None)?;
    // SAFETY: the memory is written within its size.
    unsafe {
        let first = memory.add(memory.align_offset(HUGE));
        libc::madvise(first, size, libc::MADV_HUGEPAGE);
        for start in (0..size).step_by(HUGE) {
            let page = first.add(start);
            let before = occupied()?;
            page.cast::<u8>().write_volatile(1);
            if occupied()?.saturating_sub(before) < 256 {
                return Err("the pages are small".to_owned());
            }
            libc::madvise(page.add(PAGE), HUGE - PAGE, libc::MADV_DONTNEED);
        }
    }
    hold(targets.memory, ())
}

/// Makes a line of processes with many mappings: each mapping is linked to those of all processes above. The list of
/// as many mappings as possible is longer than a look.
pub(super) fn chain(mappings: usize, processes: usize) -> Result {
    const LINK: u64 = 64;
    let (mut reader, mut writer) = io::pipe().map_err(why)?;
    let memory = map(mappings * PAGE, READ_WRITE, OWN, None)?;
    // SAFETY: the memory is written within its length, and the children end by themselves.
    unsafe {
        for page in 0..mappings {
            let page = memory.add(page * PAGE);
            page.cast::<u8>().write_volatile(1);
            libc::madvise(page, PAGE, libc::MADV_DONTNEED);
        }
        split(memory, mappings);
        let mut line = 1;
        while line < processes && libc::fork() == 0 {
            line += 1;
        }
        if line == processes {
            let _ = writer.write_all(b"x");
        }
        if line > 1 {
            live(10 * HOLD);
            libc::_exit(0);
        }
    }
    drop(writer);
    reader.read_exact(&mut [0]).map_err(why)?;
    let links = processes * (processes + 1) / 2;
    hold((mappings * links) as u64 * LINK, ())
}

/// Holds memory while threads keep the kernel busy with a list of mappings, which it locks meanwhile.
pub(super) fn locked_look(targets: &AttackTargets) -> Result {
    const PAGES: usize = 60_000;
    let start = map(PAGES * PAGE, libc::PROT_NONE, OWN, None)? as usize;
    for _ in 0..4 {
        std::thread::spawn(move || {
            loop {
                split(start as *mut libc::c_void, PAGES);
                // SAFETY: no code reads or writes the memory.
                unsafe {
                    libc::mprotect(start as *mut libc::c_void, PAGES * PAGE, libc::PROT_NONE)
                };
            }
        });
    }
    own(targets)
}

/// Makes the supervisor slow, by processes with many mappings of a file with a long path, and leaves
/// processes that swap folders for links to another submission.
pub(super) fn slow_look(targets: &AttackTargets) -> Result {
    const PAGES: usize = 60_000;
    const FOLDERS: usize = 200;
    let here = env::current_dir().map_err(why)?;
    for number in 0..FOLDERS {
        fs::create_dir(format!("d{number}")).map_err(why)?;
        std::os::unix::fs::symlink(&targets.rival_folder, format!("l{number}")).map_err(why)?;
    }
    for _ in 0..14 {
        let name = "p".repeat(250);
        fs::create_dir(&name).and_then(|()| env::set_current_dir(&name)).map_err(why)?;
    }
    let file = File::options().read(true).write(true).create(true).truncate(true).open("f");
    let file = file.map_err(why)?;
    file.set_len(PAGE as u64).map_err(why)?;
    env::set_current_dir(here).map_err(why)?;
    split(map(PAGES * PAGE, libc::PROT_NONE, libc::MAP_PRIVATE, Some(&file))?, PAGES);
    // SAFETY: the calls take numbers only, and every process ends by itself after a while.
    unsafe {
        for child in 0..12 {
            match libc::fork() {
                0 => {
                    libc::setsid();
                    libc::prctl(libc::PR_SET_PDEATHSIG, 0);
                    libc::alarm(40);
                    loop {
                        if child > 2 {
                            libc::pause();
                            continue;
                        }
                        for number in 0..FOLDERS {
                            swap(&format!("d{number}"), &format!("l{number}"));
                        }
                    }
                }
                -1 => break,
                _ => {}
            }
        }
    }
    live(3 * HOLD);
    Err("the supervisor must end all of it, and follow no link".to_owned())
}

fn swap(one: &str, other: &str) {
    let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
}

//! Attacks on files.

use std::env;
use std::fs::{self, Permissions};
use std::os::fd::{AsFd, AsRawFd, IntoRawFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use nix::unistd::mkfifo;
use rustix::fs::{
    CWD, FallocateFlags, FlockOperation, Mode, OFlags, ResolveFlags, Timespec, Timestamps,
    UTIME_NOW, fallocate, fcntl_setfl, flock, fstatfs, futimens, inotify, openat, openat2,
    renameat,
};

use super::memory::CHUNK;
use super::{AttackTargets, LOADERS, Result, SECRET, SECRET_VARIABLE, achieved, call, why};
use crate::folder::Folder;
use crate::launch::OUTPUT;

pub(super) fn read_rival(targets: &AttackTargets) -> Result {
    fs::read_to_string(targets.rival_folder.join(SECRET)).map_err(why)
}

pub(super) fn list_rival(targets: &AttackTargets) -> Result {
    let entries = fs::read_dir(&targets.rival_folder).map_err(why)?;
    Ok(format!("{} files", entries.count()))
}

pub(super) fn lock_rival(targets: &AttackTargets) -> Result {
    let file = targets.rival_folder.join(SECRET);
    achieved("no program can read it", fs::set_permissions(file, Permissions::from_mode(0o000)))
}

pub(super) fn write_rival(targets: &AttackTargets) -> Result {
    achieved("it is overwritten", fs::write(targets.rival_folder.join(SECRET), "mine"))
}

pub(super) fn link_rival(targets: &AttackTargets) -> Result {
    let link = env::temp_dir().join("hard");
    fs::hard_link(targets.rival_folder.join(SECRET), &link).map_err(why)?;
    fs::read_to_string(link).map_err(why)
}

pub(super) fn follow_link(targets: &AttackTargets) -> Result {
    let link = env::temp_dir().join("soft");
    symlink(targets.rival_folder.join(SECRET), &link).map_err(why)?;
    fs::read_to_string(link).map_err(why)
}

pub(super) fn home(targets: &AttackTargets) -> Result {
    let entries = fs::read_dir(&targets.home).map_err(why)?;
    // On the way to what the program may see, there are empty folders.
    let seen = |name: &str| targets.home.join(name).exists();
    if ["private", ".ssh", ".bashrc", ".profile"].iter().any(|name| seen(name)) {
        return Ok(format!("{} entries", entries.count()));
    }
    Err("nothing of the user is in it".to_owned())
}

pub(super) fn environment(_: &AttackTargets) -> Result {
    env::var(SECRET_VARIABLE).map_err(why)
}

pub(super) fn engine(targets: &AttackTargets) -> Result {
    let by_loader = LOADERS.map(|loader| vec![loader.into(), targets.engine.clone()]);
    let ways = [vec![targets.engine.clone()]].into_iter().chain(by_loader);
    let starts = |way: &Vec<PathBuf>| {
        let output = Command::new(&way[0]).args(&way[1..]).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let way = ways.into_iter().find(starts).ok_or("it ends at once, or cannot be started")?;
    Ok(format!("it starts as {way:?}"))
}

/// Writes so many files of a size that no limit of a single file forbids.
pub(super) fn fill(files: u32, bytes: usize, what: &str) -> Result {
    for number in 0..files {
        fs::write(env::temp_dir().join(number.to_string()), vec![1; bytes]).map_err(why)?;
    }
    std::thread::sleep(Duration::from_secs(2));
    Ok(what.to_owned())
}

/// Claims in a moment much more than may be kept.
pub(super) fn claim(_: &AttackTargets) -> Result {
    const FILES: u64 = 16;
    const SIZE: u64 = 31 << 20;
    let mut kept = Vec::new();
    for number in 0..FILES {
        let file = fs::File::create(env::temp_dir().join(number.to_string())).map_err(why)?;
        fallocate(&file, FallocateFlags::empty(), 0, SIZE).map_err(why)?;
        kept.push(file);
    }
    Ok(format!("{} MiB", (FILES * SIZE) >> 20))
}

/// Keeps too much in files without a name, each of which only a write in progress has open: the thread that begins the
/// next write closes the file of the last.
pub(super) fn in_flight(_: &AttackTargets) -> Result {
    const THREADS: usize = 16;
    let content = vec![1; 31 << 20];
    let (ends, last) = (Instant::now() + Duration::from_secs(3), AtomicI32::new(-1));
    let write = || {
        let (flags, mode) = (OFlags::TMPFILE | OFlags::RDWR, Mode::RUSR | Mode::WUSR);
        while Instant::now() < ends {
            let file = openat(CWD, env::temp_dir(), flags, mode).map_err(why)?.into_raw_fd();
            // SAFETY: the kernel refuses a descriptor that is closed, and no other code uses these.
            unsafe {
                libc::close(last.swap(file, Ordering::SeqCst));
                if libc::write(file, content.as_ptr().cast(), content.len()) < 0 {
                    return Err(why(std::io::Error::last_os_error()));
                }
                if last.compare_exchange(file, -1, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    libc::close(file);
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS).map(|_| scope.spawn(write)).collect();
        writers.into_iter().try_for_each(|writer| writer.join().unwrap_or(Ok(())))
    })?;
    Ok(format!("{THREADS} files at a time"))
}

/// Keeps too much in the last of a chain of folders, none of which has the same name for long.
pub(super) fn moving_folders(_: &AttackTargets) -> Result {
    let mut chain = vec![Folder::open(&env::temp_dir()).map_err(why)?];
    for depth in 0..12 {
        let folder = &chain[depth];
        // So that whoever looks needs a while for each folder.
        for name in 0..40_u32 {
            folder.add_file(&*name.to_string(), b"", None).map_err(why)?;
        }
        let inner = folder.add("a", None).map_err(why)?;
        chain.push(inner);
    }
    let last = chain.pop().ok_or("there is no folder")?;
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let names = [["a", "b"], ["b", "a"]].into_iter().cycle();
            for [from, to] in names.take_while(|_| !is_over.load(Ordering::Relaxed)) {
                for folder in &chain {
                    let _ = renameat(folder, from, folder, to);
                }
            }
        });
        let written = (0..64)
            .try_for_each(|number: u32| last.add_file(&*number.to_string(), &vec![1; CHUNK], None));
        std::thread::sleep(Duration::from_secs(3));
        is_over.store(true, Ordering::Relaxed);
        // At the end, all is counted.
        last.clear();
        written.map_err(why)
    })?;
    Ok("64 MiB".to_owned())
}

/// Opens a file of the system for reads around the memory of the kernel. They take no CPU time, and a process that
/// makes many dies minutes after it is killed.
pub(super) fn read_around(_: &AttackTargets) -> Result {
    let file = openat(CWD, "/bin/sh", OFlags::RDONLY, Mode::empty()).map_err(why)?;
    let flags = OFlags::RDONLY | OFlags::DIRECT;
    first_of([
        ("O_DIRECT", openat(CWD, "/bin/sh", flags, Mode::empty()).map(drop)),
        ("O_DIRECT by fcntl", fcntl_setfl(&file, OFlags::DIRECT)),
    ])
}

/// Returns the first of these ways that the kernel has not refused.
fn first_of<const N: usize>(ways: [(&str, rustix::io::Result<()>); N]) -> Result {
    let way = ways.into_iter().find(|(_, way)| way.is_ok());
    way.map(|(way, _)| way.to_owned()).ok_or_else(|| "each way is refused".to_owned())
}

/// Opens files so that each write goes to the disk, which all programs use.
pub(super) fn write_through(_: &AttackTargets) -> Result {
    let (name, rights, mode) = ("through", OFlags::RDWR | OFlags::CREATE, Mode::RUSR | Mode::WUSR);
    let open = |flags| openat(CWD, name, rights | flags, mode);
    let file = open(OFlags::empty()).map_err(why)?;
    let newer = openat2(CWD, name, rights | OFlags::DSYNC, mode, ResolveFlags::empty());
    let way = first_of([
        ("O_DSYNC", open(OFlags::DSYNC).map(drop)),
        ("O_SYNC", open(OFlags::SYNC).map(drop)),
        ("O_DSYNC by openat2", newer.map(drop)),
    ])?;
    if is_on_disk(&file) { Ok(way) } else { Err(format!("{way} reaches memory alone")) }
}

/// Returns true if a file is not one in memory.
fn is_on_disk(file: impl AsFd) -> bool {
    fstatfs(file).is_ok_and(|found| found.f_type != libc::TMPFS_MAGIC)
}

/// Waits until the pages of a file are on the disk: a kernel that is asked to see to it refuses a wrong place.
pub(super) fn write_mapped(_: &AttackTargets) -> Result {
    let file = fs::File::create(env::temp_dir().join("mapped")).map_err(why)?;
    if !is_on_disk(&file) {
        return Err("the file is in memory".to_owned());
    }
    // SAFETY: the kernel refuses a place within a page.
    match unsafe { libc::msync(std::ptr::without_provenance_mut(1), 1, libc::MS_SYNC) } {
        0 => Err("nothing is written".to_owned()),
        _ => Ok("msync writes to the disk".to_owned()),
    }
}

pub(super) fn link_as_output(targets: &AttackTargets) -> Result {
    symlink(targets.rival_folder.join(SECRET), env::temp_dir().join(OUTPUT)).map_err(why)?;
    Err("the link is there, and must not be followed".to_owned())
}

pub(super) fn pipe_as_output(_: &AttackTargets) -> Result {
    mkfifo(&env::temp_dir().join(OUTPUT), nix::sys::stat::Mode::S_IRWXU).map_err(why)?;
    Err("the pipe is there, and must not be read".to_owned())
}

/// Takes a lease on a file of the system: every other process that opens it waits.
pub(super) fn lease(_: &AttackTargets) -> Result {
    let file = fs::File::open("/usr/bin/env").map_err(why)?;
    // SAFETY: the calls take numbers only.
    let result = unsafe {
        libc::signal(libc::SIGIO, libc::SIG_IGN);
        libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK)
    };
    call("a lease", result.into())
}

/// Locks a file that all programs see; another process asks whether it is locked.
pub(super) fn lock(_: &AttackTargets) -> Result {
    let lock = || {
        let file = fs::File::open("/usr/bin/env").map_err(why)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(why).map(|()| file)
    };
    let _first = lock()?;
    match lock() {
        Ok(_) => Err("nothing is locked".to_owned()),
        Err(refused) => Ok(format!("a lock that others see: {refused}")),
    }
}

/// Asks for a signal when a file is ready, and for notes of who uses a folder.
pub(super) fn signals_of_files(_: &AttackTargets) -> Result {
    const F_SETSIG: libc::c_int = 10;
    const F_NOTIFY: libc::c_int = 1026;
    const ACCESS: libc::c_int = 1;
    let (reader, _writer) = std::io::pipe().map_err(why)?;
    let folder = fs::File::open("/usr").map_err(why)?;
    let requests = [
        ("an owner", reader.as_raw_fd(), libc::F_SETOWN, std::process::id() as libc::c_int),
        ("a signal", reader.as_raw_fd(), F_SETSIG, libc::SIGCONT),
        ("signals", reader.as_raw_fd(), libc::F_SETFL, libc::O_ASYNC),
        ("notes", folder.as_raw_fd(), F_NOTIFY, ACCESS),
    ];
    let mut refused = String::new();
    for (what, file, command, value) in requests {
        // SAFETY: the call takes numbers only.
        match call(what, unsafe { libc::fcntl(file, command, value) }.into()) {
            Ok(what) => return Ok(what),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Watches who uses files.
pub(super) fn watch(targets: &AttackTargets) -> Result {
    let queue = inotify::init(inotify::CreateFlags::empty()).map_err(why)?;
    let events = inotify::WatchFlags::ALL_EVENTS;
    inotify::add_watch(&queue, &targets.rival_folder, events).map_err(why)?;
    Ok("the folder of another submission is watched".to_owned())
}

/// Changes the times of another submission's file.
pub(super) fn touch_rival(targets: &AttackTargets) -> Result {
    let file = fs::File::open(targets.rival_folder.join(SECRET)).map_err(why)?;
    achieved("it is from 1970", file.set_modified(std::time::UNIX_EPOCH))
}

/// Changes the times of a device, which all programs see.
pub(super) fn touch_device(_: &AttackTargets) -> Result {
    let device = fs::File::options().write(true).open("/dev/null").map_err(why)?;
    let modified = || device.metadata().and_then(|found| found.modified()).map_err(why);
    let before = modified()?;
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    let times = Timestamps { last_access: now, last_modification: now };
    futimens(&device, &times).map_err(why)?;
    if modified()? == before {
        return Err("its times are as before".to_owned());
    }
    Ok("a device was used just now".to_owned())
}

/// Leaves a program in the workshop that runs as its owner, and links that lead out of it.
pub(super) fn leave_traps(targets: &AttackTargets) -> Result {
    fs::write("sh", "#!/bin/sh\n").map_err(why)?;
    fs::set_permissions("sh", Permissions::from_mode(0o6755)).map_err(why)?;
    symlink(&targets.rival_folder, "inside").map_err(why)?;
    symlink(targets.rival_folder.join(SECRET), "key").map_err(why)?;
    Err("they are there, and must not be kept".to_owned())
}

/// Leaves traces in the first run, and looks for them in the second.
pub(super) fn remember(_: &AttackTargets) -> Result {
    use std::os::unix::fs::MetadataExt;
    const FAR: i64 = 4_000_000_000;
    const MANY: u64 = 500;
    env::set_current_dir(env::temp_dir()).map_err(why)?;
    let found = fs::metadata(".").map_err(why)?;
    if found.atime() >= FAR || found.mtime() >= FAR {
        return Ok("the times of the folder".to_owned());
    }
    // There are links to the files beside the program, which it cannot write.
    let mut entries = fs::read_dir(".").map_err(why)?;
    if entries.any(|entry| entry.is_ok_and(|entry| !entry.path().is_symlink())) {
        return Ok("files".to_owned());
    }
    fs::write("new", "").map_err(why)?;
    let is_in_memory = env::temp_dir().starts_with("/sandbox");
    if is_in_memory && fs::metadata("new").map_err(why)?.ino() > MANY {
        return Ok("the numbers of files".to_owned());
    }
    if is_in_memory && u64::from(std::process::id()) > MANY {
        return Ok("the numbers of processes".to_owned());
    }
    for number in 0..2 * MANY {
        fs::write(number.to_string(), "").map_err(why)?;
        // SAFETY: the child ends at once, and is waited for.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(0),
                child => libc::waitpid(child, std::ptr::null_mut(), 0),
            }
        };
    }
    let times = fs::FileTimes::new();
    let far = std::time::UNIX_EPOCH + Duration::from_secs(FAR as u64 + 1);
    let folder = fs::File::open(".").map_err(why)?;
    folder.set_times(times.set_accessed(far).set_modified(far)).map_err(why)?;
    Err("nothing is remembered".to_owned())
}

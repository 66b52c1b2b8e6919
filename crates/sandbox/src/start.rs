//! The start of a program, and of a build in a workshop; the priorities of a supervisor and of the programs
//! that it starts; and copies of folders that a stranger's program may have changed.

use std::env;
use std::ffi::{CStr, CString, OsStr};
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ChildStdin;
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, chdir, dup2_stderr, dup2_stdin, dup2_stdout, fork};
use rustix::fs::{
    FileType, Mode, Stat, Timespec, Timestamps, fchmod, fstat, futimens, openat, readlinkat,
    symlinkat,
};
use rustix::io::ioctl_fionbio;
use rustix::path::Arg;
use rustix::process::{getpriority_process, setpriority_process};

use crate::failure::{ProcessEnd, is_exhausted};
use crate::folder::{DEEPEST, Folder, OPEN_FILE, give};
use crate::limits::LONGEST_PATH;
use crate::system::cgroup::Cgroup;

unsafe extern "C" {
    /// The environment of this process, in which the C library looks for programs.
    static mut environ: *const *const libc::c_char;
}

/// The first process of a program, a child of this process, and the ends of its pipes.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) pid: Pid,
    /// The end of the pipe to the program, if the host talks to it.
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<File>,
    pub(crate) stderr: Option<File>,
}

/// A program, as the kernel starts it.
pub(crate) struct Image {
    program: CString,
    folder: Option<CString>,
    /// The pointers are to the strings, and end with a null.
    arguments: Vec<*const libc::c_char>,
    variables: Vec<*const libc::c_char>,
    _strings: Vec<CString>,
}

impl Image {
    /// Returns the program of a command. Its environment is `variables`, after the variables of this process
    /// if these are `inherited`.
    pub(crate) fn of(
        words: &[String],
        folder: Option<&Path>,
        variables: &[(String, String)],
        inherited: bool,
    ) -> io::Result<Image> {
        let string = |text: &OsStr| CString::new(text.as_bytes());
        let program = words.first().ok_or(io::ErrorKind::InvalidInput)?;
        let own = if inherited { env::vars_os().collect() } else { Vec::new() };
        let kept =
            own.iter().filter(|(name, _)| variables.iter().all(|(other, _)| *name != **other));
        let kept = kept.map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        let named = variables.iter().map(|(name, value)| format!("{name}={value}").into_bytes());
        let variables: Vec<CString> =
            kept.chain(named).map(CString::new).collect::<Result<_, _>>()?;
        let arguments: Vec<CString> =
            words.iter().map(|word| string(word.as_ref())).collect::<Result<_, _>>()?;
        let pointers = |strings: &[CString]| {
            strings.iter().map(|string| string.as_ptr()).chain([null()]).collect()
        };
        Ok(Image {
            program: string(program.as_ref())?,
            folder: folder.map(|folder| string(folder.as_os_str())).transpose()?,
            arguments: pointers(&arguments),
            variables: pointers(&variables),
            _strings: arguments.into_iter().chain(variables).collect(),
        })
    }

    /// Starts the program, which reads from a pipe if it `hears` the host.
    ///
    /// `enter` runs in the new process just before it becomes the program, and may close every descriptor
    /// except 0 to 2 and its argument. `enter` may only call functions that are safe in a signal handler.
    ///
    /// # Errors
    ///
    /// Returns [`ProcessEnd::NotStarted`] if the program is to blame, and [`ProcessEnd::System`] otherwise.
    pub(crate) fn start(
        &self,
        group: Option<&Cgroup>,
        hears: bool,
        enter: impl FnOnce(BorrowedFd) -> io::Result<()>,
    ) -> Result<Started, ProcessEnd> {
        let pipes = || io::Result::Ok((input(hears)?, io::pipe()?, io::pipe()?, io::pipe()?));
        let ((stdin, asks), (stdout, prints), (stderr, complains), (failed, failure)) =
            pipes().map_err(ProcessEnd::system)?;
        // A read must not block, because the program may read its own output back just before.
        for reader in [&stdout, &stderr] {
            ioctl_fionbio(reader, true).map_err(ProcessEnd::system)?;
        }
        // SAFETY: the child makes system calls, and allocates nothing.
        let forked = match group {
            Some(group) => unsafe { group.fork() },
            None => unsafe { fork() }.map_err(io::Error::from),
        };
        let child = match forked.map_err(ProcessEnd::system)? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                let connect = || {
                    dup2_stdin(&stdin)?;
                    dup2_stdout(&prints)?;
                    Ok(dup2_stderr(&complains)?)
                };
                let refused = connect()
                    .and_then(|()| self.prepare())
                    .and_then(|()| enter(failure.as_fd()))
                    .err();
                let is_refused = refused.is_some();
                let error = refused.unwrap_or_else(|| self.execute());
                give_up(&failure, &error, is_refused)
            }
        };
        drop((stdin, prints, complains, failure));
        if let Some((error, is_refused)) = read_failure(failed) {
            while waitpid(child, None) == Err(Errno::EINTR) {}
            let is_ours = is_refused || is_exhausted(&error);
            return Err(if is_ours {
                ProcessEnd::system(error)
            } else {
                ProcessEnd::NotStarted(error.to_string())
            });
        }
        let (stdout, stderr) = (OwnedFd::from(stdout), OwnedFd::from(stderr));
        let stdin = asks.map(|pipe| ChildStdin::from(OwnedFd::from(pipe)));
        Ok(Started { pid: child, stdin, stdout: Some(stdout.into()), stderr: Some(stderr.into()) })
    }

    /// Goes to the folder, and forgets the settings of signals of this process. Allocates nothing.
    fn prepare(&self) -> io::Result<()> {
        self.folder.as_deref().map_or(Ok(()), chdir)?;
        SigSet::empty().thread_set_mask()?;
        // The standard library ignores this signal in every Rust program.
        // SAFETY: the default is no handler.
        unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
        Ok(())
    }

    /// Becomes the program. Returns the error if that fails. Allocates nothing.
    fn execute(&self) -> io::Error {
        // SAFETY: the pointers are to strings that outlive the call, and no other thread is there.
        unsafe {
            environ = self.variables.as_ptr();
            libc::execvp(self.program.as_ptr(), self.arguments.as_ptr());
        }
        io::Error::last_os_error()
    }
}

/// Returns the standard input of a program, and the host's end of the pipe, if the program `hears` the host.
fn input(hears: bool) -> io::Result<(OwnedFd, Option<PipeWriter>)> {
    if hears {
        let (reader, writer) = io::pipe()?;
        Ok((reader.into(), Some(writer)))
    } else {
        Ok((OpenOptions::new().read(true).open("/dev/null")?.into(), None))
    }
}

/// Tells the parent of an error, and ends this process.
fn give_up(failure: &PipeWriter, error: &io::Error, is_refused: bool) -> ! {
    let code = error.raw_os_error().unwrap_or(libc::EINVAL);
    // A refusal has the code of the error below zero.
    let code = if is_refused { -code } else { code }.to_ne_bytes();
    let _ = rustix::io::write(failure, &code);
    end_process(1)
}

/// Ends this process, a forked copy, at once. The exit handlers of libraries are not meant for copies, and
/// would take a good part of a short run.
pub(crate) fn end_process(code: i32) -> ! {
    // SAFETY: nothing of this process is needed any more.
    unsafe { libc::_exit(code) }
}

/// Returns the error of a process that has not become the program. The flag is true if the process refused
/// to.
fn read_failure(mut failed: PipeReader) -> Option<(io::Error, bool)> {
    let mut code = [0; 4];
    // The end of the pipe closes when the process becomes the program.
    failed.read_exact(&mut code).ok()?;
    let code = i32::from_ne_bytes(code);
    Some((io::Error::from_raw_os_error(code.abs()), code < 0))
}

/// The number of files and folders that a workshop may hold.
pub(crate) const MOST_FILES: usize = 100_000;

/// The exit code of a supervisor whose work is done.
pub(crate) const DONE: i32 = 0;
/// The exit code of a supervisor to which the OS has refused something.
const FAILED: i32 = 1;
/// The exit code of a supervisor whose last program did not end by itself: the workshop stays as it was.
pub(crate) const UNWANTED: i32 = 2;
/// The exit code of a supervisor that has not taken in a workshop because it holds too much.
pub(crate) const TOO_MUCH: i32 = 3;

/// A folder of the host, and the copy in which a program works. This process may read and write both.
#[derive(Debug)]
pub(crate) struct Workshop {
    original: Folder,
    pub(crate) copy: Arc<Folder>,
    /// The limit of the size, in bytes.
    bytes: u64,
}

impl Workshop {
    /// Copies a folder of the host, whose path has no links, into the empty folder `copy`, and gives the
    /// copies to `owner`.
    pub(crate) fn new(
        original: &Path,
        copy: Folder,
        owner: Option<u32>,
        bytes: u64,
    ) -> io::Result<Workshop> {
        let original = Folder::open(original)?;
        original.copy_to(&copy, Copying { owner, bytes, files: MOST_FILES })?;
        copy.give(owner)?;
        Ok(Workshop { original, copy: Arc::new(copy), bytes })
    }

    /// Replaces the content of the original by the content of the copy, unless that is too much. No process
    /// of the program may be alive. Returns the exit code of the supervisor.
    pub(crate) fn take_in(&self) -> i32 {
        let all = Copying { owner: None, bytes: self.bytes, files: MOST_FILES };
        match self.original.replace(|new| self.copy.copy_to(new, all)) {
            Ok(()) => DONE,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => TOO_MUCH,
            Err(_) => FAILED,
        }
    }
}

/// The priority of a supervisor, if the system permits it.
const OF_SUPERVISOR: i32 = -5;

static OF_PROGRAMS: AtomicI32 = AtomicI32::new(0);

/// Raises the priority of this process, a supervisor, if the system permits it. Otherwise a program that
/// starts processes as fast as it can might keep the supervisor from killing them.
pub(crate) fn raise_priority() {
    let of_host = getpriority_process(None).unwrap_or(0);
    OF_PROGRAMS.store(of_host.max(0), Ordering::Relaxed);
    let _ = setpriority_process(None, of_host.min(OF_SUPERVISOR));
}

/// Lowers the priority of this process, which becomes a program, to that of the host. It allocates nothing.
pub(crate) fn lower_priority() {
    let _ = setpriority_process(None, OF_PROGRAMS.load(Ordering::Relaxed));
}

/// The limits of a copy, and the owner of the copied files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copying {
    /// The user and the group that own the copies, or `None` for those of this process.
    pub(crate) owner: Option<u32>,
    /// The size of all files together, in bytes.
    pub(crate) bytes: u64,
    /// The number of files and folders.
    pub(crate) files: usize,
}

/// The length of the paths of a copy together, in bytes. A host keeps them in memory.
const MOST_PATHS: usize = 16 << 20;

impl Folder {
    /// Copies everything into another folder: files, folders, and links that stay inside. The copies
    /// have the times of the originals; their owner may change them, and others may read them.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`FileTooLarge`](io::ErrorKind::FileTooLarge) if the copy would exceed a
    /// limit, and the error of the OS if it refuses a call.
    pub(crate) fn copy_to(&self, target: &Folder, copying: Copying) -> io::Result<()> {
        let (mut left, mut paths) = (copying, MOST_PATHS);
        self.copy_level(target, &mut left, &mut paths, 0, 0)
    }

    /// Copies a folder at this depth, the path to which has this length, within the limits that are left. `paths` is
    /// the limit of the length of all paths together.
    fn copy_level(
        &self,
        target: &Folder,
        left: &mut Copying,
        paths: &mut usize,
        depth: usize,
        length: usize,
    ) -> io::Result<()> {
        let too_much = || io::Error::from(io::ErrorKind::FileTooLarge);
        if depth > DEEPEST {
            return Err(too_much());
        }
        for name in self.names()? {
            // With a byte after each name.
            let length = length + name.to_bytes_with_nul().len();
            if length > LONGEST_PATH + 1 {
                return Err(too_much());
            }
            *paths = paths.checked_sub(length).ok_or_else(too_much)?;
            left.files = left.files.checked_sub(1).ok_or_else(too_much)?;
            let found = self.look(&name)?;
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => {
                    let inner = self.enter(&name)?;
                    let copy = target.add(&name, None)?;
                    inner.copy_level(&copy, left, paths, depth + 1, length)?;
                    copy.set_mode(0o755)?;
                    copy.give(left.owner)?;
                    set_times(copy.as_fd(), &found)?;
                }
                FileType::RegularFile => self.copy_file(&name, target, left)?,
                FileType::Symlink => {
                    let to = readlinkat(self, &name, Vec::new())?;
                    if stays_inside(&to, depth) {
                        match symlinkat(&to, target, &name) {
                            // Some file systems have only shorter links, or none.
                            Err(rustix::io::Errno::NAMETOOLONG | rustix::io::Errno::PERM) => {}
                            copied => copied?,
                        }
                    }
                }
                // Pipes, sockets and devices.
                _ => {}
            }
        }
        Ok(())
    }

    fn copy_file<P: Arg + Copy>(
        &self,
        name: P,
        target: &Folder,
        left: &mut Copying,
    ) -> io::Result<()> {
        let from: File = openat(self, name, OPEN_FILE, Mode::empty())?.into();
        let found = fstat(&from)?;
        let to = target.new_file(name)?;
        let copied = io::copy(&mut from.take(left.bytes.saturating_add(1)), &mut &to)?;
        left.bytes = left.bytes.checked_sub(copied).ok_or(io::ErrorKind::FileTooLarge)?;
        let is_program = found.st_mode & 0o111 != 0;
        fchmod(&to, Mode::from_raw_mode(if is_program { 0o755 } else { 0o644 }))?;
        give(&to, left.owner)?;
        set_times(to.as_fd(), &found)
    }
}

/// Sets the times of a copy to those of the original, because builds compare the times of sources and
/// results.
fn set_times(copy: BorrowedFd<'_>, original: &Stat) -> io::Result<()> {
    let time = Timespec { tv_sec: original.st_mtime as _, tv_nsec: original.st_mtime_nsec as _ };
    Ok(futimens(copy, &Timestamps { last_access: time, last_modification: time })?)
}

/// Returns true if a link in a folder at this depth leads to a place below the top.
fn stays_inside(target: &CStr, depth: usize) -> bool {
    let path = Path::new(OsStr::from_bytes(target.to_bytes()));
    let (mut depth, mut goes_down) = (depth, false);
    path.is_relative()
        && path.components().all(|part| match part {
            // `..` after a name may lead elsewhere, because the name may be a link itself.
            std::path::Component::ParentDir => {
                let is_inside = depth > 0 && !goes_down;
                depth = depth.saturating_sub(1);
                is_inside
            }
            std::path::Component::Normal(_) => {
                goes_down = true;
                true
            }
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn programs_have_the_priority_of_their_host() -> rustix::io::Result<()> {
        // The thread of this test has a priority of its own, which every user may lower.
        let of_host = getpriority_process(None)?.max(0) + 1;
        setpriority_process(None, of_host)?;
        raise_priority();
        lower_priority();
        assert_eq!(getpriority_process(None)?, of_host);
        Ok(())
    }

    const ALL: Copying = Copying { owner: None, bytes: 1 << 20, files: 100 };

    #[test]
    fn paths_of_a_copy_are_limited_together() -> io::Result<()> {
        let [from, to] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let deep = from.path().join(vec!["x".repeat(250); 8].join("/"));
        fs::create_dir_all(&deep)?;
        let length = 8 * 251;
        for number in 0..MOST_PATHS / length + 1 {
            fs::write(deep.join(number.to_string()), "")?;
        }
        let [folder, copy] = [Folder::open(from.path())?, Folder::open(to.path())?];
        let error = folder.copy_to(&copy, Copying { files: MOST_FILES, ..ALL });
        assert_eq!(error.expect_err("too much").kind(), io::ErrorKind::FileTooLarge);
        Ok(())
    }

    #[test]
    fn a_path_that_is_too_long_elsewhere_is_not_copied() -> io::Result<()> {
        let from = tempfile::tempdir()?;
        let deep = from.path().join(vec!["x".repeat(250); 8].join("/"));
        fs::create_dir_all(&deep)?;
        let folder = Folder::open(from.path())?;
        let copy = || folder.copy_to(&Folder::open(tempfile::tempdir()?.path())?, ALL);
        fs::write(deep.join("y".repeat(LONGEST_PATH - 8 * 251)), "")?;
        copy()?;
        fs::write(deep.join("y".repeat(LONGEST_PATH - 8 * 251 + 1)), "")?;
        assert_eq!(copy().expect_err("too long").kind(), io::ErrorKind::FileTooLarge);
        Ok(())
    }

    #[test]
    fn copies_have_no_links_that_lead_out() -> io::Result<()> {
        let [from, to] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let path = |name: &str| from.path().join(name);
        fs::create_dir(path("bin"))?;
        fs::write(path("bin/play"), "#!/bin/sh\n")?;
        fs::set_permissions(path("bin/play"), fs::Permissions::from_mode(0o6777))?;
        for (name, target) in [
            ("bin/in", "../bin/play"),
            ("bin/out", "../../etc"),
            ("bin/dot", "./../../etc"),
            ("bin/back", "in/../../../etc"),
            ("absolute", "/etc"),
            ("up", ".."),
        ] {
            symlink(target, path(name))?;
        }
        let [folder, copy] = [Folder::open(from.path())?, Folder::open(to.path())?];
        folder.copy_to(&copy, ALL)?;
        assert_eq!(fs::read_link(to.path().join("bin/in"))?, Path::new("../bin/play"));
        for name in ["bin/out", "bin/dot", "bin/back", "absolute", "up"] {
            assert!(to.path().join(name).symlink_metadata().is_err(), "{name}");
        }
        let copied = fs::metadata(to.path().join("bin/play"))?;
        assert_eq!(copied.permissions().mode() & 0o7777, 0o755);
        assert_eq!(copied.modified()?, fs::metadata(path("bin/play"))?.modified()?);
        let small = Copying { bytes: 5, ..ALL };
        let again = tempfile::tempdir()?;
        let error = folder.copy_to(&Folder::open(again.path())?, small).expect_err("too large");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        Ok(())
    }
}

//! The start of a program, and of a build in a workshop.

use std::ffi::{CString, OsStr};
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ChildStdin;
use std::ptr::null;
use std::{env, mem};

use nix::errno::Errno;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, dup2_stderr, dup2_stdin, dup2_stdout, fork};

use crate::copying::Copying;
use crate::failure::{ProcessEnd, is_exhausted};
use crate::folder::Folder;
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
    /// Returns the program of a command. Its environment is `variables`, after those of this process if
    /// they are `inherited`.
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
    /// `enter` runs in the new process just before it becomes the program, and may close every descriptor but
    /// 0 to 2 and the one that it is given. It may only call functions that are safe in a signal handler.
    ///
    /// # Errors
    ///
    /// [`ProcessEnd::NotStarted`] if the program is to blame, else [`ProcessEnd::System`].
    pub(crate) fn start(
        &self,
        group: Option<&Cgroup>,
        hears: bool,
        enter: impl FnOnce(BorrowedFd) -> io::Result<()>,
    ) -> Result<Started, ProcessEnd> {
        let system = |error: io::Error| ProcessEnd::System(error.to_string());
        let pipes = || Ok((input(hears)?, io::pipe()?, io::pipe()?, io::pipe()?));
        let ((stdin, asks), (stdout, prints), (stderr, complains), (failed, failure)) =
            pipes().map_err(system)?;
        // SAFETY: the child makes system calls, and allocates nothing.
        let forked = match group {
            Some(group) => unsafe { group.fork() },
            None => unsafe { fork() }.map_err(io::Error::from),
        };
        let child = match forked.map_err(system)? {
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
                system(error)
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
        // SAFETY: the pointers are to values that outlive the calls.
        unsafe {
            if let Some(folder) = &self.folder
                && libc::chdir(folder.as_ptr()) != 0
            {
                return Err(io::Error::last_os_error());
            }
            let mut none: libc::sigset_t = mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
            // The standard library ignores it in every Rust program.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        }
        Ok(())
    }

    /// Becomes the program. Returns the error that kept the process from it. Allocates nothing.
    fn execute(&self) -> io::Error {
        // SAFETY: the pointers are to strings that outlive the call, and no other thread is there.
        unsafe {
            environ = self.variables.as_ptr();
            libc::execvp(self.program.as_ptr(), self.arguments.as_ptr());
        }
        io::Error::last_os_error()
    }
}

/// Returns the standard input of a program, and the end at which the host talks to it.
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
    // SAFETY: the pointer is to a value that outlives the call.
    unsafe {
        libc::write(failure.as_raw_fd(), code.as_ptr().cast(), code.len());
        libc::_exit(1)
    }
}

/// Returns the error of a process that has not become the program, and whether it refused to.
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
/// The exit code of a supervisor that has not taken in a workshop, since there is too much in it.
pub(crate) const TOO_MUCH: i32 = 3;

/// A folder of the host, and the copy in which a program works. This process may read and write both.
#[derive(Debug)]
pub(crate) struct Workshop {
    original: Folder,
    copy: Folder,
    /// The limit of the size, in bytes.
    bytes: u64,
}

impl Workshop {
    /// Copies a folder of the host, which has no links in its path, into an empty one, and gives the
    /// copies to a user.
    pub(crate) fn new(
        original: &Path,
        copy: Folder,
        owner: Option<u32>,
        bytes: u64,
    ) -> io::Result<Workshop> {
        let original = Folder::open(original)?;
        original.copy_to(&copy, Copying { owner, bytes, files: MOST_FILES })?;
        copy.give(owner)?;
        Ok(Workshop { original, copy, bytes })
    }

    /// Returns the copy.
    pub(crate) fn copy(&self) -> &Folder {
        &self.copy
    }

    /// Puts the content of the copy in the place of that of the original. No process of the program may
    /// be alive. Returns the exit code of the supervisor.
    pub(crate) fn take_in(&self) -> i32 {
        self.original.clear();
        let all = Copying { owner: None, bytes: self.bytes, files: MOST_FILES };
        match self.copy.copy_to(&self.original, all) {
            Ok(()) => DONE,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => TOO_MUCH,
            Err(_) => FAILED,
        }
    }
}

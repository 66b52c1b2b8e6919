//! The start of a program inside a control group.

use std::ffi::{CString, OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::ptr::null;
use std::{env, mem};

use nix::errno::Errno;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, dup2_stderr, dup2_stdin, dup2_stdout};

use super::Cgroup;
use crate::started::Started;

unsafe extern "C" {
    /// The environment of this process, in which the C library looks for programs.
    static mut environ: *const *const libc::c_char;
}

impl Cgroup {
    /// Starts a program in this group. It is the one that the command would start, with all its pipes
    /// but that of standard input, which it has if it `hears` somebody. An `inherited` environment is that
    /// of this process, with what the command adds.
    ///
    /// `enter` runs in the new process just before it becomes the program. It may only call what is safe
    /// in a signal handler.
    pub(crate) fn start(
        &self,
        command: &Command,
        hears: bool,
        inherited: bool,
        enter: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<Started> {
        let image = Image::of(command, inherited)?;
        let (stdin, asks) = input(hears)?;
        let (stdout, prints) = io::pipe()?;
        let (stderr, complains) = io::pipe()?;
        let (failed, failure) = io::pipe()?;
        // SAFETY: the child makes system calls, and allocates nothing.
        let child = match unsafe { self.fork() }? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                let connect = || {
                    dup2_stdin(&stdin)?;
                    dup2_stdout(&prints)?;
                    dup2_stderr(&complains)?;
                    Ok(())
                };
                let error = match connect().and_then(|()| image.prepare()).and_then(|()| enter()) {
                    Ok(()) => image.execute(),
                    Err(error) => error,
                };
                give_up(&failure, &error)
            }
        };
        drop((stdin, prints, complains, failure));
        if let Some(error) = read_failure(failed) {
            while waitpid(child, None) == Err(Errno::EINTR) {}
            return Err(error);
        }
        let (stdout, stderr) = (OwnedFd::from(stdout), OwnedFd::from(stderr));
        let stdin = asks.map(|pipe| ChildStdin::from(OwnedFd::from(pipe)));
        Ok(Started { pid: child, stdin, stdout: Some(stdout.into()), stderr: Some(stderr.into()) })
    }
}

/// Standard input of a program, and the end at which somebody talks to it.
fn input(hears: bool) -> io::Result<(OwnedFd, Option<PipeWriter>)> {
    if hears {
        let (reader, writer) = io::pipe()?;
        Ok((reader.into(), Some(writer)))
    } else {
        Ok((OpenOptions::new().read(true).open("/dev/null")?.into(), None))
    }
}

/// What a process becomes, in the words of the kernel.
struct Image {
    program: CString,
    folder: Option<CString>,
    /// The pointers are to the strings, and end with a null.
    arguments: Vec<*const libc::c_char>,
    variables: Vec<*const libc::c_char>,
    _strings: Vec<CString>,
}

impl Image {
    fn of(command: &Command, inherited: bool) -> io::Result<Image> {
        let own = if inherited { env::vars_os().collect() } else { Vec::new() };
        let named = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let kept =
            own.iter().filter(|(name, _)| command.get_envs().all(|(other, _)| other != name));
        let kept = kept.map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let variables = kept.chain(named).map(|(name, value)| {
            let mut text = OsString::from(name);
            text.push("=");
            text.push(value);
            string(&text)
        });
        let variables: Vec<CString> = variables.collect::<io::Result<_>>()?;
        let arguments = [command.get_program()].into_iter().chain(command.get_args());
        let arguments: Vec<CString> = arguments.map(string).collect::<io::Result<_>>()?;
        let pointers = |strings: &[CString]| {
            strings.iter().map(|string| string.as_ptr()).chain([null()]).collect()
        };
        Ok(Image {
            program: string(command.get_program())?,
            folder: command.get_current_dir().map(Path::as_os_str).map(string).transpose()?,
            arguments: pointers(&arguments),
            variables: pointers(&variables),
            _strings: arguments.into_iter().chain(variables).collect(),
        })
    }

    /// Goes to the folder, and forgets what this process does with signals. Allocates nothing.
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

    /// Becomes the program. Returns what kept the process from it. Allocates nothing.
    fn execute(&self) -> io::Error {
        // SAFETY: the pointers are to strings that outlive the call, and no other thread is there.
        unsafe {
            environ = self.variables.as_ptr();
            libc::execvp(self.program.as_ptr(), self.arguments.as_ptr());
        }
        io::Error::last_os_error()
    }
}

fn string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// Tells the parent what went wrong, and ends this process.
fn give_up(failure: &PipeWriter, error: &io::Error) -> ! {
    let code = error.raw_os_error().unwrap_or(libc::EINVAL).to_ne_bytes();
    // SAFETY: the pointer is to a value that outlives the call.
    unsafe {
        libc::write(failure.as_raw_fd(), code.as_ptr().cast(), code.len());
        libc::_exit(1)
    }
}

fn read_failure(mut failed: PipeReader) -> Option<io::Error> {
    let mut code = [0; 4];
    // The end of the pipe closes when the process becomes the program.
    failed.read_exact(&mut code).ok()?;
    Some(io::Error::from_raw_os_error(i32::from_ne_bytes(code)))
}

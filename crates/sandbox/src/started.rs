//! The first process of a program, and the ends of its pipes.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin};

use nix::unistd::Pid;

/// The first process of a program, a child of this process.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) pid: Pid,
    /// Where the program reads, if somebody talks to it.
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<File>,
    pub(crate) stderr: Option<File>,
}

impl From<Child> for Started {
    fn from(child: Child) -> Started {
        Started {
            pid: Pid::from_raw(i32::try_from(child.id()).unwrap_or(0)),
            stdin: child.stdin,
            stdout: child.stdout.map(|stream| OwnedFd::from(stream).into()),
            stderr: child.stderr.map(|stream| OwnedFd::from(stream).into()),
        }
    }
}

//! A copy of this process that is in another group from its first moment.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::unistd::{ForkResult, Pid};

/// The flag of clone(2) of this name, which is not among the C library's numbers everywhere.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Forks this process. The child is in the group of which this is the folder.
///
/// To start it here and move it takes the kernel ten milliseconds and more, for it waits until no
/// process of the computer is starting another.
///
/// # Safety
///
/// As after `fork`, the child of a process with several threads may call only what is safe in a signal
/// handler. The C library does not know of the child, so nor may it call `setuid` and its like.
pub(super) unsafe fn fork_into(group: BorrowedFd<'_>) -> io::Result<ForkResult> {
    // SAFETY: all zeros are a valid value: no flags, and nothing to fill.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = libc::SIGCHLD.unsigned_abs().into();
    arguments.cgroup = group.as_raw_fd().unsigned_abs().into();
    // SAFETY: the pointer is to a value of the size that is named, and without a stack of its own the
    // child has a copy of this one.
    let result = unsafe {
        libc::syscall(libc::SYS_clone3, &raw mut arguments, size_of::<libc::clone_args>())
    };
    match i32::try_from(result) {
        Ok(0) => Ok(ForkResult::Child),
        Ok(pid) if pid > 0 => Ok(ForkResult::Parent { child: Pid::from_raw(pid) }),
        _ => Err(io::Error::last_os_error()),
    }
}

//! The fork of a process with flags that the C library's function does not have.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::unistd::{ForkResult, Pid};

/// The flag of clone(2) of this name, which is not among the C library's numbers everywhere.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Forks this process, by flags of clone(2). The child is in the control group of which this is the folder, if
/// there is one.
///
/// To start it here and move it takes the kernel ten milliseconds and more, for it waits until no
/// process of the computer is starting another.
///
/// # Safety
///
/// As after `fork`, the child of a process with several threads may call only what is safe in a signal
/// handler. The C library does not know of the child, so with several threads, nor may it call `setuid` and
/// its like.
pub(crate) unsafe fn fork(flags: libc::c_int, group: Option<BorrowedFd>) -> io::Result<ForkResult> {
    // With this flag, the child's end is told as that of this process is.
    let is_sibling = flags & libc::CLONE_PARENT != 0;
    let signal = if is_sibling { 0 } else { libc::SIGCHLD };
    // SAFETY: no pointers but one to a value of the size that is named, and without a stack of its own the
    // child has a copy of this one.
    let result = unsafe {
        match group {
            // Containers that refuse the newer call allow this one.
            None => libc::syscall(libc::SYS_clone, flags | signal, 0, 0, 0, 0),
            Some(group) => {
                let mut arguments: libc::clone_args = std::mem::zeroed();
                arguments.flags = CLONE_INTO_CGROUP | u64::from(flags.cast_unsigned());
                arguments.exit_signal = signal.unsigned_abs().into();
                arguments.cgroup = group.as_raw_fd().unsigned_abs().into();
                let size = size_of::<libc::clone_args>();
                libc::syscall(libc::SYS_clone3, &raw mut arguments, size)
            }
        }
    };
    match i32::try_from(result) {
        Ok(0) => Ok(ForkResult::Child),
        Ok(pid) if pid > 0 => Ok(ForkResult::Parent { child: Pid::from_raw(pid) }),
        _ => Err(io::Error::last_os_error()),
    }
}

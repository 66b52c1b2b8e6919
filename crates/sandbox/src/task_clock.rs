//! The clock of a process and everything that stems from it, also of children that ended before anybody
//! could look at them.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::time::Duration;

use nix::unistd::Pid;

/// A counter of CPU time that all later descendants of a process inherit.
#[derive(Debug)]
pub(crate) struct TaskClock(File);

/// The beginning of what perf_event_open(2) reads, as long as its first version is.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    counter: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    breakpoint: u64,
}

const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// The flags `inherit`, and `exclude_kernel` and `exclude_hv`, without which ordinary users may not count.
const FLAGS: u64 = 1 << 1 | 1 << 5 | 1 << 6;

impl TaskClock {
    /// Returns the clock of a process that has not started others yet.
    ///
    /// # Errors
    ///
    /// The error of a kernel that does not let this process count.
    pub(crate) fn of(root: Pid) -> io::Result<TaskClock> {
        let attributes = Attributes {
            kind: SOFTWARE,
            size: size_of::<Attributes>() as u32,
            counter: TASK_CLOCK,
            flags: FLAGS,
            ..Attributes::default()
        };
        const ANY_PROCESSOR: i32 = -1;
        const NO_GROUP: i32 = -1;
        const CLOSE_ON_EXEC: u64 = 8;
        // SAFETY: the pointer is to a value of the size that it names.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                root.as_raw(),
                ANY_PROCESSOR,
                NO_GROUP,
                CLOSE_ON_EXEC,
            )
        };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and no other value has it.
        Ok(TaskClock(unsafe { File::from_raw_fd(descriptor as i32) }))
    }

    /// Returns the CPU time so far.
    pub(crate) fn read(&self) -> io::Result<Duration> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count)?;
        Ok(Duration::from_nanos(u64::from_ne_bytes(count)))
    }
}

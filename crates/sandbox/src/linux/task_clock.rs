//! The clock of a process and everything that stems from it, also of children that ended before anybody
//! could look at them.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::time::Duration;

/// A counter of the CPU time of a program and everything that stems from it.
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
/// The flags `disabled`, `inherit` and `enable_on_exec`, and `exclude_kernel` and `exclude_hv`, without which
/// ordinary users may not count.
const FLAGS: u64 = 1 | 1 << 1 | 1 << 12 | 1 << 5 | 1 << 6;

impl TaskClock {
    /// Returns the clock of the program that this thread starts next, and of all later ones as long as there
    /// is the clock.
    ///
    /// The clock stands still in this thread, whose children inherit it, and runs in a child from the moment
    /// when that becomes a program. So no child of the program is older than the clock. Nor need this process
    /// look at the child, which it may not do before.
    ///
    /// # Errors
    ///
    /// The error of a kernel that does not let this process count.
    pub(crate) fn of_next_program() -> io::Result<TaskClock> {
        let attributes = Attributes {
            kind: SOFTWARE,
            size: size_of::<Attributes>() as u32,
            counter: TASK_CLOCK,
            flags: FLAGS,
            ..Attributes::default()
        };
        const THIS_THREAD: libc::pid_t = 0;
        const ANY_PROCESSOR: i32 = -1;
        const NO_GROUP: i32 = -1;
        const CLOSE_ON_EXEC: u64 = 8;
        // SAFETY: the pointer is to a value of the size that it names.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                THIS_THREAD,
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn clock_runs_from_the_beginning_of_a_program_on() -> io::Result<()> {
        // Not every kernel lets this user count.
        let Ok(clock) = TaskClock::of_next_program() else { return Ok(()) };
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {}
        assert_eq!(clock.read()?, Duration::ZERO);
        // No process waits for the child that works, and the program is gone by now.
        let work = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
        let status = Command::new("sh").args(["-c", &format!("({work}) & wait")]).status()?;
        assert!(status.success());
        assert!(clock.read()? > Duration::from_millis(1), "{:?}", clock.read()?);
        Ok(())
    }
}

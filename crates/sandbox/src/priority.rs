//! The priorities of a supervisor and of the programs that it starts.

use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{getpriority_process, setpriority_process};

/// The priority of a supervisor, where it may have one.
const OF_SUPERVISOR: i32 = -5;

/// The priority of programs.
static OF_PROGRAMS: AtomicI32 = AtomicI32::new(0);

/// Raises the priority of this process, a supervisor, where it may: a program that starts others as fast as it can
/// must not keep it from ending that.
pub(crate) fn raise() {
    let of_host = getpriority_process(None).unwrap_or(0);
    OF_PROGRAMS.store(of_host.max(0), Ordering::Relaxed);
    let _ = setpriority_process(None, of_host.min(OF_SUPERVISOR));
}

/// Lowers the priority of this process, which becomes a program, to that of the host. It allocates nothing.
pub(crate) fn lower() {
    let _ = setpriority_process(None, OF_PROGRAMS.load(Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_priority_of_their_host() -> rustix::io::Result<()> {
        // The thread of this test has a priority of its own, which everybody may lower.
        let of_host = getpriority_process(None)?.max(0) + 1;
        setpriority_process(None, of_host)?;
        raise();
        lower();
        assert_eq!(getpriority_process(None)?, of_host);
        Ok(())
    }
}

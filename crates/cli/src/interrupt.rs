//! Interruptions by the user.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal, signal};

use super::failure::{Failure, STOPPED};

/// Signals that come within this time of the first are the same interruption: `timeout` sends one
/// to the process and one to its group, and a terminal and a wrapper may do the same.
const ECHO: Duration = Duration::from_secs(1);

/// A flag that is raised when the user interrupts. When they do so again, the process ends at
/// once.
///
/// # Errors
///
/// Returns an error if the OS does not let this process listen, or it listens already.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    call(move || raised.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Calls `stop` when the user interrupts. When they do so again, the process ends at once.
pub(super) fn call(mut stop: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    let mut interrupted: Option<Instant> = None;
    let interrupt = move || match interrupted {
        Some(first) if first.elapsed() > ECHO => process::exit(STOPPED.into()),
        Some(_) => {}
        None => {
            interrupted = Some(Instant::now());
            stop();
        }
    };
    let goes_on = is_hangup_ignored();
    ctrlc::set_handler(interrupt)
        .map_err(|error| Failure::Run(anyhow!("cannot listen for an interruption: {error}")))?;
    if goes_on {
        ignore_hangup();
    }
    Ok(())
}

/// Returns `true` if the end of the terminal is no interruption, as for a process that `nohup` has
/// started.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    matches!(ignore_hangup(), Some(SigHandler::SigIgn))
}

/// Ignores hangups. Returns how they were dealt with before.
#[cfg(unix)]
fn ignore_hangup() -> Option<SigHandler> {
    // SAFETY: no function is called when the signal comes.
    unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) }.ok()
}

#[cfg(not(unix))]
fn is_hangup_ignored() -> bool {
    false
}

#[cfg(not(unix))]
fn ignore_hangup() {}

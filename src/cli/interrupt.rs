//! Interruptions by the user.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;

use super::failure::{Failure, STOPPED};

/// A flag that is raised when the user interrupts. At the second time the process ends at once.
///
/// # Errors
///
/// When the system does not let us listen, or somebody does already.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    call(move || raised.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Calls `stop` when the user interrupts. At the second time the process ends at once.
pub(super) fn call(mut stop: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    let mut interrupted = false;
    let interrupt = move || {
        if interrupted {
            process::exit(STOPPED.into());
        }
        interrupted = true;
        stop();
    };
    ctrlc::set_handler(interrupt)
        .map_err(|error| Failure::Run(anyhow!("cannot listen for an interruption: {error}")))
}

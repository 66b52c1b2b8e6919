//! Long work that releases the interpreter and ends on Ctrl-C.

use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// The time between two checks for a signal in Python.
const TICK: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own while other Python threads run. If the handler of a signal such as
/// Ctrl-C raises an exception, `stop` is set, and the exception is returned when the work has ended.
///
/// # Errors
///
/// Returns that exception, or an error if the system has no thread.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let is_over = || {
        let receiver = receiver.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        receiver.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout)
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, move || {
            // The sender is dropped at the end of the work, after a panic as well.
            let _sender: std::sync::mpsc::Sender<()> = sender;
            work()
        });
        let worker = worker.map_err(|error| PyOSError::new_err(error.to_string()))?;
        let mut exception = None;
        while !py.detach(is_over) {
            if exception.is_none()
                && let Err(raised) = py.check_signals()
            {
                stop.store(true, Ordering::Relaxed);
                exception = Some(raised);
            }
        }
        match (py.detach(|| worker.join()), exception) {
            (_, Some(raised)) => Err(raised),
            (Ok(result), None) => Ok(result),
            (Err(panic), None) => panic::resume_unwind(panic),
        }
    })
}

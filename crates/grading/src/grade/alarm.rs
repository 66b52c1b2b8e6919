//! A flag that is raised after some time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// An alarm that raises its flag when the time is over, unless it is dropped before.
#[derive(Debug)]
pub(super) struct Alarm {
    flag: Arc<AtomicBool>,
    /// The sender, which is dropped with the alarm and so ends the waiting thread.
    _cancel: Sender<()>,
}

impl Alarm {
    /// Starts an alarm that raises its flag after `time` of wall time.
    pub(super) fn after(time: Duration) -> Alarm {
        let flag = Arc::new(AtomicBool::new(false));
        let (cancel, canceled) = channel();
        let raised = Arc::clone(&flag);
        thread::spawn(move || {
            if canceled.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                raised.store(true, Ordering::Relaxed);
            }
        });
        Alarm { flag, _cancel: cancel }
    }

    /// Returns the flag.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns true if the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

//! A flag that is raised after some time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Raises its flag when the time is over, unless it is dropped before.
#[derive(Debug)]
pub(super) struct Alarm {
    flag: Arc<AtomicBool>,
    /// Dropped with the alarm, which ends the thread that waits.
    _cancel: Sender<()>,
}

impl Alarm {
    /// An alarm in so much time by the clock on the wall.
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

    /// The flag.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Whether the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

//! How other people's programs are treated.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::limits::ProcessLimits;

/// How a program of somebody else is treated in a game.
#[derive(Clone, Debug)]
pub struct Treatment {
    /// What it may use.
    pub limits: ProcessLimits,
    /// Whether a file exchange takes outputs in which the next player is missing or wrong.
    pub lenient: bool,
    /// Whether it is confined to a folder of its own, as far as the system can do that.
    pub sandbox: bool,
    /// The file to which its standard error is added, up to 1 MiB. The folder must exist.
    pub log: Option<PathBuf>,
    /// Makes it lose at once when raised: nobody wants the game any more.
    pub stop: Option<Arc<AtomicBool>>,
    /// The program that supervises it; by default, that of this process. It must call
    /// [`supervise`](super::supervise) when its first argument is [`SUPERVISE`](super::SUPERVISE).
    pub supervisor: Option<PathBuf>,
}

impl Default for Treatment {
    fn default() -> Treatment {
        Treatment {
            limits: ProcessLimits::default(),
            lenient: false,
            sandbox: true,
            log: None,
            stop: None,
            supervisor: None,
        }
    }
}

impl Treatment {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

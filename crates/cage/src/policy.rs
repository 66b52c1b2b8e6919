//! How a foreign program is held.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::ProcessLimits;

/// How a foreign program is held: what it may use, and how it is confined, logged and stopped.
#[derive(Clone, Debug)]
pub struct SandboxPolicy {
    /// What the program may use.
    pub limits: ProcessLimits,
    /// Whether the program is confined to a folder of its own, as far as the system can do that.
    pub sandbox: bool,
    /// The file to which the program's standard error is appended, up to 1 MiB. Its folder must
    /// exist.
    pub log: Option<PathBuf>,
    /// A flag that any thread may set when the program is no longer needed.
    pub stop: Option<Arc<AtomicBool>>,
    /// The executable of the supervisor; by default, that of this process. It must call
    /// [`supervise`](crate::supervise) when its first argument is
    /// [`SUPERVISE`](crate::SUPERVISE).
    pub supervisor: Option<PathBuf>,
}

impl Default for SandboxPolicy {
    fn default() -> SandboxPolicy {
        SandboxPolicy {
            limits: ProcessLimits::default(),
            sandbox: true,
            log: None,
            stop: None,
            supervisor: None,
        }
    }
}

impl SandboxPolicy {
    /// Returns whether the flag [`stop`](SandboxPolicy::stop) is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

//! How a supervisor signals all processes of a program.

use nix::sys::signal::{Signal, kill};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

#[cfg(target_os = "linux")]
use crate::own_user::OwnUser;
use crate::process_table::descendants;

/// The processes that a supervisor signals.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    /// Every process of the namespace but the supervisor. The kernel signals them in one step.
    #[cfg(target_os = "linux")]
    Namespace,
    /// Every process of a user. The kernel signals them in one step.
    #[cfg(target_os = "linux")]
    User(OwnUser),
    /// The descendants of the supervisor, one after another.
    Descendants,
}

/// How often to signal the descendants again, for those that were started meanwhile.
const ROUNDS: usize = 3;

impl Reach {
    /// Signals all processes.
    pub(crate) fn signal_all(self, signal: Signal) {
        match self {
            #[cfg(target_os = "linux")]
            Reach::Namespace => {
                let _ = kill(Pid::from_raw(-1), signal);
            }
            #[cfg(target_os = "linux")]
            Reach::User(user) => user.signal(signal),
            Reach::Descendants => {
                for _ in 0..ROUNDS {
                    for process in descendants() {
                        let _ = kill(process.pid, signal);
                    }
                }
            }
        }
    }
}

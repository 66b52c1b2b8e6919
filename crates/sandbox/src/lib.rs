//! Runs somebody else's program: starts, confines, measures and stops it.
//!
//! A *host* is a program that uses this crate. It does not start the foreign program itself. It starts a
//! *supervisor*, which is the host's own executable with the argument [`SUPERVISE`]. The supervisor builds a
//! sandbox around itself, starts the program in it, measures the use of all its processes, and kills the
//! processes when they exceed a limit, when the host no longer needs them, or when the host itself dies.
//!
//! A host therefore does two things:
//!
//! * Its `main` calls [`supervise`] when its first argument is [`SUPERVISE`].
//! * It makes a [`Sandbox`], starts a program in it by a [`Launch`], and asks for one [`ProcessEvent`]
//!   after another. When the program has ended, it may start the next.
//!
//! ```text
//! let policy = SandboxPolicy { level: availability(None).level, ..SandboxPolicy::default() };
//! let meter = Meter::new(&policy);
//! let budget = meter.budget(None);
//! let words = ["sh", "-c", "read question; echo answer 42"].map(str::to_owned).to_vec();
//! let mut sandbox = Sandbox::new(&words, &policy)?;
//! sandbox.start(Launch::new(words, None).talking(&["answer"]));
//! sandbox.ask("question\n".to_owned(), budget.wall.left, None);
//! match sandbox.next_event(&|| policy.is_stopped()) {
//!     Some(ProcessEvent::Line(line)) => println!("{line}"),
//!     Some(ProcessEvent::Ended(end)) => println!("{}", meter.failure(&end, &budget)),
//!     Some(ProcessEvent::TurnEnded) | None => {}
//! }
//! ```
//!
//! # Turns
//!
//! A *turn* begins with [`Sandbox::ask`] and ends with [`Sandbox::end_turn`] or with the program. Between two
//! turns, a program in a sandbox stands still, unless the [policy](SandboxPolicy) lets it ponder. The time
//! limits apply to a turn. The use between two turns counts for the second. A [`Meter`] adds up the turns of
//! a program's life, which [`ProcessLimits`] calls a game.
//!
//! # Limits
//!
//! All processes of a program count together, including those that it starts and leaves behind.
//! [`ProcessLimits`] lists the limits. Limits on CPU time, memory and the number of processes
//! include detached processes on Linux only.
//!
//! If a part of the tree of control groups is delegated to the host, the kernel enforces the limits of all
//! processes together; otherwise the supervisor adds up the use of each process. [`tree_limits`] returns the
//! mechanism and the reason.
//!
//! # Levels
//!
//! A [`SandboxLevel`] is the degree of isolation of a program. [`availability`] returns the greatest level of
//! a system, and the argument [`CHECK`] attacks a sandbox in every known way.
//!
//! * [`Full`](SandboxLevel::Full): namespaces for users, mounts, processes, the network, System V objects and
//!   the computer's name; an empty root with the files that the program may see, read-only; one writable
//!   folder in memory. When the supervisor ends, the kernel kills all processes. If the host runs as root,
//!   the program has a user ID of its own on the host.
//! * [`User`](SandboxLevel::User): a user ID of its own, for a host that runs as root; Landlock.
//! * [`None`](SandboxLevel::None): limits only.
//!
//! At the first two levels, a program has an environment built from nothing, and a filter that allows the
//! system calls that a player, a compiler or an interpreter needs. A program of a command sees the system,
//! the installed languages, the folder of its program and the folders of the files that its arguments name,
//! and nothing that the program itself names.
//!
//! The levels follow ioi/isolate (a list of allowed, not of forbidden things; a user ID for each box),
//! bubblewrap (a root built from nothing) and the default system calls of containers.
//!
//! # Platforms
//!
//! Programs run on Linux and other Unix systems. Elsewhere, [`Sandbox::new`] fails.
//!
//! # Features
//!
//! * `clap`: [`ProcessLimits`] implements `clap::Args`.

#[cfg(target_os = "linux")]
mod attacks;
#[cfg_attr(not(unix), allow(dead_code))]
mod availability;
#[cfg(target_os = "linux")]
mod check;
mod failure;
#[cfg(unix)]
mod folder;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod installed;
#[cfg_attr(not(unix), allow(dead_code))]
mod launch;
mod limits;
#[cfg(unix)]
mod looker;
mod meter;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(unix)]
mod sandbox;
#[cfg(unix)]
mod start;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, unused_mut))]
mod supervisor;
#[cfg_attr(not(unix), allow(dead_code))]
mod view;

#[cfg(target_os = "linux")]
mod linux {
    //! The part of a sandbox that the kernel of Linux provides; `portable.rs` is the counterpart on other
    //! systems.

    pub(crate) mod allowed_calls;
    pub(crate) mod cgroup {
        //! Control groups: limits of all processes of a program together, enforced by the kernel.
        //!
        //! If a part of the tree of cgroup v2 is delegated to the host, each sandbox has a group of its own
        //! in it, and its programs start inside that group. The kernel measures the use of all processes in
        //! the group, detached ones included, and freezes or kills them in one step. The supervisor stays
        //! outside.
        //!
        //! This module reads and writes the few files of cgroup v2 itself, because the crates for control
        //! groups support neither freezing and killing by one write nor a start inside a group.

        mod group;
        mod home;

        pub(crate) use group::Cgroup;
        pub(crate) use home::{NamedGroup, home_limits, next_group, own_folders};
    }

    pub(crate) mod confine;
    pub(crate) mod filter;
    pub(crate) mod held;
    pub(crate) mod identity;
    pub(crate) mod namespaces;
    pub(crate) mod processes;
    pub(crate) mod root;
    pub(crate) mod supervisors;
    pub(crate) mod task_clock;
    pub(crate) mod waits;
}

#[cfg(target_os = "linux")]
use self::linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use self::portable as system;

pub use bytesize::ByteSize;

#[cfg(target_os = "linux")]
pub use attacks::{ATTACK, AttackTargets, SECRET_VARIABLE, attack_names};
pub use availability::{Availability, Obstacle, availability, has_clock, obstacle, tree_limits};
#[cfg(target_os = "linux")]
pub use check::{AttackOutcome, AttackReport, BUILD, CHECK};
pub use failure::{ProcessEnd, ProcessEvent, ProcessFailure, is_exhausted};
#[cfg(unix)]
pub use folder::remove_folder;
pub use installed::{is_inside, search_folders};
pub use launch::{INPUT, Launch, Leftovers, OUTPUT, SUPERVISE, SandboxPolicy};
pub use limits::{
    Allowance, Budget, Deadline, LONGEST_PATH, NoLevel, ProcessLimits, SandboxLevel, TreeLimits,
};
pub use meter::{DEFAULT_WALL, Meter, TurnBudget};
#[cfg(not(unix))]
pub use portable::{Sandbox, remove_folder, supervise};
#[cfg(unix)]
pub use sandbox::Sandbox;
#[cfg(unix)]
pub use supervisor::supervise;
pub use view::{closed_folder, closed_languages, finds_program, name_files};

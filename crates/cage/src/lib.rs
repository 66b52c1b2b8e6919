//! Runs somebody else's program: starts, confines, measures and stops it.
//!
//! A *host* is a program that uses this crate. It does not start the foreign program itself. It
//! starts a *supervisor*, which is the host's own executable with the argument [`SUPERVISE`]. The
//! supervisor starts the program, counts what all its processes use, and kills them when they
//! exceed a limit, when the host no longer needs them, or when the host itself dies.
//!
//! A host therefore does two things:
//!
//! * Its `main` calls [`supervise`] when its first argument is [`SUPERVISE`].
//! * It describes a program by a [`Launch`], starts it as a [`SupervisedProcess`], and asks for
//!   one [`ProcessEvent`] after another.
//!
//! ```no_run
//! use std::env;
//! use std::io;
//!
//! use plyground_cage::{
//!     CONFINE, Launch, Meter, ProcessEvent, ProcessFailure, ProcessFolder, SUPERVISE,
//!     SandboxPolicy, SupervisedProcess, supervise,
//! };
//!
//! fn main() -> io::Result<()> {
//!     let arguments: Vec<String> = env::args().skip(1).collect();
//!     let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
//!     match words[..] {
//!         [SUPERVISE] => std::process::exit(supervise(None).into()),
//!         [SUPERVISE, CONFINE, command] => std::process::exit(supervise(Some(command)).into()),
//!         _ => {}
//!     }
//!
//!     let policy = SandboxPolicy::default();
//!     let meter = Meter::new(policy.limits.clone());
//!     let budget = meter.budget(None);
//!     let folder = ProcessFolder::new();
//!     let words = ["sh", "-c", "read question; echo answer 42"].map(str::to_owned).to_vec();
//!     let launch = Launch::new(words, &folder, &policy, None).talking(&["answer"]);
//!     let mut process = SupervisedProcess::start(launch, &policy)?;
//!     process.ask("question\n".to_owned(), budget.wall.left, None);
//!     match process.next_event(&|| policy.is_stopped()) {
//!         Some(ProcessEvent::Line(line)) => println!("{line}"),
//!         Some(ProcessEvent::Ended(end)) => {
//!             let failure: ProcessFailure = meter.failure(&end, &budget);
//!             println!("{failure}");
//!         }
//!         Some(ProcessEvent::TurnEnded) | None => {}
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Turns
//!
//! A *turn* begins with [`SupervisedProcess::ask`] and ends with [`SupervisedProcess::end_turn`] or
//! with the program. The time limits apply to a turn. What a program uses between two turns counts
//! for the second. A [`Meter`] adds up the turns of a program's life, which [`ProcessLimits`] calls
//! a game.
//!
//! # Limits
//!
//! All processes of a program count together, including those that it starts and leaves behind.
//! [`ProcessLimits`] lists the limits. Limits on CPU time, memory and the number of processes
//! include detached processes on Linux only.
//!
//! # Confinement
//!
//! On Linux with [Landlock](https://landlock.io), a program can write only in its own temporary
//! folder (`TMPDIR`) and to `/dev/null` and similar devices, cannot open TCP connections, and can
//! signal only its own processes. It can read whatever the user can read. [`confinement`] tells how
//! much of this the system offers.
//!
//! Confinement stops accidents and simple tricks. It does not contain a hostile program: run the
//! host in a container, or as a separate user, if you expect one. Landlock does not restrict
//! reading files, UDP, and, before Linux 6.12, signals to other processes of the same user.
//!
//! Without confinement, or before Linux 6.12, a program can kill its supervisor. The program then
//! ends as well, but a process that it detached earlier may survive.
//!
//! # Platforms
//!
//! Programs run on Linux and other Unix systems. Elsewhere, [`SupervisedProcess::start`] fails.
//!
//! # Features
//!
//! * `clap`: [`ProcessLimits`] implements `clap::Args`.

#[cfg(unix)]
mod confined_command;
pub mod duration;
mod end;
mod event;
mod failure;
mod folder;
#[cfg(unix)]
mod folder_size;
mod launch;
mod limits;
#[cfg(unix)]
mod message;
mod meter;
mod policy;
#[cfg(unix)]
mod process;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), path = "no_process_table.rs")]
mod process_table;
#[cfg(unix)]
mod relay;
mod sandbox;
mod size;
#[cfg(unix)]
mod streams;
#[cfg_attr(not(unix), path = "no_supervised.rs")]
mod supervised;
#[cfg_attr(not(unix), path = "no_supervisor.rs")]
mod supervisor;
#[cfg(unix)]
mod tree;
mod whole_number;

pub use bytesize::ByteSize;

pub use duration::parse_duration;
pub use end::ProcessEnd;
pub use event::ProcessEvent;
pub use failure::{ProcessFailure, is_exhausted};
pub use folder::{INPUT, OUTPUT, ProcessFolder, read_file};
pub use launch::Launch;
pub use limits::{DEFAULT_WALL, ProcessLimits};
pub use meter::{Budget, Meter, TurnBudget};
pub use policy::SandboxPolicy;
pub use sandbox::{Confinement, confinement};
pub use supervised::SupervisedProcess;
pub use supervisor::supervise;
pub use whole_number::whole_number;

/// The argument that tells a host's executable to supervise a program.
pub const SUPERVISE: &str = "supervise";

/// The option after [`SUPERVISE`] that tells a host's executable to become a program.
///
/// Its value is what [`supervise`] takes.
pub const CONFINE: &str = "--confine";

//! Replacements for the parts of Linux that other systems lack. No program can be confined there.
//!
//! On other Unix systems, programs run at the level `none`, with the limits that every such system has.
//! Elsewhere they do not run at all.

/// Makes methods of a type without values, by the type of `self`, other arguments and a result.
macro_rules! never {
    ($($name:ident($this:ty $(, $argument:ty)*) $(-> $result:ty)?;)*) => {
        $(pub fn $name(self: $this $(, _: $argument)*) $(-> $result)? {
            match *self {}
        })*
    };
}

#[cfg(unix)]
pub(crate) mod identity {
    //! No program has an ID of its own.

    use std::convert::Infallible;
    use std::io;
    use std::os::fd::BorrowedFd;
    use std::time::Duration;

    use crate::launch::Ids;

    #[derive(Debug)]
    pub(crate) struct Identity {
        pub(crate) ids: Ids,
        never: Infallible,
    }

    impl Identity {
        pub(crate) fn claim() -> io::Result<Option<Identity>> {
            Ok(None)
        }

        pub(crate) fn lock(&self) -> BorrowedFd<'_> {
            match self.never {}
        }

        pub(crate) fn give_back(self, _: bool, _: Duration) -> bool {
            true
        }
    }

    impl Ids {
        pub(crate) fn signal(self, _: nix::sys::signal::Signal) {}
    }
}

#[cfg(unix)]
pub(crate) mod cgroup {
    //! There are no control groups.

    use std::io;
    use std::time::Duration;

    use nix::unistd::ForkResult;

    use crate::launch::GroupPlan;
    use crate::limits::TreeLimits;
    use crate::looker::Counters;

    #[derive(Debug)]
    pub(crate) enum Cgroup {}

    impl Cgroup {
        pub(crate) fn make(_: &GroupPlan, _: u64, _: u64, _: Option<u32>) -> io::Result<Cgroup> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) unsafe fn fork(&self) -> io::Result<ForkResult> {
            match *self {}
        }

        never! {
            limits_memory(&Self) -> bool;
            counters(&Self) -> io::Result<Counters>;
            cpu(&Self) -> io::Result<Duration>;
            processes(&Self) -> io::Result<u32>;
            freeze(&Self) -> io::Result<()>;
            resume(&Self) -> io::Result<()>;
            kill(&Self) -> io::Result<()>;
            remove(&Self);
        }
    }

    #[derive(Debug)]
    pub(crate) struct NamedGroup {
        pub(crate) plan: GroupPlan,
    }

    pub(crate) fn next_group() -> Option<NamedGroup> {
        None
    }

    pub(crate) fn home_limits() -> TreeLimits {
        let why = Some("control groups need Linux".to_owned());
        TreeLimits { why, ..TreeLimits::default() }
    }
}

#[cfg(unix)]
pub(crate) mod confine {
    //! Only limits can be set.

    use std::io;
    use std::os::fd::BorrowedFd;

    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    use nix::unistd::{Pid, setsid};

    use crate::launch::{Launch, SandboxPlan};
    use crate::limits::SandboxLevel;

    #[derive(Debug)]
    pub(crate) struct Confinement;

    impl Confinement {
        pub(crate) fn new(plan: &SandboxPlan) -> io::Result<Confinement> {
            if plan.level > SandboxLevel::None {
                return Err(io::Error::other("a sandbox needs Linux"));
            }
            Ok(Confinement)
        }

        pub(crate) fn limits(&self, plan: &SandboxPlan, launch: &Launch) -> Vec<(Resource, u64)> {
            let cpu = launch.cpu.map(|cpu| (Resource::RLIMIT_CPU, cpu.as_secs() + 3));
            let size = (Resource::RLIMIT_FSIZE, plan.output.saturating_add(1));
            [(Resource::RLIMIT_CORE, 0), size].into_iter().chain(cpu).collect()
        }

        pub(crate) fn enter(
            &self,
            limits: &[(Resource, u64)],
            _: Pid,
            _: BorrowedFd,
        ) -> io::Result<()> {
            setsid()?;
            crate::start::lower_priority();
            for &(resource, most) in limits {
                let (_, hard) = getrlimit(resource)?;
                setrlimit(resource, most.min(hard), most.min(hard))?;
            }
            Ok(())
        }
    }

    pub(crate) fn most_threads(processes: u32) -> u64 {
        processes.into()
    }
}

#[cfg(unix)]
pub(crate) mod held {
    //! Processes are not known to hold anything.

    use std::path::Path;

    use crate::looker::Held;

    pub(crate) fn held_by_program(_: Option<u32>, _: &Path) -> Held {
        Held::default()
    }
}

#[cfg(unix)]
pub(crate) mod supervisors {
    //! A supervisor is the executable of the host.

    use std::io::{self, PipeReader, PipeWriter};
    use std::os::fd::{BorrowedFd, OwnedFd};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use nix::unistd::Pid;

    use crate::launch::SUPERVISE;

    pub(crate) fn start(
        program: &Path,
        stdin: PipeReader,
        stdout: PipeWriter,
        _: Option<BorrowedFd<'_>>,
        _: bool,
    ) -> io::Result<Pid> {
        let mut command = Command::new(program);
        command.arg0("plyground-supervisor").arg(SUPERVISE).stdin(stdin).stdout(stdout);
        Ok(Pid::from_raw(command.spawn()?.id().cast_signed()))
    }

    pub(crate) fn serve() -> io::Result<Option<OwnedFd>> {
        Ok(None)
    }
}

#[cfg(unix)]
pub(crate) mod processes {
    //! Nothing is known of other processes.

    use std::thread;
    use std::time::Duration;

    use nix::unistd::Pid;

    use crate::looker::{Looker, Memory, Motion, Process};

    pub(crate) fn see_as(_: u32) {}

    pub(crate) fn end_of(_: Pid) -> Option<std::os::fd::OwnedFd> {
        None
    }

    /// Waits for this time, since the end of a child cannot wake this process.
    pub(crate) fn wait_for_end(_: Pid, time: Duration) {
        thread::sleep(time);
    }

    pub(crate) fn descendants() -> Vec<Process> {
        Vec::new()
    }

    pub(crate) fn living() -> Vec<Pid> {
        Vec::new()
    }

    pub(crate) fn others_in_namespace() -> u32 {
        0
    }

    pub(crate) fn exceeds_memory(_: Vec<Process>, _: u64, _: u64, _: &Looker) -> Memory {
        Memory::Fits
    }

    pub(crate) fn are_at_rest(_: &[Process]) -> bool {
        false
    }

    pub(crate) fn motion(_: &[Process]) -> Motion {
        Motion::Still
    }

    pub(crate) fn is_stopped(_: Pid) -> bool {
        false
    }

    pub(crate) fn are_stopped(_: &[Process]) -> bool {
        true
    }

    pub(crate) fn cpu_clock(_: Pid) -> Option<Duration> {
        None
    }
}

#[cfg(unix)]
pub(crate) mod waits {
    //! The time in which a thread waits for a processor is unknown.

    use std::time::{Duration, Instant};

    use nix::unistd::Pid;

    #[derive(Debug)]
    pub(crate) struct Waits;

    impl Waits {
        pub(crate) fn from_now(_: &[Pid], _: Instant, _: Duration) -> Waits {
            Waits
        }

        pub(crate) fn for_others(&mut self, _: &[Pid], _: Instant, _: Duration) -> Duration {
            Duration::ZERO
        }
    }
}

#[cfg(unix)]
pub(crate) mod namespaces {
    //! There are no namespaces.

    use std::io;

    pub(crate) const PROGRAM_INSIDE: u32 = 0;

    pub(crate) fn take_orphans() -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
pub(crate) mod root {
    //! There is no other root.

    use std::io;

    use super::task_clock::Births;
    use crate::folder::Folder;

    #[derive(Debug)]
    pub(crate) enum Homes {}

    impl Homes {
        never! {
            next(&mut Self) -> io::Result<Folder>;
            births(&Self) -> Option<Births>;
        }
    }
}

#[cfg(unix)]
pub(crate) mod task_clock {
    //! No clock counts for descendants.

    use std::io;
    use std::time::Duration;

    use crate::looker::Process;

    #[derive(Debug)]
    pub(crate) struct TaskClock;

    impl TaskClock {
        pub(crate) fn of_next_program() -> io::Result<TaskClock> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn read(&self) -> io::Result<Duration> {
            Ok(Duration::ZERO)
        }
    }

    #[derive(Debug)]
    pub(crate) struct Births;

    impl Births {
        pub(crate) fn of_all() -> Option<Births> {
            None
        }

        pub(crate) fn unseen(&mut self, _: &[Process]) -> Duration {
            Duration::ZERO
        }
    }
}

#[cfg(not(unix))]
pub use self::other::{Sandbox, remove_folder, supervise};

#[cfg(not(unix))]
pub(crate) use self::other::unsupported;

#[cfg(not(unix))]
mod other {
    //! No programs run.

    use std::io;
    use std::path::Path;
    use std::time::Duration;

    use crate::failure::{ProcessEnd, ProcessEvent};
    use crate::launch::{Launch, Leftovers, SandboxPolicy};

    /// A place for one foreign program at a time. This system has none.
    #[derive(Debug)]
    pub enum Sandbox {}

    /// Does nothing on this system. Returns the exit code of a failure.
    #[must_use]
    pub fn supervise(_: &[&str]) -> u8 {
        1
    }

    /// Removes a folder and everything in it. Files that cannot be removed stay.
    pub fn remove_folder(path: &Path) {
        let _ = std::fs::remove_dir_all(path);
    }

    /// Returns the reason why no program of others runs here.
    pub(crate) fn unsupported() -> io::Error {
        let why = "this needs Linux: on Windows, use WSL";
        io::Error::new(io::ErrorKind::Unsupported, why)
    }

    impl Sandbox {
        /// Fails on this system: it is [`Unsupported`](io::ErrorKind::Unsupported).
        pub fn new(_: &[String], _: &SandboxPolicy) -> io::Result<Sandbox> {
            Err(unsupported())
        }

        /// Fails on this system: it is [`Unsupported`](io::ErrorKind::Unsupported).
        pub fn run_once(
            _: Launch,
            _: &SandboxPolicy,
            _: Duration,
        ) -> io::Result<(ProcessEnd, Leftovers)> {
            Err(unsupported())
        }

        /// Tells the program to end, and waits until it is gone.
        pub fn dismiss(self, _: String) -> (Duration, Duration) {
            match self {}
        }
    }

    /// The methods that `sandbox.rs` describes.
    #[allow(missing_docs)]
    impl Sandbox {
        never! {
            folder(&Self) -> &Path;
            start(&mut Self, Launch);
            run(&mut Self, Launch, Duration, &dyn Fn() -> bool) -> Option<ProcessEnd>;
            take_leftovers(&mut Self) -> Leftovers;
            ask(&mut Self, String, Duration, Option<Duration>);
            end_turn(&mut Self);
            next_event(&mut Self, &dyn Fn() -> bool) -> Option<ProcessEvent>;
            try_next_event(&mut Self) -> Option<ProcessEvent>;
            put_back(&mut Self, Vec<String>);
            cpu(&Self) -> Duration;
            wall(&Self) -> Duration;
            delay(&Self) -> Duration;
        }
    }
}

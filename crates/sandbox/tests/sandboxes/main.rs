//! Programs in sandboxes of every level that this system has. This test has a `main` of its own, since
//! the supervisor of a program is the executable that starts the program. It is also some of the programs.
//!
//! Each case is run in a process of its own. Those that mostly wait are run at the same time; those that
//! measure the use of processors follow, one after the other, and without `--include-ignored` only at the
//! greatest level. `--test-threads=1` runs one case at a time.

#[cfg(not(unix))]
fn main() {}

#[cfg(target_os = "linux")]
mod groups;
#[cfg(unix)]
mod supervision;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use plyground_sandbox::{SUPERVISE, supervise};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [SUPERVISE, ref words @ ..] => supervise(words).into(),
        ["case", name, level] => cases::run(name, level),
        #[cfg(target_os = "linux")]
        ["program", ref words @ ..] => groups::program(words),
        _ => cases::run_all(&words),
    }
}

#[cfg(unix)]
mod cases {
    use std::process::{Command, ExitCode, Output};
    use std::sync::{Mutex, PoisonError};
    use std::{env, io, iter, thread};

    use plyground_sandbox::{Availability, SandboxLevel, availability};

    #[cfg(target_os = "linux")]
    use super::groups;
    use super::supervision;

    /// The number of waiting cases that are run at the same time.
    const LANES: usize = 8;

    /// The use of the processors by a case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Load {
        /// The case mostly waits, whatever else is run.
        Waits,
        /// The case measures what programs get of the processors.
        Measures,
        /// The case does so, and takes more than some three seconds.
        Long,
    }

    pub(super) type Case = (&'static str, Load, fn(SandboxLevel) -> io::Result<()>);

    /// A case at a level.
    type Task = (&'static Case, SandboxLevel);

    /// Returns the cases of this system, each with the least level at which it is run.
    fn all() -> impl Iterator<Item = Task> {
        let is_linux = cfg!(target_os = "linux");
        let lists = [
            (is_linux, SandboxLevel::None, supervision::ON_LINUX),
            (true, SandboxLevel::None, supervision::CASES),
            (is_linux, SandboxLevel::User, supervision::CONFINED),
            #[cfg(target_os = "linux")]
            (true, SandboxLevel::None, groups::CASES),
            #[cfg(target_os = "linux")]
            (true, SandboxLevel::User, groups::CONFINED),
        ];
        let lists = lists.into_iter().filter(|(is_here, ..)| *is_here);
        lists.flat_map(|(_, least, cases)| cases.iter().map(move |case| (case, least)))
    }

    /// Runs a case in this process.
    pub(super) fn run(name: &str, level: &str) -> ExitCode {
        let level = level.parse().expect("a level");
        let (_, _, case) = all().map(|task| task.0).find(|case| case.0 == name).expect("a case");
        case(level).expect("a working system");
        ExitCode::SUCCESS
    }

    /// Runs the cases with one of the names, or all.
    pub(super) fn run_all(words: &[&str]) -> ExitCode {
        let found = availability(None);
        println!("greatest level: {}", found.level);
        for obstacle in &found.obstacles {
            println!("not {}: {} {:?}", obstacle.level, obstacle.why, obstacle.remedy);
        }
        #[cfg(target_os = "linux")]
        groups::check_limits();
        let levels = levels(&found);
        let with_long = words.contains(&"--include-ignored");
        let names: Vec<_> = words.iter().filter(|word| !word.starts_with('-')).collect();
        let is_wanted = |&((name, load, _), level): &Task| {
            let is_short = match load {
                Load::Waits => true,
                Load::Measures => Some(&level) == levels.first(),
                Load::Long => false,
            };
            let is_named = names.is_empty() || names.iter().any(|part| name.contains(*part));
            is_named && (is_short || with_long)
        };
        let at_levels = |(case, least)| {
            levels.iter().filter(move |level| **level >= least).map(move |&level| (case, level))
        };
        let tasks: Vec<Task> = all().flat_map(at_levels).filter(is_wanted).collect();
        let (waiting, others): (Vec<Task>, Vec<Task>) =
            tasks.into_iter().partition(|(case, _)| case.1 == Load::Waits);
        let lanes = if words.contains(&"--test-threads=1") { 1 } else { LANES };
        let failed = in_processes(&waiting, lanes) + in_processes(&others, 1);
        println!("{} cases, {failed} failed", waiting.len() + others.len());
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Runs cases, so many at the same time, and returns the number of those that failed.
    fn in_processes(tasks: &[Task], lanes: usize) -> usize {
        let left = Mutex::new(tasks.iter());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let failed_in_lane =
            || iter::from_fn(next).filter(|&&(case, level)| !passes(case.0, level)).count();
        thread::scope(|scope| {
            let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(failed_in_lane)).collect();
            lanes.into_iter().map(|lane| lane.join().expect("no panic")).sum()
        })
    }

    fn passes(name: &str, level: SandboxLevel) -> bool {
        let own = env::current_exe().expect("a path");
        let output = Command::new(own).args(["case", name, level.name()]).output();
        let Output { status, stdout, stderr } = output.expect("a process");
        if status.success() {
            println!("test {name}, {level} ... ok");
        } else {
            let [stdout, stderr] =
                [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            println!("test {name}, {level} ... FAILED: {status}\n{stdout}{stderr}");
        }
        status.success()
    }

    /// The levels that a system with these must have, the greatest first.
    fn levels(found: &Availability) -> Vec<SandboxLevel> {
        let is_root = nix::unistd::Uid::effective().is_root();
        let all = [SandboxLevel::Full, SandboxLevel::User, SandboxLevel::None];
        let works = |level: &SandboxLevel| match level {
            SandboxLevel::User => is_root && found.level >= SandboxLevel::User,
            _ => *level <= found.level,
        };
        all.into_iter().filter(works).collect()
    }
}

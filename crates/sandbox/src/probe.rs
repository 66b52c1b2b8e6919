//! Trying out whether a sandbox of some level can be built here.

use std::io;
use std::path::PathBuf;

use nix::sys::wait::{WaitStatus, waitpid};

use crate::availability::Probe;
use crate::enclosure::Enclosure;
use crate::folder::ProcessFolder;
use crate::launch::Launch;
use crate::level::SandboxLevel;
use crate::message::print;
use crate::plan::SandboxPlan;
use crate::view::View;

/// A program that every system has, and that does nothing.
const NOTHING: [&str; 3] = ["/bin/sh", "-c", ":"];

/// Says on standard output whether a sandbox of a level can be built, and a program runs in it.
pub(crate) fn answer(level: &str) -> io::Result<()> {
    let level: SandboxLevel = level.parse().map_err(io::Error::other)?;
    print(&try_out(level).map_or_else(|error| Probe::failed(&error), |()| Probe::default()))
}

fn try_out(level: SandboxLevel) -> io::Result<()> {
    let words = NOTHING.map(str::to_owned).to_vec();
    let plan = SandboxPlan {
        level,
        folder: ProcessFolder::new(level).path().to_owned(),
        workshop: None,
        view: View::of(&words, &[], &[]),
        environment: Vec::new(),
        memory: 1 << 30,
        output: 1 << 20,
        processes: 8,
        ponder: false,
        log: None::<PathBuf>,
        group: None,
    };
    let sandbox = Enclosure::build(plan)?;
    let started = sandbox.start(&Launch::new(words, None));
    let result = match started {
        Ok(child) => waitpid(child.pid, None).map_err(io::Error::from).and_then(|status| {
            let failed = || io::Error::other(format!("a shell fails in it, {status:?}"));
            if status == WaitStatus::Exited(child.pid, 0) { Ok(()) } else { Err(failed()) }
        }),
        Err(end) => Err(io::Error::other(format!("a shell cannot be started in it: {end:?}"))),
    };
    sandbox.remove();
    result
}

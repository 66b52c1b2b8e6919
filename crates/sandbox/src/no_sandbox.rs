//! Replaces `sandbox` on systems other than Unix, where programs cannot be held.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::end::ProcessEnd;
use crate::event::ProcessEvent;
use crate::launch::Launch;
use crate::message::Leftovers;
use crate::policy::SandboxPolicy;

/// A place for one foreign program at a time. This system has none.
#[derive(Debug)]
pub enum Sandbox {}

/// Returns the executable of this process.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

fn unsupported() -> io::Error {
    let why = "programs of others can play on Linux and other Unix systems only";
    io::Error::new(io::ErrorKind::Unsupported, why)
}

impl Sandbox {
    /// Fails on this system.
    ///
    /// # Errors
    ///
    /// Always returns an error of the kind [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn new(_: &[String], _: &SandboxPolicy) -> io::Result<Sandbox> {
        Err(unsupported())
    }

    /// Fails on this system.
    ///
    /// # Errors
    ///
    /// Always returns an error of the kind [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn run_once(
        _: Launch,
        _: &SandboxPolicy,
        _: Duration,
    ) -> io::Result<(ProcessEnd, Leftovers)> {
        Err(unsupported())
    }

    /// Returns the path of the folder in which the program may write.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match *self {}
    }

    /// Starts a program.
    pub fn start(&mut self, _: Launch) {
        match *self {}
    }

    /// Starts a program that nobody talks to, and waits for its end.
    pub fn run(&mut self, _: Launch, _: Duration, _: &dyn Fn() -> bool) -> Option<ProcessEnd> {
        match *self {}
    }

    /// Returns what the last program left.
    pub fn take_leftovers(&mut self) -> Leftovers {
        match *self {}
    }

    /// Begins a turn.
    pub fn ask(&mut self, _: String, _: Duration, _: Option<Duration>) {
        match *self {}
    }

    /// Ends a turn.
    pub fn end_turn(&mut self) {
        match *self {}
    }

    /// Tells the program to end, and waits until it is gone.
    pub fn dismiss(self, _: String) -> Duration {
        match self {}
    }

    /// Waits for the next event.
    pub fn next_event(&mut self, _: &dyn Fn() -> bool) -> Option<ProcessEvent> {
        match *self {}
    }

    /// Returns the next event, if there is one already.
    pub fn try_next_event(&mut self) -> Option<ProcessEvent> {
        match *self {}
    }

    /// Puts lines back that came too early.
    pub fn put_back(&mut self, _: Vec<String>) {
        match *self {}
    }

    /// Returns the CPU time that the processes of the program are known to have used.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        match *self {}
    }
}

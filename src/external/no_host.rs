//! In place of `host` on systems other than Unix, where programs cannot be held.

use std::io;
use std::time::Duration;

use super::message::{End, Start};
use super::treatment::Treatment;

/// A program and its supervisor: there are none.
#[derive(Debug)]
pub(super) enum Host {}

/// What a host hears.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(dead_code, reason = "nothing is ever heard")]
pub(super) enum Heard {
    Line(String),
    Settled,
    Ended(End),
}

impl Host {
    pub(super) fn start(_: Start, _: &Treatment) -> io::Result<Host> {
        let why = "programs of others can play on Linux and other Unix systems only";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    pub(super) fn ask(&mut self, _: String, _: Duration, _: Option<Duration>) {
        match *self {}
    }

    pub(super) fn answered(&mut self) {
        match *self {}
    }

    pub(super) fn dismiss(self, _: String) {
        match self {}
    }

    pub(super) fn hear(&mut self, _: &dyn Fn() -> bool) -> Option<Heard> {
        match *self {}
    }

    pub(super) fn put_back(&mut self, _: Vec<String>) {
        match *self {}
    }

    pub(super) fn heard_already(&mut self) -> Option<Heard> {
        match *self {}
    }

    pub(super) fn cpu(&self) -> Duration {
        match *self {}
    }
}

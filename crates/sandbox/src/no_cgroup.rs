//! Replaces `cgroup` on systems other than Linux, which have no control groups.

use std::io;
use std::process::Command;
use std::time::Duration;

use crate::plan::GroupPlan;
use crate::started::Started;
use crate::tree_limits::TreeLimits;

/// A group, of which there is none.
#[derive(Debug)]
pub(crate) enum Cgroup {}

/// What a group has counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) cpu: Duration,
    pub(crate) out_of_memory: u64,
    pub(crate) refused_processes: u64,
}

impl Cgroup {
    pub(crate) fn start(
        &self,
        _: &Command,
        _: bool,
        _: bool,
        _: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<Started> {
        match *self {}
    }

    pub(crate) fn limits_memory(&self) -> bool {
        match *self {}
    }

    pub(crate) fn counters(&self) -> io::Result<Counters> {
        match *self {}
    }

    pub(crate) fn cpu(&self) -> io::Result<Duration> {
        match *self {}
    }

    pub(crate) fn processes(&self) -> io::Result<u32> {
        match *self {}
    }

    pub(crate) fn freeze(&self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn resume(&self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn kill(&self) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn remove(&self) {
        match *self {}
    }
}

/// A group for a supervisor to make, of which there is none.
#[derive(Debug)]
pub(crate) struct NamedGroup {
    pub(crate) plan: GroupPlan,
}

/// Returns no group.
pub(crate) fn next_group() -> Option<NamedGroup> {
    None
}

/// Says that the supervisor adds up what processes use.
pub(crate) fn home_limits() -> TreeLimits {
    TreeLimits { why: Some("control groups need Linux".to_owned()), ..TreeLimits::default() }
}

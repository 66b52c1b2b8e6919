//! Replaces `held` on systems other than Linux, which do not tell what processes hold.

use std::path::Path;

use nix::unistd::Pid;

/// What processes hold together: nothing that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) buffers: u64,
    pub(crate) deleted: u64,
}

/// Counts nothing.
pub(crate) fn held(_: &[Pid], _: &Path) -> Held {
    Held::default()
}

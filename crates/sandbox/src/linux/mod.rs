//! The part of a sandbox that the kernel of Linux provides; `portable.rs` is its like on other systems.

pub(crate) mod calls;
pub(crate) mod cgroup;
pub(crate) mod confine;
pub(crate) mod identity;
pub(crate) mod namespaces;
pub(crate) mod proc;
pub(crate) mod processes;
pub(crate) mod root;
pub(crate) mod sockets;
pub(crate) mod task_clock;
pub(crate) mod waits;

//! The levels that a test goes through.

use plyground_sandbox::{Availability, SandboxLevel};

/// The levels that a system with these must have, the greatest first.
pub fn levels(found: &Availability) -> Vec<SandboxLevel> {
    let is_root = nix::unistd::Uid::effective().is_root();
    let all = [SandboxLevel::Full, SandboxLevel::User, SandboxLevel::None];
    let works = |level: &SandboxLevel| match level {
        SandboxLevel::User => is_root && found.level >= SandboxLevel::User,
        _ => *level <= found.level,
    };
    all.into_iter().filter(works).collect()
}

//! The levels that a test goes through.

use plyground_cage::{Availability, CageLevel};

/// The levels that a system with these must have, the greatest first.
pub fn levels(found: &Availability) -> Vec<CageLevel> {
    let is_root = nix::unistd::Uid::effective().is_root();
    let all = [CageLevel::Full, CageLevel::User, CageLevel::Partial, CageLevel::None];
    let works = |level: &CageLevel| match level {
        CageLevel::User => is_root && found.level >= CageLevel::User,
        _ => *level <= found.level,
    };
    all.into_iter().filter(works).collect()
}

//! In place of `supervisor` on systems other than Unix, where programs cannot be held.

/// Nothing that can be done here. Returns the exit code, that of a failure.
#[must_use]
pub fn supervise(_: Option<&str>) -> u8 {
    1
}

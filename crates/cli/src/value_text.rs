//! Values and principal variations as people read them.

use plyground::Value;
use plyground_host::MoveText;

/// Returns the words for the kind of a value: the result, a limit on it, or an estimate.
pub(super) fn kind(value: Value) -> &'static str {
    match value {
        Value::Exact(_) => "exact",
        Value::AtLeast(_) => "at least",
        Value::AtMost(_) => "at most",
        Value::Estimate(_) => "estimate",
    }
}

/// The moves of a principal variation.
pub(super) fn variation(pv: &[MoveText]) -> String {
    pv.iter().map(MoveText::as_str).collect::<Vec<_>>().join(" ")
}

//! The processors on which this build runs.

/// Returns the instructions that this build uses and a processor must have to run it: a level of the x86-64
/// ABI, such as `x86-64-v3`, with any instructions beyond that level, or the name of the architecture.
///
/// A build for the processor that compiled it, as in a clone of the repository, may use more than its level
/// says.
#[must_use]
pub const fn instructions() -> &'static str {
    if cfg!(not(target_arch = "x86_64")) {
        std::env::consts::ARCH
    } else if cfg!(all(
        target_feature = "avx512bitalg",
        target_feature = "avx512vbmi2",
        target_feature = "avx512vpopcntdq",
        target_feature = "gfni"
    )) {
        "x86-64-v4-vpopcntdq"
    } else if cfg!(all(
        target_feature = "avx512bw",
        target_feature = "avx512cd",
        target_feature = "avx512dq",
        target_feature = "avx512vl"
    )) {
        "x86-64-v4"
    } else if cfg!(all(
        target_feature = "avx2",
        target_feature = "bmi2",
        target_feature = "fma",
        target_feature = "lzcnt"
    )) {
        "x86-64-v3"
    } else if cfg!(all(target_feature = "popcnt", target_feature = "sse4.2")) {
        "x86-64-v2"
    } else {
        "x86-64"
    }
}

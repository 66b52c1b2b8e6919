//! The list of all games, and the instructions that they are compiled for. Programs, bindings and fuzz targets
//! take their games from here, so that one more line adds a game to all of them.

use network::Rules;
use plyground_host::SharedGame;

/// Returns all games, each with its usual rules.
#[must_use]
pub fn all() -> Vec<SharedGame> {
    vec![maxconnect4::game(), network::game(Rules::Berkeley)]
}

/// Returns the game of this name, with its usual rules.
#[must_use]
pub fn named(name: &str) -> Option<SharedGame> {
    all().into_iter().find(|game| game.name() == name)
}

/// Returns the instructions that this build uses and a processor must have to run it: a level of the x86-64
/// ABI, such as `x86-64-v3`, with any instructions beyond that level, or the name of the architecture.
///
/// A build for the processor that compiled it, as in a clone of the repository, may use more instructions
/// than its level has.
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

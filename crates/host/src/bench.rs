//! The positions of a game's bench, searched, and the instructions that a build uses.

use plyground::search::{Limits, Report, Scope};

use crate::engine::EngineOptions;
use crate::game::{HostedEngine, HostedGame};
use crate::move_text::MoveText;
use crate::state::{StateText, TextError};

/// Searches the positions of a game's bench, one after the other, each to its depth and without the results
/// of the others.
///
/// # Errors
///
/// Yields the fault of a bench position that cannot be read.
pub fn bench(
    game: &dyn HostedGame,
    options: EngineOptions,
) -> impl Iterator<Item = Result<Report<MoveText>, TextError>> {
    let mut engine = game.engine(options);
    game.bench()
        .into_iter()
        .filter_map(move |(state, depth)| search(game, &mut *engine, &state, depth).transpose())
}

fn search(
    game: &dyn HostedGame,
    engine: &mut dyn HostedEngine,
    state: &str,
    depth: u32,
) -> Result<Option<Report<MoveText>>, TextError> {
    let position = game.parse_state(&StateText::from_lines(&state.replace('/', "\n")))?;
    engine.clear();
    // The position is one of the engine's game.
    let report = engine.search(&position, &Limits::depth(depth), Scope::BestMove, &mut |_| ());
    Ok(report.ok().flatten())
}

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

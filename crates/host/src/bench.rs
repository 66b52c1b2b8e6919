//! The positions of a game's bench, searched.

use plyground::search::{Limits, Report, Scope};

use crate::adapter::MoveText;
use crate::engine::EngineOptions;
use crate::game::{HostedEngine, HostedGame};
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

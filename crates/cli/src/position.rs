//! Positions from state files.

use std::path::Path;

use plyground_host::state::{ReadError, StateText, read_text};
use plyground_host::{HostedGame, HostedPosition};

use super::failure::Failure;
use super::warning::warn;

/// A position, and the text that gives new positions their layout.
pub(super) struct Source {
    pub(super) text: StateText,
    pub(super) position: HostedPosition,
}

/// Reads a position, and warns of one that can hardly come from a game.
pub(super) fn load(game: &dyn HostedGame, path: &Path) -> Result<Source, ReadError> {
    let text = read_text(path)?;
    let position = game.parse_state(&text).map_err(|fault| match text.is_json() {
        true => ReadError::Json { path: path.to_owned() },
        false => ReadError::Fault { path: path.to_owned(), fault },
    })?;
    if let Some(doubt) = position.doubt() {
        warn(&format_args!("{}: {doubt}", path.display()));
    }
    Ok(Source { text, position })
}

/// The start of a game, as if from a file.
pub(super) fn start(game: &dyn HostedGame) -> Source {
    let position = game.start();
    let text = StateText::from_lines(&position.state());
    Source { text, position }
}

/// The position of a file, or the start of a game if no file is named.
pub(super) fn load_or_start(
    game: &dyn HostedGame,
    path: Option<&Path>,
) -> Result<HostedPosition, Failure> {
    match path {
        Some(path) => Ok(load(game, path)?.position),
        None => Ok(game.start()),
    }
}

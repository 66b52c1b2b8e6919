//! Positions from state files.

use std::io::Write;
use std::path::Path;

use super::failure::Failure;
use super::program::Program;
use crate::state::{ReadError, StateText, read_text};

/// A position, and the text that gives new positions their layout.
pub(super) struct Source<G> {
    pub(super) text: StateText,
    pub(super) position: G,
}

/// Reads a position, and warns of one that can hardly come from a game.
pub(super) fn load<P: Program>(program: &P, path: &Path) -> Result<Source<P::Game>, ReadError> {
    let text = read_text(path)?;
    let position = program
        .parse_state(&text)
        .map_err(|fault| ReadError::Fault { path: path.to_owned(), fault })?;
    if let Some(doubt) = program.doubt(&position) {
        // If standard error is closed, nobody wants to be warned.
        let _ = writeln!(std::io::stderr(), "warning: {}: {doubt}", path.display());
    }
    Ok(Source { text, position })
}

/// The start of a game, as if from a file.
pub(super) fn start<P: Program>(program: &P) -> Source<P::Game> {
    let position = program.start();
    let text = StateText::from_lines(&program.format_state(&position));
    Source { text, position }
}

/// The position of a file, or the start of a game if no file is named.
pub(super) fn load_or_start<P: Program>(
    program: &P,
    path: Option<&Path>,
) -> Result<P::Game, Failure> {
    match path {
        Some(path) => Ok(load(program, path)?.position),
        None => Ok(program.start()),
    }
}

//! Positions from state files.

use std::fmt::Display;
use std::path::Path;

use plyground::Game;
use plyground_durable::excerpt;
use plyground_host::state::{ReadError, StateText, read_text};
use plyground_host::{HostedGame, HostedPosition, MoveText};

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
    warn_of(&path.display(), &text, &position);
    Ok(Source { text, position })
}

/// Warns of what is strange about a position and its text, which users know by this name.
fn warn_of(name: &dyn Display, text: &StateText, position: &HostedPosition) {
    if text.lacks_side(&position.state()) {
        let turn = position.turn();
        let turn = turn.trim_end_matches('.');
        warn(&format_args!("{name}: the next player is missing; by the pieces, {turn}"));
    }
    if let Some(doubt) = position.doubt() {
        warn(&format_args!("{name}: {doubt}"));
    }
}

/// The start of a game, as if from a file.
pub(super) fn start(game: &dyn HostedGame) -> Source {
    let position = game.start();
    let text = StateText::from_lines(&position.state());
    Source { text, position }
}

/// The position of a file, or the start of a game if no file is named. Where there is no file of this
/// name, the name may be the position itself: on one line, or as the moves that lead to it.
pub(super) fn load_or_start(
    game: &dyn HostedGame,
    path: Option<&Path>,
) -> Result<HostedPosition, Failure> {
    let Some(path) = path else { return Ok(game.start()) };
    match load(game, path) {
        Ok(source) => Ok(source.position),
        Err(error) if error.is_not_found() => {
            let said = path.to_str().and_then(|text| in_words(game, text));
            said.unwrap_or_else(|| Err(error.into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The position that a text is, or why it is not quite one; `None` if it looks like none.
fn in_words(game: &dyn HostedGame, text: &str) -> Option<Result<HostedPosition, Failure>> {
    let start = game.start();
    let moves = moves_of(&start, text);
    if moves.is_empty() {
        return on_one_line(game, text);
    }
    let mut position = start;
    for (index, mv) in moves.into_iter().enumerate() {
        if let Err(illegal) = position.play(mv) {
            let fault = format!(
                "{}: there is no such file, and as moves, move {}, {mv}, is illegal: {illegal}",
                excerpt(text),
                index + 1
            );
            return Some(Err(Failure::Usage(fault)));
        }
    }
    Some(Ok(position))
}

/// The position on one line, as in records: its lines with `/` between them.
fn on_one_line(game: &dyn HostedGame, text: &str) -> Option<Result<HostedPosition, Failure>> {
    let rows = |text: &str| text.matches('/').count();
    if rows(text) < rows(&game.start().state_word()) - 1 {
        return None;
    }
    let state = StateText::new(text.to_owned());
    let fault = |fault| Failure::Usage(format!("{}: {fault}", excerpt(text)));
    let position = game.parse_state(&state).map_err(fault);
    if let Ok(position) = &position {
        warn_of(&excerpt(text), &state, position);
    }
    Some(position)
}

/// The moves of which a text consists, with blanks or commas between them or nothing; none if it
/// consists of something else.
fn moves_of(start: &HostedPosition, text: &str) -> Vec<MoveText> {
    let mut moves = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let word = rest.find([' ', ',']).map_or(rest, |end| &rest[..end]);
        // The longest first: `34-56` is one move.
        let ends = word.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let found = ends.rev().find_map(|end| Some((end, start.parse_move(&word[..end])?)));
        let Some((end, mv)) = found else { return Vec::new() };
        moves.push(mv);
        rest = rest[end..].trim_start_matches([' ', ',']);
    }
    moves
}

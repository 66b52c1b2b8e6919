//! Notation: a game and a position, then the text of a move.

use network::{Move, Notation};
use plyground::Game;

use crate::source::Source;
use crate::told::assert_told;

/// The moves of a position that are played before the text is read.
const PLIES: usize = 24;

/// A text that is read as a move is written so that it is read as the same move.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut position = source.position(game, PLIES);
    let text = source.text();
    notations(&text);
    let typed = game.read_move(&text);
    for mv in position.parse_move(&text).into_iter().chain(typed) {
        assert_eq!(position.parse_move(mv.as_str()), Some(mv), "{text:?}");
        assert_eq!(game.move_names(mv).first().map(String::as_str), Some(mv.as_str()));
        let is_listed = position.legal_moves().any(|legal| legal == mv);
        assert_eq!(position.check_legal(mv).is_ok(), is_listed, "{mv}");
    }
    let before = position.clone();
    if let Err(illegal) = position.play_text(&text) {
        assert_told(&illegal);
        assert_eq!(position, before);
    }
}

fn notations(text: &str) {
    for notation in [Notation::Berkeley, Notation::BerkeleyWords, Notation::Usf] {
        match notation.parse_move(text) {
            Ok(mv) => assert_eq!(notation.parse_move(&notation.write_move(mv)), Ok(mv)),
            Err(fault) => assert_told(&fault),
        }
    }
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

//! The output of a program that exchanges files: a game and a position, then the text.

use plyground::Game;
use plyground_host::external::move_in_output;

use crate::source::Source;
use crate::told::assert_told;

const PLIES: usize = 40;

/// A move that is found is legal; the strict find nothing that the lenient do not.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let position = source.position(game, PLIES);
    let text = source.text();
    let [strict, lenient] = [false, true].map(|lenient| move_in_output(&position, &text, lenient));
    for found in [&strict, &lenient] {
        match found {
            Ok(mv) => assert_eq!(position.check_legal(*mv), Ok(())),
            Err(fault) => assert_told(fault),
        }
    }
    if let Ok(mv) = strict {
        assert_eq!(lenient, Ok(mv));
    }
}

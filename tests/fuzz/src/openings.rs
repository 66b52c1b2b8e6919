//! The file with the openings of a tournament: a game, then the text.

use plyground_arena::tournament::TournamentOpenings;

use crate::source::Source;
use crate::told::assert_told;

/// Openings that are drawn can be played, and as many as there are.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let openings = TournamentOpenings::parse(&source.text());
    match openings.draw(&game.start(), 1) {
        Ok(drawn) => {
            assert_eq!(drawn.len(), openings.count());
            for opening in drawn {
                let mut position = game.start();
                for mv in opening {
                    position.play_text(mv.as_str()).expect("a legal move");
                }
                assert!(!position.is_over());
            }
        }
        Err(fault) => assert_told(&fault),
    }
}

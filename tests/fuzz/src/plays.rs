//! The rules of every game behind text: any bytes are played as moves.

use plyground::Game;
use plyground_host::MoveText;
use plyground_host::state::StateText;

use crate::source::Source;

/// More plies than this tell nothing more.
const PLIES: usize = 130;

/// A byte from here on begins a move in letters; the others choose among the legal moves.
const LETTERS: u8 = 240;

/// Every legal move can be played, no other can, and every position survives being written.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut position = game.start();
    for _ in 0..PLIES {
        let legal: Vec<MoveText> = position.legal_moves().collect();
        assert_eq!(legal.is_empty(), position.outcome().is_some(), "{}", position.state());
        if source.is_empty() || legal.is_empty() {
            break;
        }
        if source.0[0] >= LETTERS {
            source.byte();
            let text = String::from_utf8_lossy(source.until(b' ')).into_owned();
            let is_legal = position.parse_move(&text).is_some_and(|mv| legal.contains(&mv));
            let before = position.clone();
            assert_eq!(position.play_text(&text).is_ok(), is_legal, "{text:?}");
            assert!(is_legal || position == before);
        } else {
            let mv = legal[source.below(legal.len())];
            let left = position.plies_left();
            position.play(mv).expect("a legal move");
            let fewer = position.plies_left().zip(left).is_none_or(|(now, before)| now < before);
            assert!(fewer || position.is_over(), "{}", position.state());
        }
        let again = game.parse_state(&StateText::new(position.state())).expect("a position");
        assert_eq!((again.key(), &again), (position.key(), &position));
    }
    let children = position.legal_moves().count() as u64;
    assert_eq!(position.perft(1), children);
}

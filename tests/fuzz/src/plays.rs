//! The rules of every game behind text: any bytes are played as moves.

use std::sync::LazyLock;

use plyground::Game;
use plyground_grading::grade::{Check, parse_checks, read_points};
use plyground_host::MoveText;
use plyground_host::state::StateText;

use crate::source::{self, GAMES, Source, assert_told};

/// More plies than this tell nothing more.
const PLIES: usize = 130;

/// A byte from here on begins a move in letters; the others choose among the legal moves.
const LETTERS: u8 = 240;

/// Every legal move can be played, no other can, and every position survives being written.
pub fn plays(bytes: &[u8]) {
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

/// The checks of every game that has some.
static CHECKS: LazyLock<Vec<Vec<Check>>> = LazyLock::new(|| {
    let checks = GAMES.iter().map(|game| parse_checks(game.checks()).expect("checks"));
    checks.filter(|checks| !checks.is_empty()).collect()
});

/// Points are finite and not negative; a fault is told with its place.
pub fn points(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.below(CHECKS.len() + 1).checked_sub(1) {
        None => match parse_checks(&source.text()) {
            Ok(checks) => {
                let mut names: Vec<_> = checks.iter().map(|check| &check.name).collect();
                names.sort();
                assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
            }
            // Games come with their checks: what is wrong with these, nobody else reads.
            Err(fault) => assert!(!fault.to_string().is_empty()),
        },
        Some(index) => {
            let mut checks = CHECKS[index].clone();
            match read_points(&source::file("points.toml", source.0), &mut checks) {
                Ok(()) => assert!(checks.iter().all(|c| c.points.is_finite() && c.points >= 0.0)),
                Err(fault) => assert_told(&fault),
            }
        }
    }
}

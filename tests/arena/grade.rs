//! The checks of the games show what they are meant to show.

use network::Rules;
use plyground::Game;
use plyground_arena::grade::{Check, CheckKind, Promise, best_moves, parse_checks};
use plyground_host::{HostedGame, HostedPosition};

fn after(game: &dyn HostedGame, moves: &str) -> HostedPosition {
    let mut position = game.start();
    for text in moves.split_whitespace() {
        position.play_text(text).expect("a legal move");
    }
    position
}

fn checks(game: &dyn HostedGame) -> Vec<Check> {
    let checks = parse_checks(game.checks()).expect("checks");
    assert_eq!(checks.iter().map(|check| check.points).sum::<f64>(), 100.0);
    checks
}

/// Every position of a check in which something is to be seen, with the plies that it takes.
fn tasks(game: &dyn HostedGame) -> Vec<(HostedPosition, u32)> {
    let mut tasks = Vec::new();
    for check in checks(game) {
        match &check.kind {
            CheckKind::Sees { depth, plies, positions } => {
                assert!(plies <= depth, "{}", check.name);
                tasks.extend(positions.iter().map(|moves| (after(game, moves), *plies)));
            }
            CheckKind::StopsWhenOver { positions, .. } => {
                assert!(positions.iter().all(|moves| after(game, moves).is_over()));
            }
            CheckKind::AcceptsLegal { positions }
            | CheckKind::RefusesIllegal { positions, .. }
            | CheckKind::Time { positions, .. }
            | CheckKind::FileFormat { positions, .. }
            | CheckKind::PrintsScore { positions, .. } => {
                assert!(positions.iter().all(|moves| !after(game, moves).is_over()));
            }
            CheckKind::Faultless { .. } | CheckKind::BeatsRandom { .. } => {}
        }
    }
    tasks
}

#[test]
fn something_is_to_be_seen_in_every_position() {
    for (position, plies) in tasks(&*network::game(Rules::Berkeley)) {
        let (best, promise) = best_moves(&position, plies);
        assert!(best.len() < position.legal_moves().count(), "{position}");
        assert_ne!(promise, Promise::Lost, "{position}");
        if plies == 3 {
            assert_ne!(best_moves(&position, 2).1, Promise::Won, "{position}");
        }
    }
    for (position, plies) in tasks(&*maxconnect4::game()) {
        let (best, promise) = best_moves(&position, plies);
        assert!(best.len() < position.legal_moves().count(), "{position}");
        assert_ne!(promise, Promise::Lost, "{position}");
        assert_eq!(position.plies_left(), Some(plies), "{position}");
    }
}

#[test]
fn usf_has_checks_of_its_own() {
    assert_eq!(tasks(&*network::game(Rules::Usf)), []);
}

#[test]
fn every_illegal_move_that_is_tried_is_illegal_somewhere() {
    let game = network::game(Rules::Berkeley);
    for check in checks(&*game) {
        let CheckKind::RefusesIllegal { positions, moves } = check.kind else { continue };
        for text in moves {
            let mv = game.start().parse_move(&text).expect("a move");
            let refused = positions.iter().any(|to| after(&*game, to).check_legal(mv).is_err());
            assert!(refused, "{text}");
        }
    }
}

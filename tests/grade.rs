//! The checks of the games show what they are meant to show.

use plyground::Game;
use plyground::grade::{Check, Kind, Prospect, best_moves, parse_checks};

const MAXCONNECT4: &str = include_str!("../games/maxconnect4/src/checks.toml");
const NETWORK: &str = include_str!("../games/network/src/checks.toml");
const USF: &str = include_str!("../games/network/src/checks-usf.toml");

fn after<G: Game>(start: &G, moves: &str) -> G {
    let mut position = start.clone();
    for text in moves.split_whitespace() {
        let mv = text.parse().unwrap_or_else(|_| panic!("`{text}` is no move"));
        position.play(mv).expect("a legal move");
    }
    position
}

fn checks(text: &str) -> Vec<Check> {
    let checks = parse_checks(text).expect("checks");
    assert_eq!(checks.iter().map(|check| check.points).sum::<f64>(), 100.0);
    checks
}

/// Every position of a check in which something is to be seen, with the plies that it takes.
fn tasks<G: Game>(text: &str, start: &G) -> Vec<(G, u32)> {
    let mut tasks = Vec::new();
    for check in checks(text) {
        match &check.kind {
            Kind::Sees { depth, plies, positions } => {
                assert!(plies <= depth, "{}", check.name);
                tasks.extend(positions.iter().map(|moves| (after(start, moves), *plies)));
            }
            Kind::StopsWhenOver { positions, .. } => {
                assert!(positions.iter().all(|moves| after(start, moves).outcome().is_some()));
            }
            Kind::AcceptsLegal { positions }
            | Kind::RefusesIllegal { positions, .. }
            | Kind::Time { positions, .. }
            | Kind::FileFormat { positions, .. }
            | Kind::PrintsScore { positions, .. } => {
                assert!(positions.iter().all(|moves| after(start, moves).outcome().is_none()));
            }
            Kind::Faultless { .. } | Kind::BeatsRandom { .. } => {}
        }
    }
    tasks
}

#[test]
fn something_is_to_be_seen_in_every_position() {
    let network = network::Position::new(network::Rules::Berkeley);
    for (position, plies) in tasks(NETWORK, &network) {
        let (best, prospect) = best_moves(&position, plies);
        assert!(best.len() < position.legal_moves().count(), "{position}");
        assert_ne!(prospect, Prospect::Lost, "{position}");
        if plies == 3 {
            assert_ne!(best_moves(&position, 2).1, Prospect::Won, "{position}");
        }
    }
    for (position, plies) in tasks(MAXCONNECT4, &maxconnect4::Position::standard()) {
        let (best, prospect) = best_moves(&position, plies);
        assert!(best.len() < position.legal_moves().count(), "{position}");
        assert_ne!(prospect, Prospect::Lost, "{position}");
        assert_eq!(position.plies_left(), Some(plies), "{position}");
    }
}

#[test]
fn usf_has_checks_of_its_own() {
    assert_eq!(tasks(USF, &network::Position::new(network::Rules::Usf)), []);
}

#[test]
fn every_illegal_move_that_is_tried_is_illegal_somewhere() {
    let start = network::Position::new(network::Rules::Berkeley);
    for check in checks(NETWORK) {
        let Kind::RefusesIllegal { positions, moves } = check.kind else { continue };
        for text in moves {
            let mv: network::Move = text.parse().expect("a move");
            let refused = positions.iter().any(|to| after(&start, to).check_legal(mv).is_err());
            assert!(refused, "{text}");
        }
    }
}

//! The rules of Othello.

use othello::{Discs, Move, Othello, Position};
use plyground::perft::perft;
use plyground::testing::{Breach, Sample, check_contract};
use plyground::{Game, Side, Value};
use plyground_host::{EngineOptions, host};

/// The number of games of this many plies from the start, a pass counted as a ply; they are widely
/// published.
const PERFT: [u64; 9] = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];

#[test]
fn perft_counts_match_published_numbers() {
    let start = Position::new(8);
    for (depth, expected) in (1..).zip(PERFT) {
        assert_eq!(perft(&start, depth), expected, "depth {depth}");
    }
}

#[test]
fn othello_keeps_the_contract() -> Result<(), Breach> {
    for size in [4, 6, 8] {
        let squares = Position::new(size).squares().map(Move::Place);
        let sample = Sample::new([Position::new(size)], 1)
            .with_moves(squares.chain([Move::Pass]))
            .with_playouts(60)
            .with_keys(30_000);
        let coverage = check_contract(&sample, &Discs)?;
        assert!(coverage.solved > 100, "{size}: {coverage:?}");
    }
    Ok(())
}

#[test]
fn first_player_loses_on_four_by_four_by_eight() {
    let game = host(Othello(4));
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a move").value;
    assert!(value.is_exact());
    assert_eq!(game.value(value.score()), -8);
}

/// Tests that a search without a limit on its depth ends where every game has ended.
#[test]
fn deepening_stops_at_the_end_of_the_game() {
    let game = host(Othello(4));
    let mut position = game.start();
    while position.plies_left().is_some_and(|left| left > 18) {
        let mv = position.legal_moves().next().expect("a move");
        position.play_unchecked(mv);
    }
    let mut engine = game.engine(EngineOptions::default());
    let limits = plyground::Limits::nodes(50_000_000);
    let report = engine
        .search(&position, &limits, plyground::search::Scope::BestMove, &mut |_| ())
        .expect("a position of the game")
        .expect("a move");
    assert!(matches!(report.value, Value::Exact(_)), "{:?}", report.value);
    assert!(report.nodes < 100_000, "{} nodes", report.nodes);
}

#[test]
fn pass_is_legal_only_without_another_move() {
    // White can place nothing, and Black can.
    let text = "XXXX/XXXX/XXXO/X.../O".replace('/', "\n");
    let game = host(Othello(4));
    let position = game.parse_state(&plyground_host::state::StateText::new(text));
    let position = position.expect("a position");
    let moves: Vec<_> = position.legal_moves().collect();
    assert_eq!(moves.len(), 1);
    assert!(position.is_pass(moves[0]), "{moves:?}");
    assert_eq!(position.side_to_move(), Side::Second);
    let illegal = game.start().check_legal(moves[0]).expect_err("there are other moves");
    assert_eq!(illegal.to_string(), "pass: there is another move");
}

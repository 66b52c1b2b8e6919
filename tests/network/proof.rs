//! Proofs of forced wins against minimax, and the opening of the solution.

use network::{ChipEval, Color, Position, Win};
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search};
use rand::prelude::*;

use crate::samples::{by_play, by_setup, random_rules};

#[test]
fn forced_wins_are_those_of_the_exact_search() {
    let mut rng = StdRng::seed_from_u64(1);
    let prover = Prover::new(4);
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 4, ..Options::default() });
    let mut proven = 0;
    for index in 0..400 {
        let rules = random_rules(&mut rng);
        let (position, plies) = if index % 8 == 0 {
            (by_setup(rules, 10, 10, &mut rng), 2 + index as u32 / 8 % 2)
        } else {
            (by_play(rules, rng.random_range(9..18), &mut rng), 1 + index as u32 % 5)
        };
        let Some(report) = search.best(&position, &Limits::depth(plies)) else { continue };
        for color in Color::BOTH {
            let goal = Win::new(&position, color);
            let proof = prover.prove(&goal, &position, plies, &Limits::default());
            let score = report.score();
            let won = if color == position.to_move() { score.is_win() } else { score.is_loss() };
            assert_eq!(proof.reached, Some(won), "{color} within {plies}\n{position}");
            proven += usize::from(won);
        }
    }
    println!("{proven} proven");
    assert!(proven > 100);
}

/// One of the replies to the opening 03, 73.
#[test]
fn white_wins_by_eighth_chip_after_a_reply() {
    let mut position = Position::new(network::Rules::Berkeley);
    for mv in ["03", "34", "73", "44"] {
        position.play(mv.parse().unwrap()).unwrap();
    }
    let goal = Win::new(&position, Color::White);
    let proof = Prover::new(64).prove(&goal, &position, 11, &Limits::default());
    println!("{} nodes", proof.nodes);
    assert_eq!(proof.reached, Some(true));
    assert!(proof.best.is_some());
}

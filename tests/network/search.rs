//! Alpha-beta against minimax on positions of Network.

use network::{ChipEval, Position, Rules};
use plyground::search::{Options, Scope};
use plyground::{AlphaBeta, Game, Limits, Minimax, Search};
use rand::prelude::*;

use crate::samples;

fn assert_agree(position: &Position, depth: u32, scope: Scope) {
    let limits = Limits::depth(depth);
    let options = Options { table_mib: 8, ..Options::default() };
    let fast = AlphaBeta::new(ChipEval, options).search(position, &limits, scope, &mut |_| ());
    let plain = Minimax::new(ChipEval).search(position, &limits, scope, &mut |_| ());
    let (Some(fast), Some(plain)) = (fast, plain) else {
        panic!("a game that goes on\n{position}");
    };
    assert_eq!(fast.score(), plain.score(), "depth {depth}\n{position}");
    let mut scores = [fast.lines, plain.lines].map(|lines| {
        lines.into_iter().map(|line| (line.first_move(), line.score())).collect::<Vec<_>>()
    });
    if scope == Scope::EveryMove {
        scores.iter_mut().for_each(|scores| scores.sort());
        assert_eq!(scores[0], scores[1], "depth {depth}\n{position}");
    }
}

fn unfinished(plies: usize, rng: &mut StdRng) -> Position {
    loop {
        let rules = samples::random_rules(rng);
        let position = samples::by_play(rules, plies, rng);
        if position.outcome().is_none() {
            return position;
        }
    }
}

#[test]
fn alpha_beta_agrees_in_add_phase() {
    let mut rng = StdRng::seed_from_u64(1);
    assert_agree(&Position::new(Rules::Berkeley), 3, Scope::BestMove);
    for index in 0..45 {
        let position = unfinished(index % 19, &mut rng);
        assert_agree(&position, 1 + index as u32 % 3, Scope::EveryMove);
    }
}

#[test]
fn alpha_beta_agrees_from_last_adds_into_steps() {
    let mut rng = StdRng::seed_from_u64(2);
    for index in 0..12 {
        assert_agree(&unfinished(17 + index % 3, &mut rng), 3, Scope::BestMove);
    }
}

#[test]
fn alpha_beta_agrees_in_step_phase() {
    let mut rng = StdRng::seed_from_u64(3);
    for index in 0..30 {
        let position = unfinished(20 + index, &mut rng);
        assert_agree(&position, 1 + index as u32 % 2, Scope::EveryMove);
    }
}

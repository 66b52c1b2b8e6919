//! The evaluation.

use network::{ChipEval, Color, Position, Rules, Square, SquareSet, Weighted, Weights, terms};
use plyground::{Evaluator, Game, Score};
use rand::prelude::*;

use crate::samples;

fn value(position: &Position) -> i32 {
    ChipEval.evaluate(position).get()
}

/// The chips of `position` moved by `map`, `color` to move.
fn rebuilt(
    position: &Position,
    colors: [Color; 2],
    to_move: Color,
    map: impl Fn(Square) -> (u8, u8),
) -> Position {
    let moved = |color| -> SquareSet {
        let places = position.chips(color).iter().map(&map);
        places.filter_map(|(x, y)| Square::new(x, y)).collect()
    };
    let [white, black] = colors.map(moved);
    Position::from_chips(position.rules(), white, black, to_move).unwrap()
}

#[test]
fn only_the_tempo_is_not_antisymmetric() {
    let mut rng = StdRng::seed_from_u64(1);
    let tempo = value(&Position::new(Rules::Berkeley));
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        let color = position.to_move();
        let same = |square: Square| (square.x(), square.y());
        let passed = rebuilt(&position, Color::BOTH, color.other(), same);
        assert_eq!(value(&position) - tempo, tempo - value(&passed), "{position}");
    }
}

#[test]
fn symmetries_of_the_board_do_not_matter() {
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        let color = position.to_move();
        let swapped = [Color::Black, Color::White];
        for other in [
            rebuilt(&position, Color::BOTH, color, |square| (7 - square.x(), square.y())),
            rebuilt(&position, Color::BOTH, color, |square| (square.x(), 7 - square.y())),
            rebuilt(&position, swapped, color.other(), |square| (square.y(), square.x())),
        ] {
            assert_eq!(value(&position), value(&other), "{position}");
        }
    }
}

#[test]
fn estimates_stay_far_below_forced_wins() {
    const LIMIT: i32 = 5_000;
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..20_000 {
        let position = samples::any_phase(&mut rng);
        assert!(value(&position).abs() <= LIMIT, "{position}");
        for mv in position.legal_moves().take(5) {
            let order = ChipEval.order(&position, mv, &position.after(mv));
            assert!(order.abs() <= LIMIT, "{mv}\n{position}");
        }
    }
    const { assert!(LIMIT < Score::MAX_ESTIMATE.get()) }
}

#[test]
fn default_weights_are_those_of_the_machine() {
    let weighted = Weighted(Weights::DEFAULT);
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        assert_eq!(weighted.evaluate(&position), ChipEval.evaluate(&position), "{position}");
        for mv in position.legal_moves().take(5) {
            let next = position.after(mv);
            let orders =
                [ChipEval.order(&position, mv, &next), weighted.order(&position, mv, &next)];
            assert_eq!(orders[0], orders[1], "{mv}\n{position}");
        }
    }
    assert_eq!(weighted.order_depth(), Evaluator::<Position>::order_depth(&ChipEval));
}

#[test]
fn evaluation_is_the_sum_of_its_terms() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..2_000 {
        let position = samples::any_phase(&mut rng);
        let weights = std::array::from_fn(|_| rng.random_range(-1_000..=1_000));
        let weighted = Weighted(Weights::DEFAULT.with_terms(weights));
        assert_eq!(weighted.0.of_terms(), weights);
        let sum = weights.iter().zip(terms(&position)).map(|(weight, term)| weight * term).sum();
        assert_eq!(weighted.evaluate(&position), Score::estimate(sum), "{position}");
    }
}

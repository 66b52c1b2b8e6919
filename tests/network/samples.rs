//! Random positions for the tests, and what the naive rules make of them.

#![allow(dead_code, reason = "every test program uses its part")]

use network::naive::{Board, NaiveMove, Place};
use network::{Color, Move, Position, Rules, Square, SquareSet};
use plyground::Game;
use rand::prelude::*;

/// A random move of a position that has one.
pub fn random_move(position: &Position, rng: &mut StdRng) -> Move {
    let moves: Vec<Move> = position.legal_moves().collect();
    *moves.choose(rng).expect("a game that goes on has a legal move")
}

/// The position after up to `plies` random moves; the game may have ended on the way.
pub fn by_play(rules: Rules, plies: usize, rng: &mut StdRng) -> Position {
    let mut position = Position::new(rules);
    for _ in 0..plies {
        if position.outcome().is_some() {
            break;
        }
        let mv = random_move(&position, rng);
        position.play_unchecked(mv);
    }
    position
}

/// A position with about so many chips of each color on random squares.
pub fn by_setup(rules: Rules, white: usize, black: usize, rng: &mut StdRng) -> Position {
    let mut chips = [SquareSet::EMPTY; 2];
    let mut squares: Vec<Square> = Square::all().collect();
    squares.shuffle(rng);
    for (color, wanted) in [(Color::White, white), (Color::Black, black)] {
        for &square in &squares {
            let [white, black] = chips;
            let mut with = chips;
            with[color.index()] = chips[color.index()].with(square);
            let is_free = !(white | black).contains(square);
            let fits = Position::from_chips(rules, with[0], with[1], Color::White).is_ok();
            if is_free && fits && chips[color.index()].len() < wanted {
                chips = with;
            }
        }
        squares.shuffle(rng);
    }
    let to_move = if rng.random() { Color::White } else { Color::Black };
    Position::from_chips(rules, chips[0], chips[1], to_move).expect("every chip was checked")
}

/// Either rules.
pub fn random_rules(rng: &mut StdRng) -> Rules {
    if rng.random() { Rules::Berkeley } else { Rules::Usf }
}

/// A position of any phase: from the start of a game to long after the last add, played or set
/// up, games that are over included.
pub fn any_phase(rng: &mut StdRng) -> Position {
    let rules = random_rules(rng);
    match rng.random_range(0..4) {
        0 => by_play(rules, rng.random_range(0..20), rng),
        1 => by_play(rules, rng.random_range(20..60), rng),
        2 => by_setup(rules, rng.random_range(0..=10), rng.random_range(0..=10), rng),
        _ => by_setup(rules, 10, 10, rng),
    }
}

/// Every add and every step, legal or not.
pub fn every_move() -> impl Iterator<Item = Move> {
    let steps = Square::all().flat_map(|from| Square::all().map(move |to| Move::Step { from, to }));
    Square::all().map(Move::Add).chain(steps)
}

/// The position for the naive rules.
pub fn board_of(position: &Position) -> Board {
    Board::from_text(&position.to_string(), position.rules() == Rules::Usf).unwrap()
}

/// The square for the naive rules.
pub fn place(square: Square) -> Place {
    (square.x() as i8, square.y() as i8)
}

/// The move for the naive rules.
pub fn naive_move(mv: Move) -> NaiveMove {
    NaiveMove { from: mv.from().map(place), to: place(mv.to()) }
}

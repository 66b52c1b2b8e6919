//! The rules of the check against the naive ones.

use rand::prelude::*;

use self::samples::{any_phase, by_setup};
use super::board::{Board, Move, bit, each};
use crate::Rules;
use crate::naive::{self, NaiveMove, Place, other, places};

#[path = "../../../../tests/network/samples.rs"]
mod samples;

const POSITIONS: usize = 4_000;

/// Returns a position of any phase, which may be over, with either color to move.
fn random_board(rng: &mut StdRng) -> naive::Board {
    let position = any_phase(rng);
    let usf = position.rules() == Rules::Usf;
    let mut board = naive::Board::from_text(&position.to_string(), usf).unwrap();
    if rng.random() {
        board.to_move = other(board.to_move);
    }
    board
}

fn naive_move(mv: Move) -> NaiveMove {
    let place = |number: usize| ((number % 8) as i8, (number / 8) as i8);
    NaiveMove { from: mv.from.map(place), to: place(mv.to) }
}

/// Returns the numbers of origin and target, which sort moves.
fn numbers(mv: NaiveMove) -> (Option<i8>, i8) {
    let number = |(x, y)| 8 * y + x;
    (mv.from.map(number), number(mv.to))
}

/// Returns the legal moves, and tests that they are those of the naive rules in the order of the walk.
fn same_moves(naive: &naive::Board) -> Vec<Move> {
    let moves = Board::new(naive).unwrap().legal_moves();
    let mut expected = naive.legal_moves();
    expected.sort_by_key(|&mv| numbers(mv));
    let found: Vec<NaiveMove> = moves.iter().copied().map(naive_move).collect();
    assert_eq!(found, expected, "{}", naive.text());
    moves
}

/// Returns true if there is a network, and tests that the naive rules agree. A chip of the other color that
/// is not on the lines of the network must leave a network.
fn same_network(naive: &naive::Board, color: char) -> bool {
    let Some(lines) = Board::new(naive).unwrap().network(color) else {
        assert!(!naive.has_network(color), "{color}\n{}", naive.text());
        return false;
    };
    assert!(naive.has_network(color), "{color}\n{}", naive.text());
    for place in places().filter(|&place| naive.at(place) == '.') {
        let mut with = naive.clone();
        with.set(place, other(color));
        let is_on_line = lines & bit(8 * place.1 as usize + place.0 as usize) != 0;
        assert!(is_on_line || with.has_network(color), "{color} {place:?}\n{}", naive.text());
    }
    true
}

#[test]
fn moves_networks_and_winners_are_those_of_naive_rules() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut networks, mut steps, mut won) = (0, 0, 0);
    for _ in 0..POSITIONS {
        let naive = random_board(&mut rng);
        let board = Board::new(&naive).unwrap();
        assert_eq!(board.text(), naive.text());
        assert_eq!(board.winner(), naive.winner(), "{}", naive.text());
        networks += ['W', 'B'].into_iter().filter(|&color| same_network(&naive, color)).count();
        won += usize::from(board.winner().is_some());
        let moves = same_moves(&naive);
        steps += moves.iter().filter(|mv| mv.from.is_some()).count();
        for mv in moves.sample(&mut rng, 3) {
            let next = naive.play(naive_move(*mv));
            assert_eq!(Some(board.play(*mv)), Board::new(&next), "{}", next.text());
            assert_eq!(mv.text(), naive_move(*mv).text());
        }
    }
    println!("{networks} networks, {steps} steps, {won} games won");
    assert!(networks > 100 && steps > 10_000 && won > 100);
}

/// Tests that a step may not complete the networks of both colors under USF's rules.
#[test]
fn steps_that_complete_both_networks_are_told_apart() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut forbidden = 0;
    while forbidden < 3 {
        let position = by_setup(Rules::Usf, 10, 10, &mut rng);
        let usf = naive::Board::from_text(&position.to_string(), true).unwrap();
        let mut berkeley = usf.clone();
        berkeley.usf = false;
        let all = Board::new(&berkeley).unwrap().legal_moves();
        let allowed = Board::new(&usf).unwrap().legal_moves();
        if all != allowed {
            same_moves(&usf);
            same_moves(&berkeley);
            forbidden += 1;
        }
    }
}

/// Tests that mirror images share a name, and other positions do not.
#[test]
fn mirror_images_share_a_name() {
    let mut rng = StdRng::seed_from_u64(3);
    let turns: [fn(Place) -> Place; 3] =
        [|(x, y)| (7 - x, y), |(x, y)| (x, 7 - y), |(x, y)| (7 - x, 7 - y)];
    for _ in 0..200 {
        let naive = random_board(&mut rng);
        let name = |board: &naive::Board| Board::new(board).unwrap().name();
        for turn in turns {
            let mut image = naive.clone();
            places().for_each(|place| image.set(turn(place), naive.at(place)));
            assert_eq!(name(&image), name(&naive), "{}", naive.text());
        }
        let chips = Board::new(&naive).unwrap().chips('W');
        for number in each(chips) {
            let mut fewer = naive.clone();
            fewer.set(((number % 8) as i8, (number / 8) as i8), '.');
            assert_ne!(name(&fewer), name(&naive), "{}", naive.text());
        }
    }
}

#[test]
fn chips_where_their_color_may_not_put_them_are_refused() {
    let rows = |first: &str| format!("{first}\n{}W", "........\n".repeat(7));
    let board = |first| Board::new(&naive::Board::from_text(&rows(first), false).unwrap());
    assert!(board(".BB.....").is_some());
    for first in ["W.......", ".......B", "...W...."] {
        assert_eq!(board(first), None, "{first}");
    }
}

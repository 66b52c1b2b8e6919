//! The fast rules against the naive ones on random positions of all phases.

use std::collections::BTreeSet;

use network::naive::{Board, NaiveMove, Place, goal};
use network::{Color, IllegalMove, Move, Position, Rules, Square, SquareSet};
use plyground::{Game, Outcome};
use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use proptest::sample::select;
use rand::prelude::*;

use crate::cases::cases;
use crate::samples::{any_phase, by_setup, random_rules};

const POSITIONS: usize = 100_000;

fn board_of(position: &Position) -> Board {
    Board::from_text(&position.to_string(), position.rules() == Rules::Usf).unwrap()
}

fn winner(position: &Position) -> Option<char> {
    match position.outcome() {
        None => None,
        Some(Outcome::Win(side)) => Some(position.rules().color(side).letter()),
        Some(other) => panic!("no outcome of Network: {other:?}"),
    }
}

/// The same position without the knowledge of how it came about.
fn set_up_again(position: &Position) -> Position {
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    Position::from_chips(position.rules(), white, black, position.to_move()).unwrap()
}

fn place(square: Square) -> Place {
    (square.x() as i8, square.y() as i8)
}

fn naive_move(mv: Move) -> NaiveMove {
    NaiveMove { from: mv.from().map(place), to: place(mv.to()) }
}

/// Returns `true` if `chain` is a network by the letter of the assignment.
fn is_network(board: &Board, color: char, chain: &[Square]) -> bool {
    let chain: Vec<Place> = chain.iter().copied().map(place).collect();
    let different: BTreeSet<_> = chain.iter().collect();
    let goals: Vec<_> = chain.iter().map(|&place| goal(place)).collect();
    let Some((last, rest)) = goals.split_last() else { return false };
    let steps: Vec<Option<Place>> =
        chain.windows(2).map(|pair| sense_of_link(board, pair[0], pair[1])).collect();
    chain.len() >= 6
        && different.len() == chain.len()
        && chain.iter().all(|&place| board.at(place) == color)
        && (rest[0], *last) == (Some((color, 1)), Some((color, 2)))
        && rest[1..].iter().all(Option::is_none)
        && steps.iter().all(Option::is_some)
        && steps.windows(2).all(|pair| pair[0] != pair[1])
}

/// The direction from one chip to another, if they are on a line with nothing between.
fn sense_of_link(board: &Board, (x, y): Place, (to_x, to_y): Place) -> Option<Place> {
    let (dx, dy) = (to_x - x, to_y - y);
    if dx != 0 && dy != 0 && dx.abs() != dy.abs() {
        return None;
    }
    let sense = (dx.signum(), dy.signum());
    let between = 1..dx.abs().max(dy.abs());
    between
        .into_iter()
        .all(|i| board.at((x + i * sense.0, y + i * sense.1)) == '.')
        .then_some(sense)
}

fn assert_same_moves(position: &Position, board: &Board) {
    let moves: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    let mut expected: Vec<String> = board.legal_moves().into_iter().map(NaiveMove::text).collect();
    let mut found = moves.clone();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{position}");
    assert_eq!(position.legal_moves().count(), moves.len(), "{position}");
}

#[test]
fn moves_networks_and_outcomes_agree_on_random_positions() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut networks, mut doubles, mut steps) = (0, 0, 0);
    for _ in 0..POSITIONS {
        let position = any_phase(&mut rng);
        let board = board_of(&position);
        assert_eq!(winner(&position), board.winner(), "{position}");
        if position.outcome().is_none() {
            assert_same_moves(&position, &board);
        } else {
            assert_eq!(position.legal_moves().next(), None, "{position}");
        }
        let mut both = 0;
        for color in Color::BOTH {
            let found = position.network(color);
            let expected = board.network(color.letter());
            assert_eq!(found.as_ref().map(Vec::len), expected, "{color}\n{position}");
            if let Some(found) = found {
                assert!(is_network(&board, color.letter(), &found), "{found:?}\n{position}");
                both += 1;
            }
        }
        networks += both;
        doubles += usize::from(both == 2);
        steps += usize::from(position.in_hand(position.to_move()) == 0);
    }
    println!("{networks} networks, {doubles} double networks, {steps} positions with steps");
    assert!(networks > 1_000 && doubles > 20 && steps > 10_000);
}

/// Plays `mv` and compares all that can be known of the next position.
fn assert_move_agrees(position: &Position, board: &Board, mv: Move) -> Option<char> {
    let next = position.after(mv);
    let again = set_up_again(&next);
    assert_eq!(board_of(&next), board.play(naive_move(mv)), "{mv}\n{position}");
    assert_eq!((next, next.key()), (again, again.key()), "{mv}\n{position}");
    let expected = board.play(naive_move(mv)).winner();
    assert_eq!(winner(&next), expected, "{mv}\n{position}");
    assert_eq!(winner(&again), expected, "{mv}\n{position}");
    expected
}

proptest! {
    #![proptest_config(cases(1_500))]

    /// Every number chooses a move.
    #[test]
    fn every_ply_of_random_games_agrees(
        rules in select(Rules::BOTH.to_vec()),
        choices in vec(any::<u16>(), 0..=60),
    ) {
        let mut position = Position::new(rules);
        for choice in choices {
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = moves[usize::from(choice) % moves.len()];
            if assert_move_agrees(&position, &board_of(&position), mv).is_some() {
                break;
            }
            position.play(mv).unwrap();
        }
    }
}

#[test]
fn every_step_of_crowded_positions_agrees() {
    let mut rng = StdRng::seed_from_u64(3);
    let (mut won, mut handed_over) = (0, 0);
    for _ in 0..400 {
        let position = by_setup(random_rules(&mut rng), 10, 10, &mut rng);
        if position.outcome().is_some() || position.in_hand(position.to_move()) > 0 {
            continue;
        }
        let board = board_of(&position);
        for mv in position.legal_moves() {
            match assert_move_agrees(&position, &board, mv) {
                Some(winner) if winner == board.to_move => won += 1,
                Some(_) => handed_over += 1,
                None => {}
            }
        }
    }
    println!("{won} steps win, {handed_over} steps hand the opponent a network");
    assert!(won > 500 && handed_over > 100);
}

/// Positions without a network from which the returned step completes both: made from positions
/// with both networks by taking a step back.
fn double_network_steps(rules: Rules, wanted: usize, rng: &mut StdRng) -> Vec<(Position, Move)> {
    let mut found = Vec::new();
    while found.len() < wanted {
        let both = by_setup(rules, 10, 10, rng);
        if Color::BOTH.iter().any(|&color| both.network(color).is_none() || both.in_hand(color) > 0)
        {
            continue;
        }
        let mover = both.to_move();
        for to in both.chips(mover) {
            for from in both.step_targets(mover, to) {
                let mut chips = Color::BOTH.map(|color| both.chips(color));
                let own = chips[mover.index()];
                chips[mover.index()] = own.without(to).with(from);
                let before = Position::from_chips(rules, chips[0], chips[1], mover).unwrap();
                if Color::BOTH.iter().all(|&color| before.network(color).is_none()) {
                    found.push((before, Move::Step { from, to }));
                }
            }
        }
    }
    found
}

#[test]
fn steps_that_complete_both_networks_lose_or_are_illegal() {
    let mut rng = StdRng::seed_from_u64(4);
    for (position, mv) in double_network_steps(Rules::Berkeley, 300, &mut rng) {
        let board = board_of(&position);
        assert_eq!(position.check_legal(mv), Ok(()), "{mv}\n{position}");
        let winner = assert_move_agrees(&position, &board, mv);
        assert_eq!(winner, Some(position.to_move().other().letter()), "{mv}\n{position}");
    }
    for (position, mv) in double_network_steps(Rules::Usf, 300, &mut rng) {
        let board = board_of(&position);
        let refusal = Err(IllegalMove::BothNetworks { mv });
        assert_eq!(position.check_legal(mv), refusal, "{mv}\n{position}");
        assert_same_moves(&position, &board);
    }
}

/// The name of the variant, which is what the naive rules know.
fn name(reason: &IllegalMove) -> String {
    let text = format!("{reason:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

fn assert_same_reason(position: &Position, board: &Board, mv: Move) -> bool {
    let found = position.check_legal(mv);
    let expected = board.why_illegal(naive_move(mv));
    assert_eq!(found.as_ref().err().map(name).as_deref(), expected, "{mv}\n{position}");
    if let Err(reason) = found {
        assert_eq!(reason.mv(), mv);
        assert!(reason.to_string().starts_with(&format!("{mv}: ")), "{reason}");
    }
    expected.is_none()
}

#[test]
fn reasons_and_generator_agree_for_every_thinkable_move() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..2_000 {
        let position = any_phase(&mut rng);
        if position.outcome().is_some() {
            let mv = Move::Add(Square::all().choose(&mut rng).unwrap());
            assert_eq!(position.check_legal(mv), Err(IllegalMove::GameOver { mv }));
            continue;
        }
        let board = board_of(&position);
        let adds = Square::all().map(Move::Add);
        let steps =
            Square::all().flat_map(|from| Square::all().map(move |to| Move::Step { from, to }));
        let legal: Vec<Move> =
            adds.chain(steps).filter(|&mv| assert_same_reason(&position, &board, mv)).collect();
        assert_eq!(legal, position.legal_moves().collect::<Vec<_>>(), "{position}");
    }
}

#[test]
fn group_of_three_is_named_by_three_chips_of_it() {
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..2_000 {
        let position = any_phase(&mut rng);
        for to in Square::all() {
            let Err(IllegalMove::GroupOfThree { mv, group }) = position.check_legal(Move::Add(to))
            else {
                continue;
            };
            let [first, second, third] = group;
            let own = position.chips(position.to_move());
            assert_eq!((mv, first), (Move::Add(to), to));
            assert!(second != third && own.contains(second) && own.contains(third));
            let is_joined = |a, b| SquareSet::EMPTY.with(a).neighbors().contains(b);
            assert!(is_joined(first, second));
            assert!(is_joined(first, third) || is_joined(second, third));
        }
    }
}

//! The rules against the examples of the assignments and against counts and positions that independent
//! programs agree on; and the fast rules against the naive ones on random positions of all phases.

use std::collections::BTreeSet;

use network::naive::{Board, NaiveMove, Place, goal};
use network::{
    Color, IllegalMove, Move, Notation, Position, Rules, Square, SquareSet, WhyIllegal, parse_state,
};
use plyground::{Game, Outcome, SearchHints, Side};
use plyground_host::state::StateText;
use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use rand::prelude::*;

use crate::samples::{self, any_phase, board_of, by_setup, naive_move, place, random_rules};

const POSITIONS: &str = include_str!("data/positions.tsv");
const PERFT: &str = include_str!("data/perft.txt");

/// The deepest counts are for benchmarks.
const DEEPEST_TEST: usize = 4;

fn square(name: &str) -> Square {
    name.parse::<Move>().unwrap().to()
}

fn squares(names: &str) -> SquareSet {
    names.split_whitespace().map(square).collect()
}

fn position(rules: Rules, white: &str, black: &str, to_move: Color) -> Position {
    Position::from_chips(rules, squares(white), squares(black), to_move).unwrap()
}

fn names(squares: &[Square]) -> String {
    squares.iter().map(Square::to_string).collect::<Vec<_>>().join(" ")
}

/// A position from its rows joined by `/`, and the letter of the color to move.
fn from_rows(rows: &str, to_move: &str) -> Position {
    let text = StateText::new(format!("{}\n{to_move}\n", rows.replace('/', "\n")));
    parse_state(&text, Rules::Berkeley).unwrap()
}

/// The lines of a table of fields between tabs, without the comment.
fn table(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[test]
fn moves_and_networks_of_the_collected_positions() {
    for row in table(POSITIONS) {
        let position = from_rows(row[0], row[1]);
        for (color, expected) in [(Color::White, row[2]), (Color::Black, row[3])] {
            assert_eq!(position.network(color).is_some(), expected == "1", "{color}\n{position}");
        }
        // Those of finished games are listed, too.
        let mut moves: Vec<String> = position.open_moves().map(|mv| mv.to_string()).collect();
        moves.sort();
        assert_eq!(moves.join(","), row[4], "{position}");
    }
}

/// The number of positions after `depth` plies; those of finished games have no moves.
fn perft(position: &Position, depth: usize) -> usize {
    if position.outcome().is_some() {
        return 0;
    }
    match depth {
        1 => position.legal_moves().count(),
        _ => position.legal_moves().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}

#[test]
fn perft_counts() {
    for row in table(PERFT) {
        let position = from_rows(row[0], row[1]);
        for (i, expected) in row[2].split(',').take(DEEPEST_TEST).enumerate() {
            assert_eq!(
                perft(&position, i + 1).to_string(),
                expected,
                "depth {}\n{position}",
                i + 1
            );
        }
    }
}

#[test]
fn both_rules_count_alike_on_the_empty_board() {
    let [berkeley, usf] = [Rules::Berkeley, Rules::Usf].map(Position::new);
    assert_eq!(berkeley.to_move(), Color::White);
    assert_eq!(usf.to_move(), Color::Black);
    for position in [berkeley, usf] {
        assert_eq!(position.side_to_move(), Side::First);
        assert_eq!(perft(&position, 3), 104_904);
    }
}

#[test]
fn networks_of_the_assignment() {
    // The diagram has eleven chips; 27 is in neither network.
    let black = "20 60 42 13 33 25 35 55 65 57";
    let network =
        |white, black| position(Rules::Berkeley, white, black, Color::White).network(Color::Black);
    assert!(network("", black).is_some());
    assert!(network("", "60 65 55 33 35 57").is_some());
    assert!(network("", "20 25 35 13 33 55 57").is_some());
    assert_eq!(network("56", "20 25 35 13 33 55 57"), None, "a chip between breaks the connection");
    assert_eq!(network("", "60 20 42 33 35 57"), None, "two chips in one goal");
    assert_eq!(network("", "20 42 60 65 55 57"), None, "a goal in the middle");
    assert_eq!(network("", "60 42 33 35 25 27"), None, "no turn at 42");
}

#[test]
fn shortest_network_is_found_from_the_left_or_the_top() {
    let both = position(Rules::Berkeley, "", "20 60 42 13 33 25 35 55 65 57", Color::White);
    assert_eq!(names(&both.network(Color::Black).unwrap()), "20 25 35 33 55 57");
}

#[test]
fn forbidden_squares_of_the_assignment() {
    let black = "30 21 52 53 24 65 16 47";
    let crosses = "10 20 40 11 31 41 51 61 12 22 32 42 62 43 63 44 54 64 15 25 56";
    let position = position(Rules::Berkeley, "", black, Color::Black);
    let free = Color::Black.territory() - squares(black);
    assert_eq!(free - position.add_targets(Color::Black), squares(crosses));
}

#[test]
fn player_without_a_legal_move_loses() {
    let black = "21 22 51 52 25 26 55 56";
    for (rules, winner) in [(Rules::Berkeley, Side::First), (Rules::Usf, Side::Second)] {
        let blocked = position(rules, "", black, Color::Black);
        assert_eq!(blocked.in_hand(Color::Black), 2);
        assert_eq!(blocked.legal_moves().next(), None);
        assert_eq!(blocked.outcome(), Some(Outcome::Win(winner)));
        let white_to_move = position(rules, "", black, Color::White);
        assert_eq!(white_to_move.outcome(), None);
    }
}

#[test]
fn few_chips_always_leave_an_add() {
    // The bound by which the position skips the search for a legal move.
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..20_000 {
        let (own, others) = (rng.random_range(0..=6), rng.random_range(0..=10));
        let position = samples::by_setup(Rules::Berkeley, own, others, &mut rng);
        let (own, others) =
            (position.chips(Color::White).len(), position.chips(Color::Black).len());
        if 7 * own + others < 48 {
            assert!(!position.add_targets(Color::White).is_empty(), "{position}");
        }
    }
}

#[test]
fn game_of_the_usf_page() {
    let mut position = Position::new(Rules::Usf);
    let mut play = |text: &str| {
        let mv = Notation::Usf.parse_move(text).unwrap();
        (position.play(mv).map_err(|illegal| illegal.why), position)
    };
    for text in ["A 4", "D 3", "B 5", "D 1"] {
        assert_eq!(play(text).0, Ok(()), "{text}");
    }
    assert!(matches!(play("A 6").0, Err(WhyIllegal::GroupOfThree { .. })));
    for text in ["B 7", "B 1", "G 2"] {
        assert_eq!(play(text).0, Ok(()), "{text}");
    }
    let owner = Color::Black;
    assert!(matches!(play("A 3").0, Err(WhyIllegal::OpponentGoal { owner: o, .. }) if o == owner));
    for text in ["B 4", "D 2", "E 8", "H 6"] {
        assert_eq!(play(text).0, Ok(()), "{text}");
    }
    let (refused, end) = play("C 8");
    assert_eq!(refused, Err(WhyIllegal::GameOver));
    assert_eq!(end.outcome(), Some(Outcome::Win(Side::First)));
    let network = end.network(Color::Black).unwrap();
    let positions: Vec<String> =
        network.into_iter().map(|square| Notation::Usf.write_square(square)).collect();
    assert_eq!(positions.join(" "), "A4 B5 B7 G2 D2 H6");
}

#[test]
fn move_codes_are_different_and_below_the_limit() {
    let adds = Square::all().map(Move::Add);
    let steps = Square::all().flat_map(|from| Square::all().map(move |to| Move::Step { from, to }));
    let position = Position::new(Rules::Berkeley);
    for (expected, mv) in adds.chain(steps).enumerate() {
        assert_eq!(position.move_code(mv), expected);
        assert!(expected < Position::MOVE_CODES);
    }
}

#[test]
fn equal_chips_of_other_rules_or_turns_differ() {
    let of = |rules, to_move| position(rules, "34", "43", to_move);
    let all = [
        of(Rules::Berkeley, Color::White),
        of(Rules::Berkeley, Color::Black),
        of(Rules::Usf, Color::White),
        of(Rules::Usf, Color::Black),
    ];
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            assert!(a != b && a.key() != b.key());
        }
    }
}

#[test]
fn transpositions_are_equal() {
    let play = |moves: &str| {
        let mut position = Position::new(Rules::Berkeley);
        for mv in moves.split_whitespace() {
            position.play(mv.parse().unwrap()).unwrap();
        }
        position
    };
    let (a, b) = (play("03 20 73 33"), play("73 33 03 20"));
    assert_eq!((a, a.key()), (b, b.key()));
}

#[test]
fn chip_counts_fit_the_turn_or_not() {
    let fits = |white, black, to_move| position(Rules::Berkeley, white, black, to_move).fits_turn();
    assert!(fits("", "", Color::White));
    assert!(!fits("", "", Color::Black));
    assert!(fits("34", "", Color::Black));
    assert!(!fits("34", "", Color::White));
    assert!(!fits("", "34", Color::White));
    assert!(position(Rules::Usf, "", "34", Color::White).fits_turn());
    let white = "01 03 05 21 23 25 41 43 45 71";
    let black = "12 14 16 32 34 36 52 54 56 10";
    assert!(fits(white, black, Color::White) && fits(white, black, Color::Black));
}

const RANDOM_POSITIONS: usize = 100_000;

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
#[ignore = "long"]
fn moves_networks_and_outcomes_agree_on_random_positions() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut networks, mut doubles, mut steps) = (0, 0, 0);
    for _ in 0..RANDOM_POSITIONS {
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
    // The cases are the same in every run.
    #![proptest_config(Config {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    })]

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
#[ignore = "long"]
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
        let refusal = Err(IllegalMove { mv, why: WhyIllegal::BothNetworks });
        assert_eq!(position.check_legal(mv), refusal, "{mv}\n{position}");
        assert_same_moves(&position, &board);
    }
}

/// The name of the variant, which is what the naive rules know.
fn name(illegal: &IllegalMove) -> String {
    let text = format!("{:?}", illegal.why);
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

fn assert_same_reason(position: &Position, board: &Board, mv: Move) -> bool {
    let found = position.check_legal(mv);
    let expected = board.why_illegal(naive_move(mv));
    assert_eq!(found.as_ref().err().map(name).as_deref(), expected, "{mv}\n{position}");
    if let Err(reason) = found {
        assert_eq!(reason.mv, mv);
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
            assert_eq!(
                position.check_legal(mv),
                Err(IllegalMove { mv, why: WhyIllegal::GameOver })
            );
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
            let Err(IllegalMove { mv, why: WhyIllegal::GroupOfThree { group } }) =
                position.check_legal(Move::Add(to))
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

//! The length of the game, as the tables in results/ settle it.

use std::fs;

use network::naive::{Board, NaiveMove, Place, goal, is_corner, places};
use network::{Color, Position, Rules, Square, SquareSet, Win};
use plyground::proof::Prover;
use plyground::{Game, Limits};
use rand::prelude::*;
use research::{
    Distance, OpeningResult, OpeningRow, distance_table, distances, parse_opening_table,
};

const TABLE_MIB: usize = 16;
/// The chip that suffices after each pair of replies to 03 and 73.
const PAIRS: &str = "network-replies.csv";

/// The tables about the empty board.
const OPENINGS: [&str; 6] = [
    "network-openings-7.csv",
    "network-openings-8.csv",
    "network-openings-9.csv",
    "network-openings-10.csv",
    "network-replies-03-6.csv",
    "network-replies-03-7.csv",
];
/// Those about the positions after first moves of White that do not win.
const AFTER_11: [&str; 2] = ["network-after-11-8.csv", "network-after-11-9.csv"];
const AFTER_12: [&str; 1] = ["network-after-12-10.csv"];
/// The table that follows from all of them.
const DISTANCES: &str = "network-distances.csv";

/// The replies to 03 that cost a chip more than the others.
const LONGEST: [&str; 12] =
    ["10", "20", "30", "40", "60", "34", "17", "27", "37", "47", "57", "67"];

/// A file of results/.
fn result(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/").to_owned() + name;
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn rows(tables: &[&str]) -> Vec<OpeningRow> {
    tables.iter().flat_map(|table| parse_opening_table(&result(table)).unwrap()).collect()
}

fn settled() -> Vec<Distance> {
    let others = [("11", AFTER_11.as_slice()), ("12", &AFTER_12)];
    let others = others.map(|(first, tables)| (first.parse().unwrap(), rows(tables)));
    distances(&Position::new(Rules::Berkeley), &rows(&OPENINGS), &others).unwrap()
}

#[test]
fn table_of_distances_is_what_the_others_settle() {
    assert_eq!(distance_table(&settled()), result(DISTANCES));
}

#[test]
fn ways_from_the_empty_board_are_as_long_as_is_said() {
    let (white, black) = (Some(Color::White), Some(Color::Black));
    let mut replies = 0;
    for Distance { moves, winner, earliest, latest } in settled() {
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        let found = (winner, earliest, latest);
        match moves.as_slice() {
            [] | ["02" | "03" | "13" | "21" | "23" | "33"] => {
                assert_eq!(found, (white, 15, Some(15)), "{moves:?}")
            }
            ["01" | "22" | "31" | "32"] => assert_eq!(found, (white, 17, Some(17)), "{moves:?}"),
            ["11"] => assert_eq!(found, (black, 18, Some(18))),
            ["12"] => assert_eq!(found, (None, 21, None)),
            [first] => panic!("{first} is no first move"),
            // By the sixth chip no reply to 03 is lost, by the seventh all but these are.
            ["03", reply] if LONGEST.contains(reply) => {
                assert_eq!(found, (white, 15, Some(15)), "{moves:?}");
                replies += 1;
            }
            ["03", _] => {
                assert_eq!(found, (white, 13, Some(13)), "{moves:?}");
                replies += 1;
            }
            _ => {}
        }
    }
    assert_eq!(replies, 48);
}

/// The same position for the naive rules.
fn naive(position: &Position) -> Board {
    Board::from_text(&position.to_string(), position.rules() == Rules::Usf).unwrap()
}

/// Returns `true` if `color` has won or can force a win within this many plies: minimax by the naive rules.
fn wins_within(board: &Board, color: char, plies: u32) -> bool {
    if let Some(winner) = board.winner() {
        return winner == color;
    }
    let mut next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    match plies.checked_sub(1) {
        None => false,
        Some(left) if board.to_move == color => next.any(|next| wins_within(&next, color, left)),
        Some(left) => next.all(|next| wins_within(&next, color, left)),
    }
}

/// Plays the shortest win of the color to move against the longest defense, until it has three plies
/// left: it is won within `plies`, not within two fewer, and this stays so.
fn to_the_last_three(prover: &Prover, mut position: Position, mut plies: u32) -> Position {
    let color = position.to_move();
    let goal = Win::new(&position, color);
    let reached =
        |at: &Position, plies| prover.prove(&goal, at, plies, &Limits::default()).reached.unwrap();
    assert!(reached(&position, plies) && !reached(&position, plies - 2), "{position}");
    while plies > 3 {
        let best = prover.prove(&goal, &position, plies, &Limits::default()).best.unwrap();
        let after = position.after(best);
        plies -= 2;
        let mut replies = after.legal_moves().map(|reply| after.after(reply));
        position = replies.find(|next| !reached(next, plies - 2)).unwrap();
        assert!(reached(&position, plies), "{position}");
    }
    position
}

/// After pairs of replies that cost six, seven and eight chips, minimax by the naive rules finds the
/// win of the last two chips with the ply of the last one: not with the reply before.
#[test]
fn last_plies_of_the_longest_defense_are_those_of_naive_minimax() {
    let mut rng = StdRng::seed_from_u64(15);
    let (pairs, prover) = (result(PAIRS), Prover::new(TABLE_MIB));
    for chip in ["6", "7", "8"] {
        let fits = |line: &&str| line.split(',').nth(1) == Some(chip);
        let row = pairs.lines().skip(1).filter(fits).choose(&mut rng).unwrap();
        let mut position = Position::new(Rules::Berkeley);
        for mv in row.split(',').next().unwrap().split(' ') {
            position.play(mv.parse().unwrap()).unwrap();
        }
        let plies = position.plies_to_chip(position.to_move(), chip.parse().unwrap());
        let last = naive(&to_the_last_three(&prover, position, plies));
        let won: Vec<bool> = (1..=4).map(|plies| wins_within(&last, 'W', plies)).collect();
        assert_eq!(won, [false, false, true, true], "{row}\n{}", last.text());
    }
}

/// The subsets of this size.
fn subsets<T: Copy>(all: &[T], size: usize) -> Vec<Vec<T>> {
    let Some(rest) = size.checked_sub(1) else { return vec![Vec::new()] };
    let with = |index: usize| {
        let others = subsets(&all[index + 1..], rest).into_iter();
        others.map(move |others| [&[all[index]], others.as_slice()].concat())
    };
    (0..all.len()).flat_map(with).collect()
}

/// The squares of one of the color's goals, and all on which a chip of it can keep it from adding
/// there: a group of three reaches no farther than two squares.
fn goal_and_near(color: char, number: u8) -> [Vec<Place>; 2] {
    let own: Vec<Place> = places().filter(|&at| goal(at) == Some((color, number))).collect();
    let is_near = |&&(x, y): &&Place| {
        own.iter().any(|&(goal_x, goal_y)| (x - goal_x).abs() <= 2 && (y - goal_y).abs() <= 2)
    };
    let is_own = |&at: &Place| !is_corner(at) && goal(at).is_none_or(|(owner, _)| owner == color);
    let all: Vec<Place> = places().filter(is_own).collect();
    let near = all.iter().filter(is_near).copied().collect();
    [own, near]
}

/// Returns `true` if the color, with these chips on the board, can add none on `squares`, or `None` if it
/// can have no such chips.
fn keep_from(color: char, squares: &[Place], chips: &[Place]) -> Option<bool> {
    let mut board = Board::from_text(&("........\n".repeat(8) + &color.to_string()), false)?;
    chips.iter().for_each(|&at| board.set(at, color));
    chips.iter().all(|&at| board.group_size(at) <= 2).then_some(())?;
    let may_add = |&to: &Place| board.why_illegal(NaiveMove { from: None, to }).is_none();
    Some(!squares.iter().any(may_add))
}

/// A color always has an add with fewer than eight chips on the board, so until the ninth chip of
/// its opponent every win is a network. The opponent cannot stand in its goals, no chip is near both,
/// and three keep it from adding in neither.
#[test]
fn color_has_an_add_until_its_eighth_chip() {
    for color in ['W', 'B'] {
        let sides = [1, 2].map(|number| goal_and_near(color, number));
        assert!(sides[0][1].iter().all(|at| !sides[1][1].contains(at)));
        for [squares, near] in &sides {
            let mut kept = [0; 2];
            for three in subsets(near, 3) {
                kept[usize::from(keep_from(color, squares, &three) == Some(true))] += 1;
            }
            assert_eq!(kept, [816, 0], "{color}");
        }
    }
    // Four do, and eight leave no add at all.
    let [squares, _] = goal_and_near('B', 1);
    assert_eq!(keep_from('B', &squares, &[(2, 1), (2, 2), (5, 1), (5, 2)]), Some(true));
    let stuck = "........\n..B..B..\n..B..B..\n........\n";
    let turned: String = stuck.lines().rev().map(|line| format!("{line}\n")).collect();
    let board = Board::from_text(&format!("{stuck}{turned}B"), false).unwrap();
    assert_eq!(board.winner(), Some('W'));
}

/// Chips of White and of Black.
type Chips = [SquareSet; 2];

/// The position with these chips, if they can stand so.
fn standing([white, black]: Chips) -> Option<Position> {
    Position::from_chips(Rules::Berkeley, white, black, Color::White).ok()
}

/// Eight chips of White that leave it no add, and the squares of which Black must hold all for that.
/// Each goal takes four of them: with fewer near it, there is an add there.
fn stuck_with_eight() -> Vec<Chips> {
    let halves = [1, 2].map(|number| {
        let [squares, near] = goal_and_near('W', number);
        let square = |(x, y): Place| Square::new(x as u8, y as u8).unwrap();
        let goal: SquareSet = squares.into_iter().map(square).collect();
        let near: Vec<Square> = near.into_iter().map(square).collect();
        let is_shut = |half: &SquareSet| {
            standing([*half, SquareSet::EMPTY])
                .is_some_and(|at| (at.add_targets(Color::White) & goal).is_empty())
        };
        let fours = subsets(&near, 4).into_iter().map(SquareSet::from_iter);
        fours.filter(is_shut).collect::<Vec<SquareSet>>()
    });
    let both = halves[0].iter().flat_map(|&left| halves[1].iter().map(move |&right| left | right));
    let with_black = |white: SquareSet| {
        let left = standing([white, SquareSet::EMPTY])?.add_targets(Color::White);
        (left.len() <= 8 && standing([white, left]).is_some()).then_some([white, left])
    };
    both.filter_map(with_black).collect()
}

/// Returns `true` if White can be left without an add, by the eighth chip of either, with these chips
/// among them.
fn may_get_stuck(stuck: &[Chips], [white, black]: Chips) -> bool {
    stuck.iter().any(|&[all, left]| {
        let others = left | black;
        (white - all).is_empty() && others.len() <= 8 && standing([all, others]).is_some()
    })
}

/// The proof search may overlook that White is left without an add, which it can be when Black adds
/// its eighth chip. No refutation of a win by that chip rests on this.
#[test]
fn white_has_an_add_after_every_refutation_of_the_eighth_chip() {
    let stuck = stuck_with_eight();
    assert_eq!(stuck.len(), 139);
    assert!(stuck.iter().all(|&chips| may_get_stuck(&stuck, chips)));
    let mut refutations = 0;
    for row in rows(&AFTER_11[..1]) {
        let OpeningResult::Refuted { second, by } = row.result else { continue };
        let white = ["11".parse().unwrap(), row.reply].into_iter().chain(by);
        let black = [row.first.to(), second.to()];
        let chips = [white.map(|mv| mv.to()).collect(), black.into_iter().collect()];
        assert!(!may_get_stuck(&stuck, chips), "{row:?}");
        refutations += 1;
    }
    assert!(refutations > 2000, "{refutations}");
}

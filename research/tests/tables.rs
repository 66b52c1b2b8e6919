//! The tables in results/: their claims about first moves, checks of samples of them, and the length of the
//! game that they prove.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use network::naive::{Board, NaiveMove, Place, goal, is_corner, places};
use network::solution::{Chips, image_name};
use network::strategy_check::check;
use network::{ChipEval, Color, Move, Position, Rules, Square, SquareSet, Win};
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search};
use rand::prelude::*;
use research::{
    ChipRange, Distance, OpeningResult, OpeningRow, Strategy, distance_table, distances,
    first_moves, parse_opening_table,
};

use crate::samples::board_of;

/// The tables about the empty board.
const OPENINGS: [&str; 6] = [
    BY_CHIP_7,
    BY_CHIP_8,
    "network-openings-9.csv",
    "network-openings-10.csv",
    "network-replies-03-6.csv",
    "network-replies-03-7.csv",
];
const BY_CHIP_7: &str = "network-openings-7.csv";
const BY_CHIP_8: &str = "network-openings-8.csv";
/// The tables about the positions after first moves of White that do not win. After 11: the replies of Black
/// that do not win by chip 8, and those that win by chip 9.
const AFTER_11: [&str; 2] = ["network-after-11-8.csv", "network-after-11-9.csv"];
const AFTER_12: [&str; 1] = ["network-after-12-10.csv"];
/// The first moves that win by chip 8, by chip 9, and not even by the last chip, 10; one of each set of
/// mirror images.
const EIGHT: [&str; 6] = ["02", "03", "13", "21", "23", "33"];
const NINE: [&str; 4] = ["01", "22", "31", "32"];
const OTHERS: [&str; 2] = ["11", "12"];

const SEARCH_TABLE_MIB: usize = 64;

/// Returns the text of a file of results/.
fn result(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/").to_owned() + name;
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn rows(tables: &[&str]) -> Vec<OpeningRow> {
    tables.iter().flat_map(|table| parse_opening_table(&result(table)).unwrap()).collect()
}

/// Returns the position after these moves from the empty board.
fn after(moves: &[&str]) -> Position {
    let moves: Vec<Move> = moves.iter().map(|mv| mv.parse().unwrap()).collect();
    played(&Position::new(Rules::Berkeley), &moves)
}

fn played(position: &Position, moves: &[Move]) -> Position {
    let mut position = *position;
    moves.iter().for_each(|&mv| position.play(mv).unwrap());
    position
}

/// Returns the positions after one move; mirror images count as one.
fn after_one(position: &Position) -> HashSet<Chips> {
    position.legal_moves().map(|mv| image_name(&position.after(mv))).collect()
}

#[test]
fn every_first_move_is_settled() {
    let start = Position::new(Rules::Berkeley);
    let firsts = [EIGHT.as_slice(), &NINE, &OTHERS].concat();
    let images: HashSet<Chips> =
        firsts.iter().map(|mv| image_name(&start.after(mv.parse().unwrap()))).collect();
    assert_eq!(images, after_one(&start));
    let settled = first_moves(&start, &rows(&OPENINGS[..4])).unwrap();
    let chips = |not_by, by| move |mv: &&str| ((*mv).to_owned(), ChipRange { not_by, by });
    let expected: BTreeMap<String, ChipRange> = EIGHT
        .iter()
        .map(chips(7, Some(8)))
        .chain(NINE.iter().map(chips(8, Some(9))))
        .chain(OTHERS.iter().map(chips(10, None)))
        .collect();
    let found = settled.into_iter().map(|first| (first.mv.to_string(), first.chips));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
}

/// Tests that a table without one of its rows does not settle its first move.
#[test]
fn every_row_counts() {
    let start = Position::new(Rules::Berkeley);
    let of = |table: &str, mv: &str| -> Vec<OpeningRow> {
        rows(&[table]).into_iter().filter(|row| row.first == mv.parse().unwrap()).collect()
    };
    let chips = |rows: &[OpeningRow], mv: &str| {
        let settled = first_moves(&start, rows).unwrap();
        settled.into_iter().find(|first| first.mv == mv.parse().unwrap()).unwrap().chips
    };
    let settles = |rows: &[OpeningRow], mv: &str| chips(rows, mv) != ChipRange::UNKNOWN;
    // The reply 17 refutes by chip 7; every reply is won by chip 8.
    for (table, mv) in [(BY_CHIP_7, "33"), (BY_CHIP_8, "03")] {
        let all = of(table, mv);
        assert!(settles(&all, mv));
        for dropped in 0..all.len() {
            let fewer = [&all[..dropped], &all[dropped + 1..]].concat();
            assert!(!settles(&fewer, mv), "{:?}", all[dropped]);
        }
    }
}

/// Tests that a search that knows no proofs finds no win after a reply that refutes a second move.
#[test]
fn refutations_hold() {
    let mut rng = StdRng::seed_from_u64(12);
    let options = Options { table_mib: SEARCH_TABLE_MIB, ..Options::default() };
    let mut search = AlphaBeta::new(ChipEval, options);
    let after_11 = after(&["11"]);
    let start = after(&[]);
    for (start, table, count) in
        [(start, BY_CHIP_7, 5), (start, BY_CHIP_8, 1), (after_11, AFTER_11[0], 1)]
    {
        let mut rows = rows(&[table]);
        rows.shuffle(&mut rng);
        let refutations = rows.iter().filter_map(|row| match row.result {
            OpeningResult::Refuted { second, by: Some(by) } => Some((row, second, by)),
            OpeningResult::Refuted { .. } | OpeningResult::Won(_) => None,
        });
        let mut checked = 0;
        for (row, second, by) in refutations.take(count) {
            let moves = [row.first, row.reply, second, by];
            let position = played(&start, &moves);
            let limits = Limits::depth(position.plies_to_chip(start.to_move(), row.chip));
            let report = search.best(&position, &limits).unwrap();
            assert!(!report.score().is_win(), "{row:?}");
            checked += 1;
        }
        assert_eq!(checked, count);
    }
}

/// Tests that the proof's answers are accepted after second moves that are said to win.
#[test]
fn second_moves_win() {
    let mut rng = StdRng::seed_from_u64(13);
    let prover = Prover::new(SEARCH_TABLE_MIB);
    let tables = [(after(&[]), BY_CHIP_8, 7), (after(&["11"]), AFTER_11[1], 3)];
    for (start, table, count) in tables {
        let rows = rows(&[table]);
        let won = rows.iter().filter(|row| matches!(row.result, OpeningResult::Won(Some(_))));
        for row in won.sample(&mut rng, count) {
            win_after_reply(&prover, &start, row, &mut rng);
        }
    }
}

/// Tests that after the second move of a row and a random reply, the color of `start` wins by the chip of
/// the row.
fn win_after_reply(prover: &Prover, start: &Position, row: &OpeningRow, rng: &mut StdRng) {
    let OpeningResult::Won(Some(second)) = row.result else { panic!("{row:?}") };
    let after = played(start, &[row.first, row.reply, second]);
    let reply = after.legal_moves().choose(rng).unwrap();
    let position = after.after(reply);
    let plies = position.plies_to_chip(start.to_move(), row.chip);
    let (strategy, _) = Strategy::of_proof(prover, &position, plies, &Limits::default()).unwrap();
    let (text, _) = strategy.text(&position, row.chip).unwrap();
    check(&text).unwrap();
}

const TABLE_MIB: usize = 16;
/// The chip that suffices after each pair of replies to 03 and 73.
const PAIRS: &str = "network-replies.csv";

/// The table that follows from all the others.
const DISTANCES: &str = "network-distances.csv";

/// The replies to 03 that cost a chip more than the others.
const LONGEST: [&str; 12] =
    ["10", "20", "30", "40", "60", "34", "17", "27", "37", "47", "57", "67"];

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

/// Plays the shortest win of the color to move against the longest defense, until three plies are left. The
/// position is won within `plies` and not within two fewer, and this stays so.
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

/// Tests that minimax by the naive rules finds the win of the last two chips at the ply of the last chip,
/// and not at the reply before, after pairs of replies that cost six, seven and eight chips.
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
        let last = board_of(&to_the_last_three(&prover, position, plies));
        let won: Vec<bool> = (1..=4).map(|plies| wins_within(&last, 'W', plies)).collect();
        assert_eq!(won, [false, false, true, true], "{row}\n{}", last.text());
    }
}

/// Returns the subsets of this size.
fn subsets<T: Copy>(all: &[T], size: usize) -> Vec<Vec<T>> {
    let Some(rest) = size.checked_sub(1) else { return vec![Vec::new()] };
    let with = |index: usize| {
        let others = subsets(&all[index + 1..], rest).into_iter();
        others.map(move |others| [&[all[index]], others.as_slice()].concat())
    };
    (0..all.len()).flat_map(with).collect()
}

/// Returns the squares of one of the color's goals, and all squares on which a chip of the color can keep it
/// from adding there: a group of three reaches no farther than two squares.
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

/// Tests that a color always has an add with fewer than eight chips on the board, so that until the ninth
/// chip of its opponent every win is a network. The opponent cannot stand in its goals, no chip is near both
/// goals, and three chips block neither.
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
    // Four chips block a goal, and eight leave no add at all.
    let [squares, _] = goal_and_near('B', 1);
    assert_eq!(keep_from('B', &squares, &[(2, 1), (2, 2), (5, 1), (5, 2)]), Some(true));
    let stuck = "........\n..B..B..\n..B..B..\n........\n";
    let turned: String = stuck.lines().rev().map(|line| format!("{line}\n")).collect();
    let board = Board::from_text(&format!("{stuck}{turned}B"), false).unwrap();
    assert_eq!(board.winner(), Some('W'));
}

/// The chips of White and of Black.
type Placed = [SquareSet; 2];

/// Returns the position with these chips, if they can stand so.
fn standing([white, black]: Placed) -> Option<Position> {
    Position::from_chips(Rules::Berkeley, white, black, Color::White).ok()
}

/// Returns the sets of eight chips of White that leave it no add, each with the squares that Black must hold
/// for that. Each goal takes four of the chips: with fewer chips near a goal, White has an add there.
fn stuck_with_eight() -> Vec<Placed> {
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
fn may_get_stuck(stuck: &[Placed], [white, black]: Placed) -> bool {
    stuck.iter().any(|&[all, left]| {
        let others = left | black;
        (white - all).is_empty() && others.len() <= 8 && standing([all, others]).is_some()
    })
}

/// Tests that no refutation of a win by the eighth chip depends on a case that the proof search may
/// overlook: White without an add, which is possible when Black adds its eighth chip.
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

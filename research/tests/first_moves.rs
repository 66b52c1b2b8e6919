//! The claims of the tables in results/ about first moves, and checks of samples of them.

use std::collections::{BTreeMap, HashSet};

use network::solution::{Chips, image_name};
use network::strategy_check::check;
use network::{ChipEval, Move, Position, Rules};
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search};
use rand::prelude::*;
use research::{ChipRange, OpeningResult, OpeningRow, Strategy, first_moves, parse_opening_table};

const BY_CHIP_7: &str = include_str!("../../results/network-openings-7.csv");
const BY_CHIP_8: &str = include_str!("../../results/network-openings-8.csv");
const BY_CHIP_9: &str = include_str!("../../results/network-openings-9.csv");
const BY_CHIP_10: &str = include_str!("../../results/network-openings-10.csv");
/// Black's replies to White's first move 11: those that win, and those that do not.
const AFTER_11_BY_CHIP_8: &str = include_str!("../../results/network-after-11-8.csv");
const AFTER_11_BY_CHIP_9: &str = include_str!("../../results/network-after-11-9.csv");
/// The first moves that win by chip 8, those that do by chip 9, and those that do not by the last,
/// chip 10; one of each set of mirror images.
const EIGHT: [&str; 6] = ["02", "03", "13", "21", "23", "33"];
const NINE: [&str; 4] = ["01", "22", "31", "32"];
const OTHERS: [&str; 2] = ["11", "12"];

const TABLE_MIB: usize = 64;

fn rows(table: &str) -> Vec<OpeningRow> {
    parse_opening_table(table).unwrap()
}

/// The position after these moves from the empty board.
fn after(moves: &[&str]) -> Position {
    let moves: Vec<Move> = moves.iter().map(|mv| mv.parse().unwrap()).collect();
    played(&Position::new(Rules::Berkeley), &moves)
}

fn played(position: &Position, moves: &[Move]) -> Position {
    let mut position = *position;
    moves.iter().for_each(|&mv| position.play(mv).unwrap());
    position
}

/// The positions after one move, mirror images being one.
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
    let rows: Vec<OpeningRow> =
        [BY_CHIP_7, BY_CHIP_8, BY_CHIP_9, BY_CHIP_10].into_iter().flat_map(rows).collect();
    let settled = first_moves(&start, &rows).unwrap();
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

/// Without one of its rows, a table does not settle what it did.
#[test]
fn every_row_counts() {
    let start = Position::new(Rules::Berkeley);
    let of = |table: &str, mv: &str| -> Vec<OpeningRow> {
        rows(table).into_iter().filter(|row| row.first == mv.parse().unwrap()).collect()
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

/// A search that knows no proofs finds no win after a reply that refutes a second move.
#[test]
fn refutations_hold() {
    let mut rng = StdRng::seed_from_u64(12);
    let options = Options { table_mib: TABLE_MIB, ..Options::default() };
    let mut search = AlphaBeta::new(ChipEval, options);
    let after_11 = after(&["11"]);
    let start = after(&[]);
    for (start, table, count) in
        [(start, BY_CHIP_7, 5), (start, BY_CHIP_8, 1), (after_11, AFTER_11_BY_CHIP_8, 1)]
    {
        let mut rows = rows(table);
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

/// After second moves that are said to win, the proof's answers are accepted.
#[test]
fn second_moves_win() {
    let mut rng = StdRng::seed_from_u64(13);
    let prover = Prover::new(TABLE_MIB);
    let tables = [(after(&[]), BY_CHIP_8, 7), (after(&["11"]), AFTER_11_BY_CHIP_9, 3)];
    for (start, table, count) in tables {
        let rows = rows(table);
        let won = rows.iter().filter(|row| matches!(row.result, OpeningResult::Won(Some(_))));
        for row in won.sample(&mut rng, count) {
            win_after_reply(&prover, &start, row, &mut rng);
        }
    }
}

/// After the second move of a row and some reply, the color of `start` wins by the chip of the row.
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

//! What the tables in results/ say of first moves, and samples of it checked.

use std::collections::{BTreeMap, HashMap, HashSet};

use network::solution::{Chips, image_name};
use network::{ChipEval, Color, Move, Position, Rules};
use network_proofs::{OpeningResult, OpeningRow, Strategy, check, parse_opening_table};
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search};
use rand::prelude::*;

const BY_CHIP_7: &str = include_str!("../../results/network-openings-7.csv");
const BY_CHIP_8: &str = include_str!("../../results/network-openings-8.csv");
const BY_CHIP_9: &str = include_str!("../../results/network-openings-9.csv");
const BY_CHIP_10: &str = include_str!("../../results/network-openings-10.csv");
/// The first moves that win by chip 8, those that do by chip 9, and those that do not by the last,
/// chip 10; one of each set of mirror images.
const EIGHT: [&str; 6] = ["02", "03", "13", "21", "23", "33"];
const NINE: [&str; 4] = ["01", "22", "31", "32"];
const OTHERS: [&str; 2] = ["11", "12"];

const TABLE_MIB: usize = 64;

fn rows(table: &str) -> Vec<OpeningRow> {
    parse_opening_table(table).unwrap()
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

/// What a table settles about first moves: one wins if every reply is won, and does not if a
/// reply refutes every second move.
fn first_moves(rows: &[OpeningRow]) -> BTreeMap<String, Option<bool>> {
    let start = Position::new(Rules::Berkeley);
    // Of each first move the replies that are won, and of each reply the seconds that are refuted.
    let mut won: HashMap<Move, HashSet<Chips>> = HashMap::new();
    let mut refuted: HashMap<[Move; 2], HashSet<Chips>> = HashMap::new();
    for row in rows {
        let moves = [row.first, row.reply];
        let replied = played(&start, &moves);
        match row.result {
            OpeningResult::Won(_) => won.entry(row.first).or_default().insert(image_name(&replied)),
            OpeningResult::Refuted { second, .. } => {
                refuted.entry(moves).or_default().insert(image_name(&replied.after(second)))
            }
        };
    }
    let verdict = |first: Move| {
        let mut refuted = refuted.iter().filter(|(moves, _)| moves[0] == first);
        if refuted.any(|(moves, seconds)| *seconds == after_one(&played(&start, moves))) {
            return Some(false);
        }
        let all = after_one(&start.after(first));
        won.get(&first).is_some_and(|won| *won == all).then_some(true)
    };
    rows.iter().map(|row| (row.first.to_string(), verdict(row.first))).collect()
}

#[test]
fn every_first_move_is_settled() {
    let start = Position::new(Rules::Berkeley);
    let firsts = [EIGHT.as_slice(), &NINE, &OTHERS].concat();
    let images: HashSet<Chips> =
        firsts.iter().map(|mv| image_name(&start.after(mv.parse().unwrap()))).collect();
    assert_eq!(images, after_one(&start));
    let verdicts = |winners: &[&str], losers: &[&str]| -> BTreeMap<String, Option<bool>> {
        let verdict = |wins| move |mv: &&str| ((*mv).to_owned(), Some(wins));
        winners.iter().map(verdict(true)).chain(losers.iter().map(verdict(false))).collect()
    };
    assert_eq!(first_moves(&rows(BY_CHIP_7)), verdicts(&[], &firsts));
    let later = [NINE.as_slice(), &OTHERS].concat();
    assert_eq!(first_moves(&rows(BY_CHIP_8)), verdicts(&EIGHT, &later));
    assert_eq!(first_moves(&rows(BY_CHIP_9)), verdicts(&NINE, &OTHERS));
    assert_eq!(first_moves(&rows(BY_CHIP_10)), verdicts(&[], &OTHERS));
}

/// A search that knows no proofs finds no win after a reply that refutes a second move.
#[test]
fn refutations_hold() {
    let mut rng = StdRng::seed_from_u64(12);
    let options = Options { table_mib: TABLE_MIB, ..Options::default() };
    let mut search = AlphaBeta::new(ChipEval, options);
    for (table, count) in [(BY_CHIP_7, 5), (BY_CHIP_8, 1)] {
        let mut rows = rows(table);
        rows.shuffle(&mut rng);
        let refutations = rows.iter().filter_map(|row| match row.result {
            OpeningResult::Refuted { second, by: Some(by) } => Some((row, second, by)),
            OpeningResult::Refuted { .. } | OpeningResult::Won(_) => None,
        });
        let mut checked = 0;
        for (row, second, by) in refutations.take(count) {
            let moves = [row.first, row.reply, second, by];
            let position = played(&Position::new(Rules::Berkeley), &moves);
            let limits = Limits::depth(position.plies_to_chip(Color::White, row.chip));
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
    let rows = rows(BY_CHIP_8);
    let won = rows.iter().filter(|row| matches!(row.result, OpeningResult::Won(Some(_))));
    for row in won.sample(&mut rng, 8) {
        let OpeningResult::Won(Some(second)) = row.result else { continue };
        let moves = [row.first, row.reply, second];
        let after = played(&Position::new(Rules::Berkeley), &moves);
        let reply = after.legal_moves().choose(&mut rng).unwrap();
        let position = after.after(reply);
        let plies = position.plies_to_chip(Color::White, row.chip);
        let (strategy, _) =
            Strategy::of_proof(&prover, &position, plies, &Limits::default()).unwrap();
        let (text, _) = strategy.text(&position, row.chip).unwrap();
        check(&text).unwrap();
    }
}

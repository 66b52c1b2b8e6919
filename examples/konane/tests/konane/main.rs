//! Konane: the rules by another generator and the contract, the values of small boards, every command, the
//! kit, and the page.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

#[path = "../../../../tests/common/mod.rs"]
mod common;
mod naive;
#[path = "../../../../tests/common/own_program.rs"]
mod own_program;

use konane::{Konane, Mobility, Move, Position};
use plyground::perft::perft;
use plyground::testing::{Breach, Sample, check_contract};
use plyground_host::{EngineOptions, host};

use crate::common::run::{self, Tested};
use crate::naive::Naive;
use crate::own_program::{check_kit, page_of_two_people, shows};

/// The number of games of each length from the start, by the side of the board. A program in Python without
/// any part of this one has found the same.
const PERFT: [(u8, &[u64]); 3] = [
    (4, &[4, 12, 16, 52, 120, 376, 972, 2_808, 6_124, 13_040, 20_356, 24_172]),
    (6, &[4, 12, 28, 156, 668, 4_192]),
    (8, &[4, 12, 28, 172, 892, 7_124]),
];

#[test]
fn moves_are_counted_as_by_a_naive_generator() {
    for (size, counts) in PERFT {
        let (start, naive) = (Position::new(size), Naive::start(size.into()));
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(
                (perft(&start, depth), naive.perft(depth)),
                (count, count),
                "{size}, {depth}"
            );
        }
    }
}

/// Returns the value of the start: plies to the end, negative for a loss of the first player.
fn value(size: u8) -> i32 {
    let game = host(Konane(size));
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a proof").value;
    assert!(value.is_exact());
    game.value(value.score())
}

/// Tests the value that a search without any technique finds by the naive generator.
#[test]
fn second_player_wins_on_four_by_four() {
    assert_eq!(Naive::start(4).value(), (false, 6));
    assert_eq!(value(4), -6);
}

#[test]
fn konane_keeps_the_contract() -> Result<(), Breach> {
    for size in [4, 6, 8] {
        let squares: Vec<u8> = Position::new(size).squares().collect();
        let jumps = squares.iter().flat_map(|&from| {
            let beside = [from.wrapping_sub(16), from.wrapping_add(2), from.wrapping_add(16)];
            beside.into_iter().filter(|&to| to < 64).map(move |to| Move::Jump(from, to))
        });
        let moves: Vec<_> =
            squares.iter().map(|&square| Move::Remove(square)).chain(jumps).collect();
        let sample = Sample::new([Position::new(size)], 1)
            .with_moves(moves)
            .with_playouts(20)
            .with_keys(10_000);
        check_contract(&sample, &Mobility)?;
    }
    Ok(())
}

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_konane");
}

type TestFolder = run::TestFolder<Program>;

/// Two jumps in a row, and an end: Black jumps over one or two pieces, and White cannot move.
const END: &str = "XO.O\n....\n....\n....\nX\n";

#[test]
fn positions_are_read_moved_in_and_solved() {
    let folder = TestFolder::new();
    folder.write("end.txt", END);
    shows(folder.run("one-move end.txt out.txt 3 --rules 4x4"), "Black jumps a1-c1");
    assert_eq!(folder.read("out.txt").replace('\r', ""), "..XO\n....\n....\n....\nO\n");
    folder.write("color.txt", END.replace("XO.O", "OO.O"));
    folder
        .run("analyze color.txt --rules 4x4")
        .failure(2, "color.txt:1:1: expected an empty square, or X, found O");
    shows(folder.run("solve --rules 4x4"), "With best play White wins in 6 plies.");
    let asked = folder.run_with("play human random --seed 1", "a2\nd4\nquit\n");
    assert!(asked.stdout.contains("a2: first Black removes a black piece"), "{asked:?}");
    assert!(asked.stdout.contains("Black removes d4"), "{asked:?}");
    shows(folder.run("play -q machine:depth=2 random --seed 1 --record game.jsonl"), "Result: ");
    shows(folder.run("replay game.jsonl"), "Result: ");
    shows(folder.run("explain end.txt --depth 3 --rules 4x4"), "Alpha-beta, 3 plies");
    shows(folder.run("practice --seed 1 --questions 3 --rules 6x6"), "Solutions");
}

#[test]
fn kit_passes_the_checks_that_need_no_search() {
    check_kit(
        Program::PROGRAM,
        "",
        &["only legal moves are chosen", "legal moves are accepted", "illegal moves are refused"],
    );
}

/// Plays a move of each kind by mouse: a piece that is removed, and a jump.
#[test]
fn moves_are_made_on_the_page() {
    let page = page_of_two_people(Program::PROGRAM, "konane");
    let Some((_served, browser)) = page else { return };
    browser.wait_for_text("#status", "Black");
    let cell = |column: usize, row: usize| format!("#grid [data-cell='{}']", 8 * row + column);
    let has_moved = |count: usize| {
        browser.wait(&format!("return document.querySelectorAll('#moves li').length === {count}"));
    };
    browser.click(&cell(3, 3));
    has_moved(1);
    browser.click(&cell(3, 2));
    has_moved(2);
    // Black jumps over the piece at the left of the hole.
    browser.click(&cell(1, 3));
    browser.click(&cell(3, 3));
    has_moved(3);
    browser.wait_for_text("#moves", "b4-d4");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

//! Konane: the rules by another generator and the contract, the values of small boards, every command, the
//! kit, and the page.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

#[path = "../../../../tests/common/mod.rs"]
mod common;

use konane::{Konane, Mobility, Move, Position};
use plyground::game::perft;
use plyground::testing::{Breach, Sample, check_contract};
use plyground_host::{EngineOptions, host};

use crate::common::{Tested, check_kit, page_of_two_people, shows};

/// The number of games of each length from the start, by the side of the board. An independent program in
/// Python found the same numbers.
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

type TestFolder = common::TestFolder<Program>;

/// A position in which Black jumps over one or two pieces, and White then cannot move.
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

/// A second implementation of Konane, independent of the package: rows of letters, the letter of the side to
/// move, and moves found by looking along the rows.
#[derive(Clone)]
struct Naive {
    rows: Vec<Vec<char>>,
    side: char,
}

const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

impl Naive {
    fn start(size: usize) -> Naive {
        let row = |y: usize| {
            (0..size).map(|x| if (x + y).is_multiple_of(2) { 'X' } else { 'O' }).collect()
        };
        Naive { rows: (0..size).map(row).collect(), side: 'X' }
    }

    fn at(&self, x: i32, y: i32) -> char {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        let cell = row.zip(usize::try_from(x).ok()).and_then(|(row, x)| row.get(x));
        cell.copied().unwrap_or('#')
    }

    fn squares(&self, letter: char) -> Vec<(i32, i32)> {
        let size = self.rows.len() as i32;
        let all = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        all.filter(|&(x, y)| self.at(x, y) == letter).collect()
    }

    /// Returns the board with other letters on these squares and the other side to move.
    fn with(&self, changes: &[(i32, i32, char)]) -> Naive {
        let mut next = self.clone();
        for &(x, y, letter) in changes {
            next.rows[y as usize][x as usize] = letter;
        }
        next.side = if self.side == 'X' { 'O' } else { 'X' };
        next
    }

    /// Returns the positions after every move.
    fn after(&self) -> Vec<Naive> {
        let (own, holes) = (self.squares(self.side), self.squares('.'));
        let last = self.rows.len() as i32 - 1;
        let is_place = |(x, y): (i32, i32)| match holes[..] {
            [] => x == y && (x == 0 || x == last || x == last / 2 || x == last / 2 + 1),
            [(a, b)] => (x - a).abs() + (y - b).abs() == 1,
            _ => false,
        };
        let removed = own.iter().filter(|&&square| is_place(square));
        let mut found: Vec<_> = removed.map(|&(x, y)| self.with(&[(x, y, '.')])).collect();
        for &(x, y) in &own {
            for (right, down) in DIRECTIONS {
                let mut changes = vec![(x, y, '.')];
                for step in (1..).step_by(2) {
                    let over = (x + right * step, y + down * step);
                    let to = (over.0 + right, over.1 + down);
                    if !['X', 'O'].contains(&self.at(over.0, over.1)) || self.at(to.0, to.1) != '.'
                    {
                        break;
                    }
                    changes.push((over.0, over.1, '.'));
                    let landed = [&changes[..], &[(to.0, to.1, self.side)]].concat();
                    found.push(self.with(&landed));
                }
            }
        }
        found
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 { 1 } else { self.after().iter().map(|next| next.perft(depth - 1)).sum() }
    }

    /// Returns true if the side to move wins, and the number of plies to the end with best play.
    fn value(&self) -> (bool, u32) {
        let replies: Vec<_> = self.after().iter().map(Naive::value).collect();
        let wins = replies.iter().filter(|(wins, _)| !wins).map(|(_, plies)| plies + 1).min();
        let losses = replies.iter().map(|(_, plies)| plies + 1).max();
        wins.map_or((false, losses.unwrap_or(0)), |plies| (true, plies))
    }
}

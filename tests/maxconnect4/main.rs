//! Max-Connect4: its rules, against the plainest program of them, and exact results.

mod naive;

use std::collections::HashMap;
use std::time::Duration;

use maxconnect4::{Column, IllegalMove, OpenQuads, Position, Size};
use plyground::perfect::plain_value;
use plyground::search::{Limits, Options, Report, Scope};
use plyground::testing::random_position;
use plyground::{AlphaBeta, Bounds, Game, Minimax, Outcome, Score, Search, SearchHints, Side};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

use crate::naive::Board;

fn sizes() -> impl Iterator<Item = Size> {
    let range = Size::LEAST..=Size::MOST;
    range
        .clone()
        .flat_map(move |columns| range.clone().filter_map(move |rows| Size::new(columns, rows)))
}

fn assert_same(position: &Position, board: &Board) {
    for column in 0..board.columns.len() + 1 {
        for row in 0..board.rows + 1 {
            let cell = position.cell(column as u8, row as u8);
            assert_eq!(cell, board.cell(column, row), "column {column}, row {row} of\n{position}");
        }
    }
    let [first, second] = Side::BOTH.map(|side| board.points(side));
    assert_eq!(Side::BOTH.map(|side| position.points(side)), [first, second], "{position}");
    let margin = first as i32 - second as i32;
    let to_move = if position.side_to_move() == Side::First { margin } else { -margin };
    assert_eq!(position.margin(), to_move, "{position}");
    let is_full = board.columns.iter().all(|column| column.len() == board.rows);
    let outcome = Outcome::Points { first: first as i32, second: second as i32 };
    assert_eq!(position.outcome(), is_full.then_some(outcome), "{position}");
}

#[test]
fn board_has_69_quadruples() {
    assert_eq!(Board::empty(Size::STANDARD).quadruples().len(), 69);
}

proptest! {
    // The cases are the same in every run.
    #![proptest_config(Config {
        cases: 1_000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    })]

    /// Every byte chooses a move.
    #[test]
    fn random_games_on_every_board(
        size in select(sizes().collect::<Vec<_>>()),
        choices in vec(any::<u8>(), 0..=64),
    ) {
        let mut position = Position::empty(size);
        let mut board = Board::empty(size);
        prop_assert_eq!(position.size(), size);
        for choice in choices {
            let moves: Vec<Column> = position.legal_moves().collect();
            let Some(column) = chosen(&moves, choice) else { break };
            let side = position.side_to_move();
            position.play(column).expect("a legal move");
            board.columns[usize::from(column.index())].push(side);
            assert_same(&position, &board);
            prop_assert_eq!(position.side_to_move(), side.other());
        }
    }

    /// With few columns and one side's pieces far more frequent, there are many points.
    #[test]
    fn boards_full_of_points(
        size in select(sizes().collect::<Vec<_>>()),
        heights in vec(any::<u8>(), 8),
        pieces in (0.0..=1.0).prop_flat_map(|share| vec(weighted(share), 64)),
        first_moves in any::<bool>(),
    ) {
        let side_of = |is_first: bool| if is_first { Side::First } else { Side::Second };
        let mut board = Board::empty(size);
        for ((column, height), pieces) in board.columns.iter_mut().zip(heights).zip(pieces.chunks(8)) {
            let height = usize::from(height % (size.rows() + 1));
            column.extend(pieces.iter().take(height).copied().map(side_of));
        }
        let side = side_of(first_moves);
        let cell = |column, row| board.cell(usize::from(column), usize::from(row));
        let position = Position::from_cells(size, side, cell).expect("a board without holes");
        prop_assert_eq!(position.side_to_move(), side);
        assert_same(&position, &board);
    }

    /// Mirror images share their keys, and their moves correspond.
    #[test]
    fn mirror_images_are_known_by_one_key(
        size in select(sizes().collect::<Vec<_>>()),
        choices in vec(any::<u8>(), 0..=64),
    ) {
        let other = |column: Column| Column::from_index(size.columns() - 1 - column.index());
        let (mut left, mut right) = (Position::empty(size), Position::empty(size));
        for choice in choices {
            let moves: Vec<Column> = left.legal_moves().collect();
            let Some(column) = chosen(&moves, choice) else { break };
            prop_assert_eq!(left.key(), right.key(), "{}", left);
            prop_assert_eq!(left.end_of_game_key(), right.end_of_game_key(), "{}", left);
            prop_assert_eq!(left.bounds(), right.bounds(), "{}", left);
            if left != right {
                let code =
                    |position: Position, column| position.canonical_code(position.move_code(column));
                prop_assert_eq!(code(left, column), code(right, other(column)), "{}", left);
            }
            left.play_unchecked(column);
            right.play_unchecked(other(column));
        }
    }
}

/// The move that a byte stands for, if there are any.
fn chosen(moves: &[Column], choice: u8) -> Option<Column> {
    let index = usize::from(choice).checked_rem(moves.len())?;
    Some(moves[index])
}

#[test]
fn pieces_need_support() {
    let size = Size::STANDARD;
    for (column, row) in [(0, 1), (3, 5), (6, 2)] {
        let cell = |c, r| ((c, r) == (column, row)).then_some(Side::First);
        assert_eq!(Position::from_cells(size, Side::Second, cell), None, "{column}, {row}");
    }
}

#[test]
fn positions_are_their_cells() {
    for seed in 0..200 {
        let position = random_position(&Position::standard(), seed as u32 % 43, seed);
        let cell = |column, row| position.cell(column, row);
        let same = Position::from_cells(position.size(), position.side_to_move(), cell);
        assert_eq!(same, Some(position));
    }
}

#[test]
fn illegal_moves_have_their_reasons() {
    let mut position = Position::empty(Size::new(5, 4).expect("a size"));
    let (first, sixth) = (Column::from_index(0), Column::from_index(5));
    for _ in 0..4 {
        position.play(first).expect("a legal move");
    }
    assert_eq!(position.play(first), Err(IllegalMove::Full(first)));
    assert_eq!(IllegalMove::Full(first).to_string(), "column 1 is full");
    let missing = IllegalMove::NoSuchColumn { column: sixth, columns: 5 };
    assert_eq!(position.play(sixth), Err(missing));
    assert_eq!(missing.to_string(), "column 6 does not exist: the columns are 1 to 5");
}

#[test]
fn texts_that_are_not_columns() {
    for text in ["", "0", "9", "-1", "a", "1.0", "77"] {
        assert!(text.parse::<Column>().is_err(), "{text:?}");
    }
}

/// The number of games of exactly `plies` plies.
fn perft(position: &Position, plies: u32) -> u64 {
    if plies == 0 || position.outcome().is_some() {
        return u64::from(plies == 0);
    }
    position.legal_moves().map(|column| perft(&position.after(column), plies - 1)).sum()
}

#[test]
fn perft_of_the_empty_board() {
    // A column is full after six moves: the seventh has seven ways less.
    let counts: Vec<u64> = (1..=7).map(|plies| perft(&Position::standard(), plies)).collect();
    assert_eq!(counts, [7, 49, 343, 2_401, 16_807, 117_649, 823_536]);
}

/// Positions with their exact values; the first line tells the format.
const EXACT: &str = include_str!("data/exact.txt");

/// Positions with fewer pieces take too long for a test of every column.
const LEAST_PIECES: u32 = 20;
/// The same for the best column alone.
const LEAST_PIECES_FOR_BEST: u32 = 18;

/// A line of the file.
struct Solved {
    position: Position,
    /// The final margin with best play, as the side to move sees it.
    value: i32,
    /// The same after a move to each column, `None` for a full one.
    columns: Vec<Option<i32>>,
}

impl Solved {
    fn parse(line: &str) -> Option<Solved> {
        let mut fields = line.split(' ');
        let (state, value, columns) = (fields.next()?, fields.next()?, fields.next()?);
        let mut rows: Vec<&[u8]> = state.split('/').map(str::as_bytes).collect();
        let side = |digit: u8| match digit {
            b'1' => Some(Side::First),
            b'2' => Some(Side::Second),
            _ => None,
        };
        let side_to_move = side(*rows.pop()?.first()?)?;
        rows.reverse();
        let cell = |column, row| side(rows[usize::from(row)][usize::from(column)]);
        let position = Position::from_cells(Size::STANDARD, side_to_move, cell)?;
        let value = value.parse().ok()?;
        Some(Solved {
            position,
            value,
            columns: columns.split(',').map(|text| text.parse().ok()).collect(),
        })
    }

    /// Those of the file with at least this many pieces.
    fn with_pieces(least: u32) -> Vec<Solved> {
        EXACT
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| Solved::parse(line).unwrap_or_else(|| panic!("malformed: {line}")))
            .filter(|solved| 42 - solved.position.empty_cells() >= least)
            .collect()
    }
}

fn solve(search: &mut impl Search<Position>, position: &Position, scope: Scope) -> Report<Column> {
    let to_the_end = Limits::depth(position.empty_cells());
    let report = search.search(position, &to_the_end, scope, &mut |_| ());
    report.expect("the game is not over")
}

fn alpha_beta(table_mib: usize) -> AlphaBeta<OpenQuads> {
    AlphaBeta::new(OpenQuads, Options { table_mib, ..Options::default() })
}

#[test]
fn known_values_of_every_column() {
    let mut search = alpha_beta(64);
    let solved = Solved::with_pieces(LEAST_PIECES);
    assert!(solved.len() > 80);
    for Solved { position, value, columns } in solved {
        let report = solve(&mut search, &position, Scope::EveryMove);
        assert!(report.proven(), "{position}");
        assert_eq!(report.score(), Score::points(value), "{position}");
        let mut found = vec![None; columns.len()];
        for line in &report.lines {
            found[usize::from(line.first_move().index())] = Some(line.score());
        }
        let expected: Vec<_> = columns.into_iter().map(|value| value.map(Score::points)).collect();
        assert_eq!(found, expected, "{position}");
    }
}

#[test]
fn known_values_with_a_cold_table_each() {
    for Solved { position, value, columns } in Solved::with_pieces(LEAST_PIECES_FOR_BEST) {
        let report = solve(&mut alpha_beta(1), &position, Scope::BestMove);
        assert!(report.proven(), "{position}");
        assert_eq!(report.score(), Score::points(value), "{position}");
        let best = columns[usize::from(report.best_move().index())];
        assert_eq!(best, Some(value), "{position}");
    }
}

/// A thread defers what another searches, but leaves nothing out.
#[test]
fn known_values_with_several_threads() {
    for threads in [2, 3, 8] {
        let head_start = Duration::ZERO;
        let options = Options { table_mib: 16, threads, head_start, ..Options::default() };
        let mut search = AlphaBeta::new(OpenQuads, options);
        for Solved { position, value, columns } in Solved::with_pieces(LEAST_PIECES_FOR_BEST) {
            search.clear();
            let report = solve(&mut search, &position, Scope::BestMove);
            assert_eq!(report.score(), Score::points(value), "{position}");
            let best = columns[usize::from(report.best_move().index())];
            assert_eq!(best, Some(value), "{position}");
        }
    }
}

#[test]
fn known_values_of_small_boards() {
    let values = [(4, 4, 0), (5, 4, 0), (4, 5, 0), (6, 4, -1), (4, 6, 0), (5, 5, 0), (7, 4, -1)];
    // One table for all: positions of different sizes must not be taken for each other.
    let mut search = alpha_beta(64);
    for (columns, rows, value) in values {
        let empty = Position::empty(Size::new(columns, rows).expect("a size"));
        let report = solve(&mut search, &empty, Scope::BestMove);
        assert_eq!(report.score(), Score::points(value), "{columns} by {rows}");
        assert!(report.proven());
    }
}

#[test]
fn minimax_finds_the_same_on_the_smallest_board() {
    let empty = Position::empty(Size::new(4, 4).expect("a size"));
    for seed in 0..20 {
        let position = random_position(&empty, 7, seed);
        let plain = solve(&mut Minimax::new(OpenQuads), &position, Scope::BestMove);
        let fast = solve(&mut alpha_beta(1), &position, Scope::BestMove);
        assert_eq!(plain.score(), fast.score(), "{position}");
    }
}

#[test]
fn plain_search_finds_the_same_from_smallest_empty_board() {
    let empty = Position::empty(Size::new(4, 4).expect("a size"));
    let plain = plain_value(&empty, 100_000_000).expect("few enough nodes");
    assert_eq!(solve(&mut alpha_beta(1), &empty, Scope::BestMove).score(), plain);
}

/// The result of best play of every position that follows from one with few empty cells, by plain
/// minimax, which is shown every one.
struct Exhaustion<'a> {
    /// Empty cells of the root below each column.
    cells_before: Vec<u32>,
    /// Empty cells of the root in each column.
    heights: Vec<u32>,
    /// By what happened to the empty cells of the root, in base three.
    results: Vec<Option<i32>>,
    show: &'a mut dyn FnMut(&Position, i32),
}

impl<'a> Exhaustion<'a> {
    /// Returns the final margin as the side to move sees it.
    fn run(root: &Position, show: &'a mut dyn FnMut(&Position, i32)) -> i32 {
        let heights: Vec<u32> = (0..root.size().columns()).map(|c| empties_of(root, c)).collect();
        let before = |sum: &mut u32, height: &u32| Some(std::mem::replace(sum, *sum + height));
        let cells_before = heights.iter().scan(0, before).collect();
        let results = vec![None; 3_usize.pow(root.empty_cells())];
        Exhaustion { cells_before, heights, results, show }.result(root, 0)
    }

    fn result(&mut self, position: &Position, index: usize) -> i32 {
        if let Some(result) = self.results[index] {
            return result;
        }
        let sign = if position.side_to_move() == Side::First { 1 } else { -1 };
        let [first, second] = Side::BOTH.map(|side| position.points(side) as i32);
        let result = position
            .legal_moves()
            .map(|column| {
                -self.result(&position.after(column), self.after(position, index, column))
            })
            .max()
            .unwrap_or(sign * (first - second));
        self.results[index] = Some(result);
        (self.show)(position, result);
        result
    }

    /// The index of the position after a move to `column`.
    fn after(&self, position: &Position, index: usize, column: Column) -> usize {
        let c = usize::from(column.index());
        let filled = self.heights[c] - empties_of(position, column.index());
        let digit = 1 + position.side_to_move().index();
        index + digit * 3_usize.pow(self.cells_before[c] + filled)
    }
}

fn empties_of(position: &Position, column: u8) -> u32 {
    (0..position.size().rows()).filter(|&row| position.cell(column, row).is_none()).count() as u32
}

/// A position with exactly `empties` empty cells, of pieces put at random: the numbers of pieces
/// may contradict the side to move.
fn jumble(size: Size, empties: u32, rng: &mut StdRng) -> Position {
    let mut heights = vec![size.rows(); size.columns().into()];
    for _ in 0..empties {
        let open = heights.iter_mut().filter(|height| **height > 0);
        if let Some(height) = open.choose(rng) {
            *height -= 1;
        }
    }
    let share = [0.3, 0.5, 0.5, 0.5, 0.65].choose(rng).copied().unwrap_or(0.5);
    let mut side = |share| if rng.random_bool(share) { Side::First } else { Side::Second };
    let columns: Vec<Vec<Side>> =
        heights.iter().map(|&height| (0..height).map(|_| side(share)).collect()).collect();
    let to_move = side(0.5);
    let cell = |column: u8, row: u8| columns[usize::from(column)].get(usize::from(row)).copied();
    Position::from_cells(size, to_move, cell).expect("a board without holes")
}

/// Returns the same position, except for the color of one piece, or mirrored, or with the other
/// side to move: a key that ignores too much takes it for the same.
fn vary(position: &Position, rng: &mut StdRng) -> Position {
    let size = position.size();
    let (columns, rows) = (size.columns(), size.rows());
    let changed = (rng.random_range(0..columns), rng.random_range(0..rows));
    let mirrored = rng.random_bool(0.2);
    let to_move = position.side_to_move();
    let to_move = if rng.random_bool(0.1) { to_move.other() } else { to_move };
    let cell = |column, row| {
        let side = position.cell(if mirrored { columns - 1 - column } else { column }, row)?;
        Some(if (column, row) == changed { side.other() } else { side })
    };
    Position::from_cells(size, to_move, cell).expect("a board without holes")
}

/// The positions that the safety net has seen.
#[derive(Default)]
struct Net {
    positions: usize,
    /// Positions that the bounds alone do not settle.
    open: usize,
    /// Positions whose upper bound the closer ones improve on, with an even and with an odd number of
    /// empty cells.
    closer: [usize; 2],
    /// Positions whose end-of-game key was known already.
    shared: usize,
    rest_by_key: HashMap<u64, (i32, Position)>,
}

/// More are not kept, for the sake of memory.
const MOST_KEYS: usize = 500_000;

impl Net {
    /// Checks everything that follows from `root`.
    fn check(&mut self, root: &Position) {
        if self.rest_by_key.len() > MOST_KEYS {
            self.rest_by_key.clear();
        }
        Exhaustion::run(root, &mut |position, result| self.check_one(position, result));
    }

    fn check_one(&mut self, position: &Position, result: i32) {
        self.positions += 1;
        let (bounds, score) = (position.bounds(), Score::points(result));
        assert!(
            bounds.lower <= score && score <= bounds.upper,
            "the result {score} is not within {bounds:?} in\n{position}\n{position:?}"
        );
        // The windows in which a limit that is wrong at all is wrong.
        for (alpha, beta) in [(score - 1, score), (score, score + 1)] {
            let closer = position.closer_bounds(alpha, beta).unwrap_or(Bounds::NONE);
            assert!(
                closer.lower <= score && score <= closer.upper,
                "the result {score} is not within {closer:?} in\n{position}\n{position:?}"
            );
            let improves = closer.upper < bounds.upper;
            self.closer[position.empty_cells() as usize % 2] += usize::from(improves);
        }
        self.open += usize::from(bounds.exact().is_none());
        let rest = result - position.margin();
        let entry = self.rest_by_key.entry(position.end_of_game_key());
        self.shared += usize::from(matches!(entry, std::collections::hash_map::Entry::Occupied(_)));
        let (known, other) = entry.or_insert((rest, *position));
        assert_eq!(
            *known, rest,
            "one end-of-game key, but different results in\n{other}\n{other:?}\n\
             and in\n{position}\n{position:?}"
        );
    }
}

/// Bounds and end-of-game keys are proven on paper; here they are tried.
///
/// On every size of board, positions with up to ten empty cells: late positions of random games,
/// jumbles of pieces, and small variations of both, each with all that can follow from it.
#[test]
#[ignore = "long"]
fn bounds_and_end_of_game_keys_hold() {
    const ROOTS: u64 = 300;
    const VARIATIONS: usize = 6;
    const MOST_EMPTY: u32 = 10;
    let mut rng = StdRng::seed_from_u64(4);
    let mut net = Net::default();
    let range = Size::LEAST..=Size::MOST;
    for (columns, rows) in range.clone().flat_map(|c| range.clone().map(move |r| (c, r))) {
        let size = Size::new(columns, rows).expect("a size");
        let empty = Position::empty(size);
        for seed in 0..ROOTS {
            let empties = rng.random_range(2..=MOST_EMPTY);
            let root = if seed % 2 == 0 {
                random_position(&empty, empty.empty_cells() - empties, seed)
            } else {
                jumble(size, empties, &mut rng)
            };
            net.check(&root);
            let mut variation = root;
            for _ in 0..VARIATIONS {
                variation = vary(&variation, &mut rng);
                net.check(&variation);
            }
        }
    }
    assert!(net.positions > 1_000_000, "{}", net.positions);
    assert!(net.shared > net.positions / 4, "{} of {}", net.shared, net.positions);
    for closer in net.closer {
        assert!(closer > net.positions / 50, "{:?} of {}", net.closer, net.positions);
    }
    assert!(net.open > net.positions / 10, "{} of {}", net.open, net.positions);
}

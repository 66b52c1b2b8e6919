//! Exact results of Max-Connect4: against known values, and against plain search.

use std::collections::HashMap;
use std::time::Duration;

use maxconnect4::{Column, OpenQuads, Position, Size};
use plyground::perfect::plain_value;
use plyground::search::{Limits, Options, Report, Scope};
use plyground::testing::random_position;
use plyground::{AlphaBeta, Bounds, Game, Minimax, Score, Search, SearchHints, Side};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

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

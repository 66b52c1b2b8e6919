//! Max-Connect4: its rules, against the plainest program of them, and exact results.

mod exact;
mod naive;

use maxconnect4::{Column, IllegalMove, Position, Size};
use plyground::testing::random_position;
use plyground::{Game, Outcome, SearchHints, Side};
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed};

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

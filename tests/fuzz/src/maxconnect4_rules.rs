//! The rules of Max-Connect4: a size, pieces perhaps, then the moves.

use maxconnect4::{Column, Position, Size};
use plyground::{Game, Outcome, SearchHints, Side};

use crate::Source;
use crate::naive_board::Board;

/// The fast rules are the naive ones, in every position on the way.
pub fn maxconnect4_rules(bytes: &[u8]) {
    let mut source = Source(bytes);
    let sizes: Vec<Size> = Size::all().collect();
    let size = sizes[source.below(sizes.len())];
    let mut board = Board::empty(size);
    let mut side = Side::First;
    if source.byte() % 2 == 1 {
        side = Side::BOTH[source.below(2)];
        for column in &mut board.columns {
            let (height, pieces) = (source.below(board.rows + 1), source.byte());
            column.extend((0..height).map(|row| Side::BOTH[usize::from(pieces >> row & 1)]));
        }
    }
    let cell = |column, row| board.cell(usize::from(column), usize::from(row));
    let mut position = Position::from_cells(size, side, cell).expect("no piece without support");
    assert_same(&position, &board, side);
    while !source.is_empty() {
        let column = Column::from_index(source.below(usize::from(Size::MOST)) as u8);
        let pieces = board.columns.get_mut(usize::from(column.index()));
        let pieces = pieces.filter(|pieces| pieces.len() < board.rows);
        assert_eq!(position.play(column).is_ok(), pieces.is_some(), "{column}\n{position}");
        if let Some(pieces) = pieces {
            pieces.push(side);
            side = side.other();
            assert_same(&position, &board, side);
        }
    }
}

fn assert_same(position: &Position, board: &Board, side: Side) {
    assert_eq!(position.side_to_move(), side);
    for (column, pieces) in (0..).zip(&board.columns) {
        for row in 0..=board.rows {
            assert_eq!(position.cell(column, row as u8), pieces.get(row).copied(), "{position}");
        }
    }
    let [first, second] = Side::BOTH.map(|side| board.points(side) as i32);
    assert_eq!(Side::BOTH.map(|side| position.points(side) as i32), [first, second], "{position}");
    let legal = (0..).zip(&board.columns).filter(|(_, pieces)| pieces.len() < board.rows);
    let legal: Vec<u8> = legal.map(|(column, _)| column).collect();
    let mut found: Vec<u8> = position.legal_moves().map(Column::index).collect();
    found.sort_unstable();
    assert_eq!(found, legal, "{position}");
    let outcome = Outcome::Points { first, second };
    assert_eq!(position.outcome(), legal.is_empty().then_some(outcome), "{position}");
    let bounds = position.bounds();
    assert!(bounds.lower <= bounds.upper, "{position}");
    assert_mirror_image_is_known(position);
}

/// A position and its mirror image have one key.
fn assert_mirror_image_is_known(position: &Position) {
    let size = position.size();
    let cell = |column: u8, row| {
        size.columns().checked_sub(column + 1).and_then(|column| position.cell(column, row))
    };
    let image = Position::from_cells(size, position.side_to_move(), cell).expect("a mirror image");
    assert_eq!(image.key(), position.key(), "{position}");
    assert_eq!(image.end_of_game_key(), position.end_of_game_key(), "{position}");
}

//! The rules of Othello: a size, discs perhaps, then the moves.

use othello::{Move, Position};
use plyground::{Game, Side};

use crate::Source;

/// The fast rules are the naive ones, in every position on the way.
pub fn othello_rules(bytes: &[u8]) {
    let mut source = Source(bytes);
    let size = [4, 6, 8][source.below(3)];
    let mut position = if source.byte().is_multiple_of(2) {
        Position::new(size)
    } else {
        set_up(&mut source, size)
    };
    let mut naive = naive(&position);
    loop {
        assert_same(&position, &naive);
        let moves: Vec<Move> = position.legal_moves().collect();
        if source.is_empty() || moves.is_empty() {
            return;
        }
        let mv = moves[source.below(moves.len())];
        position.play(mv).expect("a legal move");
        naive.play(match mv {
            Move::Place(square) => Some(place(square)),
            Move::Pass => None,
        });
    }
}

/// Any discs on a board.
fn set_up(source: &mut Source<'_>, size: u8) -> Position {
    let board = Position::new(size).squares().fold(0, |board, square| board | 1_u64 << square);
    let first = source.number() & board;
    let second = source.number() & board & !first;
    Position::from_discs(size, [first, second], Side::BOTH[source.below(2)])
}

fn place(square: u8) -> (i8, i8) {
    ((square % 8) as i8, (square / 8) as i8)
}

fn naive(position: &Position) -> NaiveDiscs {
    let size = position.size();
    let row = |row| (0..size).map(|column| position.disc(8 * row + column)).collect();
    NaiveDiscs { rows: (0..size).map(row).collect(), side: position.side_to_move() }
}

fn assert_same(position: &Position, discs: &NaiveDiscs) {
    assert_eq!(naive(position).rows, discs.rows, "{position}");
    let [own, other] = [discs.side, discs.side.other()].map(|side| discs.places(side));
    let mut expected: Vec<Move> =
        own.iter().map(|&(column, row)| Move::Place((8 * row + column) as u8)).collect();
    if own.is_empty() && !other.is_empty() {
        expected.push(Move::Pass);
    }
    let mut found: Vec<Move> = position.legal_moves().collect();
    found.sort_by_key(|mv| mv.to_string());
    expected.sort_by_key(|mv| mv.to_string());
    assert_eq!(found, expected, "{position}");
    assert_eq!(position.outcome().is_some(), own.is_empty() && other.is_empty(), "{position}");
    let count = |side| discs.rows.iter().flatten().filter(|disc| **disc == Some(side)).count();
    let [first, second] = Side::BOTH.map(|side| count(side) as i32);
    assert_eq!(position.points(), Some([first, second]), "{position}");
}

/// (columns, rows) to the neighbors in every direction.
const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Discs by row and column.
#[derive(Clone, Debug)]
pub(crate) struct NaiveDiscs {
    pub(crate) rows: Vec<Vec<Option<Side>>>,
    pub(crate) side: Side,
}

impl NaiveDiscs {
    pub(crate) fn at(&self, column: i8, row: i8) -> Option<Side> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    /// The discs that turn when `side` places one here.
    fn turned(&self, side: Side, column: i8, row: i8) -> Vec<(i8, i8)> {
        let mut turned = Vec::new();
        for (right, down) in DIRECTIONS {
            let line = (1..).map(|step| (column + step * right, row + step * down));
            let others: Vec<_> =
                line.take_while(|&(x, y)| self.at(x, y) == Some(side.other())).collect();
            let behind = others.len() as i8 + 1;
            if self.at(column + behind * right, row + behind * down) == Some(side) {
                turned.extend(others);
            }
        }
        turned
    }

    /// The squares, by column and row, on which `side` may place a disc.
    pub(crate) fn places(&self, side: Side) -> Vec<(i8, i8)> {
        let size = self.rows.len() as i8;
        let squares = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
        squares
            .filter(|&(column, row)| self.at(column, row).is_none())
            .filter(|&(column, row)| !self.turned(side, column, row).is_empty())
            .collect()
    }

    /// Places a disc, or passes.
    pub(crate) fn play(&mut self, place: Option<(i8, i8)>) {
        if let Some((column, row)) = place {
            for (column, row) in self.turned(self.side, column, row).into_iter().chain(place) {
                self.rows[row as usize][column as usize] = Some(self.side);
            }
        }
        self.side = self.side.other();
    }
}

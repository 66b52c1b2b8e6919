//! The rules of Network: which rules, chips perhaps, then the moves.

use network::naive::{Board, NaiveMove, Place};
use network::{Color, Move, Position, Rules, Square, SquareSet};
use plyground::{Game, Outcome};

use crate::Source;

/// More plies than this are steps back and forth. The naive rules take their time.
const PLIES: usize = 30;

/// The fast rules are the naive ones, in every position on the way.
pub fn network_rules(bytes: &[u8]) {
    let mut source = Source(bytes);
    let rules = Rules::BOTH[source.below(2)];
    let mut position = Position::new(rules);
    if source.byte() % 2 == 1 {
        position = set_up(&mut source, rules);
    }
    for _ in 0..PLIES {
        let board = board_of(&position);
        assert_eq!(winner(&position), board.winner(), "{position}");
        for color in Color::BOTH {
            let found = position.network(color).map(|chain| chain.len());
            assert_eq!(found, board.network(color.letter()), "{position}");
        }
        if source.is_empty() || position.outcome().is_some() {
            assert_same_moves(&position, &board);
            return;
        }
        let moves: Vec<Move> = position.legal_moves().collect();
        let mv = any_move(&mut source, &position).unwrap_or(moves[source.below(moves.len())]);
        assert_eq!(position.check_legal(mv).is_ok(), moves.contains(&mv), "{mv}\n{position}");
        let is_legal = board.why_illegal(naive_move(mv)).is_none();
        assert_eq!(position.play(mv).is_ok(), is_legal, "{mv}\n{position}");
        if is_legal {
            let next = board.play(naive_move(mv));
            assert_eq!(position.to_string(), next.text(), "{mv}");
            let [white, black] = Color::BOTH.map(|color| position.chips(color));
            let again = Position::from_chips(rules, white, black, position.to_move());
            assert_eq!(again.map(|again| again.key()), Ok(position.key()), "{position}");
        }
    }
}

/// Chips on any squares on which they may stand.
fn set_up(source: &mut Source<'_>, rules: Rules) -> Position {
    let mut chips = [SquareSet::EMPTY; 2];
    let mut position = Position::new(rules);
    let to_move = Color::BOTH[source.below(2)];
    for chip in 0..source.below(2 * Position::CHIPS + 1) {
        let Some(square) = Square::from_index(source.below(Square::COUNT)) else { continue };
        let mut with = chips;
        with[chip % 2] = with[chip % 2].with(square);
        if let Ok(next) = Position::from_chips(rules, with[0], with[1], to_move) {
            (chips, position) = (with, next);
        }
    }
    position
}

/// Any move at all, legal or not, if the next byte is for one.
fn any_move(source: &mut Source<'_>, position: &Position) -> Option<Move> {
    if !source.0.first()?.is_multiple_of(4) {
        return None;
    }
    source.byte();
    let to = Square::from_index(source.below(Square::COUNT))?;
    let steps = position.in_hand(position.to_move()) == 0 || source.byte().is_multiple_of(4);
    let from = Square::from_index(source.below(Square::COUNT))?;
    Some(if steps { Move::Step { from, to } } else { Move::Add(to) })
}

fn board_of(position: &Position) -> Board {
    let is_usf = position.rules() == Rules::Usf;
    Board::from_text(&position.to_string(), is_usf).expect("a position has a color to move")
}

fn winner(position: &Position) -> Option<char> {
    match position.outcome()? {
        Outcome::Win(side) => Some(position.rules().color(side).letter()),
        other => panic!("no outcome of Network: {other:?}"),
    }
}

fn naive_move(mv: Move) -> NaiveMove {
    let place = |square: Square| -> Place { (square.x() as i8, square.y() as i8) };
    NaiveMove { from: mv.from().map(place), to: place(mv.to()) }
}

fn assert_same_moves(position: &Position, board: &Board) {
    let mut found: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    let mut expected = match position.outcome() {
        Some(_) => Vec::new(),
        None => board.legal_moves().into_iter().map(NaiveMove::text).collect(),
    };
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{position}");
}

//! The board on the page in the browser.

use plyground::{Game, Side};
use plyground_host::page::{
    Count, Edges, Ground, Layout, Look, Owner, Picture, Piece, Stroke, StrokeKind,
};

use crate::color::Color;
use crate::moves::Move;
use crate::notation::Notation;
use crate::position::Position;
use crate::rules::Rules;
use crate::square::Square;
use crate::squares::SquareSet;

/// The ways to write a move, the canonical one first.
const NOTATIONS: [(&str, Notation); 2] = [("Berkeley", Notation::Berkeley), ("USF", Notation::Usf)];

/// Returns the layout of the board.
pub(crate) fn layout(rules: Rules) -> Layout {
    let side = Square::SIDE;
    let numbers = |first: u8| (first..first + side).map(|number| number.to_string()).collect();
    let letters = (0..side).map(|row| char::from(b'A' + row).to_string());
    let names = |square| NOTATIONS.map(|(_, notation)| notation.write_square(square)).to_vec();
    Layout {
        columns: side.into(),
        rows: side.into(),
        look: Look::Squares,
        falls: false,
        grounds: Square::all().map(|square| ground(rules, square)).collect(),
        hatched: true,
        notations: NOTATIONS.map(|(name, _)| name).to_vec(),
        names: Square::all().map(names).collect(),
        edges: Edges {
            top: numbers(0),
            left: numbers(0),
            bottom: numbers(1),
            right: letters.collect(),
        },
        pieces: Side::BOTH.map(|side| piece(rules.color(side))),
        empty_symbol: '.',
    }
}

/// Returns the chips, their connections, and the chips in hand.
pub(crate) fn picture(position: &Position) -> Picture {
    let rules = position.rules();
    let owner = |square| position.chip_at(square).map(|color| Owner::from(rules.side(color)));
    let in_hand = |side| Count {
        name: "in hand",
        value: position.in_hand(rules.color(side)) as u32,
        as_pieces: true,
    };
    Picture {
        cells: Square::all().map(owner).collect(),
        lines: Color::BOTH.into_iter().flat_map(|color| lines(position, color)).collect(),
        counts: Side::BOTH.map(|side| vec![in_hand(side)]),
        ..Picture::default()
    }
}

/// Returns the move of a chip from `from` to `to`; while chips are added, the add to `to`.
pub(crate) fn move_at(position: &Position, from: Option<usize>, to: usize) -> Option<Move> {
    let to = Square::from_index(to)?;
    if position.in_hand(position.to_move()) > 0 {
        return Some(Move::Add(to));
    }
    // Without `from`, `to` is the chip to be moved, chosen first.
    let from = from.map_or(Some(to), Square::from_index)?;
    Some(Move::Step { from, to })
}

/// Returns a move in each of the notations.
pub(crate) fn names(mv: Move) -> Vec<String> {
    NOTATIONS.map(|(_, notation)| notation.write_move(mv)).to_vec()
}

/// Reads a move in any of the notations.
pub(crate) fn read_move(text: &str) -> Option<Move> {
    NOTATIONS.iter().find_map(|(_, notation)| notation.parse_move(text).ok())
}

fn ground(rules: Rules, square: Square) -> Ground {
    if SquareSet::CORNERS.contains(square) {
        return Ground::Dead;
    }
    let owns = |color: &Color| color.goals().iter().any(|goal| goal.contains(square));
    let owner = Color::BOTH.into_iter().find(owns);
    owner.map_or(Ground::Open, |color| Ground::of(rules.side(color)))
}

/// Returns the connections of the chips of `color`, and its network if the game has ended with one.
fn lines(position: &Position, color: Color) -> Vec<Stroke> {
    let owner = position.rules().side(color);
    let stroke = |kind, squares: &[Square]| Stroke {
        kind,
        side: owner.index(),
        cells: squares.iter().map(|square| square.index()).collect(),
    };
    let is_won = position.outcome().and_then(|outcome| outcome.winner()) == Some(owner);
    let network = if is_won { position.network(color) } else { None };
    let links = position.connections(color);
    let links = links.iter().map(|pair| stroke(StrokeKind::Link, pair));
    links.chain(network.map(|network| stroke(StrokeKind::Win, &network))).collect()
}

fn piece(color: Color) -> Piece {
    let (name, fill, mark) = match color {
        Color::White => ("white chip", "#fbfaf5", "#6f6a5e"),
        Color::Black => ("black chip", "#26282c", "#8b9099"),
    };
    Piece { name, fill, mark, symbol: color.letter(), turn_symbol: color.letter() }
}

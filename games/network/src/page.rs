//! What the page in the browser shows.

use network::{Color, Move, Notation, Position, Rules, Square, SquareSet};
use plyground::server::{
    Count, Edges, Ground, Layout, Look, OnPage, Path, Picture, Piece, Stroke, StrokeKind,
};
use plyground::{Game, Side};

use crate::program::Network;

/// The ways to write a move, the canonical one first.
const NOTATIONS: [(&str, Notation); 2] = [("Berkeley", Notation::Berkeley), ("USF", Notation::Usf)];

impl OnPage for Network {
    fn layout(&self) -> Layout {
        let side = Square::SIDE;
        let numbers = |first: u8| (first..first + side).map(|number| number.to_string()).collect();
        let letters = (0..side).map(|row| char::from(b'A' + row).to_string());
        let names = |square| NOTATIONS.map(|(_, notation)| notation.write_square(square)).to_vec();
        Layout {
            columns: side.into(),
            rows: side.into(),
            look: Look::Squares,
            falls: false,
            grounds: Square::all().map(|square| self.ground(square)).collect(),
            notations: NOTATIONS.map(|(name, _)| name).to_vec(),
            names: Square::all().map(names).collect(),
            edges: Edges {
                top: numbers(0),
                left: numbers(0),
                bottom: numbers(1),
                right: letters.collect(),
            },
            pieces: Side::BOTH.map(|side| piece(self.rules.color(side))),
            empty_symbol: '.',
        }
    }

    fn picture(&self, position: &Position) -> Picture {
        let owner = |square| position.chip_at(square).map(|color| self.rules.side(color).index());
        let in_hand = |side| Count {
            name: "in hand",
            value: position.in_hand(self.rules.color(side)) as u32,
            as_pieces: true,
        };
        Picture {
            cells: Square::all().map(owner).collect(),
            lines: Color::BOTH.into_iter().flat_map(|color| self.lines(position, color)).collect(),
            counts: Side::BOTH.map(|side| vec![in_hand(side)]),
        }
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        Path { from: mv.from().map(Square::index), to: mv.to().index() }
    }

    fn move_at(&self, position: &Position, from: Option<usize>, to: usize) -> Option<Move> {
        let to = Square::from_index(to)?;
        if position.in_hand(position.to_move()) > 0 {
            return Some(Move::Add(to));
        }
        // The chip to be moved is still to be chosen, unless it has been.
        let from = from.map_or(Some(to), Square::from_index)?;
        Some(Move::Step { from, to })
    }

    fn names(&self, mv: Move) -> Vec<String> {
        NOTATIONS.map(|(_, notation)| notation.write_move(mv)).to_vec()
    }

    fn read_move(&self, text: &str) -> Option<Move> {
        NOTATIONS.iter().find_map(|(_, notation)| notation.parse_move(text).ok())
    }

    fn rule_sets(&self) -> Vec<String> {
        [Rules::Berkeley, Rules::Usf].map(|rules| rules.to_string()).to_vec()
    }
}

impl Network {
    fn ground(&self, square: Square) -> Ground {
        if SquareSet::CORNERS.contains(square) {
            return Ground::Dead;
        }
        let owns = |color: &Color| color.goals().iter().any(|goal| goal.contains(square));
        let owner = Color::BOTH.into_iter().find(owns);
        owner.map_or(Ground::Open, |color| Ground::of(self.rules.side(color)))
    }

    /// The connections of the chips of `color`, and its network if the game has ended with one.
    fn lines(&self, position: &Position, color: Color) -> Vec<Stroke> {
        let side = self.rules.side(color).index();
        let cells = |squares: &[Square]| squares.iter().map(|square| square.index()).collect();
        let links = position.connections(color);
        let links =
            links.iter().map(|pair| Stroke { kind: StrokeKind::Link, side, cells: cells(pair) });
        let is_won =
            position.outcome().and_then(|outcome| outcome.winner()) == Some(self.rules.side(color));
        let network = if is_won { position.network(color) } else { None };
        let network =
            network.map(|network| Stroke { kind: StrokeKind::Win, side, cells: cells(&network) });
        links.chain(network).collect()
    }
}

fn piece(color: Color) -> Piece {
    let (name, fill, mark) = match color {
        Color::White => ("white chip", "#fbfaf5", "#6f6a5e"),
        Color::Black => ("black chip", "#26282c", "#8b9099"),
    };
    Piece { name, fill, mark, symbol: color.letter(), turn_symbol: color.letter() }
}

//! The boards of positions as arrays of cells.

use network::{Color, Move, Square};
use plyground::{Game as _, Side};
use plyground_host::HostedPosition;
use rand::RngExt;
use rand::rngs::StdRng;

/// A position with a board.
pub trait Board: plyground::Game {
    /// Returns the number of cells.
    fn cells(&self) -> usize;

    /// Returns the cells with a piece of a side, numbered by rows from the top, and in a row from the left.
    fn pieces(&self, side: Side) -> impl Iterator<Item = usize>;

    /// Returns a legal move, each with the same probability, in a position in which the game is not over.
    fn random_move(&self, rng: &mut StdRng) -> Self::Move;

    /// Appends the cells of the pieces of the side to move, and then those of its opponent, one byte for each
    /// cell.
    fn write_planes(&self, planes: &mut Vec<u8>) {
        let (start, cells) = (planes.len(), self.cells());
        planes.resize(start + 2 * cells, 0);
        let (own, others) = planes[start..].split_at_mut(cells);
        let mover = self.side_to_move();
        self.pieces(mover).for_each(|cell| own[cell] = 1);
        self.pieces(mover.other()).for_each(|cell| others[cell] = 1);
    }
}

impl Board for maxconnect4::Position {
    fn cells(&self) -> usize {
        let size = self.size();
        usize::from(size.rows()) * usize::from(size.columns())
    }

    fn pieces(&self, side: Side) -> impl Iterator<Item = usize> {
        let (rows, columns) = (self.size().rows(), usize::from(self.size().columns()));
        let cell = move |(column, row)| usize::from(rows - 1 - row) * columns + usize::from(column);
        self.cells_of(side).map(cell)
    }

    fn random_move(&self, rng: &mut StdRng) -> Self::Move {
        let count = self.legal_moves().count();
        self.legal_moves().nth(rng.random_range(0..count)).expect("fewer than there are")
    }
}

impl Board for network::Position {
    fn cells(&self) -> usize {
        Square::COUNT
    }

    fn pieces(&self, side: Side) -> impl Iterator<Item = usize> {
        self.chips(self.rules().color(side)).iter().map(Square::index)
    }

    fn random_move(&self, rng: &mut StdRng) -> Move {
        loop {
            let mv = random_candidate(self, self.to_move(), rng);
            // Under rules that forbid networks of both colors, a step that makes both is no candidate.
            if mv.from().is_none()
                || self.rules() == network::Rules::Berkeley
                || self.check_legal(mv).is_ok()
            {
                return mv;
            }
        }
    }
}

/// Returns a move that is legal as far as single squares and groups go. Listing all moves takes ten times as
/// long.
fn random_candidate(position: &network::Position, color: Color, rng: &mut StdRng) -> Move {
    if position.in_hand(color) > 0 {
        let targets = position.add_targets(color);
        let index = rng.random_range(0..targets.len());
        return Move::new(None, targets.iter().nth(index).expect("fewer than there are"));
    }
    let steps =
        || position.chips(color).iter().map(|from| (from, position.step_targets(color, from)));
    let mut index = rng.random_range(0..steps().map(|(_, targets)| targets.len()).sum());
    for (from, targets) in steps() {
        if index < targets.len() {
            return Move::new(Some(from), targets.iter().nth(index).expect("fewer than there are"));
        }
        index -= targets.len();
    }
    unreachable!("fewer than there are")
}

/// A computation on a position as the type that its game has for it.
pub trait Visit {
    /// The result.
    type Output;
    /// Computes the result for a position.
    fn visit<B: Board>(self, position: &B) -> Self::Output;
}

/// Passes the position of one of our games to `visit`; returns `None` for a game without a [`Board`].
pub fn with_board<V: Visit>(position: &HostedPosition, visit: V) -> Option<V::Output> {
    if let Some(position) = position.typed::<maxconnect4::Position>() {
        return Some(visit.visit(position));
    }
    position.typed::<network::Position>().map(|position| visit.visit(position))
}

/// Makes the planes of one position.
pub struct ToPlanes;

impl Visit for ToPlanes {
    type Output = Vec<u8>;

    fn visit<B: Board>(self, position: &B) -> Vec<u8> {
        let mut planes = Vec::new();
        position.write_planes(&mut planes);
        planes
    }
}

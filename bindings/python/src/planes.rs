//! Boards as arrays of cells, straight from the games' own positions: text takes ten times as long.

use network::Square;
use plyground::{Game, Side};
use plyground_host::HostedPosition;

/// A position with a board.
pub trait Board: Game {
    /// Appends the owner of every cell: the rows from the top, each from the left.
    fn write_owners(&self, owners: &mut Vec<Option<Side>>);

    /// Appends the cells of the pieces of the side to move, and then those of its opponent, a byte
    /// for each cell.
    fn write_planes(&self, owners: &mut Vec<Option<Side>>, planes: &mut Vec<u8>) {
        owners.clear();
        self.write_owners(owners);
        let mover = self.side_to_move();
        for side in [mover, mover.other()] {
            planes.extend(owners.iter().map(|&owner| u8::from(owner == Some(side))));
        }
    }
}

impl Board for maxconnect4::Position {
    fn write_owners(&self, owners: &mut Vec<Option<Side>>) {
        let size = self.size();
        for row in (0..size.rows()).rev() {
            owners.extend((0..size.columns()).map(|column| self.cell(column, row)));
        }
    }
}

impl Board for network::Position {
    fn write_owners(&self, owners: &mut Vec<Option<Side>>) {
        let rules = self.rules();
        let owner = |square| self.chip_at(square).map(|color| rules.side(color));
        owners.extend(Square::all().map(owner));
    }
}

/// Does something with a position as the type that its game has for it.
pub trait Visit {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<B: Board>(self, position: &B) -> Self::Output;
}

/// Lets `visit` have the position of one of our games; `None` for a game without a [`Board`].
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
        position.write_planes(&mut Vec::new(), &mut planes);
        planes
    }
}

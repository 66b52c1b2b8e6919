//! Searches to look at: what they say as text, as data and as graphs, and the questions about them.

mod forms;
mod practice;

use plyground::Game;
use plyground::testing::random_position;
use plyground::trace::{Order, TraceOptions};
use plyground_host::{ExplainRequest, Explanation, HostedPosition, SharedGame};

/// Both games.
fn games() -> [SharedGame; 2] {
    [maxconnect4::game(), network::game(network::Rules::Berkeley)]
}

/// Random positions of both games that are not over.
fn positions(count: u64) -> impl Iterator<Item = HostedPosition> {
    let position = |seed: u64| {
        let game = &games()[seed as usize % 2];
        random_position(&game.start(), 6 + (seed as u32 * 5) % 20, seed)
    };
    (0..count).map(position).filter(|position| position.outcome().is_none())
}

/// A whole tree, as deep as such trees are small.
fn explain(position: &HostedPosition, order: Order, table: bool) -> Explanation {
    let depth = if position.legal_moves().count() < 10 { 4 } else { 2 };
    let options = TraceOptions { depth, prunes: true, order, table };
    let request = ExplainRequest { options, most_nodes: u64::MAX, most_visited: u64::MAX };
    position.explain(&request).expect("a small tree")
}

//! Positions from games that are partly random.

use network::{ChipEval, Color, Move, Position, Rules, Win};
use plyground::Game;
use plyground::proof::Prover;
use plyground::search::{AlphaBeta, Limits, Options, Search};
use rand::prelude::*;

/// The depth of the moves that are not random.
const DEPTH: u32 = 2;

/// Plays `plies` plies of a game, and returns the first result of `found` for a position of it, with the
/// moves that led there; `None` if there is no result, or if the game ends before. The moves for which
/// `is_random` is true are drawn, the others are found by a shallow search. Both closures get the number of
/// the ply, from 0.
pub fn draw<T>(
    rng: &mut StdRng,
    plies: usize,
    is_random: impl Fn(usize, &mut StdRng) -> bool,
    mut found: impl FnMut(usize, &Position, &mut StdRng) -> Option<T>,
) -> Option<(Vec<Move>, T)> {
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
    let mut position = Position::new(Rules::Berkeley);
    let mut moves = Vec::new();
    for ply in 0..plies {
        if position.outcome().is_some() {
            return None;
        }
        if let Some(found) = found(ply, &position, rng) {
            return Some((moves, found));
        }
        let mv = if is_random(ply, rng) {
            position.legal_moves().choose(rng)?
        } else {
            search.best(&position, &Limits::depth(DEPTH))?.best_move()
        };
        moves.push(mv);
        position.play_unchecked(mv);
    }
    None
}

/// Returns the least number of plies within which `winner` wins, if it is one of `lengths`, which follow
/// `too_short`. Returns `None` also if a proof or disproof takes more than `nodes`.
pub fn length(
    position: &Position,
    winner: Color,
    (too_short, lengths): (u32, &[u32]),
    nodes: u64,
    prover: &Prover,
) -> Option<u32> {
    let goal = Win::new(position, winner);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    for &plies in [too_short].iter().chain(lengths) {
        match prover.prove(&goal, position, plies, &limits).reached {
            Some(true) => return lengths.contains(&plies).then_some(plies),
            Some(false) => {}
            None => return None,
        }
    }
    None
}

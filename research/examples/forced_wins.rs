//! Draws positions from the middle of games in which the player to move has a forced win.
//!
//!     cargo run --release -p research --example forced_wins -- 200 > positions.tsv
//!
//! Games begin at random and go on half at random, half by a shallow search. From each comes at most one
//! position, the first that is proven won within nine plies and not within one; the number of plies is the
//! least that suffices. The proofs are those of the proof search; the test `forced_wins` walks through them
//! by the naive rules.

mod drawing;

use std::collections::BTreeMap;

use network::Position;
use plyground::proof::Prover;
use rand::prelude::*;

const SEED: u64 = 9;
/// The lengths of the wins, in plies.
const LENGTHS: [u32; 4] = [3, 5, 7, 9];
/// The number of positions that a proof or disproof may visit.
const NODES: u64 = 300_000;
const TABLE_MIB: usize = 64;
/// The share of moves that are random.
const RANDOM: f64 = 0.5;
/// The ply from which on positions are searched, and the ply at which a game is given up.
const PLIES: std::ops::Range<usize> = 6..60;
/// The first ply at which all chips are on the board.
const STEPS: usize = 20;

/// Returns the first won position of a game in the requested phase, and the number of plies until the win.
fn draw(steps: bool, prover: &Prover, rng: &mut StdRng) -> Option<(Position, u32)> {
    let is_random = |ply, rng: &mut StdRng| steps && ply < STEPS || rng.random_bool(RANDOM);
    let won = drawing::draw(rng, PLIES.end, is_random, |ply, position, rng| {
        let looked_at = if steps { STEPS } else { rng.random_range(PLIES.start..STEPS) };
        let length = || drawing::length(position, position.to_move(), (1, &LENGTHS), NODES, prover);
        (ply >= looked_at).then(length).flatten().map(|plies| (*position, plies))
    });
    won.map(|(_, won)| won)
}

fn main() {
    let wanted = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut rng = StdRng::seed_from_u64(SEED);
    let prover = Prover::new(TABLE_MIB);
    let mut lengths: BTreeMap<(bool, u32), usize> = BTreeMap::new();
    let mut found = 0;
    println!("# position\tside to move\tplies to the forced win of the side to move");
    while found < wanted {
        // Every third position is one with steps.
        let steps = found % 3 == 2;
        let Some((position, plies)) = draw(steps, &prover, &mut rng) else { continue };
        let count = lengths.entry((steps, plies)).or_default();
        // Short wins are the most frequent: no length has more than its share.
        let share = wanted / if steps { 3 } else { 5 };
        if *count > share / 2 && plies == LENGTHS[0] || *count > share {
            continue;
        }
        *count += 1;
        found += 1;
        let text = position.to_string();
        let (board, side) = text.rsplit_once('\n').unwrap_or((&text, ""));
        println!("{}\t{side}\t{plies}", board.replace('\n', "/"));
    }
    eprintln!("{lengths:?}");
}

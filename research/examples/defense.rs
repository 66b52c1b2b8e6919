//! Plays lost positions on, against players of limited depth, and prints the number of games that the loser
//! did not lose, for each way to choose among defenses of equal length.
//!
//!     cargo run --release -p research --example defense -- 200 1,2,3,4
//!
//! Positions come from games that are half random and half played by a shallow search: in each, every
//! move of the player to move loses within ten plies, and not within two. The players are
//! `machine:perfect,time=500ms`, with and without `,ties=first`, and `machine:depth=N`.

mod drawing;

use std::error::Error;
use std::time::Duration;

use network::{Rules, game};
use plyground::Side;
use plyground::perfect::Ties;
use plyground::proof::Prover;
use plyground::search::Options;
use plyground_arena::statistics::{elo_of, signed};
use plyground_host::player::{EnginePlayer, Player};
use plyground_host::referee::{Conduct, Silent, play};
use plyground_host::{EngineOptions, MoveText, Strength};
use rand::prelude::*;

const SEED: u64 = 22;
/// The length of the losses, in plies.
const LENGTHS: [u32; 4] = [4, 6, 8, 10];
/// The number of positions that a proof or disproof may visit.
const NODES: u64 = 100_000;
const TABLE_MIB: usize = 64;
/// The share of moves that are random.
const RANDOM: f64 = 0.5;
/// The ply from which on positions are searched, and the ply at which a game is given up.
const PLIES: std::ops::Range<usize> = 6..24;
/// The time that the loser has for a move.
const TIME: Duration = Duration::from_millis(500);
/// The number of plies after which a game is a draw.
const PLY_CAP: u32 = 80;

/// Returns the moves that lead to a lost position, and the number of plies until the loss.
fn draw(prover: &Prover, rng: &mut StdRng) -> Option<(Vec<MoveText>, u32)> {
    let looked_at = rng.random_range(PLIES);
    let is_random = |_, rng: &mut StdRng| rng.random_bool(RANDOM);
    let lost = drawing::draw(rng, PLIES.end, is_random, |ply, position, _| {
        let winner = position.to_move().other();
        let length = || drawing::length(position, winner, (2, &LENGTHS), NODES, prover);
        (ply >= looked_at).then(length).flatten()
    });
    lost.map(|(moves, plies)| (moves.iter().map(MoveText::of).collect(), plies))
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [count, depths] = words.as_slice() else {
        return Err("expected a number of positions and depths, such as 200 1,2,3,4".into());
    };
    let count: usize = count.parse()?;
    let depths: Vec<u32> = depths.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let (mut rng, prover) = (StdRng::seed_from_u64(SEED), Prover::new(TABLE_MIB));
    let lost: Vec<(Vec<MoveText>, u32)> =
        std::iter::repeat_with(|| draw(&prover, &mut rng)).flatten().take(count).collect();
    let lengths = LENGTHS.map(|plies| lost.iter().filter(|(_, length)| *length == plies).count());
    println!("{count} positions, lost within {LENGTHS:?} plies: {lengths:?}");
    for depth in depths {
        for (name, ties) in [("first", Ties::First), ("tempting", Ties::Tempting)] {
            let mut points = [0_u32; 3];
            for (opening, _) in &lost {
                points[play_on(opening, depth, ties)? as usize] += 1;
            }
            println!("depth {depth}, {name}: {}", figures(points));
        }
    }
    Ok(())
}

/// Returns a text of the losses, draws and wins, with intervals that hold 95 % of the time.
fn figures([losses, draws, wins]: [u32; 3]) -> String {
    let count = f64::from(losses + draws + wins);
    let mean = (f64::from(wins) + f64::from(draws) / 2.0) / count;
    let square = (f64::from(wins) + f64::from(draws) / 4.0) / count;
    let error = 1.96 * ((square - mean * mean) / count).sqrt();
    let [elo, lower, upper] = [mean, mean - error, mean + error].map(|share| signed(elo_of(share)));
    format!(
        "{wins} won, {draws} drawn, {losses} lost: {:.1} % (+- {:.1}), Elo {elo} ({lower} to {upper})",
        100.0 * mean,
        100.0 * error,
    )
}

/// Plays a game. Returns its end for the player that is to move in the lost position: 0 lost, 1 drawn, 2
/// won.
fn play_on(opening: &[MoveText], depth: u32, ties: Ties) -> Result<u8, Box<dyn Error>> {
    let network = game(Rules::Berkeley);
    let options = |seed| EngineOptions {
        search: Options { table_mib: 16, seed, ..Options::default() },
        ..EngineOptions::default()
    };
    let strength = Strength::Perfect { time: Some(TIME), ties };
    let mut loser = EnginePlayer::new(network.engine(options(None)), strength);
    let seed = Some(opening.len() as u64);
    let mut winner = EnginePlayer::new(network.engine(options(seed)), Strength::Depth(depth));
    let side = if opening.len().is_multiple_of(2) { Side::First } else { Side::Second };
    let players: [&mut dyn Player; 2] = match side {
        Side::First => [&mut loser, &mut winner],
        Side::Second => [&mut winner, &mut loser],
    };
    let conduct = Conduct { opening: opening.to_vec(), ply_cap: PLY_CAP, ..Conduct::default() };
    let ending = play(&network.start(), players, &conduct, &mut Silent)?.ending;
    Ok(match ending.winner {
        Some(winner) if winner == side => 2,
        Some(_) => 0,
        None => 1,
    })
}

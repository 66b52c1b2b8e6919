//! The rules of Network against the naive ones, on the same random positions.
//!
//!     cargo bench -p network --bench rules
//!
//! Prints the CPU time of one call on a position, and fails when the two do not agree.

#[path = "../../../tests/network/samples.rs"]
mod samples;

use std::borrow::Borrow;
use std::error::Error;
use std::hint::black_box;

use cpu_time::ThreadTime;
use network::naive::{Board, Place, on_board};
use network::{Color, Position, Rules};
use plyground::Game;
use plyground::game::perft;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The number of positions that are looked at.
const POSITIONS: usize = 2_000;
/// The number of times the fast rules look at each: the clock is too coarse for once.
const ROUNDS: usize = 50;
/// The depth to which perft counts.
const PERFT_DEPTH: u32 = 3;
const SEED: u64 = 5;
const NANOSECONDS: f64 = 1e9;

/// A position as both rules see it.
struct Sample {
    fast: Position,
    naive: Board,
}

impl Sample {
    fn new(fast: Position) -> Option<Sample> {
        let naive = Board::from_text(&fast.to_string(), fast.rules() == Rules::Usf);
        naive.map(|naive| Sample { fast, naive })
    }
}

fn samples() -> Vec<Sample> {
    let mut rng = StdRng::seed_from_u64(SEED);
    (0..POSITIONS).filter_map(|_| Sample::new(samples::any_phase(&mut rng))).collect()
}

/// The sum of what `look` finds, and the nanoseconds that one look takes.
fn time<S: Borrow<Sample>>(
    samples: &[S],
    rounds: usize,
    look: impl Fn(&Sample) -> u64,
) -> (u64, f64) {
    let start = ThreadTime::now();
    let mut sum = 0;
    for _ in 0..rounds {
        sum = samples.iter().map(|sample| black_box(look(black_box(sample.borrow())))).sum();
    }
    let looks = (samples.len() * rounds) as f64;
    (sum, start.elapsed().as_secs_f64() * NANOSECONDS / looks)
}

fn compare<S: Borrow<Sample>>(
    what: &str,
    samples: &[S],
    fast: impl Fn(&Sample) -> u64,
    naive: impl Fn(&Sample) -> u64,
) -> Result<(), Box<dyn Error>> {
    let ((sum, own), (expected, other)) = (time(samples, ROUNDS, fast), time(samples, 1, naive));
    if sum != expected {
        return Err(format!("{what}: {sum} in place of {expected}").into());
    }
    println!("{what:<24} {own:>10.0} {other:>12.0} {:>8.0}", other / own.max(f64::EPSILON));
    Ok(())
}

/// As `plyground::game::perft`, by the naive rules.
fn naive_perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if board.winner().is_some() => 0,
        1 => board.legal_moves().len() as u64,
        _ => board.legal_moves().iter().map(|&mv| naive_perft(&board.play(mv), depth - 1)).sum(),
    }
}

/// The number of moves that win at once, by trying all.
fn naive_wins(board: &Board) -> u64 {
    let next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    let me = board.to_move;
    next.filter(|next| next.has_network(me) && next.winner() == Some(me)).count() as u64
}

/// The number of pairs of connected chips, by walking from every chip in every direction.
fn naive_connections(board: &Board) -> u64 {
    let ways =
        (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).filter(|&way| way != (0, 0));
    let meets_own = |from: Place, (dx, dy): (i8, i8)| {
        let mut line = (1..).map(|n| (from.0 + n * dx, from.1 + n * dy));
        let met = line.find(|&place| !on_board(place) || board.at(place) != '.');
        met.is_some_and(|place| on_board(place) && board.at(place) == board.at(from))
    };
    let chips = ['W', 'B'].into_iter().flat_map(|color| board.chips(color));
    let ends = chips.flat_map(|chip| ways.clone().filter(move |&way| meets_own(chip, way)));
    ends.count() as u64 / 2
}

/// The number of moves after which the opponent has none that wins at once, by trying all.
fn naive_parries(board: &Board) -> u64 {
    let next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    next.filter(|next| naive_wins(next) == 0).count() as u64
}

/// Threats against a player who adds, as does the opponent, and cannot win at once: to try every
/// reply to every move, most of them steps, would take minutes.
fn is_threatened_add(sample: &&Sample) -> bool {
    let position = &sample.fast;
    Color::BOTH.iter().all(|&color| position.in_hand(color) > 1)
        && position.wins(position.to_move()).next().is_none()
        && position.threats().exist()
}

fn main() -> Result<(), Box<dyn Error>> {
    let samples = samples();
    println!("{:<24} {:>10} {:>12} {:>8}", "ns a position", "fast", "naive", "ratio");
    let links = |sample: &Sample| {
        Color::BOTH.map(|color| sample.fast.connections(color).len() as u64).iter().sum()
    };
    compare("linked neighbors", &samples, links, |sample| naive_connections(&sample.naive))?;
    let is_over = |sample: &Sample| u64::from(sample.fast.outcome().is_some());
    let has_winner = |sample: &Sample| u64::from(sample.naive.winner().is_some());
    compare("is the game over", &samples, is_over, has_winner)?;
    let ongoing: Vec<_> =
        samples.into_iter().filter(|sample| sample.fast.outcome().is_none()).collect();
    let count = |sample: &Sample| sample.fast.legal_moves().count() as u64;
    let naive_count = |sample: &Sample| sample.naive.legal_moves().len() as u64;
    compare("legal moves", &ongoing, count, naive_count)?;

    let wins = |sample: &Sample| sample.fast.wins(sample.fast.to_move()).count() as u64;
    compare("winning moves", &ongoing, wins, |sample| naive_wins(&sample.naive))?;
    let parries = |sample: &Sample| {
        let threats = sample.fast.threats();
        sample.fast.parries(&threats).count() as u64
    };
    let threatened: Vec<_> = ongoing.iter().filter(is_threatened_add).collect();
    compare("threats and parries", &threatened, parries, |sample| naive_parries(&sample.naive))?;

    let berkeley: Vec<_> = Sample::new(Position::new(Rules::Berkeley)).into_iter().collect();
    let leaves = |sample: &Sample| perft(&sample.fast, PERFT_DEPTH);
    let naive_leaves = |sample: &Sample| naive_perft(&sample.naive, PERFT_DEPTH);
    compare("perft 3, empty board", &berkeley, leaves, naive_leaves)
}

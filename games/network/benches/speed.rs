//! The speed of the rules of Network and of the naive rules, and of alpha-beta with the transposition table
//! and without.
//!
//!     cargo bench -p network --bench speed -- rules
//!     cargo bench -p network --bench speed -- search ["$PWD/OUT.csv"]
//!
//! `rules` prints the CPU time of one call on the same random positions, and fails if the rules disagree.
//!
//! `search` prints nodes and CPU time of a search to a fixed depth, the least of three runs, for sets of
//! positions from the beginning of the game to the step phase. Each position is searched from a cold table,
//! and the time includes making it. The command fails if the table changes a value.

#[path = "../../../tests/network/samples.rs"]
mod samples;

use std::borrow::Borrow;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;

use cpu_time::ThreadTime;
use network::naive::{Board, Place, on_board};
use network::{ChipEval, Color, Position, Rules};
use plyground::game::perft;
use plyground::search::Options;
use plyground::{AlphaBeta, Forcing, Game, Limits, Score, Search, SearchHints};
use rand::SeedableRng;
use rand::rngs::StdRng;

const SEED: u64 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo runs benches in the folder of their package, and adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rules"] => compare_rules(),
        ["search"] => measure_searches(None),
        ["search", out] => measure_searches(Some(out)),
        _ => Err("expected `rules` or `search`".into()),
    }
}

/// The number of positions.
const POSITIONS: usize = 2_000;
/// The number of rounds of the fast rules: one round is too short for the clock.
const ROUNDS: usize = 50;
/// The depth to which perft counts.
const PERFT_DEPTH: u32 = 3;
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

/// Returns the sum of the results of `look`, and the nanoseconds of one call.
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

/// Returns the [`perft`] of a board, by the naive rules.
fn naive_perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if board.winner().is_some() => 0,
        1 => board.legal_moves().len() as u64,
        _ => board.legal_moves().iter().map(|&mv| naive_perft(&board.play(mv), depth - 1)).sum(),
    }
}

/// Returns the number of moves that win at once, by trying all.
fn naive_wins(board: &Board) -> u64 {
    let next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    let me = board.to_move;
    next.filter(|next| next.has_network(me) && next.winner() == Some(me)).count() as u64
}

/// Returns the number of pairs of connected chips, by walking from every chip in every direction.
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

/// Returns the number of moves after which the opponent has no move that wins at once, by trying all.
fn naive_parries(board: &Board) -> u64 {
    let next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    next.filter(|next| naive_wins(next) == 0).count() as u64
}

/// Returns true if both players add, and the player to move is threatened and cannot win at once. With
/// steps, trying every reply to every move would take minutes.
fn is_threatened_add(sample: &&Sample) -> bool {
    let position = &sample.fast;
    Color::BOTH.iter().all(|&color| position.in_hand(color) > 1)
        && position.wins(position.to_move()).next().is_none()
        && position.threats().exist()
}

fn compare_rules() -> Result<(), Box<dyn Error>> {
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

/// The number of searches of each set.
const RUNS: usize = 3;
/// The size of the table of a search with a table.
const TABLE_MIB: usize = 64;

/// A set of positions after the same number of random moves.
struct Set {
    name: &'static str,
    plies: usize,
    count: usize,
    /// The depth of the searches.
    depth: u32,
    /// A depth at which a search finds no forced win in the positions.
    open_depth: u32,
}

const SETS: [Set; 5] = [
    Set { name: "empty board", plies: 0, count: 1, depth: 8, open_depth: 1 },
    Set { name: "after 8 plies", plies: 8, count: 6, depth: 9, open_depth: 6 },
    // Most of these take so few nodes that making the table counts.
    Set { name: "after 12 plies", plies: 12, count: 8, depth: 8, open_depth: 6 },
    Set { name: "after 12 plies", plies: 12, count: 8, depth: 10, open_depth: 6 },
    Set { name: "step phase", plies: 24, count: 8, depth: 7, open_depth: 3 },
];

impl Set {
    fn positions(&self) -> Vec<Position> {
        let mut rng = StdRng::seed_from_u64(SEED);
        let random = || samples::by_play(Rules::Berkeley, self.plies, &mut rng);
        std::iter::repeat_with(random).filter(|one| self.is_open(one)).take(self.count).collect()
    }

    /// Returns true if a search to `open_depth` finds nothing decided or forced.
    fn is_open(&self, position: &Position) -> bool {
        let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
        position.forcing(&mut Vec::new()) == Forcing::Quiet
            && search
                .best(position, &Limits::depth(self.open_depth))
                .is_some_and(|report| report.score().plies_to_end().is_none())
    }
}

/// The values of some positions, and the cost of finding them.
#[derive(PartialEq)]
struct Found {
    values: Vec<Score>,
    nodes: u64,
    seconds: f64,
}

fn search(positions: &[Position], depth: u32, table_mib: usize) -> Found {
    let start = ThreadTime::now();
    let (mut values, mut nodes) = (Vec::new(), 0);
    for position in positions {
        let mut search = AlphaBeta::new(ChipEval, Options { table_mib, ..Options::default() });
        if let Some(report) = search.best(position, &Limits::depth(depth)) {
            values.push(report.score());
            nodes += report.nodes;
        }
    }
    Found { values, nodes, seconds: start.elapsed().as_secs_f64() }
}

fn fastest(positions: &[Position], depth: u32, table_mib: usize) -> Found {
    let first = search(positions, depth, table_mib);
    (1..RUNS)
        .map(|_| search(positions, depth, table_mib))
        .fold(first, |least, one| if one.seconds < least.seconds { one } else { least })
}

fn measure_searches(out: Option<&str>) -> Result<(), Box<dyn Error>> {
    let titles = ["nodes", "CPU", "M nodes/s", "nodes", "CPU", "M nodes/s"];
    println!("{:<22}{:>38}{:>38}", "", "table of 64 MiB", "no table");
    print!("{:<16}{:>6}", "", "depth");
    titles.iter().for_each(|title| print!("{title:>12.12}"));
    println!();
    let mut csv = "positions,depth,table_mib,nodes,cpu_seconds\n".to_owned();
    for set in SETS {
        let positions = set.positions();
        let [with, without] = [TABLE_MIB, 0].map(|mib| fastest(&positions, set.depth, mib));
        if with.values != without.values {
            return Err(format!("{}: the table changes a value", set.name).into());
        }
        print!("{:<16}{:>6}", set.name, set.depth);
        for (mib, Found { nodes, seconds, .. }) in [(TABLE_MIB, &with), (0, &without)] {
            writeln!(csv, "{},{},{mib},{nodes},{seconds:.3}", set.name, set.depth)?;
            print!("{nodes:>12}{seconds:>10.3} s{:>12.1}", *nodes as f64 / seconds / 1e6);
        }
        println!();
    }
    if let Some(out) = out {
        std::fs::write(out, csv)?;
    }
    Ok(())
}

//! The speed of alpha-beta in Network, with the transposition table and without.
//!
//!     cargo bench -p network --bench search [-- "$PWD/OUT.csv"]
//!
//! Prints nodes and CPU time of a search to a fixed depth, the least of three runs, for sets of
//! positions from the beginning of the game to the step phase. Each position is searched from a
//! cold table, which is made within the time. Fails when the table changes a value.

#[path = "../../../tests/network/samples.rs"]
mod samples;

use std::error::Error;
use std::fmt::Write as _;

use cpu_time::ThreadTime;
use network::{ChipEval, Position, Rules};
use plyground::search::Options;
use plyground::{AlphaBeta, Forcing, Limits, Score, Search, SearchHints};
use rand::SeedableRng;
use rand::rngs::StdRng;

const SEED: u64 = 5;
/// The number of searches of each set.
const RUNS: usize = 3;
/// The table of a search that is to have one.
const TABLE_MIB: usize = 64;

/// Positions after this many random moves.
struct Set {
    name: &'static str,
    plies: usize,
    count: usize,
    /// The depth to which they are searched.
    depth: u32,
    /// A search to this depth finds no forced win in them.
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

    /// Returns `true` if nothing is decided or forced, so far as can be seen.
    fn is_open(&self, position: &Position) -> bool {
        let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
        position.forcing(&mut Vec::new()) == Forcing::Quiet
            && search
                .best(position, &Limits::depth(self.open_depth))
                .is_some_and(|report| report.score().plies_to_end().is_none())
    }
}

/// The values of some positions, and what it took to find them.
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

fn main() -> Result<(), Box<dyn Error>> {
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
    // Cargo runs benches in the folder of their package, and adds `--bench`.
    if let Some(out) = std::env::args().skip(1).find(|word| word != "--bench") {
        std::fs::write(out, csv)?;
    }
    Ok(())
}

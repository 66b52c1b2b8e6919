//! The worth of a second thread: searches of Max-Connect4 from the empty board by one thread and by two.
//!
//!     cargo bench -p research --bench threads [-- "$PWD/OUT.csv"]
//!
//! Prints the positions visited and the wall-clock time of the fastest of some runs. Every search starts from
//! a cold table, and every value is compared with that of one thread. The time says something only on a
//! machine that has nothing else to do.

use std::error::Error;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use maxconnect4::{OpenQuads, Position};
use plyground::search::{Limits, Options, Scope};
use plyground::{AlphaBeta, Score, Search};

/// The depths of the searches. The last reaches the end of the game, and finds the value of every move.
const DEPTHS: [u32; 6] = [12, 14, 16, 18, 20, 42];
/// The number of times that each search is timed.
const RUNS: usize = 5;

/// The values that a search found, and what that took.
struct Found {
    values: Vec<Score>,
    nodes: u64,
    wall: Duration,
}

fn search(depth: u32, threads: usize) -> Result<Found, Box<dyn Error>> {
    let position = Position::standard();
    let scope = if depth == position.empty_cells() { Scope::EveryMove } else { Scope::BestMove };
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut search = AlphaBeta::new(OpenQuads, Options { threads, ..Options::default() });
        let report = search.search(&position, &Limits::depth(depth), scope, &mut |_| ());
        let wall = start.elapsed();
        let report = report.ok_or("the game is over")?;
        let values = report.lines.iter().map(|line| line.value.score()).collect();
        runs.push(Found { values, nodes: report.nodes, wall });
    }
    runs.into_iter().min_by_key(|found| found.wall).ok_or_else(|| "no run".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut csv = "depth,threads,nodes,wall_seconds\n".to_owned();
    println!("depth  threads        nodes    wall s");
    for depth in DEPTHS {
        let mut values = None;
        for threads in [1, 2] {
            let found = search(depth, threads)?;
            if values.get_or_insert_with(|| found.values.clone()) != &found.values {
                return Err(format!("{threads} threads find {:?}", found.values).into());
            }
            let (nodes, seconds) = (found.nodes, found.wall.as_secs_f64());
            println!("{depth:>5} {threads:>8} {nodes:>12} {seconds:>9.3}");
            writeln!(csv, "{depth},{threads},{nodes},{seconds:.4}")?;
        }
    }
    // Cargo runs benches in the folder of their package, and adds `--bench`.
    if let Some(out) = std::env::args().skip(1).find(|word| word != "--bench") {
        std::fs::write(out, csv)?;
    }
    Ok(())
}

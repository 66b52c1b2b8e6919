//! Writes a table of the number of plies that it takes to win after every first move and every reply to it,
//! from tables of `research openings --csv`.
//!
//!     cargo run --release -p research --example distances -- \
//!         results/network-openings-*.csv 11 results/network-after-11-*.csv
//!
//! The tables after a first move are about the position after it, in which the other color is to move.

use std::error::Error;
use std::fs;

use network::{Move, Position, Rules};
use research::{OpeningRow, distance_table, distances, parse_opening_table};

fn main() -> Result<(), Box<dyn Error>> {
    let mut own = Vec::new();
    let mut others: Vec<(Move, Vec<OpeningRow>)> = Vec::new();
    for argument in std::env::args().skip(1) {
        if let Ok(first) = argument.parse() {
            others.push((first, Vec::new()));
            continue;
        }
        let text = fs::read_to_string(&argument).map_err(|why| format!("{argument}: {why}"))?;
        let rows = parse_opening_table(&text).map_err(|fault| format!("{argument}:{fault}"))?;
        others.last_mut().map_or(&mut own, |(_, rows)| rows).extend(rows);
    }
    let distances = distances(&Position::new(Rules::Berkeley), &own, &others)?;
    print!("{}", distance_table(&distances));
    Ok(())
}

//! The plies that it takes to win after every first move and every reply to it, as a table: what
//! follows from tables that `network openings --csv` wrote.
//!
//!     cargo run --release -p network-proofs --example distances -- \
//!         results/network-openings-*.csv results/network-after-*.csv
//!
//! A table is about the empty board, or, if its name has `after-` and a square in it, about the position
//! after that first move, the other color being the one that wins.

use std::error::Error;
use std::fs;

use network::{Move, Position, Rules};
use network_proofs::{OpeningRow, distance_table, distances, parse_opening_table};

/// What the name of a table has in it, before the first move that it is about.
const AFTER: &str = "after-";

/// The first move that a table is about, if it is about one.
fn first_move(path: &str) -> Result<Option<Move>, Box<dyn Error>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, rest)) = name.split_once(AFTER) else { return Ok(None) };
    let square = rest.get(..2).ok_or_else(|| format!("{path}: expected a square after {AFTER}"))?;
    Ok(Some(square.parse()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Position::new(Rules::Berkeley);
    let mut own = Vec::new();
    let mut others: Vec<(Move, Vec<OpeningRow>)> = Vec::new();
    for path in std::env::args().skip(1) {
        let text = fs::read_to_string(&path).map_err(|why| format!("{path}: {why}"))?;
        let rows = parse_opening_table(&text).map_err(|fault| format!("{path}:{fault}"))?;
        match first_move(&path)? {
            None => own.extend(rows),
            Some(mv) => match others.iter_mut().find(|(other, _)| *other == mv) {
                Some((_, known)) => known.extend(rows),
                None => others.push((mv, rows)),
            },
        }
    }
    print!("{}", distance_table(&distances(&start, &own, &others)?));
    Ok(())
}

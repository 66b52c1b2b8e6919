//! Checks refutations of `research openings --csv` with a search that knows no proofs. After the first move,
//! the reply, the second move and the reply that refutes it, alpha-beta to the ply of the chip must find no
//! win.
//!
//!     cargo run --release -p research --example refutations -- [MOVE] openings.csv [EVERY]
//!
//! With a MOVE the table is about the position after that first move. EVERY 10 takes every tenth row.

use std::error::Error;
use std::fs;

use cpu_time::ProcessTime;
use network::{ChipEval, Move, Position, Rules};
use plyground::search::Options;
use plyground::{AlphaBeta, Game, Limits, Search};
use research::{OpeningResult, OpeningRow, parse_opening_table};

const TABLE_MIB: usize = 256;

/// Returns the moves from the start, if the row of the table is a refutation.
fn refutation(row: &OpeningRow) -> Option<Vec<Move>> {
    let OpeningResult::Refuted { second, by } = row.result else { return None };
    Some([row.first, row.reply, second].into_iter().chain(by).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let before: Option<Move> = arguments.first().and_then(|first| first.parse().ok());
    let (path, every) = match &arguments[usize::from(before.is_some())..] {
        [path] => (path, 1),
        [path, every] => (path, every.parse()?),
        _ => return Err("expected a table of openings, and which of its rows to take".into()),
    };
    let mut start = Position::new(Rules::Berkeley);
    before.map_or(Ok(()), |mv| start.play(mv))?;
    let text = fs::read_to_string(path)?;
    let clock = ProcessTime::now();
    let options = Options { table_mib: TABLE_MIB, ..Options::default() };
    let mut search = AlphaBeta::new(ChipEval, options);
    let (mut checked, mut nodes) = (0, 0);
    let rows = parse_opening_table(&text)?;
    let refutations = rows.iter().filter_map(|row| Some((row.chip, refutation(row)?)));
    for (chip, moves) in refutations.step_by(every) {
        let mut position = start;
        moves.iter().try_for_each(|&mv| position.play(mv))?;
        let plies = position.plies_to_chip(position.to_move(), chip);
        let report = search.best(&position, &Limits::depth(plies)).ok_or("the game is over")?;
        if report.score().is_win() {
            return Err(format!("chip {chip} wins, after all, in\n{position}").into());
        }
        nodes += report.nodes;
        checked += 1;
    }
    let seconds = clock.elapsed().as_secs_f64();
    println!("{checked} refutations checked: no win found; {nodes} nodes, {seconds:.0} s CPU");
    Ok(())
}

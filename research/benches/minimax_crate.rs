//! The search compared with the search of the crate `minimax` (its `IterativeSearch`: transposition table,
//! principal variation search, countermove history), on the same rules and the same evaluation, from the
//! empty board.
//!
//!     cargo bench -p research --bench minimax_crate [-- "$PWD/OUT.csv"] [DEPTH...]
//!
//! Prints the CPU time of one search for every depth, the least of three, from a cold table on both sides:
//!
//! * `plain`: our search without the proven bounds of Max-Connect4, which the crate does not support. Both
//!   then compute the same function, and the bench fails if the values differ.
//! * `bounds`: our search as it is. Its value is the value at the same depth, held within the bounds.

#[expect(dead_code, reason = "shared with the bench `ablation`")]
mod ablated;

use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

use ablated::{Ablated, BOUNDS};
use cpu_time::ThreadTime;
use maxconnect4::{Column, OpenQuads, Position};
use minimax::{IterativeOptions, IterativeSearch, Strategy, Winner};
use plyground::search::{Limits, Options};
use plyground::{AlphaBeta, Evaluator, Game, Search, SearchHints};

/// The depths to search unless the arguments say otherwise: up to a minute or two for the crate.
const DEPTHS: [u32; 6] = [8, 12, 16, 18, 20, 22];
/// The number of times that each search is timed.
const RUNS: usize = 3;
/// Memory for the transposition table of either search, in MiB.
const TABLE_MIB: usize = 64;

/// The rules in the interface of the crate.
struct Rules;

impl minimax::Game for Rules {
    type S = Position;
    type M = Column;

    fn generate_moves(position: &Position, moves: &mut Vec<Column>) -> Option<Winner> {
        moves.extend(position.legal_moves());
        Rules::get_winner(position)
    }

    fn apply(position: &mut Position, column: Column) -> Option<Position> {
        Some(position.after(column))
    }

    /// Returns the winner. The crate has no points, so it asks only about positions that are not full.
    fn get_winner(position: &Position) -> Option<Winner> {
        position.outcome().map(|outcome| match outcome.winner() {
            Some(winner) if winner == position.side_to_move() => Winner::PlayerToMove,
            Some(_) => Winner::PlayerJustMoved,
            None => Winner::Draw,
        })
    }

    fn zobrist_hash(position: &Position) -> u64 {
        position.key()
    }

    fn table_index(column: Column) -> u16 {
        column.index().into()
    }

    fn max_table_index() -> u16 {
        u16::from(maxconnect4::Size::MOST) - 1
    }
}

/// The evaluation in the interface of the crate.
struct Judgment;

impl minimax::Evaluator for Judgment {
    type G = Rules;

    fn evaluate(&self, position: &Position) -> minimax::Evaluation {
        OpenQuads.evaluate(position).get() as minimax::Evaluation
    }
}

/// A value and the cost of finding it.
struct Found {
    value: i32,
    cpu: Duration,
}

/// Times a search several times; the least time counts.
fn timed(search: impl Fn() -> i32) -> Found {
    let mut found = Found { value: 0, cpu: Duration::MAX };
    for _ in 0..RUNS {
        let start = ThreadTime::now();
        let value = search();
        found = Found { value, cpu: found.cpu.min(start.elapsed()) };
    }
    found
}

fn ours<G: SearchHints, E: Evaluator<G> + Copy>(position: &G, evaluator: E, depth: u32) -> Found {
    timed(|| {
        let options = Options { table_mib: TABLE_MIB, ..Options::default() };
        let report = AlphaBeta::new(evaluator, options).best(position, &Limits::depth(depth));
        report.map_or(0, |report| report.score().get())
    })
}

/// Searches with the settings that make the crate fastest here; its aspiration window, MTD(f) and single
/// steps of depth were slower.
fn theirs(position: &Position, depth: u32) -> Found {
    timed(|| {
        let options = IterativeOptions::new()
            .with_table_byte_size(TABLE_MIB << 20)
            .with_null_window_search(true)
            .with_double_step_increment()
            .with_countermoves()
            .with_countermove_history();
        let mut search = IterativeSearch::new(Judgment, options);
        search.set_max_depth(depth.try_into().unwrap_or(u8::MAX));
        search.choose_move(position);
        search.root_value().into()
    })
}

/// Returns the depths that the arguments name.
fn depths(words: &[String]) -> Result<Vec<u32>, Box<dyn Error>> {
    if words.is_empty() {
        return Ok(DEPTHS.to_vec());
    }
    // At the last ply there are results and no estimates, which the crate cannot express.
    let most = Position::standard().empty_cells() - 1;
    let depth = |word: &String| match word.parse() {
        Ok(depth) if (1..=most).contains(&depth) => Ok(depth),
        _ => Err(format!("expected depths from 1 to {most}, found `{word}`").into()),
    };
    words.iter().map(depth).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let position = Position::standard();
    let without_bounds = Ablated::<BOUNDS>(position);
    // Cargo adds `--bench`, and runs benches in the folder of their package.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let (outs, depth_words): (Vec<_>, Vec<_>) = words.partition(|word| word.ends_with(".csv"));
    let depths = depths(&depth_words)?;
    let mut csv = "depth,value,minimax_seconds,plain_seconds,seconds\n".to_owned();
    println!("Max-Connect4, empty board, {TABLE_MIB} MiB of table each, CPU seconds\n");
    println!("depth   value   minimax 0.6     plain   ratio    bounds   ratio");
    for depth in depths {
        let (plain, theirs) =
            (ours(&without_bounds, ablated::Judgment, depth), theirs(&position, depth));
        let whole = ours(&position, OpenQuads, depth);
        let [plain_cpu, whole_cpu, cpu] =
            [&plain, &whole, &theirs].map(|found| found.cpu.as_secs_f64().max(f64::EPSILON));
        let (value, plain_ratio, ratio) = (plain.value, cpu / plain_cpu, cpu / whole_cpu);
        println!(
            "{depth:>5} {value:>7} {cpu:>13.3} {plain_cpu:>9.3} {plain_ratio:>7.1} {whole_cpu:>9.3} {ratio:>7.1}"
        );
        if plain.value != theirs.value {
            return Err(format!("minimax finds {}", theirs.value).into());
        }
        writeln!(csv, "{depth},{value},{cpu:.3},{plain_cpu:.3},{whole_cpu:.3}")?;
    }
    for out in outs {
        std::fs::write(out, &csv)?;
    }
    Ok(())
}

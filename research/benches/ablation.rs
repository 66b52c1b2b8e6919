//! The worth of each technique of the exact search: ten positions with 14 pieces are solved with
//! everything, then again with one technique switched off at a time.
//!
//!     cargo bench -p research --bench ablation [-- "$PWD/OUT.csv"]
//!
//! Prints nodes and CPU time of all positions together with their ratios to the full set, and the
//! geometric mean of the ratios of nodes, in which the hardest position counts no more than others.
//! Every search starts from a cold table, and every value is compared with the known one. A technique
//! without which a position takes more than a hundred times the nodes of the full set is given up
//! there.

mod ablated;

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ablated::{
    Ablated, CLAIMEVEN, CLOSER, END_OF_GAME_KEY, Judgment, NOTHING, OPEN_QUADS, PAIRING,
    TWO_COLUMNS, VERTICAL,
};
use cpu_time::ThreadTime;
use maxconnect4::{Position, Size, parse_state};
use plyground::search::{Limits, Monitor, Options};
use plyground::{AlphaBeta, Score, Search};
use plyground_durable::output::{check_writable, write_whole};
use plyground_host::state::StateText;

/// Positions with their exact values; the first line tells the format.
const EXACT: &str = include_str!("../../tests/maxconnect4/data/exact.txt");
/// The number of pieces on the board,
const PIECES: u32 = 14;
/// and of positions: the first of the file.
const POSITIONS: usize = 10;
/// A search is given up at this many times the nodes of the full set.
const PATIENCE: u64 = 100;
/// The interval at which the number of its nodes is checked.
const GLANCE: Duration = Duration::from_millis(20);

/// A position and its value in points.
struct Problem {
    position: Position,
    value: i32,
}

fn problems() -> Result<Vec<Problem>, Box<dyn Error>> {
    let cells = u32::from(Size::STANDARD.columns()) * u32::from(Size::STANDARD.rows());
    let mut problems = Vec::new();
    for line in EXACT.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split(' ');
        let (Some(state), Some(value)) = (fields.next(), fields.next()) else { continue };
        let position = parse_state(&StateText::new(state.replace('/', "\n")), Size::STANDARD)
            .map_err(|fault| format!("{state}: {fault}"))?;
        if cells - position.empty_cells() == PIECES {
            problems.push(Problem { position, value: value.parse()? });
        }
    }
    problems.truncate(POSITIONS);
    Ok(problems)
}

/// The cost of the search of one position.
#[derive(Clone, Copy, Default)]
struct Effort {
    nodes: u64,
    cpu: Duration,
    /// If true, the search was given up.
    given_up: bool,
}

/// Solves a problem; `most` is the number of nodes at which to give up.
fn solve<const OFF: u8>(
    problem: &Problem,
    options: Options,
    most: u64,
) -> Result<Effort, Box<dyn Error>> {
    let position = Ablated::<OFF>(problem.position);
    let (stop, monitor) = (Arc::new(AtomicBool::new(false)), Arc::new(Monitor::default()));
    let limits = Limits {
        stop: Some(Arc::clone(&stop)),
        monitor: Some(Arc::clone(&monitor)),
        ..Limits::depth(problem.position.empty_cells())
    };
    let done = AtomicBool::new(false);
    let (report, cpu) = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                stop.fetch_or(monitor.nodes() > most, Ordering::Relaxed);
                thread::sleep(GLANCE);
            }
        });
        let start = ThreadTime::now();
        let report = AlphaBeta::new(Judgment, options).best(&position, &limits);
        let cpu = start.elapsed();
        done.store(true, Ordering::Relaxed);
        (report, cpu)
    });
    let report = report.ok_or("the game is over")?;
    let given_up = stop.load(Ordering::Relaxed);
    if !given_up && report.score() != Score::points(problem.value) {
        let found = report.score();
        return Err(format!("{}\nis {}, not {found}", problem.position, problem.value).into());
    }
    Ok(Effort { nodes: report.nodes, cpu, given_up })
}

/// Solves a problem without a technique of the game.
type Solver = fn(&Problem, Options, u64) -> Result<Effort, Box<dyn Error>>;

/// The technique that is switched off: in the game, by another solver, or in the search, by other
/// options.
struct Variant {
    off: &'static str,
    solver: Solver,
    options: Options,
}

fn variants() -> Vec<Variant> {
    let of_game = |off, solver| Variant { off, solver, options: Options::default() };
    let of_search = |off, change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        Variant { off, solver: solve::<NOTHING>, options }
    };
    vec![
        of_game("nothing", solve::<NOTHING>),
        of_game("limits from open quadruples", solve::<OPEN_QUADS>),
        of_game("vertical quadruples denied", solve::<VERTICAL>),
        of_game("claimeven limit", solve::<CLAIMEVEN>),
        of_game("pairing of contested cells", solve::<PAIRING>),
        of_game("columns from the bottom", solve::<CLOSER>),
        of_game("two columns from the bottom", solve::<TWO_COLUMNS>),
        of_game("end-of-game key", solve::<END_OF_GAME_KEY>),
        of_search("transposition table", |options| options.table_mib = 0),
        of_search("local table", |options| options.local_table = false),
        of_search("child cutoff", |options| options.child_cutoff = false),
        of_search("null window", |options| options.null_window = false),
        of_search("deepening", |options| options.deepening = false),
        of_search("aspiration", |options| options.aspiration = false),
        of_search("killers", |options| options.killers = false),
        of_search("history", |options| options.history = false),
        of_search("evaluator's order", |options| options.evaluator_order = false),
    ]
}

/// The sums over all problems, and the number that were given up.
#[derive(Clone, Copy, Default)]
struct Total {
    nodes: u64,
    cpu: Duration,
    given_up: usize,
}

fn run(
    variant: &Variant,
    problems: &[Problem],
    limits: &[u64],
) -> Result<(Total, Vec<u64>), Box<dyn Error>> {
    let (mut total, mut nodes) = (Total::default(), Vec::new());
    for (problem, &most) in problems.iter().zip(limits) {
        let effort = (variant.solver)(problem, variant.options.clone(), most)?;
        total.nodes += effort.nodes;
        total.cpu += effort.cpu;
        total.given_up += usize::from(effort.given_up);
        nodes.push(effort.nodes);
    }
    Ok((total, nodes))
}

/// The geometric mean of the ratios.
fn mean_ratio(nodes: &[u64], full: &[u64]) -> f64 {
    let ratios = nodes.iter().zip(full).map(|(&nodes, &full)| (nodes as f64 / full as f64).ln());
    (ratios.sum::<f64>() / full.len() as f64).exp()
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo runs benches in the folder of their package.
    let out = std::env::args().skip(1).find(|word| word != "--bench").map(PathBuf::from);
    out.as_deref().map_or(Ok(()), check_writable)?;
    let problems = problems()?;
    let mut limits = vec![u64::MAX; problems.len()];
    let mut full = None;
    let mut csv =
        "without,nodes,cpu_seconds,nodes_ratio,cpu_ratio,mean_nodes_ratio,given_up\n".to_owned();
    println!("{} positions of Max-Connect4 with {PIECES} pieces, solved exactly\n", problems.len());
    println!("without                             nodes     CPU s  nodes x    CPU x   mean x");
    for variant in variants() {
        let (total, nodes) = run(&variant, &problems, &limits)?;
        let (full, full_nodes) = full.get_or_insert_with(|| (total, nodes.clone()));
        limits = full_nodes.iter().map(|nodes| nodes.saturating_mul(PATIENCE)).collect();
        let seconds = total.cpu.as_secs_f64();
        let nodes_ratio = total.nodes as f64 / full.nodes as f64;
        let cpu_ratio = seconds / full.cpu.as_secs_f64();
        let mean = mean_ratio(&nodes, full_nodes);
        let note = match total.given_up {
            0 => String::new(),
            some => format!("  and more: {some} given up"),
        };
        let Total { nodes, given_up, .. } = total;
        let off = variant.off;
        println!(
            "{off:<28} {nodes:>12} {seconds:>9.2} {nodes_ratio:>8.2} {cpu_ratio:>8.2} {mean:>8.2}{note}"
        );
        writeln!(
            csv,
            "{off},{nodes},{seconds:.3},{nodes_ratio:.3},{cpu_ratio:.3},{mean:.3},{given_up}"
        )?;
    }
    out.map_or(Ok(()), |path| write_whole(&path, csv))?;
    Ok(())
}

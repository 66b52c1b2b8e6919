//! The worth of each technique of the search: sets of positions of both games are searched with
//! everything, then again with one technique switched off at a time. And the worth of a second thread.
//!
//!     cargo bench -p research --bench ablation [-- "$PWD/OUT.csv" [ROUNDS]]
//!     cargo bench -p research --bench ablation -- threads ["$PWD/OUT.csv"]
//!
//! The first prints nodes and CPU time of each set with their ratios to the full search, and the geometric mean of
//! the ratios of nodes, in which the hardest position counts no more than others. The CPU time is the
//! least of the rounds, position by position; every round searches with each technique in turn. Every
//! search starts from a cold table, and every value is compared with that of the full search. A position
//! that takes many times the nodes of the full search is given up.
//!
//! The second searches Max-Connect4 from the empty board by one thread and by two. It prints the positions
//! visited and the wall-clock time of the fastest of some runs. Every search starts from a cold table, and
//! every value is compared with the value of one thread. The time is meaningful only on an idle machine.

mod ablated;

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ablated::{
    Ablated, CLAIMEVEN, CLOSER, END_OF_GAME_KEY, Judgment, NOTHING, OPEN_QUADS, PAIRING,
    TWO_COLUMNS, VERTICAL,
};
use cpu_time::ThreadTime;
use maxconnect4::{OpenQuads, Size};
use network::{ChipEval, Rules};
use plyground::search::{Limits, Options, Scope};
use plyground::testing::random_position;
use plyground::{AlphaBeta, Evaluator, Game, Score, Search, SearchHints};
use plyground_durable::output::{check_writable, write_whole};
use plyground_host::SharedGame;
use plyground_host::state::StateText;

/// The factor of the nodes of the full search at which a search is given up.
const PATIENCE: u64 = 20;
/// The least number of nodes at which a search is given up.
const LEAST_PATIENCE: u64 = 20_000;
/// The number of rounds, unless the arguments say otherwise.
const ROUNDS: u32 = 3;

/// The way to search the positions of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To a fixed depth, for the best move.
    Depth,
    /// To a fixed depth, for the value of every move.
    EveryMove,
    /// To one depth after another, as on the clock.
    Clock,
}

/// A position and the depth to search it to.
struct Problem<G> {
    position: G,
    depth: u32,
}

/// Positions that are searched in the same way.
struct Set<G> {
    name: &'static str,
    way: Way,
    problems: Vec<Problem<G>>,
}

impl<G: Game> Set<G> {
    fn new(name: &'static str, way: Way, problems: impl IntoIterator<Item = (G, u32)>) -> Set<G> {
        let problems = problems.into_iter().map(|(position, depth)| Problem { position, depth });
        let is_open = |problem: &Problem<G>| problem.position.outcome().is_none();
        Set { name, way, problems: problems.filter(is_open).collect() }
    }
}

/// Returns random positions: for every number of plies and depth, this many.
fn random<'a, G: Game>(
    start: &'a G,
    kinds: &'a [(u32, u32)],
    count: u64,
) -> impl Iterator<Item = (G, u32)> + 'a {
    let of_kind = move |&(plies, depth): &(u32, u32)| {
        (0..count).map(move |seed| (random_position(start, plies, seed), depth))
    };
    kinds.iter().flat_map(of_kind)
}

/// Returns the positions after two plies, with one of each pair of mirror images.
fn openings<G: Game>(start: &G) -> Vec<G> {
    let mut openings = Vec::new();
    let mut keys = std::collections::BTreeSet::new();
    for first in start.legal_moves() {
        let next = start.after(first);
        for second in next.legal_moves() {
            let opening = next.after(second);
            if keys.insert(opening.key()) {
                openings.push(opening);
            }
        }
    }
    openings
}

/// Returns the positions of the bench of a game, whose node count is the signature of the search.
fn bench<G: Game>(game: &SharedGame, parse: impl Fn(&StateText) -> Option<G>) -> Vec<(G, u32)> {
    let position = |(state, depth): (String, u32)| {
        let text = StateText::from_lines(&state.replace('/', "\n"));
        Some((parse(&text)?, depth))
    };
    game.bench().into_iter().filter_map(position).collect()
}

fn max_connect4_sets() -> Vec<Set<maxconnect4::Position>> {
    let start = maxconnect4::Position::empty(Size::STANDARD);
    let depths = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map(|depth| (start, depth));
    let fixed = depths
        .into_iter()
        .chain(openings(&start).into_iter().map(|opening| (opening, 12)))
        .chain(random(&start, &[(8, 6), (8, 10), (8, 13), (12, 4), (12, 8), (12, 12)], 6))
        .chain(random(&start, &[(16, 5), (16, 10), (16, 14), (20, 8), (20, 13), (24, 12)], 6))
        .chain(random(&start, &[(28, 9), (30, 11)], 6));
    let clock = random(&start, &[(2, 13), (8, 12), (12, 13), (16, 14), (20, 14), (26, 14)], 4);
    let every = random(&start, &[(4, 9), (8, 10), (12, 10), (16, 11), (20, 12), (24, 18)], 4);
    let few = random(&start, &[(8, 42), (9, 42), (10, 42), (11, 42), (12, 42), (13, 42)], 4);
    let many = random(&start, &[(14, 42), (15, 42), (16, 42), (18, 42), (20, 42)], 10)
        .chain(random(&start, &[(21, 42), (24, 42), (27, 42), (30, 42)], 10));
    vec![
        Set::new(
            "bench",
            Way::Depth,
            bench(&maxconnect4::game(), |text| maxconnect4::parse_state(text, Size::STANDARD).ok()),
        ),
        Set::new("fixed depth", Way::Depth, fixed),
        Set::new("every move", Way::EveryMove, every),
        Set::new("clock", Way::Clock, clock),
        Set::new("empty board, exact", Way::Depth, [(start, 42)]),
        Set::new("8 to 13 pieces, exact", Way::Depth, few),
        Set::new("14 to 30 pieces, exact", Way::Depth, many),
    ]
}

fn network_sets() -> Vec<Set<network::Position>> {
    let rules = Rules::Berkeley;
    let start = network::Position::new(rules);
    let fixed = [2, 3, 4, 5, 6, 7]
        .map(|depth| (start, depth))
        .into_iter()
        .chain(random(&start, &[(2, 6), (4, 4), (4, 6), (6, 6), (8, 5), (8, 8)], 3))
        .chain(random(&start, &[(10, 4), (10, 7), (12, 8), (14, 6), (16, 6), (18, 5)], 4))
        .chain(random(&start, &[(20, 4), (22, 5), (26, 4), (30, 4)], 4))
        .collect::<Vec<_>>();
    let every = random(&start, &[(2, 4), (6, 5), (10, 5), (14, 4), (18, 4), (24, 3)], 2);
    let clock = random(&start, &[(2, 7), (6, 7), (8, 8), (10, 8), (12, 8), (14, 7)], 3)
        .chain(random(&start, &[(18, 6), (22, 5), (28, 5)], 3))
        .collect::<Vec<_>>();
    vec![
        Set::new(
            "bench",
            Way::Depth,
            bench(&network::game(rules), |text| network::parse_state(text, rules).ok()),
        ),
        Set::new("fixed depth", Way::Depth, fixed),
        Set::new("every move", Way::EveryMove, every),
        Set::new("clock", Way::Clock, clock),
    ]
}

/// The cost of the search of one position, and its value.
#[derive(Clone, Copy)]
struct Effort {
    nodes: u64,
    cpu: Duration,
    /// The value, unless the search was given up.
    score: Option<Score>,
}

/// Searches `position` to `depth`, with `most` nodes at most.
fn search<G: SearchHints, E: Evaluator<G>>(
    evaluator: E,
    (position, depth, way): (&G, u32, Way),
    options: Options,
    most: u64,
) -> Effort {
    let nodes = (way == Way::Clock).then_some(u64::MAX);
    let selective = way == Way::Clock && position.plies_left().is_none();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let limits = Limits {
        depth: (!selective).then_some(depth),
        nodes,
        patience: Some(most),
        context: stop.clone().into(),
        ..Limits::default()
    };
    let scope = if way == Way::EveryMove { Scope::EveryMove } else { Scope::BestMove };
    let start = ThreadTime::now();
    let mut search = AlphaBeta::new(evaluator, options);
    let report = search.search(position, &limits, scope, &mut |report| {
        stop.fetch_or(report.depth >= depth, std::sync::atomic::Ordering::Relaxed);
    });
    let cpu = start.elapsed();
    let report = report.expect("the game is not over");
    let score = (report.nodes <= most).then(|| report.score());
    Effort { nodes: report.nodes, cpu, score }
}

/// A function that searches a position of a game without one of its techniques.
type Searcher<G> = fn((&G, u32, Way), Options, u64) -> Effort;

/// The technique that is switched off: in the game, by another searcher, or in the search, by other
/// options.
struct Variant<G> {
    off: &'static str,
    searcher: Searcher<G>,
    options: Options,
    /// If true, the values of searches that do not reach the end of the game differ.
    is_of_game: bool,
}

fn of_search<G>(searcher: Searcher<G>) -> Vec<Variant<G>> {
    let variant = |off, change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        Variant { off, searcher, options, is_of_game: false }
    };
    vec![
        variant("nothing", |_| ()),
        variant("transposition table", |options| options.table_mib = 0),
        variant("local table", |options| options.local_table = false),
        variant("child cutoff", |options| options.child_cutoff = false),
        variant("null window", |options| options.null_window = false),
        variant("deepening", |options| options.deepening = false),
        variant("aspiration", |options| options.aspiration = false),
        variant("killers", |options| options.killers = false),
        variant("history", |options| options.history = false),
        variant("evaluator's order", |options| options.evaluator_order = false),
    ]
}

fn of_max_connect4() -> Vec<Variant<maxconnect4::Position>> {
    fn without<const OFF: u8>(
        (position, depth, way): (&maxconnect4::Position, u32, Way),
        options: Options,
        most: u64,
    ) -> Effort {
        search(Judgment, (&Ablated::<OFF>(*position), depth, way), options, most)
    }
    let of_game =
        |off, searcher| Variant { off, searcher, options: Options::default(), is_of_game: true };
    let mut variants = of_search(without::<NOTHING>);
    variants.extend([
        of_game("limits from open quadruples", without::<OPEN_QUADS>),
        of_game("vertical quadruples denied", without::<VERTICAL>),
        of_game("claimeven limit", without::<CLAIMEVEN>),
        of_game("pairing of contested cells", without::<PAIRING>),
        of_game("columns from the bottom", without::<CLOSER>),
        of_game("two columns from the bottom", without::<TWO_COLUMNS>),
        of_game("end-of-game key", without::<END_OF_GAME_KEY>),
    ]);
    variants
}

fn of_network() -> Vec<Variant<network::Position>> {
    let searcher = |problem: (&network::Position, u32, Way), options, most| {
        search(ChipEval, problem, options, most)
    };
    let mut variants = of_search(searcher);
    let options = Options { forcing: false, ..Options::default() };
    variants.push(Variant { off: "forcing moves", searcher, options, is_of_game: false });
    variants
}

/// Returns the geometric mean of the ratios of nodes.
fn mean_ratio(efforts: &[Effort], full: &[Effort]) -> f64 {
    let ratio = |(one, other): (&Effort, &Effort)| (one.nodes as f64 / other.nodes as f64).ln();
    (efforts.iter().zip(full).map(ratio).sum::<f64>() / full.len() as f64).exp()
}

fn sums(efforts: &[Effort]) -> (u64, f64) {
    let cpu: Duration = efforts.iter().map(|effort| effort.cpu).sum();
    (efforts.iter().map(|effort| effort.nodes).sum(), cpu.as_secs_f64())
}

/// Searches all problems of a set without one technique.
fn run<G: Game>(
    set: &Set<G>,
    variant: &Variant<G>,
    full: Option<&[Effort]>,
) -> Result<Vec<Effort>, Box<dyn Error>> {
    let mut efforts = Vec::new();
    for (index, Problem { position, depth }) in set.problems.iter().enumerate() {
        let known = full.map(|full| full[index]);
        let most = known.map_or(u64::MAX, |known| (known.nodes * PATIENCE).max(LEAST_PATIENCE));
        let effort = (variant.searcher)((position, *depth, set.way), variant.options.clone(), most);
        let is_comparable =
            if variant.is_of_game { set.name.contains("exact") } else { set.way != Way::Clock };
        let values = known.and_then(|known| known.score.zip(effort.score));
        if let Some((known, found)) =
            values.filter(|(known, found)| is_comparable && known != found)
        {
            let off = variant.off;
            return Err(format!("{position}\nis {known}, not {found} without {off}").into());
        }
        efforts.push(effort);
    }
    Ok(efforts)
}

fn compare<G: Game>(
    sets: &[Set<G>],
    variants: &[Variant<G>],
    rounds: u32,
    csv: &mut String,
) -> Result<(), Box<dyn Error>> {
    for set in sets {
        let count = set.problems.len();
        println!("\n{}: {}, {count} positions\n", G::NAME, set.name);
        println!("without                             nodes     CPU s  nodes x    CPU x   mean x");
        let mut efforts: Vec<Vec<Effort>> = Vec::new();
        for round in 0..rounds {
            for (index, variant) in variants.iter().enumerate() {
                let found = run(set, variant, efforts.first().map(Vec::as_slice))?;
                if round == 0 {
                    efforts.push(found);
                    continue;
                }
                for (effort, found) in efforts[index].iter_mut().zip(found) {
                    effort.cpu = effort.cpu.min(found.cpu);
                }
            }
        }
        let (full_nodes, full_cpu) = sums(&efforts[0]);
        for (variant, found) in variants.iter().zip(&efforts) {
            let (nodes, cpu) = sums(found);
            let [nodes_ratio, cpu_ratio] = [nodes as f64 / full_nodes as f64, cpu / full_cpu];
            let mean = mean_ratio(found, &efforts[0]);
            let given_up = found.iter().filter(|effort| effort.score.is_none()).count();
            let off = variant.off;
            println!(
                "{off:<28} {nodes:>12} {cpu:>9.3} {nodes_ratio:>8.3} {cpu_ratio:>8.3} {mean:>8.3} {given_up}"
            );
            let (game, set) = (G::NAME, set.name);
            writeln!(
                csv,
                "{game},\"{set}\",{off},{nodes},{cpu:.3},{nodes_ratio:.3},{cpu_ratio:.3},{mean:.3},{given_up}"
            )?;
        }
    }
    Ok(())
}

/// Searches without each technique, and returns the table.
fn techniques(rounds: u32) -> Result<String, Box<dyn Error>> {
    let mut csv =
        "game,set,without,nodes,cpu_seconds,nodes_ratio,cpu_ratio,mean_nodes_ratio,given_up\n"
            .to_owned();
    compare(&max_connect4_sets(), &of_max_connect4(), rounds, &mut csv)?;
    compare(&network_sets(), &of_network(), rounds, &mut csv)?;
    Ok(csv)
}

/// The depths of the searches by several threads. The last reaches the end of the game, and finds the value of
/// every move.
const DEPTHS: [u32; 6] = [12, 14, 16, 18, 20, 42];
/// The number of times that each search is timed.
const RUNS: usize = 5;

/// The values that a search found, and their cost.
struct Found {
    values: Vec<Score>,
    nodes: u64,
    wall: Duration,
}

/// Returns the fastest run of a search by this number of threads.
fn fastest(depth: u32, threads: usize) -> Result<Found, Box<dyn Error>> {
    let position = maxconnect4::Position::standard();
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

/// Searches by one thread and by two, and returns the table.
fn threads() -> Result<String, Box<dyn Error>> {
    let mut csv = "depth,threads,nodes,wall_seconds\n".to_owned();
    println!("depth  threads        nodes    wall s");
    for depth in DEPTHS {
        let mut values = None;
        for threads in [1, 2] {
            let found = fastest(depth, threads)?;
            if values.get_or_insert_with(|| found.values.clone()) != &found.values {
                return Err(format!("{threads} threads find {:?}", found.values).into());
            }
            let (nodes, seconds) = (found.nodes, found.wall.as_secs_f64());
            println!("{depth:>5} {threads:>8} {nodes:>12} {seconds:>9.3}");
            writeln!(csv, "{depth},{threads},{nodes},{seconds:.4}")?;
        }
    }
    Ok(csv)
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo runs benches in the folder of their package.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench").peekable();
    let by_threads = words.next_if(|word| word == "threads").is_some();
    let out = words.next().map(PathBuf::from);
    let rounds = words.next().map_or(Ok(ROUNDS), |word| word.parse())?;
    out.as_deref().map_or(Ok(()), check_writable)?;
    let csv = if by_threads { threads()? } else { techniques(rounds)? };
    out.map_or(Ok(()), |path| write_whole(&path, csv))?;
    Ok(())
}

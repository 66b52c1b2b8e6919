//! Alpha-beta is minimax: the same values, for every combination of its techniques.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use maxconnect4::{OpenQuads, Position, Size};
use network::{ChipEval, Rules};
use plyground::search::{Clock, Limits, MAX_DEPTH, Options, Scope};
use plyground::testing::{
    Coins, Digraph, HashNoise, Reference, TicTacToe, every_option, random_position,
};
use plyground::{AlphaBeta, Evaluator, Flat, Game, Minimax, Score, Search, SearchHints};

/// The size of the table in MiB: the smallest there is.
pub const TABLE: usize = 1;
/// Minimax visits about this many positions for one reference, at most.
const REFERENCE_NODES: usize = 20_000;

/// Noise that hides nothing.
pub const LOUD: HashNoise = HashNoise { seed: 11, amplitude: 300 };
/// Noise with many ties.
const QUIET: HashNoise = HashNoise { seed: 12, amplitude: 1 };
/// Noise of which most is beyond the limit of estimates.
const DEAFENING: HashNoise = HashNoise { seed: 13, amplitude: 90_000 };

/// `position` at several depths up to `most`, not in order, so that a warm table holds results
/// of greater and of smaller depths; less where minimax would take too long.
fn references<G: SearchHints, E: Evaluator<G> + Copy>(
    position: &G,
    most: u32,
    evaluator: E,
) -> Vec<Reference<G>> {
    let moves = position.legal_moves().count().max(2);
    let most = most.min(REFERENCE_NODES.ilog(moves));
    let depths = (1..=most).rev().step_by(2).chain((1..=most).step_by(2).skip(1));
    depths.filter_map(|depth| Reference::new(position, depth, evaluator)).collect()
}

/// Every combination of options on every `stride`th reference, one search after the other with
/// the same table, in turn for every move, the best moves, and one best move.
pub fn agree<G: SearchHints, E: Evaluator<G> + Copy>(
    references: &[Reference<G>],
    evaluator: E,
    stride: usize,
) {
    for (number, options) in every_option(TABLE, 5).enumerate() {
        let mut search = AlphaBeta::new(evaluator, options.clone());
        for (index, reference) in
            references.iter().enumerate().skip(number % stride).step_by(stride)
        {
            let scope = match (number / stride + index) % 3 {
                0 => Scope::EveryMove,
                1 => Scope::BestMoves,
                _ => Scope::BestMove,
            };
            if let Err(error) = reference.compare(&mut search, scope, &evaluator) {
                panic!("{error}\nwith {options:?}\nand {scope:?}");
            }
        }
    }
}

/// Positions in every phase of the game on boards of several sizes.
fn boards() -> impl Iterator<Item = Position> {
    let sizes = [(4, 4), (5, 4), (4, 6), (7, 6), (8, 8), (6, 5)];
    (0..).zip(sizes.into_iter().cycle()).map(|(seed, (columns, rows))| {
        let empty = Position::empty(Size::new(columns, rows).expect("a size"));
        let cells = empty.empty_cells();
        random_position(&empty, (seed as u32 * 7 + 3) % cells, seed)
    })
}

/// Positions of Network by both rules, with chips in hand and without.
fn networks() -> impl Iterator<Item = network::Position> {
    let rules = [Rules::Berkeley, Rules::Usf];
    (0..).zip(rules.into_iter().cycle()).map(|(seed, rules)| {
        random_position(&network::Position::new(rules), (seed * 7 % 40) as u32, seed)
    })
}

/// Positions of the same digraph now and then, so that a warm table matters.
fn digraphs() -> impl Iterator<Item = Digraph> {
    (0..).map(|seed: u64| {
        let nodes = [6, 12, 30, 100][seed as usize / 5 % 4];
        random_position(&Digraph::new(seed / 5, nodes, 4), (seed % 5) as u32, seed)
    })
}

fn rows() -> impl Iterator<Item = Coins> {
    (0..).map(|seed| random_position(&Coins::new(seed / 4, 14), (seed % 7) as u32, seed))
}

fn squares() -> impl Iterator<Item = TicTacToe> {
    (0..).map(|seed| random_position(&TicTacToe::default(), seed as u32 % 8, seed))
}

pub fn collect<G: SearchHints, E: Evaluator<G> + Copy>(
    positions: impl Iterator<Item = G>,
    count: usize,
    most: u32,
    evaluator: E,
) -> Vec<Reference<G>> {
    positions.take(count).flat_map(|position| references(&position, most, evaluator)).collect()
}

#[test]
#[ignore = "long"]
fn maxconnect4_with_every_option() {
    agree(&collect(boards(), 240, 6, LOUD), LOUD, 6);
    agree(&collect(boards().skip(240), 120, 6, QUIET), QUIET, 6);
    agree(&collect(boards().skip(360), 240, 6, OpenQuads), OpenQuads, 6);
}

#[test]
#[ignore = "long"]
fn maxconnect4_to_the_end() {
    let late = |(columns, rows, empties), seed| {
        let empty = Position::empty(Size::new(columns, rows).expect("a size"));
        random_position(&empty, empty.empty_cells() - empties, seed)
    };
    let sizes = [(4, 4, 8), (5, 4, 7), (7, 6, 5), (8, 8, 5), (6, 5, 6)];
    let references: Vec<_> = (0..)
        .zip(sizes.into_iter().cycle())
        .take(250)
        .map(|(seed, size)| late(size, seed))
        .flat_map(|position| {
            let empties = position.empty_cells();
            [empties, empties - 1, empties + 3]
                .into_iter()
                .filter_map(move |depth| Reference::new(&position, depth, LOUD))
        })
        .collect();
    agree(&references, LOUD, 3);
}

#[test]
#[ignore = "long"]
fn network_with_every_option() {
    agree(&collect(networks(), 60, 3, LOUD), LOUD, 6);
    agree(&collect(networks().skip(60), 60, 3, ChipEval), ChipEval, 6);
}

#[test]
#[ignore = "long"]
fn digraphs_with_every_option() {
    agree(&collect(digraphs(), 300, 8, LOUD), LOUD, 2);
    agree(&collect(digraphs().skip(300), 150, 8, QUIET), QUIET, 2);
    agree(&collect(digraphs().skip(450), 150, 8, DEAFENING), DEAFENING, 2);
}

#[test]
#[ignore = "long"]
fn coins_with_every_option() {
    agree(&collect(rows(), 200, 6, LOUD), LOUD, 6);
    agree(&collect(rows().skip(200), 100, 6, Flat), Flat, 6);
}

#[test]
#[ignore = "long"]
fn tic_tac_toe_with_every_option() {
    agree(&collect(squares(), 100, 9, LOUD), LOUD, 2);
    agree(&collect(squares().skip(100), 100, 9, Flat), Flat, 2);
}

/// Thousands of positions with the options that people use, one warm table for all.
#[test]
#[ignore = "long"]
fn thousands_of_positions_with_the_default_options() {
    fn run<G: SearchHints>(references: &[Reference<G>]) -> usize {
        let options = Options { table_mib: TABLE, ..Options::default() };
        let mut search = AlphaBeta::new(LOUD, options);
        for reference in references {
            reference.compare(&mut search, Scope::BestMove, &LOUD).expect("no difference");
            reference.compare(&mut search, Scope::EveryMove, &LOUD).expect("no difference");
        }
        references.len()
    }
    let count = run(&collect(boards().skip(600), 600, 5, LOUD))
        + run(&collect(digraphs().skip(600), 1_000, 6, LOUD))
        + run(&collect(rows().skip(300), 500, 5, LOUD));
    assert!(count > 5_000, "only {count} positions");
}

/// Threads choose the moves that one thread chooses, and give each move its value.
#[test]
fn several_threads_choose_as_one() {
    fn run<G: SearchHints>(references: &[Reference<G>]) {
        let mut searches = [1, 2, 4]
            .map(|threads| AlphaBeta::new(LOUD, Options { threads, table_depth: 1, ..small() }));
        for (index, reference) in references.iter().enumerate() {
            let scope = [Scope::BestMove, Scope::BestMoves, Scope::EveryMove][index % 3];
            let limits = Limits::depth(reference.depth());
            let found = searches.each_mut().map(|search| {
                let report = search.search(reference.position(), &limits, scope, &mut |_| ());
                let lines = report.expect("the game is not over").lines.into_iter();
                lines.map(|line| (line.pv[0], line.value.score())).collect::<Vec<_>>()
            });
            assert!(found.iter().all(|lines| *lines == found[0]), "{found:?}, {scope:?}");
        }
    }
    run(&collect(boards().skip(300), 200, 5, LOUD));
    run(&collect(digraphs().skip(400), 300, 6, LOUD));
    run(&collect(rows().skip(100), 200, 5, LOUD));
}

/// Threads that share a table get the values of minimax too, whatever they find in it.
#[test]
fn several_threads() {
    fn run<G: SearchHints>(references: &[Reference<G>], threads: usize) {
        let options = Options { threads, table_depth: 1, local_table: false, ..small() };
        let mut search = AlphaBeta::new(LOUD, options);
        for (index, reference) in references.iter().enumerate() {
            let scope = if index % 2 == 0 { Scope::BestMove } else { Scope::EveryMove };
            reference.compare(&mut search, scope, &LOUD).expect("no difference");
        }
    }
    for threads in [2, 5] {
        run(&collect(boards().skip(100), 200, 5, LOUD), threads);
        run(&collect(digraphs().skip(100), 300, 6, LOUD), threads);
    }
}

/// `V(position, depth)` by dynamic programming, for depths that minimax cannot reach.
pub fn value(
    position: &Digraph,
    depth: u32,
    evaluator: HashNoise,
    known: &mut HashMap<(u64, u32), Score>,
) -> Score {
    if let Some(outcome) = position.outcome() {
        return outcome.score::<Digraph>(position.side_to_move(), 0);
    }
    if depth == 0 {
        return evaluator.evaluate(position);
    }
    if let Some(score) = known.get(&(position.key(), depth)) {
        return *score;
    }
    let best = position
        .legal_moves()
        .map(|mv| -value(&position.after(mv), depth - 1, evaluator, known))
        .max()
        .expect("a game that goes on has a move");
    // Wins and losses are a ply farther away than from the position after the move.
    let score = best - i32::from(best.is_win()) + i32::from(best.is_loss());
    known.insert((position.key(), depth), score);
    score
}

fn agrees_with_dynamic_programming(start: &Digraph, depths: &[u32]) {
    let mut known = HashMap::new();
    let mut search = AlphaBeta::new(LOUD, small());
    for &depth in depths {
        let report = search.best(start, &Limits::depth(depth)).expect("the game is not over");
        let expected = value(start, depth, LOUD, &mut known);
        assert_eq!(report.score(), expected, "{start}, depth {depth}");
    }
}

#[test]
fn cycles_seen_from_afar() {
    for seed in 0..40 {
        agrees_with_dynamic_programming(&Digraph::new(seed, 60, 3), &[13, 12, 16]);
    }
}

#[test]
fn round_and_round_to_the_greatest_depth() {
    // One edge from each node: the game is a single line, and mostly a circle.
    for seed in 0..12 {
        let start = Digraph::new(seed, 12, 1);
        agrees_with_dynamic_programming(&start, &[MAX_DEPTH, MAX_DEPTH - 1, 77]);
    }
}

#[test]
fn a_finished_game_has_no_report() {
    let full = random_position(&Position::standard(), 42, 1);
    assert!(full.outcome().is_some());
    assert!(AlphaBeta::new(OpenQuads, small()).best(&full, &Limits::depth(3)).is_none());
    assert!(Minimax::new(OpenQuads).best(&full, &Limits::depth(3)).is_none());
}

/// The entries of searches that were cut off anywhere, exact ones or in a hurry, change no value
/// later, whatever the depth.
#[test]
fn a_table_with_traces_of_unfinished_searches_misleads_nobody() {
    fn run<G: SearchHints>(references: &[Reference<G>]) {
        for threads in [1, 2] {
            let options = Options { threads, table_depth: 1, ..small() };
            let mut search = AlphaBeta::new(LOUD, options);
            for (index, reference) in references.iter().enumerate() {
                let nodes = [1, 3, 7, 20, 55, 150, 400][index % 7];
                let scope = [Scope::BestMove, Scope::EveryMove, Scope::BestMoves][index / 7 % 3];
                let depth = (index % 2 == 0).then_some(reference.depth() + 1);
                let patience = (index % 3 == 0).then_some(nodes / 2);
                let limits = Limits { depth, patience, ..Limits::nodes(nodes) };
                let report = search.search(reference.position(), &limits, scope, &mut |_| ());
                let report = report.expect("the game is not over");
                assert!(reference.position().check_legal(report.best_move()).is_ok());
                reference.compare(&mut search, scope, &LOUD).expect("no difference");
            }
        }
    }
    run(&collect(digraphs().skip(1_600), 300, 7, LOUD));
    run(&collect(boards().skip(1_200), 100, 5, LOUD));
    run(&collect(rows().skip(800), 200, 6, LOUD));
    run(&collect(networks().skip(120), 20, 3, LOUD));
}

pub fn small() -> Options {
    Options { table_mib: TABLE, head_start: Duration::ZERO, ..Options::default() }
}

/// A fresh search of exactly this depth.
pub fn exactly<G: SearchHints, E: Evaluator<G>>(position: &G, depth: u32, evaluator: E) -> Score {
    let report = AlphaBeta::new(evaluator, small()).best(position, &Limits::depth(depth));
    report.expect("the game is not over").score()
}

/// A search that runs out of nodes may look once or twice more before it notices.
const OVERSHOOT: u64 = 2;

#[test]
fn a_limit_of_nodes_ends_with_the_last_finished_depth() {
    let position = random_position(&Position::standard(), 8, 3);
    for scope in [Scope::BestMove, Scope::EveryMove] {
        let mut depths = Vec::new();
        for nodes in [0, 1, 2, 10, 100, 1_000, 1_023, 1_024, 1_025, 5_000, 50_000] {
            let mut last = None;
            let report = AlphaBeta::new(OpenQuads, small())
                .search(&position, &Limits::nodes(nodes), scope, &mut |report| {
                    last = Some((report.depth, report.lines.clone()));
                })
                .expect("the game is not over");
            assert!(
                report.nodes <= nodes + OVERSHOOT,
                "{} nodes in place of {nodes}",
                report.nodes
            );
            assert!(position.check_legal(report.best_move()).is_ok());
            match last {
                None => assert_eq!(report.depth, 0),
                Some((depth, lines)) => {
                    assert_eq!((report.depth, &report.lines), (depth, &lines));
                    assert_eq!(report.score(), exactly(&position, depth, OpenQuads));
                }
            }
            depths.push(report.depth);
        }
        assert!(depths.is_sorted(), "{depths:?}");
        assert!(depths[0] <= 1 && depths[depths.len() - 1] > 3, "{depths:?}");
    }
}

#[test]
fn minimax_keeps_limits_too() {
    let position = random_position(&Position::standard(), 8, 3);
    let report = Minimax::new(OpenQuads).best(&position, &Limits::nodes(3_000));
    let report = report.expect("the game is not over");
    assert!(report.nodes <= 3_000 + OVERSHOOT);
    assert!((1..=4).contains(&report.depth));
    assert_eq!(report.score(), exactly(&position, report.depth, OpenQuads));
}

#[test]
fn a_raised_flag_ends_the_search() {
    let position = Position::standard();
    let stop = Arc::new(AtomicBool::new(true));
    let limits = Limits::default().with_stop(Arc::clone(&stop));
    let report = AlphaBeta::new(OpenQuads, small()).best(&position, &limits);
    let report = report.expect("the game is not over");
    assert!(report.depth <= 1);
    assert!(position.check_legal(report.best_move()).is_ok());

    stop.store(false, Ordering::Relaxed);
    let mut finished = 0;
    let mut search = AlphaBeta::new(OpenQuads, small());
    let report = search
        .search(&position, &limits, Scope::BestMove, &mut |report| {
            finished = report.depth;
            stop.store(report.depth >= 6, Ordering::Relaxed);
        })
        .expect("the game is not over");
    assert_eq!(report.depth, finished);
    assert!((6..=8).contains(&finished), "{finished}");
    assert_eq!(report.score(), exactly(&position, finished, OpenQuads));

    // What an interrupted search left in the table does no harm.
    for depth in 1..=6 {
        let report = search.best(&position, &Limits::depth(depth)).expect("the game is not over");
        assert_eq!(report.score(), exactly(&position, depth, OpenQuads));
    }
}

/// A thread that panics leaves no other thread that searches on without end.
#[test]
fn a_panic_ends_all_threads() {
    let mut search = AlphaBeta::new(ChipEval, Options { threads: 3, ..small() });
    let limits = Limits { depth: Some(MAX_DEPTH), nodes: Some(u64::MAX), ..Limits::default() };
    // Nobody finishes a game of Network to that depth.
    let position = network::Position::new(Rules::Berkeley);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        search.search(&position, &limits, Scope::BestMove, &mut |_| panic!("enough"))
    }));
    assert!(ended.is_err());
}

#[test]
fn a_limit_of_time_ends_with_a_finished_depth() {
    let position = random_position(&Position::standard(), 6, 3);
    for clock in [Clock::Cpu, Clock::Wall] {
        let no_time = Limits::time(clock, Duration::ZERO);
        let report = AlphaBeta::new(OpenQuads, small()).best(&position, &no_time);
        let report = report.expect("the game is not over");
        assert!(report.depth <= 1);
        assert!(position.check_legal(report.best_move()).is_ok());

        // However far it gets.
        let little = Limits::time(clock, Duration::from_millis(20));
        let report = AlphaBeta::new(OpenQuads, small()).best(&position, &little);
        let report = report.expect("the game is not over");
        assert!(position.check_legal(report.best_move()).is_ok());
        if report.depth > 0 {
            assert_eq!(report.score(), exactly(&position, report.depth, OpenQuads));
        }
    }
}

#[test]
fn the_same_search_twice_is_the_same() {
    for seed in [None, Some(1), Some(2)] {
        let run = || {
            let mut search = AlphaBeta::new(OpenQuads, Options { seed, ..small() });
            let searches = [(0, 8), (10, 7), (20, 9), (10, 8)].map(|(plies, depth)| {
                let position = random_position(&Position::standard(), plies, 5);
                let report = search.best(&position, &Limits::depth(depth));
                report.map(|report| (report.lines, report.depth, report.nodes))
            });
            search.clear();
            let cold = search.best(&Position::standard(), &Limits::depth(8));
            (searches, cold.map(|report| (report.lines, report.depth, report.nodes)))
        };
        let (searches, cold) = run();
        assert_eq!((searches.clone(), cold.clone()), run());
        assert_eq!(searches[0], cold, "a cleared table is a new one");
    }
}

#[test]
fn seeds_choose_among_equals() {
    let moves: HashSet<_> = (0..60)
        .map(|seed| {
            let mut search = AlphaBeta::new(Flat, Options { seed: Some(seed), ..small() });
            let report = search.best(&TicTacToe::default(), &Limits::depth(9));
            let report = report.expect("the game is not over");
            assert_eq!(report.score(), Score::ZERO);
            report.best_move()
        })
        .collect();
    assert_eq!(moves.len(), 9, "all moves draw: {moves:?}");
}

#[test]
fn progress_goes_up_one_ply_at_a_time_where_limits_may_run_out() {
    assert_eq!(
        depths_of_progress(&Limits { nodes: Some(1_000_000), ..Limits::depth(8) }),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
}

#[test]
fn progress_leaps_from_half_the_depth_to_the_whole() {
    assert_eq!(depths_of_progress(&Limits::depth(8)), [1, 2, 3, 4, 8]);
}

fn depths_of_progress(limits: &Limits) -> Vec<u32> {
    let mut depths = Vec::new();
    let mut nodes = Vec::new();
    let report = AlphaBeta::new(OpenQuads, small()).search(
        &Position::standard(),
        limits,
        Scope::BestMove,
        &mut |report| {
            depths.push(report.depth);
            nodes.push(report.nodes);
        },
    );
    assert!(nodes.is_sorted());
    assert_eq!(report.map(|report| report.nodes), nodes.last().copied());
    depths
}

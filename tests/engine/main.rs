//! The engine: searches against plain minimax, proofs, exact play. Here are the contract of games, which every
//! game and its evaluator keep; the claims of reports besides the value: ties, proofs, variations; and the
//! claims of a search that time or nodes limit, which leaves out what it takes for bad.

mod extra_turns;
mod forced;
mod intervals;
mod perfect;
mod proof;
mod search;
mod trace;
mod values;

use std::collections::HashMap;
use std::fmt;

use maxconnect4::{Column, OpenQuads, Position, Size};
use network::{ChipEval, Move, Rules};
use plyground::search::{Limits, Options, Scope};
use plyground::testing::{
    Breach, Checked, Coins, Digraph, HashNoise, IllegalMark, Reference, Sample, Square, TicTacToe,
    check_contract, random_position,
};
use plyground::{
    AlphaBeta, Evaluator, Flat, Game, Minimax, Outcome, Score, Search, SearchHints, Side, Turn,
    Value,
};

use crate::search::{LOUD, TABLE, exactly, small, value};

const SEED: u64 = 20_240_229;

/// Returns the number of different keys that the games are tested on: more where the time does not
/// matter.
fn keys() -> usize {
    if std::env::var_os("PLYGROUND_NIGHTLY").is_some() { 1_000_000 } else { 100_000 }
}

/// Looks at games on this board from the start, and from a position about half way.
fn maxconnect4(columns: u8, rows: u8) -> Result<Checked, Breach> {
    let empty = Position::empty(Size::new(columns, rows).expect("a size"));
    let half = random_position(&empty, u32::from(columns) * u32::from(rows) / 2, SEED);
    let sample = Sample::new([empty, half], SEED)
        .with_moves((0..Size::MOST).map(Column::from_index))
        .with_playouts(100)
        .with_keys(10_000);
    check_contract(&sample, &OpenQuads)
}

#[test]
#[ignore = "long"]
fn maxconnect4_on_every_board() -> Result<(), Breach> {
    for columns in Size::LEAST..=Size::MOST {
        for rows in Size::LEAST..=Size::MOST {
            let coverage = maxconnect4(columns, rows)?;
            assert!(coverage.solved > 1_000, "{columns} by {rows}: {coverage:?}");
            assert_eq!(coverage.moves, usize::from(Size::MOST));
        }
    }
    Ok(())
}

#[test]
fn maxconnect4_with_many_keys() -> Result<(), Breach> {
    let sample = Sample::new([Position::standard()], SEED)
        .with_moves((0..Size::MOST).map(Column::from_index))
        .with_keys(keys());
    let coverage = check_contract(&sample, &OpenQuads)?;
    assert!(coverage.keys >= keys(), "{coverage:?}");
    assert_eq!(coverage.positions, 200 * 43);
    Ok(())
}

#[test]
#[ignore = "long"]
fn network_by_both_rules() -> Result<(), Breach> {
    let squares = network::Square::all;
    let steps = |from| squares().map(move |to| Move::Step { from, to });
    for rules in [Rules::Berkeley, Rules::Usf] {
        let start = network::Position::new(rules);
        let sample = Sample::new([start], SEED)
            .with_moves(squares().map(Move::Add).chain(squares().flat_map(steps)))
            .with_playouts(20)
            .with_keys(keys());
        let coverage = check_contract(&sample, &ChipEval)?;
        assert!(coverage.keys >= keys(), "{coverage:?}");
        assert_eq!(coverage.moves, 64 + 64 * 64);
        assert!(coverage.forced > 50, "{coverage:?}");
    }
    Ok(())
}

#[test]
fn tic_tac_toe() -> Result<(), Breach> {
    let sample = Sample::new([TicTacToe::default()], SEED);
    let coverage = check_contract(&sample, &HashNoise { seed: 1, amplitude: 500 })?;
    // Of the 5,478 positions, nearly all are met.
    assert!(coverage.keys > 5_000, "{coverage:?}");
    assert_eq!(coverage.moves, 9);
    Ok(())
}

#[test]
fn digraphs() -> Result<(), Breach> {
    for (seed, nodes) in (0..20).zip([3, 10, 50, 200, Digraph::MOST_NODES].into_iter().cycle()) {
        let start = Digraph::new(seed, nodes, 4);
        if start.outcome().is_none() {
            let sample = Sample::new([start], SEED);
            check_contract(&sample, &HashNoise { seed, amplitude: 500 })?;
        }
    }
    Ok(())
}

#[test]
fn coins() -> Result<(), Breach> {
    let rows = (0..100).map(|seed| Coins::new(seed, (seed % 17) as u8));
    let coverage = check_contract(&Sample::new(rows, SEED), &Flat)?;
    assert!(coverage.solved > 10_000, "{coverage:?}");
    Ok(())
}

#[test]
fn ties_are_looked_for_within_their_limit_at_the_end_alone() {
    let late = |left: u32, seed| {
        random_position(&Position::standard(), Position::standard().empty_cells() - left, seed)
    };
    let ties = |position: &Position, depth, tie_nodes| {
        let limits = Limits { tie_nodes, ..Limits::depth(depth) };
        let mut search = AlphaBeta::new(OpenQuads, Options { deepening: false, ..small() });
        let report = search.search(position, &limits, Scope::BestMoves, &mut |_| ());
        report.expect("the game is not over").lines.len()
    };
    let mut many = 0;
    for seed in 0..40 {
        let position = late(6, seed);
        let all = ties(&position, 6, None);
        assert_eq!([0, 1_000_000].map(|nodes| ties(&position, 6, Some(nodes))), [1, all]);
        assert_eq!(ties(&position, 2, Some(0)), ties(&position, 2, None));
        many += usize::from(all > 1);
    }
    assert!(many > 10, "only {many} positions");
}

/// Returns the claims about a position and its moves, in the order of the moves' names.
fn claims<G: SearchHints>(
    search: &mut impl Search<G>,
    position: &G,
    depth: u32,
    scope: Scope,
) -> (Value, Vec<(String, Value)>) {
    let report = search.search(position, &Limits::depth(depth), scope, &mut |_| ());
    let report = report.expect("the game is not over");
    let lines = report.lines.iter().map(|line| (line.first_move().to_string(), line.value));
    let mut lines: Vec<_> = lines.collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    (report.value, lines)
}

#[test]
fn minimax_and_alpha_beta_claim_the_same() {
    let mut search = AlphaBeta::new(LOUD, small());
    let mut minimax = Minimax::new(LOUD);
    let mut exact = 0;
    for seed in 0..60 {
        let empty = Position::empty(Size::new(5, 4).expect("a size"));
        let position = random_position(&empty, empty.empty_cells() - 6, seed);
        for depth in 1..=6 {
            for scope in [Scope::BestMoves, Scope::EveryMove] {
                let found = claims(&mut search, &position, depth, scope);
                assert_eq!(found, claims(&mut minimax, &position, depth, scope), "{position}");
                let all = found.0.is_exact() && found.1.iter().all(|(_, value)| value.is_exact());
                assert!(all || depth < 6, "a search to the end proves all: {position}");
                exact += usize::from(all && depth < 6);
            }
            let (value, lines) = claims(&mut minimax, &position, depth, Scope::BestMove);
            assert_eq!((value.score(), lines.len()), (exactly(&position, depth, LOUD), 1));
        }
    }
    assert!(exact > 10, "only {exact} proven before the end");
}

#[test]
fn wins_and_losses_that_are_seen_are_proven() {
    let mut seen = 0;
    for seed in 0..60 {
        let start = random_position(&Digraph::new(seed, 60, 3), 1, seed);
        if start.outcome().is_some() {
            continue;
        }
        for scope in [Scope::BestMove, Scope::BestMoves, Scope::EveryMove] {
            for (value, lines) in [
                claims(&mut AlphaBeta::new(LOUD, small()), &start, 6, scope),
                claims(&mut Minimax::new(LOUD), &start, 6, scope),
            ] {
                for value in lines.into_iter().map(|(_, value)| value).chain([value]) {
                    let is_seen = value.score().plies_to_end().is_some();
                    assert!(value.is_exact() || !is_seen, "{value:?}: {start}");
                    seen += usize::from(is_seen);
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} values");
}

#[test]
fn minimax_prefers_the_first_of_equal_moves() {
    for seed in 0..20 {
        let start = random_position(&TicTacToe::default(), 3, seed);
        let best = |position: &TicTacToe, depth| {
            Minimax::new(Flat).best(position, &Limits::depth(depth)).expect("a game")
        };
        let report = best(&start, 6);
        let mut position = start;
        for (mv, depth) in report.best().pv.iter().zip((1..=6).rev()) {
            assert_eq!(*mv, best(&position, depth).best_move(), "{start}, {report:?}");
            position.play_unchecked(*mv);
        }
    }
}

#[test]
fn what_is_in_the_table_is_not_searched_again() {
    for local_table in [true, false] {
        let mut search = AlphaBeta::new(OpenQuads, Options { local_table, ..small() });
        let mut nodes = || {
            let report = search.best(&Position::standard(), &Limits::depth(8));
            report.expect("the game is not over").nodes
        };
        let [first, second] = [nodes(), nodes()];
        assert!(second * 4 < first, "{second} nodes after {first}");
    }
}

#[test]
fn variations_go_on_to_the_depth_or_the_end() {
    for seed in 0..30 {
        let start = random_position(&TicTacToe::default(), seed as u32 % 4, seed);
        let depth = 2 + seed as u32 % 3;
        for scope in [Scope::BestMove, Scope::BestMoves, Scope::EveryMove] {
            let mut search = AlphaBeta::new(LOUD, small());
            let report = search.search(&start, &Limits::depth(depth), scope, &mut |_| ());
            let report = report.expect("the game is not over");
            let count = if scope == Scope::EveryMove { report.lines.len() } else { 1 };
            for line in &report.lines[..count] {
                let mut last = start;
                line.pv.iter().for_each(|mv| last.play_unchecked(*mv));
                let is_whole = line.pv.len() == depth as usize || last.outcome().is_some();
                assert!(is_whole, "{start}, depth {depth}: {line:?}");
            }
        }
    }
}

/// A search in a hurry is not exact, but what it calls proven is, wherever it is cut off.
#[test]
fn a_search_in_a_hurry_proves_only_what_is_true() {
    const FAR: u32 = 40;
    let mut proven = 0;
    for seed in 0..60 {
        let start = random_position(&Digraph::new(seed, 40, 4), 1, seed);
        if start.outcome().is_some() {
            continue;
        }
        let truth = value(&start, FAR, LOUD, &mut HashMap::new()).plies_to_end().unwrap_or(0);
        for (aspiration, table_mib) in [(true, 0), (false, 0), (true, TABLE), (false, TABLE)] {
            let options = Options { aspiration, table_mib, local_table: false, ..small() };
            let mut search = AlphaBeta::new(LOUD, options);
            for nodes in (0..60).chain((60..2_000).step_by(97)) {
                let report = search.best(&start, &Limits::nodes(nodes)).expect("a game");
                assert!(start.check_legal(report.best_move()).is_ok());
                let claim = report.score().plies_to_end().unwrap_or(0);
                assert_eq!(report.value, report.best().value);
                match report.value {
                    Value::Estimate(_) => assert_eq!(claim, 0, "{start}, {nodes} nodes"),
                    Value::Exact(_) => assert_eq!(claim, truth, "{start}, {nodes} nodes"),
                    Value::AtLeast(_) => {
                        assert!(0 < truth && truth <= claim, "{start}, {nodes} nodes");
                    }
                    Value::AtMost(_) => {
                        assert!(claim <= truth && truth < 0, "{start}, {nodes} nodes");
                    }
                }
                proven += usize::from(claim != 0);
            }
        }
    }
    assert!(proven > 1_000, "only {proven} claims");
}

/// So few moves that none comes late.
#[test]
fn a_search_in_a_hurry_is_exact_where_nothing_is_reduced() {
    const NODES: u64 = 20_000;
    for seed in 0..40 {
        let start = Digraph::new(seed, 60, 3);
        let mut known = HashMap::new();
        for aspiration in [true, false] {
            let options = Options { aspiration, table_mib: 0, ..small() };
            let mut search = AlphaBeta::new(LOUD, options);
            search.search(&start, &Limits::nodes(NODES), Scope::BestMove, &mut |report| {
                if report.nodes <= NODES {
                    let next = start.after(report.best_move());
                    let mut value = |position, depth| value(position, depth, LOUD, &mut known);
                    let best = value(&start, report.depth);
                    let reached =
                        Turn::between(&start, &next).before_move(value(&next, report.depth - 1));
                    assert_eq!((report.score(), reached), (best, best), "{start}, {report:?}");
                }
            });
        }
    }
}

/// Tic-tac-toe with no more than three squares to choose from, which does not say when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Narrow(TicTacToe);

impl fmt::Display for Narrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Game for Narrow {
    type Move = Square;
    type IllegalMove = IllegalMark;

    const NAME: &'static str = "narrow";

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = Square> {
        self.0.legal_moves().take(3)
    }

    fn check_legal(&self, mv: Square) -> Result<(), IllegalMark> {
        self.0.check_legal(mv)
    }

    fn play_unchecked(&mut self, mv: Square) {
        self.0.play_unchecked(mv);
    }

    fn key(&self) -> u64 {
        self.0.key()
    }
}

impl SearchHints for Narrow {
    const MOVE_CODES: usize = TicTacToe::MOVE_CODES;

    fn move_code(&self, mv: Square) -> usize {
        self.0.move_code(mv)
    }
}

/// The same position always has the same depth: what is in the table is no deeper than asked for.
#[test]
fn a_table_does_not_change_what_is_exact() {
    const NODES: u64 = 5_000;
    for seed in 0..40 {
        let start = Narrow(random_position(&TicTacToe::default(), seed as u32 % 5, seed));
        let left = start.0.plies_left().expect("limited");
        for (aspiration, local_table) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let options = Options { aspiration, local_table, ..small() };
            let mut search = AlphaBeta::new(LOUD, options);
            search.search(&start, &Limits::nodes(NODES), Scope::BestMove, &mut |report| {
                if report.nodes <= NODES && report.depth <= left {
                    let reference = Reference::new(&start, report.depth, LOUD).expect("a game");
                    reference.check(report, Scope::BestMove, &LOUD).expect("no difference");
                }
            });
        }
    }
}

#[test]
fn late_moves_are_reduced_where_nothing_but_time_or_nodes_limits_the_search() {
    fn looks<G: SearchHints, E: Evaluator<G> + Copy>(
        position: &G,
        evaluator: E,
        limits: &Limits,
    ) -> [Vec<(u32, u64, Score)>; 2] {
        [true, false].map(|late_move_reductions| {
            let mut looks = Vec::new();
            AlphaBeta::new(evaluator, Options { late_move_reductions, ..small() }).search(
                position,
                limits,
                Scope::BestMove,
                &mut |report| looks.push((report.depth, report.nodes, report.score())),
            );
            looks
        })
    }
    let network = random_position(&network::Position::new(Rules::Berkeley), 8, 1);
    let nodes = Limits::nodes(20_000);
    let [reduced, whole] = looks(&network, ChipEval, &nodes);
    assert!(reduced[3].1 < whole[3].1, "{reduced:?}, {whole:?}");
    let patience = Limits { patience: nodes.nodes, ..Limits::default() };
    let depth = Limits { depth: Some(3), ..nodes.clone() };
    for limits in [patience, depth] {
        let [reduced, whole] = looks(&network, ChipEval, &limits);
        assert_eq!(reduced, whole, "{limits:?}");
    }
    let [reduced, whole] = looks(&Position::standard(), OpenQuads, &nodes);
    assert_eq!(reduced, whole);
}

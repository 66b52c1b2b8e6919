//! A search that time or nodes limit leaves out what it takes for bad: what it says all the same.

use std::collections::HashMap;
use std::fmt;

use maxconnect4::{OpenQuads, Position};
use network::{ChipEval, Rules};
use plyground::search::{Limits, Options, Scope};
use plyground::testing::{Digraph, IllegalMark, Reference, Square, TicTacToe, random_position};
use plyground::{
    AlphaBeta, Evaluator, Game, Outcome, Score, Search, SearchHints, Side, Turn, Value,
};

use super::search::{LOUD, TABLE, small, value};

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
                        value(&next, report.depth - 1).before_move(Turn::between(&start, &next));
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

//! The claims of reports besides the value: ties, proofs, variations.

use maxconnect4::{OpenQuads, Position, Size};
use plyground::search::{Limits, Options, Scope};
use plyground::testing::{Digraph, TicTacToe, random_position};
use plyground::{AlphaBeta, Flat, Game, Minimax, Search, SearchHints, Value};

use super::search::{LOUD, exactly, small};

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

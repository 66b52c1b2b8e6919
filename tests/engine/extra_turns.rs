//! Extra turns: what holds of games with alternating sides holds where a move may keep the turn.

use std::time::Duration;

use plyground::book::{Book, Coverage, check_relatives, positions};
use plyground::clock::Instant;
use plyground::perfect::{ForcedPlay, Perfect, PlayTime, Source, Ties, plain_value, solve};
use plyground::proof::{Finder, Prover};
use plyground::search::{Options, Scope, SearchContext};
use plyground::testing::{
    Again, Breach, Coins, Digraph, ExtraTurns, HashNoise, Reference, Rule, Sample, check_contract,
    random_position,
};
use plyground::{AlphaBeta, Flat, Game, Limits, Minimax, Score, Search, SearchHints, Side, Turn};

use crate::forced::{Within, no_limit};
use crate::perfect::build;
use crate::proof;
use crate::search::{LOUD, TABLE, agree, collect};

type Row = Again<Coins>;
type Graph = Again<Digraph>;

const NODES: u64 = 10_000_000;

fn rows(coins: u8) -> impl Iterator<Item = Row> {
    let row = move |seed| Again(Coins::new(seed / 4, coins));
    (0..).map(move |seed| random_position(&row(seed), (seed % 6) as u32, seed))
}

fn graphs() -> impl Iterator<Item = Graph> {
    (0..).map(|seed: u64| {
        let nodes = [6, 12, 30, 100][seed as usize / 5 % 4];
        random_position(&Again(Digraph::new(seed / 5, nodes, 4)), (seed % 5) as u32, seed)
    })
}

fn options() -> Options {
    Options { table_mib: TABLE, head_start: Duration::ZERO, ..Options::default() }
}

#[test]
fn the_contract_holds() -> Result<(), Breach> {
    let starts = (0..100).map(|seed| Again(Coins::new(seed, (seed % 17) as u8)));
    let coverage = check_contract(&Sample::new(starts, 3), &LOUD)?;
    assert!(coverage.solved > 10_000, "{coverage:?}");
    for start in (0..10).map(|seed| Again(Digraph::new(seed, 50, 4))) {
        if start.outcome().is_none() {
            check_contract(&Sample::new([start], 3), &LOUD)?;
        }
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn alpha_beta_is_minimax_with_every_option() {
    agree(&collect(rows(14), 100, 6, LOUD), LOUD, 6);
    agree(&collect(rows(14).skip(100), 60, 6, Flat), Flat, 6);
    agree(&collect(graphs(), 200, 8, LOUD), LOUD, 4);
}

/// A thousand positions with the options that people use, one warm table for all.
#[test]
fn alpha_beta_is_minimax_on_a_thousand_positions() {
    fn run<G: SearchHints>(references: &[Reference<G>]) -> usize {
        let mut search = AlphaBeta::new(LOUD, options());
        for (index, reference) in references.iter().enumerate() {
            let scope = [Scope::BestMove, Scope::BestMoves, Scope::EveryMove][index % 3];
            reference.compare(&mut search, scope, &LOUD).expect("no difference");
        }
        references.len()
    }
    let count =
        run(&collect(rows(14).skip(200), 600, 5, LOUD)) + run(&collect(graphs(), 600, 6, LOUD));
    assert!(count > 3_000, "only {count}");
}

#[test]
fn several_threads_find_the_same_values() {
    for row in rows(13).take(60).filter(|row| row.outcome().is_none()) {
        let values = [1, 3].map(|threads| {
            let mut search = AlphaBeta::new(LOUD, Options { threads, table_depth: 1, ..options() });
            search.best(&row, &Limits::depth(6)).expect("a move").score()
        });
        assert_eq!(values[0], values[1], "{row}");
    }
}

/// A search in a hurry is not exact, but the wins and losses that it claims are true.
#[test]
fn a_search_in_a_hurry_claims_only_what_is_true() {
    let mut claims = 0;
    for graph in graphs().take(300).filter(|graph| graph.outcome().is_none()) {
        let mut search = AlphaBeta::new(LOUD, options());
        let report = search.best(&graph, &Limits::nodes(400)).expect("a move");
        let Some(plies) = report.score().plies_to_end().filter(|plies| plies.abs() < 9) else {
            continue;
        };
        let truth = Minimax::new(Flat).best(&graph, &Limits::depth(plies.unsigned_abs()));
        let truth = truth.expect("a move").score();
        let holds = if plies > 0 { truth >= report.score() } else { truth <= report.score() };
        assert!(holds, "{report:?}, but {truth}: {graph}");
        claims += 1;
    }
    assert!(claims > 50, "{claims}");
}

#[test]
fn proofs_are_minimax() {
    for row in rows(9).take(40) {
        proof::agree(&Prover::new(TABLE), &row, 9, &[-4, -1, 0, 1, 4]);
    }
    for graph in graphs().take(120) {
        for plies in [1, 2, 5, 7] {
            proof::agree(&Prover::new(TABLE), &graph, plies, &[1]);
        }
    }
}

/// The plies to the forced end within six plies as `side` sees it, by minimax; 0 without a forced end.
fn plies_to_end<G: SearchHints>(position: &G, side: Side) -> i32 {
    let report = Minimax::new(Flat).best(position, &Limits::depth(6)).expect("a game");
    let plies = report.score().plies_to_end().unwrap_or_default();
    if position.side_to_move() == side { plies } else { -plies }
}

#[test]
fn forced_wins_are_found_at_every_distance() {
    let mut by_parity = [0; 2];
    for graph in graphs().take(300).filter(|graph| graph.outcome().is_none()) {
        let mut finder = Finder::new(Within(6), TABLE);
        for winner in Side::BOTH {
            let expected = plies_to_end(&graph, winner).max(0).unsigned_abs();
            let found = finder.find(&graph, winner, &no_limit());
            // The shortest loss is looked for from two plies on.
            let found_plies = found.as_ref().map_or(0, |forced| forced.plies);
            let is_mover = winner == graph.side_to_move();
            let expected = if is_mover || expected != 1 { expected } else { 2 };
            assert_eq!(found_plies, expected, "{winner:?}: {graph}");
            let Some(forced) = found else { continue };
            by_parity[forced.plies as usize % 2] += usize::from(is_mover);
            let mut end = graph;
            forced.line.iter().for_each(|&mv| end.play(mv).expect("a legal line"));
            assert_eq!(end.outcome().and_then(|outcome| outcome.winner()), Some(winner));
        }
    }
    assert!(by_parity.iter().all(|&count| count > 10), "{by_parity:?}");
}

/// A side that wins keeps the win, and a side that is even does not lose.
#[test]
fn nothing_is_lost_by_looking_for_forced_wins() {
    let mut kept = 0;
    for graph in graphs().take(120).filter(|graph| graph.outcome().is_none()) {
        let (side, hour) = (graph.side_to_move(), Duration::from_secs(3_600));
        let before = plies_to_end(&graph, side);
        if before == 0 {
            continue;
        }
        let time = PlayTime {
            started: Instant::now(),
            time: hour,
            likely: hour,
            context: SearchContext::default(),
        };
        let mut search = AlphaBeta::new(Flat, options());
        let report = ForcedPlay::new(Within(6), TABLE)
            .choose(&mut search, &graph, &time, Ties::default())
            .expect("a game");
        let next = graph.after(report.best_move());
        if before > 0 {
            let after = match next.outcome() {
                Some(outcome) => i32::from(outcome.winner() == Some(side)),
                None => plies_to_end(&next, side),
            };
            assert!(after > 0, "{graph}: {report:?}");
            kept += 1;
        } else {
            assert!(report.score().is_loss(), "{graph}: {report:?}");
        }
    }
    assert!(kept > 20, "{kept}");
}

fn plain(row: &Row) -> Score {
    plain_value(row, NODES).expect("few enough nodes")
}

fn perfect(book: Option<Book>) -> Perfect<HashNoise> {
    Perfect::new(LOUD, options(), book)
}

#[test]
fn plain_values_are_those_of_minimax() {
    for row in rows(8).take(80).filter(|row| row.outcome().is_none()) {
        let report = Minimax::new(Flat).best(&row, &Limits::depth(8)).expect("a move");
        assert_eq!(plain(&row), report.score(), "{row}");
    }
}

#[test]
fn perfect_play_keeps_the_value() {
    for seed in 0..20 {
        let mut row = Again(Coins::new(seed, 10));
        let (mut player, value) = (perfect(None), plain(&row));
        while row.outcome().is_none() {
            let choice = player.choose(&row, None, &SearchContext::default());
            let choice = choice.expect("limited").expect("not over");
            assert_eq!(choice.source, Source::Exact);
            let seen = if row.side_to_move() == Side::First { value } else { -value };
            assert_eq!(choice.value.score(), seen, "{row}");
            row.play_unchecked(choice.mv);
        }
        assert_eq!(row.outcome().map(|it| it.score::<Row>(Side::First, 0)), Some(value));
    }
}

#[test]
fn every_move_is_solved() {
    for seed in 0..20 {
        let row = Again(Coins::new(seed, 9));
        let mut search = AlphaBeta::new(LOUD, options());
        let solution = solve(&mut search, &row, &Default::default(), &mut |_| ());
        let solution = solution.expect("limited").expect("not over");
        assert!(solution.complete);
        for line in solution.lines {
            let next = row.after(line.first_move());
            let truth = match next.outcome() {
                Some(outcome) => outcome.score::<Row>(Side::First, 0),
                None => Turn::between(&row, &next).across(plain(&next)),
            };
            assert_eq!(line.score(), truth, "{} {row}", line.first_move());
        }
    }
}

#[test]
fn books_hold_exact_values() {
    for seed in 0..8 {
        let start = Again(Coins::new(seed, 10));
        for coverage in [Coverage::Every, Coverage::Values, Coverage::Repertoire] {
            let book = build(&start, 4, coverage);
            assert_eq!(check_relatives(&book, &start), Ok(()), "{coverage:?} of {start}");
            let found = positions(&book, &start);
            assert_eq!(Ok(found.len()), book.count());
            for row in found {
                assert_eq!(book.value(&row), Some(plain(&row)), "{row}");
            }
        }
    }
}

#[test]
fn a_repertoire_answers_every_reply() {
    fn walk(player: &mut Perfect<HashNoise>, row: &Row, own: Side, plies: u32) -> u32 {
        if plies == 0 || row.outcome().is_some() {
            return 0;
        }
        if row.side_to_move() == own {
            let choice = player.choose(row, None, &SearchContext::default());
            let choice = choice.expect("limited").expect("not over");
            assert_eq!(choice.source, Source::Book, "{row}");
            return 1 + walk(player, &row.after(choice.mv), own, plies - 1);
        }
        row.legal_moves().map(|mv| walk(player, &row.after(mv), own, plies - 1)).sum()
    }
    for seed in 0..6 {
        let start = Again(Coins::new(seed, 10));
        let mut player = perfect(Some(build(&start, 4, Coverage::Repertoire)));
        for own in Side::BOTH {
            // The book reaches the fourth ply, which is the fifth position.
            assert!(walk(&mut player, &start, own, 5) > 0);
        }
    }
}

/// A game with extra turns that are not announced, or with passes that keep the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marred<G, const PASSES: bool>(Again<G>);

impl<G: std::fmt::Display, const PASSES: bool> std::fmt::Display for Marred<G, PASSES> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<G: ExtraTurns, const PASSES: bool> Game for Marred<G, PASSES> {
    type Move = G::Move;
    type IllegalMove = G::IllegalMove;

    const NAME: &'static str = "marred";
    const ALTERNATES: bool = !PASSES;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<plyground::Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = Self::Move> {
        self.0.legal_moves()
    }

    fn check_legal(&self, mv: Self::Move) -> Result<(), Self::IllegalMove> {
        self.0.check_legal(mv)
    }

    fn play_unchecked(&mut self, mv: Self::Move) {
        self.0.play_unchecked(mv);
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.0.points()
    }

    fn is_pass(&self, _: Self::Move) -> bool {
        PASSES && self.0.legal_moves().count() == 1
    }
}

impl<G: ExtraTurns, const PASSES: bool> SearchHints for Marred<G, PASSES> {
    const MOVE_CODES: usize = G::MOVE_CODES;

    fn move_code(&self, mv: Self::Move) -> usize {
        self.0.move_code(mv)
    }
}

#[test]
fn turns_that_may_not_be_kept_are_found() {
    fn breach<G: SearchHints>(starts: impl Iterator<Item = G>) -> Breach {
        check_contract(&Sample::new(starts, 7), &Flat).expect_err("a breach")
    }
    let rows = (0..40).map(|seed| Marred::<_, false>(Again(Coins::new(seed, 4))));
    let unannounced = breach(rows);
    assert_eq!(unannounced.rule, Rule::Play);
    assert!(unannounced.found.ends_with("sets ALTERNATES to false"), "{unannounced}");
    // From every node leads one edge.
    let graphs = (0..40).map(|seed| Marred::<_, true>(Again(Digraph::new(seed, 30, 1))));
    let pass = breach(graphs);
    assert_eq!(pass.rule, Rule::Play);
    assert!(pass.found.contains("after the pass"), "{pass}");
}

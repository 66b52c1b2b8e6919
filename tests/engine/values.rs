//! The claims of searches about moves and positions are true: every claim is compared with plain
//! minimax.

use std::fmt;
use std::time::{Duration, Instant};

use maxconnect4::{OpenQuads, Size};
use network::{ChipEval, ForcedWins, Rules};
use plyground::perfect::{ForcedPlay, Perfect, PlayTime, Ties};
use plyground::proof::{AtLeast, Prover};
use plyground::search::{Options, Report, Scope, SearchContext};
use plyground::testing::{Coins, Digraph, HashNoise, TicTacToe, exact_result, random_position};
use plyground::{
    AlphaBeta, Bounds, Evaluator, Game, Limits, Minimax, Outcome, Score, Search, SearchHints, Side,
    Turn, Value,
};

/// The size of the tables in MiB.
const TABLE: usize = 1;
const LOUD: HashNoise = HashNoise { seed: 31, amplitude: 300 };
/// Noise that often lies at a proven limit.
const QUIET: HashNoise = HashNoise { seed: 32, amplitude: 120 };

/// The number of plies for which lines are followed to see a draw in a game without end.
const FAR: u32 = 60;

/// The numbers of claims checked, by kind.
#[derive(Clone, Copy, Debug, Default)]
struct Claims {
    exact: usize,
    bounds: usize,
    estimates: usize,
}

impl Claims {
    /// Checks that `value` is true of `position`, as its side to move sees it. A claim that takes
    /// more than `most` plies to check is not checked.
    fn check<G: SearchHints>(&mut self, position: &G, value: Value, most: u32, what: &str) {
        let ends_in = value.score().plies_to_end().map(i32::unsigned_abs);
        let plies = ends_in.or(position.plies_left()).unwrap_or(most);
        if plies > most {
            return;
        }
        let count = match value {
            Value::Estimate(_) => {
                self.estimates += 1;
                return;
            }
            Value::Exact(_) => &mut self.exact,
            _ => &mut self.bounds,
        };
        let truth = exact_result(position, plies, u64::MAX)
            .or_else(|| is_drawn(position, FAR).then_some(Score::ZERO));
        let truth = truth.unwrap_or_else(|| panic!("{what}: {value:?} is not true of\n{position}"));
        let bounds = value.bounds();
        assert!(
            (bounds.lower..=bounds.upper).contains(&truth),
            "{what}: {value:?} in place of {truth} in\n{position}"
        );
        *count += 1;
    }

    /// Checks all that `report` claims of `position` and its moves.
    fn check_report<G: SearchHints>(
        &mut self,
        position: &G,
        report: &Report<G::Move>,
        most: u32,
        what: &str,
    ) {
        self.check(position, report.value, most, what);
        for line in &report.lines {
            let next = position.after(line.first_move());
            let what = format!("{what}, move {}", line.first_move());
            self.check(&next, after_move(line.value, Turn::between(position, &next)), most, &what);
        }
    }
}

/// Returns `true` if each side can force a draw at least, within so many plies: not every line need
/// end.
fn is_drawn<G: SearchHints>(position: &G, plies: u32) -> bool {
    let prover = Prover::new(TABLE);
    Side::BOTH.into_iter().all(|attacker| {
        let goal = AtLeast { attacker, margin: 0 };
        prover.prove(&goal, position, plies, &Limits::default()).reached == Some(true)
    })
}

/// The value of the position after a move of this value: the reverse of [`Value::before_move`].
fn after_move(value: Value, turn: Turn) -> Value {
    let after = |score: Score| match score.plies_to_end() {
        Some(plies) if plies > 0 => Score::win_in(plies.unsigned_abs() - 1),
        Some(plies) => Score::loss_in(plies.unsigned_abs().saturating_sub(1)),
        None => score,
    };
    turn.across(match value {
        Value::Exact(score) => Value::Exact(after(score)),
        Value::AtLeast(score) => Value::AtLeast(after(score)),
        Value::AtMost(score) => Value::AtMost(after(score)),
        Value::Estimate(score) => Value::Estimate(score),
    })
}

/// Searches `position` in every scope to every depth up to `depths`, and within limits of nodes.
fn check<G: SearchHints, E: Evaluator<G> + Copy>(
    claims: &mut Claims,
    position: &G,
    depths: u32,
    most: u32,
    evaluator: E,
) {
    if position.outcome().is_some() {
        return;
    }
    let mut search = AlphaBeta::new(evaluator, Options { table_mib: TABLE, ..Options::default() });
    for scope in [Scope::BestMove, Scope::BestMoves, Scope::EveryMove] {
        let limits = (1..=depths).map(Limits::depth);
        for limits in limits.chain([3, 20, 100, 500, 2_000].map(Limits::nodes)) {
            let what = format!("{scope:?}, {limits:?}");
            let report = search.search(position, &limits, scope, &mut |_| ()).expect("a game");
            claims.check_report(position, &report, most, &what);
        }
        let limits = Limits::depth(depths.min(3));
        let report = Minimax::new(evaluator).search(position, &limits, scope, &mut |_| ());
        claims.check_report(position, &report.expect("a game"), most, "minimax");
    }
}

#[test]
fn toy_games() {
    let mut claims = Claims::default();
    for seed in 0..150 {
        let coins = random_position(&Coins::new(seed, 8), seed as u32 % 4, seed);
        check(&mut claims, &coins, 8, 8, LOUD);
        check(&mut claims, &coins, 8, 8, QUIET);
        let squares = random_position(&TicTacToe::default(), 2 + seed as u32 % 6, seed);
        check(&mut claims, &squares, 7, 7, LOUD);
        let graph = random_position(&Digraph::new(seed, 40, 3), 1, seed);
        check(&mut claims, &graph, 6, 12, LOUD);
    }
    assert!(
        claims.exact > 10_000 && claims.bounds > 100 && claims.estimates > 10_000,
        "{claims:?}"
    );
}

/// A game that does not know how soon it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Loose<G>(G);

impl<G: Game> fmt::Display for Loose<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<G: Game> Game for Loose<G> {
    type Move = G::Move;
    type IllegalMove = G::IllegalMove;

    const NAME: &'static str = G::NAME;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = G::Move> {
        self.0.legal_moves()
    }

    fn check_legal(&self, mv: G::Move) -> Result<(), G::IllegalMove> {
        self.0.check_legal(mv)
    }

    fn play_unchecked(&mut self, mv: G::Move) {
        self.0.play_unchecked(mv);
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.0.points()
    }

    fn plies_left(&self) -> Option<u32> {
        self.0.plies_left().map(|left| 3 * left + 4)
    }
}

impl<G: SearchHints> SearchHints for Loose<G> {
    const MOVE_CODES: usize = G::MOVE_CODES;

    fn move_code(&self, mv: G::Move) -> usize {
        self.0.move_code(mv)
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }

    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }
}

/// Deepening ends when every line has ended, which is long before the game says so, and claims
/// nothing sooner; whatever other searches left in the table.
fn ends_when_all_lines_end<G: SearchHints>(positions: impl Iterator<Item = G>) {
    let positions: Vec<_> = positions.filter(|position| position.outcome().is_none()).collect();
    for (threads, local_table) in [(1, true), (1, false), (2, false)] {
        let options = Options {
            table_mib: TABLE,
            table_depth: 1,
            local_table,
            threads,
            head_start: Duration::ZERO,
            ..Options::default()
        };
        let mut search = AlphaBeta::new(LOUD, options);
        let mut claims = Claims::default();
        for (index, position) in positions.iter().enumerate() {
            let plies = position.plies_left().expect("limited");
            let position = Loose(position.clone());
            let nodes = [30, 200, 1_000][index % 3];
            for scope in [Scope::BestMove, Scope::EveryMove, Scope::BestMoves] {
                let depth = Limits::depth(1 + index as u32 % plies);
                for limits in [Limits::nodes(nodes), depth] {
                    let report = search.search(&position, &limits, scope, &mut |_| ());
                    let what = format!("{scope:?}, {limits:?}");
                    claims.check_report(&position, &report.expect("a game"), u32::MAX, &what);
                }
                let ample = Limits::nodes(1_000_000);
                let report = search.search(&position, &ample, scope, &mut |_| ()).expect("a game");
                assert!(report.proven() && report.depth <= plies, "{}: {report:?}", report.depth);
                claims.check_report(&position, &report, u32::MAX, "ample");
            }
        }
        assert!(claims.exact > 1_000 && claims.estimates > 100, "{claims:?}");
    }
}

#[test]
fn loose_limits_of_the_length_of_a_game() {
    let squares = |seed| random_position(&TicTacToe::default(), 2 + seed as u32 % 6, seed);
    ends_when_all_lines_end((0..200).map(squares));
    let coins = |seed| random_position(&Coins::new(seed / 4, 8), seed as u32 % 4, seed);
    ends_when_all_lines_end((0..200).map(coins));
}

#[test]
fn late_positions_of_maxconnect4() {
    let mut claims = Claims::default();
    for seed in 0..300 {
        let (columns, rows) = [(4, 4), (5, 4), (7, 6), (8, 8)][seed as usize % 4];
        let empty = maxconnect4::Position::empty(Size::new(columns, rows).expect("a size"));
        let left = 3 + seed as u32 % 5;
        let position = random_position(&empty, empty.empty_cells() - left, seed);
        check(&mut claims, &position, left, left, OpenQuads);
        check(&mut claims, &position, left, left, QUIET);
    }
    assert!(claims.exact > 10_000 && claims.estimates > 1_000, "{claims:?}");
}

#[test]
fn positions_of_network() {
    const PLIES: u32 = 4;
    let mut claims = Claims::default();
    for seed in 0..60 {
        let rules = [Rules::Berkeley, Rules::Usf][seed as usize % 2];
        let start = network::Position::new(rules);
        let position = random_position(&start, 8 + seed as u32 % 12, seed);
        check(&mut claims, &position, 3, PLIES, ChipEval);
    }
    assert!(claims.exact > 500 && claims.estimates > 1_000, "{claims:?}");
}

#[test]
fn perfect_play() {
    let mut claims = Claims::default();
    for seed in 0..100 {
        let position = random_position(&Coins::new(seed, 8), seed as u32 % 3, seed);
        let mut player =
            Perfect::new(LOUD, Options { table_mib: TABLE, ..Options::default() }, None);
        let choice = player
            .choose(&position, None, &SearchContext::default())
            .expect("limited")
            .expect("not over");
        let next = position.after(choice.mv);
        let turn = Turn::between(&position, &next);
        claims.check(&next, after_move(choice.value, turn), 8, "perfect");
    }
    assert!(claims.exact == 100, "{claims:?}");
}

/// A proof is a bound: the win may come sooner.
#[test]
fn forced_wins() {
    const PLIES: u32 = 4;
    let mut claims = Claims::default();
    for seed in 0..200 {
        let start = network::Position::new(Rules::Berkeley);
        let position = random_position(&start, 10 + seed as u32 % 12, seed);
        if position.outcome().is_some() || exact_result(&position, 2, u64::MAX).is_none() {
            continue;
        }
        let options = Options { table_mib: TABLE, ..Options::default() };
        let mut search = AlphaBeta::new(ChipEval, options);
        let time = Duration::from_secs(600);
        let sought = PlayTime {
            started: Instant::now(),
            time,
            likely: time,
            context: SearchContext::default(),
        };
        let mut forcing = ForcedPlay::new(ForcedWins { book: false }, TABLE);
        let report =
            forcing.choose(&mut search, &position, &sought, Ties::default()).expect("a game");
        claims.check_report(&position, &report, PLIES, "forced");
    }
    assert!(claims.exact > 10 && claims.bounds > 10, "{claims:?}");
}

//! The search to look at: its values, its statements, and what it cuts off.

use std::fmt::Debug;

use maxconnect4::{OpenQuads, Size};
use network::{ChipEval, Rules};
use plyground::search::{Limits, Options};
use plyground::testing::{HashNoise, TicTacToe, random_position};
use plyground::trace::{Counts, Order, Source, Statement, TraceOptions, Tree};
use plyground::{
    AlphaBeta, Bounds, Evaluator, Flat, Game, Outcome, Score, Search, SearchHints, Side,
};

/// More nodes than any tree here has.
const ALL: (u64, u64) = (u64::MAX, u64::MAX);

const ORDERS: [Order; 3] = [Order::Natural, Order::Good, Order::Bad];

/// How many positions of each game are tried, and how large a tree of minimax is still compared node
/// by node. Of a larger one only the value is.
fn effort() -> (u64, u64) {
    let is_nightly = std::env::var_os("PLYGROUND_NIGHTLY").is_some();
    if is_nightly { (1_000, 200_000) } else { (32, 3_000) }
}

/// A tree of minimax, built in full: what every position is worth, with no window in sight.
struct Minimax<M> {
    moves: Vec<(M, Minimax<M>)>,
    value: Score,
    /// The limits of the game on the value.
    limits: Bounds,
}

impl<M: Copy> Minimax<M> {
    fn new<G: SearchHints<Move = M>, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        depth: u32,
        ply: u32,
    ) -> Minimax<M> {
        let limits = if depth < 2 { position.bounds() } else { position.closest_bounds() };
        let leaf = |value| Minimax { moves: Vec::new(), value, limits: Bounds::NONE };
        if let Some(outcome) = position.outcome() {
            return leaf(outcome.score::<G>(position.side_to_move(), ply));
        }
        if depth == 0 {
            return leaf(limits.clamp(Score::estimate(evaluator.evaluate(position).get())));
        }
        let below = |mv| Minimax::new(&position.after(mv), evaluator, depth - 1, ply + 1);
        let moves: Vec<_> = position.legal_moves().map(|mv| (mv, below(mv))).collect();
        let best = moves.iter().map(|(_, next)| -next.value).max().expect("a move");
        Minimax { moves, value: limits.clamp(best), limits }
    }

    /// Alpha-beta of the textbooks on a tree that is there already, in the form with two bounds and
    /// two kinds of players that Knuth and Moore call F2 and most books print, fail-hard. Adds to
    /// `searched` and `cut` every way from the root, in order.
    fn textbook(
        &self,
        maximizes: bool,
        (mut alpha, mut beta): (i32, i32),
        way: &mut Vec<String>,
        seen: &mut Vec<(String, bool)>,
    ) -> i32
    where
        M: ToString,
    {
        seen.push((way.join(" "), true));
        let sign = if maximizes { 1 } else { -1 };
        if self.moves.is_empty() {
            return (sign * self.value.get()).clamp(alpha, beta);
        }
        let mut is_cut = false;
        for (mv, next) in &self.moves {
            way.push(mv.to_string());
            if is_cut {
                seen.push((way.join(" "), false));
            } else {
                let value = next.textbook(!maximizes, (alpha, beta), way, seen);
                if maximizes {
                    alpha = alpha.max(value)
                } else {
                    beta = beta.min(value)
                }
                is_cut = alpha >= beta;
            }
            way.pop();
        }
        let found = if maximizes { alpha } else { beta };
        // The limits of the game hold whatever was found.
        let limits = [self.limits.lower, self.limits.upper].map(|limit| sign * limit.get());
        found.clamp(limits[0].min(limits[1]), limits[0].max(limits[1]))
    }
}

/// All ways from the root of a tree, in its order, and whether each was searched.
fn ways<M: Copy + ToString>(tree: &Tree<M>) -> Vec<(String, bool)> {
    let way = |index| {
        let path = tree.path(index);
        let moves = path.iter().filter_map(|&node| tree.nodes()[node].mv);
        moves.map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
    };
    (0..tree.nodes().len()).map(|i| (way(i), tree.nodes()[i].found.is_some())).collect()
}

/// What every node says is true of the value that minimax has there.
fn check_statements<M: Copy + PartialEq + Debug>(tree: &Tree<M>, minimax: &Minimax<M>) {
    let mut truths = vec![Some(minimax)];
    for (index, node) in tree.nodes().iter().enumerate().skip(1) {
        let before = truths[node.parent].expect("searched");
        let next = before.moves.iter().find(|(mv, _)| Some(*mv) == node.mv).map(|(_, next)| next);
        truths.push(next);
        let (truth, Some(found)) = (next.expect("a move"), &node.found) else { continue };
        assert!(found.statement.holds(found.score, truth.value), "node {index}: {found:?}");
        // The statement is one that the window allows.
        if found.statement != Statement::Exact {
            assert!(found.statement.answers(found.score, node.window), "node {index}: {node:?}");
        }
    }
}

/// For every cut: the move was good enough, and the opponent has something as good further up.
fn check_reasons<M: Copy>(tree: &Tree<M>) {
    for (index, node) in tree.nodes().iter().enumerate() {
        assert_eq!(tree.why_cut(index).is_some(), node.has_cut(), "node {index}");
        let Some(why) = tree.why_cut(index) else { continue };
        let score = |node: usize| tree.nodes()[node].found.as_ref().expect("searched").score;
        assert!(-score(why.refutation) >= node.window.beta);
        assert_eq!(score(why.rival), node.window.beta, "it is what set the window");
        assert!(why.rival < why.branch && tree.path(index).contains(&why.branch));
        assert_eq!(tree.nodes()[why.rival].parent, why.ancestor);
        assert_eq!(tree.nodes()[why.branch].parent, why.ancestor);
        assert_eq!((node.ply - tree.nodes()[why.ancestor].ply) % 2, 1, "it is the opponent's");
    }
}

/// The value of the trace is that of the fast search; and in all that is no larger than `most`, every
/// node is as it must be. Returns whether it was no larger.
fn check<G: SearchHints, E: Evaluator<G> + Copy>(
    position: &G,
    evaluator: E,
    depth: u32,
    most: u64,
) -> bool {
    let mut fast = AlphaBeta::new(evaluator, Options { table_mib: 0, ..Options::default() });
    let report = fast.best(position, &Limits::depth(depth)).expect("a move");
    let options = TraceOptions { depth, order: Order::Good, table: true, ..Default::default() };
    let counts = Counts::search(position, &evaluator, &options, u64::MAX).expect("counts");
    assert_eq!(report.score(), counts.score, "depth {depth} of\n{position}");
    let options = TraceOptions { prunes: false, table: false, ..options };
    let is_small = Counts::search(position, &evaluator, &options, most).is_some();
    if is_small {
        check_nodes(position, evaluator, depth);
    }
    is_small
}

fn check_nodes<G: SearchHints, E: Evaluator<G>>(position: &G, evaluator: E, depth: u32) {
    let minimax = Minimax::new(position, &evaluator, depth, 0);
    for order in ORDERS {
        for (prunes, table) in [(false, false), (true, false), (true, true), (false, true)] {
            let options = TraceOptions { depth, prunes, order, table };
            let tree = Tree::search(position, &evaluator, &options, ALL).expect("a tree");
            let counts = Counts::search(position, &evaluator, &options, u64::MAX).expect("counts");
            let root = tree.nodes()[0].found.expect("searched");
            assert_eq!((root.score, root.statement), (minimax.value, Statement::Exact));
            assert_eq!((counts.score, counts.nodes()), (root.score, tree.nodes()[0].visited));
            assert_eq!(counts.nodes() + counts.cut(), tree.nodes().len() as u64);
            check_statements(&tree, &minimax);
            check_reasons(&tree);
            if prunes && !table && order == Order::Natural {
                let mut seen = Vec::new();
                let (least, most) = (Score::MIN.get(), Score::MAX.get());
                minimax.textbook(true, (least, most), &mut Vec::new(), &mut seen);
                assert_eq!(ways(&tree), seen, "depth {depth} of\n{position}");
            }
            if !prunes {
                assert_eq!(counts.cut(), 0);
            }
        }
    }
}

#[test]
fn maxconnect4_traces_are_minimax() {
    let (count, most) = effort();
    let sizes = [(7, 6), (4, 4), (5, 4), (7, 6)];
    let mut small = 0;
    for (seed, (columns, rows)) in (0..count).zip(sizes.into_iter().cycle()) {
        let empty = maxconnect4::Position::empty(Size::new(columns, rows).expect("a size"));
        let plies = (seed as u32 * 7 + 3) % empty.empty_cells();
        let position = random_position(&empty, plies, seed);
        small += u64::from(check(&position, OpenQuads, 1 + (seed / 4 % 4) as u32, most));
    }
    assert!(small > count / 2, "{small}");
}

#[test]
fn network_traces_are_minimax() {
    let (count, most) = effort();
    let mut small = 0;
    let rules = [Rules::Berkeley, Rules::Usf];
    let starts = (0..).zip(rules.into_iter().cycle());
    let positions = starts.map(|(seed, rules)| {
        let plies = (seed * 7 % 40) as u32;
        (seed, random_position(&network::Position::new(rules), plies, seed))
    });
    let open = positions.filter(|(_, position)| position.outcome().is_none());
    for (seed, position) in open.take(count as usize) {
        small += u64::from(check(&position, ChipEval, 1 + (seed / 2 % 4) as u32, most));
    }
    assert!(small > count / 3, "{small}");
}

#[test]
fn noise_traces_are_minimax() {
    for seed in 0..40 {
        let position = random_position(&TicTacToe::default(), seed as u32 % 8, seed);
        if position.outcome().is_none() {
            check(&position, HashNoise { seed, amplitude: 3 }, 1 + (seed % 4) as u32, 5_000);
        }
    }
}

/// A tree that is cut to a few plies has the same nodes there.
#[test]
fn folded_tree_is_the_beginning_of_the_whole() {
    let position = maxconnect4::Position::empty(Size::STANDARD);
    let options = TraceOptions { depth: 5, ..TraceOptions::default() };
    let tree = |most| Tree::search(&position, &OpenQuads, &options, (most, u64::MAX)).expect("one");
    let (whole, folded) = (tree(u64::MAX), tree(100));
    assert!(folded.nodes().len() <= 100 && folded.nodes().len() > 7);
    let plies = folded.nodes().iter().map(|node| node.ply).max().expect("nodes");
    let shown = whole.nodes().iter().filter(|node| node.ply <= plies);
    for (whole, folded) in shown.zip(folded.nodes()) {
        assert_eq!(
            (whole.mv, whole.found, whole.visited),
            (folded.mv, folded.found, folded.visited)
        );
    }
    assert!(Tree::search(&position, &OpenQuads, &options, (100, 100)).is_none());
}

#[test]
fn table_names_the_position_it_knows() {
    let options = TraceOptions { depth: 4, table: true, ..TraceOptions::default() };
    let position = maxconnect4::Position::empty(Size::STANDARD);
    let tree = Tree::search(&position, &OpenQuads, &options, ALL).expect("a tree");
    let reached = |index: usize| {
        let moves = tree.path(index).into_iter().filter_map(|node| tree.nodes()[node].mv);
        moves.fold(position, |position, mv| position.after(mv))
    };
    let mut hits = 0;
    for (index, node) in tree.nodes().iter().enumerate() {
        let Some(Source::Table(number)) = node.found.map(|found| found.source) else { continue };
        let is_it =
            |other: &plyground::trace::Node<_>| other.found.is_some() && other.number == number;
        let earlier = tree.nodes().iter().position(is_it).expect("the earlier one");
        assert!(earlier < index && reached(earlier) == reached(index));
        hits += 1;
    }
    assert!(hits > 10, "{hits}");
}

/// The minimal tree of Knuth and Moore: with the best move first everywhere, alpha-beta looks at
/// `b^(d/2) + b^(d/2) - 1` leaves of a uniform tree of even depth.
#[test]
fn alpha_beta_looks_at_the_minimal_tree() {
    let position = Uniform { plies: 0, width: 5, sum: 0 };
    let options = TraceOptions { depth: 4, ..TraceOptions::default() };
    let counts = Counts::search(&position, &First, &options, u64::MAX).expect("counts");
    assert_eq!(counts.evaluations, 25 + 25 - 1);
}

/// A tree of one width, in which the first move is best for either side.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Uniform {
    plies: u32,
    width: u32,
    /// The numbers of the moves of the first side less those of the second.
    sum: i32,
}

impl std::fmt::Display for Uniform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.sum)
    }
}

impl Game for Uniform {
    type Move = u32;
    type IllegalMove = std::fmt::Error;
    const NAME: &'static str = "uniform";

    fn side_to_move(&self) -> Side {
        Side::BOTH[self.plies as usize % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn legal_moves(&self) -> impl Iterator<Item = u32> {
        0..self.width
    }

    fn check_legal(&self, mv: u32) -> Result<(), std::fmt::Error> {
        if mv < self.width { Ok(()) } else { Err(std::fmt::Error) }
    }

    fn play_unchecked(&mut self, mv: u32) {
        self.sum += if self.plies.is_multiple_of(2) { mv as i32 } else { -(mv as i32) };
        self.plies += 1;
    }

    fn key(&self) -> u64 {
        u64::from(self.plies) << 32 | u64::from(self.sum as u32)
    }
}

impl SearchHints for Uniform {}

/// The lower the numbers, the better for whoever chose them.
struct First;

impl Evaluator<Uniform> for First {
    fn evaluate(&self, position: &Uniform) -> Score {
        let sum = if position.side_to_move() == Side::First { position.sum } else { -position.sum };
        Score::estimate(-sum)
    }
}

#[test]
fn flat_evaluation_has_no_terms_but_points() {
    assert!(Evaluator::<TicTacToe>::terms(&Flat, &TicTacToe::default()).is_empty());
}

//! The search to look at: its values, its statements, and what it cuts off.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use maxconnect4::{OpenQuads, Size};
use network::{ChipEval, Rules};
use plyground::search::{Checkpoint, Limits, Options, SearchContext};
use plyground::testing::{Again, Coins, Digraph, HashNoise, TicTacToe, random_position};
use plyground::trace::{
    Counts, Entered, Found, Observer, Order, Source, Statement, TraceOptions, Tree, search,
};
use plyground::{
    AlphaBeta, Bounds, Evaluator, Flat, Game, Outcome, Score, Search, SearchHints, Side, Turn,
};

use crate::intervals::{self, Intervals};

/// More nodes than any tree here has.
const ALL: (u64, u64) = (u64::MAX, u64::MAX);

const ORDERS: [Order; 3] = [Order::Natural, Order::Good, Order::Bad];

/// The searches that are compared whatever their size: the order of moves, and whether there is a table.
const SEARCHES: [(Order, bool); 3] =
    [(Order::Natural, false), (Order::Good, false), (Order::Good, true)];

/// The extent of the tests.
struct Effort {
    /// The number of positions of each game.
    positions: u64,
    /// The greatest number of positions that a search may look at and still be compared to its end.
    most: u64,
    /// The greatest size of a tree of minimax.
    most_minimax: u64,
    /// Every position is searched to all depths, not to one.
    all_depths: bool,
}

impl Effort {
    fn here() -> Effort {
        if std::env::var_os("PLYGROUND_NIGHTLY").is_some() {
            Effort { positions: 1_000, most: u64::MAX, most_minimax: 20_000, all_depths: true }
        } else {
            Effort { positions: 32, most: 20_000, most_minimax: 3_000, all_depths: false }
        }
    }

    fn depths(&self, seed: u64) -> impl Iterator<Item = u32> {
        let one = (seed / 4 % 4 + 1) as u32;
        let all = self.all_depths;
        (1..=4).filter(move |&depth| all || depth == one)
    }
}

/// The numbers of comparisons.
#[derive(Debug, Default)]
struct Compared {
    /// Searches with all of their nodes, and with the first of them.
    whole: u64,
    begun: u64,
    /// Positions that were searched and moves that were cut off.
    nodes: u64,
    cut: u64,
    /// Searches with a tree of minimax beside them.
    minimax: u64,
}

/// A tree of minimax, built in full: what every position is worth, with no window in sight.
struct Minimax<M> {
    moves: Vec<(M, Minimax<M>)>,
    side: Side,
    value: Score,
}

impl<M: Copy> Minimax<M> {
    fn new<G: SearchHints<Move = M>, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        depth: u32,
        ply: u32,
    ) -> Minimax<M> {
        let limits = if depth < 2 { position.bounds() } else { position.closest_bounds() };
        let side = position.side_to_move();
        let leaf = |value| Minimax { moves: Vec::new(), side, value };
        if let Some(outcome) = position.outcome() {
            return leaf(outcome.score::<G>(position.side_to_move(), ply));
        }
        if depth == 0 {
            return leaf(limits.clamp(Score::estimate(evaluator.evaluate(position).get())));
        }
        let below = |mv| Minimax::new(&position.after(mv), evaluator, depth - 1, ply + 1);
        let moves: Vec<_> = position.legal_moves().map(|mv| (mv, below(mv))).collect();
        let worth = |next: &Minimax<M>| if next.side == side { next.value } else { -next.value };
        let best = moves.iter().map(|(_, next)| worth(next)).max().expect("a move");
        Minimax { moves, side, value: limits.clamp(best) }
    }
}

/// Asserts that the statement of every node is true of the value that minimax has there.
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
        let score = |at: usize| {
            let score = tree.nodes()[at].found.as_ref().expect("searched").score;
            if tree.nodes()[at].side == node.side { score } else { -score }
        };
        assert!(score(why.refutation) >= node.window.beta);
        assert_eq!(score(why.rival), node.window.beta, "it is what set the window");
        assert!(why.rival < why.branch && tree.path(index).contains(&why.branch));
        assert_eq!(tree.nodes()[why.rival].parent, why.ancestor);
        assert_eq!(tree.nodes()[why.branch].parent, why.ancestor);
        assert_ne!(node.side, tree.nodes()[why.ancestor].side, "it is the opponent's");
    }
}

/// The searches of a position to a depth: their value is that of the fast search, every statement
/// follows, and what is cut off is what textbooks cut off, node for node; and where a tree of minimax
/// is no larger than the effort, what every node says is true of it.
fn check<G: SearchHints + Sync, E: Evaluator<G> + Copy + Sync>(
    position: &G,
    evaluator: E,
    depth: u32,
    effort: &Effort,
    compared: &mut Compared,
) {
    let mut fast = AlphaBeta::new(evaluator, Options { table_mib: 0, ..Options::default() });
    let report = fast.best(position, &Limits::depth(depth)).expect("a move");
    for (order, table) in SEARCHES {
        let options = TraceOptions { depth, order, table, ..TraceOptions::default() };
        let score = check_search(position, &evaluator, &options, effort.most, compared);
        assert!(score.is_none_or(|score| score == report.score()), "depth {depth} of\n{position}");
    }
    let options = TraceOptions { depth, prunes: false, ..TraceOptions::default() };
    if counts(position, &evaluator, &options, effort.most_minimax).is_some() {
        check_nodes(position, evaluator, depth);
        compared.minimax += 1;
    }
}

/// Compares a search as it goes on, and returns its value if it ends.
fn check_search<G: SearchHints + Sync, E: Evaluator<G> + Sync>(
    position: &G,
    evaluator: &E,
    options: &TraceOptions,
    most: u64,
    compared: &mut Compared,
) -> Option<Score> {
    let &TraceOptions { depth, order, table, .. } = options;
    std::thread::scope(|scope| {
        let steps = if table {
            None
        } else {
            Some(intervals::steps(scope, position, evaluator, (depth, order)))
        };
        let steps = steps.into_iter().flatten();
        let mut intervals = Intervals::new((evaluator, depth), table, steps, most);
        let context = SearchContext::default();
        let found = search(position, evaluator, options, &context, &mut intervals);
        assert_eq!(intervals.fault, None, "{options:?} of\n{position}");
        compared.nodes += intervals.entered;
        compared.cut += intervals.cut;
        let Some(found) = found else {
            compared.begun += 1;
            return None;
        };
        compared.whole += 1;
        assert!(intervals.is_at_end(), "{options:?} of\n{position}");
        assert_eq!(intervals.root, Some(Bounds::only(found.score)));
        Some(found.score)
    })
}

/// Counts the steps of a search that nothing stops.
fn counts<G: SearchHints, E: Evaluator<G>>(
    position: &G,
    evaluator: &E,
    options: &TraceOptions,
    most: u64,
) -> Option<Counts> {
    Counts::search(position, evaluator, options, &SearchContext::default(), most)
}

/// Returns the tree of a search that nothing stops.
fn tree<G: SearchHints, E: Evaluator<G>>(
    position: &G,
    evaluator: &E,
    options: &TraceOptions,
    most: (u64, u64),
) -> Option<Tree<G::Move>> {
    Tree::search(position, evaluator, options, &SearchContext::default(), most)
}

fn check_nodes<G: SearchHints, E: Evaluator<G>>(position: &G, evaluator: E, depth: u32) {
    let minimax = Minimax::new(position, &evaluator, depth, 0);
    for order in ORDERS {
        for (prunes, table) in [(false, false), (true, false), (true, true), (false, true)] {
            let options = TraceOptions { depth, prunes, order, table };
            let tree = tree(position, &evaluator, &options, ALL).expect("a tree");
            let counts = counts(position, &evaluator, &options, u64::MAX).expect("counts");
            let root = tree.nodes()[0].found.expect("searched");
            assert_eq!((root.score, root.statement), (minimax.value, Statement::Exact));
            assert_eq!((counts.score, counts.nodes()), (root.score, tree.nodes()[0].visited));
            assert_eq!(counts.nodes() + counts.cut(), tree.nodes().len() as u64);
            check_statements(&tree, &minimax);
            check_reasons(&tree);
            if !prunes {
                assert_eq!(counts.cut(), 0);
            }
        }
    }
}

#[test]
fn maxconnect4_traces_are_minimax() {
    let effort = Effort::here();
    let sizes = [(7, 6), (4, 4), (5, 4), (7, 6)];
    let mut compared = Compared::default();
    for (seed, (columns, rows)) in (0..effort.positions).zip(sizes.into_iter().cycle()) {
        let empty = maxconnect4::Position::empty(Size::new(columns, rows).expect("a size"));
        let plies = (seed as u32 * 7 + 3) % empty.empty_cells();
        let position = random_position(&empty, plies, seed);
        for depth in effort.depths(seed) {
            check(&position, OpenQuads, depth, &effort, &mut compared);
        }
    }
    println!("Max-Connect4: {compared:?}");
    assert_eq!(compared.begun, 0);
    assert!(compared.minimax > effort.positions / 2, "{compared:?}");
}

#[test]
#[ignore = "long"]
fn network_traces_are_minimax() {
    let effort = Effort::here();
    let rules = [Rules::Berkeley, Rules::Usf];
    let starts = (0..).zip(rules.into_iter().cycle());
    let positions = starts.map(|(seed, rules)| {
        let plies = (seed * 7 % 40) as u32;
        (seed, random_position(&network::Position::new(rules), plies, seed))
    });
    let open = positions.filter(|(_, position)| position.outcome().is_none());
    let mut compared = Compared::default();
    for (count, (seed, position)) in (1..).zip(open.take(effort.positions as usize)) {
        for depth in effort.depths(seed) {
            check(&position, ChipEval, depth, &effort, &mut compared);
        }
        // Trees of the second stage are large: the whole takes many minutes.
        if count % 100 == 0 {
            println!("Network, {count} positions: {compared:?}");
        }
    }
    println!("Network: {compared:?}");
    assert!(
        compared.whole > effort.positions && compared.minimax > effort.positions / 4,
        "{compared:?}"
    );
}

#[test]
fn noise_traces_are_minimax() {
    let effort = Effort { most_minimax: 5_000, ..Effort::here() };
    for seed in 0..40 {
        let position = random_position(&TicTacToe::default(), seed as u32 % 8, seed);
        if position.outcome().is_none() {
            let noise = HashNoise { seed, amplitude: 3 };
            check(&position, noise, 1 + (seed % 4) as u32, &effort, &mut Compared::default());
        }
    }
}

#[test]
fn traces_with_extra_turns_are_minimax() {
    let effort = Effort { most_minimax: 5_000, ..Effort::here() };
    let (mut compared, mut stays) = (Compared::default(), 0);
    for seed in 0..60 {
        let (noise, depth) = (HashNoise { seed, amplitude: 300 }, 1 + (seed % 6) as u32);
        let row = random_position(&Again(Coins::new(seed / 4, 12)), (seed % 4) as u32, seed);
        check(&row, noise, depth, &effort, &mut compared);
        stays +=
            row.legal_moves().filter(|&mv| !Turn::between(&row, &row.after(mv)).changes()).count();
        let graph = random_position(&Again(Digraph::new(seed / 4, 30, 4)), (seed % 4) as u32, seed);
        if graph.outcome().is_none() {
            check(&graph, noise, depth, &effort, &mut compared);
        }
    }
    assert!(compared.minimax > 60 && stays > 60, "{compared:?}, {stays}");
}

/// Tells another observer what it hears, except for one untruth.
struct Liar<O> {
    listener: O,
    /// The node that it lies about, by the order in which nodes are left.
    node: u64,
    lie: fn(&mut Found<u32>),
}

impl<O: Observer<Uniform>> Observer<Uniform> for Liar<O> {
    fn enter(&mut self, entered: &Entered<'_, Uniform>) -> bool {
        self.listener.enter(entered)
    }

    fn cut(&mut self, position: &Uniform, moves: &[(u32, Uniform)]) {
        self.listener.cut(position, moves);
    }

    fn leave(&mut self, position: &Uniform, found: &Found<u32>) {
        let mut found = *found;
        if self.node == 0 {
            (self.lie)(&mut found);
        }
        self.node = self.node.wrapping_sub(1);
        self.listener.leave(position, &found);
    }
}

/// Whatever a search said that is not so, would be found.
#[test]
fn untrue_statements_are_found() {
    let position = Uniform { plies: 0, width: 3, sum: 0 };
    let options = TraceOptions { depth: 3, order: Order::Bad, ..TraceOptions::default() };
    let counts = counts(&position, &First, &options, u64::MAX).expect("counts");
    let fault = |node: u64, lie: fn(&mut Found<u32>)| {
        let steps = std::iter::empty();
        // What is expected is not asked where there is a table.
        let intervals = Intervals::new((&First, options.depth), true, steps, u64::MAX);
        let mut liar = Liar { listener: intervals, node, lie };
        search(&position, &First, &options, &SearchContext::default(), &mut liar);
        liar.listener.fault
    };
    let lies: [fn(&mut Found<u32>); 3] = [
        // Each is stronger than what is true, or false.
        |found| match found.statement {
            Statement::Exact | Statement::AtLeast => {
                found.score = Score::estimate(found.score.get() + 1)
            }
            Statement::AtMost => found.score = Score::estimate(found.score.get() - 1),
        },
        |found| found.source = Source::Table(0),
        |found| found.cut += 1,
    ];
    for node in 0..counts.nodes() {
        assert_eq!(fault(node, |_| ()), None);
        for lie in lies {
            assert!(fault(node, lie).is_some(), "node {node}");
        }
    }
}

/// A search that cuts off something else than textbooks do, or nothing, is found out.
#[test]
fn other_cuts_are_found() {
    let position = Uniform { plies: 0, width: 3, sum: 0 };
    let fault = |prunes, order| {
        let options = TraceOptions { depth: 4, prunes, order, table: false };
        std::thread::scope(|scope| {
            let steps = intervals::steps(scope, &position, &First, (4, Order::Natural));
            let mut intervals = Intervals::new((&First, 4), false, steps, u64::MAX);
            search(&position, &First, &options, &SearchContext::default(), &mut intervals);
            intervals.fault
        })
    };
    assert_eq!(fault(true, Order::Natural), None);
    assert!(fault(false, Order::Natural).is_some());
    assert!(fault(true, Order::Bad).is_some());
}

/// A tree that is cut to a few plies has the same nodes there.
#[test]
fn folded_tree_is_the_beginning_of_the_whole() {
    let position = maxconnect4::Position::empty(Size::STANDARD);
    let options = TraceOptions { depth: 5, ..TraceOptions::default() };
    let tree_of = |most| tree(&position, &OpenQuads, &options, (most, u64::MAX)).expect("one");
    let (whole, folded) = (tree_of(u64::MAX), tree_of(100));
    assert!(folded.nodes().len() <= 100 && folded.nodes().len() > 7);
    let plies = folded.nodes().iter().map(|node| node.ply).max().expect("nodes");
    let shown = whole.nodes().iter().filter(|node| node.ply <= plies);
    for (whole, folded) in shown.zip(folded.nodes()) {
        assert_eq!(
            (whole.mv, whole.found, whole.visited),
            (folded.mv, folded.found, folded.visited)
        );
    }
    assert!(tree(&position, &OpenQuads, &options, (100, 100)).is_none());
}

/// A checkpoint that raises the flag of its search the third time.
#[derive(Debug, Default)]
struct ThirdIsLast {
    stop: Arc<AtomicBool>,
    passed: AtomicU32,
}

impl Checkpoint for ThirdIsLast {
    fn pass(&self) {
        let is_third = self.passed.fetch_add(1, Ordering::Relaxed) == 2;
        self.stop.fetch_or(is_third, Ordering::Relaxed);
    }
}

#[test]
fn search_passes_its_checkpoint_and_stops() {
    let last = Arc::new(ThirdIsLast::default());
    let context = SearchContext {
        checkpoint: Some(Arc::clone(&last) as Arc<dyn Checkpoint>),
        ..Arc::clone(&last.stop).into()
    };
    let position = maxconnect4::Position::empty(Size::STANDARD);
    let options = TraceOptions { depth: 8, ..TraceOptions::default() };
    assert!(Counts::search(&position, &OpenQuads, &options, &context, u64::MAX).is_none());
    assert_eq!(last.passed.load(Ordering::Relaxed), 3);
}

#[test]
fn table_names_the_position_it_knows() {
    let options = TraceOptions { depth: 4, table: true, ..TraceOptions::default() };
    let position = maxconnect4::Position::empty(Size::STANDARD);
    let tree = tree(&position, &OpenQuads, &options, ALL).expect("a tree");
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
    let counts = counts(&position, &First, &options, u64::MAX).expect("counts");
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

/// The lower the numbers, the better for the side that chose them.
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

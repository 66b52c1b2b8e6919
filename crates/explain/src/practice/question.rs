//! Questions about searches and about the mistakes in reviewed games, with their answers; and the small trees of the
//! former, which have a few moves of real positions.

use std::fmt;
use std::sync::Arc;

use plyground::search::{Limits, Options, Scope, SearchContext};
use plyground::testing::random_position;
use plyground::trace::{Node, TraceOptions, Tree};
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side, Turn, Value};
use plyground_durable::shown;
use plyground_host::state::StateText;
use plyground_host::{
    EngineOptions, HostedEngine, HostedGame, HostedPosition, JudgeEffort, MoveText, Promise, Text,
};
use rand::rngs::StdRng;
use rand::seq::{IteratorRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::comparison::Viewpoint;
use crate::review::{GameReview, ReviewedMove};

/// The number of positions drawn for a question before another kind of question is tried.
const TRIES: u32 = 3_000;

/// Every third question is about the best move.
const BEST_MOVE_EVERY: u32 = 3;

/// A question.
#[derive(Clone, Debug)]
pub enum Question {
    /// A question about a small tree.
    Tree(TreeQuestion),
    /// A question about the best move of a position.
    BestMove(BestMoveQuestion),
}

/// Questions about one game.
#[derive(Clone, Debug)]
pub struct Practice {
    /// The title of the game.
    pub title: String,
    /// The seed of the questions: the same seed gives the same questions.
    pub seed: u64,
    /// The questions.
    pub questions: Vec<Question>,
}

impl Practice {
    /// Draws `count` questions, or fewer if the game has no suitable positions, for example because its evaluation
    /// finds all positions even.
    #[must_use]
    pub fn draw(game: &dyn HostedGame, seed: u64, count: u32) -> Practice {
        let mut rng = StdRng::seed_from_u64(seed);
        let draw = |number: u32| {
            let about_best = number % BEST_MOVE_EVERY == BEST_MOVE_EVERY - 1;
            let mut best = || draw_best_move(game, &mut rng, TRIES).map(Question::BestMove);
            let found = if about_best { best() } else { None };
            found.or_else(|| draw_tree(game, &mut rng, TRIES).map(Question::Tree))
        };
        let questions = (0..count).map_while(draw).collect();
        Practice { title: game.title(), seed, questions }
    }
}

/// Returns a position after a random number of random moves in this range; `None` if the game is over there.
fn random_start(
    game: &dyn HostedGame,
    (least, most): (u32, u32),
    rng: &mut StdRng,
) -> Option<HostedPosition> {
    let plies = rng.random_range(least..=most.max(least));
    let position = random_position(&game.start(), plies, rng.random());
    position.outcome().is_none().then_some(position)
}

impl Question {
    /// Returns the position of the question.
    #[must_use]
    pub fn position(&self) -> &HostedPosition {
        match self {
            Question::Tree(question) => &question.sketch.position,
            Question::BestMove(question) => &question.position,
        }
    }
}

/// The distance of the win in a question, in plies.
const WIN_PLIES: u32 = 3;

/// The greatest number of right moves.
const MOST_RIGHT: usize = 2;

/// The least and the greatest number of plies left in a question about points.
const END_PLIES: (u32, u32) = (5, 8);

/// The least and the greatest number of plies before the position of a question, in a game without a known length.
const MIDDLE_PLIES: (u32, u32) = (8, 40);

/// A position with a best move.
#[derive(Clone, Debug)]
pub struct BestMoveQuestion {
    /// The position.
    pub position: HostedPosition,
    /// The right moves.
    pub right: Vec<MoveText>,
    /// The value of the right moves.
    pub value: Score,
    /// A line of play that begins with a right move.
    pub line: Vec<MoveText>,
    /// The aim of the right moves.
    pub aim: Aim,
    /// The game and the move from which the position comes, as a sentence.
    pub from: Option<String>,
}

/// The aim of the right moves of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The best result at the end of the game.
    ToTheEnd,
    /// A forced win within this many plies.
    WinWithin(u32),
    /// No loss within this many plies.
    HoldFor(u32),
}

/// Draws a question; `None` if none is found in `tries` tries.
fn draw_best_move(game: &dyn HostedGame, rng: &mut StdRng, tries: u32) -> Option<BestMoveQuestion> {
    let search = Options { table_mib: 1, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, ..EngineOptions::default() });
    let start = game.start();
    let plies = match start.usual_plies() {
        Some(left) if start.points().is_some() => {
            (left - END_PLIES.1.min(left), left - END_PLIES.0.min(left))
        }
        Some(left) => (1, left.saturating_sub(WIN_PLIES)),
        None => MIDDLE_PLIES,
    };
    (0..tries).find_map(|_| {
        let position = random_start(game, plies, rng)?;
        BestMoveQuestion::new(position, &mut *engine)
    })
}

impl BestMoveQuestion {
    fn new(position: HostedPosition, engine: &mut dyn HostedEngine) -> Option<BestMoveQuestion> {
        let depth = match position.points() {
            // A game may give a loose upper bound on its plies, which is too large for a depth.
            Some(_) => position.plies_left()?.min(2 * END_PLIES.1),
            None => WIN_PLIES,
        };
        let limits = Limits::depth(depth);
        let report = engine.search(&position, &limits, Scope::EveryMove, &mut |_| ()).ok()??;
        let best = report.lines.first()?;
        let Value::Exact(value) = best.value else { return None };
        if position.points().is_none() && value != Score::win_in(WIN_PLIES) {
            return None;
        }
        let right = report.lines.iter().take_while(|line| line.score() == value);
        let right: Vec<_> = right.map(|line| line.first_move()).collect();
        let is_fair = right.len() <= MOST_RIGHT && right.len() + 1 < report.lines.len();
        let line = best.pv.clone();
        let aim = match position.points() {
            Some(_) => Aim::ToTheEnd,
            None => Aim::WinWithin(WIN_PLIES),
        };
        is_fair.then(|| BestMoveQuestion { position, right, value, line, aim, from: None })
    }

    /// Returns the question in words.
    #[must_use]
    pub fn asks(&self) -> String {
        let turn = self.position.text(Text::Turn);
        match self.aim {
            Aim::ToTheEnd => {
                format!("{turn} Which move is best, if both play their best to the end?")
            }
            Aim::WinWithin(1) => format!("{turn} Which move wins at once?"),
            Aim::WinWithin(plies) => format!("{turn} Which move wins by force in {plies} plies?"),
            Aim::HoldFor(plies) => format!("{turn} Which move does not lose within {plies} plies?"),
        }
    }

    /// Returns the answer in words.
    #[must_use]
    pub fn answer(&self) -> String {
        let game = self.position.game();
        let right: Vec<_> = self.right.iter().map(ToString::to_string).collect();
        let line: Vec<_> = self.line.iter().map(ToString::to_string).collect();
        let value = match self.aim {
            Aim::ToTheEnd => self.position.text(Text::Verdict(game.value(self.value))),
            Aim::WinWithin(_) => format!("{}.", game.show(Value::Exact(self.value))),
            Aim::HoldFor(plies) => format!("all others lose within {plies} plies."),
        };
        let from = self.from.as_ref().map(|from| format!(". From {from}")).unwrap_or_default();
        format!("{}: {value} For example: {}{from}", right.join(" or "), line.join(", "))
    }
}

/// The greatest number of positions to visit for the value of a move.
const SOLVE_NODES: u64 = 5_000_000;

/// The greatest number of plies to look ahead by the rules alone, in a game without points.
const MOST_PLIES: u32 = 3;

impl Practice {
    /// Draws up to `count` questions about the mistakes in these games, or about the mistakes of `player` only. A
    /// mistake makes no question if no right answer can be proven quickly, or if all moves are right.
    #[must_use]
    pub fn from_reviews(
        game: &dyn HostedGame,
        reviews: &[GameReview],
        player: Option<&str>,
        (seed, count): (u64, u32),
    ) -> Practice {
        let is_asked = |review: &GameReview, made: &ReviewedMove| {
            let is_own = player.is_none_or(|player| review.name(made.side) == player);
            made.kind.is_some() && !made.given && is_own
        };
        let mistakes = reviews.iter().filter(|review| review.game == game.name());
        let mistakes = mistakes.flat_map(|review| {
            let own = review.moves.iter().filter(move |made| is_asked(review, made));
            own.map(move |made| (review, made))
        });
        let mut mistakes: Vec<_> = mistakes.collect();
        mistakes.shuffle(&mut StdRng::seed_from_u64(seed));
        let drills = mistakes.into_iter().filter_map(|(review, made)| drill(game, review, made));
        let questions = drills.map(Question::BestMove).take(count as usize).collect();
        Practice { title: game.title(), seed, questions }
    }
}

fn drill(
    game: &dyn HostedGame,
    review: &GameReview,
    made: &ReviewedMove,
) -> Option<BestMoveQuestion> {
    let game = game.with_rules(&review.rules)?;
    let mut position = game.parse_state(&StateText::new(review.start.clone())).ok()?;
    // The moves are checked, because a review may be an untrusted file.
    for earlier in review.moves.iter().take(made.ply.checked_sub(1)?) {
        position.play_text(&earlier.mv).ok()?;
    }
    let question = match position.points() {
        Some(_) => to_the_end(position, made)?,
        None => nearby(position, made)?,
    };
    let file = review.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
    let name = review.name(made.side);
    let from = format!("{file}ply {}: {name} played {}.", made.ply, made.mv);
    let from = Some(shown(&from).into_owned());
    let is_fair = question.right.len() < question.position.legal_moves().count();
    is_fair.then_some(BestMoveQuestion { from, ..question })
}

/// Returns the question about the best move to the end of the game, in a game of points.
fn to_the_end(position: HostedPosition, made: &ReviewedMove) -> Option<BestMoveQuestion> {
    let Value::Exact(value) = made.best_worth.value() else { return None };
    let search = Options { table_mib: 16, ..Options::default() };
    let book = position.game().book().ok()?;
    let options = EngineOptions { search, book, ..EngineOptions::default() };
    let mut engine = position.game().engine(options);
    let worth = |mv| Some((mv, exact(&mut *engine, &position, &position.after(mv))?));
    let worths: Option<Vec<_>> = position.legal_moves().map(worth).collect();
    let right = worths?.into_iter().filter(|&(_, own)| own == value).map(|(mv, _)| mv).collect();
    let (aim, line, from) = (Aim::ToTheEnd, made.best_line.clone(), None);
    Some(BestMoveQuestion { position, right, value, line, aim, from })
}

/// Returns the exact value of the move from one position to the next.
fn exact(
    engine: &mut dyn HostedEngine,
    before: &HostedPosition,
    after: &HostedPosition,
) -> Option<Score> {
    let effort = JudgeEffort { solve: SOLVE_NODES, ..JudgeEffort::default() };
    let value = match after.final_value() {
        Some(value) => value,
        None => engine.judge(after, &effort).ok()??.value,
    };
    let turn = Turn::between(before, after);
    value.is_exact().then(|| value.before_move(turn).score())
}

/// Returns the question about a win or a loss within a few plies, in a game without points.
fn nearby(position: HostedPosition, made: &ReviewedMove) -> Option<BestMoveQuestion> {
    let plies = made.seen_at_depth.filter(|&depth| depth <= MOST_PLIES)?;
    let (right, promise) = position.best_moves(plies);
    let (aim, value) = match promise {
        Promise::Won => (Aim::WinWithin(plies), Score::win_in(plies)),
        Promise::Open => (Aim::HoldFor(plies), Score::ZERO),
        Promise::Lost => return None,
    };
    let line = made.best_line.clone();
    let is_line = line.first().is_some_and(|first| right.contains(first));
    let line = if is_line { line } else { vec![*right.first()?] };
    Some(BestMoveQuestion { position, right, value, line, aim, from: None })
}

/// The shapes of trees: the number of moves of each position, and the number of plies.
const SHAPES: [(usize, u32); 2] = [(3, 2), (2, 3)];

/// A small tree with the answers to the questions about it.
#[derive(Clone, Debug)]
pub struct TreeQuestion {
    /// The tree.
    pub sketch: Sketch,
    /// The value that minimax finds at the root.
    pub value: Score,
    /// The move that minimax chooses.
    pub best: MoveText,
    /// The values of all nodes, as minimax finds them.
    pub values: Vec<Score>,
    /// The indexes of the leaves that alpha-beta does not look at, from left to right.
    pub unseen: Vec<usize>,
    /// The reasons: one sentence for each cut.
    pub reasons: Vec<String>,
}

/// Draws a question whose answers are unambiguous; `None` if none is found in `tries` tries.
fn draw_tree(game: &dyn HostedGame, rng: &mut StdRng, tries: u32) -> Option<TreeQuestion> {
    let plies = game.start().usual_plies().map_or((6, 24), |usual| (usual / 6, usual / 2));
    (0..tries).find_map(|_| {
        let position = random_start(game, plies, rng)?;
        let shape = SHAPES[rng.random_range(0..SHAPES.len())];
        TreeQuestion::new(Sketch::draw(&position, shape, rng)?)
    })
}

impl TreeQuestion {
    /// Returns the question about a sketch; `None` if nothing is cut off, or if two leaves are equal, because the
    /// answers would then depend on the tie-breaking of the search.
    fn new(sketch: Sketch) -> Option<TreeQuestion> {
        let leaves = sketch.leaves();
        let mut scores: Vec<_> =
            leaves.iter().filter_map(|&leaf| sketch.nodes[leaf].leaf).collect();
        scores.sort();
        if scores.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let minimax = sketch.search(false)?;
        let viewpoint = Viewpoint::of(&sketch.position);
        let values: Vec<_> =
            minimax.nodes().iter().filter_map(|node| Some(viewpoint.see(node).found?.1)).collect();
        let best = minimax.nodes()[0].found.as_ref()?.best?;
        let alpha_beta = sketch.search(true)?;
        let cut = sketch.cut(&alpha_beta);
        let unseen: Vec<_> = leaves.into_iter().filter(|leaf| cut.contains(leaf)).collect();
        if unseen.is_empty() {
            return None;
        }
        let reasons = reasons(&sketch, &viewpoint, &alpha_beta);
        let (value, best) = (*values.first()?, sketch.nodes[best].mv?);
        Some(TreeQuestion { value, best, values, unseen, reasons, sketch })
    }

    /// Returns the name of a leaf; the names are A, B, C from left to right.
    #[must_use]
    pub fn leaf_name(&self, leaf: usize) -> String {
        let number = self.sketch.leaves().iter().position(|&other| other == leaf);
        let letter = number.and_then(|number| u8::try_from(number).ok()).unwrap_or_default();
        char::from(b'A' + letter).to_string()
    }

    /// Returns the names of the leaves that alpha-beta does not look at.
    #[must_use]
    pub fn unseen_names(&self) -> String {
        let names: Vec<_> = self.unseen.iter().map(|&leaf| self.leaf_name(leaf)).collect();
        names.join(", ")
    }
}

fn reasons(sketch: &Sketch, viewpoint: &Viewpoint, tree: &Tree<usize>) -> Vec<String> {
    let nodes = tree.nodes();
    let way = |index: usize| {
        let path = tree.path(index).into_iter().filter_map(|node| nodes[node].mv);
        path.filter_map(|mv| sketch.nodes[mv].mv).map(|mv| mv.to_string()).collect::<Vec<_>>()
    };
    let score = |index: usize| {
        let found = viewpoint.see(&nodes[index]).found;
        found.map_or_else(String::new, |(_, score)| viewpoint.score(score))
    };
    let reason = |index: usize| {
        let why = tree.why_cut(index)?;
        let mover = viewpoint.name(nodes[index].side);
        let other = viewpoint.name(nodes[index].side.other());
        let words = if viewpoint.is_own(&nodes[index]) { "at least" } else { "at most" };
        Some(format!(
            "After {}, {mover} makes it {words} {} by {}; but {other} already has {} by {}.",
            way(index).join(", "),
            score(why.refutation),
            way(why.refutation).last()?,
            score(why.rival),
            way(why.rival).join(", "),
        ))
    };
    (0..nodes.len()).filter_map(reason).collect()
}

/// A node of a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchNode {
    /// The move to this node; `None` at the root.
    pub mv: Option<MoveText>,
    /// The distance from the root in plies.
    pub ply: u32,
    /// The side to move.
    pub side: Side,
    /// The evaluation, as the side to move at the root sees it; `None` unless the node is a leaf.
    pub leaf: Option<Score>,
    /// The indexes of the child nodes.
    pub children: Vec<usize>,
}

/// A part of a game tree that is small enough to be searched by hand: some moves of a position, some replies to each
/// move, and so on, with the evaluations of the leaves. The nodes are in the order of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// The position at the root.
    pub position: HostedPosition,
    /// The nodes, the root first.
    pub nodes: Vec<SketchNode>,
    /// The distance of the leaves from the root in plies.
    pub depth: u32,
}

impl Sketch {
    /// Draws `width` moves of every position, `depth` plies deep; `None` if a game is over, or if a position has fewer
    /// moves.
    pub fn draw(
        position: &HostedPosition,
        (width, depth): (usize, u32),
        rng: &mut StdRng,
    ) -> Option<Sketch> {
        let mut sketch = Sketch { position: position.clone(), nodes: Vec::new(), depth };
        sketch.grow(position, None, (width, 0), rng)?;
        Some(sketch)
    }

    /// Adds a position and the nodes below it, and returns the index of the position; `None` as for [`Sketch::draw`].
    fn grow(
        &mut self,
        position: &HostedPosition,
        mv: Option<MoveText>,
        (width, ply): (usize, u32),
        rng: &mut StdRng,
    ) -> Option<usize> {
        if position.is_over() {
            return None;
        }
        let (index, side) = (self.nodes.len(), position.side_to_move());
        let is_leaf = ply == self.depth;
        let leaf = is_leaf.then(|| {
            let score = position.terms().iter().map(plyground::Term::score).sum();
            let score = Score::estimate(score);
            if side == self.position.side_to_move() { score } else { -score }
        });
        self.nodes.push(SketchNode { mv, ply, side, leaf, children: Vec::new() });
        if is_leaf {
            return Some(index);
        }
        let mut moves = position.legal_moves().enumerate().sample(rng, width);
        if moves.len() < width {
            return None;
        }
        // The moves are sorted, because a search tries moves in the order of the game.
        moves.sort_by_key(|&(number, _)| number);
        for (_, mv) in moves {
            let child = self.grow(&position.after(mv), Some(mv), (width, ply + 1), rng)?;
            self.nodes[index].children.push(child);
        }
        Some(index)
    }

    /// Returns the indexes of the leaves, from left to right.
    #[must_use]
    pub fn leaves(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&index| self.nodes[index].leaf.is_some()).collect()
    }

    /// Returns the tree of a search of the sketch. Its moves are indexes of nodes.
    #[must_use]
    pub fn search(&self, prunes: bool) -> Option<Tree<usize>> {
        let nodes = Arc::new(self.nodes.clone());
        let root = SketchPosition { nodes, index: 0 };
        let options = TraceOptions { depth: self.depth, prunes, ..TraceOptions::default() };
        Tree::search(&root, &Leaves, &options, &SearchContext::default(), (u64::MAX, u64::MAX))
    }

    /// Returns the indexes of the nodes that a search does not visit: the nodes cut off, and all nodes below.
    #[must_use]
    pub fn cut(&self, tree: &Tree<usize>) -> Vec<usize> {
        let is_seen = |node: &Node<usize>| node.found.is_some();
        let seen: Vec<_> =
            tree.nodes().iter().filter(|node| is_seen(node)).filter_map(|node| node.mv).collect();
        (1..self.nodes.len()).filter(|index| !seen.contains(index)).collect()
    }
}

/// A node of a sketch as a position of a game whose moves are indexes of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SketchPosition {
    nodes: Arc<Vec<SketchNode>>,
    index: usize,
}

impl SketchPosition {
    fn node(&self) -> &SketchNode {
        &self.nodes[self.index]
    }
}

impl fmt::Display for SketchPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.index)
    }
}

impl Game for SketchPosition {
    type Move = usize;
    type IllegalMove = fmt::Error;
    const NAME: &'static str = "sketch";
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.node().side
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn legal_moves(&self) -> impl Iterator<Item = usize> {
        self.node().children.iter().copied()
    }

    fn check_legal(&self, mv: usize) -> Result<(), fmt::Error> {
        if self.node().children.contains(&mv) { Ok(()) } else { Err(fmt::Error) }
    }

    fn play_unchecked(&mut self, mv: usize) {
        self.index = mv;
    }

    fn key(&self) -> u64 {
        self.index as u64
    }
}

impl SearchHints for SketchPosition {}

/// The evaluations of the leaves.
struct Leaves;

impl Evaluator<SketchPosition> for Leaves {
    fn evaluate(&self, position: &SketchPosition) -> Score {
        let score = position.node().leaf.unwrap_or_default();
        if position.node().side == position.nodes[0].side { score } else { -score }
    }
}

//! A small tree from a real position, with all but a few moves left out, and its drawing.

use std::fmt;
use std::sync::Arc;

use maud::{Markup, html};
use plyground::trace::{Node, TraceOptions, Tree};
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side};
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::TreeQuestion;
use crate::comparison::Viewpoint;

/// A node of a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchNode {
    /// The move that leads here; `None` at the root.
    pub mv: Option<MoveText>,
    /// The distance from the root in plies.
    pub ply: u32,
    /// The evaluation, as the side to move at the root sees it; `None` unless the node is a leaf.
    pub leaf: Option<Score>,
    /// The indexes of the child nodes.
    pub children: Vec<usize>,
}

/// Some moves of a position, some replies to each, and so on, with the evaluations of the leaves: small
/// enough to be searched by hand. The nodes are in the order in which a search visits them.
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
    /// Draws `width` moves of every position, `depth` plies deep; `None` if a game ends or a position has
    /// fewer moves on the way.
    pub fn draw(
        position: &HostedPosition,
        (width, depth): (usize, u32),
        rng: &mut StdRng,
    ) -> Option<Sketch> {
        let mut sketch = Sketch { position: position.clone(), nodes: Vec::new(), depth };
        sketch.grow(position, None, (width, 0), rng)?;
        Some(sketch)
    }

    /// Adds a position and all below it, and returns its index; `None` as for [`Sketch::draw`].
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
        let index = self.nodes.len();
        let is_leaf = ply == self.depth;
        let leaf = is_leaf.then(|| {
            let score = position.terms().iter().map(plyground::Term::score).sum();
            let score = Score::estimate(score);
            if ply.is_multiple_of(2) { score } else { -score }
        });
        self.nodes.push(SketchNode { mv, ply, leaf, children: Vec::new() });
        if is_leaf {
            return Some(index);
        }
        let moves = position.legal_moves().enumerate().sample(rng, width);
        if moves.len() < width {
            return None;
        }
        // A search tries the moves in the order of the game.
        let mut moves = moves;
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
        Tree::search(&root, &Leaves, &options, (u64::MAX, u64::MAX))
    }

    /// Returns the indexes of the nodes that a search does not look at: those cut off, and all below them.
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

    fn side_to_move(&self) -> Side {
        Side::BOTH[self.node().ply as usize % 2]
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
        if position.side_to_move() == Side::First { score } else { -score }
    }
}

/// The width of a leaf and the height of a ply in pixels.
const WIDTH: usize = 66;
const HEIGHT: usize = 74;
const MARGIN: usize = 26;

/// The values that a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The values of the leaves.
    Question,
    /// The values of all nodes, and the branches that are cut off.
    Solution,
}

/// Returns the tree with its moves. A triangle points up where the side to move at the root maximizes, and
/// down where the other side minimizes.
pub(super) fn tree_svg(question: &TreeQuestion, shown: Shown) -> Markup {
    let sketch = &question.sketch;
    let viewpoint = Viewpoint::of(&sketch.position);
    let places = places(question);
    let leaves = sketch.leaves().len();
    let (width, height) = (leaves * WIDTH, MARGIN + (sketch.depth as usize + 1) * HEIGHT);
    let is_cut = |index: usize| {
        // A position is cut off if all leaves below it are.
        let below = sketch.leaves().into_iter().filter(|&leaf| is_below(question, leaf, index));
        shown == Shown::Solution
            && below.clone().count() > 0
            && below.into_iter().all(|leaf| question.unseen.contains(&leaf))
    };
    let words = in_words(question);
    html! {
        svg class="sketch" role="img" aria-label=(words) viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) {
            @for (index, node) in sketch.nodes.iter().enumerate() {
                @let (x, y) = places[index];
                @for &child in &node.children {
                    @let (to_x, to_y) = places[child];
                    @let class = if is_cut(child) { "cut" } else { "edge" };
                    line class=(class) x1=(x) y1=(y) x2=(to_x) y2=(to_y) {}
                    @let (label_x, label_y) = ((x + 2 * to_x) / 3, (y + 2 * to_y) / 3);
                    text class="move" x=(label_x) y=(label_y) {
                        (sketch.nodes[child].mv.map(|mv| mv.to_string()).unwrap_or_default())
                    }
                }
            }
            @for (index, node) in sketch.nodes.iter().enumerate() {
                @let (x, y) = places[index];
                @let is_own = node.ply % 2 == 0;
                @if node.leaf.is_none() { polygon points=(triangle(x, y, is_own)) {} }
                @if let Some(score) = node.leaf {
                    rect x=(x - 28) y=(y - 12) width="56" height="24" rx="4" {}
                    text x=(x) y=(y + 5) { (viewpoint.score(score)) }
                    text class="name" x=(x) y=(y + 29) { (question.leaf_name(index)) }
                }
                @if shown == Shown::Solution && node.leaf.is_none() && !is_cut(index) {
                    text class="value" x=(x + 18) y=(y + 5) { (viewpoint.score(question.values[index])) }
                }
            }
        }
    }
}

/// Returns the places of the nodes in pixels: each leaf in a column, every other node in the middle of its
/// children.
fn places(question: &TreeQuestion) -> Vec<(usize, usize)> {
    let sketch = &question.sketch;
    let mut places = vec![(0, 0); sketch.nodes.len()];
    for (column, leaf) in sketch.leaves().into_iter().enumerate() {
        places[leaf].0 = column * WIDTH + WIDTH / 2;
    }
    for (index, node) in sketch.nodes.iter().enumerate().rev() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            places[index].0 = usize::midpoint(places[first].0, places[last].0);
        }
        places[index].1 = MARGIN + node.ply as usize * HEIGHT + HEIGHT / 4;
    }
    places
}

fn is_below(question: &TreeQuestion, node: usize, above: usize) -> bool {
    let children = &question.sketch.nodes[above].children;
    node == above || children.iter().any(|&child| is_below(question, node, child))
}

fn triangle(x: usize, y: usize, is_up: bool) -> String {
    let (tip, base) = if is_up { (y - 14, y + 10) } else { (y + 14, y - 10) };
    format!("{x},{tip} {},{base} {},{base}", x - 15, x + 15)
}

/// Returns a description of the tree for people who cannot see it.
fn in_words(question: &TreeQuestion) -> String {
    let viewpoint = Viewpoint::of(&question.sketch.position);
    let leaf = |&leaf: &usize| {
        let node = &question.sketch.nodes[leaf];
        let way = way(question, leaf).join(", ");
        let score = node.leaf.map(|score| viewpoint.score(score)).unwrap_or_default();
        format!("leaf {} after {way}: {score}", question.leaf_name(leaf))
    };
    let leaves = question.sketch.leaves();
    format!("A tree. {}.", leaves.iter().map(leaf).collect::<Vec<_>>().join("; "))
}

/// Returns the moves that lead to a node.
fn way(question: &TreeQuestion, node: usize) -> Vec<String> {
    let path = (1..=node).filter(|&above| is_below(question, node, above));
    path.filter_map(|index| question.sketch.nodes[index].mv).map(|mv| mv.to_string()).collect()
}

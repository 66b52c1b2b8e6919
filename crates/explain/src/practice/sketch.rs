//! A small tree from a real position, with all but a few moves left out.

use std::fmt;
use std::sync::Arc;

use plyground::trace::{Node, TraceOptions, Tree};
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side};
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

/// A node of a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SketchNode {
    /// The move that leads here; `None` at the root.
    pub mv: Option<MoveText>,
    /// The distance from the root in plies.
    pub ply: u32,
    /// The side to move here.
    pub side: Side,
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

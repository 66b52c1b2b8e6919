//! A slow and simple search for readers: plain minimax and plain alpha-beta.
//!
//! [`AlphaBeta`](crate::AlphaBeta) is fast and returns only its result. The search here is slow and shows
//! every step: [`search`] tells an [`Observer`] of every position that it enters, leaves, or cuts off.
//! [`Tree::search`] keeps every step, [`Counts::search`] only counts. The fast search does not use either,
//! so they cost it nothing.
//!
//! With pruning it is alpha-beta as textbooks have it, in the form called *fail-soft* (J. P. Fishburn,
//! 1983): a value outside of the window is a bound, and as close as the moves that were searched allow. Its
//! value at the root is `V(p, d)`, as in every search of this crate.
//!
//! ```
//! use plyground::search::SearchContext;
//! use plyground::testing::TicTacToe;
//! use plyground::trace::{Counts, TraceOptions};
//! use plyground::{Flat, Score};
//!
//! let count = |prunes| {
//!     let options = TraceOptions { depth: 9, prunes, ..TraceOptions::default() };
//!     let context = SearchContext::default();
//!     Counts::search(&TicTacToe::default(), &Flat, &options, &context, 1_000_000)
//! };
//! let (minimax, alpha_beta) = (count(false).ok_or("large")?, count(true).ok_or("large")?);
//! assert_eq!((minimax.nodes(), alpha_beta.nodes()), (549_946, 20_866));
//! assert_eq!((minimax.score, alpha_beta.score), (Score::ZERO, Score::ZERO));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;

use crate::game::{Game, Turn};
use crate::hints::{Evaluator, SearchHints};
use crate::search::SearchContext;

pub use alpha_beta::{
    Counts, Entered, Found, Node, Observer, Order, Source, Statement, TraceOptions, Window, search,
};

/// The reason that a node did not search the rest of its moves, as indexes of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhyCut {
    /// The position after the move that was good enough.
    pub refutation: usize,
    /// The position further up in which the opponent has something better.
    pub ancestor: usize,
    /// The position after the move that the opponent has there.
    pub rival: usize,
    /// The position after the move that leads from there to the cut.
    pub branch: usize,
}

/// The tree of a search in preorder: a node comes before its children, and each child with everything below
/// it before the next child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<M> {
    nodes: Vec<Node<M>>,
}

/// Makes a tree of the recorded nodes. A node that was not left has no nodes below it.
impl<M> From<Recorder<M>> for Tree<M> {
    fn from(Recorder { mut nodes, .. }: Recorder<M>) -> Tree<M> {
        for (index, node) in nodes.iter_mut().enumerate() {
            node.end = node.end.max(index + 1);
        }
        Tree { nodes }
    }
}

impl<M: Copy> Tree<M> {
    /// Searches `position` and keeps the tree, down to the greatest ply for which `most` nodes are enough.
    /// Returns `None` if the search enters more than `most_visited` positions, or if the stop flag of `context`
    /// ended it.
    pub fn search<G: SearchHints<Move = M>, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        options: &TraceOptions,
        context: &SearchContext,
        (most, most_visited): (u64, u64),
    ) -> Option<Tree<M>> {
        let counts = Counts::search(position, evaluator, options, context, most_visited)?;
        let mut recorder = Recorder::new(counts.plies_within(most));
        search(position, evaluator, options, context, &mut recorder)?;
        Some(recorder.into())
    }

    /// Returns the same tree with other names of the moves.
    pub fn map<N: Copy>(&self, mut rename: impl FnMut(M) -> N) -> Tree<N> {
        let mut found_map = |found: Found<M>| {
            let Found { score, statement, proven, source, best, cut } = found;
            Found { score, statement, proven, source, best: best.map(&mut rename), cut }
        };
        // The best moves get their names before the others: the order of the names is part of the output.
        let found: Vec<_> = self.nodes.iter().map(|node| node.found.map(&mut found_map)).collect();
        let nodes = self.nodes.iter().zip(found).map(|(node, found)| {
            let Node { mv, parent, ply, side, window, number, visited, end, .. } = *node;
            let mv = mv.map(&mut rename);
            Node { mv, parent, ply, side, window, found, number, visited, end }
        });
        Tree { nodes: nodes.collect() }
    }

    /// Returns the nodes, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[Node<M>] {
        &self.nodes
    }

    /// Returns the indexes of the children of a node, in the order of search.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[index].end;
        let first = (index + 1 < end).then_some(index + 1);
        std::iter::successors(first, move |&child| {
            let next = self.nodes[child].end;
            (next < end).then_some(next)
        })
    }

    /// Returns the indexes of the nodes from the root to the node at `index`, both included.
    #[must_use]
    pub fn path(&self, index: usize) -> Vec<usize> {
        let up = |&index: &usize| (index > 0).then(|| self.nodes[index].parent);
        let mut path: Vec<_> = std::iter::successors(Some(index), up).collect();
        path.reverse();
        path
    }

    /// Returns the reason that the rest of the moves of a node was cut off; `None` if no move was cut off,
    /// or if the tree does not reach far enough to tell.
    ///
    /// The beta of the node is the negated alpha of the nearest ancestor in which the opponent is to move.
    /// If a move of this ancestor raised its alpha, the ancestor is the reason; otherwise it inherited alpha
    /// from an earlier position of the opponent, and so on.
    #[must_use]
    pub fn why_cut(&self, index: usize) -> Option<WhyCut> {
        let node = &self.nodes[index];
        if !node.has_cut() {
            return None;
        }
        let score = |child: usize| {
            let found = self.nodes[child].found.as_ref();
            found.map(|found| self.turn(child).across(found.score))
        };
        let enough = |child: &usize| score(*child).is_some_and(|score| score >= node.window.beta);
        let refutation = self.children(index).find(enough)?;
        let mut branch = index;
        loop {
            if branch == 0 {
                return None;
            }
            let ancestor = self.nodes[branch].parent;
            let is_opponent = self.nodes[ancestor].side != node.side;
            if is_opponent && self.nodes[ancestor].window.alpha < -node.window.beta {
                let has =
                    |child: &usize| score(*child).is_some_and(|score| score >= -node.window.beta);
                let rival =
                    self.children(ancestor).take_while(|&child| child < branch).find(has)?;
                return Some(WhyCut { refutation, ancestor, rival, branch });
            }
            branch = ancestor;
        }
    }

    /// Returns the step to a node from the position before it.
    #[must_use]
    pub fn turn(&self, index: usize) -> Turn {
        let node = &self.nodes[index];
        Turn::of_sides(self.nodes[node.parent].side, node.side)
    }
}

/// A recorder of the nodes of a [`Tree`], down to some distance from the root.
#[derive(Clone, Debug)]
pub struct Recorder<M> {
    nodes: Vec<Node<M>>,
    /// The nodes that have been entered and not left; `None` for those too far from the root.
    open: Vec<Option<usize>>,
    plies: u32,
    entered: u64,
}

impl<M: Copy> Recorder<M> {
    /// Makes a recorder of nodes up to `plies` plies from the root.
    #[must_use]
    pub fn new(plies: u32) -> Recorder<M> {
        Recorder { nodes: Vec::new(), open: Vec::new(), plies, entered: 0 }
    }

    /// Returns the number of nodes recorded.
    #[must_use]
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the position that was entered last and has not been left is recorded.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.open.last().is_some_and(Option::is_some)
    }
}

impl<G: Game> Observer<G> for Recorder<G::Move> {
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool {
        let number = self.entered;
        self.entered += 1;
        if entered.ply > self.plies {
            self.open.push(None);
            return true;
        }
        let parent = self.open.last().copied().flatten().unwrap_or(0);
        let mv = entered.from.map(|(_, mv)| mv);
        self.open.push(Some(self.nodes.len()));
        let at = (entered.ply, entered.position.side_to_move());
        self.nodes.push(Node::new(mv, parent, at, entered.window, number));
        true
    }

    fn cut(&mut self, _: &G, moves: &[(G::Move, G)]) {
        let Some(&Some(parent)) = self.open.last() else { return };
        let ply = self.nodes[parent].ply + 1;
        if ply > self.plies {
            return;
        }
        let Node { side, window, .. } = self.nodes[parent];
        self.nodes.extend(moves.iter().map(|(mv, next)| {
            let window = Turn::of_sides(side, next.side_to_move()).across(window);
            Node::new(Some(*mv), parent, (ply, next.side_to_move()), window, 0)
        }));
    }

    fn leave(&mut self, _: &G, found: &Found<G::Move>) {
        let Some(Some(index)) = self.open.pop() else { return };
        let end = self.nodes.len();
        let node = &mut self.nodes[index];
        node.visited = self.entered - node.number;
        node.end = end;
        node.found = Some(*found);
    }
}

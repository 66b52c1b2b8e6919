//! The tree of a search.

use super::alpha_beta::search;
use super::counts::Counts;
use super::node::Node;
use super::observer::Found;
use super::options::TraceOptions;
use super::recorder::Recorder;
use crate::eval::Evaluator;
use crate::hints::SearchHints;

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

/// The tree of a search, in the order in which it was gone through: a position comes before those
/// after its moves, each with everything below it before the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<M> {
    nodes: Vec<Node<M>>,
}

/// Makes a tree of everything that was recorded.
impl<M> From<Recorder<M>> for Tree<M> {
    fn from(recorder: Recorder<M>) -> Tree<M> {
        Tree { nodes: recorder.into_nodes() }
    }
}

impl<M: Copy> Tree<M> {
    /// Searches `position` and keeps the tree, down to as many plies as `most` nodes are enough for.
    /// Returns `None` if the search enters more than `most_visited` positions.
    pub fn search<G: SearchHints<Move = M>, E: Evaluator<G>>(
        position: &G,
        evaluator: &E,
        options: &TraceOptions,
        (most, most_visited): (u64, u64),
    ) -> Option<Tree<M>> {
        let counts = Counts::search(position, evaluator, options, most_visited)?;
        let mut recorder = Recorder::new(counts.plies_within(most));
        search(position, evaluator, options, &mut recorder)?;
        Some(recorder.into())
    }

    /// Returns the same tree with other names of the moves.
    pub fn map<N: Copy>(&self, mut rename: impl FnMut(M) -> N) -> Tree<N> {
        let mut found_map = |found: &Found<M>| Found {
            score: found.score,
            statement: found.statement,
            proven: found.proven,
            source: found.source,
            best: found.best.map(&mut rename),
            cut: found.cut,
        };
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let found = node.found.as_ref().map(&mut found_map);
            let Node { parent, ply, window, number, visited, end, .. } = *node;
            nodes.push(Node { mv: None, parent, ply, window, found, number, visited, end });
        }
        for (new, old) in nodes.iter_mut().zip(&self.nodes) {
            new.mv = old.mv.map(&mut rename);
        }
        Tree { nodes }
    }

    /// Returns the nodes, the root first.
    #[must_use]
    pub fn nodes(&self) -> &[Node<M>] {
        &self.nodes
    }

    /// Returns the indexes of the nodes after the moves of one, in the order of search.
    pub fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[index].end;
        let first = (index + 1 < end).then_some(index + 1);
        std::iter::successors(first, move |&child| {
            let next = self.nodes[child].end;
            (next < end).then_some(next)
        })
    }

    /// Returns the indexes of the nodes from the root to one, both included.
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
    /// The beta of the node is the alpha of its parent, as the other side sees it. If a move of the parent
    /// has set that, it is the reason; otherwise the parent has it from two plies further up, and so on.
    #[must_use]
    pub fn why_cut(&self, index: usize) -> Option<WhyCut> {
        let node = &self.nodes[index];
        if !node.has_cut() {
            return None;
        }
        let enough = |child: &usize| {
            let found = self.nodes[*child].found.as_ref();
            found.is_some_and(|found| -found.score >= node.window.beta)
        };
        let refutation = self.children(index).find(enough)?;
        let mut branch = index;
        loop {
            let ancestor = self.nodes[branch].parent;
            if self.nodes[ancestor].window.alpha < -node.window.beta {
                let has = |child: &usize| {
                    let found = self.nodes[*child].found.as_ref();
                    found.is_some_and(|found| found.score <= node.window.beta)
                };
                let rival =
                    self.children(ancestor).take_while(|&child| child < branch).find(has)?;
                return Some(WhyCut { refutation, ancestor, rival, branch });
            }
            branch = self.nodes[ancestor].parent;
            if ancestor == 0 || branch == 0 {
                return None;
            }
        }
    }
}

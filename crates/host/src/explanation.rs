//! A search that is shown step by step.

use std::ops::Range;

use plyground::Term;
use plyground::trace::{Counts, TraceOptions, Tree};

use crate::move_text::MoveText;
use crate::page::Path;
use crate::position::HostedPosition;

/// The part of a search to show.
#[derive(Clone, Copy, Debug)]
pub struct ExplainRequest {
    /// The options of the search.
    pub options: TraceOptions,
    /// The most nodes to keep: plies that would exceed this number are left out. The root and the plies after
    /// its moves are always kept.
    pub most_nodes: u64,
    /// The most positions that the search may enter.
    pub most_visited: u64,
}

/// The tree of a search, with everything that people look at beside it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position at the root.
    pub position: HostedPosition,
    /// The options of the search.
    pub options: TraceOptions,
    /// The counts of the whole search, including the part that is left out.
    pub counts: Counts,
    /// The tree. Its moves are indexes of [`moves`](Explanation::moves).
    pub tree: Tree<u16>,
    /// The moves that occur in the tree.
    pub moves: Vec<MoveText>,
    /// The cells of the move to each node.
    pub paths: Vec<Path>,
    /// The terms of the evaluations.
    pub terms: Terms,
}

impl Explanation {
    /// Returns the move with this index in the tree.
    #[must_use]
    pub fn move_text(&self, mv: u16) -> MoveText {
        self.moves[usize::from(mv)]
    }

    /// Returns the moves from the root to a node.
    #[must_use]
    pub fn way(&self, node: usize) -> Vec<MoveText> {
        let nodes = self.tree.path(node).into_iter();
        nodes.filter_map(|node| self.tree.nodes()[node].mv).map(|mv| self.move_text(mv)).collect()
    }

    /// Returns the number of positions that the search entered and the tree leaves out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        let shown = self.tree.nodes().iter().filter(|node| node.found.is_some()).count();
        self.counts.nodes() - shown as u64
    }
}

/// The terms of the evaluations at the nodes of a tree.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The names and weights of all terms that occur.
    pub kinds: Vec<(&'static str, i32)>,
    /// The terms of one evaluation after the other: the index of the kind, and the counts for the side to
    /// move and for the opponent.
    pub counts: Vec<(u16, [i32; 2])>,
    /// The nodes that have terms, in order, each with the index of its first term.
    starts: Vec<(usize, usize)>,
}

impl Terms {
    /// Adds the terms of the evaluation at a node after all others.
    pub(crate) fn push(&mut self, node: usize, terms: &[Term]) {
        self.starts.push((node, self.counts.len()));
        for Term { name, counts, weight } in terms {
            let kind = (*name, *weight);
            let index = self.kinds.iter().position(|known| *known == kind);
            let index = index.unwrap_or_else(|| {
                self.kinds.push(kind);
                self.kinds.len() - 1
            });
            self.counts.push((index as u16, *counts));
        }
    }

    /// Returns the range of a node's terms among the [`counts`](Terms::counts).
    #[must_use]
    pub fn range(&self, node: usize) -> Option<Range<usize>> {
        let index = self.starts.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        let end = self.starts.get(index + 1).map_or(self.counts.len(), |&(_, start)| start);
        Some(self.starts[index].1..end)
    }

    /// Returns the terms of the evaluation at a node.
    #[must_use]
    pub fn of(&self, node: usize) -> Vec<Term> {
        let counts = &self.counts[self.range(node).unwrap_or_default()];
        let term = |&(kind, counts): &(u16, [i32; 2])| {
            let (name, weight) = self.kinds[usize::from(kind)];
            Term { name, counts, weight }
        };
        counts.iter().map(term).collect()
    }
}

//! The recorder of a search.

use super::node::Node;
use super::observer::{Entered, Found, Observer};
use crate::game::Game;

/// A recorder of the nodes of a [`Tree`](super::Tree), down to some distance from the root.
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

impl<M> Recorder<M> {
    /// Returns the nodes of the tree. A node that was not left has no nodes below it.
    pub(super) fn into_nodes(self) -> Vec<Node<M>> {
        let mut nodes = self.nodes;
        for (index, node) in nodes.iter_mut().enumerate() {
            node.end = node.end.max(index + 1);
        }
        nodes
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
        self.nodes.push(Node::entered(mv, parent, entered.ply, entered.window, number));
        true
    }

    fn cut(&mut self, _: &G, moves: &[(G::Move, G)]) {
        let Some(&Some(parent)) = self.open.last() else { return };
        let ply = self.nodes[parent].ply + 1;
        if ply > self.plies {
            return;
        }
        let window = self.nodes[parent].window.flip();
        self.nodes.extend(moves.iter().map(|&(mv, _)| Node::cut(mv, parent, ply, window)));
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

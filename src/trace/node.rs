//! A node of the tree of a search.

use super::observer::Found;
use super::statement::Window;

/// A position that a search looked at, or the move to one that it cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<M> {
    /// The move that leads here; `None` at the root.
    pub mv: Option<M>,
    /// The index of the position before; 0 at the root.
    pub parent: usize,
    /// The number of plies from the root.
    pub ply: u32,
    /// The window of the search. For a move that was cut off, the window of its parent, as the opponent
    /// sees it.
    pub window: Window,
    /// The result, as the side to move here sees it; `None` for a move that was cut off.
    pub found: Option<Found<M>>,
    /// The number of the position among those that the search entered, from 0 for the root.
    pub number: u64,
    /// Positions entered here and below; 0 for a move that was cut off.
    pub visited: u64,
    /// The index after the last node below it.
    pub end: usize,
}

impl<M> Node<M> {
    pub(super) fn entered(
        mv: Option<M>,
        parent: usize,
        ply: u32,
        window: Window,
        number: u64,
    ) -> Node<M> {
        Node { mv, parent, ply, window, found: None, number, visited: 0, end: 0 }
    }

    pub(super) fn cut(mv: M, parent: usize, ply: u32, window: Window) -> Node<M> {
        Node { mv: Some(mv), parent, ply, window, found: None, number: 0, visited: 0, end: 0 }
    }

    /// Returns true if its other moves were cut off.
    #[must_use]
    pub fn has_cut(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.cut > 0)
    }
}

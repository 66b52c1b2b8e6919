//! Questions about a small tree: its value, the move, and what alpha-beta cuts off.

use plyground::{Game, Score};
use plyground_host::{HostedGame, MoveText};
use rand::RngExt;
use rand::rngs::StdRng;

use super::random_start;
use super::sketch::Sketch;
use crate::viewpoint::Viewpoint;

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
pub(super) fn draw(game: &dyn HostedGame, rng: &mut StdRng, tries: u32) -> Option<TreeQuestion> {
    let plies = game.start().plies_left().map_or((6, 24), |left| (left / 6, left / 2));
    (0..tries).find_map(|_| {
        let position = random_start(game, plies, rng)?;
        let shape = SHAPES[rng.random_range(0..SHAPES.len())];
        TreeQuestion::new(Sketch::draw(&position, shape, rng)?)
    })
}

impl TreeQuestion {
    /// Returns the question about a sketch; `None` if two leaves are equal, because the answers would depend
    /// on the way a search breaks ties, or if nothing is cut off.
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

fn reasons(
    sketch: &Sketch,
    viewpoint: &Viewpoint,
    tree: &plyground::trace::Tree<usize>,
) -> Vec<String> {
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
        let mover = viewpoint.mover(nodes[index].ply);
        let other = viewpoint.mover(nodes[index].ply + 1);
        let words = if nodes[index].ply.is_multiple_of(2) { "at least" } else { "at most" };
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

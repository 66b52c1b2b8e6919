//! A small tree as a drawing.

use maud::{Markup, html};

use super::TreeQuestion;
use crate::viewpoint::Viewpoint;

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

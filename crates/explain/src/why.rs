//! The reason for a cut, in one sentence.

use plyground_host::{Explanation, MoveText};

use crate::viewpoint::{Relation, Viewpoint};

/// Returns the reason why the remaining moves of a node were cut off, as one sentence; `None` if no move was
/// cut off, or if the tree does not reach far enough to tell.
///
/// `page/tree.js` says the same on the page; a test there compares the two.
#[must_use]
pub fn why(explanation: &Explanation, node: usize) -> Option<String> {
    let reason = explanation.tree.why_cut(node)?;
    let viewpoint = Viewpoint::new(explanation);
    let nodes = explanation.tree.nodes();
    let mv = |node: usize| nodes[node].mv.map(|mv| explanation.move_text(mv));
    let found = |node: usize| viewpoint.see(&nodes[node]).found;
    let (_, gets) = found(reason.refutation)?;
    let (_, has) = found(reason.rival)?;
    let (refutation, rival) = (mv(reason.refutation)?, mv(reason.rival)?);
    let branch = mv(reason.branch)?;
    let count = nodes[node].found.as_ref()?.cut;
    let mover = viewpoint.mover(nodes[node].ply);
    let other = viewpoint.mover(nodes[node].ply + 1);
    // The side to move can only improve on the refutation, so that its score is a bound.
    let is_own = nodes[node].ply.is_multiple_of(2);
    let relation = if is_own { Relation::AtLeast } else { Relation::AtMost };
    let limit = if is_own { "beta" } else { "alpha" };
    let place = place(&explanation.way(reason.ancestor));
    let moves = if count == 1 { "move changes" } else { "moves change" };
    let has =
        if has == gets { "as much".to_owned() } else { viewpoint.words(Relation::Equal, has) };
    let gets = viewpoint.words(relation, gets);
    Some(format!(
        "With {refutation}, {mover} makes it {gets}; but {other} already has {has} ({limit}) by \
         {rival} in place of {branch} {place}, so {other} never lets it come to this, and the other \
         {count} {moves} nothing.",
    ))
}

/// Returns the place of a position in the tree, in words.
fn place(way: &[MoveText]) -> String {
    if way.is_empty() {
        return "at the root".to_owned();
    }
    format!("after {}", way.iter().map(MoveText::as_str).collect::<Vec<_>>().join(", "))
}

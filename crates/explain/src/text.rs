//! A search as text.

use std::fmt::Write;

use plyground::Score;
use plyground::trace::{Node, Order, Source, TraceOptions};
use plyground_host::{Explanation, MoveText, Text};

use crate::comparison::{Comparison, Relation, Viewpoint, grouped, why};

/// Returns the board, the options of the search and its result, the tree with one line for every position,
/// indented by its distance from the root, and a table of the positions that each way to search costs.
#[must_use]
pub fn text(explanation: &Explanation, comparison: &Comparison) -> String {
    let position = &explanation.position;
    let viewpoint = Viewpoint::new(explanation);
    let mut out = position.text(Text::Board);
    let side = viewpoint.own_name();
    out += &format!("\n{} All values are as {side} sees them.\n\n", position.text(Text::Turn));
    out += &format!("{}\n", summary(explanation));
    out += "\nmove           alpha   beta     value\n";
    let nodes = explanation.tree.nodes();
    let mut index = 0;
    while index < nodes.len() {
        let node = &nodes[index];
        let indent = "  ".repeat(node.ply as usize);
        if node.found.is_none() {
            let cut = nodes[index..].iter().take_while(|next| next.is_cut_beside(node));
            let moves: Vec<_> = cut.filter_map(|next| next.mv).collect();
            let texts = moves.iter().map(|&mv| explanation.move_text(mv));
            out += &format!("{indent}cut: {}\n", joined(texts));
            index += moves.len();
            continue;
        }
        out += &format!("{}\n", line(explanation, &viewpoint, index));
        index += 1;
    }
    let left_out = explanation.left_out();
    if left_out > 0 {
        let plies = nodes.iter().map(|node| node.ply).max().unwrap_or_default();
        let left_out = grouped(left_out);
        out += &format!("{left_out} positions deeper than ply {plies} are left out: --nodes\n");
    }
    out += &format!("\n{}", table(comparison));
    out
}

trait Beside {
    fn is_cut_beside(&self, other: &Self) -> bool;
}

impl<M> Beside for Node<M> {
    fn is_cut_beside(&self, other: &Node<M>) -> bool {
        self.found.is_none() && self.parent == other.parent
    }
}

/// Returns the options of the search and its result as one line.
#[must_use]
pub fn summary(explanation: &Explanation) -> String {
    let Explanation { counts, .. } = explanation;
    let viewpoint = Viewpoint::new(explanation);
    let (nodes, cut) = (grouped(counts.nodes()), grouped(counts.cut()));
    let value = viewpoint.score(counts.score);
    let hits = match counts.table_hits {
        _ if !explanation.options.table => String::new(),
        hits => format!(", {} table hits", grouped(hits)),
    };
    format!("{}: {value}, {nodes} nodes, {cut} moves cut off{hits}", how(&explanation.options))
}

/// Returns the options of a search in words: `Alpha-beta, 3 plies, good order, with a table`.
#[must_use]
pub fn how(options: &TraceOptions) -> String {
    let name = if options.prunes { "Alpha-beta" } else { "Minimax" };
    let plies = if options.depth == 1 { "ply" } else { "plies" };
    let order = match options.order {
        Order::Natural => "the game's order",
        Order::Good => "good order",
        Order::Bad => "bad order",
    };
    let table = if options.table { ", with a table" } else { "" };
    format!("{name}, {} {plies}, {order}{table}", options.depth)
}

fn line(explanation: &Explanation, viewpoint: &Viewpoint, index: usize) -> String {
    let node = &explanation.tree.nodes()[index];
    let seen = viewpoint.see(node);
    let mv = node.mv.map_or_else(|| "root".to_owned(), |mv| explanation.move_text(mv).to_string());
    let name = format!("{}{mv}", "  ".repeat(node.ply as usize));
    let (alpha, beta) = (viewpoint.score(seen.alpha), viewpoint.score(seen.beta));
    let mut line = format!("{name:<12} {alpha:>7} {beta:>7}  ");
    let Some((relation, score)) = seen.found else { return line };
    // Writing to a string does not fail.
    let sign = if relation == Relation::Equal { " " } else { "" };
    let _ = write!(line, "{sign}{}", viewpoint.value(relation, score));
    let note = note(explanation, viewpoint, index);
    if note.is_empty() { line } else { format!("{line:<42}  {note}").trim_end().to_owned() }
}

/// Returns the origin of the value of a node, in a few words.
fn note(explanation: &Explanation, viewpoint: &Viewpoint, index: usize) -> String {
    let node = &explanation.tree.nodes()[index];
    let Some(found) = &node.found else { return String::new() };
    match found.source {
        Source::Outcome => "the game is over".to_owned(),
        Source::Table(number) => {
            let earlier = earlier(explanation, number).map(|earlier| explanation.way(earlier));
            earlier.map_or_else(|| "table".to_owned(), |way| format!("table: as {}", joined(way)))
        }
        Source::Evaluation => {
            let terms = explanation.terms.of(index);
            let sum: i32 = terms.iter().map(plyground::Term::score).sum();
            let parts = terms.iter().filter(|term| term.score() != 0);
            let sign = if viewpoint.is_own(node) { 1 } else { -1 };
            let points =
                |term: &plyground::Term| viewpoint.score(Score::estimate(sign * term.score()));
            let parts = parts.map(|term| format!("{} {}", points(term), term.name));
            let limited = if sum == found.score.get() { "" } else { ", within the game's limits" };
            let parts = parts.collect::<Vec<_>>().join(", ");
            if parts.is_empty() { "even".to_owned() } else { format!("{parts}{limited}") }
        }
        Source::Moves if node.has_cut() => why(explanation, index).unwrap_or_else(|| {
            let best = found.best.map(|mv| format!("{}: ", explanation.move_text(mv)));
            format!("{}{} moves cut off", best.unwrap_or_default(), found.cut)
        }),
        Source::Moves => String::new(),
    }
}

/// Returns the index of the node that was searched for the position with this number.
pub(crate) fn earlier(explanation: &Explanation, number: u64) -> Option<usize> {
    let nodes = explanation.tree.nodes();
    nodes.iter().position(|node| node.found.is_some() && node.number == number)
}

fn table(comparison: &Comparison) -> String {
    let mut out = format!("{:<30} {:>14} {:>8} {:>14}\n", "nodes", "no table", "", "with a table");
    for way in &comparison.ways {
        let (nodes, share) = (comparison.show(way.nodes), comparison.share(way.nodes));
        let with_table = comparison.show(way.with_table);
        out += &format!("{:<30} {nodes:>14} {share:>8} {with_table:>14}\n", way.name);
    }
    out
}

fn joined(moves: impl IntoIterator<Item = MoveText>) -> String {
    moves.into_iter().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

//! A search as text, for people and as JSON for other programs.

use std::collections::HashMap;
use std::fmt::Write;

use plyground::trace::{Node, Order, Source, Statement, TraceOptions};
use plyground::{Score, Term};
use plyground_durable::grouped;
use plyground_host::{Explanation, Text};
use serde::Serialize;

use crate::OrderName;
use crate::comparison::{Comparison, Viewpoint, why};

/// Returns the board, the options of the search and its result, the tree with one line for every position, indented by
/// its distance from the root, and a table of the numbers of positions of each way to search.
#[must_use]
pub fn text(explanation: &Explanation, comparison: &Comparison) -> String {
    let position = &explanation.position;
    let viewpoint = Viewpoint::of(&explanation.position);
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
            let is_beside = |next: &&Node<u16>| next.found.is_none() && next.parent == node.parent;
            let cut = nodes[index..].iter().take_while(is_beside);
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

/// Returns the options of the search and its result as one line.
#[must_use]
pub fn summary(explanation: &Explanation) -> String {
    let Explanation { counts, .. } = explanation;
    let viewpoint = Viewpoint::of(&explanation.position);
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
    let sign = if relation == Statement::Exact { " " } else { "" };
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
            let sum: i32 = terms.iter().map(Term::score).sum();
            let parts = terms.iter().filter(|term| term.score() != 0);
            let sign = if viewpoint.is_own(node) { 1 } else { -1 };
            let points = |term: &Term| viewpoint.score(Score::estimate(sign * term.score()));
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

/// Returns the index of the node at which the position with this number was searched.
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

/// Returns moves with blanks between them.
pub(crate) fn joined(moves: impl IntoIterator<Item = impl ToString>) -> String {
    moves.into_iter().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// The output of `explain --json`. The fields are in the order of the output.
#[derive(Debug, Serialize)]
struct ExplanationJson<'a> {
    game: &'static str,
    /// The state file, lines joined by `/`.
    position: String,
    /// The name of the side to move, from whose viewpoint all scores are.
    side: String,
    depth: u32,
    search: &'static str,
    #[serde(with = "OrderName")]
    order: Order,
    table: bool,
    score: i32,
    /// The number of positions entered.
    nodes: u64,
    /// The number of moves cut off.
    cut: u64,
    evaluations: u64,
    table_hits: u64,
    /// The number of entered positions that are not in the tree.
    left_out: u64,
    comparison: &'a Comparison,
    /// The nodes, the root first, each before the nodes below it.
    tree: Vec<NodeJson>,
}

#[derive(Debug, Serialize)]
struct NodeJson {
    /// The index of the parent; absent at the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    ply: u32,
    alpha: i32,
    beta: i32,
    /// Absent if the move was cut off.
    #[serde(flatten)]
    found: Option<FoundJson>,
}

#[derive(Debug, Serialize)]
struct FoundJson {
    score: i32,
    /// The relation of the score to the value at this depth: `exact`, `at-least` or `at-most`.
    bound: &'static str,
    /// If true, the score has the same relation to the result of best play.
    proven: bool,
    /// `outcome`, `evaluation`, `table` or `moves`.
    source: &'static str,
    /// The number of positions entered here and below.
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    /// The number of moves cut off.
    #[serde(skip_serializing_if = "is_zero")]
    cut: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The index of the node at which the same position was searched before.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<TermJson>,
}

#[derive(Debug, Serialize)]
struct TermJson {
    name: &'static str,
    /// The counts for the side to move, and for the other side.
    counts: [i32; 2],
    weight: i32,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Returns the tree as one line of JSON. All scores are as the side to move at the root sees them, in
/// hundredths of a point, forced ends counted from the root.
///
/// # Errors
///
/// Returns an error of the serializer, which is not expected.
pub fn json(explanation: &Explanation, comparison: &Comparison) -> serde_json::Result<String> {
    let position = &explanation.position;
    let (counts, options) = (&explanation.counts, &explanation.options);
    let numbers = numbers(explanation);
    let nodes = 0..explanation.tree.nodes().len();
    let json = ExplanationJson {
        game: position.game().name(),
        position: position.state_word(),
        side: Viewpoint::of(&explanation.position).own_name(),
        depth: options.depth,
        search: if options.prunes { "alpha-beta" } else { "minimax" },
        order: options.order,
        table: options.table,
        score: counts.score.get(),
        nodes: counts.nodes(),
        cut: counts.cut(),
        evaluations: counts.evaluations,
        table_hits: counts.table_hits,
        left_out: explanation.left_out(),
        comparison,
        tree: nodes.map(|index| NodeJson::new(explanation, index, &numbers)).collect(),
    };
    serde_json::to_string(&json)
}

/// Returns the index of the node at which each numbered position was searched; empty without a table.
pub(crate) fn numbers(explanation: &Explanation) -> HashMap<u64, usize> {
    if !explanation.options.table {
        return HashMap::new();
    }
    let nodes = explanation.tree.nodes().iter().enumerate();
    nodes.filter(|(_, node)| node.found.is_some()).map(|(i, node)| (node.number, i)).collect()
}

impl NodeJson {
    fn new(explanation: &Explanation, index: usize, numbers: &HashMap<u64, usize>) -> NodeJson {
        let node = &explanation.tree.nodes()[index];
        let seen = Viewpoint::of(&explanation.position).see(node);
        let text = |mv| explanation.move_text(mv).to_string();
        let found = node.found.as_ref().zip(seen.found).map(|(found, (relation, score))| {
            let (source, same_as) = match found.source {
                Source::Outcome => ("outcome", None),
                Source::Evaluation => ("evaluation", None),
                Source::Table(number) => ("table", numbers.get(&number).copied()),
                Source::Moves => ("moves", None),
            };
            let terms = explanation.terms.of(index).into_iter();
            let term = |Term { name, counts, weight }| TermJson { name, counts, weight };
            FoundJson {
                score: score.get(),
                bound: match relation {
                    Statement::Exact => "exact",
                    Statement::AtLeast => "at-least",
                    Statement::AtMost => "at-most",
                },
                proven: found.proven,
                source,
                nodes: node.visited,
                best: found.best.map(text),
                cut: found.cut,
                why: why(explanation, index),
                same_as,
                terms: terms.map(term).collect(),
            }
        });
        NodeJson {
            parent: (index > 0).then_some(node.parent),
            mv: node.mv.map(text),
            ply: node.ply,
            alpha: seen.alpha.get(),
            beta: seen.beta.get(),
            found,
        }
    }
}

//! A search as JSON.

use std::collections::HashMap;

use plyground::Term;
use plyground::trace::{Order, Source};
use plyground_host::Explanation;
use serde::Serialize;

use crate::comparison::{Comparison, Relation, Viewpoint, why};

/// The output of `explain --json`. The order of the fields is that of the output.
#[derive(Debug, Serialize)]
struct ExplanationJson<'a> {
    game: &'static str,
    /// The state file, lines joined by `/`.
    position: String,
    /// The name of the side to move, which is the side that sees all the scores.
    side: String,
    depth: u32,
    search: &'static str,
    order: &'static str,
    table: bool,
    score: i32,
    /// The number of positions entered.
    nodes: u64,
    /// The number of moves cut off.
    cut: u64,
    evaluations: u64,
    table_hits: u64,
    /// The number of positions that were entered and are not in the tree.
    left_out: u64,
    comparison: &'a Comparison,
    /// The nodes, the root first, each before those below it.
    tree: Vec<NodeJson>,
}

#[derive(Debug, Serialize)]
struct NodeJson {
    /// The index of the position before; absent at the root.
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
    /// The index of the node of the same position that was searched before.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<TermJson>,
}

#[derive(Debug, Serialize)]
struct TermJson {
    name: &'static str,
    /// The counts for the side to move here, and for the other side.
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
/// Returns an error of the serializer; none is expected.
pub fn json(explanation: &Explanation, comparison: &Comparison) -> serde_json::Result<String> {
    let position = &explanation.position;
    let (counts, options) = (&explanation.counts, &explanation.options);
    let numbers = numbers(explanation);
    let nodes = 0..explanation.tree.nodes().len();
    let json = ExplanationJson {
        game: position.game().name(),
        position: position.state_word(),
        side: Viewpoint::new(explanation).own_name(),
        depth: options.depth,
        search: if options.prunes { "alpha-beta" } else { "minimax" },
        order: match options.order {
            Order::Natural => "natural",
            Order::Good => "good",
            Order::Bad => "bad",
        },
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

/// Returns the index of the node that was searched for each numbered position; empty without a table.
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
        let seen = Viewpoint::new(explanation).see(node);
        let text = |mv| explanation.move_text(mv).to_string();
        let found = node.found.as_ref().zip(seen.found).map(|(found, (relation, score))| {
            let (source, same_as) = match found.source {
                Source::Outcome => ("outcome", None),
                Source::Evaluation => ("evaluation", None),
                Source::Table(number) => ("table", numbers.get(&number).copied()),
                Source::Moves => ("moves", None),
            };
            FoundJson {
                score: score.get(),
                bound: Relation::name(relation),
                proven: found.proven,
                source,
                nodes: node.visited,
                best: found.best.map(text),
                cut: found.cut,
                why: why(explanation, index),
                same_as,
                terms: explanation.terms.of(index).into_iter().map(TermJson::from).collect(),
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

impl From<Term> for TermJson {
    fn from(Term { name, counts, weight }: Term) -> TermJson {
        TermJson { name, counts, weight }
    }
}

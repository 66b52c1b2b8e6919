//! A search as a graph for Graphviz.

use std::fmt::Write;

use plyground_host::Explanation;

use crate::text::summary;
use crate::viewpoint::Viewpoint;
use crate::why::why;

/// Returns the tree in the DOT language: maximizing nodes are boxes, minimizing nodes are rounded, and moves
/// that were cut off are gray and dashed.
#[must_use]
pub fn dot(explanation: &Explanation) -> String {
    let viewpoint = Viewpoint::new(explanation);
    let mut out = "digraph search {\n".to_owned();
    out += "  graph [ordering=out, rankdir=TB];\n";
    out += "  node [shape=box, fontname=\"sans-serif\", fontsize=11];\n";
    let left_out = explanation.left_out();
    let rest = if left_out > 0 { format!("; {left_out} left out") } else { String::new() };
    // Writing to a string does not fail.
    let _ = writeln!(out, "  label=\"{}{rest}\";", summary(explanation));
    for (index, node) in explanation.tree.nodes().iter().enumerate() {
        let mv = node.mv.map(|mv| explanation.move_text(mv).to_string());
        let label = escaped(mv.as_deref().unwrap_or("root"));
        let seen = viewpoint.see(node);
        match seen.found {
            None => {
                let style = "style=dashed, color=gray, fontcolor=gray";
                let _ = writeln!(out, "  n{index} [label=\"{label}\", {style}];");
                let _ = writeln!(out, "  n{} -> n{index} [style=dashed, color=gray];", node.parent);
                continue;
            }
            Some((relation, score)) => {
                let value = viewpoint.value(relation, score);
                let window =
                    format!("({}, {})", viewpoint.score(seen.alpha), viewpoint.score(seen.beta));
                let style = if node.ply.is_multiple_of(2) { "" } else { ", style=rounded" };
                let tooltip = why(explanation, index).map(|why| escaped(&why));
                let tooltip =
                    tooltip.map_or_else(String::new, |why| format!(", tooltip=\"{why}\""));
                let label = format!("{label}\\n{value}\\n{window}");
                let _ = writeln!(out, "  n{index} [label=\"{label}\"{style}{tooltip}];");
            }
        }
        if index > 0 {
            let parent = &explanation.tree.nodes()[node.parent];
            let is_best = parent.found.as_ref().is_some_and(|found| found.best == node.mv);
            let style = if is_best { " [penwidth=2.5]" } else { "" };
            let _ = writeln!(out, "  n{} -> n{index}{style};", node.parent);
        }
    }
    out + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

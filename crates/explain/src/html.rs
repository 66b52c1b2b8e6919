//! A search as a page in a single file that needs no other, and as a graph for Graphviz.

use std::fmt::Write;
use std::io;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use plyground_host::Explanation;

use crate::block::Block;
use crate::comparison::{Comparison, Viewpoint, why};
use crate::text::summary;

/// The style of a page that stands by itself.
const PAGE_STYLE: &str = include_str!("page/alone.css");

/// The script that starts such a page.
const START: &str = include_str!("page/alone.js");

/// The policy of such a page: it loads nothing and sends nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Returns the page of a search.
///
/// # Errors
///
/// Returns an error of the compressor; none is expected, as it writes into memory.
pub fn page(explanation: &Explanation, comparison: Comparison) -> io::Result<String> {
    let table = comparison_table(&comparison);
    let Block { head, data } = Block::new(explanation, Some(comparison))?;
    let json = serde_json::to_string(&head)?;
    let title = format!("{}: a search explained", explanation.position.game().title());
    let body = html! {
        header {
            h1 { (title) }
            p { (summary(explanation)) "." }
        }
        div id="tree" { p id="waiting" { "Reading the tree…" } }
        details open {
            summary { "The same search in other ways" }
            (table)
        }
        noscript { "This page needs JavaScript, which is in this file." }
        script type="application/json" id="head" { (in_script(&json)) }
        script type="text/plain" id="data" { (PreEscaped(data)) }
        script type="module" { (PreEscaped(script())) (PreEscaped(START)) }
    };
    Ok(document(&title, PAGE_STYLE, &body))
}

/// Returns a whole document.
pub(crate) fn document(title: &str, style: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(style)) }
            }
            body { main { (body) } }
        }
    }
    .into_string()
}

/// Returns JSON for a script element, escaped so that no text in it ends the element.
pub(crate) fn in_script(json: &str) -> PreEscaped<String> {
    PreEscaped(json.replace('<', "\\u003c"))
}

/// Returns the table of the ways to search.
pub(crate) fn comparison_table(comparison: &Comparison) -> Markup {
    html! {
        table {
            caption { "Positions looked at to depth " (comparison.depth) }
            thead { tr {
                th scope="col" { "Search" } th scope="col" { "No table" }
                th scope="col" { "Of minimax" } th scope="col" { "With a table" }
            } }
            tbody { @for way in &comparison.ways { tr {
                th scope="row" { (way.name) }
                td class="number" { (comparison.show(way.nodes)) }
                td class="number" { (comparison.share(way.nodes)) }
                td class="number" { (comparison.show(way.with_table)) }
            } } }
        }
    }
}

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
                let style = if viewpoint.is_own(node) { "" } else { ", style=rounded" };
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

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Its name, as other modules import it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The data of a tree, decoded, and its scores in words.
pub const TREE: Module = Module { name: "tree.js", text: include_str!("page/tree.js") };

/// The board of a node.
pub const TREE_BOARD: Module =
    Module { name: "tree-board.js", text: include_str!("page/tree-board.js") };

/// The nodes as rows.
pub const TREE_LIST: Module =
    Module { name: "tree-list.js", text: include_str!("page/tree-list.js") };

/// Functions that make elements of the page.
pub const TREE_DOM: Module = Module { name: "tree-dom.js", text: include_str!("page/tree-dom.js") };

/// The path to a node as a table.
pub const TREE_PATH: Module =
    Module { name: "tree-path.js", text: include_str!("page/tree-path.js") };

/// The whole view, with buttons that step through the search.
pub const TREE_VIEW: Module =
    Module { name: "tree-view.js", text: include_str!("page/tree-view.js") };

/// The modules, each after those that it imports. Every import is on a line of its own, so that [`script`]
/// can join the modules into one file.
pub const MODULES: [Module; 6] = [TREE, TREE_DOM, TREE_BOARD, TREE_LIST, TREE_PATH, TREE_VIEW];

/// The style of the tree.
pub const STYLE: &str = include_str!("page/tree.css");

/// Returns the modules as one script, without the imports and exports between them.
#[must_use]
pub fn script() -> String {
    let lines = MODULES.iter().flat_map(|module| module.text.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

//! A search as a page in a single file that needs no other.

use std::io;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use plyground_host::Explanation;

use crate::block::Block;
use crate::comparison::Comparison;
use crate::page::{STYLE, script};
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

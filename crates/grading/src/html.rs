//! The frame of every page in HTML.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Returns a page with this title, style sheet and content.
pub(crate) fn page(title: &str, style: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { main { (content) } }
        }
    };
    page.into_string() + "\n"
}

//! Submissions of a class, from the download to the grade.
//!
//! * [`submissions`] prepares what students hand in: it unpacks, builds, and finds the command that starts a
//!   program.
//! * [`grade`] holds a program to its assignment, and writes reports and tables for a course.

pub mod grade;
pub mod submissions;

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Returns a page with this title, style sheet and content.
fn html_page(title: &str, style: &str, content: &Markup) -> String {
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

//! The frame of all pages.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use plyground_web::server::STYLE;

/// The style of what the board page does not have.
const OWN_STYLE: &str = include_str!("league.css");

/// Returns the style sheet: that of the board page, and more.
pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], format!("{STYLE}\n{OWN_STYLE}"))
}

/// Returns a whole document.
pub(super) fn document(title: &str, head: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="/page/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/league.css";
            }
            body class="league" {
                (head)
                main { (content) }
            }
        }
    }
}

/// Returns a page for a visitor who has not entered.
pub(super) fn bare(title: &str, content: &Markup) -> Markup {
    document(title, &html! {}, &html! { section class="card" { (content) } })
}

/// Returns the page of a refusal.
pub(super) fn refused(why: &str) -> Markup {
    bare(
        "Refused",
        &html! {
            h1 { "This is not possible" }
            p class="error" { (why) }
            p { a href="/" { "To the standings" } }
        },
    )
}

/// A page that the browser asks for again after so many seconds, if it waits for something. A page that its
/// reader has not asked to change does not.
pub(super) struct Page {
    content: Markup,
    refresh: Option<u32>,
}

impl Page {
    pub(super) fn new(content: Markup) -> Page {
        Page { content, refresh: None }
    }

    /// Lets the browser ask again after so many seconds.
    pub(super) fn again_after(self, refresh: Option<u32>) -> Page {
        Page { refresh, ..self }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = self.content.into_response();
        if let Some(seconds) = self.refresh {
            response.headers_mut().insert(header::REFRESH, seconds.into());
        }
        response
    }
}

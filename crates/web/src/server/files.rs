//! The files of the page, each compressed once, when the first client asks for the file; and the page itself, which
//! includes everything for the first board, so that a browser shows the board after one answer of the server.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use plyground_explain::html::{MODULES, STYLE};
use sha2::{Digest, Sha256};

use crate::questions::{Games, empty_boards};
use crate::server::App;

/// The files beside the page, with their names, besides the modules of a tree.
const FILES: &[(&str, &str)] = &[
    ("icon.svg", include_str!("../../page/icon.svg")),
    ("app.webmanifest", include_str!("../../page/app.webmanifest")),
    ("guide.js", include_str!("../../page/guide.js")),
    ("motion.js", include_str!("../../page/motion.js")),
    ("notation.js", include_str!("../../page/notation.js")),
    ("main.js", include_str!("../../page/main.js")),
    ("api.js", include_str!("../../page/api.js")),
    ("analysis.js", include_str!("../../page/analysis.js")),
    ("beside.js", include_str!("../../page/beside.js")),
    ("board.js", include_str!("../../page/board.js")),
    ("chart.js", include_str!("../../page/chart.js")),
    ("dialogs.js", include_str!("../../page/dialogs.js")),
    ("dom.js", include_str!("../../page/dom.js")),
    ("engine.js", include_str!("../../page/engine.js")),
    ("explain.js", include_str!("../../page/explain.js")),
    ("files.js", include_str!("../../page/files.js")),
    ("game.js", include_str!("../../page/game.js")),
    ("moves.js", include_str!("../../page/moves.js")),
    ("players.js", include_str!("../../page/players.js")),
    ("programs.js", include_str!("../../page/programs.js")),
    ("review.js", include_str!("../../page/review.js")),
    ("scores.js", include_str!("../../page/scores.js")),
    ("setup.js", include_str!("../../page/setup.js")),
    ("store.js", include_str!("../../page/store.js")),
    ("strokes.js", include_str!("../../page/strokes.js")),
    ("tree.css", STYLE),
];

/// Returns the names and the texts of all files beside the page.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied().chain(MODULES)
}

const HTML: &str = "text/html; charset=utf-8";

/// Returns the type of a file of this name.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "text/javascript; charset=utf-8",
    }
}

const ICON: &[u8] = include_bytes!("../../page/icon.png");

/// Returns the routes to the files by their exact paths, with the page itself at `place`, a path without
/// another slash.
pub(crate) fn routes(place: &str) -> Router<Arc<App>> {
    let texts = files().fold(Router::new(), |router, (name, text)| {
        let file = Arc::new(OnceLock::new());
        let answer = move |headers: HeaderMap| {
            let file = Arc::clone(&file);
            let new = move || File::new(kind(name), sent(name, text));
            async move { file.get_or_init(new).answer(&headers) }
        };
        router.route(&format!("/page/{name}"), get(answer))
    });
    let file = Arc::new(OnceLock::new());
    let page = move |State(app): State<Arc<App>>, headers: HeaderMap| {
        let file = Arc::clone(&file);
        async move { file.get_or_init(|| File::new(HTML, page(&app.games).into())).answer(&headers) }
    };
    let png = || async { ([(header::CONTENT_TYPE, "image/png")], ICON) };
    texts.route(place, get(page)).route("/page/icon.png", get(png))
}

/// Returns the text of a file to send: scripts and style sheets without comments.
fn sent(name: &str, text: &'static str) -> Bytes {
    let has_comments = name.ends_with(".js") || name.ends_with(".css");
    if has_comments { without_comments(text).into() } else { text.into() }
}

/// A file to send.
struct File {
    kind: &'static str,
    text: Bytes,
    zipped: Bytes,
}

impl File {
    fn new(kind: &'static str, text: Bytes) -> File {
        let zipped = zip(&text);
        File { kind, text, zipped }
    }

    /// Answers with the file, compressed if the client accepts gzip.
    fn answer(&self, headers: &HeaderMap) -> Response {
        let of_file = [(header::CONTENT_TYPE, self.kind), (header::VARY, "accept-encoding")];
        if accepts_gzip(headers) {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            return (of_file, encoding, self.zipped.clone()).into_response();
        }
        (of_file, self.text.clone()).into_response()
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.split([',', ' ']).any(|one| one == "gzip"))
}

fn zip(text: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}

/// Returns the page, with the names of its modules.
fn page(games: &Games) -> String {
    index(games, files().map(|(name, _)| name).filter(|name| name.ends_with(".js")))
}

/// The source of the page, which names the files to send inside of the page.
const INDEX: &str = include_str!("../../page/index.html");

/// A file that is sent inside of the page.
struct Inlined {
    /// The element of [`INDEX`] that names the file.
    link: &'static str,
    /// The name of the element that contains the text of the file.
    element: &'static str,
    /// The directive of the Content-Security-Policy for the file, without a checksum.
    directive: &'static str,
    text: &'static str,
}

const INLINED: [Inlined; 2] = [
    Inlined {
        link: "<link rel=\"stylesheet\" href=\"page/style.css\">",
        element: "style",
        directive: "style-src 'self'",
        text: include_str!("../../page/style.css"),
    },
    Inlined {
        link: "<script src=\"page/first.js\"></script>",
        element: "script",
        directive: "script-src 'self'",
        text: include_str!("../../page/first.js"),
    },
];

/// The beginning of the element of [`INDEX`] for the empty boards, which is empty in the source.
const BOARDS_BEGIN: &str = "<script type=\"application/json\" id=\"boards\">";

/// Returns a script or a style sheet without lines of comments, which are a quarter of the bytes.
fn without_comments(text: &str) -> String {
    let mut is_inside = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        let is_whole = line.ends_with("*/") || !line.contains("*/");
        let begins = !is_inside && line.starts_with("/*") && is_whole;
        let is_comment = is_inside || begins || line.starts_with("//");
        is_inside = (is_inside || begins) && !line.ends_with("*/");
        !is_comment
    };
    text.split_inclusive('\n').filter(is_code).collect()
}

/// Returns the page with the empty boards of the games, and with the addresses of all modules, which the browser would
/// otherwise fetch one after the other.
fn index<'a>(games: &Games, modules: impl Iterator<Item = &'a str>) -> String {
    let boards = format!("{BOARDS_BEGIN}{}", empty_boards(games));
    let page = allow_inlined(INDEX).replacen(&format!("{BOARDS_BEGIN}[]"), &boards, 1);
    let preloads: String = modules
        .map(|name| format!("<link rel=\"modulepreload\" href=\"page/{name}\">\n"))
        .collect();
    let page = page.replacen("<noscript>", &format!("{preloads}<noscript>"), 1);
    INLINED.iter().fold(page, |page, Inlined { link, element, text, .. }| {
        page.replacen(link, &format!("<{element}>{}</{element}>", without_comments(text)), 1)
    })
}

/// Returns a Content-Security-Policy that also allows the inlined files, by their checksums.
pub(super) fn allow_inlined(policy: &str) -> String {
    INLINED.iter().fold(policy.to_owned(), |policy, Inlined { directive, text, .. }| {
        let checksum = STANDARD.encode(Sha256::digest(without_comments(text)));
        policy.replacen(directive, &format!("{directive} 'sha256-{checksum}'"), 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::testing::games;

    /// The greatest size of all files of the page together, compressed.
    const MOST_BYTES: usize = 66_000;

    /// The greatest size of the page alone: the initial window of TCP (RFC 6928), which a server may send before the
    /// first acknowledgment, less some room for the headers.
    const MOST_OF_PAGE: usize = 10 * 1_460 - 1_000;

    #[test]
    fn page_is_small_and_asks_no_other_server() {
        let page = zip(page(&games()).as_bytes()).len();
        assert!(page < MOST_OF_PAGE, "{page} bytes");
        let texts = files().map(|(name, text)| zip(&sent(name, text)).len());
        let bytes = page + ICON.len() + texts.sum::<usize>();
        assert!(bytes < MOST_BYTES, "{bytes} bytes");
        for (name, text) in files() {
            let foreign = text.replace("http://www.w3.org/", "");
            assert!(!foreign.contains("http://") && !foreign.contains("https://"), "{name}");
        }
    }

    #[test]
    fn imported_module_is_there() {
        for (name, text) in files() {
            let imports = text.split(" from \"./").skip(1);
            for asked in imports.filter_map(|rest| rest.split('"').next()) {
                assert!(files().any(|(name, _)| name == asked), "{name}: {asked}");
            }
        }
    }

    #[test]
    fn files_are_inside_and_allowed() {
        let page = index(&games(), ["main.js"].into_iter());
        for Inlined { link, element, text, .. } in INLINED {
            assert!(INDEX.contains(link) && !page.contains(link), "{link}");
            assert!(page.contains(&without_comments(text)), "{link}");
            assert!(!text.contains(&format!("</{element}")), "{link}");
        }
        // The browser can draw the board before the rest of the page has arrived.
        assert!(page.find("boards\">") < page.find("id=\"state\""));
        assert!(page.contains("\"name\":\"row\"") && page.contains("href=\"page/main.js\""));
        let policy = page.split("Content-Security-Policy\" content=\"").nth(1);
        let policy = policy.and_then(|rest| rest.split('"').next()).expect("a policy");
        assert_eq!(policy.matches("'self' 'sha256-").count(), INLINED.len(), "{policy}");
    }

    #[test]
    fn lines_of_comments_are_left_out() {
        let text = "// One\n/** Two. */\nlet a; // Three\n  /*\n   * four\n   */\n/* five */ b;\n";
        assert_eq!(without_comments(text), "let a; // Three\n/* five */ b;\n");
    }
}

//! The files of the page, which are part of the binary.

use axum::Router;
use axum::http::header;
use axum::routing::get;

/// The files that the server serves, each with its path and type.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("page/index.html")),
    ("/page/style.css", CSS, include_str!("page/style.css")),
    ("/page/icon.svg", SVG, include_str!("page/icon.svg")),
    ("/page/main.js", JS, include_str!("page/main.js")),
    ("/page/api.js", JS, include_str!("page/api.js")),
    ("/page/analysis.js", JS, include_str!("page/analysis.js")),
    ("/page/beside.js", JS, include_str!("page/beside.js")),
    ("/page/board.js", JS, include_str!("page/board.js")),
    ("/page/chart.js", JS, include_str!("page/chart.js")),
    ("/page/dialogs.js", JS, include_str!("page/dialogs.js")),
    ("/page/dom.js", JS, include_str!("page/dom.js")),
    ("/page/engine.js", JS, include_str!("page/engine.js")),
    ("/page/explain.js", JS, include_str!("page/explain.js")),
    ("/page/files.js", JS, include_str!("page/files.js")),
    ("/page/game.js", JS, include_str!("page/game.js")),
    ("/page/moves.js", JS, include_str!("page/moves.js")),
    ("/page/players.js", JS, include_str!("page/players.js")),
    ("/page/programs.js", JS, include_str!("page/programs.js")),
    ("/page/scores.js", JS, include_str!("page/scores.js")),
    ("/page/setup.js", JS, include_str!("page/setup.js")),
    ("/page/store.js", JS, include_str!("page/store.js")),
    ("/page/strokes.js", JS, include_str!("page/strokes.js")),
    ("/page/tree.css", CSS, plyground_explain::page::STYLE),
    ("/page/tree.js", JS, plyground_explain::page::TREE.text),
    ("/page/tree-board.js", JS, plyground_explain::page::TREE_BOARD.text),
    ("/page/tree-dom.js", JS, plyground_explain::page::TREE_DOM.text),
    ("/page/tree-list.js", JS, plyground_explain::page::TREE_LIST.text),
    ("/page/tree-path.js", JS, plyground_explain::page::TREE_PATH.text),
    ("/page/tree-view.js", JS, plyground_explain::page::TREE_VIEW.text),
];

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JS: &str = "text/javascript; charset=utf-8";

/// Returns the routes to the files by their exact paths.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.iter().fold(Router::new(), |router, &(path, kind, text)| {
        router.route(path, get(move || async move { ([(header::CONTENT_TYPE, kind)], text) }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest size of all files of the page together, uncompressed.
    const MOST_BYTES: usize = 150_000;

    #[test]
    fn page_is_small_and_asks_no_other_server() {
        let bytes: usize = FILES.iter().map(|(_, _, text)| text.len()).sum();
        assert!(bytes < MOST_BYTES, "{bytes} bytes");
        for (path, _, text) in FILES {
            let foreign = text.replace("http://www.w3.org/", "");
            assert!(!foreign.contains("http://") && !foreign.contains("https://"), "{path}");
        }
    }

    #[test]
    fn imported_module_is_there() {
        for (path, _, text) in FILES {
            let imports = text.split(" from \"./").skip(1);
            for name in imports.filter_map(|rest| rest.split('"').next()) {
                let asked = format!("/page/{name}");
                assert!(FILES.iter().any(|(path, _, _)| *path == asked), "{path}: {asked}");
            }
        }
    }
}

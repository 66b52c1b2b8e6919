//! The modules that show a tree in a browser.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Its name, as other modules import it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// What a tree says.
pub const TREE: Module = Module { name: "tree.js", text: include_str!("page/tree.js") };

/// The board of a node.
pub const TREE_BOARD: Module =
    Module { name: "tree-board.js", text: include_str!("page/tree-board.js") };

/// The nodes as rows.
pub const TREE_LIST: Module =
    Module { name: "tree-list.js", text: include_str!("page/tree-list.js") };

/// Elements, and what is typed into them.
pub const TREE_DOM: Module = Module { name: "tree-dom.js", text: include_str!("page/tree-dom.js") };

/// The way to a node as a table.
pub const TREE_PATH: Module =
    Module { name: "tree-path.js", text: include_str!("page/tree-path.js") };

/// All of it, with buttons that step through the search.
pub const TREE_VIEW: Module =
    Module { name: "tree-view.js", text: include_str!("page/tree-view.js") };

/// The modules, each after those that it imports. Every line that imports is one line, so that they
/// can stand in one file as well.
pub const MODULES: [Module; 6] = [TREE, TREE_DOM, TREE_BOARD, TREE_LIST, TREE_PATH, TREE_VIEW];

/// How a tree looks.
pub const STYLE: &str = include_str!("page/tree.css");

/// The modules as one script: without what they import from each other.
#[must_use]
pub fn script() -> String {
    let lines = MODULES.iter().flat_map(|module| module.text.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

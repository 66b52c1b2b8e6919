//! The modules that show a tree in a browser.

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

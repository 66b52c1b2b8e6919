//! A search as a page in a single standalone file, and as a graph for Graphviz; and the tree and its boards as data
//! for a page, in compressed columns of numbers.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plyground::trace::{Node, Source, Statement};
use plyground::{Game, Score, Side};
use plyground_host::page::{Count, Ground, Layout, Owner, Path};
use plyground_host::{Explanation, HostedPosition, MoveText, Text};
use serde::Serialize;

use crate::comparison::{Comparison, Viewpoint, why};
use crate::text::{how, numbers, summary};

/// The style of a standalone page.
const PAGE_STYLE: &str = include_str!("../page/alone.css");

/// The script that starts a standalone page.
const START: &str = include_str!("../page/alone.js");

/// The Content-Security-Policy of a standalone page, which loads nothing and sends nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Returns the page of a search.
///
/// # Errors
///
/// Returns an error of the compressor, which is not expected, because the compressor writes into memory.
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
fn comparison_table(comparison: &Comparison) -> Markup {
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
    let viewpoint = Viewpoint::of(&explanation.position);
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

/// The modules with their names, each after its imports. Every import is on a line of its own, so that [`script`] can
/// join the modules into one file.
pub const MODULES: [(&str, &str); 6] = [
    ("tree.js", include_str!("../page/tree.js")),
    ("tree-dom.js", include_str!("../page/tree-dom.js")),
    ("tree-board.js", include_str!("../page/tree-board.js")),
    ("tree-list.js", include_str!("../page/tree-list.js")),
    ("tree-path.js", include_str!("../page/tree-path.js")),
    ("tree-view.js", include_str!("../page/tree-view.js")),
];

/// The style of the tree.
pub const STYLE: &str = include_str!("../page/tree.css");

/// Returns the modules as one script, without the imports and exports between them.
#[must_use]
pub fn script() -> String {
    let lines = MODULES.iter().flat_map(|(_, module)| module.lines());
    let own = lines.filter(|line| !line.starts_with("import "));
    own.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// A tree in the format of `page/tree.js`.
#[derive(Debug, Serialize)]
pub struct Block {
    /// The facts about the whole tree.
    pub head: Head,
    /// The columns of numbers, compressed by gzip, in base64.
    pub data: String,
}

/// The facts about a tree that a page needs besides its nodes.
#[derive(Debug, Serialize)]
pub struct Head {
    /// The title of the game.
    title: String,
    /// The search in words.
    how: String,
    /// The turn, in words.
    turn: String,
    /// The names of the sides, the side to move at the root first.
    sides: [String; 2],
    /// The side to move at the root, as [`Side::index`].
    side: usize,
    /// The number of nodes in the columns.
    count: usize,
    /// The number of positions entered.
    nodes: u64,
    /// The number of moves cut off.
    cut: u64,
    /// The number of positions entered that are not in the columns.
    left_out: u64,
    /// The number in a score that stands for one point.
    point: i32,
    /// The least score of a forced win, and the score of a won game.
    forced: [i32; 2],
    /// The texts of the moves; the columns hold indexes into this list.
    moves: Vec<MoveText>,
    /// The names and weights of the terms.
    terms: Vec<(&'static str, i32)>,
    /// The board, if the game has one.
    layout: Option<Layout>,
    /// The owner of the piece in every cell at the root; empty if the moves do not determine the boards.
    cells: Vec<Option<Owner>>,
    /// If true, the columns hold the board of every node instead.
    boards: bool,
    /// The comparison of the ways to search, if there is one.
    comparison: Option<Comparison>,
}

/// The number that stands for no cell.
const NO_CELL: u8 = u8::MAX;
/// The number that stands for no move.
const NO_MOVE: u16 = u16::MAX;
/// The number that stands for no node.
const NO_NODE: u32 = u32::MAX;

/// The number of nodes checked to find out whether the moves determine the boards.
const BOARDS: usize = 500;

/// The greatest number of nodes in a tree whose nodes have a board each.
const MOST_BOARDS: usize = 20_000;

impl Block {
    /// Returns the data of a tree.
    ///
    /// # Errors
    ///
    /// Returns an error of the compressor, which is not expected, because the compressor writes into memory.
    pub fn new(explanation: &Explanation, comparison: Option<Comparison>) -> io::Result<Block> {
        let position = &explanation.position;
        let game = position.game();
        let viewpoint = Viewpoint::of(&explanation.position);
        let layout = game.layout();
        let is_small = layout.as_ref().is_some_and(|layout| layout.grounds.len() < NO_CELL.into());
        let (mut cells, mut boards) = (Vec::new(), None);
        if is_small && moves_tell_all(explanation) {
            cells = position.picture().cells;
        } else if layout.is_some() && explanation.tree.nodes().len() <= MOST_BOARDS {
            boards = Some(all_boards(explanation));
        }
        let head = Head {
            title: game.title(),
            how: how(&explanation.options),
            turn: position.text(Text::Turn),
            sides: [viewpoint.own_name(), viewpoint.other_name()],
            side: position.side_to_move().index(),
            count: explanation.tree.nodes().len(),
            nodes: explanation.counts.nodes(),
            cut: explanation.counts.cut(),
            left_out: explanation.left_out(),
            point: game.point(),
            forced: [Score::MAX_ESTIMATE.get() + 1, Score::MAX.get()],
            moves: explanation.moves.clone(),
            terms: explanation.terms.kinds.clone(),
            layout,
            cells,
            boards: boards.is_some(),
            comparison,
        };
        let mut compressor = GzEncoder::new(Vec::new(), Compression::fast());
        compressor.write_all(&columns(explanation, &boards.unwrap_or_default()))?;
        let data = BASE64_STANDARD.encode(compressor.finish()?);
        Ok(Block { head, data })
    }
}

/// Returns the columns one after the other, each with a number for every node, in little-endian order. The
/// widest columns come first, so that each begins at a multiple of its width:
///
/// | column | bits | contents |
/// | --- | --- | --- |
/// | visited | 32 | positions entered here and below; 0: the move was cut off |
/// | link | 32 | the rival of a cut; the earlier node of a table hit; the index at which the terms begin |
/// | alpha, beta, score | 16 each, signed | as the side at the root sees them |
/// | move, best | 16 each | indexes of moves |
/// | cut | 16 | number of moves cut off |
/// | ply | 8 | plies from the root |
/// | flags | 8 | bits 0-1 relation, 2-3 source, 4 proven, 5 has a link, 6 the side at the root is to move |
/// | from, to | 8 each | the cells of the move |
///
/// After them come the boards, if there are any: for every node the cells, 8 bits each, 0 for an empty cell,
/// 1 and 2 for the pieces of the sides, 3 for others. The terms come last: for each node that has terms,
/// their number, and for each term its kind and the two counts, 16 bits each.
fn columns(explanation: &Explanation, boards: &[u8]) -> Vec<u8> {
    let nodes = explanation.tree.nodes();
    let links = Links::new(explanation);
    let mut bytes = Vec::with_capacity(32 * nodes.len());
    let viewpoint = Viewpoint::of(&explanation.position);
    let seen: Vec<_> = nodes.iter().map(|node| viewpoint.see(node)).collect();
    let visited = |node: &Node<u16>| u32::try_from(node.visited).unwrap_or(u32::MAX);
    bytes.extend(nodes.iter().flat_map(|node| visited(node).to_le_bytes()));
    bytes.extend(links.of_node.iter().flat_map(|link| link.to_le_bytes()));
    // Scores fit into 16 bits, by their definition.
    let score = |score: Score| (score.get() as i16).to_le_bytes();
    bytes.extend(seen.iter().flat_map(|seen| score(seen.alpha)));
    bytes.extend(seen.iter().flat_map(|seen| score(seen.beta)));
    bytes.extend(
        seen.iter().flat_map(|seen| score(seen.found.map_or(Score::ZERO, |(_, score)| score))),
    );
    bytes.extend(nodes.iter().flat_map(|node| node.mv.unwrap_or(NO_MOVE).to_le_bytes()));
    let found = || nodes.iter().map(|node| node.found.as_ref());
    let best = found().map(|found| found.and_then(|found| found.best).unwrap_or(NO_MOVE));
    bytes.extend(best.flat_map(u16::to_le_bytes));
    let cut = found().map(|found| found.map_or(0, |found| found.cut as u16));
    bytes.extend(cut.flat_map(u16::to_le_bytes));
    bytes.extend(nodes.iter().map(|node| node.ply as u8));
    bytes.extend((0..nodes.len()).map(|index| {
        let relation = seen[index].found.map_or(Statement::Exact, |(relation, _)| relation);
        flags(&nodes[index], relation, links.of_node[index], viewpoint.is_own(&nodes[index]))
    }));
    let cell = |cell: Option<usize>| cell.map_or(NO_CELL, |cell| cell as u8);
    bytes.extend(explanation.paths.iter().map(|path| cell(path.from)));
    bytes.extend(explanation.paths.iter().map(|path| cell(path.to)));
    bytes.extend_from_slice(boards);
    if bytes.len() % 2 == 1 {
        bytes.push(0);
    }
    bytes.extend(links.terms.into_iter().flat_map(i16::to_le_bytes));
    bytes
}

fn flags(node: &Node<u16>, relation: Statement, link: u32, is_own: bool) -> u8 {
    let source = node.found.as_ref().map_or(0, |found| match found.source {
        Source::Moves => 0,
        Source::Outcome => 1,
        Source::Evaluation => 2,
        Source::Table(_) => 3,
    });
    let proven = node.found.as_ref().is_some_and(|found| found.proven);
    let has_link = link != NO_NODE;
    relation as u8
        | source << 2
        | u8::from(proven) << 4
        | u8::from(has_link) << 5
        | u8::from(is_own) << 6
}

/// The link of each node, and the terms that some links point to.
struct Links {
    of_node: Vec<u32>,
    terms: Vec<i16>,
}

impl Links {
    fn new(explanation: &Explanation) -> Links {
        let numbers = numbers(explanation);
        let mut links = Links { of_node: Vec::new(), terms: Vec::new() };
        for (index, node) in explanation.tree.nodes().iter().enumerate() {
            let link = match node.found.as_ref().map(|found| found.source) {
                Some(Source::Moves) => explanation.tree.why_cut(index).map(|why| why.rival),
                Some(Source::Table(number)) => numbers.get(&number).copied(),
                Some(Source::Evaluation) => links.add_terms(explanation, index),
                Some(Source::Outcome) | None => None,
            };
            links.of_node.push(link.and_then(|link| u32::try_from(link).ok()).unwrap_or(NO_NODE));
        }
        links
    }

    /// Adds the terms of a node, and returns the index at which they begin.
    fn add_terms(&mut self, explanation: &Explanation, node: usize) -> Option<usize> {
        let range = explanation.terms.range(node)?;
        let start = self.terms.len();
        self.terms.push(range.len() as i16);
        for &(kind, [own, others]) in &explanation.terms.counts[range] {
            // The counts of an evaluation are at most some hundreds, so they fit into 16 bits.
            self.terms.extend([kind as i16, own as i16, others as i16]);
        }
        Some(start)
    }
}

/// Returns the positions of the first `most` nodes.
fn positions(explanation: &Explanation, most: usize) -> Vec<HostedPosition> {
    let mut positions: Vec<HostedPosition> = Vec::new();
    for node in explanation.tree.nodes().iter().take(most) {
        let position = match node.mv {
            Some(mv) => positions[node.parent].after(explanation.move_text(mv)),
            None => explanation.position.clone(),
        };
        positions.push(position);
    }
    positions
}

/// Returns the cells of every node.
fn all_boards(explanation: &Explanation) -> Vec<u8> {
    let positions = positions(explanation, MOST_BOARDS);
    let cells = positions.iter().flat_map(|position| position.picture().cells);
    let number = |owner| match owner {
        None => 0,
        Some(Owner::First) => 1,
        Some(Owner::Second) => 2,
        Some(Owner::Neutral) => 3,
    };
    cells.map(number).collect()
}

/// Returns true if, in the first [`BOARDS`] nodes, each move does nothing to the board but move or add one piece. In a
/// game with captured or turned pieces, the answer is false.
fn moves_tell_all(explanation: &Explanation) -> bool {
    let (nodes, positions) = (explanation.tree.nodes(), positions(explanation, BOARDS));
    (1..positions.len()).all(|index| {
        let before = &positions[nodes[index].parent];
        let cells = moved(before.picture().cells, explanation.paths[index], before.side_to_move());
        cells == positions[index].picture().cells
    })
}

fn moved(mut cells: Vec<Option<Owner>>, path: Path, side: Side) -> Vec<Option<Owner>> {
    if let Some(from) = path.from {
        cells[from] = None;
    }
    if let Some(to) = path.to {
        cells[to] = Some(side.into());
    }
    cells
}

/// The side of a cell in pixels.
const CELL: usize = 26;

/// Returns the board of a position as an SVG element, with the description `words` for screen readers; `None` if the
/// game has no board for pages.
#[must_use]
pub fn drawing(position: &HostedPosition, words: &str) -> Option<Markup> {
    let layout = position.game().layout()?;
    let picture = position.picture();
    let edge = |names: &[String], index: usize| names.get(index).cloned().unwrap_or_default();
    let (top, left) = (CELL, CELL);
    let (width, height) = ((layout.columns + 2) * CELL, (layout.rows + 2) * CELL);
    Some(html! {
        svg role="img" aria-label=(words) width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) {
            @for column in 0..layout.columns {
                @let x = left + column * CELL + CELL / 2;
                (label(x, top - 8, &edge(&layout.edges.top, column)))
                (label(x, height - 8, &edge(&layout.edges.bottom, column)))
            }
            @for row in 0..layout.rows {
                @let y = top + row * CELL + CELL / 2 + 5;
                (label(left / 2, y, &edge(&layout.edges.left, row)))
                (label(width - CELL / 2, y, &edge(&layout.edges.right, row)))
            }
            @for cell in 0..layout.columns * layout.rows {
                @let (x, y) = (left + cell % layout.columns * CELL, top + cell / layout.columns * CELL);
                @if layout.grounds.get(cell) != Some(&Ground::Dead) {
                    rect x=(x) y=(y) width=(CELL) height=(CELL) {}
                }
                @let side = match picture.cells.get(cell).copied().flatten() {
                    Some(Owner::First) => Some(0),
                    Some(Owner::Second) => Some(1),
                    Some(Owner::Neutral) | None => None,
                };
                @if let Some(side) = side {
                    @let piece = layout.pieces[side];
                    @let (x, y) = (x + CELL / 2, y + CELL / 2);
                    circle cx=(x) cy=(y) r=(CELL * 2 / 5) fill=(piece.fill) stroke=(piece.mark) {}
                    // The symbol shows the owner to people who cannot tell the colors apart.
                    text x=(x) y=(y + 5) fill=(piece.mark) { (piece.symbol) }
                }
            }
        }
    })
}

/// Returns the counts for the text beside the board, such as the remaining chips: `White: 4 in hand`; one line for
/// each side with counts.
#[must_use]
pub fn counts(position: &HostedPosition) -> Vec<String> {
    let counts = position.picture().counts;
    let line = |(side, counts): (Side, &Vec<Count>)| {
        let parts = counts.iter().map(|count| format!("{} {}", count.value, count.name));
        let parts = parts.collect::<Vec<_>>().join(", ");
        (!parts.is_empty()).then(|| format!("{}: {parts}", position.game().side_name(side)))
    };
    Side::BOTH.into_iter().zip(&counts).filter_map(line).collect()
}

fn label(x: usize, y: usize, text: &str) -> Markup {
    html! { @if !text.is_empty() { text class="edge" x=(x) y=(y) { (text) } } }
}

//! Questions as text, as drawings and as pages: a page that checks answers, and a sheet to print.

use maud::{Markup, PreEscaped, html};
use plyground::Game;
use plyground_host::Text;

use super::question::{Practice, Question, TreeQuestion};
use crate::comparison::Viewpoint;
use crate::html::{counts, document, drawing, in_script};

const STYLE: &str =
    concat!(include_str!("../../page/alone.css"), include_str!("../../page/practice.css"));
const SCRIPT: &str = include_str!("../../page/practice.js");

/// Returns a page that checks the answers of a person to the questions.
///
/// # Errors
///
/// Returns an error of the serializer, which is not expected.
pub fn page(practice: &Practice) -> serde_json::Result<String> {
    let answers: Vec<_> = practice.questions.iter().map(answers).collect();
    let answers = serde_json::to_string(&answers)?;
    let body = html! {
        (heading(practice))
        p id="score" role="status" { "No question answered yet." }
        @for (number, question) in practice.questions.iter().enumerate() {
            form class="question" data-question=(number) {
                (shown(number, question))
                (fields(number, question))
                button { "Check" }
                p class="result" role="status" {}
            }
        }
        noscript { "To check answers, this page needs JavaScript, which is in this file." }
        script type="application/json" id="answers" { (in_script(&answers)) }
        script type="module" { (PreEscaped(SCRIPT)) }
    };
    Ok(document(&title(practice), STYLE, &body))
}

/// Returns a sheet to print: the questions with room for the answers and, with `solutions`, the solutions on pages of
/// their own.
#[must_use]
pub fn sheet(practice: &Practice, solutions: bool) -> String {
    let body = html! {
        (heading(practice))
        p class="name" { "Name:" }
        @for (number, question) in practice.questions.iter().enumerate() {
            section class="question" {
                (shown(number, question))
                @match question {
                    Question::Tree(question) => @for ask in asks(question) { p class="line" { (ask) } },
                    Question::BestMove(_) => p class="line" { "The move:" },
                }
            }
        }
        @if solutions {
            section class="solutions" {
                h2 { "Solutions" }
                @for (number, question) in practice.questions.iter().enumerate() {
                    section class="question" {
                        h3 { "Question " (number + 1) }
                        p { (solution(question)) }
                        @if let Question::Tree(question) = question { (tree_svg(question, Shown::Solution)) }
                    }
                }
            }
        }
    };
    document(&title(practice), STYLE, &body)
}

fn title(practice: &Practice) -> String {
    format!("{}: practice", practice.title)
}

fn heading(practice: &Practice) -> Markup {
    html! {
        h1 { (title(practice)) }
        p class="quiet" { "Questions of seed " (practice.seed) }
    }
}

/// Returns a question with its board and tree.
fn shown(number: usize, question: &Question) -> Markup {
    let position = question.position();
    let board = position.text(Text::Board);
    html! {
        h2 { "Question " (number + 1) }
        div class="shown" {
            @match drawing(position, &board) {
                Some(drawing) => div class="board" {
                    (drawing)
                    @for line in counts(position) { p class="quiet" { (line) } }
                },
                None => pre { (board) },
            }
            div {
                @match question {
                    Question::Tree(question) => {
                        p { (about(question)) }
                        (tree_svg(question, Shown::Question))
                    },
                    Question::BestMove(question) => p { (question.asks()) },
                }
            }
        }
    }
}

/// Returns the fields for the answers to a question.
fn fields(number: usize, question: &Question) -> Markup {
    match question {
        Question::Tree(question) => tree_fields(number, question),
        Question::BestMove(_) => html! {
            p { label { "The move: " select name="move" required {
                option value="" { "choose" }
                @for mv in question.position().legal_moves() { option { (mv) } }
            } } }
        },
    }
}

fn tree_fields(number: usize, question: &TreeQuestion) -> Markup {
    let [value, mv, leaves] = asks(question);
    let root = &question.sketch.nodes[0];
    let choices = root.children.iter().filter_map(|&child| question.sketch.nodes[child].mv);
    html! {
        p { label { (value) " " input name="value" inputmode="text" size="7" autocomplete="off" required; } }
        fieldset {
            legend { (mv) }
            @for choice in choices {
                label { input type="radio" name="move" value=(choice) required; " " (choice) }
            }
        }
        fieldset {
            legend { (leaves) }
            @for leaf in question.sketch.leaves() {
                @let name = question.leaf_name(leaf);
                label for=(format!("leaf-{number}-{name}")) {
                    input type="checkbox" name="leaf" value=(name) id=(format!("leaf-{number}-{name}"));
                    " " (name)
                }
            }
        }
    }
}

/// Returns the answers to a question for the script of the page: the value, the right moves, the leaves, and the
/// solution in words.
fn answers(question: &Question) -> serde_json::Value {
    match question {
        Question::Tree(tree) => {
            let viewpoint = Viewpoint::of(&tree.sketch.position);
            let leaves: Vec<_> = tree.unseen.iter().map(|&leaf| tree.leaf_name(leaf)).collect();
            serde_json::json!({
                "value": viewpoint.score(tree.value),
                "moves": [tree.best],
                "leaves": leaves,
                "solution": solution(question),
                "drawing": tree_svg(tree, Shown::Solution).into_string(),
            })
        }
        Question::BestMove(best) => {
            serde_json::json!({ "moves": best.right, "solution": solution(question) })
        }
    }
}

/// Returns the questions as text and, with `solutions`, all solutions after them.
#[must_use]
pub fn text(practice: &Practice, solutions: bool) -> String {
    let mut out = format!("{}: questions of seed {}\n", practice.title, practice.seed);
    for (number, question) in (1..).zip(&practice.questions) {
        out += &format!("\nQuestion {number}\n\n{}\n", question.position().text(Text::Board));
        match question {
            Question::Tree(question) => out += &tree(question),
            Question::BestMove(question) => out += &format!("{}\n", question.asks()),
        }
    }
    if !solutions {
        return out;
    }
    out += "\nSolutions\n";
    for (number, question) in (1..).zip(&practice.questions) {
        out += &format!("\n{number}. {}\n", solution(question));
    }
    out
}

/// Returns the three parts of a question about a tree.
pub(super) fn asks(question: &TreeQuestion) -> [String; 3] {
    let side = Viewpoint::of(&question.sketch.position).own_name();
    [
        "a) What value does minimax give the root?".to_owned(),
        format!("b) Which move does {side} choose?"),
        "c) Alpha-beta goes from left to right. Which leaves does it not look at?".to_owned(),
    ]
}

/// Returns a description of the tree in words.
pub(super) fn about(question: &TreeQuestion) -> String {
    let position = &question.sketch.position;
    let viewpoint = Viewpoint::of(position);
    format!(
        "{} Look only at the moves of the tree. The leaves have their evaluations, as {} \
         sees them, who maximizes; {} minimizes.",
        position.text(Text::Turn),
        viewpoint.own_name(),
        viewpoint.other_name()
    )
}

fn tree(question: &TreeQuestion) -> String {
    let viewpoint = Viewpoint::of(&question.sketch.position);
    let mut out = format!("{}\n\n", about(question));
    for (index, node) in question.sketch.nodes.iter().enumerate().skip(1) {
        let indent = "    ".repeat(node.ply as usize - 1);
        let mv = node.mv.map(|mv| mv.to_string()).unwrap_or_default();
        let leaf = node.leaf.map_or_else(String::new, |score| {
            format!("  {}: {}", question.leaf_name(index), viewpoint.score(score))
        });
        out += &format!("    {indent}{mv}{leaf}\n");
    }
    format!("{out}\n{}\n", asks(question).join("\n"))
}

/// Returns the answer to a question.
fn solution(question: &Question) -> String {
    match question {
        Question::Tree(question) => {
            let viewpoint = Viewpoint::of(&question.sketch.position);
            let value = viewpoint.score(question.value);
            let (best, unseen) = (question.best, question.unseen_names());
            format!("a) {value}  b) {best}  c) {unseen}. {}", question.reasons.join(" "))
        }
        Question::BestMove(question) => question.answer(),
    }
}

/// The width of a leaf and the height of a ply in pixels.
const WIDTH: usize = 66;

const HEIGHT: usize = 74;

const MARGIN: usize = 26;

/// The values that a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The values of the leaves.
    Question,
    /// The values of all nodes, and the branches that are cut off.
    Solution,
}

/// Returns the tree with its moves. A triangle points up at nodes where the side to move at the root maximizes, and
/// down at nodes where the other side minimizes.
fn tree_svg(question: &TreeQuestion, shown: Shown) -> Markup {
    let sketch = &question.sketch;
    let viewpoint = Viewpoint::of(&sketch.position);
    let places = places(question);
    let leaves = sketch.leaves().len();
    let (width, height) = (leaves * WIDTH, MARGIN + (sketch.depth as usize + 1) * HEIGHT);
    let is_cut = |index: usize| {
        // A position is cut off if all leaves below the position are cut off.
        let below = sketch.leaves().into_iter().filter(|&leaf| is_below(question, leaf, index));
        shown == Shown::Solution
            && below.clone().count() > 0
            && below.into_iter().all(|leaf| question.unseen.contains(&leaf))
    };
    let words = in_words(question);
    html! {
        svg class="sketch" role="img" aria-label=(words) viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) {
            @for (index, node) in sketch.nodes.iter().enumerate() {
                @let (x, y) = places[index];
                @for &child in &node.children {
                    @let (to_x, to_y) = places[child];
                    @let class = if is_cut(child) { "cut" } else { "edge" };
                    line class=(class) x1=(x) y1=(y) x2=(to_x) y2=(to_y) {}
                    @let (label_x, label_y) = ((x + 2 * to_x) / 3, (y + 2 * to_y) / 3);
                    text class="move" x=(label_x) y=(label_y) {
                        (sketch.nodes[child].mv.map(|mv| mv.to_string()).unwrap_or_default())
                    }
                }
            }
            @for (index, node) in sketch.nodes.iter().enumerate() {
                @let (x, y) = places[index];
                @let is_own = node.side == sketch.nodes[0].side;
                @if node.leaf.is_none() { polygon points=(triangle(x, y, is_own)) {} }
                @if let Some(score) = node.leaf {
                    rect x=(x - 28) y=(y - 12) width="56" height="24" rx="4" {}
                    text x=(x) y=(y + 5) { (viewpoint.score(score)) }
                    text class="name" x=(x) y=(y + 29) { (question.leaf_name(index)) }
                }
                @if shown == Shown::Solution && node.leaf.is_none() && !is_cut(index) {
                    text class="value" x=(x + 18) y=(y + 5) { (viewpoint.score(question.values[index])) }
                }
            }
        }
    }
}

/// Returns the places of the nodes in pixels: each leaf in a column, every other node in the middle of its
/// children.
fn places(question: &TreeQuestion) -> Vec<(usize, usize)> {
    let sketch = &question.sketch;
    let mut places = vec![(0, 0); sketch.nodes.len()];
    for (column, leaf) in sketch.leaves().into_iter().enumerate() {
        places[leaf].0 = column * WIDTH + WIDTH / 2;
    }
    for (index, node) in sketch.nodes.iter().enumerate().rev() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            places[index].0 = usize::midpoint(places[first].0, places[last].0);
        }
        places[index].1 = MARGIN + node.ply as usize * HEIGHT + HEIGHT / 4;
    }
    places
}

fn is_below(question: &TreeQuestion, node: usize, above: usize) -> bool {
    let children = &question.sketch.nodes[above].children;
    node == above || children.iter().any(|&child| is_below(question, node, child))
}

fn triangle(x: usize, y: usize, is_up: bool) -> String {
    let (tip, base) = if is_up { (y - 14, y + 10) } else { (y + 14, y - 10) };
    format!("{x},{tip} {},{base} {},{base}", x - 15, x + 15)
}

/// Returns a description of the tree for screen readers.
fn in_words(question: &TreeQuestion) -> String {
    let viewpoint = Viewpoint::of(&question.sketch.position);
    let leaf = |&leaf: &usize| {
        let node = &question.sketch.nodes[leaf];
        let way = way(question, leaf).join(", ");
        let score = node.leaf.map(|score| viewpoint.score(score)).unwrap_or_default();
        format!("leaf {} after {way}: {score}", question.leaf_name(leaf))
    };
    let leaves = question.sketch.leaves();
    format!("A tree. {}.", leaves.iter().map(leaf).collect::<Vec<_>>().join("; "))
}

/// Returns the moves that lead to a node.
fn way(question: &TreeQuestion, node: usize) -> Vec<String> {
    let path = (1..=node).filter(|&above| is_below(question, node, above));
    path.filter_map(|index| question.sketch.nodes[index].mv).map(|mv| mv.to_string()).collect()
}

//! Questions as text and as pages: one that checks answers, and a sheet to print.

use maud::{Markup, PreEscaped, html};
use plyground::Game;

use super::sketch::{Shown, tree_svg};
use super::{Practice, Question, TreeQuestion};
use crate::block;
use crate::comparison::Viewpoint;
use crate::html::{document, in_script};

const STYLE: &str =
    concat!(include_str!("../page/alone.css"), include_str!("../page/practice.css"));
const SCRIPT: &str = include_str!("../page/practice.js");

/// Returns a page on which a person answers the questions and the page says if the answers are right.
///
/// # Errors
///
/// Returns an error of the serializer; none is expected.
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

/// Returns a sheet to print: the questions with room for the answers, and with `solutions` the solutions on
/// pages of their own.
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
    let board = position.board();
    html! {
        h2 { "Question " (number + 1) }
        div class="shown" {
            @match block::drawing(position, &board) {
                Some(drawing) => div class="board" {
                    (drawing)
                    @for line in block::counts(position) { p class="quiet" { (line) } }
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
                @for mv in moves(question) { option { (mv) } }
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

/// Returns the answers to a question as the page compares them: the value, the right moves, the leaves, and
/// the solution in words.
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

/// Returns the questions, followed with `solutions` by all the solutions.
#[must_use]
pub fn text(practice: &Practice, solutions: bool) -> String {
    let mut out = format!("{}: questions of seed {}\n", practice.title, practice.seed);
    for (number, question) in (1..).zip(&practice.questions) {
        out += &format!("\nQuestion {number}\n\n{}\n", question.position().board());
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
    let side = Viewpoint::of(&question.sketch.position).mover(0);
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
        "{} Of all moves, look only at those of the tree. The leaves have their evaluations, as {} \
         sees them, who maximizes; {} minimizes.",
        position.turn(),
        viewpoint.mover(0),
        viewpoint.mover(1)
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
pub(super) fn solution(question: &Question) -> String {
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

/// Returns the legal moves of a question's position, as a person writes them.
pub(super) fn moves(question: &Question) -> Vec<String> {
    question.position().legal_moves().map(|mv| mv.to_string()).collect()
}

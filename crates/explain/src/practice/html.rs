//! Questions as pages: one that checks answers, and a sheet to print.

use maud::{Markup, PreEscaped, html};

use super::text::{about, asks, moves, solution};
use super::tree_svg::{Shown, tree_svg};
use super::{Practice, Question, TreeQuestion};
use crate::board;
use crate::html::{document, in_script};
use crate::viewpoint::Viewpoint;

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
            @match board::drawing(position, &board) {
                Some(drawing) => div class="board" {
                    (drawing)
                    @for line in board::counts(position) { p class="quiet" { (line) } }
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

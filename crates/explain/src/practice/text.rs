//! Questions as text.

use plyground::Game;

use super::{Practice, Question, TreeQuestion};
use crate::viewpoint::Viewpoint;

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

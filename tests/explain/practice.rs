//! Questions: their answers are right, and the same seed gives the same ones.

use plyground::search::{Limits, Minimax, Scope, Search};
use plyground::{Flat, Game, Score};
use plyground_explain::practice::{
    BestMoveQuestion, Practice, Question, Sketch, TreeQuestion, page, sheet, text,
};
use plyground_host::{HostedPosition, SharedGame};

use crate::games;

/// Returns the value of minimax at a node of a sketch, by the definition: the root's side
/// maximizes.
fn value(sketch: &Sketch, index: usize) -> Score {
    let node = &sketch.nodes[index];
    let values = node.children.iter().map(|&child| value(sketch, child));
    let best = if node.ply.is_multiple_of(2) { values.max() } else { values.min() };
    node.leaf.or(best).expect("a leaf, or moves")
}

/// Goes through a sketch by alpha-beta with two bounds, and notes the leaves that it looks at.
fn alpha_beta(
    sketch: &Sketch,
    index: usize,
    (mut alpha, mut beta): (Score, Score),
    seen: &mut Vec<usize>,
) -> Score {
    let node = &sketch.nodes[index];
    if let Some(score) = node.leaf {
        seen.push(index);
        return score;
    }
    for &child in &node.children {
        let score = alpha_beta(sketch, child, (alpha, beta), seen);
        if node.ply.is_multiple_of(2) {
            alpha = alpha.max(score)
        } else {
            beta = beta.min(score)
        }
        if alpha >= beta {
            break;
        }
    }
    if node.ply.is_multiple_of(2) { alpha } else { beta }
}

fn check_tree(question: &TreeQuestion) {
    let sketch = &question.sketch;
    for (index, &found) in question.values.iter().enumerate() {
        assert_eq!(found, value(sketch, index));
    }
    assert_eq!(question.value, value(sketch, 0));
    let best = |&&child: &&usize| value(sketch, child) == question.value;
    let best: Vec<_> = sketch.nodes[0].children.iter().filter(best).collect();
    assert_eq!(best.len(), 1, "the answer leaves no doubt");
    assert_eq!(sketch.nodes[*best[0]].mv, Some(question.best));
    let mut seen = Vec::new();
    assert_eq!(alpha_beta(sketch, 0, (Score::MIN, Score::MAX), &mut seen), question.value);
    let unseen: Vec<_> = sketch.leaves().into_iter().filter(|leaf| !seen.contains(leaf)).collect();
    assert_eq!(question.unseen, unseen);
    assert!(!unseen.is_empty() && !question.reasons.is_empty());
    // The moves are legal, and in the order of the game.
    for node in &sketch.nodes {
        let moves: Vec<_> =
            node.children.iter().filter_map(|&child| sketch.nodes[child].mv).collect();
        assert!(moves.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

/// Returns `true` if the side to move wins by force within `plies` plies, by plain recursion.
fn wins_in(position: &HostedPosition, plies: u32) -> bool {
    position.legal_moves().any(|mv| {
        let next = position.after(mv);
        match next.outcome() {
            Some(outcome) => outcome.winner() == Some(position.side_to_move()),
            None if plies < 3 => false,
            None => next.legal_moves().all(|reply| {
                let after = next.after(reply);
                match after.outcome() {
                    Some(outcome) => outcome.winner() == Some(position.side_to_move()),
                    None => wins_in(&after, plies - 2),
                }
            }),
        }
    })
}

/// Returns `true` if the move wins within three plies, but not at once.
fn wins_by(position: &HostedPosition, mv: plyground_host::MoveText) -> bool {
    let next = position.after(mv);
    let winner = Some(position.side_to_move());
    next.outcome().is_none()
        && next.legal_moves().all(|reply| {
            let after = next.after(reply);
            match after.outcome() {
                Some(outcome) => outcome.winner() == winner,
                None => wins_in(&after, 1),
            }
        })
}

fn check_best(question: &BestMoveQuestion) {
    let BestMoveQuestion { position, right, .. } = question;
    let found: Vec<_> = match position.plies_left().filter(|_| position.points().is_some()) {
        Some(left) => {
            let mut minimax = Minimax::new(Flat);
            let limits = Limits::depth(left);
            let report = minimax.search(position, &limits, Scope::EveryMove, &mut |_| ());
            let lines = report.expect("not over").lines;
            let best = lines[0].score();
            lines.iter().filter(|line| line.score() == best).map(|line| line.first_move()).collect()
        }
        None => {
            assert!(!wins_in(position, 1), "it would be too easy");
            position.legal_moves().filter(|&mv| wins_by(position, mv)).collect()
        }
    };
    let (mut found, mut right) = (found, right.clone());
    found.sort();
    right.sort();
    assert_eq!(found, right, "{position}");
}

#[test]
fn answers_are_right() {
    let (mut trees, mut best_moves) = (0, 0);
    for game in games() {
        for seed in 0..4 {
            let practice = Practice::draw(&*game, seed, 6);
            assert_eq!(practice.questions.len(), 6);
            for question in &practice.questions {
                match question {
                    Question::Tree(question) => {
                        check_tree(question);
                        trees += 1;
                    }
                    Question::BestMove(question) => {
                        check_best(question);
                        best_moves += 1;
                    }
                }
            }
        }
    }
    assert!(trees >= 30 && best_moves >= 12, "{trees} and {best_moves}");
}

/// Boards on paper have what the rules go by: the cells that there are, and what is counted.
#[test]
fn boards_show_what_is_counted() {
    let [maxconnect4, network] = games();
    let one = |game: &SharedGame| sheet(&Practice::draw(&**game, 7, 1), false);
    let (maxconnect4, network) = (one(&maxconnect4), one(&network));
    assert!(maxconnect4.contains("Player 1: ") && maxconnect4.contains(" point"));
    assert!(network.contains("White: ") && network.contains(" in hand"));
    let board =
        network.split("<div class=\"board\">").nth(1).and_then(|rest| rest.split("</svg>").next());
    // 8 by 8 without the corners.
    assert_eq!(board.expect("a board").matches("<rect").count(), 60);
}

#[test]
fn same_seed_gives_the_same_sheet() {
    for game in games() {
        let draw = |seed| Practice::draw(&*game, seed, 3);
        let [one, same, other] = [draw(7), draw(7), draw(8)];
        assert_eq!(text(&one, true), text(&same, true));
        assert_ne!(text(&one, true), text(&other, true));
        assert_eq!(page(&one).expect("a page"), page(&same).expect("a page"));
        let (with, without) = (sheet(&one, true), sheet(&one, false));
        assert!(with.contains("Solutions") && !without.contains("Solutions"));
        assert!(text(&one, true).contains("Solutions") && !text(&one, false).contains("Solutions"));
        // What is to be found out is not in the sheet by accident.
        let Question::Tree(question) = &one.questions[0] else { panic!("a tree comes first") };
        for reason in &question.reasons {
            assert!(!without.contains(&*reason.replace('&', "&amp;")));
        }
    }
}

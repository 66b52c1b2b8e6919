//! Searches to look at: what they say as text, as data and as graphs, and the questions about them.

mod review;

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use plyground::search::{Limits, Minimax, Scope, Search, SearchContext};
use plyground::testing::random_position;
use plyground::trace::{Order, Source, Statement, TraceOptions};
use plyground::{Flat, Game, Score, Term};
use plyground_explain::html::Block;
use plyground_explain::practice::{
    self, BestMoveQuestion, Practice, Question, Sketch, TreeQuestion, page, sheet,
};
use plyground_explain::{Comparison, Viewpoint, html, text, why};
use plyground_host::toy::toy;
use plyground_host::{ExplainRequest, Explanation, HostedPosition, SharedGame};
use serde_json::Value;

/// Both games.
fn games() -> [SharedGame; 2] {
    [maxconnect4::game(), network::game(network::Rules::Berkeley)]
}

/// Random positions of both games that are not over.
fn positions(count: u64) -> impl Iterator<Item = HostedPosition> {
    let position = |seed: u64| {
        let game = &games()[seed as usize % 2];
        random_position(&game.start(), 6 + (seed as u32 * 5) % 20, seed)
    };
    (0..count).map(position).filter(|position| position.outcome().is_none())
}

/// A whole tree, as deep as such trees are small.
fn explain(position: &HostedPosition, order: Order, table: bool) -> Explanation {
    let depth = if position.legal_moves().count() < 10 { 4 } else { 2 };
    let options = TraceOptions { depth, prunes: true, order, table };
    let request = ExplainRequest {
        options,
        most_nodes: u64::MAX,
        most_visited: u64::MAX,
        context: SearchContext::default(),
    };
    position.explain(&request).expect("a small tree")
}

#[test]
fn terms_add_up_to_the_evaluation() {
    let mut leaves = 0;
    for position in positions(40) {
        let explanation = explain(&position, Order::Natural, false);
        for (index, node) in explanation.tree.nodes().iter().enumerate() {
            let Some(found) = node.found.filter(|found| found.source == Source::Evaluation) else {
                assert!(explanation.terms.of(index).is_empty());
                continue;
            };
            let sum: i32 = explanation.terms.of(index).iter().map(Term::score).sum();
            let way = explanation.way(index).into_iter();
            let leaf = way.fold(position.clone(), |position, mv| position.after(mv));
            assert_eq!(leaf.terms(), explanation.terms.of(index));
            // Only the limits that Max-Connect4 proves may come between.
            let is_limited = position.points().is_some() && found.score.get() % 100 == 0;
            assert!(sum == found.score.get() || is_limited, "{sum} and {}", found.score);
            leaves += 1;
        }
    }
    assert!(leaves > 1_000, "{leaves}");
}

#[test]
fn every_cut_has_a_sentence() {
    let mut cuts = 0;
    for position in positions(12) {
        for order in [Order::Natural, Order::Bad] {
            let explanation = explain(&position, order, false);
            for (index, node) in explanation.tree.nodes().iter().enumerate() {
                let sentence = why(&explanation, index);
                assert_eq!(sentence.is_some(), node.has_cut());
                let Some(sentence) = sentence else { continue };
                let viewpoint = Viewpoint::of(&explanation.position);
                let limit = if viewpoint.is_own(node) { "(beta)" } else { "(alpha)" };
                let other = viewpoint.name(node.side.other());
                assert!(sentence.contains(limit), "{sentence}");
                assert!(sentence.contains(&format!("but {other} already has")), "{sentence}");
                cuts += 1;
            }
        }
    }
    assert!(cuts > 50, "{cuts}");
}

#[test]
fn data_hold_the_tree() {
    for (number, position) in positions(12).enumerate() {
        let explanation = explain(&position, Order::Natural, number % 3 == 0);
        let block = Block::new(&explanation, None).expect("data");
        let head = serde_json::to_value(&block.head).expect("JSON");
        let packed = BASE64_STANDARD.decode(&block.data).expect("base64");
        let mut bytes = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut bytes).expect("gzip");
        let nodes = explanation.tree.nodes();
        let count = nodes.len();
        assert_eq!(head["count"], count);
        let seen = Viewpoint::of(&explanation.position);
        let int16 = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        for (index, node) in nodes.iter().enumerate() {
            let visited = &bytes[4 * index..4 * index + 4];
            assert_eq!(visited, u32::try_from(node.visited).expect("few").to_le_bytes());
            let shown = seen.see(node);
            let columns = [0, 1, 2].map(|column| int16(8 * count + 2 * (column * count + index)));
            let score = shown.found.map_or(0, |(_, score)| score.get());
            let expected = [shown.alpha.get(), shown.beta.get(), score];
            assert_eq!(columns.map(i32::from), expected);
            assert_eq!(u32::from(bytes[20 * count + index]), node.ply);
        }
        // Both games tell by the moves what the board looks like.
        assert!(!head["cells"].as_array().expect("cells").is_empty());
    }
}

#[test]
fn json_is_the_tree() {
    let position = positions(2).next().expect("one");
    let explanation = explain(&position, Order::Good, true);
    let comparison =
        Comparison::new(&position, explanation.options.depth, &SearchContext::default(), 1_000_000);
    let text = text::json(&explanation, &comparison).expect("JSON");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["nodes"], explanation.counts.nodes());
    assert_eq!(json["tree"].as_array().map(Vec::len), Some(explanation.tree.nodes().len()));
    assert_eq!((&json["order"], &json["table"]), (&"good".into(), &true.into()));
    assert_eq!(json["tree"][0]["bound"], "exact");
    let nodes = json["tree"].as_array().expect("nodes");
    let is_cut = |node: &&Value| node.get("score").is_none();
    assert_eq!(nodes.iter().filter(is_cut).count() as u64, explanation.counts.cut());
    assert!(nodes.iter().any(|node| node["why"].is_string()));
    assert!(nodes.iter().any(|node| node["same_as"].is_number()));
    assert!(nodes.iter().any(|node| node["terms"].is_array()));
}

#[test]
fn ways_to_search_are_ordered_by_what_they_cost() {
    let [maxconnect4, _] = games();
    let comparison = Comparison::new(&maxconnect4.start(), 5, &SearchContext::default(), 1_000_000);
    let nodes: Vec<_> = comparison.ways.iter().filter_map(|way| way.nodes).collect();
    // 1 + 7 + ... + 7^5: no column is full by then.
    assert_eq!(nodes[0], 19_608);
    assert!(nodes.is_sorted_by(|more, less| more > less), "{comparison:?}");
    let few = Comparison::new(&maxconnect4.start(), 5, &SearchContext::default(), 1_000);
    assert_eq!((few.show(few.ways[0].nodes), few.ways[0].nodes), ("> 1,000".to_owned(), None));
}

#[test]
fn folded_tree_says_what_is_left_out() {
    let [maxconnect4, _] = games();
    let options = TraceOptions { depth: 6, ..TraceOptions::default() };
    let request = ExplainRequest {
        options,
        most_nodes: 60,
        most_visited: 1_000_000,
        context: SearchContext::default(),
    };
    let start = maxconnect4.start();
    let explanation = start.explain(&request).expect("a tree");
    let shown = explanation.tree.nodes().iter().filter(|node| node.found.is_some()).count() as u64;
    assert_eq!(explanation.left_out(), explanation.counts.nodes() - shown);
    let comparison = Comparison::new(&start, 2, &SearchContext::default(), 1_000);
    let text = text::text(&explanation, &comparison);
    assert!(text.contains("are left out: --nodes"), "{text}");
    assert!(text.lines().count() < 90, "{text}");
    let small = ExplainRequest { most_visited: 50, ..request.clone() };
    assert!(start.explain(&small).is_none());
}

#[test]
fn graph_has_every_node_once() {
    let position = positions(1).next().expect("one");
    let explanation = explain(&position, Order::Natural, false);
    let graph = html::dot(&explanation);
    let nodes = graph.lines().filter(|line| line.contains("[label=\"")).count();
    let edges = graph.lines().filter(|line| line.contains(" -> ")).count();
    assert_eq!((nodes, edges), (explanation.tree.nodes().len(), nodes - 1));
    assert_eq!(graph.matches('{').count(), graph.matches('}').count());
}

/// A win in at most some plies is at least that win, and a loss in at most some is at most that loss.
#[test]
fn forced_ends_are_bounds_by_time() {
    let [_, network] = games();
    let viewpoint = Viewpoint::of(&network.start());
    let (win, loss) = (Score::win_in(3), Score::loss_in(1));
    for (relation, score, words, signs) in [
        (Statement::Exact, win, "a win for White in 3 plies", "= win in 3"),
        (Statement::AtLeast, win, "a win for White within 3 plies", "win in <= 3"),
        (Statement::AtMost, win, "at best a win for White in 3 plies", "<= win in 3"),
        (Statement::Exact, loss, "a loss for White in 1 ply", "= loss in 1"),
        (Statement::AtLeast, loss, "at worst a loss for White in 1 ply", ">= loss in 1"),
        (Statement::AtMost, loss, "a loss for White within 1 ply", "loss in <= 1"),
        (Statement::AtMost, Score::estimate(-50), "at most -0.50", "<= -0.50"),
    ] {
        assert_eq!(viewpoint.words(relation, score), words);
        assert_eq!(viewpoint.value(relation, score), signs);
    }
}

/// Nothing in a page refers to anything outside of it, and its script is the modules.
#[test]
fn page_is_one_file() {
    let position = positions(1).next().expect("one");
    let explanation = explain(&position, Order::Natural, false);
    let comparison = Comparison::new(&position, 2, &SearchContext::default(), 100_000);
    let page_text = html::page(&explanation, comparison.clone()).expect("a page");
    assert_eq!(page_text, html::page(&explanation, comparison).expect("the same"));
    let foreign = page_text.replace("http://www.w3.org/", "");
    for sign in ["http://", "https://", " src=", "<link", "@import", "url("] {
        assert!(!foreign.contains(sign), "{sign}");
    }
    let script = html::script();
    assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
    assert!(page_text.contains(&script));
}

/// A game without a page has a tree all the same.
#[test]
fn game_without_a_board_is_explained() {
    let start = toy().start();
    let options = TraceOptions { depth: 3, ..TraceOptions::default() };
    let request = ExplainRequest {
        options,
        most_nodes: 1_000,
        most_visited: 1_000_000,
        context: SearchContext::default(),
    };
    let explanation = start.explain(&request).expect("a tree");
    let block = Block::new(&explanation, None).expect("data");
    let head = serde_json::to_value(&block.head).expect("JSON");
    assert!(head["terms"].as_array().is_some_and(Vec::is_empty), "{head}");
}

/// The manual goes through the heart of the search.
#[test]
fn manual_quotes_the_search() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(project.join(name)).expect("a file");
    let (manual, source) = (read("docs/explain.md"), read("src/trace/alpha_beta.rs"));
    let quote = manual.split("```rust,ignore\n").nth(1).and_then(|rest| rest.split("```").next());
    let quote = quote.expect("a quote");
    assert!(quote.lines().count() > 10 && source.contains(quote), "{quote}");
}

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
        assert_eq!(practice::text(&one, true), practice::text(&same, true));
        assert_ne!(practice::text(&one, true), practice::text(&other, true));
        assert_eq!(page(&one).expect("a page"), page(&same).expect("a page"));
        let (with, without) = (sheet(&one, true), sheet(&one, false));
        assert!(with.contains("Solutions") && !without.contains("Solutions"));
        assert!(
            practice::text(&one, true).contains("Solutions")
                && !practice::text(&one, false).contains("Solutions")
        );
        // What is to be found out is not in the sheet by accident.
        let Question::Tree(question) = &one.questions[0] else { panic!("a tree comes first") };
        for reason in &question.reasons {
            assert!(!without.contains(&*reason.replace('&', "&amp;")));
        }
    }
}

//! The answers of the server to its page.

use serde_json::{Value, json};

use super::serve;

/// White, with all its chips on the board, is to step.
const STEPS: &str = "....B.../..WWBW../..B...B./..W.WW../WB...BB./..WB..WW/.....B../....B.../W";

fn game(rules: &str, start: &str, moves: &[&str]) -> Value {
    json!({ "rules": rules, "start": start, "moves": moves })
}

#[test]
fn rules_have_their_own_board() {
    let served = serve();
    assert_eq!(served.greeting, format!("Network game: {}\n", served.url()));
    assert!(served.get("/").head.contains("content-type: text/html"));
    for (rules, first, goal) in [("berkeley", "White", "second"), ("usf", "Black", "first")] {
        let about = served.get(&format!("/api/game?rules={rules}")).json();
        assert_eq!(about["sides"][0], first);
        assert_eq!(about["rule_sets"], json!(["berkeley", "usf"]));
        assert_eq!(about["layout"]["grounds"][1], goal, "the upper goal is Black's");
        assert_eq!(about["layout"]["names"][28], json!(["43", "D5"]));
        assert_eq!(about["perfect"], false);
    }
    assert_eq!(served.get("/api/game?rules=chess").error(), "there are no rules called `chess`");
}

#[test]
fn squares_have_reasons_to_be_no_choice() {
    let served = serve();
    let start = "......../......../......../......../......../......../......../......../W";
    let view = served.position(&game("berkeley", start, &["33", "44", "43"]));
    let reasons = &view["reasons"];
    assert_eq!(reasons["0"], "00 is a corner, where nobody may play");
    assert_eq!(reasons["8"], "01 is in a goal of White");
    assert_eq!(reasons["27"], "there is a chip of White on 33");
    let next = served.position(&game("berkeley", start, &["33", "44", "43", "10"]));
    let why = next["reasons"]["18"].as_str().expect("a reason");
    assert!(why.ends_with("would be a group of three"), "{why}");
    let read = served.position(&game("berkeley", start, &["D4", "[add to 44]"]));
    assert_eq!(read["played"][0]["names"], json!(["33", "D4"]), "either notation is read");
}

#[test]
fn steps_go_from_a_chip_to_a_square() {
    let served = serve();
    let line = game("berkeley", STEPS, &[]);
    let view = served.position(&line);
    assert!(
        view["moves"].as_array().is_some_and(|moves| moves.iter().all(|mv| mv["from"].is_u64()))
    );
    assert_eq!(view["reasons"]["4"], "the chip on 40 is the opponent's");
    assert_eq!(view["reasons"]["9"], "there is no chip on 11");
    let body = json!({ "game": line, "from": 32 });
    let lifted = served.post("/api/position", &body).json();
    assert_eq!(lifted["reasons"]["4"], "40 is in a goal of Black");
    assert_eq!(lifted["reasons"]["32"], "the chip must go to another square");
    assert!(
        lifted["lines"]
            .as_array()
            .is_some_and(|lines| lines.iter().any(|line| line["kind"] == "link"))
    );
}

#[test]
fn won_game_shows_its_network() {
    let served = serve();
    // Shown in the README as well.
    let start = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W";
    let won = served.position(&game("berkeley", start, &["75"]));
    assert_eq!(won["over"]["result"], "White wins.");
    assert_eq!(won["over"]["reason"], "network of White 05-23-43-52-55-75");
    let lines = won["lines"].as_array().expect("lines");
    let network = lines.iter().find(|line| line["kind"] == "win").expect("the network");
    assert_eq!(network["cells"], json!([40, 26, 28, 21, 45, 47]));
    assert_eq!(won["moves"], json!([]));
}

#[test]
fn analysis_finds_a_win() {
    let served = serve();
    let start = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W";
    let mut events = served.ask("a", &game("berkeley", start, &[]), 0);
    let found = events.find(|found| found["lines"][0]["bound"] == "exact").expect("an exact value");
    assert_eq!(found["lines"][0]["text"], "win in 1");
    assert_eq!(found["lines"][0]["pv"][0]["move"], "75");
    events.leave();
    let body =
        json!({ "client": "a", "game": game("berkeley", start, &[]), "player": "machine:depth=2" });
    assert_eq!(served.post("/api/choice", &body).json()["move"], "75");
    let body =
        json!({ "client": "a", "game": game("berkeley", start, &[]), "player": "machine:perfect" });
    let error = served.post("/api/choice", &body).error();
    assert!(error.starts_with("perfect play is for games whose rules end them"), "{error}");
}

#[test]
fn win_from_the_empty_board_is_shown_with_its_line() {
    let served = serve();
    let start = "......../......../......../......../......../......../......../......../W";
    let mut events = served.ask("a", &game("berkeley", start, &[]), 0);
    let is_shown = |found: &Value| {
        let best = &found["lines"][0];
        best["bound"] == "at-least" && best["pv"].as_array().is_some_and(|line| line.len() > 2)
    };
    let found = events.find(is_shown).expect("a line that wins");
    let text = found["lines"][0]["text"].as_str().expect("a value");
    assert!(text.starts_with("win in ≤ "), "{text}");
    assert_eq!(found["lines"][0]["forced"], true);
    assert!(found["verdict"].as_str().is_some_and(|text| text.starts_with("Forced: White wins")));
    events.leave();
}

//! The answers of the server to its page.

use serde_json::{Value, json};

use super::{EMPTY, game, serve};

#[test]
fn page_is_served_whole_and_for_itself_alone() {
    let served = serve("");
    assert_eq!(served.greeting, format!("MaxConnect-4 game: http://{}/\n", served.address));
    let page = served.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"));
    assert!(page.head.contains("content-security-policy: default-src 'none';"));
    for path in page.body.split("\"page/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert_eq!(served.get(&format!("/page/{path}")).status, 200, "{path}");
    }
    let about = served.get("/api/game").json();
    assert_eq!((&about["name"], &about["perfect"]), (&json!("maxconnect4"), &json!(true)));
    let mut start = game(&[]);
    start["game"] = json!("maxconnect4");
    assert_eq!(about["start"], start);
    let games = json!([{ "name": "maxconnect4", "title": "MaxConnect-4 game" }]);
    assert_eq!(about["games"], games);
}

#[test]
fn positions_come_with_their_moves_and_points() {
    let served = serve("");
    let view = served.position(&game(&["4", "4", "3", "3", "2", "2", "1"]));
    assert_eq!(view["turn"], "Player 2 is to move.");
    assert_eq!(view["moves"].as_array().map(Vec::len), Some(7));
    assert_eq!(view["moves"][0]["to"], 28, "column 1 has one piece");
    assert_eq!(view["counts"][0][0], json!({ "name": "point", "value": 1, "as_pieces": false }));
    let made: Vec<&Value> = view["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .filter(|line| line["kind"] == "made")
        .collect();
    assert_eq!(made, [&json!({ "kind": "made", "side": 0, "cells": [35, 36, 37, 38] })]);
    assert_eq!(view["played"][6]["text"], "move 7: Player 1, column 1");
    let state = view["state"].as_str().expect("a state file");
    assert!(state.ends_with("0222000\r\n1111000\r\n2\r\n"), "{state}");
}

#[test]
fn end_of_a_game_has_its_reason_and_full_columns_theirs() {
    let served = serve("");
    let full = served.position(&game(&["1", "1", "1", "1", "1", "1"]));
    assert!(full["reasons"]["0"].as_str().is_some_and(|why| why.contains("full")), "{full}");
    let start = "0222101/1121211/2222221/1111111/2222222/2111111/1";
    let line = json!({ "rules": "standard", "start": start, "moves": ["1", "6"] });
    let over = served.position(&line);
    assert!(over["over"]["reason"].as_str().is_some_and(|why| why.starts_with("board full")));
    let choice = json!({ "client": "a", "game": line, "player": "machine" });
    assert_eq!(served.post("/api/choice", &choice).error(), "the game is over");
}

#[test]
fn machine_of_every_kind_moves() {
    let served = serve("");
    for player in ["machine:depth=5", "machine:time=50ms", "machine:perfect,time=50ms", "random"] {
        let body = json!({ "client": "a", "game": game(&["4", "4"]), "player": player });
        let choice = served.post("/api/choice", &body).json();
        let mv = choice["move"].as_str().unwrap_or_else(|| panic!("{player}: {choice}"));
        assert!(("1"..="7").contains(&mv), "{player}: {choice}");
    }
    let book = json!({ "client": "a", "game": game(&[]), "player": "machine:perfect" });
    let choice = served.post("/api/choice", &book).json();
    assert_eq!((&choice["source"], &choice["score"]["text"]), (&json!("book"), &json!("0")));
    for (player, why) in [
        ("human", "a person chooses their own moves"),
        ("machine:depth=43", "expected a depth from 1 to 42, found 43"),
        ("nobody", "only this program's own machines play here"),
        ("file:/bin/true", "only this program's own machines play here"),
        ("line:/bin/true", "only this program's own machines play here"),
    ] {
        let body = json!({ "client": "a", "game": game(&[]), "player": player });
        let error = served.post("/api/choice", &body).error();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn analysis_ends_with_exact_values_of_every_move() {
    let served = serve("");
    let start = "0022100/0021201/0022221/0011111/0022222/2011111/1";
    let line = json!({ "rules": "standard", "start": start, "moves": [] });
    let findings = served.ask("a", &line, 0).end();
    assert_eq!(findings["done"], true);
    assert_eq!(findings["complete"], true);
    let values: Vec<(&str, &str, &str)> = findings["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| {
            let mv = line["pv"][0]["move"].as_str().expect("a move");
            let [text, bound] = ["text", "bound"].map(|key| line[key].as_str().expect("a text"));
            (mv, text, bound)
        })
        .collect();
    let mut sorted = values.clone();
    sorted.sort_unstable();
    let expected = [("1", "-1"), ("2", "0"), ("6", "-1"), ("7", "0")];
    let expected = expected.map(|(mv, text)| (mv, text, "exact"));
    assert_eq!(sorted, expected);
    assert_eq!(values[0].1, "0", "the best comes first");
}

#[test]
fn analysis_judges_the_rest_of_the_game_too() {
    let served = serve("");
    let start = "0022100/0021201/0022221/0011111/0022222/2011111/1";
    let line = json!({ "rules": "standard", "start": start, "moves": ["6", "7"] });
    let body = json!({ "client": "a", "game": line, "ply": 1, "earlier": [0, 2, 99] });
    let answer = served.post("/api/analysis", &body);
    let last = answer.body.rsplit("data: ").next().expect("an event");
    let findings: Value = serde_json::from_str(last.lines().next().expect("a line")).expect("JSON");
    let earlier = findings["earlier"].as_array().expect("values");
    assert_eq!(earlier.iter().map(|at| &at["ply"]).collect::<Vec<_>>(), [0, 2]);
    assert_eq!((&earlier[0]["first"], &earlier[1]["first"]), (&json!(0), &json!(-100)));
}

#[test]
fn positions_and_games_are_opened_and_saved() {
    let served = serve("");
    let open = |text: &str| served.post("/api/open", &json!({ "rules": "standard", "text": text }));
    let position = open(&EMPTY.replace('/', "\r\n")).json();
    assert_eq!(position["games"][0]["start"], EMPTY);
    assert_eq!(open("012").error(), "1:4: expected a row of 7 cells, found 3");
    let players =
        json!([{ "name": "Ann", "player": "human" }, { "name": "Bob", "player": "random" }]);
    let save = |moves: &[&str], times: &[u64]| {
        let body = json!({ "game": game(moves), "players": players, "times": times });
        let record = served.post("/api/record", &body).json();
        record["text"].as_str().expect("a record").to_owned()
    };
    let (one, two) = (save(&["4", "3"], &[1_500]), save(&["1"], &[]));
    assert!(!one.contains("\"line\":\"end\""), "the game is not over: {one}");
    let games = open(&format!("{one}\n{two}")).json();
    assert_eq!(games["games"].as_array().map(Vec::len), Some(2));
    assert_eq!(games["games"][0]["moves"], json!(["4", "3"]));
    assert_eq!(games["games"][0]["times"], json!([1_500, 0]));
    assert_eq!(games["games"][1]["players"], players);
    let broken = open(&format!("{one}{}", two.replace("\"1\"", "\"9\""))).error();
    assert_eq!(broken, "5: `9` is no move");
}

#[test]
fn server_without_analysis_says_nothing_of_values() {
    let served = serve("--no-analysis");
    let about = served.get("/api/game").json();
    assert_eq!((&about["analysis"], &about["perfect"]), (&json!(false), &json!(false)));
    let ask = |path: &str, mut body: Value| {
        body["client"] = json!("a");
        body["game"] = game(&["4"]);
        served.post(path, &body)
    };
    assert_eq!(ask("/api/analysis", json!({ "ply": 1 })).status, 403);
    for player in ["machine:perfect", "machine:perfect,time=1s"] {
        assert_eq!(ask("/api/choice", json!({ "player": player })).status, 403, "{player}");
    }
    let choice = ask("/api/choice", json!({ "player": "machine:depth=2" })).json();
    assert_eq!((&choice["score"], &choice["source"]), (&Value::Null, &Value::Null), "{choice}");
    assert!(choice["move"].is_string(), "{choice}");
}

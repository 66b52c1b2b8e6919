//! `maxconnect4 serve` as its page sees it, a client that speaks HTTP well or badly, and a person with a
//! browser. Here are the answers of the server to its page.

#[cfg(target_os = "linux")]
mod crowds;
mod page;
#[cfg(unix)]
mod programs;

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, ExitStatus};

use serde_json::{Value, json};

use crate::common::served::{Answer, Events, Served};

const EMPTY: &str = "0000000/0000000/0000000/0000000/0000000/0000000/1";

fn serve(args: &str) -> Served {
    Served::start(env!("CARGO_BIN_EXE_maxconnect4"), args)
}

/// A game from the empty board.
fn game(moves: &[&str]) -> Value {
    json!({ "rules": "standard", "start": EMPTY, "moves": moves })
}

impl Served {
    /// Sends a signal, and waits for the end.
    pub fn signal(mut self, signal: &str) -> ExitStatus {
        let id = self.process.id().to_string();
        let status = Command::new("kill").args(["-s", signal, &id]).status().expect("kill");
        assert!(status.success());
        self.process.wait().expect("an end")
    }

    /// The memory of the process in KiB.
    pub fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).expect("the state of the process");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("its memory");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    }
}

impl Events {
    /// The last of them.
    fn end(self) -> Value {
        self.last().expect("an event")
    }
}

#[test]
fn page_is_served_whole_and_for_itself_alone() {
    let served = serve("");
    assert_eq!(served.greeting, format!("Max-Connect4: http://{}/\n", served.address));
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
    let games = json!([{ "name": "maxconnect4", "title": "Max-Connect4", "rules": "standard" }]);
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
fn review_tells_of_mistakes_from_the_last_move_to_the_first() {
    let served = serve("");
    // One move each is left; the first player wins by column 1, and column 6 is a tie.
    let start = "0222101/1121211/2222221/1111111/2222222/2111111/1";
    let line = json!({ "rules": "standard", "start": start, "moves": ["6", "1"] });
    let review = |game: &Value| {
        let answer = served.post("/api/review", &json!({ "client": "a", "game": game }));
        assert!(answer.head.contains("content-type: text/event-stream"), "{answer:?}");
        let events = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let events = events.map(|event| serde_json::from_str(event).expect("JSON"));
        events.collect::<Vec<Value>>()
    };
    let events = review(&line);
    let last = events.last().expect("an event");
    assert_eq!((&last["done"], &last["left"]), (&json!(true), &json!(0)));
    let made = &last["review"]["moves"];
    let losses = [&made[0]["loss"], &made[1]["loss"]];
    assert_eq!(losses, [&json!(1), &json!(0)], "{last}");
    assert_eq!((&made[0]["best"], &made[0]["seen_at_depth"]), (&json!("1"), &json!(2)));
    assert_eq!(
        (&last["review"]["exact"], &last["review"]["start_value"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(last["lines"].as_object().map(|lines| lines.len()), Some(1));
    assert_eq!(last["lines"]["1"]["best"][0]["move"], "1");
    assert_eq!(last["lines"]["1"]["refutation"][0]["move"], "1");
    let unfinished = json!({ "rules": "standard", "start": start, "moves": [] });
    assert_eq!(review(&unfinished).last().expect("an event")["review"]["moves"], json!([]));
    let illegal = json!({ "rules": "standard", "start": start, "moves": ["2"] });
    let refused = served.post("/api/review", &json!({ "client": "a", "game": illegal }));
    assert!(refused.error().contains("full"), "{refused:?}");
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
    assert_eq!(ask("/api/review", json!({})).status, 403);
    for player in ["machine:perfect", "machine:perfect,time=1s"] {
        assert_eq!(ask("/api/choice", json!({ "player": player })).status, 403, "{player}");
    }
    let choice = ask("/api/choice", json!({ "player": "machine:depth=2" })).json();
    assert_eq!((&choice["score"], &choice["source"]), (&Value::Null, &Value::Null), "{choice}");
    assert!(choice["move"].is_string(), "{choice}");
}

#[test]
fn other_paths_lead_nowhere() {
    let served = serve("");
    for path in [
        "/page",
        "/page/",
        "/page/../Cargo.toml",
        "/page/..%2f..%2fCargo.toml",
        "/../../etc/passwd",
        "//etc/passwd",
        "/page/%2e%2e/%2e%2e/etc/passwd",
        "/page/main.js/",
        "/page/main.js%00",
        "/page/style.css.map",
        "/index.html",
        "/api",
        "/api/nothing",
        "/page\\..\\Cargo.toml",
    ] {
        let answer = served.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[package]"), "{path}");
    }
    assert_eq!(served.post("/", &json!({})).status, 405);
    assert_eq!(served.get("/api/position").status, 405);
}

#[test]
fn request_that_is_not_of_the_page_is_refused() {
    let served = serve("");
    let port = served.address.port();
    let status = |head: &str| served.request("GET", "/", head, "").status;
    assert_eq!(status(&format!("Host: localhost:{port}\r\n")), 200);
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("localhost.evil.example:{port}"),
        &format!("127.0.0.1.evil.example:{port}"),
        "",
    ] {
        assert_eq!(status(&format!("Host: {host}\r\n")), 403, "{host}");
    }
    assert_eq!(status(""), 400);
    assert_eq!(status(&format!("{0}{0}", served.host())), 400);
    let body = json!({ "game": game(&[]) }).to_string();
    let post = |head: &str| {
        let head = format!("{}{head}", served.json_head());
        served.request("POST", "/api/position", &head, &body).status
    };
    assert_eq!(post(&format!("Origin: http://{}\r\n", served.address)), 200);
    for head in [
        "Origin: null\r\n",
        "Origin: https://evil.example\r\n",
        &format!("Origin: https://{}\r\n", served.address),
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(post(head), 403, "{head}");
    }
}

#[test]
fn faulty_bodies_are_refused() {
    let served = serve("");
    let post = |body: &str| served.request("POST", "/api/position", &served.json_head(), body);
    for body in ["", "{", "[]", "null", "{\"game\":1}", "\u{0}", "{\"game\":{},\"more\":1}"] {
        assert_eq!(post(body).status, 400, "{body}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(post(&deep).status, 400);
    let fine = json!({ "game": game(&[]) }).to_string();
    let other_types = ["", "Content-Type: text/plain\r\n", "Content-Type: multipart/form-data\r\n"];
    for kind in other_types {
        let head = format!("{}{kind}", served.host());
        assert_eq!(served.request("POST", "/api/position", &head, &fine).status, 415, "{kind}");
    }
    for bytes in ["", "\r\n\r\n", "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}"]
    {
        let mut stream = served.connect();
        stream.write_all(bytes.as_bytes()).expect("a connection");
        stream.shutdown(std::net::Shutdown::Write).expect("a connection");
        assert!([0, 400].contains(&Answer::read(stream).status), "{bytes}");
    }
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn impossible_games_are_refused_in_words() {
    let served = serve("");
    let refused =
        |game: serde_json::Value| served.post("/api/position", &json!({ "game": game })).error();
    assert_eq!(refused(game(&["8"])), "move 1, column 8 does not exist: the columns are 1 to 7");
    assert_eq!(refused(game(&["x"])), "move 1: expected a column from 1 to 7, found `x`");
    assert_eq!(refused(game(&["1"; 201])), "a game ends after 200 moves");
    let mut other = game(&[]);
    other["rules"] = "chess".into();
    assert_eq!(refused(other), "there are no rules called `chess`");
    let mut unknown = game(&[]);
    unknown["game"] = "chess".into();
    assert_eq!(refused(unknown), "there is no game called `chess`");
    let mut floating = game(&[]);
    floating["start"] = "0000000/0000000/0000000/0000000/1000000/0000000/2".into();
    assert_eq!(
        refused(floating),
        "5:1: expected 0 above an empty cell, found a piece with nothing below it"
    );
}

#[test]
fn huge_requests_are_not_read() {
    let served = serve("");
    let head = served.json_head();
    let huge = served.raw(
        format!("POST /api/open HTTP/1.1\r\n{head}Content-Length: 1000000000\r\n\r\n[").as_bytes(),
    );
    assert_eq!(huge.status, 413);
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000)).repeat(20);
    let chunked =
        format!("POST /api/open HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n{chunk}");
    assert!([0, 413].contains(&served.raw(chunked.as_bytes()).status));
    let long_head = format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(100_000));
    assert!([0, 431].contains(&served.raw(long_head.as_bytes()).status));
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn slow_requests_are_given_up_and_hold_nobody_up() {
    let served = serve("--request-time 300ms");
    let head = served.json_head();
    let slow_body = format!("POST /api/open HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n[");
    let begun: Vec<_> = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", &slow_body]
        .iter()
        .map(|bytes| {
            let mut stream = served.connect();
            stream.write_all(bytes.as_bytes()).expect("a connection");
            stream
        })
        .collect();
    assert_eq!(served.get("/").status, 200);
    let statuses: Vec<u16> = begun.into_iter().map(|stream| Answer::read(stream).status).collect();
    assert_eq!(statuses.last(), Some(&408), "{statuses:?}");
    assert!(statuses[..3].iter().all(|status| [0, 408].contains(status)), "{statuses:?}");
}

#[test]
fn server_ends_at_a_signal() {
    for signal in ["INT", "TERM"] {
        let served = serve("");
        let mut events = served.ask("a", &game(&[]), 0);
        assert!(events.next().is_some());
        let idle = served.connect();
        let status = served.signal(signal);
        assert_eq!(status.code(), Some(0), "{signal}");
        drop(idle);
    }
}

#[test]
fn taken_port_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let run = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .args(["serve", "--port", &port])
        .output()
        .expect("the program");
    let error = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1));
    assert!(error.starts_with(&format!("error: cannot listen at 127.0.0.1:{port}: ")), "{error}");
    // Without a port of its own, two servers find one each.
    assert_ne!(serve("").address, serve("").address);
}

#[test]
fn page_opens_in_the_browser_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (browser, seen) = (folder.path().join("xdg-open"), folder.path().join("seen"));
    let script = format!("#!/bin/sh\necho \"$1\" > {0}.part && mv {0}.part {0}\n", seen.display());
    std::fs::write(&browser, script).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).expect("a program");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_maxconnect4"));
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    let served = Served::of(&mut command, "--open");
    // The browser starts on its own.
    while !seen.exists() {
        std::thread::yield_now();
    }
    assert_eq!(std::fs::read_to_string(&seen).expect("an address").trim(), served.url());
}

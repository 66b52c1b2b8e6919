//! `explain` and `practice`: their files, their faults, and their pages in a browser.

use serde_json::{Value, json};

use crate::common::browser::Browser;
use crate::common::project;
use crate::common::served::Served;
use crate::common::test_folder::{self, Tested};

mod tree;

type TestFolder = test_folder::TestFolder<Plyground>;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    for (game, name) in [("maxconnect4", "midgame"), ("network", "steps")] {
        let text = std::fs::read_to_string(project().join(format!("inputs/{game}/{name}.txt")));
        folder.write(&format!("{game}.txt"), text.expect("an input"));
    }
    folder
}

/// Loads a page of a file.
fn load(browser: &Browser, folder: &TestFolder, name: &str) {
    browser.load(&format!("file://{}", folder.path(name).display()));
}

/// The button with this text.
fn click(browser: &Browser, text: &str) {
    browser.run(&format!(
        "Array.from(document.querySelectorAll('.tree-buttons button')).find((one) => one.firstChild.data === {}).click()",
        json!(text)
    ));
}

const SENTENCE: &str = "return document.querySelector('.tree-sentence').textContent";

/// A program that takes the first column that is not full, or `$1`, and says what it thinks of it.
const SAYS: &str = "bob=line:sh -c 'while read word rest; do case $word in isready) echo readyok;; \
     go) echo info depth 2 nodes 50 score 10; echo info depth 3 nodes 1234 score cp 250 pv 1 1 9; echo bestmove 1;; \
     quit) exit;; esac; done'";

#[test]
fn what_a_program_says_is_set_beside_our_search() {
    let served = Served::with(Plyground::PROGRAM, &["--player", SAYS]);
    let mut line = served.get("/api/game").json()["start"].clone();
    line["moves"] = json!(["4", "1", "4", "1", "4"]);
    let body = json!({ "client": "a", "game": line, "player": "player:bob" });
    let turn = served.post("/api/choice", &body).json();
    assert_eq!(
        (&turn["move"], &turn["depth"], &turn["nodes"]),
        (&json!("1"), &json!(3), &json!(1234))
    );
    assert_eq!(turn["score"]["text"], "+2.50");
    // What is not legal ends the line of play.
    let pv: Vec<_> = turn["pv"].as_array().expect("moves").iter().map(|mv| &mv["move"]).collect();
    assert_eq!(pv, ["1", "1"]);
    line["moves"] = json!(["4", "1", "4", "1", "4", "1"]);
    let asked = json!([{ "ply": 5, "depth": 3 }, { "ply": 9, "depth": 3 }]);
    let body = json!({ "client": "a", "game": line, "asked": asked });
    let beside = served.post("/api/beside", &body).json();
    let ours = beside["moves"].as_array().expect("moves");
    assert_eq!(ours.len(), 1, "the game has no tenth move");
    assert_eq!(
        (&ours[0]["ply"], &ours[0]["depth"], &ours[0]["agrees"]),
        (&json!(5), &json!(3), &json!(false))
    );
    assert!(ours[0]["loss"].as_f64().is_some_and(|loss| loss > 0.0));
    let many = json!({ "client": "a", "game": line, "asked": vec![&asked[0]; 9] });
    let refused = served.post("/api/beside", &many);
    assert!(refused.status == 400 && refused.body.contains("at most 8"), "{refused:?}");
}

#[test]
fn page_draws_a_program_beside_our_search() {
    let served = Served::with(Plyground::PROGRAM, &["--player", SAYS]);
    let Some(browser) = Browser::start(1200, 1000) else { return };
    browser.load(&served.url());
    browser.run(
        "localStorage.setItem('plyground.maxconnect4.players', JSON.stringify([{ kind: 'human' }, { kind: 'player:bob' }]))",
    );
    browser.reload();
    for plies in [2, 4, 6] {
        browser.press(&["4"]);
        browser.wait(&format!("return document.querySelectorAll('#moves li').length === {plies}"));
    }
    browser.click("#beside input");
    browser.wait("return document.querySelectorAll('#beside tbody tr').length === 3");
    // It does not prevent a point.
    browser.wait_for_text("#beside tbody tr", "≠ 4 is ");
    browser.wait("return document.querySelectorAll('#beside polygon.ours').length === 9");
    browser.wait_for_text("#beside tbody tr", "1,234");
    let marks = "return ['circle.theirs', 'polygon.ours', 'text.apart'].map((name) => \
         document.querySelectorAll(`#beside svg ${name}`).length)";
    let marks = browser.run(marks);
    assert_eq!((&marks[0], &marks[1]), (&json!(9), &json!(9)));
    assert!(marks[2].as_u64().is_some_and(|apart| apart >= 3), "{marks}");
    assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
    browser.set_width(360, 740);
    assert!(browser.fits());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn every_form_is_written_whole_and_the_same_again() {
    let folder = folder();
    for game in ["maxconnect4", "network"] {
        for (option, name) in [("html", "t.html"), ("dot", "t.dot"), ("json", "t.json")] {
            let args = format!("{game} explain {game}.txt --depth 2 --order bad --{option} {name}");
            assert_eq!(folder.run(&args).success().stdout, "");
            let first = folder.read(name);
            folder.run(&args).success();
            assert_eq!(first, folder.read(name));
        }
        let json: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        assert_eq!((&json["game"], &json["order"]), (&json!(game), &json!("bad")));
        let text = folder.run(&format!("{game} explain {game}.txt --depth 2")).success().stdout;
        let nodes = json["comparison"]["ways"][0]["nodes"].as_u64().expect("minimax");
        assert!(text.contains("minimax") && nodes > 20, "{text}");
        let args = format!("{game} explain {game}.txt --depth 2 --json -");
        let value: Value = serde_json::from_str(&folder.run(&args).success().stdout).expect("JSON");
        assert_eq!(value["score"], json["score"], "the order changes no value");
    }
}

/// A reader that leaves early is no failure.
#[cfg(unix)]
#[test]
fn closed_pipe_ends_every_form_quietly() {
    use std::process::{Command, Stdio};

    let folder = folder();
    for args in [
        "maxconnect4 explain maxconnect4.txt --depth 4",
        "maxconnect4 explain maxconnect4.txt --depth 4 --json -",
        "maxconnect4 explain maxconnect4.txt --dot /dev/stdout",
        "network practice --html -",
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(Plyground::PROGRAM);
        command.current_dir(folder.path(".")).args(args.split(' ')).stdin(Stdio::null());
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{args}: {said}");
    }
}

#[test]
fn faults_leave_nothing_behind() {
    let folder = folder();
    let full = "2122111\n2111212\n2212112\n2112221\n1122222\n1121121\n1\n";
    folder.write("full.txt", full);
    folder.write("game.jsonl", "{\"game\":\"maxconnect4\"}\n");
    let before = folder.files();
    for (args, code, part) in [
        ("maxconnect4 explain full.txt --html t.html", 2, "the game is over"),
        ("maxconnect4 explain none.txt --html t.html", 2, "none.txt"),
        ("maxconnect4 explain --depth 0 --html t.html", 2, "1 to 42"),
        ("maxconnect4 explain --depth 20 --html t.html", 2, "use a smaller --depth"),
        ("maxconnect4 explain --html t.html --json t.json", 2, "cannot be used with"),
        (
            "maxconnect4 explain --html none/t.html",
            1,
            "none/t.html: cannot write the file: there is no folder none",
        ),
        ("maxconnect4 explain game.jsonl", 2, "game.jsonl: expected a state file, found JSON"),
        ("network explain game.jsonl", 2, "game.jsonl: expected a state file, found JSON"),
        ("maxconnect4 explain --order best", 2, "good"),
        ("network practice --questions 0", 2, "1 to 200"),
        ("network practice --html a.html --no-solutions", 2, "cannot be used with"),
        ("network practice --sheet none/a.html", 1, "there is no folder none"),
    ] {
        folder.run(args).failure(code, part);
        assert_eq!(folder.files(), before, "{args}");
    }
}

#[test]
fn practice_is_the_same_for_a_seed() {
    let folder = folder();
    for game in ["maxconnect4", "network"] {
        let run = |args: &str| folder.run(&format!("{game} practice {args}")).success().stdout;
        assert_eq!(run("--seed 3 --questions 2"), run("--seed 3 --questions 2"));
        assert!(!run("--seed 3 --questions 2 --no-solutions").contains("Solutions"));
        run("--seed 3 --sheet sheet.html");
        assert!(folder.read("sheet.html").contains("Solutions"));
    }
}

#[test]
fn practice_page_checks_answers() {
    let folder = folder();
    folder.run("network practice --seed 7 --html practice.html").success();
    let Some(browser) = Browser::start(1000, 900) else { return };
    load(&browser, &folder, "practice.html");
    let answer = |number: usize, is_right: bool| {
        browser.run(&format!(
            "const form = document.querySelectorAll('form')[{number}]; \
             const answer = JSON.parse(document.getElementById('answers').textContent)[{number}]; \
             if (answer.value) form.elements.value.value = {is_right} ? answer.value : '77'; \
             for (const one of form.querySelectorAll('[type=radio]')) one.checked = answer.moves.includes(one.value); \
             for (const one of form.querySelectorAll('[type=checkbox]')) one.checked = answer.leaves.includes(one.value); \
             if (form.elements.move.tagName === 'SELECT') form.elements.move.value = answer.moves[0]; \
             form.querySelector('button').click(); return form.querySelector('.result').textContent"
        ))
    };
    assert!(answer(0, true).as_str().is_some_and(|text| text.starts_with("✓ Right.")));
    let first = browser.text("return document.querySelector('#score').textContent");
    for slip in ["abc", " ", "0x10", "1e3", "Infinity", "--1"] {
        let said = browser.text(&format!(
            "const form = document.querySelectorAll('form')[1]; form.elements.value.value = {}; \
             for (const one of form.querySelectorAll('[type=radio]')) one.checked = true; \
             form.querySelector('button').click(); return form.querySelector('.result').textContent",
            json!(slip)
        ));
        assert_eq!(said, format!("“{slip}” is not a number: write one such as -0.50."));
        assert_eq!(browser.text("return document.querySelector('#score').textContent"), first);
        assert_eq!(browser.text("return document.activeElement.name"), "value");
    }
    assert_eq!(answer(1, false), "✗ Not right: the value.");
    assert!(answer(2, true).as_str().is_some_and(|text| text.contains("win in 3")));
    browser.wait_for_text("#score", "2 of 6 right, 3 answered.");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn server_explains_positions_and_refuses_the_rest() {
    let served = Served::start(Plyground::PROGRAM, "");
    for (name, depth) in [("maxconnect4", 4), ("network", 2)] {
        let line = served.get(&format!("/api/game?game={name}")).json()["start"].clone();
        let search = json!({ "depth": depth, "order": "good", "table": false, "minimax": false });
        let body = json!({ "client": "a", "game": line, "ply": 0, "search": search });
        let block = served.post("/api/explain", &body).json();
        assert!(block["head"]["count"].as_u64().is_some_and(|count| count > 50), "{block}");
        assert_eq!(block["head"]["comparison"]["depth"], depth);
        let ask = |field: &str, value: Value| {
            let mut body = body.clone();
            body[field] = value;
            served.post("/api/explain", &body).error()
        };
        assert!(ask("ply", json!(3)).contains("no move 3"));
        let mut deep = search.clone();
        deep["depth"] = json!(8);
        deep["order"] = json!("bad");
        assert!(ask("search", deep.clone()).contains("choose less depth"));
        deep["depth"] = json!(9);
        assert!(ask("search", deep).contains("from 1 to 8"));
        let stranger =
            served.request("POST", "/api/explain", &served.json_head(), &body.to_string());
        assert_eq!(stranger.status, 401, "{stranger:?}");
    }
    let quiet = Served::start(Plyground::PROGRAM, "--no-analysis");
    let line = quiet.get("/api/game").json()["start"].clone();
    let search = json!({ "depth": 1, "order": "good", "table": false, "minimax": false });
    let body = json!({ "client": "a", "game": line, "ply": 0, "search": search });
    let refused = quiet.post("/api/explain", &body);
    assert!(refused.status == 403 && refused.body.contains("does not say"), "{refused:?}");
}

#[test]
fn page_of_the_server_steps_through_a_search() {
    let served = Served::start(Plyground::PROGRAM, "");
    let Some(browser) = Browser::start(1200, 1000) else { return };
    browser.load(&served.url());
    browser.run("localStorage.setItem('plyground.maxconnect4.players', JSON.stringify([{ kind: 'human' }, { kind: 'human' }]))");
    browser.reload();
    browser.click("#explain-form button");
    browser.wait("return document.querySelectorAll('.tree-row:not([hidden])').length === 8");
    browser.wait_for_text("#explain-note", "Alpha-beta, 3 plies");
    // Keys are heard on the whole card, but not where they choose something.
    let focused = || browser.text("return document.activeElement.textContent");
    assert_eq!(focused(), "Explain");
    browser.press(&["C"]);
    assert!(browser.text(SENTENCE).starts_with("Cut 1 of "));
    browser.run("document.querySelector('#explain-order').focus()");
    browser.press(&["s"]);
    assert!(browser.text(SENTENCE).starts_with("Cut 1 of "));
    click(&browser, "Next cut");
    assert!(browser.text(SENTENCE).starts_with("Cut 2 of "));
    assert!(browser.text(SENTENCE).contains("already has"));
    browser.wait("return document.querySelector('.tree-board') !== null");
    assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
    // Another position takes the tree away.
    browser.run("document.querySelector('.tree-rows').focus()");
    browser.press(&["4"]);
    browser.wait("return document.querySelector('#explain-tree').hidden");
    assert_eq!(focused(), "Explain");
    browser.set_width(360, 740);
    browser.click("#explain-form button");
    browser.wait("return !document.querySelector('#explain-tree').hidden");
    assert!(browser.fits());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

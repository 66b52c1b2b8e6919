//! `explain` and `practice`: their files, their faults, and their pages in a browser.

use serde_json::{Value, json};

use crate::common::browser::Browser;
use crate::common::served::Served;
use crate::common::{self, Tested, project};

type TestFolder = common::TestFolder<Plyground>;

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
#[ignore = "long"]
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
#[ignore = "long"]
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
#[ignore = "long"]
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
    assert!(refused.status == 403 && refused.body.contains("does not analyze"), "{refused:?}");
}

#[test]
#[ignore = "long"]
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

#[test]
#[ignore = "long"]
fn page_says_why_a_branch_was_cut_as_the_data_do() {
    let folder = folder();
    let Some(browser) = Browser::start(1200, 900) else { return };
    for (game, more) in [
        ("maxconnect4", "--depth 4"),
        ("maxconnect4", "--depth 4 --with-table"),
        ("network", "--depth 2"),
    ] {
        for option in ["html", "json"] {
            folder
                .run(&format!("{game} explain {game}.txt {more} --{option} t.{option}"))
                .success();
        }
        let data: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        load(&browser, &folder, "t.html");
        let said = browser.run(
            "const { tree } = view; return Array.from({ length: tree.count }, (_, node) => \
             tree.cut[node] ? tree.whyCut(node) : null)",
        );
        let nodes = data["tree"].as_array().expect("nodes");
        assert_eq!(said.as_array().map(Vec::len), Some(nodes.len()));
        let mut cuts = 0;
        for (index, node) in nodes.iter().enumerate() {
            assert_eq!(said[index], node["why"], "node {index}");
            cuts += u64::from(!node["why"].is_null());
        }
        assert!(cuts > 10, "{cuts}");
        let shown = browser.run(
            "const { tree } = view; return Array.from({ length: tree.count }, (_, node) => \
             [tree.alpha[node], tree.beta[node], tree.parent[node], tree.isSearched(node) ? tree.score[node] : null])",
        );
        for (index, node) in nodes.iter().enumerate() {
            let parent = if index == 0 { &json!(0) } else { &node["parent"] };
            let expected = json!([node["alpha"], node["beta"], parent, node["score"]]);
            assert_eq!(shown[index], expected, "node {index}");
        }
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
#[ignore = "long"]
fn tree_is_gone_through_by_buttons_and_keys() {
    let folder = folder();
    folder.run("maxconnect4 explain maxconnect4.txt --depth 3 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    click(&browser, "Next cut");
    let sentence = browser.text(SENTENCE);
    assert!(sentence.contains("already has") && sentence.contains("(beta)"), "{sentence}");
    // All steps forward, and all of them back.
    let steps = |name: &str| {
        browser.run(&format!(
            "const button = Array.from(document.querySelectorAll('.tree-buttons button')).find((one) => one.firstChild.data === {}); \
             const at = () => `${{view.list.selected}} ${{view.phase}}`; const seen = [at()]; \
             for (;;) {{ button.click(); if (at() === seen.at(-1)) return seen; seen.push(at()); }}",
            json!(name)
        ))
    };
    browser.run("view.list.select(0)");
    let forward = steps("Step ›");
    let back = steps("‹ Step back");
    let (forward, back) = (forward.as_array().expect("steps"), back.as_array().expect("steps"));
    assert!(forward.len() > 100 && forward.iter().eq(back.iter().rev()));
    // The keyboard.
    browser.run("view.list.openDownTo(1); view.list.select(0); view.list.element.focus()");
    browser.press(&["Down", "Right", "Right"]);
    let selected = "return [view.list.selected, view.tree.ply[view.list.selected]]";
    assert_eq!(browser.run(selected), json!([2, 2]));
    browser.press(&["Left", "Left", "Home", "c"]);
    assert!(browser.text(SENTENCE).contains("already has"));
    keys_are_heard_everywhere(&browser);
    let active = "const id = view.list.element.getAttribute('aria-activedescendant'); \
         return document.getElementById(id).getAttribute('aria-selected')";
    assert_eq!(browser.text(active), "true");
    assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
    browser.set_width(360, 740);
    assert!(browser.fits());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Keys step and jump wherever the focus is, with Caps Lock as well, and nothing takes the focus away.
fn keys_are_heard_everywhere(browser: &Browser) {
    let cuts = browser.run("return view.tree.cuts");
    let cuts = cuts.as_array().expect("nodes");
    let selected = || browser.run("return view.list.selected");
    let has_focus = || browser.run("return document.activeElement !== document.body");
    // The focus is nowhere, as after the page was opened; then on a button, and on a move of the way.
    browser.run("view.list.select(0); document.activeElement.blur()");
    browser.press(&["c"]);
    assert_eq!(selected(), cuts[0]);
    browser.run("document.querySelector('.tree-buttons button').focus()");
    browser.press(&["C"]);
    assert_eq!((selected(), has_focus()), (cuts[1].clone(), json!(true)));
    assert!(browser.text(SENTENCE).starts_with(&format!("Cut 2 of {}. With ", cuts.len())));
    browser.run("document.querySelector('.tree-path .here button').focus()");
    browser.press(&["C"]);
    assert_eq!((selected(), has_focus()), (cuts[2].clone(), json!(true)));
    // A move of the way stays the one that was chosen.
    browser.run("document.querySelector('.tree-path button').focus()");
    browser.press(&["Enter"]);
    assert_eq!(selected(), 0);
    assert_eq!(browser.text("return document.activeElement.textContent"), "root");
    browser.press(&["S", "S", "B"]);
    assert_eq!((selected(), has_focus()), (json!(1), json!(true)));
    // A click on what is no control leaves the focus in the view.
    browser.click(".tree-sentence");
    assert_eq!(browser.text("return document.activeElement.id"), "tree");
    // After the last cut comes the first, and says so.
    browser.run("view.list.select(view.tree.cuts.at(-1))");
    browser.press(&["c"]);
    assert!(browser.text(SENTENCE).starts_with("Cut 1 of "), "{}", browser.text(SENTENCE));
    let shown = "return Array.from(document.querySelectorAll('.tree-buttons [aria-keyshortcuts]'), \
         (one) => one.querySelector('kbd').textContent + one.getAttribute('aria-keyshortcuts'))";
    assert_eq!(browser.run(shown), json!(["BB", "SS", "CC"]));
}

/// The row that has just been jumped to, and the reason for the jump, are in sight on a telephone
/// and at 200 %; so are the scissors of rows far down.
#[test]
#[ignore = "long"]
fn reason_is_in_sight_on_a_small_screen() {
    let folder = folder();
    folder
        .run("maxconnect4 explain maxconnect4.txt --depth 8 --with-table --html t.html")
        .success();
    let Some(browser) = Browser::start(400, 700) else { return };
    load(&browser, &folder, "t.html");
    let in_sight = "const inSight = (one) => { const { top, bottom, left, right } = one.getBoundingClientRect(); \
         return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth; }; ";
    for (width, height) in [(400, 700), (560, 400), (1120, 800)] {
        browser.set_width(width, height);
        // From the top, from the end, and from far down in the tree.
        for place in ["0", "document.documentElement.scrollHeight"] {
            browser.run(&format!("scrollTo(0, {place})"));
            browser.press(&["c"]);
            let both = "return inSight(document.querySelector('.tree-sentence')) && inSight(document.querySelector('.tree-row.selected'))";
            assert_eq!(browser.run(&format!("{in_sight}{both}")), true, "{width}, {place}");
        }
        browser.run("view.list.select(view.tree.cuts.reduce((a, b) => (view.tree.ply[b] > view.tree.ply[a] ? b : a)))");
        assert_eq!(browser.run("return view.tree.ply[view.list.selected]"), 7);
        let note = "const note = document.querySelector('.tree-row.selected .tree-note'); \
             return note.textContent.includes('✂') && inSight(note) \
             && note.getBoundingClientRect().right <= note.closest('.tree-space').getBoundingClientRect().right";
        assert_eq!(browser.run(&format!("{in_sight}{note}")), true, "{width}");
        assert!(browser.fits(), "{width}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Every window becomes narrower once on the way to a cut, and at the cut it closes.
#[test]
#[ignore = "long"]
fn way_to_a_cut_shows_where_the_window_narrows() {
    let folder = folder();
    folder.run("maxconnect4 explain maxconnect4.txt --depth 4 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    // What each row ends with, the next one begins with; the last ends with nothing to ask for.
    let faults = "const ends = (text) => text.split(' → '); return view.tree.cuts.filter((node) => { \
         view.list.select(node); \
         const rows = Array.from(document.querySelectorAll('.tree-path tbody tr:not(.after)'), (row) => \
           [2, 3].map((at) => ends(row.children[at].textContent))); \
         const joins = rows.every((row, at) => at === 0 || row.every((limit, side) => limit[0] === rows[at - 1][side].at(-1))); \
         const { tree } = view; const [alpha, beta] = tree.windowAt(node, null); \
         const bold = document.querySelectorAll('.tree-path .narrower').length; \
         const arrows = rows.flat().filter((limit) => limit.length === 2).length; \
         return !joins || alpha < beta || bold !== arrows; })";
    assert_eq!(browser.run(faults), json!([]));
    assert!(browser.run("return view.tree.cuts.length").as_u64().is_some_and(|cuts| cuts > 50));
}

/// Only the rows in sight are in the document, however many there are.
#[test]
#[ignore = "long"]
fn large_tree_is_not_in_the_document() {
    let folder = folder();
    folder.run("maxconnect4 explain --depth 7 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    click(&browser, "Open all");
    assert!(browser.run("return view.list.length").as_u64().is_some_and(|rows| rows > 20_000));
    browser.run("view.list.element.focus()");
    browser.press(&["End"]);
    assert_eq!(browser.run("return view.list.selected === view.tree.count - 1"), true);
    let rows = "return document.querySelectorAll('.tree-row').length";
    assert!(browser.run(rows).as_u64().is_some_and(|rows| rows < 100));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

//! `network serve` as its page sees it, and a person with a browser.

use serde_json::{Value, json};

use crate::common::browser::Browser;
use crate::common::served::{Home, Served};

fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_network"), "")
}

/// White, with all its chips on the board, is to step.
const STEPS: &str = "....B.../..WWBW../..B...B./..W.WW../WB...BB./..WB..WW/.....B../....B.../W";

fn game(rules: &str, start: &str, moves: &[&str]) -> Value {
    json!({ "rules": rules, "start": start, "moves": moves })
}

#[test]
fn rules_have_their_own_board() {
    let served = serve();
    assert_eq!(served.greeting, format!("Network: {}\n", served.url()));
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
    assert_eq!(reasons["0"], "00 is a corner, which is not in play");
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

crate::test_both_pages! {
    super::serve();
    whole_game_against_the_machine,
    values_reasons_and_both_notations,
    steps_by_clicks_drags_and_keys,
    no_value_is_cut,
    page_fits_a_telephone_and_the_dark,
}

/// White can complete a network at once, at 75.
const WIN: &str = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W";

/// Opens the page with these players, at a position of a game of Berkeley's rules.
fn open(browser: &Browser, served: &dyn Home, kinds: [&str; 2], start: &str) {
    browser.load(&served.url());
    let players = kinds.map(|kind| json!({ "kind": kind, "depth": 2, "seconds": 0.5 }));
    let script = "localStorage.setItem('plyground.network.players', JSON.stringify(PLAYERS))";
    browser.run(&script.replace("PLAYERS", &json!(players).to_string()));
    browser.run("localStorage.setItem('plyground.analysis-on', 'true')");
    // A page that is there already would play on with others.
    browser.load_other("about:blank");
    browser.load(&format!("{}#game=network&rules=berkeley&start={start}&moves=", served.url()));
}

fn cell(index: usize) -> String {
    format!("[data-cell=\"{index}\"]")
}

fn assert_clean(browser: &Browser, served: &dyn Home) {
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let foreign = |name: &String| !name.starts_with(&served.url()) && !name.starts_with("blob:");
    assert_eq!(browser.loaded().into_iter().find(foreign), None);
}

const IS_OVER: &str = "return document.querySelector('#status').classList.contains('over')";

fn whole_game_against_the_machine(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let start = "......../......../......../......../......../......../......../......../W";
    open(&browser, served, ["human", "depth"], start);
    // The player takes the first square there is, or the first step, which soon loses.
    while browser.run(IS_OVER) != true {
        let before = browser
            .run("return document.querySelectorAll('#moves li').length")
            .as_u64()
            .unwrap_or(0);
        browser.click("#grid .cell.choice");
        if browser.run("return document.querySelector('.cell.chosen') !== null") == true {
            browser.wait("return document.querySelector('#grid .cell.choice') !== null");
            browser.click("#grid .cell.choice");
        }
        browser.wait(&format!("return document.querySelectorAll('#moves li').length > {before}"));
        browser.wait(&format!(
            "return document.querySelector('#status').textContent.includes('White is to move') || (() => {{ {IS_OVER} }})()"
        ));
    }
    browser.wait_for_text("#status", "Black wins.");
    browser.wait("return document.querySelector('.stroke.win') !== null");
    browser.click("#take-back");
    browser.wait_for_text("#status", "White is to move.");
    browser.reload();
    browser.wait_for_text("#status", "White is to move.");
    browser.click("#last");
    browser.wait_for_text("#status", "Black wins.");
    assert_clean(&browser, served);
}

fn values_reasons_and_both_notations(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    open(&browser, served, ["human", "human"], WIN);
    browser.wait_for_text(&format!("{} .value", cell(47)), "W1");
    // Black's goal is no place for White, and says so.
    browser.move_mouse("h1", &cell(1), false);
    browser.wait_for_text("#hint", "10 is in a goal of Black");
    browser.click(&cell(1));
    assert_eq!(browser.run("return document.querySelectorAll('#moves li').length"), 0);
    assert_clean(&browser, served);
    browser.write("#typed-move", "F8");
    browser.press(&["Enter"]);
    browser.wait_for_text("#status", "White wins. (network of White 05-23-43-52-55-75)");
    browser.wait("return document.querySelector('.stroke.win') !== null");
    browser.run("const list = document.querySelector('#notation'); list.value = 1; list.dispatchEvent(new Event('change'))");
    browser.wait_for_text("#moves li", "F8");
    assert_clean(&browser, served);
}

fn steps_by_clicks_drags_and_keys(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    open(&browser, served, ["human", "human"], STEPS);
    let moves = |count: u32| {
        browser.wait(&format!("return document.querySelectorAll('#moves li').length === {count}"))
    };
    // From 04 to 01, by two clicks. Squares are no choice before there is a chip to move.
    let blocked = "return document.querySelectorAll('.cell.blocked').length > 0";
    browser.wait_for_text("#hint", "Choose a white chip to move.");
    assert_eq!(browser.run(blocked), false);
    browser.click(&cell(32));
    browser.wait_for_text("#hint", "The white chip on 04: choose its new place.");
    browser.wait(blocked);
    browser.move_mouse("h1", &cell(4), false);
    browser.wait_for_text("#hint", "40 is in a goal of Black");
    browser.click(&cell(8));
    moves(1);
    browser.press(&["u"]);
    browser.wait("return document.querySelector('#back').disabled");
    // The same by a drag.
    browser.move_mouse(&cell(32), &cell(8), true);
    moves(1);
    browser.wait_for_text("#status", "White steps 04-01. Black is to move.");
    // Black by the keys: the chip on 40 is lifted, put down, and another one moved.
    browser.run("document.querySelector('[data-cell=\"0\"]').focus()");
    browser.press(&["Right", "Right", "Right", "Right", "Enter"]);
    browser.wait("return document.querySelector('.cell.chosen') !== null");
    browser.press(&["Escape"]);
    browser.wait("return document.querySelector('.cell.chosen') === null");
    browser.press(&["Enter"]);
    browser.wait("return document.querySelectorAll('.cell.choice').length > 0 && document.querySelector('.cell.chosen') !== null");
    browser.press(&["Left", "Left", "Left", "Enter"]);
    moves(2);
    browser.wait_for_text("#status", "Black steps 40-10.");
    assert_clean(&browser, served);
}

/// The texts on the page that do not fit their places: values, and what players are and count.
const CUT: &str = "const cut = Array.from(document.querySelectorAll('#lines .score, #lines .kind, .player > *, .controls > *')) \
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1); \
    const wide = Array.from(document.querySelectorAll('#grid .value')) \
    .filter((one) => one.offsetWidth > one.parentElement.offsetWidth); \
    return [...cut, ...wide].map((one) => one.outerHTML)";

fn no_value_is_cut(served: &dyn Home) {
    let Some(browser) = Browser::start(390, 844) else { return };
    // White wins the opening, by 15 plies at the latest.
    let start = "......../......../......../......../......../......../......../......../W";
    open(&browser, served, ["human", "human"], start);
    browser.wait_for_text("#lines", "win in \u{2264} 15");
    for width in [360, 390, 768, 1280, 1920] {
        browser.set_width(width, 844);
        assert_eq!(browser.run(CUT), json!([]), "{width}");
        assert!(browser.fits(), "{width}");
    }
    assert_ne!(browser.text("return document.querySelector('#gauge').ariaLabel"), "");
    assert_clean(&browser, served);
}

fn page_fits_a_telephone_and_the_dark(served: &dyn Home) {
    let Some(browser) = Browser::start(360, 740) else { return };
    open(&browser, served, ["human", "human"], STEPS);
    for dark in [false, true] {
        browser.set_dark(dark);
        browser.reload();
        browser.wait("return document.querySelectorAll('#lines tbody tr').length > 0");
        assert!(browser.fits());
        assert_clean(&browser, served);
    }
    browser.run("const rules = document.querySelector('#rules'); rules.value = 'usf'; rules.dispatchEvent(new Event('change'))");
    browser.wait_for_text("#status", "Black is to move.");
    assert_clean(&browser, served);
}

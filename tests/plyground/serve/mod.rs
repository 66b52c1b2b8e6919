//! `plyground serve`: one page for all games.

mod site;

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::home::Home;
use crate::common::served::Served;

crate::test_both_pages! {
    super::serve();
    game_is_changed_by_keyboard_and_found_again,
    page_of_all_games_fits_a_telephone,
}

fn serve() -> Served {
    Served::start(env!("CARGO_BIN_EXE_plyground"), "")
}

#[test]
fn request_names_its_game() {
    let served = serve();
    let about = |query: &str| served.get(&format!("/api/game{query}")).json();
    assert_eq!(about("")["name"], "maxconnect4");
    let network = about("?game=network&rules=usf");
    assert_eq!((&network["name"], &network["rules"]), (&json!("network"), &json!("usf")));
    let names = network["games"].as_array().expect("games").iter().map(|game| &game["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["maxconnect4", "network"]);
    let error = served.get("/api/game?game=chess").error();
    assert_eq!(error, "there is no game called `chess`");
    for name in ["maxconnect4", "network"] {
        let line = about(&format!("?game={name}"))["start"].clone();
        assert_eq!(line["game"], name);
        assert_eq!(served.position(&line)["side"], 0);
        let body = json!({ "client": "a", "game": line, "player": "machine:depth=2" });
        assert!(served.post("/api/choice", &body).json()["move"].is_string());
    }
}

#[test]
fn records_of_all_games_are_opened_together() {
    let served = serve();
    let players =
        json!([{ "name": "Ann", "player": "human" }, { "name": "Bob", "player": "random" }]);
    let record = |name: &str, mv: &str| {
        let mut line = served.get(&format!("/api/game?game={name}")).json()["start"].clone();
        line["moves"] = json!([mv]);
        let body = json!({ "game": line, "players": players, "times": [] });
        let record = served.post("/api/record", &body).json();
        record["text"].as_str().expect("a record").to_owned()
    };
    let text = record("network", "33") + &record("maxconnect4", "4");
    let opened = served.post("/api/open", &json!({ "rules": "standard", "text": text })).json();
    let games = opened["games"].as_array().expect("games").iter().map(|game| &game["game"]);
    assert_eq!(games.collect::<Vec<_>>(), ["network", "maxconnect4"]);
}

fn assert_clean(browser: &Browser) {
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

const CELLS: &str = "return document.querySelectorAll('.cell').length";
const MOVES: &str = "return document.querySelectorAll('#moves li').length";

fn game_is_changed_by_keyboard_and_found_again(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    assert_eq!(browser.run(CELLS), 42);
    browser.press(&["4"]);
    // The machine answers.
    browser.wait(&format!("return (() => {{ {MOVES} }})() === 2"));
    browser.run("document.querySelector('#game').focus()");
    browser.press(&["Down"]);
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 64"));
    assert_eq!(browser.text("return document.title"), "Network game");
    assert_eq!(browser.text("return document.activeElement.id"), "game");
    assert_eq!(browser.run(MOVES), 0);
    browser.wait_for_text("#status", "White is to move.");
    assert_clean(&browser);
    browser.reload();
    assert_eq!(browser.run(CELLS), 64, "the address has the game");
    browser.run("document.querySelector('#game').focus()");
    browser.press(&["Up"]);
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 42"));
    browser.wait(&format!("return (() => {{ {MOVES} }})() === 2"));
    browser.back();
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 64"));
    assert_eq!(browser.text("return document.querySelector('#game').value"), "network");
    assert_clean(&browser);
}

fn page_of_all_games_fits_a_telephone(served: &dyn Home) {
    let Some(browser) = Browser::start(360, 740) else { return };
    browser.load(&served.url());
    assert!(browser.fits());
    assert_clean(&browser);
}

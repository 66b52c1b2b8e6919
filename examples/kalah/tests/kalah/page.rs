//! Kalah in the browser: extra turns, by the mouse and by the server's answers.

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::served::Served;

/// Pit 3 ends in the store, so that South is to move again.
#[test]
fn answers_follow_the_side_to_move() {
    let served = Served::start(env!("CARGO_BIN_EXE_kalah"), "");
    let start = "0444444/4444440/S";
    let game = json!({ "rules": "6x4", "start": start, "moves": ["3", "1", "2"] });
    let position = served.position(&game);
    let sides: Vec<_> = position["played"]
        .as_array()
        .expect("moves")
        .iter()
        .map(|played| &played["side"])
        .collect();
    assert_eq!(sides, [0, 0, 1], "{position}");
    assert_eq!(position["side"], 1, "{position}");
}

#[test]
fn moves_in_the_store_keep_the_turn() {
    let served = Served::start(env!("CARGO_BIN_EXE_kalah"), "");
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    let players = r#"[{"kind":"human"},{"kind":"human"}]"#;
    browser.run(&format!("localStorage.setItem('plyground.kalah.players', '{players}')"));
    browser.reload();
    for (moves, side) in [("3", "South"), ("3,1", "North")] {
        let line = format!("rules=6x4&start=0444444/4444440/S&moves={moves}");
        browser.load(&format!("{}#{line}", served.url()));
        browser.reload();
        browser.wait_for_text("#status", side);
    }
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

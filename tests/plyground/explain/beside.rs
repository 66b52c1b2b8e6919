//! A program beside our search.

use serde_json::json;

use super::Plyground;
use crate::common::browser::Browser;
use crate::common::served::Served;
use crate::common::test_folder::Tested;

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

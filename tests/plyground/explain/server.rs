//! A search on the page of the server.

use serde_json::{Value, json};

use super::{Plyground, SENTENCE, click};
use crate::common::browser::Browser;
use crate::common::served::Served;
use crate::common::test_folder::Tested;

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

//! The page without a server, where it differs from that of one.

use serde_json::json;

use super::{CELLS, MOVES, assert_clean};
use crate::common::browser::Browser;
use crate::common::home::{Home, Site};

const EMPTY: &str = "0000000/0000000/0000000/0000000/0000000/0000000/1";

/// The script that returns `true` if the browser has kept the page.
const IS_KEPT: &str = "return window.isKept === true";

/// Loads the page, and waits until it needs no host.
fn visit(browser: &Browser, site: &Site) {
    browser.load(&site.url());
    browser.run("navigator.serviceWorker.ready.then(() => { window.isKept = true; })");
    browser.wait(IS_KEPT);
}

fn wait_for_moves(browser: &Browser, count: usize) {
    browser.wait(&format!("return (() => {{ {MOVES} }})() === {count}"));
}

#[test]
fn page_works_without_a_network_from_the_second_visit_on() {
    let Some(mut site) = Site::start() else { return };
    let Some(browser) = Browser::start(1200, 900) else { return };
    visit(&browser, &site);
    site.end();
    let address = site.url();
    // As somebody opens a link that they were sent.
    browser.load_other("about:blank");
    browser.load(&format!("{address}?from=a+friend#rules=standard&start={EMPTY}&moves=4,4,3"));
    // The machine answers.
    wait_for_moves(&browser, 4);
    browser.press(&["1"]);
    wait_for_moves(&browser, 6);
    browser.run("document.querySelector('#game').focus()");
    browser.press(&["Down"]);
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 64"));
    browser.run("document.activeElement.blur()");
    browser.press(&["a"]);
    browser.wait("return document.querySelectorAll('#lines tbody tr').length > 0");
    browser.click("#grid .cell.choice");
    wait_for_moves(&browser, 2);
    browser.reload();
    wait_for_moves(&browser, 2);
    assert_clean(&browser);
    let foreign = |name: &String| !name.starts_with(&address) && !name.starts_with("blob:");
    assert_eq!(browser.loaded().into_iter().find(foreign), None);
}

#[test]
fn search_makes_way_for_the_next_position_and_for_the_machine() {
    let Some(site) = Site::start() else { return };
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&site.url());
    browser.run("localStorage.setItem('plyground.analysis-on', 'true')");
    let players = json!([{ "kind": "human" }, { "kind": "human" }]).to_string();
    browser.run(&format!("localStorage.setItem('plyground.network.players', {})", json!(players)));
    let start = [["........"; 8].join("/"), "W".to_owned()].join("/");
    browser.load_other("about:blank");
    browser
        .load(&format!("{}#game=network&rules=berkeley&start={start}&moves=33,44,22", site.url()));
    // Neither of the positions can be searched to the end, so each search has to be ended.
    for key in ["Home", "End", ",", ".", "Home"] {
        browser.wait_for_text("#progress", "Searching");
        browser.press(&[key]);
    }
    let all = "return document.querySelectorAll('#lines tbody tr').length";
    // White has 48 squares at first, of which these are out of its goals.
    browser.wait(&format!("return (() => {{ {all} }})() === 48"));
    browser.run(
        "const list = document.querySelector('#kind1'); list.value = 'depth'; \
         list.dispatchEvent(new Event('change'))",
    );
    browser.click("#grid .cell.choice");
    wait_for_moves(&browser, 2);
    browser.wait_for_text("#progress", "Searching");
    // Who comes back finds it going on.
    browser.load_other("about:blank");
    browser.back();
    wait_for_moves(&browser, 2);
    browser.wait_for_text("#progress", "Searching");
    assert_clean(&browser);
}

#[test]
fn page_says_what_is_missing() {
    let Some(mut site) = Site::start() else { return };
    let Some(browser) = Browser::start(1200, 900) else { return };
    site.remove("/page/engine.wasm");
    browser.load_other(&site.url());
    browser.wait(
        "return document.querySelector('#status')?.textContent.includes(\
         'The engine is not there: 404 /page/engine.wasm')",
    );
}

//! The page of `network serve` in a browser, used as people use it.

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::home::Home;

crate::test_both_pages! {
    super::super::serve();
    whole_game_against_the_machine,
    values_reasons_and_both_notations,
    steps_by_clicks_drags_and_keys,
    page_fits_a_telephone_and_the_dark,
}

/// White can complete a network at once, at 75.
const WIN: &str = "game=network&rules=berkeley&start=......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W&moves=";

/// White, with all its chips on the board, is to step.
const STEPS: &str = "game=network&rules=berkeley&start=....B.../..WWBW../..B...B./..W.WW../WB...BB./..WB..WW/.....B../....B.../W&moves=";

/// Opens the page with these players, at the game that the address names.
fn open(browser: &Browser, served: &dyn Home, kinds: [&str; 2], game: &str) {
    browser.load(&served.url());
    let players = kinds.map(|kind| json!({ "kind": kind, "depth": 2, "seconds": 0.5 }));
    let script = "localStorage.setItem('plyground.network.players', JSON.stringify(PLAYERS))";
    browser.run(&script.replace("PLAYERS", &json!(players).to_string()));
    browser.run("localStorage.setItem('plyground.analysis-on', 'true')");
    // A page that is there already would play on with others.
    browser.load_other("about:blank");
    browser.load(&format!("{}#{game}", served.url()));
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
    let start = "game=network&rules=berkeley&start=......../......../......../......../......../......../......../......../W&moves=";
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
    browser.wait_for_text("#hint", "10 · A2: 10 is in a goal of Black");
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
    // From 04 to 01, by two clicks.
    browser.click(&cell(32));
    browser.wait("return document.querySelector('.cell.chosen') !== null");
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

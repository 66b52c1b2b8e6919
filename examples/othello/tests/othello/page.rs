//! Othello in the browser: a pass that is made by itself, by mouse and by keyboard.

use crate::common::browser::Browser;
use crate::common::served::Served;

/// A game on the small board in which White can place no disc.
const MUST_PASS: &str = "rules=4x4&start=XXXX/XXXX/XXXO/X.../O&moves=";

const MAY_PASS: &str = "return !document.querySelector('#pass').hidden";
const HAS_PASSED: &str = "return document.querySelector('#pass').hidden";

#[test]
fn pass_is_made_by_itself_by_mouse_and_by_keyboard() {
    let served = Served::start(env!("CARGO_BIN_EXE_othello"), "");
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    let players = r#"[{"kind":"human"},{"kind":"human"}]"#;
    browser.run(&format!("localStorage.setItem('plyground.othello.players', '{players}')"));
    browser.load(&format!("{}#{MUST_PASS}", served.url()));
    browser.reload();
    // Neither player has a choice.
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    browser.wait_for_text("#status", "White passes");

    browser.press(&[","]);
    browser.wait(MAY_PASS);
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.click("#pass");
    browser.wait(HAS_PASSED);

    browser.press(&[","]);
    browser.wait(MAY_PASS);
    browser.press(&["p"]);
    browser.wait(HAS_PASSED);
    browser.wait_for_text("#status", "White passes");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

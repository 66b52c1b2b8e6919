//! The report of a tournament in a browser.

use super::support::TestFolder;
use crate::common::browser::Browser;

const TOURNAMENT: &str = "openings = { plies = 2 }\n\
    player = [{ name = \"Ann Smith-Wallenberg-Montgomery\", player = \"machine:depth=1\" }, \
    { player = \"machine:depth=2\" }, { player = \"random\" }]\n";

/// The script that returns what is beyond the sides of the page, or cut off there, of the table of
/// standings.
const OUTSIDE: &str = "const whole = document.documentElement; \
    if (whole.scrollWidth > whole.clientWidth) return ['the page']; \
    return Array.from(document.querySelectorAll('#standings td, #standings tbody th')) \
        .filter((cell) => cell.textContent && cell.getBoundingClientRect().right > whole.clientWidth) \
        .map((cell) => cell.textContent)";

#[test]
fn report_is_whole_on_every_screen() {
    let Some(browser) = Browser::start(1280, 900) else { return };
    let folder = TestFolder::new();
    folder.write("t.toml", TOURNAMENT);
    folder.run("tournament t.toml").success();
    browser.load_other(&format!("file://{}", folder.path("t/report.html").display()));
    for (width, dark) in [(1280, false), (768, true), (360, false)] {
        browser.set_width(width, 640);
        browser.set_dark(dark);
        browser.wait("return drawnAt === document.querySelector('#elo').clientWidth");
        assert_eq!(browser.run(OUTSIDE).as_array().map(Vec::len), Some(0), "{width}");
        assert_eq!(browser.barriers(), Vec::<String>::new(), "{width}");
    }
    // Where the heads are out of sight, each cell says what it is.
    let label = "const cell = document.querySelector('#standings td:nth-child(3)'); \
        return getComputedStyle(cell, '::before').content";
    assert_eq!(browser.text(label), "\"Games\"");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

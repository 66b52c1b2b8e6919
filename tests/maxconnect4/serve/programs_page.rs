//! The page of `maxconnect4 serve` with other people's programs, used as people use it.

use super::page::{assert_clean, pieces, set_players};
use super::programs::{FOUR, serve, wait_for_supervisors};
use crate::common::browser::Browser;

/// Takes columns 1 to 4 in turn.
const ROUND: &str =
    "n=$((n % 4 + 1)); echo think of $n >&2; echo info column $n; echo bestmove $n depth $n";

/// The empty board of a short game.
const SHORT: &str = "#rules=4x4&start=0000/0000/0000/0000/1&moves=";

const IS_OVER: &str = "return document.querySelector('#status').classList.contains('over')";

#[test]
fn person_plays_a_program_and_sees_what_it_does() {
    let served = serve(&[("bob", FOUR)], &[]);
    let Some(browser) = Browser::start(1280, 900) else { return };
    browser.load(&served.url());
    // By keyboard alone: the list has the program by its first letter.
    browser.run("document.querySelector('#kind1').focus()");
    browser.press(&["b"]);
    browser.wait("return document.querySelector('#kind1').value === 'player:bob'");
    browser.run("document.activeElement.blur()");
    browser.press(&["1"]);
    browser.wait("return document.querySelectorAll('#moves li').length === 2");
    browser.wait_for_text("#programs .costs tbody", "2. 4");
    browser.wait_for_text("#programs .costs tbody", "depth 3, +1.50");
    browser.wait_for_text("#programs", "think hard");
    browser.wait_for_text("#programs", "deep");
    browser.wait_for_text("#programs h3", "stands still");
    assert_clean(&browser, &served);
    browser.press(&["u"]);
    browser.wait(
        "return document.querySelector('#status').textContent.includes('Player 1 is to move')",
    );
    browser.press(&["2"]);
    browser.wait("return document.querySelectorAll('#moves li').length === 2");
    assert_clean(&browser, &served);
}

#[test]
fn programs_play_each_other_in_two_tabs() {
    let served = serve(&[("bob", ROUND), ("ann", ROUND)], &[]);
    let Some(browser) = Browser::start(360, 640) else { return };
    set_players(&browser, &served, ["human", "player:ann"]);
    browser.set_dark(true);
    let address = format!("{}{SHORT}", served.url());
    browser.load(&address);
    // The game is held when there are five moves.
    browser.run(
        "new MutationObserver((_, watch) => { const pause = document.querySelector('#pause'); \
         if (document.querySelectorAll('#moves li').length >= 5 && !pause.hidden) { \
         pause.click(); watch.disconnect(); } }) \
         .observe(document.querySelector('#moves'), { childList: true })",
    );
    browser.run("document.querySelector('#kind0').focus()");
    browser.press(&["b"]);
    browser.wait("return !document.querySelector('#go-on').hidden");
    let held = pieces(&browser);
    assert!(browser.fits());
    assert_clean(&browser, &served);
    // A game of the same programs in another tab is another game.
    browser.in_new_tab(&address, |browser| {
        browser.wait(IS_OVER);
        assert_eq!(pieces(browser), 16);
        browser.wait_for_text("#programs", "think of 4");
        browser.wait("return Array.from(document.querySelectorAll('#programs h3'), (one) => one.textContent.includes('has ended')).every(Boolean)");
    });
    assert_eq!(pieces(&browser), held);
    browser.click("#go-on");
    browser.wait(IS_OVER);
    assert_eq!(pieces(&browser), 16);
}

#[test]
fn faults_of_a_program_are_told_on_the_page() {
    let served = serve(&[("eve", "echo no idea >&2; exit 3")], &[]);
    let Some(browser) = Browser::start(768, 900) else { return };
    set_players(&browser, &served, ["player:eve", "human"]);
    browser.load(&served.url());
    browser.wait_for_text("#status", "Player 1 (eve) loses: crash, exit code 3: no idea.");
    browser.wait_for_text("#go-on", "Let eve try again");
    browser.wait_for_text("#programs h3", "has ended");
    browser.wait_for_text("#programs pre", "no idea");
    assert_clean(&browser, &served);
    browser.click("#go-on");
    browser.wait_for_text("#status", "crash");
    // A person takes over.
    browser.run("document.querySelector('#kind0').focus()");
    browser.press(&["P"]);
    browser.wait_for_text("#status", "Player 1 is to move.");
    browser.run("document.activeElement.blur()");
    browser.press(&["4"]);
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
}

#[test]
fn page_that_is_left_ends_its_programs() {
    let served = serve(&[("bob", FOUR)], &["--player-games", "1"]);
    let Some(browser) = Browser::start(768, 900) else { return };
    set_players(&browser, &served, ["player:bob", "human"]);
    browser.load(&served.url());
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    // The place of the page is free, though it would be kept for minutes if nothing were said.
    browser.load_other("about:blank");
    wait_for_supervisors(&served, 0);
    browser.load(&served.url());
    browser.click("#new");
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    browser.wait_for_text("#status", "Player 2 is to move.");
}

//! The page of `maxconnect4 serve` in a browser, used as people use it.

use serde_json::json;

use super::serve;
use crate::common::browser::Browser;
use crate::common::served::Home;

crate::test_both_pages! {
    super::super::serve("");
    whole_game_against_the_machine,
    analysis_arrives_and_follows_the_position,
    bad_paste_is_refused_with_its_place_and_a_good_one_opened,
    game_is_saved_and_opened_again,
    position_is_set_up_by_clicks,
    keyboard_suffices,
    page_fits_a_telephone_and_the_dark,
    values_are_shown_only_when_asked_for,
    choices_and_moves_are_whole,
    falling_piece_takes_no_click,
}

/// A position with four moves left for each player.
const ENDGAME: &str =
    "rules=standard&start=0222101/1121211/2222221/1111111/2222222/2111111/1&moves=";

/// Both players of the page, as its storage has them, and that values are wanted. What is loaded next
/// begins with them; a page that is there already would play on with others.
pub(super) fn set_players(browser: &Browser, served: &dyn Home, kinds: [&str; 2]) {
    browser.load(&served.url());
    let players = kinds.map(|kind| json!({ "kind": kind, "depth": 2, "seconds": 0.5 }));
    let script = "localStorage.setItem('plyground.maxconnect4.players', JSON.stringify(arguments))";
    let script = script.replace("arguments", &json!(players).to_string());
    browser.run(&script);
    browser.run("localStorage.setItem('plyground.analysis-on', 'true')");
    browser.load_other("about:blank");
}

pub(super) fn cell(index: usize) -> String {
    format!("[data-cell=\"{index}\"]")
}

/// Returns the number of pieces on the board.
pub(super) fn pieces(browser: &Browser) -> u64 {
    browser
        .run("return document.querySelectorAll('.cell:is(.side0, .side1)').length")
        .as_u64()
        .unwrap_or(0)
}

pub(super) fn assert_clean(browser: &Browser, served: &dyn Home) {
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let foreign = |name: &String| !name.starts_with(&served.url()) && !name.starts_with("blob:");
    assert_eq!(browser.loaded().into_iter().find(foreign), None);
}

fn whole_game_against_the_machine(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "depth"]);
    browser.load(&format!(
        "{}#{}",
        served.url(),
        "rules=standard&start=0000000/0000000/0000000/0000000/0000000/0000000/1&moves="
    ));
    browser.wait_for_text("#status", "Player 1 is to move.");
    while !browser
        .run("return document.querySelector('#status').classList.contains('over')")
        .as_bool()
        .unwrap_or(false)
    {
        let before = pieces(&browser);
        // The first column that is not full, at its top.
        browser.click("#grid .cell.choice");
        browser.wait(&format!(
            "return document.querySelectorAll('.cell:is(.side0, .side1)').length >= {} \
             || document.querySelector('#status').classList.contains('over')",
            before + 2
        ));
        browser.wait(
            "return document.querySelector('#status').classList.contains('over') \
             || document.querySelector('#status').textContent.includes('Player 1 is to move')",
        );
    }
    assert_eq!(pieces(&browser), 42);
    browser.wait_for_text("#status", "board full");
    // Back to the person's own last turn, which is two moves before the end.
    browser.click("#take-back");
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 40");
    assert_eq!(browser.run("return document.querySelector('#go-on').hidden"), true);
    browser.press(&["."]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 41");
    assert_eq!(browser.run("return document.querySelector('#go-on').hidden"), false);
    // The chart leads to any position.
    browser.wait("return document.querySelectorAll('#chart .mark').length > 20");
    browser.click("#chart [role=slider]");
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 21");
    // A reload keeps the game and the place.
    browser.reload();
    assert_eq!(pieces(&browser), 21);
    assert_eq!(browser.run("return document.querySelectorAll('#moves li').length"), 42);
    assert_clean(&browser, served);
}

fn analysis_arrives_and_follows_the_position(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&format!("{}#{ENDGAME}", served.url()));
    browser.wait_for_text("#progress", "All exact");
    let values = "return Array.from(document.querySelectorAll('.value.exact'), (one) => one.textContent).filter(Boolean)";
    let before = browser.run(values);
    assert_eq!(before.as_array().map(Vec::len), Some(2), "{before}");
    assert_eq!(browser.run("return document.querySelectorAll('#lines tbody tr').length"), 2);
    // Pointing at a move shows the line of play, numbered.
    browser.move_mouse("h1", "#lines tbody tr", false);
    browser.wait("return document.querySelectorAll('.ghost').length === 2");
    browser.click("#lines tbody .move");
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    browser.wait("return document.querySelectorAll('#lines tbody tr').length === 1");
    browser.wait_for_text("#progress", "All exact");
    browser.press(&["a"]);
    browser.wait_for_text("#progress", "Off.");
    assert_eq!(browser.run(values), json!([]));
    browser.press(&["a", ","]);
    browser.wait("return document.querySelectorAll('#lines tbody tr').length === 2");
    assert_clean(&browser, served);
}

fn bad_paste_is_refused_with_its_place_and_a_good_one_opened(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&served.url());
    let paste = |text: &str| {
        let script = "const data = new DataTransfer(); data.setData('text', TEXT); \
             document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))";
        browser.run(&script.replace("TEXT", &json!(text).to_string()));
    };
    paste("0000000\n000");
    let why =
        "nor a game record nor a link (line 2, symbol 4: expected a row of 7 cells, found 3).";
    browser.wait_for_text("#open-error", why);
    assert_clean(&browser, served);
    browser.run("document.querySelector('#open-text').value = ''");
    browser.write("#open-text", "0000000\n0000000\n0000000\n0000000\n0000000\n0120000\n1");
    browser.click("#open-ok");
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 2");
    // Two games of a tournament, one of which is chosen from the list.
    let players =
        json!([{ "name": "Ann", "player": "human" }, { "name": "Bob", "player": "random" }]);
    let recorder = serve("");
    let record = |moves: &[&str]| {
        let game = json!({ "rules": "standard", "start": ENDGAME.split(['=', '&']).nth(3), "moves": moves });
        let body = json!({ "game": game, "players": players, "times": [] });
        recorder.post("/api/record", &body).json()["text"].as_str().expect("a record").to_owned()
    };
    paste("the position: http://example.org/#game=maxconnect4&moves=4,3,4");
    browser.wait("return document.querySelectorAll('#moves li').length === 3");
    paste(&(record(&["1", "6"]) + &record(&["6"])));
    browser.wait("return document.querySelectorAll('#game-choice option').length === 2");
    browser.wait_for_text("#player0", "Ann");
    browser.wait_for_text("#hint", "Opened: Ann – Bob, 1-0, 2 moves; › steps through them.");
    // A turn of an opened game is not played by accident, and what is given up comes back.
    browser.click(&cell(0));
    browser.wait_for_text("#hint", "press “Continue from here” first");
    browser.click("#go-on");
    browser.wait("return document.querySelectorAll('#moves li').length === 0");
    browser.click(&cell(5));
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    browser.back();
    browser.wait("return document.querySelectorAll('#moves li').length === 2");
    browser.wait_for_text("#player0", "Ann");
    browser.press(&["."]);
    browser.wait_for_text("#status", "Player 2 is to move.");
    browser.press(&["."]);
    browser.wait_for_text("#status", "board full");
    assert_clean(&browser, served);
}

fn game_is_saved_and_opened_again(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    let address = format!("{}#game=maxconnect4&moves=4,4,3", served.url());
    browser.load(&address);
    // What the browser would write into a file.
    browser.run(
        "const make = URL.createObjectURL; URL.createObjectURL = (file) => { \
         file.text().then((text) => { window.saved = text; }); return make(file); }",
    );
    browser.click("#menu-button");
    browser.click("#save-game");
    browser.wait("return window.saved?.split('\\n').length > 3");
    browser.press(&["n"]);
    browser.wait("return document.querySelectorAll('#moves li').length === 0");
    browser.run(
        "const data = new DataTransfer(); data.setData('text', window.saved); \
         document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))",
    );
    browser.wait("return document.querySelectorAll('#moves li').length === 3");
    // The address is that of the game, at its beginning.
    browser.press(&["End"]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 3");
    assert_eq!(browser.text("return location.hash"), address[served.url().len()..]);
    assert_clean(&browser, served);
}

fn position_is_set_up_by_clicks(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&format!("{}#{ENDGAME}", served.url()));
    browser.click("#menu-button");
    browser.click("#setup");
    browser.click("#setup-panel .buttons button");
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 0");
    browser.click(&cell(3));
    browser.click(&cell(3));
    browser.wait("return document.querySelector('#setup-panel textarea').value.endsWith('0001000\\n0001000\\n1')");
    browser.wait_for_text("#setup-panel .error", "player 1 has 2 pieces");
    assert_clean(&browser, served);
    browser.click("#setup-panel .primary");
    browser.wait("return !document.body.classList.contains('setting-up')");
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 2");
    browser.wait("return location.hash.includes('0001000/0001000/1')");
}

fn keyboard_suffices(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&served.url());
    browser.press(&["n"]);
    browser.press(&["4"]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 1");
    // Tab reaches the board; the arrows lead to a column, Enter drops a piece.
    while browser.text("return document.activeElement.className").split(' ').next() != Some("cell")
    {
        browser.press(&["Tab"]);
    }
    browser.press(&["Right", "Right", "Left", "Down", "Up", "Enter"]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 2");
    assert_eq!(
        browser.text("return document.querySelector('#moves li:last-child').textContent"),
        "2"
    );
    browser.press(&["m"]);
    browser.wait("return document.activeElement.id === 'typed-move'");
    browser.press(&["9", "Enter"]);
    browser.wait_for_text("#status", "expected a column from 1 to 7, found `9`");
    browser.press(&["Backspace", "7", "Enter"]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 3");
    browser.run("document.activeElement.blur()");
    browser.press(&["u", "Home"]);
    browser.wait("return document.querySelectorAll('.cell:is(.side0, .side1)').length === 0");
    browser.press(&["?"]);
    browser.wait("return document.querySelector('#help-dialog').open");
    assert_clean(&browser, served);
    browser.press(&["Escape"]);
    browser.wait("return !document.querySelector('#help-dialog').open");
}

fn page_fits_a_telephone_and_the_dark(served: &dyn Home) {
    let Some(browser) = Browser::start(360, 740) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&format!("{}#{ENDGAME}", served.url()));
    for dark in [false, true] {
        browser.set_dark(dark);
        browser.reload();
        browser.wait_for_text("#progress", "All exact");
        assert!(browser.fits());
        assert_clean(&browser, served);
    }
    browser.click("#grid .cell.choice");
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
}

fn values_are_shown_only_when_asked_for(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    browser.load(&format!("{}#{ENDGAME}", served.url()));
    let is_shown = "return document.querySelector('#values').checkVisibility()";
    let shown = "return Array.from(document.querySelectorAll('#grid .value'), (one) => one.textContent).join('')";
    browser.wait_for_text("#status", "Player 1 is to move.");
    assert_eq!((browser.run(is_shown), browser.text(shown)), (json!(false), String::new()));
    assert!(!browser.loaded().iter().any(|name| name.ends_with("/api/analysis")));
    browser.click("#analysis-on");
    browser.wait_for_text("#progress", "All exact");
    assert_eq!(browser.run(is_shown), true);
    assert!(!browser.text(shown).is_empty());
    // The switch keeps its place.
    browser.reload();
    browser.wait_for_text("#progress", "All exact");
}

#[test]
#[ignore = "long"]
fn page_of_a_class_has_no_values_to_ask_for() {
    let served = &serve("--no-analysis");
    let Some(browser) = Browser::start(360, 640) else { return };
    set_players(&browser, served, ["human", "perfect"]);
    browser.load(&format!("{}#{ENDGAME}", served.url()));
    browser.wait_for_text("#status", "Player 1 is to move.");
    for id in ["analysis-card", "chart-card", "show-values-label"] {
        assert_eq!(
            browser.run(&format!("return document.getElementById('{id}').checkVisibility()")),
            false,
            "{id}"
        );
    }
    browser.press(&["a"]);
    // Who played perfectly before is a machine that may still be asked.
    assert_eq!(browser.text("return document.querySelector('#kind1').value"), "sees:2");
    browser.click("#grid .cell.choice");
    browser.wait("return document.querySelectorAll('#moves li').length === 2");
    assert!(!browser.loaded().iter().any(|name| name.ends_with("/api/analysis")));
    assert_clean(&browser, served);
}

/// The rows of the list of moves that are cut by its edges, and how many rows are seen.
const ROWS: &str = "const box = document.querySelector('#moves').getBoundingClientRect(); \
    const buttons = Array.from(document.querySelectorAll('#moves button'), (one) => one.getBoundingClientRect()); \
    const seen = buttons.filter((one) => one.bottom > box.top + 1.5 && one.top < box.bottom - 1.5); \
    const cut = seen.filter((one) => one.top < box.top - 1.5 || one.bottom > box.bottom + 1.5); \
    return [cut.length, new Set(seen.map((one) => one.top)).size]";

fn choices_and_moves_are_whole(served: &dyn Home) {
    let Some(browser) = Browser::start(360, 640) else { return };
    set_players(&browser, served, ["human", "time"]);
    let moves = [4, 3, 2, 1, 5, 6, 7].map(|column| vec![column.to_string(); 6].join(","));
    let empty = "0000000/0000000/0000000/0000000/0000000/0000000/1";
    browser.load(&format!(
        "{}#rules=standard&start={empty}&moves={}",
        served.url(),
        moves.join(",")
    ));
    for width in [360, 768, 1280] {
        browser.set_width(width, 640);
        browser.reload();
        browser.wait("return document.querySelectorAll('#moves li').length === 42");
        // As wide as if there were nothing beside it.
        let is_whole = "const list = document.querySelector('#kind1'); const free = list.cloneNode(true); \
            free.removeAttribute('id'); free.style.cssText = 'position: absolute; max-width: none'; \
            free.replaceChildren(list.selectedOptions[0].cloneNode(true)); list.parentElement.append(free); const widths = [free.offsetWidth, list.offsetWidth]; \
            free.remove(); return widths[0] <= widths[1]";
        assert_eq!(browser.run(is_whole), true, "{width}");
        for key in ["End", "Home", "."] {
            browser.press(&[key]);
            let cut = browser.run(ROWS);
            assert_eq!(cut[0], 0, "{width} {key}: {cut}");
        }
        assert!(browser.fits(), "{width}");
    }
    assert_clean(&browser, served);
}

/// A click lasts, and the piece of the rival may fall over its place meanwhile.
fn falling_piece_takes_no_click(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    set_players(&browser, served, ["human", "human"]);
    browser.load(&format!("{}#moves=1", served.url()));
    browser.wait_for_text("#status", "Player 2 is to move.");
    let hold_at_top = "const cell = document.querySelector('.cell.side0'); const [disc] = cell.children; \
        const top = document.querySelector('[data-cell=\"0\"]'); \
        const [above, below] = [top, cell].map((one) => one.getBoundingClientRect()); \
        const place = { transform: `translateY(${above.top - below.top}px)` }; \
        disc.animate([place, place], 1e6).pause(); \
        const hit = document.elementFromPoint(above.left + above.width / 2, above.top + above.height / 2); \
        return disc.getBoundingClientRect().top < above.bottom && top.contains(hit)";
    assert_eq!(browser.run(hold_at_top), true);
    browser.click(&cell(0));
    browser.wait_for_text("#status", "Player 1 is to move.");
    assert_clean(&browser, served);
}

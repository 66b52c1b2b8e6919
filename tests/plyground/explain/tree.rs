//! The page of a tree, in a browser.

use serde_json::{Value, json};

use super::{SENTENCE, click, folder, load};
use crate::common::browser::Browser;

#[test]
fn page_says_why_a_branch_was_cut_as_the_data_do() {
    let folder = folder();
    let Some(browser) = Browser::start(1200, 900) else { return };
    for (game, more) in [
        ("maxconnect4", "--depth 4"),
        ("maxconnect4", "--depth 4 --with-table"),
        ("network", "--depth 2"),
    ] {
        for option in ["html", "json"] {
            folder
                .run(&format!("{game} explain {game}.txt {more} --{option} t.{option}"))
                .success();
        }
        let data: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        load(&browser, &folder, "t.html");
        let said = browser.run(
            "const { tree } = view; return Array.from({ length: tree.count }, (_, node) => \
             tree.cut[node] ? tree.whyCut(node) : null)",
        );
        let nodes = data["tree"].as_array().expect("nodes");
        assert_eq!(said.as_array().map(Vec::len), Some(nodes.len()));
        let mut cuts = 0;
        for (index, node) in nodes.iter().enumerate() {
            assert_eq!(said[index], node["why"], "node {index}");
            cuts += u64::from(!node["why"].is_null());
        }
        assert!(cuts > 10, "{cuts}");
        let shown = browser.run(
            "const { tree } = view; return Array.from({ length: tree.count }, (_, node) => \
             [tree.alpha[node], tree.beta[node], tree.parent[node], tree.isSearched(node) ? tree.score[node] : null])",
        );
        for (index, node) in nodes.iter().enumerate() {
            let parent = if index == 0 { &json!(0) } else { &node["parent"] };
            let expected = json!([node["alpha"], node["beta"], parent, node["score"]]);
            assert_eq!(shown[index], expected, "node {index}");
        }
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn tree_is_gone_through_by_buttons_and_keys() {
    let folder = folder();
    folder.run("maxconnect4 explain maxconnect4.txt --depth 3 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    click(&browser, "Next cut");
    let sentence = browser.text(SENTENCE);
    assert!(sentence.contains("already has") && sentence.contains("(beta)"), "{sentence}");
    // All steps forward, and all of them back.
    let steps = |name: &str| {
        browser.run(&format!(
            "const button = Array.from(document.querySelectorAll('.tree-buttons button')).find((one) => one.firstChild.data === {}); \
             const at = () => `${{view.list.selected}} ${{view.phase}}`; const seen = [at()]; \
             for (;;) {{ button.click(); if (at() === seen.at(-1)) return seen; seen.push(at()); }}",
            json!(name)
        ))
    };
    browser.run("view.list.select(0)");
    let forward = steps("Step ›");
    let back = steps("‹ Step back");
    let (forward, back) = (forward.as_array().expect("steps"), back.as_array().expect("steps"));
    assert!(forward.len() > 100 && forward.iter().eq(back.iter().rev()));
    // The keyboard.
    browser.run("view.list.openDownTo(1); view.list.select(0); view.list.element.focus()");
    browser.press(&["Down", "Right", "Right"]);
    let selected = "return [view.list.selected, view.tree.ply[view.list.selected]]";
    assert_eq!(browser.run(selected), json!([2, 2]));
    browser.press(&["Left", "Left", "Home", "c"]);
    assert!(browser.text(SENTENCE).contains("already has"));
    keys_are_heard_everywhere(&browser);
    let active = "const id = view.list.element.getAttribute('aria-activedescendant'); \
         return document.getElementById(id).getAttribute('aria-selected')";
    assert_eq!(browser.text(active), "true");
    assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
    browser.set_width(360, 740);
    assert!(browser.fits());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Keys step and jump wherever the focus is, with Caps Lock as well, and nothing takes the focus away.
fn keys_are_heard_everywhere(browser: &Browser) {
    let cuts = browser.run("return view.tree.cuts");
    let cuts = cuts.as_array().expect("nodes");
    let selected = || browser.run("return view.list.selected");
    let has_focus = || browser.run("return document.activeElement !== document.body");
    // The focus is nowhere, as after the page was opened; then on a button, and on a move of the way.
    browser.run("view.list.select(0); document.activeElement.blur()");
    browser.press(&["c"]);
    assert_eq!(selected(), cuts[0]);
    browser.run("document.querySelector('.tree-buttons button').focus()");
    browser.press(&["C"]);
    assert_eq!((selected(), has_focus()), (cuts[1].clone(), json!(true)));
    assert!(browser.text(SENTENCE).starts_with(&format!("Cut 2 of {}. With ", cuts.len())));
    browser.run("document.querySelector('.tree-path .here button').focus()");
    browser.press(&["C"]);
    assert_eq!((selected(), has_focus()), (cuts[2].clone(), json!(true)));
    // A move of the way stays the one that was chosen.
    browser.run("document.querySelector('.tree-path button').focus()");
    browser.press(&["Enter"]);
    assert_eq!(selected(), 0);
    assert_eq!(browser.text("return document.activeElement.textContent"), "root");
    browser.press(&["S", "S", "B"]);
    assert_eq!((selected(), has_focus()), (json!(1), json!(true)));
    // A click on what is no control leaves the focus in the view.
    browser.click(".tree-sentence");
    assert_eq!(browser.text("return document.activeElement.id"), "tree");
    // After the last cut comes the first, and says so.
    browser.run("view.list.select(view.tree.cuts.at(-1))");
    browser.press(&["c"]);
    assert!(browser.text(SENTENCE).starts_with("Cut 1 of "), "{}", browser.text(SENTENCE));
    let shown = "return Array.from(document.querySelectorAll('.tree-buttons [aria-keyshortcuts]'), \
         (one) => one.querySelector('kbd').textContent + one.getAttribute('aria-keyshortcuts'))";
    assert_eq!(browser.run(shown), json!(["BB", "SS", "CC"]));
}

/// The row that has just been jumped to, and the reason for the jump, are in sight on a telephone
/// and at 200 %; so are the scissors of rows far down.
#[test]
fn reason_is_in_sight_on_a_small_screen() {
    let folder = folder();
    folder
        .run("maxconnect4 explain maxconnect4.txt --depth 8 --with-table --html t.html")
        .success();
    let Some(browser) = Browser::start(400, 700) else { return };
    load(&browser, &folder, "t.html");
    let in_sight = "const inSight = (one) => { const { top, bottom, left, right } = one.getBoundingClientRect(); \
         return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth; }; ";
    for (width, height) in [(400, 700), (560, 400), (1120, 800)] {
        browser.set_width(width, height);
        // From the top, from the end, and from far down in the tree.
        for place in ["0", "document.documentElement.scrollHeight"] {
            browser.run(&format!("scrollTo(0, {place})"));
            browser.press(&["c"]);
            let both = "return inSight(document.querySelector('.tree-sentence')) && inSight(document.querySelector('.tree-row.selected'))";
            assert_eq!(browser.run(&format!("{in_sight}{both}")), true, "{width}, {place}");
        }
        browser.run("view.list.select(view.tree.cuts.reduce((a, b) => (view.tree.ply[b] > view.tree.ply[a] ? b : a)))");
        assert_eq!(browser.run("return view.tree.ply[view.list.selected]"), 7);
        let note = "const note = document.querySelector('.tree-row.selected .tree-note'); \
             return note.textContent.includes('✂') && inSight(note) \
             && note.getBoundingClientRect().right <= note.closest('.tree-space').getBoundingClientRect().right";
        assert_eq!(browser.run(&format!("{in_sight}{note}")), true, "{width}");
        assert!(browser.fits(), "{width}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Every window becomes narrower once on the way to a cut, and at the cut it closes.
#[test]
fn way_to_a_cut_shows_where_the_window_narrows() {
    let folder = folder();
    folder.run("maxconnect4 explain maxconnect4.txt --depth 4 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    // What each row ends with, the next one begins with; the last ends with nothing to ask for.
    let faults = "const ends = (text) => text.split(' → '); return view.tree.cuts.filter((node) => { \
         view.list.select(node); \
         const rows = Array.from(document.querySelectorAll('.tree-path tbody tr:not(.after)'), (row) => \
           [2, 3].map((at) => ends(row.children[at].textContent))); \
         const joins = rows.every((row, at) => at === 0 || row.every((limit, side) => limit[0] === rows[at - 1][side].at(-1))); \
         const { tree } = view; const [alpha, beta] = tree.windowAt(node, null); \
         const bold = document.querySelectorAll('.tree-path .narrower').length; \
         const arrows = rows.flat().filter((limit) => limit.length === 2).length; \
         return !joins || alpha < beta || bold !== arrows; })";
    assert_eq!(browser.run(faults), json!([]));
    assert!(browser.run("return view.tree.cuts.length").as_u64().is_some_and(|cuts| cuts > 50));
}

/// Only the rows in sight are in the document, however many there are.
#[test]
fn large_tree_is_not_in_the_document() {
    let folder = folder();
    folder.run("maxconnect4 explain --depth 7 --html t.html").success();
    let Some(browser) = Browser::start(1200, 900) else { return };
    load(&browser, &folder, "t.html");
    click(&browser, "Open all");
    assert!(browser.run("return view.list.length").as_u64().is_some_and(|rows| rows > 20_000));
    browser.run("view.list.element.focus()");
    browser.press(&["End"]);
    assert_eq!(browser.run("return view.list.selected === view.tree.count - 1"), true);
    let rows = "return document.querySelectorAll('.tree-row').length";
    assert!(browser.run(rows).as_u64().is_some_and(|rows| rows < 100));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

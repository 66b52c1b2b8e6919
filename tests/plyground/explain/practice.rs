//! Questions: the same for a seed, and a page that checks the answers.

use serde_json::json;

use super::{folder, load};
use crate::common::browser::Browser;

#[test]
fn practice_is_the_same_for_a_seed() {
    let folder = folder();
    for game in ["maxconnect4", "network"] {
        let run = |args: &str| folder.run(&format!("{game} practice {args}")).success().stdout;
        assert_eq!(run("--seed 3 --questions 2"), run("--seed 3 --questions 2"));
        assert!(!run("--seed 3 --questions 2 --no-solutions").contains("Solutions"));
        run("--seed 3 --sheet sheet.html");
        assert!(folder.read("sheet.html").contains("Solutions"));
    }
}

#[test]
fn practice_page_checks_answers() {
    let folder = folder();
    folder.run("network practice --seed 7 --html practice.html").success();
    let Some(browser) = Browser::start(1000, 900) else { return };
    load(&browser, &folder, "practice.html");
    let answer = |number: usize, is_right: bool| {
        browser.run(&format!(
            "const form = document.querySelectorAll('form')[{number}]; \
             const answer = JSON.parse(document.getElementById('answers').textContent)[{number}]; \
             if (answer.value) form.elements.value.value = {is_right} ? answer.value : '77'; \
             for (const one of form.querySelectorAll('[type=radio]')) one.checked = answer.moves.includes(one.value); \
             for (const one of form.querySelectorAll('[type=checkbox]')) one.checked = answer.leaves.includes(one.value); \
             if (form.elements.move.tagName === 'SELECT') form.elements.move.value = answer.moves[0]; \
             form.querySelector('button').click(); return form.querySelector('.result').textContent"
        ))
    };
    assert!(answer(0, true).as_str().is_some_and(|text| text.starts_with("✓ Right.")));
    let first = browser.text("return document.querySelector('#score').textContent");
    for slip in ["abc", " ", "0x10", "1e3", "Infinity", "--1"] {
        let said = browser.text(&format!(
            "const form = document.querySelectorAll('form')[1]; form.elements.value.value = {}; \
             for (const one of form.querySelectorAll('[type=radio]')) one.checked = true; \
             form.querySelector('button').click(); return form.querySelector('.result').textContent",
            json!(slip)
        ));
        assert_eq!(said, format!("“{slip}” is not a number: write one such as -0.50."));
        assert_eq!(browser.text("return document.querySelector('#score').textContent"), first);
        assert_eq!(browser.text("return document.activeElement.name"), "value");
    }
    assert_eq!(answer(1, false), "✗ Not right: the value.");
    assert!(answer(2, true).as_str().is_some_and(|text| text.contains("win in 3")));
    browser.wait_for_text("#score", "2 of 6 right, 3 answered.");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

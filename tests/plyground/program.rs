//! The program of all games: each game's commands under its name, and one page for all games.

use std::path::Path;

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::served::{Home, Served, Site};
use crate::common::{self, Run, Tested, project};

type TestFolder = common::TestFolder<Plyground>;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

struct Single;

impl Tested for Single {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_network");
}

#[test]
fn help_lists_games_and_page() {
    let help = TestFolder::new().run("--help").success().stdout;
    for part in ["  maxconnect4  ", "  network      ", "  serve        ", "\nExamples:\n"] {
        assert!(help.contains(part), "no `{part}` in {help}");
    }
    let run = TestFolder::new().run("chess");
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
#[ignore = "long"]
fn engines_of_every_game_are_checked() {
    let folder = TestFolder::new();
    for game in ["maxconnect4", "network"] {
        let command = format!("{} {game} engine random", Plyground::PROGRAM);
        let run = Run::of(folder.command([game, "engine-check"]).arg(&command)).success();
        assert!(run.stdout.ends_with("15 of 15 exchanges as expected\n"), "{}", run.stdout);
    }
    let run = Run::of(&mut folder.command(["engine-check", "cat"]));
    assert!(
        run.code == Some(2) && run.stderr.contains("it is `plyground maxconnect4 engine-check`"),
        "{run:?}"
    );
}

#[test]
fn game_has_commands_of_its_own_program() {
    let folder = TestFolder::new();
    for args in ["-q random random --seed 1", "--rules usf perft 1", "verify-solution none.txt"] {
        let alone = common::TestFolder::<Single>::new().run(args);
        let run = folder.run(&format!("network {args}"));
        assert_eq!((run.code, run.stdout), (alone.code, alone.stdout), "{args}");
    }
    folder.run("maxconnect4 perft 3").success();
    let session = folder.run_with("network", "0\n").success().stdout;
    assert!(session.starts_with("Enter the number of human players"), "{session}");
}

#[test]
fn examples_begin_with_name_of_program() {
    let folder = TestFolder::new();
    for args in ["maxconnect4 solve", "network", "network verify-solution", "network match"] {
        let help = folder.run(&format!("{args} --help")).success().stdout;
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        let begins = format!("  plyground {args}");
        assert!(examples.starts_with(&begins), "{args}: {examples}");
        let other = examples.lines().find(|line| !line.starts_with("  plyground "));
        assert_eq!(other.filter(|line| !line.starts_with("      ")), None, "{args}");
    }
}

#[test]
fn mistyped_command_is_answered_with_place_of_commands() {
    let run = TestFolder::new().run("network analyse");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("tip: `plyground network help` lists"), "{}", run.stderr);
}

#[test]
fn command_of_game_alone_is_answered_with_that_of_game() {
    for (word, tip) in [
        ("solve", "`plyground maxconnect4 solve`"),
        ("verify-solution", "`plyground network verify-solution`"),
    ] {
        let run = TestFolder::new().run(word);
        let said = format!("error: unrecognized subcommand '{word}'; tip: it is {tip}\n");
        assert_eq!((run.code, run.stderr), (Some(2), said));
    }
}

#[test]
fn page_of_all_games_has_no_single_book() {
    TestFolder::new().run("serve --book b.book").failure(2, "a page with a single game");
}

#[cfg(unix)]
#[test]
fn programs_of_others_are_supervised() {
    let player = "line:".to_owned() + Plyground::PROGRAM + " maxconnect4 engine machine:depth=1";
    let folder = TestFolder::new();
    let args = ["maxconnect4", "play", "-q", "random", &player, "--seed", "1", "--ply-cap", "6"];
    let output = folder.command(args).output().expect("the program");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.ends_with("Result: 1/2-1/2 (no end after 6 plies)\n"), "{stdout}");
}

/// The package itself is built by `.ci/nightly`; its sources are those of `examples/mygame`.
#[test]
fn new_game_is_a_package_with_a_name_of_its_own() {
    let folder = TestFolder::new();
    let source = project();
    let new_game = |name: &str, source: &Path| {
        let words = ["new-game", name, "--source"];
        Run::of(folder.command(words).arg(source))
    };
    let run = new_game("konane", &source).success();
    assert!(run.stdout.starts_with("konane: "), "{}", run.stdout);
    let manifest = folder.read("konane/Cargo.toml");
    let engine = format!("plyground = {{ path = \"{}\" }}", source.display());
    assert!(manifest.contains(&engine), "{manifest}");
    for name in ["Cargo.toml", "README.md", "src/lib.rs", "src/rules.rs", "tests/contract.rs"] {
        let text = folder.read(&format!("konane/{name}"));
        assert!(!text.to_lowercase().contains("mygame"), "{name}: {text}");
    }
    assert!(folder.read("konane/src/lib.rs").contains("pub struct Konane;"));
    let again = new_game("konane", &source);
    again.failure(2, "konane: expected a folder that is empty or not there yet");
    new_game("y4", &folder.path("")).failure(2, "expected --source with the sources of Plyground");
    let refused = new_game("fn", &source);
    assert!(refused.code == Some(2) && refused.stderr.contains("another name"), "{refused:?}");
}

crate::test_both_pages! {
    super::serve();
    game_is_changed_by_keyboard_and_found_again,
    links_mean_what_they_say,
    review_asks_for_the_better_move,
    resignation_ends_the_game,
    rules_are_told_at_the_first_visit,
    page_of_all_games_fits_a_telephone,
}

fn serve() -> Served {
    Served::start(Plyground::PROGRAM, "")
}

#[test]
fn request_names_its_game() {
    let served = serve();
    let about = |query: &str| served.get(&format!("/api/game{query}")).json();
    assert_eq!(about("")["name"], "maxconnect4");
    let network = about("?game=network&rules=usf");
    assert_eq!((&network["name"], &network["rules"]), (&json!("network"), &json!("usf")));
    let names = network["games"].as_array().expect("games").iter().map(|game| &game["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["maxconnect4", "network"]);
    let error = served.get("/api/game?game=chess").error();
    assert_eq!(error, "there is no game called `chess`");
    for name in ["maxconnect4", "network"] {
        let line = about(&format!("?game={name}"))["start"].clone();
        assert_eq!(line["game"], name);
        assert_eq!(served.position(&line)["side"], 0);
        let body = json!({ "client": "a", "game": line, "player": "machine:depth=2" });
        assert!(served.post("/api/choice", &body).json()["move"].is_string());
    }
}

#[test]
fn records_of_all_games_are_opened_together() {
    let served = serve();
    let players =
        json!([{ "name": "Ann", "player": "human" }, { "name": "Bob", "player": "random" }]);
    let record = |name: &str, mv: &str| {
        let mut line = served.get(&format!("/api/game?game={name}")).json()["start"].clone();
        line["moves"] = json!([mv]);
        let body = json!({ "game": line, "players": players, "times": [] });
        let record = served.post("/api/record", &body).json();
        record["text"].as_str().expect("a record").to_owned()
    };
    let text = record("network", "33") + &record("maxconnect4", "4");
    let opened = served.post("/api/open", &json!({ "rules": "standard", "text": text })).json();
    let games = opened["games"].as_array().expect("games").iter().map(|game| &game["game"]);
    assert_eq!(games.collect::<Vec<_>>(), ["network", "maxconnect4"]);
}

#[test]
fn unknown_path_has_a_page_for_browsers() {
    let served = serve();
    assert_eq!(served.get("/nothing").body, "{\"error\":\"there is nothing here\"}");
    let head = format!("{}Accept: text/html\r\n", served.host());
    let answer = served.request("GET", "/nothing", &head, "");
    assert_eq!(answer.status, 404);
    assert!(answer.head.contains("content-type: text/html"), "{}", answer.head);
    assert!(answer.body.contains("To the games"), "{}", answer.body);
}

fn assert_clean(browser: &Browser) {
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

const CELLS: &str = "return document.querySelectorAll('#grid .cell').length";
const MOVES: &str = "return document.querySelectorAll('#moves li').length";

fn game_is_changed_by_keyboard_and_found_again(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    assert_eq!(browser.run(CELLS), 42);
    browser.press(&["4"]);
    // The machine answers.
    browser.wait(&format!("return (() => {{ {MOVES} }})() === 2"));
    browser.run("document.querySelector('#game').focus()");
    browser.press(&["Down"]);
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 64"));
    assert_eq!(browser.text("return document.title"), "Network");
    assert_eq!(browser.text("return document.activeElement.id"), "game");
    assert_eq!(browser.run(MOVES), 0);
    browser.wait_for_text("#status", "White is to move.");
    assert_clean(&browser);
    browser.reload();
    assert_eq!(browser.run(CELLS), 64, "the address has the game");
    browser.run("document.querySelector('#game').focus()");
    browser.press(&["Up"]);
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 42"));
    browser.wait(&format!("return (() => {{ {MOVES} }})() === 2"));
    browser.back();
    browser.wait(&format!("return (() => {{ {CELLS} }})() === 64"));
    assert_eq!(browser.text("return document.querySelector('#game').value"), "network");
    assert_clean(&browser);
}

/// Opens the page at a link, as in a browser that has just been started.
fn open_link(browser: &Browser, served: &dyn Home, hash: &str) {
    browser.load_other("about:blank");
    browser.load(&format!("{}#{hash}", served.url()));
}

fn links_mean_what_they_say(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&format!("{}#game=network", served.url()));
    assert_eq!(browser.run(CELLS), 64);
    assert_eq!(browser.run(MOVES), 0);
    // A position that was sent stays, though a machine is to move.
    open_link(&browser, served, "game=network&moves=33,44,13&ply=1");
    browser.wait_for_text("#status", "White adds 33. Black is to move.");
    assert_eq!(browser.text("return location.hash"), "#game=network&moves=33,44,13&ply=1");
    for (hash, why) in [
        ("game=chess", "there is no game called `chess`"),
        ("game=network&rules=none", "there are no rules called `none`"),
        ("game=network&moves=33,33", "move 2, 33: there is a chip of White on 33"),
        ("game=network&moves=33&ply=abc", "from 0 to 1, found `abc`"),
        ("game=network&moves=33&ply=-1", "from 0 to 1, found `-1`"),
        ("game=network&moves=33&ply=2", "from 0 to 1, found `2`"),
        ("game=network&game=maxconnect4", "each at most once, found `game`"),
        ("game=network&move=33", "found `move`"),
    ] {
        open_link(&browser, served, hash);
        browser.wait_for_text("#refused-why", why);
        assert_eq!(browser.run("return document.querySelector('#board').checkVisibility()"), false);
        assert_eq!(browser.text("return location.hash"), format!("#{hash}"));
    }
    assert_eq!(browser.text("return document.querySelector('#game').value"), "network");
    assert_clean(&browser);
    browser.click("#refused-games li:nth-child(2) a");
    browser.wait("return document.querySelector('#board').checkVisibility()");
    assert_eq!((browser.run(CELLS), browser.run(MOVES)), (json!(64), json!(0)));
    // The plain address is that of the game that was played last.
    open_link(&browser, served, "");
    assert_eq!(browser.run(CELLS), 64);
}

fn review_asks_for_the_better_move(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    // One move each is left; the first player wins by column 1, and column 6 is a tie.
    let start = "0222101/1121211/2222221/1111111/2222222/2111111/1";
    open_link(&browser, served, &format!("game=maxconnect4&start={start}&moves=6,1"));
    browser.click("#review-begin");
    browser.wait_for_text("#review-note", "Mistakes: Player 1: 1, Player 2: 0.");
    browser.wait("return document.querySelectorAll('#moves .mistake').length === 1");
    browser.wait_for_text("#moves .mistake", "6?? −1");
    browser.click("#review-next");
    browser.wait_for_text(
        "#review-text",
        "Move 1: Player 1 played 6, which ties; a win by 1 point was possible.",
    );
    browser.run("document.activeElement.blur()");
    // A move that is tried is not made.
    browser.press(&["6"]);
    browser.wait_for_text("#review-text", "6 is what was played.");
    browser.press(&["1"]);
    browser.wait_for_text("#review-text", "Right!");
    assert_eq!(browser.run(MOVES), 2);
    assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
    assert_clean(&browser);
    // Neither is lost by another move.
    browser.press(&["End", "Home", "1"]);
    browser.wait("return location.hash.includes('moves=1')");
    browser.back();
    browser.wait_for_text("#moves .mistake", "6?? −1");
}

fn resignation_ends_the_game(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    open_link(&browser, served, "game=maxconnect4&moves=4,3");
    let is_over = |browser: &Browser| {
        browser.wait_for_text("#status", "Player 1 resigns. Player 2 wins.");
        assert_eq!(browser.run("return document.querySelector('.cell.choice') === null"), true);
    };
    browser.click("#resign");
    browser.click("#resign");
    is_over(&browser);
    browser.click("[data-cell=\"0\"]");
    browser.wait_for_text("#hint", "The game is over.");
    assert_clean(&browser);
    browser.reload();
    is_over(&browser);
    // What is taken back first is the resignation alone.
    browser.press(&["u"]);
    browser.wait_for_text("#status", "Player 1 is to move.");
    assert_eq!(browser.run(MOVES), 2);
}

fn rules_are_told_at_the_first_visit(served: &dyn Home) {
    let Some(browser) = Browser::start(1200, 900) else { return };
    for (game, text) in
        [("maxconnect4", "side by side are a point"), ("network", "A network is a line")]
    {
        open_link(&browser, served, &format!("game={game}"));
        browser.wait_for_text("#guide", text);
        let pictures = "return document.querySelectorAll('#guide figure svg').length >= 3";
        assert_eq!(browser.run(pictures), true);
        assert_eq!(browser.barriers_in_light_and_dark(), Vec::<String>::new());
        browser.click("#guide-done");
        browser.reload();
        assert_eq!(browser.run("return document.querySelector('#guide-card').hidden"), true);
        browser.click("#help");
        browser.wait_for_text("#help-text", text);
        assert_clean(&browser);
        browser.click(".dialog-head button");
        assert_eq!(browser.run("return document.querySelector('#help-dialog').open"), false);
    }
}

fn page_of_all_games_fits_a_telephone(served: &dyn Home) {
    let Some(browser) = Browser::start(360, 740) else { return };
    browser.load(&served.url());
    assert!(browser.fits());
    assert_clean(&browser);
}

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
#[ignore = "long"]
fn page_works_without_a_network_from_the_second_visit_on() {
    let Some(mut site) = Site::start() else { return };
    let Some(browser) = Browser::start(1200, 900) else { return };
    visit(&browser, &site);
    site.end();
    let address = site.url();
    // As somebody opens a link that they were sent.
    browser.load_other("about:blank");
    browser.load(&format!("{address}?from=a+friend#game=maxconnect4&moves=4,4,3"));
    // The position is that of the link until its reader moves; then the machine answers.
    browser.wait_for_text("#go-on", "Let the machine go on");
    browser.click("#go-on");
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
#[ignore = "long"]
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
#[ignore = "long"]
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

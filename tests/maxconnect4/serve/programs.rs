//! Other people's programs as players of `maxconnect4 serve`, as its page sees them.

use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::{Value, json};

use super::game;
use super::page::{assert_clean, pieces, set_players};
use crate::common::Run;
use crate::common::browser::Browser;
use crate::common::served::{PATIENCE, Served};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");

/// A program that answers `$1` when it is asked for its move.
fn script(answer: &str) -> String {
    format!(
        "line:sh -c 'while read word rest; do case $word in isready) echo readyok;; \
         go) {answer};; quit) exit;; esac; done'"
    )
}

/// A server that offers these programs, each with a name, with more arguments.
pub(super) fn serve(programs: &[(&str, &str)], args: &[&str]) -> Served {
    let players = programs.iter().map(|(name, answer)| format!("{name}={}", script(answer)));
    let players: Vec<String> = players.collect();
    let named = players.iter().flat_map(|player| ["--player", player]);
    Served::with(PROGRAM, &args.iter().copied().chain(named).collect::<Vec<_>>())
}

/// Takes column 4, and says something.
pub(super) const FOUR: &str =
    "echo think hard >&2; echo info deep; echo bestmove 4 depth 3 score 150";

fn choice(served: &Served, client: &str, player: &str, moves: &[&str]) -> Value {
    let body = json!({ "client": client, "game": game(moves), "player": player });
    served.post("/api/choice", &body).json()
}

/// Says what a page says that is there, and returns what the server says of both sides.
fn be_there(served: &Served, client: &str, players: [&str; 2], moves: &[&str]) -> Value {
    let body = json!({ "client": client, "game": game(moves), "players": players });
    served.post("/api/programs", &body).json()["seats"].clone()
}

/// The number of processes of the server that are supervisors of programs, and not the one that forks them.
fn supervisors(served: &Served) -> usize {
    let id = served.process.id();
    let folder = std::fs::read_dir("/proc").expect("processes");
    let is_supervisor = |stat: &String| {
        let Some((head, rest)) = stat.rsplit_once(") ") else { return false };
        let mut fields = rest.split_whitespace();
        let (state, parent) = (fields.next(), fields.next());
        head.ends_with("(supervisor") && state != Some("Z") && parent == Some(&id.to_string())
    };
    let stats =
        folder.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    stats.filter(is_supervisor).count()
}

#[track_caller]
pub(super) fn wait_for_supervisors(served: &Served, number: usize) {
    let start = Instant::now();
    while supervisors(served) != number {
        assert!(start.elapsed() < PATIENCE, "{} processes", supervisors(served));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn page_learns_names_and_no_commands() {
    let served = serve(&[("bob", FOUR), ("eve", "exit 3")], &[]);
    let about = served.get("/api/game");
    let programs = json!([
        { "name": "bob", "needs_depth": false },
        { "name": "eve", "needs_depth": false },
    ]);
    assert_eq!(about.json()["programs"], programs);
    assert!(!about.body.contains("line:") && !about.body.contains("readyok"), "{}", about.body);
}

#[test]
fn only_programs_of_the_command_line_are_started() {
    let served = serve(&[("bob", FOUR)], &[]);
    for player in ["player:eve", "player:line:true", "player:", "player:bob=line:true", "line:true"]
    {
        let answer = choice(&served, "a", player, &[]);
        assert!(answer["error"].is_string(), "{player}: {answer}");
    }
    let stranger = json!({ "client": "", "game": game(&[]), "player": "player:bob" });
    let head = served.json_head();
    let mut unnamed = stranger.clone();
    unnamed["client"] = json!("invented");
    let answer = served.request("POST", "/api/choice", &head, &unnamed.to_string());
    assert_eq!(answer.status, 401, "{answer:?}");
    let foreign = format!("{head}Origin: http://evil.example\r\n");
    let answer = served.request("POST", "/api/choice", &foreign, &unnamed.to_string());
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(supervisors(&served), 0);
}

#[test]
fn program_moves_and_says_what_it_thinks() {
    let served = serve(&[("bob", FOUR)], &[]);
    let turn = choice(&served, "a", "player:bob", &["1"]);
    assert_eq!((&turn["move"], &turn["side"], &turn["depth"]), (&json!("4"), &json!(1), &json!(3)));
    assert_eq!((&turn["score"]["text"], &turn["fault"]), (&json!("+1.50"), &Value::Null));
    assert!(turn["wall_ms"].is_u64() && turn["cpu_ms"].is_u64(), "{turn}");
    let seats = be_there(&served, "a", ["human", "player:bob"], &["1", "4"]);
    assert_eq!(seats[0], Value::Null);
    assert_eq!((&seats[1]["name"], &seats[1]["state"]), (&json!("bob"), &json!("waiting")));
    assert_eq!((&seats[1]["errors"], &seats[1]["info"]), (&json!("think hard"), &json!("deep")));
    // The same process goes on with the game.
    choice(&served, "a", "player:bob", &["1", "4", "1"]);
    let seats = be_there(&served, "a", ["human", "player:bob"], &["1", "4", "1", "4"]);
    assert_eq!(seats[1]["errors"], "think hard\nthink hard");
    // A game that begins anew has another.
    choice(&served, "a", "player:bob", &["2"]);
    let seats = be_there(&served, "a", ["human", "player:bob"], &["2", "4"]);
    assert_eq!(seats[1]["errors"], "think hard");
    wait_for_supervisors(&served, 1);
}

#[test]
fn program_that_exchanges_files_is_told_the_depth_of_the_page() {
    let player = format!("us=file:{PROGRAM} one-move {{in}} {{out}} {{depth}} --no-book");
    let served = Served::with(PROGRAM, &["--player", &player]);
    let about = served.get("/api/game").json();
    assert_eq!(about["programs"], json!([{ "name": "us", "needs_depth": true }]));
    let turn = choice(&served, "a", "player:us,depth=1", &["1"]);
    assert!(turn["move"].is_string(), "{turn}");
    for (player, why) in [
        ("player:us", "us needs a depth to look ahead"),
        ("player:us,depth=43", "expected a depth from 1 to 42, found 43"),
        ("player:us,depth=0", "expected a depth of 1 or more"),
    ] {
        assert_eq!(choice(&served, "a", player, &["1"])["error"], why);
    }
}

#[test]
fn faults_are_told_and_the_server_goes_on() {
    let programs = [
        ("crash", "echo no idea >&2; exit 3"),
        ("illegal", "echo bestmove 9"),
        ("full", "echo bestmove 1"),
        ("resigns", "echo resign"),
    ];
    let served = serve(&programs, &[]);
    let full = ["1", "1", "1", "1", "1", "1"];
    for (name, fault) in [
        ("crash", "crash, exit code 3: no idea"),
        ("illegal", "illegal move, `9` is no move"),
        ("full", "illegal move, column 1 is full"),
        ("resigns", "quit"),
    ] {
        let turn = choice(&served, name, &format!("player:{name}"), &full);
        let told = turn["fault"].as_str().unwrap_or_default();
        assert!(told.starts_with(fault), "{name}: {turn}");
        assert_eq!(turn["move"], Value::Null, "{turn}");
        // Once more, in another process.
        let again = choice(&served, name, &format!("player:{name}"), &full);
        assert_eq!(again["fault"], turn["fault"], "{name}");
    }
    wait_for_supervisors(&served, 0);
    assert_eq!(served.position(&game(&["4"]))["turn"], "Player 2 is to move.");
}

#[test]
fn program_that_hangs_is_ended_at_its_limit() {
    let served = serve(&[("slow", "sleep 1000")], &["--wall", "300ms"]);
    let turn = choice(&served, "a", "player:slow", &[]);
    assert_eq!(turn["fault"], "wall limit of 300ms exceeded");
    wait_for_supervisors(&served, 0);
    assert_eq!(served.position(&game(&["4"]))["turn"], "Player 2 is to move.");
}

#[test]
fn processes_end_when_their_game_is_left() {
    let served = serve(&[("bob", FOUR)], &[]);
    let there = |players, moves: &[&str]| be_there(&served, "a", players, moves);
    assert_eq!(choice(&served, "a", "player:bob", &[])["move"], "4");
    wait_for_supervisors(&served, 1);
    // The page looks at an earlier position of the same game.
    assert_eq!(there(["player:bob", "human"], &[])[0]["state"], "waiting");
    // Another player, as when the page is left or begins another game.
    assert_eq!(there(["human", "human"], &["4"]), json!([null, null]));
    wait_for_supervisors(&served, 0);
    // Another line of play.
    choice(&served, "a", "player:bob", &[]);
    wait_for_supervisors(&served, 1);
    assert_eq!(there(["player:bob", "human"], &["5"]), json!([null, null]));
    wait_for_supervisors(&served, 0);
}

#[test]
fn programs_of_a_silent_client_end() {
    let served = serve(&[("bob", FOUR)], &["--player-absence", "100ms"]);
    assert_eq!(choice(&served, "a", "player:bob", &[])["move"], "4");
    wait_for_supervisors(&served, 0);
    // Another process goes on with the game.
    assert_eq!(choice(&served, "a", "player:bob", &["4", "1"])["move"], "4");
}

#[test]
fn program_hears_the_end_of_its_game() {
    let answer = "echo bestmove 6;; gameover) echo over $rest >&2";
    let served = serve(&[("bob", answer)], &[]);
    let start = "0222101/1121211/2222221/1111111/2222222/2111111/1";
    let ask = |path: &str, moves: &[&str], key: &str, value: Value| {
        let line = json!({ "rules": "standard", "start": start, "moves": moves });
        let mut body = json!({ "client": "a", "game": line });
        body[key] = value;
        served.post(path, &body).json()
    };
    let turn = ask("/api/choice", &[], "player", json!("player:bob"));
    assert_eq!(turn["move"], "6");
    let start = Instant::now();
    loop {
        let there = ask("/api/programs", &["6", "1"], "players", json!(["player:bob", "human"]));
        let seat = &there["seats"][0];
        if seat["state"] == "ended" && seat["errors"] != "" {
            let errors = seat["errors"].as_str().unwrap_or_default();
            assert!(errors.starts_with("over "), "{seat}");
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{seat}");
    }
    wait_for_supervisors(&served, 0);
}

#[test]
fn games_of_a_program_are_limited() {
    let served = serve(&[("bob", FOUR), ("eve", FOUR)], &["--player-games", "1"]);
    let ask = |client: &str, player: &str| {
        let body = json!({ "client": client, "game": game(&[]), "player": player });
        served.post("/api/choice", &body)
    };
    assert_eq!(ask("a", "player:bob").json()["move"], "4");
    let busy = ask("b", "player:bob");
    assert_eq!(busy.status, 503);
    assert!(busy.body.contains("bob plays 1 other games, and no more at a time"), "{}", busy.body);
    // Another program has games of its own, and so has the client that plays already.
    assert_eq!(ask("b", "player:eve").json()["move"], "4");
    assert_eq!(choice(&served, "a", "player:bob", &["1", "4"])["move"], "4");
    be_there(&served, "a", ["human", "human"], &[]);
    assert_eq!(ask("b", "player:bob").json()["move"], "4");
}

#[test]
fn client_that_leaves_a_thinking_program_ends_it() {
    let served = serve(&[("slow", "sleep 1000")], &[]);
    let body = json!({ "client": "a", "game": game(&[]), "player": "player:slow" });
    let body = served.named(&body).to_string();
    let mut stream = served.connect();
    let head = served.json_head();
    let request =
        format!("POST /api/choice HTTP/1.1\r\nContent-Length: {}\r\n{head}\r\n{body}", body.len());
    std::io::Write::write_all(&mut stream, request.as_bytes()).expect("a request");
    wait_for_supervisors(&served, 1);
    drop(stream);
    wait_for_supervisors(&served, 0);
}

#[test]
#[ignore = "long"]
fn processes_end_with_the_server() {
    for signal in ["INT", "TERM", "KILL"] {
        let served = serve(&[("bob", FOUR)], &["--logs", env!("CARGO_TARGET_TMPDIR")]);
        choice(&served, "a", "player:bob", &[]);
        let id = served.process.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).expect("threads");
        let children: Vec<String> = threads
            .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok())
            .chain(children)
            .flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        assert!(!children.is_empty());
        let status = served.signal(signal);
        assert_eq!(status.success(), signal != "KILL", "{status}");
        let start = Instant::now();
        for child in children {
            while std::fs::metadata(format!("/proc/{child}")).is_ok() {
                assert!(start.elapsed() < PATIENCE, "{signal}: {child} lives");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

#[test]
fn impossible_players_are_refused_at_once() {
    for (players, part) in [
        (&["bob"][..], "expected NAME=COMMAND"),
        (&["bob=machine"], "bob: expected a program"),
        (&["bob=line:nowhere/at/all"], "there is no program"),
        (&["bob=java:nowhere"], "java:nowhere: "),
        (&["bob=line:true", "bob=line:false"], "there are two players called bob"),
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--port", "0"]);
        command.args(players.iter().flat_map(|player| ["--player", player]));
        Run::of(&mut command).failure(2, part);
    }
}

/// Takes columns 1 to 4 in turn.
const ROUND: &str =
    "n=$((n % 4 + 1)); echo think of $n >&2; echo info column $n; echo bestmove $n depth $n";

/// The empty board of a short game.
const SHORT: &str = "#rules=4x4&start=0000/0000/0000/0000/1&moves=";

const IS_OVER: &str = "return document.querySelector('#status').classList.contains('over')";

#[test]
#[ignore = "long"]
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
#[ignore = "long"]
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
#[ignore = "long"]
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
#[ignore = "long"]
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

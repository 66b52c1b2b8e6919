//! The life of a league: entering, uploading, playing, looking, a second machine, a copy, the final; a server
//! that is killed at any moment, of which everything acknowledged is there, and every game counts once; and the
//! manual's page about it, whose commands and options are those of the program.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use league::store::Store;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::{Browser, Folder, PROGRAM, Running, wait};

fn has_python() -> bool {
    let is_here = Command::new("python3").arg("--version").output().is_ok();
    assert!(is_here || env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_none(), "no python3");
    is_here
}

#[test]
fn league_lives() {
    if !has_python() {
        return;
    }
    let folder = Folder::new(&["ann", "bob", "cat"], "show = 'all'\n");
    let tokens = folder.tokens();
    assert_eq!(tokens.len(), 3);
    assert!(folder.tokens().is_empty(), "a link is given once");
    let mut server = folder.serve(&[]);
    // A second server refuses the folder, and says why.
    let second = folder.try_run(&["serve", "lg", "--port", "0"]);
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("another process is at work on it"));

    let ann = server.enter(&tokens[0]);
    let bob = server.enter(&tokens[1]);
    let answer = server.push(&tokens[0], "player.py", PROGRAM.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.starts_with("Version 1 plays. all points: 2 of 2"), "{}", answer.body);
    assert!(answer.place.starts_with("/push/"), "the place to ask again: {}", answer.place);
    assert_eq!(server.ask(&tokens[0], &answer.place).body, answer.body);
    assert_eq!(server.ask(&tokens[1], &answer.place).status, 404, "another's");
    // A build that fails says so in the words of the compiler or of the preparation.
    let broken = server.push(&tokens[1], "main.c", b"int main(void) { return x; }\n");
    assert_eq!(broken.status, 422, "{}", broken.body);
    assert!(
        broken.body.starts_with("Version 1 cannot play: not built: main.c:1:25: error: "),
        "{}",
        broken.body
    );
    let stuck = server.push(&tokens[1], "player.py", b"import sys\nprint('hi', sys.argv)\n");
    assert_eq!(stuck.status, 422, "{}", stuck.body);
    assert!(stuck.body.contains("cannot play: it never moved: "), "{}", stuck.body);
    let uploaded = bob.upload(&bob.form, "player.py", format!("{PROGRAM}# Bob's\n").as_bytes());
    assert_eq!(uploaded.status, 303, "{}", uploaded.body);
    wait("Bob plays", || bob.get("/me").body.contains("plays"));
    // The student reads the module that the server lacks, and who can install it.
    let lacking = server.push(&tokens[2], "player.py", b"import sys, nowhere\nprint(sys.argv)\n");
    let why = "Version 1 cannot play: cannot run here: this server lacks the module `nowhere` of Python: hand in";
    assert!(lacking.body.starts_with(why), "{}", lacking.body);
    wait("games are counted", || ann.get("/player/1").body.matches("/game/").count() >= 4);

    // What Bob's program fails at is for Bob alone.
    let go = "elif words[0] == \"go\":\n";
    let fails = format!("{go}        if len(moves) > 9: raise ValueError('SECRET')\n");
    let crash = PROGRAM.replace(go, &fails);
    bob.upload(&bob.form, "player.py", crash.as_bytes());
    wait("Bob is benched", || bob.get("/me").body.contains("games in a row lost by faults"));
    assert!(bob.get("/player/2").body.contains("SECRET"));
    for path in ["/player/2", "/player/1", "/games"] {
        assert!(!ann.get(path).body.contains("SECRET"), "{path}");
    }
    let page = bob.get("/player/2").body;
    let row = page.split("<tr").skip(1).find(|row| row.contains("SECRET")).expect("a row");
    let lost = row.split("/game/").nth(1).and_then(|rest| rest.split('"').next()).expect("a game");
    for (path, is_own) in [("", true), ("/record", true), ("", false), ("/record", false)] {
        let browser = if is_own { &bob } else { &ann };
        let shown = browser.get(&format!("/game/{lost}{path}")).body;
        assert_eq!(shown.contains("SECRET"), is_own, "{path}: {shown}");
    }
    bob.upload(&bob.form, "player.py", format!("{PROGRAM}# mended\n").as_bytes());

    // The record of a game is that of a game of these rules.
    let whole = || {
        let page = ann.get("/player/1").body;
        let row = page.split("<tr").find(|row| row.contains("board full")).map(str::to_owned)?;
        row.split("/game/").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
    };
    wait("a game is played to its end", || whole().is_some());
    let game = whole().expect("a game");
    let shown = ann.get(&format!("/game/{game}")).body;
    assert!(shown.contains("/board#game=maxconnect4&amp;moves="), "{shown}");
    let record = ann.get(&format!("/game/{game}/record")).body;
    assert!(
        record.starts_with("{\"line\":\"game\"") && record.contains("\"line\":\"end\""),
        "{record}"
    );
    assert!(ann.get("/board").body.contains("<title>Plyground</title>"));
    // What a game lost is found in the background.
    assert_eq!(ann.submit(&format!("/game/{game}/review"), &[]).status, 303);
    wait("a review", || ann.get(&format!("/game/{game}/review")).body.contains("a review</h1>"));

    // The page of a player says what the last losses cost; only the player may ask for it.
    wait("Ann loses", || ann.get("/player/1").body.contains("The mistakes in the last losses"));
    assert_eq!(bob.submit("/player/1/review", &[]).status, 404);
    assert_eq!(ann.submit("/player/1/review", &[]).status, 303);
    wait("the losses are reviewed", || {
        let page = ann.get("/player/1").body;
        page.contains("in place of") && !page.contains("the review is being made")
    });
    let review = bob.get("/player/1/review").body;
    assert!(review.contains("Wins given away") && !review.contains("<script"), "{review}");

    // An older version can play again.
    server.push(&tokens[0], "player.py", format!("{PROGRAM}# newer\n").as_bytes());
    let me = ann.get("/me").body;
    let older = me.rsplit("/version/").find(|part| part.contains("/activate")).map(str::to_owned);
    let older = older.or_else(|| {
        let (_, rest) = me.split_once("action=\"/version/")?;
        Some(rest.to_owned())
    });
    let older: String = older.expect("a button").chars().take_while(char::is_ascii_digit).collect();
    assert_eq!(ann.submit(&format!("/version/{older}/activate"), &[]).status, 303);
    wait("the first version plays", || {
        let page = ann.get("/player/1").body;
        page.contains("Version 1, ")
    });

    // An instructor sees and changes all.
    let staff = server.enter(&folder.instructor());
    assert!(staff.get("/staff").body.contains("&lt;b&gt;bob&lt;/b&gt;"));
    assert!(staff.get("/standings.csv").body.contains(",bob,"));
    assert_eq!(staff.submit("/staff/pause", &[]).status, 303);
    assert!(staff.get("/").body.contains("The games are paused by staff-prof."));
    assert!(ann.get("/").body.contains("The games are paused."));
    assert!(folder.run(&["doctor", "lg"]).lines().all(|line| line.starts_with("ok")));

    // Another machine plays, with a token that can be revoked.
    assert_eq!(staff.submit("/staff/go-on", &[]).status, 303);
    server.kill();
    let server = folder.serve(&["--no-games"]);
    let token = folder.run(&["worker", "lg", "node1"]);
    fs::write(folder.path().join("../node.token"), token).expect("a file");
    let words = ["work", &server.url, "--token", "node.token", "--until-idle", "--programs", "p"];
    let before = doctor_games(&folder);
    let _ = stopped_after(&folder, &words, || doctor_games(&folder) >= before + 4);
    folder.run(&["worker", "lg", "node1", "--revoke"]);
    let refused = folder.try_run(&words);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && why.contains("the server refuses: 401"), "{why}");

    // A copy is a league.
    folder.run(&["backup", "lg", "copy"]);
    folder.run(&["backup", "lg", "copy"]);
    drop(server);
    assert!(folder.run(&["doctor", "copy"]).lines().all(|line| line.starts_with("ok")));

    // The final is the tournament and the grading of the class, from the copy as well.
    let done = folder.try_run(&["final", "copy", "--out", "end", "--now"]);
    let [out, told] =
        [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(out.contains("2 players") && out.contains("place"), "{out}{told}");
    assert!(told.contains("cat: not graded: cannot run here"), "{out}{told}");
    let end = folder.path().join("../end");
    let grades = fs::read_to_string(end.join("grades/grades.csv")).expect("grades");
    assert!(grades.contains("ann") && grades.contains("bob"), "{grades}");
    assert!(fs::read_to_string(end.join("final.toml")).expect("a plan").contains("[class]"));

    // What is stored of a person can go.
    folder.run(&["delete", "lg", "bob"]);
    assert!(folder.run(&["doctor", "lg"]).contains("people: 2 students"));
}

/// Returns the number of games that are counted.
fn doctor_games(folder: &Folder) -> u64 {
    let text = String::from_utf8_lossy(&folder.try_run(&["doctor", "lg"]).stdout).into_owned();
    let line = text.lines().find(|line| line.contains("games: ")).expect("a line").to_owned();
    let rest = line.split("games: ").nth(1).expect("a number");
    rest.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Runs a command until something holds, and kills it.
fn stopped_after(folder: &Folder, words: &[&str], mut holds: impl FnMut() -> bool) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plyground-league"))
        .current_dir(folder.path().join(".."))
        .args(words)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program");
    wait("games of another machine", &mut holds);
    child.kill().and_then(|()| child.wait()).is_ok()
}

/// The heading of the part that is made from the program.
const HEADING: &str = "## Commands and options\n";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/league.md")
}

/// Returns the commands with their options.
fn reference(command: &clap::Command) -> String {
    let mut text = HEADING.to_owned();
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(text, "\n`{}`: {about}.\n\n| | |\n| --- | --- |\n", inner.get_name());
        for arg in inner.get_arguments().filter(|arg| arg.get_id() != "help") {
            let takes_value = arg.get_action().takes_values();
            let value = arg.get_value_names().filter(|_| takes_value);
            let value = value.and_then(|names| names.first()).map(|name| name.to_string());
            let name = match (arg.get_long(), value) {
                (Some(long), Some(value)) => format!("--{long} {value}"),
                (Some(long), None) => format!("--{long}"),
                (None, value) => value.unwrap_or_default(),
            };
            let defaults = arg.get_default_values().iter().filter(|_| takes_value);
            let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
            let default = match &defaults[..] {
                [] => String::new(),
                _ => format!(" (`{}` by default)", defaults.join(" ")),
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "| `{name}` | {help}{default} |");
        }
    }
    text
}

#[test]
fn manual_has_the_commands_and_options() {
    let mut command = league::commands::command();
    command.build();
    let text = fs::read_to_string(page()).expect("a page");
    let (before, _) = text.split_once(HEADING).expect("a heading");
    let expected = format!("{before}{}", reference(&command));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(page(), expected).expect("a file");
        return;
    }
    assert!(text == expected, "UPDATE_GOLDEN=1 cargo test -p league manual");
}

#[test]
fn settings_of_the_manual_are_those_of_a_new_league() {
    let text = fs::read_to_string(page()).expect("a page");
    for line in league::config::TEMPLATE.lines() {
        let Some((key, _)) = line.trim_start_matches("# ").split_once(" = ") else { continue };
        assert!(text.contains(&format!("`{key}`")), "`{key}` is not on the page");
    }
}

/// Kills a server this many times while it plays games and takes uploads.
fn kill(times: u64) {
    let folder = Folder::new(&["ann", "bob", "cleo"], "settled = 1.0\n");
    let tokens = folder.tokens();
    let mut acknowledged = BTreeSet::new();
    for round in 0..times {
        let mut rng = StdRng::seed_from_u64(round);
        let mut server = folder.serve(&[]);
        let delay = Duration::from_millis(rng.random_range(20..700));
        if round % 2 == 0 {
            acknowledged.extend(uploads_until_killed(&mut server, &tokens, round, delay));
        } else {
            // While uploads wait, no games are played: here there are only those of the round before.
            std::thread::sleep(Duration::from_millis(600) + 2 * delay);
            server.kill();
        }
        let faults = Store::open(&folder.path()).and_then(|store| store.faults()).expect("a look");
        assert_eq!(faults, Vec::<String>::new(), "round {round}");
    }
    // However slow the computer, there is an upload and a game.
    let mut server = folder.serve(&[]);
    acknowledged.extend(uploaded(&server.enter(&tokens[0]), "the last"));
    wait("a game is counted", || counted(&folder) > 0);
    server.kill();
    let store = Store::open(&folder.path()).expect("a database");
    let (versions, done, counted, doubled) = store
        .read(|db| {
            let mut found = db.prepare("SELECT id FROM versions WHERE content IS NOT NULL")?;
            let versions = found.query_map([], |row| row.get::<_, i64>(0))?;
            let versions = versions.collect::<Result<BTreeSet<_>, _>>()?;
            let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0));
            Ok((
                versions,
                count("SELECT count(*) FROM games WHERE state = 'done'")?,
                count("SELECT sum(games) FROM versions")?,
                // A pair is two games of one seed, one with each side.
                count(
                    "SELECT count(*) FROM (SELECT 1 FROM games GROUP BY first, second, opening, seed, made
                     HAVING count(*) > 1)",
                )?,
            ))
        })
        .expect("a look");
    println!("{times} kills: {} uploads acknowledged, {done} games", acknowledged.len());
    let lost: Vec<_> = acknowledged.difference(&versions).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert!(done > 0 && counted == 2 * done && doubled == 0, "{done} {counted} {doubled}");
    let report = folder.run(&["doctor", "lg"]);
    assert!(report.lines().all(|line| line.starts_with("ok")), "{report}");
}

/// Uploads one file after the other until the server is killed after `delay`, and returns the numbers of the
/// versions that were acknowledged.
fn uploads_until_killed(
    server: &mut Running,
    tokens: &[String],
    round: u64,
    delay: Duration,
) -> Vec<i64> {
    let browsers: Vec<_> = tokens.iter().map(|token| server.enter(token)).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&browsers)
            .map(|(number, browser)| {
                scope.spawn(move || {
                    let mut versions = Vec::new();
                    for count in 0.. {
                        let text = format!("{round} {number} {count}");
                        let Some(version) = uploaded(browser, &text) else { break };
                        versions.push(version);
                    }
                    versions
                })
            })
            .collect();
        std::thread::sleep(delay);
        server.kill();
        threads.into_iter().flat_map(|thread| thread.join().expect("a list")).collect()
    })
}

/// Uploads a text, and returns the number of the version if it was acknowledged.
fn uploaded(browser: &Browser, text: &str) -> Option<i64> {
    let answer = browser.upload(&browser.form, "a.txt", text.as_bytes());
    let id = answer.place.rsplit('/').next().and_then(|id| id.parse().ok());
    (answer.status == 303).then(|| id.expect("the number of a version"))
}

/// Returns the number of games that are counted.
fn counted(folder: &Folder) -> i64 {
    let store = Store::open(&folder.path()).expect("a database");
    let count = store.read(|db| {
        let sql = "SELECT count(*) FROM games WHERE state = 'done'";
        Ok(db.query_row(sql, [], |row| row.get(0))?)
    });
    count.expect("a count")
}

#[test]
fn nothing_acknowledged_is_lost() {
    kill(4);
}

#[test]
#[ignore = "long"]
fn nothing_acknowledged_is_lost_in_many_kills() {
    kill(if std::env::var_os("PLYGROUND_NIGHTLY").is_some() { 100 } else { 30 });
}

//! The life of a league: entering, uploading, playing, looking, a second machine, a copy, the final.

use std::fs;
use std::process::Command;

use crate::running::{Folder, PROGRAM, wait};

fn has_python() -> bool {
    let is_here = Command::new("python3").arg("--version").output().is_ok();
    assert!(is_here || std::env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_none(), "no python3");
    is_here
}

#[test]
#[ignore = "long"]
fn league_lives() {
    if !has_python() {
        return;
    }
    let folder = Folder::new(&["ann", "bob"], "show = 'all'\n");
    let tokens = folder.tokens();
    assert_eq!(tokens.len(), 2);
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
    assert!(
        answer.body.starts_with("Version 1 plays. all checks passed: 2 of 2"),
        "{}",
        answer.body
    );
    assert!(answer.place.starts_with("/push/"), "the place to ask again: {}", answer.place);
    assert_eq!(server.ask(&tokens[0], &answer.place).body, answer.body);
    assert_eq!(server.ask(&tokens[1], &answer.place).status, 404, "another's");
    // A build that fails says so in the words of the compiler or of the preparation.
    let broken = server.push(&tokens[1], "main.c", b"int main(void) { return x; }\n");
    assert!(
        broken.body.starts_with("Version 1 cannot play: not built: main.c:1:25: error: "),
        "{}",
        broken.body
    );
    let uploaded = bob.upload(&bob.form, "player.py", format!("{PROGRAM}# Bob's\n").as_bytes());
    assert_eq!(uploaded.status, 303, "{}", uploaded.body);
    wait("Bob plays", || bob.get("/me").body.contains("plays"));
    wait("games are counted", || ann.get("/player/1").body.matches("/game/").count() >= 4);

    // What Bob's program fails at is for Bob alone.
    let crash = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'):\n        raise ValueError('SECRET')\n    \
                 print({'proto': 'protocol 1', 'isrea': 'readyok'}.get(line[:5], 'info'), flush=True)\n";
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
    wait("Ann loses", || ann.get("/player/1").body.contains("What the last losses cost"));
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
    let out = folder.run(&["final", "copy", "--out", "end", "--now"]);
    assert!(out.contains("2 players") && out.contains("place"), "{out}");
    let end = folder.path().join("../end");
    let grades = fs::read_to_string(end.join("grades/grades.csv")).expect("grades");
    assert!(grades.contains("ann") && grades.contains("bob"), "{grades}");
    assert!(fs::read_to_string(end.join("final.toml")).expect("a plan").contains("[class]"));

    // What is stored of a person can go.
    folder.run(&["delete", "lg", "bob"]);
    assert!(folder.run(&["doctor", "lg"]).contains("people: 1 students"));
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

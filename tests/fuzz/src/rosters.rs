//! Rosters, and the times in them.

use std::sync::LazyLock;
use std::time::Duration;

use plyground_arena::tournament::TournamentPlan;
use plyground_grading::grade::{
    GradeRecord, Reader, Roster, lateness, parse_time, results_json, results_text,
};
use plyground_web::{Answers, ServedGame};

use crate::source::{self, Source, assert_told};

/// A roster has a line for everybody without a submission; a fault is told with its line.
pub fn rosters(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(4) {
        let first = String::from_utf8_lossy(source.until(b'\n')).into_owned();
        match (parse_time(&first), parse_time(&source.text())) {
            (Ok(first), Ok(second)) => {
                let late = [lateness(first, second), lateness(second, first)];
                assert!(late.iter().flatten().count() <= 1, "{late:?}");
            }
            (Err(why), _) | (_, Err(why)) => assert_told(&why),
        }
        return;
    }
    match Roster::read(&source::file("roster.csv", source.0)) {
        Ok(roster) => {
            let matched = roster.matched(&[]);
            assert_eq!(matched.absent.len(), matched.unmatched.len());
            assert_eq!(matched.open, Vec::<String>::new());
        }
        Err(fault) => assert_told(&fault),
    }
}

/// A record that is read is written so that it is read as the same.
pub fn grades(bytes: &[u8]) {
    let Ok(record) = serde_json::from_slice::<GradeRecord>(bytes) else { return };
    let text = serde_json::to_string(&record).expect("JSON");
    assert_eq!(serde_json::from_str::<GradeRecord>(&text).ok().as_ref(), Some(&record));
    let _ = results_json(&record.results);
    for reader in [Reader::Student, Reader::Instructor] {
        let _ = results_text("somebody", &record.results, reader);
    }
}

/// The questions, as the paths of their requests.
const QUESTIONS: [&str; 5] =
    ["/api/position", "/api/open", "/api/record", "/api/choice", "/api/analysis"];

/// Stands in a body for the name of the client.
const CLIENT: &str = "CLIENT";

/// The statuses that report a failure of the server.
const SERVER_ERRORS: std::ops::Range<u16> = 500..600;

static SERVER: LazyLock<(Answers, String)> = LazyLock::new(|| {
    let games = games::all().into_iter().map(|game| ServedGame { game, book: None });
    let server = Answers::new(games.collect(), Duration::from_millis(1)).expect("games with pages");
    let (_, answer) = server.post("/api/client", Vec::new());
    let name: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    let name = name["client"].as_str().expect("a name").to_owned();
    (server, name)
});

/// Every request has an answer, in JSON or as events, and none breaks the server.
pub fn requests(bytes: &[u8]) {
    let mut source = Source(bytes);
    let question = QUESTIONS[source.below(QUESTIONS.len())];
    let (server, client) = &*SERVER;
    let body = match str::from_utf8(source.0) {
        Ok(text) => text.replace(CLIENT, client).into_bytes(),
        Err(_) => source.0.to_vec(),
    };
    let (status, answer) = server.post(question, body);
    assert!(!SERVER_ERRORS.contains(&status), "{status}: {}", String::from_utf8_lossy(&answer));
    let answer = String::from_utf8(answer).expect("an answer in UTF-8");
    if question != "/api/analysis" || status != 200 {
        assert!(serde_json::from_str::<serde_json::Value>(&answer).is_ok(), "{answer}");
    }
}

/// A plan has two players at least, of different names; a fault is told with its place.
pub fn tournaments(bytes: &[u8]) {
    // Paths in it are looked for beside it, where there is nothing; others are not to be read here.
    if bytes.contains(&b'/') {
        return;
    }
    match TournamentPlan::read(&source::file("plan.toml", bytes)) {
        Ok(plan) => {
            assert!(plan.players.len() >= 2);
            let mut names: Vec<_> = plan.players.iter().map(|player| &player.name).collect();
            names.sort();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        }
        Err(fault) => assert_told(&fault),
    }
}

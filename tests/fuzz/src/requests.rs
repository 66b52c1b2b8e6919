//! The requests of a browser to the server: which question, then its body.

use std::sync::LazyLock;
use std::time::Duration;

use plyground_web::{Answers, ServedGame};

use crate::source::Source;

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
pub fn run(bytes: &[u8]) {
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

//! Clients that take no answers, come slowly, or come from one place many times.

use std::io::Write;
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use super::{EMPTY, game, serve};
use crate::common::served::{Answer, Served};

impl Served {
    /// Returns the number of sockets that the server has open.
    fn sockets(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.process.id());
        let links = std::fs::read_dir(folder).expect("the files of the process");
        let links = links.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        links.filter(|link| link.to_string_lossy().starts_with("socket:")).count()
    }

    /// The text of a request.
    fn text(&self, method: &str, path: &str, body: &Value) -> String {
        let body = self.named(body).to_string();
        let (head, length) = (self.json_head(), body.len());
        format!("{method} {path} HTTP/1.1\r\nContent-Length: {length}\r\n{head}\r\n{body}")
    }

    /// A connection that sends these bytes and reads nothing.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        // The server may close before it has read all.
        let _ = stream.write_all(bytes);
        stream
    }
}

/// So many answers are more than all buffers between two programs hold.
const MANY: usize = 30_000;

#[test]
#[ignore = "long"]
fn nothing_is_left_of_clients_that_never_read() {
    let served = serve("--search-time 200ms --request-time 200ms --no-book");
    let alone = served.sockets();
    let line = game(&["4", "3"]);
    let record = json!({ "game": line, "players": [{ "name": "Ann", "player": "human" },
        { "name": "Bob", "player": "random" }], "times": [] });
    for (method, path, body, times) in [
        ("GET", "/", json!(null), MANY),
        ("GET", "/page/main.js", json!(null), MANY),
        ("GET", "/api/game", json!(null), MANY),
        ("POST", "/api/client", json!({}), MANY),
        ("POST", "/api/position", json!({ "game": line }), MANY),
        ("POST", "/api/open", json!({ "rules": "standard", "text": EMPTY }), MANY),
        ("POST", "/api/record", record, MANY),
        (
            "POST",
            "/api/choice",
            json!({ "client": "a", "game": game(&[]), "player": "machine:depth=42" }),
            1,
        ),
        ("POST", "/api/analysis", json!({ "client": "b", "game": game(&[]), "ply": 0 }), 1),
    ] {
        let text = served.text(method, path, &body);
        let stream = served.send(text.repeat(times).as_bytes());
        // However long it takes under load, it ends, though the client never leaves.
        while served.sockets() > alone {
            thread::yield_now();
        }
        drop(stream);
    }
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn slow_connections_keep_nobody_out() {
    let served = serve("--request-time 1h --clients 2");
    let head = served.json_head();
    let slow_body = format!("POST /api/open HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n[");
    let begun = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", &slow_body];
    let _slow: Vec<TcpStream> =
        (0..300).map(|index| served.send(begun[index % begun.len()].as_bytes())).collect();
    assert_eq!(served.position(&game(&["4"]))["turn"], "Player 2 is to move.");
    assert!(served.sockets() < 100, "{}", served.sockets());
}

#[test]
fn one_address_leaves_room_for_others() {
    let served = serve("--clients 8 --proxy 127.0.0.1");
    let ask = |client: &str, address: &str| -> TcpStream {
        let body = json!({ "client": client, "game": game(&[]), "ply": 0 });
        let text = served.text("POST", "/api/analysis", &body);
        let forwarded = format!("\r\nX-Forwarded-For: 9.9.9.9, {address}\r\nContent-Length:");
        served.send(text.replacen("\r\nContent-Length:", &forwarded, 1).as_bytes())
    };
    // The stream is kept, so that the search goes on.
    let status = |stream: &TcpStream| Answer::head(stream.try_clone().expect("a stream"));
    let ours: Vec<TcpStream> = (0..256).map(|n| ask(&format!("client {n}"), "10.0.0.1")).collect();
    let statuses: Vec<u16> = ours.iter().map(status).collect();
    assert_eq!(statuses.iter().filter(|&&status| status == 200).count(), 4, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    let others: Vec<TcpStream> = (0..4).map(|n| ask(&format!("other {n}"), "10.0.0.2")).collect();
    assert!(others.iter().all(|stream| status(stream) == 200));
}

#[test]
fn a_name_that_was_not_given_ends_nobodys_search() {
    let served = serve("");
    let mut events = served.ask("a", &game(&[]), 0);
    assert!(events.next().is_some());
    for name in ["", "a", &"x".repeat(10_000), &"0".repeat(48)] {
        for (path, body) in [
            ("/api/analysis", json!({ "client": name, "game": game(&[]), "ply": 0 })),
            ("/api/choice", json!({ "client": name, "game": game(&[]), "player": "random" })),
        ] {
            let answer = served.request("POST", path, &served.json_head(), &body.to_string());
            assert_eq!(answer.status, 401, "{answer:?}");
            assert!(answer.body.len() < 200, "{answer:?}");
        }
    }
    assert_ne!(events.next().expect("values")["done"], true);
}

#[test]
fn names_of_the_host_are_answered() {
    let served = serve("--host play.example.org --host other.example:8443");
    let status = |head: &str| served.request("GET", "/", head, "").status;
    for host in ["play.example.org", "PLAY.example.org", "other.example:8443"] {
        assert_eq!(status(&format!("Host: {host}\r\n")), 200, "{host}");
        assert_eq!(status(&format!("Host: {host}\r\nOrigin: https://{host}\r\n")), 200, "{host}");
        assert_eq!(status(&format!("Host: {host}\r\nOrigin: https://evil.example\r\n")), 403);
    }
    for host in ["play.example.org:8443", "other.example", "evil.example", "x.play.example.org"] {
        assert_eq!(status(&format!("Host: {host}\r\n")), 403, "{host}");
    }
    assert_eq!(served.get("/").status, 200);
}

const CLIENTS: usize = 200;

/// In KiB: a GiB.
const MEMORY: u64 = 1 << 20;

#[test]
fn two_hundred_clients_analyze_at_once() {
    let served = serve("--clients-per-address 256");
    let openings: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let columns = [1, 7, 49].map(|scale| (client / scale % 7 + 1).to_string());
            game(&columns.each_ref().map(String::as_str))
        })
        .collect();
    let listening: Vec<_> = thread::scope(|threads| {
        let clients: Vec<_> = openings
            .iter()
            .enumerate()
            .map(|(client, game)| {
                let served = &served;
                threads.spawn(move || {
                    let mut events = served.ask(&format!("client {client}"), game, 3);
                    let first = events.next().expect("values");
                    assert_eq!(first["lines"].as_array().map(Vec::len), Some(7), "{first}");
                    events
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().expect("a client")).collect()
    });
    // Nobody was dropped, all still search, and a newcomer gets a move.
    assert_eq!(listening.len(), CLIENTS);
    assert_eq!(served.position(&game(&["4"]))["turn"], "Player 2 is to move.");
    let choice = json!({ "client": "new", "game": game(&["4"]), "player": "machine:depth=5" });
    assert_eq!(served.post("/api/choice", &choice).json()["side"], 1);
    assert!(served.memory() < MEMORY, "{} KiB", served.memory());
}

#[test]
fn client_has_one_search_and_leaves_its_place() {
    let served = serve("--clients 1");
    let mut first = served.ask("a", &game(&[]), 0);
    assert!(first.next().is_some());
    let other = json!({ "client": "b", "game": game(&[]), "ply": 0 });
    assert_eq!(served.post("/api/analysis", &other).status, 503);
    // Its next search ends the one before.
    let mut second = served.ask("a", &game(&["1"]), 1);
    assert!(second.next().is_some());
    assert_eq!(first.end()["done"], true);
    second.leave();
    // The server notices in its own time.
    let choice = json!({ "client": "b", "game": game(&[]), "player": "random" });
    while served.post("/api/choice", &choice).status == 503 {
        thread::yield_now();
    }
}

#[test]
fn search_ends_after_its_time() {
    let served = serve("--search-time 100ms --no-book");
    assert_eq!(served.ask("a", &game(&[]), 0).end()["done"], true);
    let choice = json!({ "client": "a", "game": game(&[]), "player": "machine:depth=42" });
    assert!(served.post("/api/choice", &choice).json()["move"].is_string());
    let choice = json!({ "client": "a", "game": game(&[]), "player": "machine:perfect" });
    assert!(served.post("/api/choice", &choice).json()["move"].is_string());
}

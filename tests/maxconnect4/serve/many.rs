//! Many clients at once.

use std::thread;

use serde_json::json;

use super::{game, serve};

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

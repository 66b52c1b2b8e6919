//! Requests that the server refuses, and how it ends.

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use super::{game, serve};
use crate::common::served::{Answer, Served};

#[test]
fn other_paths_lead_nowhere() {
    let served = serve("");
    for path in [
        "/page",
        "/page/",
        "/page/../Cargo.toml",
        "/page/..%2f..%2fCargo.toml",
        "/../../etc/passwd",
        "//etc/passwd",
        "/page/%2e%2e/%2e%2e/etc/passwd",
        "/page/main.js/",
        "/page/main.js%00",
        "/page/style.css.map",
        "/index.html",
        "/api",
        "/api/nothing",
        "/page\\..\\Cargo.toml",
    ] {
        let answer = served.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains("[package]"), "{path}");
    }
    assert_eq!(served.post("/", &json!({})).status, 405);
    assert_eq!(served.get("/api/position").status, 405);
}

#[test]
fn request_that_is_not_of_the_page_is_refused() {
    let served = serve("");
    let port = served.address.port();
    let status = |head: &str| served.request("GET", "/", head, "").status;
    assert_eq!(status(&format!("Host: localhost:{port}\r\n")), 200);
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("localhost.evil.example:{port}"),
        &format!("127.0.0.1.evil.example:{port}"),
        "",
    ] {
        assert_eq!(status(&format!("Host: {host}\r\n")), 403, "{host}");
    }
    assert_eq!(status(""), 400);
    assert_eq!(status(&format!("{0}{0}", served.host())), 400);
    let body = json!({ "game": game(&[]) }).to_string();
    let post = |head: &str| {
        let head = format!("{}{head}", served.json_head());
        served.request("POST", "/api/position", &head, &body).status
    };
    assert_eq!(post(&format!("Origin: http://{}\r\n", served.address)), 200);
    for head in [
        "Origin: null\r\n",
        "Origin: https://evil.example\r\n",
        &format!("Origin: https://{}\r\n", served.address),
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(post(head), 403, "{head}");
    }
}

#[test]
fn faulty_bodies_are_refused() {
    let served = serve("");
    let post = |body: &str| served.request("POST", "/api/position", &served.json_head(), body);
    for body in ["", "{", "[]", "null", "{\"game\":1}", "\u{0}", "{\"game\":{},\"more\":1}"] {
        assert_eq!(post(body).status, 400, "{body}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(post(&deep).status, 400);
    let fine = json!({ "game": game(&[]) }).to_string();
    let other_types = ["", "Content-Type: text/plain\r\n", "Content-Type: multipart/form-data\r\n"];
    for kind in other_types {
        let head = format!("{}{kind}", served.host());
        assert_eq!(served.request("POST", "/api/position", &head, &fine).status, 415, "{kind}");
    }
    for bytes in ["", "\r\n\r\n", "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}"]
    {
        let mut stream = served.connect();
        stream.write_all(bytes.as_bytes()).expect("a connection");
        stream.shutdown(std::net::Shutdown::Write).expect("a connection");
        assert!([0, 400].contains(&Answer::read(stream).status), "{bytes}");
    }
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn impossible_games_are_refused_in_words() {
    let served = serve("");
    let refused =
        |game: serde_json::Value| served.post("/api/position", &json!({ "game": game })).error();
    assert_eq!(refused(game(&["8"])), "column 8 does not exist: the columns are 1 to 7");
    assert_eq!(refused(game(&["x"])), "expected a column from 1 to 7, found `x`");
    assert_eq!(refused(game(&["1"; 201])), "a game ends after 200 moves");
    let mut other = game(&[]);
    other["rules"] = "chess".into();
    assert_eq!(refused(other), "there are no rules called `chess`");
    let mut unknown = game(&[]);
    unknown["game"] = "chess".into();
    assert_eq!(refused(unknown), "there is no game called `chess`");
    let mut floating = game(&[]);
    floating["start"] = "0000000/0000000/0000000/0000000/1000000/0000000/2".into();
    assert_eq!(
        refused(floating),
        "5:1: expected 0 above an empty cell, found a piece with nothing below it"
    );
}

#[test]
fn huge_requests_are_not_read() {
    let served = serve("");
    let head = served.json_head();
    let huge = served.raw(
        format!("POST /api/open HTTP/1.1\r\n{head}Content-Length: 1000000000\r\n\r\n[").as_bytes(),
    );
    assert_eq!(huge.status, 413);
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000)).repeat(20);
    let chunked =
        format!("POST /api/open HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n{chunk}");
    assert!([0, 413].contains(&served.raw(chunked.as_bytes()).status));
    let long_head = format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(100_000));
    assert!([0, 431].contains(&served.raw(long_head.as_bytes()).status));
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn slow_requests_are_given_up_and_hold_nobody_up() {
    let served = serve("--request-time 300ms");
    let head = served.json_head();
    let slow_body = format!("POST /api/open HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n[");
    let begun: Vec<_> = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n", &slow_body]
        .iter()
        .map(|bytes| {
            let mut stream = served.connect();
            stream.write_all(bytes.as_bytes()).expect("a connection");
            stream
        })
        .collect();
    assert_eq!(served.get("/").status, 200);
    let statuses: Vec<u16> = begun.into_iter().map(|stream| Answer::read(stream).status).collect();
    assert_eq!(statuses.last(), Some(&408), "{statuses:?}");
    assert!(statuses[..3].iter().all(|status| [0, 408].contains(status)), "{statuses:?}");
}

#[test]
fn server_ends_at_a_signal() {
    for signal in ["INT", "TERM"] {
        let served = serve("");
        let mut events = served.ask("a", &game(&[]), 0);
        assert!(events.next().is_some());
        let idle = served.connect();
        let status = served.signal(signal);
        assert_eq!(status.code(), Some(0), "{signal}");
        drop(idle);
    }
}

#[test]
fn taken_port_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let run = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .args(["serve", "--port", &port])
        .output()
        .expect("the program");
    let error = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1));
    assert!(error.starts_with(&format!("error: cannot listen at 127.0.0.1:{port}: ")), "{error}");
    // Without a port of its own, two servers find one each.
    assert_ne!(serve("").address, serve("").address);
}

#[test]
fn page_opens_in_the_browser_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (browser, seen) = (folder.path().join("xdg-open"), folder.path().join("seen"));
    let script = format!("#!/bin/sh\necho \"$1\" > {0}.part && mv {0}.part {0}\n", seen.display());
    std::fs::write(&browser, script).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).expect("a program");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_maxconnect4"));
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    let served = Served::of(&mut command, "--open");
    // The browser starts on its own.
    while !seen.exists() {
        std::thread::yield_now();
    }
    assert_eq!(std::fs::read_to_string(&seen).expect("an address").trim(), served.url());
}

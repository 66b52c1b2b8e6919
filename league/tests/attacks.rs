//! Attacks of strangers and students on a server.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::running::{Folder, multipart, wait};

#[test]
fn strangers_and_students_stay_out() {
    let folder = Folder::new(&["ann", "bob"], "");
    let tokens = folder.tokens();
    let server = folder.serve(&["--no-games"]);
    let (stranger, ann, bob) =
        (server.stranger(), server.enter(&tokens[0]), server.enter(&tokens[1]));

    // Without a session there is nothing.
    for path in [
        "/",
        "/me",
        "/games",
        "/player/1",
        "/game/1",
        "/staff",
        "/board",
        "/standings.csv",
        "/api/game",
    ] {
        let answer = stranger.get(path);
        assert_eq!(answer.status, 401, "{path}");
        assert!(answer.policy.contains("frame-ancestors 'none'"), "{}", answer.policy);
    }
    for token in ["", "x", "../../league.db", "AAAAAAAAAAAAAAAAAAAAAA", &tokens[0].to_lowercase()] {
        assert_eq!(stranger.post("/enter", &[("token", token)]).status, 403, "{token}");
        assert_eq!(server.push(token, "a.py", b"x").status, 401, "{token}");
    }
    // An invitation is no worker's token, and a student is no instructor.
    assert_eq!(work(&server.url, "take", &tokens[0], "null").0, 401);
    for path in ["/staff", "/standings.csv"] {
        assert_eq!(ann.get(path).status, 404);
    }
    for action in ["pause", "bench", "requeue"] {
        assert_eq!(ann.submit(&format!("/staff/{action}"), &[("id", "1")]).status, 404);
    }

    // A form of another session, or of another site, changes nothing.
    let name = [("nickname", "Mallory")];
    assert_eq!(ann.post("/me/name", &[("form", &bob.form), name[0]]).status, 403);
    assert_eq!(ann.post("/me/name", &[("form", ""), name[0]]).status, 403);
    let fields = [("form", &*ann.form), name[0]];
    for headers in [
        [("origin", "http://evil.example"), ("x-any", "")],
        [("origin", "null"), ("x-any", "")],
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")],
        [("host", "evil.example"), ("x-any", "")],
    ] {
        assert_eq!(ann.post_with("/me/name", &fields, &headers).status, 403, "{headers:?}");
    }
    assert_eq!(ann.upload(&bob.form, "a.py", b"x").status, 403);
    assert!(!ann.get("/me").body.contains("Mallory"));

    // Another's version is as if it were not there.
    assert_eq!(ann.upload(&ann.form, "a.txt", b"no program").status, 303);
    let own = ann.get("/me").body;
    let id = own.split("/version/").nth(1).expect("a version").split('"').next().expect("a number");
    assert_eq!(ann.get(&format!("/version/{id}")).status, 200);
    for path in [format!("/version/{id}"), format!("/version/{id}/checks")] {
        assert_eq!(bob.get(&path).status, 404, "{path}");
    }
    assert_eq!(bob.submit(&format!("/version/{id}/activate"), &[]).status, 409);

    // What the pages name is there.
    let page = ann.get("/").body;
    let named = page
        .split("<link ")
        .skip(1)
        .filter_map(|link| link.split("href=\"").nth(1)?.split('"').next());
    for path in named {
        assert_eq!(stranger.get(path).status, 200, "{path}");
    }
    assert!(stranger.get("/league.css").body.contains("--ground"));

    // Text is text: names of the roster are markup here, and so is the title of the league.
    assert!(ann.get("/").body.contains("&lt;i&gt;Test&lt;/i&gt;"));
    assert!(!ann.get("/").body.contains("<i>Test") && !ann.get("/me").body.contains("<b>ann"));
    for nickname in ["<script>alert(1)</script>", "\" onclick=\"x", "a\u{202e}b", &"x".repeat(25)] {
        assert_eq!(ann.submit("/me/name", &[("nickname", nickname)]).status, 400, "{nickname}");
    }
    assert_eq!(ann.submit("/me/name", &[("nickname", "Élodie's")]).status, 303);
    assert_eq!(bob.submit("/me/name", &[("nickname", "Élodie's")]).status, 409);

    // Names of uploaded files lead nowhere else.
    for name in ["../../league.db", "/etc/passwd", "a/../../x", "C:\\x"] {
        assert_eq!(ann.upload(&ann.form, name, b"x").status, 400, "{name}");
    }
    let page = ann.upload(&ann.form, "<img src=x onerror=alert(1)>.py", b"x");
    assert_eq!(page.status, 303);
    assert!(!ann.get(&page.place).body.contains("<img src=x"));

    // A session ends when its person leaves, and when the link is revoked.
    let other = server.enter(&tokens[0]);
    assert_eq!(other.submit("/leave", &[]).status, 200);
    assert_eq!((other.get("/me").status, ann.get("/me").status), (401, 200));
    folder.run(&["invite", "lg", "--address", "http://localhost", "--again", "ann"]);
    assert_eq!((ann.get("/me").status, bob.get("/me").status), (401, 200));
    assert_eq!(stranger.post("/enter", &[("token", &tokens[0])]).status, 403);
}

/// Sends a message to the part for other machines.
fn work(url: &str, path: &str, token: &str, body: &str) -> (u16, String) {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent
        .post(format!("{url}/work/{path}"))
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .send(body)
        .expect("an answer");
    (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap_or_default())
}

/// Returns a zip of one file of zeros.
fn bomb(megabytes: usize) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("main.py", zip::write::SimpleFileOptions::default()).expect("a file");
    for _ in 0..megabytes {
        zip.write_all(&[0; 1 << 20]).expect("room");
    }
    zip.finish().expect("a zip").into_inner()
}

#[test]
fn too_much_is_refused_in_time() {
    let folder = Folder::new(&["ann"], "");
    let tokens = folder.tokens();
    let server = folder.serve(&["--no-games"]);
    // A head that promises 10 GB is refused before anything follows.
    let address = server.url.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).expect("a connection");
    let head = format!(
        "POST /push HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: 10000000000\r\n\r\n",
        tokens[0]
    );
    stream.write_all(head.as_bytes()).expect("room");
    let mut answer = [0; 12];
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    stream.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 413");
    // What has no length is read as far as the limit, and not kept.
    let answer = server.push(&tokens[0], "big.py", &vec![b'#'; 1_500_000]);
    assert!(matches!(answer.status, 413 | 0), "{answer:?}");
    let kept = std::fs::read_dir(folder.path().join("uploads")).expect("a folder").count();
    let half = std::fs::read_dir(folder.path().join("incoming")).expect("a folder").count();
    assert_eq!((kept, half), (0, 0));
    // The head of a part that never ends counts as well.
    let mut stream = TcpStream::connect(&address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    let chunked = head.replace("Content-Length: 10000000000", "Transfer-Encoding: chunked");
    let part = "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    stream.write_all((chunked + &chunk(part)).as_bytes()).expect("room");
    let name = chunk(&"a".repeat(1 << 16));
    // The server may close the connection before all is sent.
    let _ = (0..128).try_for_each(|_| stream.write_all(name.as_bytes()));
    let mut head_of_answer = [0; 12];
    let is_refused = match stream.read_exact(&mut head_of_answer) {
        // By its size, and not since it takes long.
        Ok(()) => head_of_answer.starts_with(b"HTTP/1.1 4") && !head_of_answer.ends_with(b"408"),
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    };
    assert!(is_refused, "{}", String::from_utf8_lossy(&head_of_answer));
    // A zip of 100 KB with 100 MB in it is refused when it is unpacked.
    let answer = server.push(&tokens[0], "bomb.zip", &bomb(100));
    assert!(answer.body.contains("it has more than 64"), "{}", answer.body);
    // So many files have no room in a form.
    let files: Vec<(&str, Option<&str>, &[u8])> = vec![("file", Some("a"), b""); 2_001];
    let (kind, body) = multipart(&files);
    let browser = server.enter(&tokens[0]);
    let request = browser.agent.post(format!("{}/push", server.url));
    let request = request.header("authorization", format!("Bearer {}", tokens[0]));
    let status =
        request.header("content-type", kind).send(&body[..]).map(|it| it.status().as_u16());
    assert!(status.is_err() || status.is_ok_and(|status| status == 400));
    // Uploads that never end take the places of their person, and of no other.
    let head = head.replace("10000000000", "1000") + "--XX\r\n";
    let begin = || {
        let mut stream = TcpStream::connect(&address).expect("a connection");
        stream.write_all(head.as_bytes()).expect("room");
        stream
    };
    let incoming = folder.path().join("incoming");
    let coming = || std::fs::read_dir(&incoming).expect("a folder").count();
    let endless = [begin(), begin()];
    wait("two uploads come in", || coming() == 2);
    let answer = server.push(&tokens[0], "a.txt", b"x");
    assert_eq!(answer.status, 429, "{}", answer.body);
    drop(endless);
    wait("they are gone", || coming() == 0);
    // Clients that send nothing, or a head without an end, leave room for others.
    let slow: Vec<TcpStream> = (0..600)
        .filter_map(|number| {
            let mut stream = TcpStream::connect(&address).ok()?;
            if number % 2 == 0 {
                stream.write_all(b"POST /push HTTP/1.1\r\nHost:").ok()?;
            }
            Some(stream)
        })
        .collect();
    let started = Instant::now();
    assert_eq!(server.enter(&tokens[0]).get("/").status, 200);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    drop(slow);
}

//! Attacks of strangers and students on a server; and the clients of a league over HTTPS, behind a proxy whose
//! certificate they trust or not.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::{Browser, Folder, multipart, wait};

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
    for nickname in [
        "<script>alert(1)</script>",
        "\" onclick=\"x",
        "a\u{202e}b",
        "a\u{3164}",
        "-.-",
        &"x".repeat(25),
    ] {
        assert_eq!(ann.submit("/me/name", &[("nickname", nickname)]).status, 400, "{nickname}");
    }
    assert_eq!(ann.submit("/me/name", &[("nickname", "Élodie's")]).status, 303);
    let taken = [
        "Élodie's",
        "élodie'S",
        "É\u{ff2c}odie's",
        "Élodіe's",
        "Élo-dies.",
        "Élodies",
        "student 1",
        "Student 99",
    ];
    for taken in taken {
        assert_eq!(bob.submit("/me/name", &[("nickname", taken)]).status, 409, "{taken}");
    }

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

#[test]
fn one_student_leaves_room_on_the_board_page() {
    let folder = Folder::new(&["ann", "bob"], "");
    let tokens = folder.tokens();
    let server = folder.serve(&["--no-games"]);
    let (ann, bob) = (server.enter(&tokens[0]), server.enter(&tokens[1]));
    let post = |browser: &Browser, path: &str, body: String| {
        let request = browser.agent.post(format!("{}/api/{path}", server.url));
        let request = request.header("cookie", &browser.cookie);
        request.header("content-type", "application/json").send(body).expect("an answer")
    };
    // Each page has a name, and a search that goes on as long as its answer is not dropped.
    let search = |browser: &Browser| {
        let named = post(browser, "client", "{}".to_owned()).body_mut().read_to_string();
        let named = named.expect("a name");
        let name = named.trim().trim_end_matches('}');
        let start = "0000000/0000000/0001000/0002100/0012200/0021120/1";
        let game = format!("{{\"rules\":\"standard\",\"start\":\"{start}\",\"moves\":[]}}");
        post(browser, "analysis", format!("{name},\"game\":{game},\"ply\":0}}"))
    };
    let answers: Vec<_> = (0..16).map(|_| search(&ann)).collect();
    let status = |answer: &ureq::http::Response<ureq::Body>| answer.status().as_u16();
    assert_eq!(status(&search(&bob)), 200);
    let counted: Vec<u16> = answers.iter().map(status).collect();
    assert_eq!(counted, [[200; 4], [503; 4], [503; 4], [503; 4]].concat());
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
    // A program that is somewhat too large is read to its end, so that people see the answer.
    let answer = server.push(&tokens[0], "big.py", &vec![b'#'; 20_000_000]);
    assert_eq!(answer.status, 413, "{answer:?}");
    assert!(answer.body.contains("expected at most 1"), "{answer:?}");
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

/// The file with the certificate of `localhost` and its key.
const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/localhost.pem");

/// The time after which a proxy looks whether the other side has said something.
const TURN: Duration = Duration::from_millis(2);

/// Speaks TLS with the clients of `listener`, and forwards to `address`, as long as the test runs.
fn serve_tls(listener: TcpListener, address: String) {
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(CERTIFICATE).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(vec![certificate], key));
    let config = Arc::new(config.expect("settings"));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (config, address) = (Arc::clone(&config), address.clone());
            thread::spawn(move || forward(client, config, &address));
        }
    });
}

/// Carries bytes both ways until one side ends.
fn forward(client: TcpStream, config: Arc<ServerConfig>, address: &str) -> io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    server.set_read_timeout(Some(TURN))?;
    client.set_read_timeout(Some(TURN))?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut client = StreamOwned::new(connection, client);
    let mut bytes = vec![0; 1 << 16];
    loop {
        for is_question in [true, false] {
            let read = if is_question { client.read(&mut bytes) } else { server.read(&mut bytes) };
            match read {
                Ok(0) => return Ok(()),
                Ok(count) if is_question => server.write_all(&bytes[..count])?,
                Ok(count) => client.write_all(&bytes[..count])?,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Runs a command in the folder, with a file of trusted certificates.
fn run(folder: &Folder, trusted: &Path, words: &[&str]) -> Output {
    let mut command = folder.command(words);
    // There are no certificates in the folder of the league.
    command.env("SSL_CERT_FILE", trusted).env("SSL_CERT_DIR", folder.path());
    command.output().expect("the program")
}

#[test]
fn clients_trust_certificates_of_the_system_alone() {
    let folder = Folder::new(&["ann"], "settled = 300.0\n");
    let place = folder.path().join("..");
    std::fs::write(place.join("link"), &folder.tokens()[0]).expect("a file");
    std::fs::write(place.join("token"), folder.run(&["worker", "lg", "node"])).expect("a file");
    std::fs::write(place.join("notes.txt"), "no program").expect("a file");
    let listener = TcpListener::bind("localhost:0").expect("a port");
    let host = format!("localhost:{}", listener.local_addr().expect("an address").port());
    let server = folder.serve(&["--no-games", "--https", "--host", &host]);
    serve_tls(listener, server.url.trim_start_matches("http://").to_owned());
    let url = format!("https://{host}");
    let own = Path::new(CERTIFICATE);

    // The head of an upload has no room for such a name.
    let odd = "no\u{1b}tes.txt";
    std::fs::copy(place.join("notes.txt"), place.join(odd)).expect("a file");
    let pushed = run(&folder, own, &["push", &url, odd, "--token", "link"]);
    let said = String::from_utf8_lossy(&pushed.stdout);
    assert!(said.starts_with("Version 1 cannot play: "), "{said}{pushed:?}");
    assert_eq!(pushed.status.code(), Some(1), "{pushed:?}");
    assert_eq!(pushed.stderr, b"error: the program cannot play in the league\n", "{pushed:?}");

    // Two players of ours need few games.
    let work = ["work", &url, "--token", "token", "--until-idle"];
    let worked = run(&folder, own, &work);
    let said = String::from_utf8_lossy(&worked.stderr);
    assert!(worked.status.success() && said.contains("game 2 played"), "{said}");

    // Without the certificate, nothing is sent.
    let empty = place.join("notes.txt");
    let none = run(&folder, &empty, &["push", &url, "notes.txt", "--token", "link"]);
    let said = String::from_utf8_lossy(&none.stderr);
    assert!(said.contains("install the package ca-certificates"), "{said}");
    let other = place.join("other.pem");
    std::fs::write(&other, OTHER).expect("a file");
    let refused = run(&folder, &other, &["push", &url, "notes.txt", "--token", "link"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("SSL_CERT_FILE"), "{said}");
}

/// The certificate of another server.
const OTHER: &str = "\
-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUQT7xKknahjSOPb08qmVaps8J6q4wCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTI2MTYxNDQ5WhgPMjEyNjExMDIxNjE0
NDlaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
CoEXfaozkf5+1AA/31TmOGnfC/Xzpu9d3YN7C76tNUX7EqoXGpyGpsNTll+xw+Lg
WjrxkEMVoMA+kjmK98zARqNTMFEwHQYDVR0OBBYEFG8RTVe7atnRKQ7lx6aEFq28
wF9gMB8GA1UdIwQYMBaAFG8RTVe7atnRKQ7lx6aEFq28wF9gMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJhyyQdZFG2CrOvM47Ce8Ahm6fPamSih
hEvTsP8nJ9+FAiEAkKOrq6GW63c3PXKVfPbNUOoGk5VEKe2Y5b6Ab7UDZWg=
-----END CERTIFICATE-----
";

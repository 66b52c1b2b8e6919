//! A program that serves its page, requests to it, faulty ones too, and the page on a web host that knows
//! nothing of the program.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::browser::REQUIRED;

/// No test waits this long unless something is wrong, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A server under way; it is killed when dropped.
pub struct Served {
    pub process: Child,
    pub address: SocketAddr,
    /// The line that it has printed.
    pub greeting: String,
    /// The names of clients that it has given, by what the tests call them.
    names: Mutex<HashMap<String, String>>,
}

/// The answer to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Served {
    /// Starts the server of a program at a free port, with more arguments, separated by blanks.
    pub fn start(program: &str, args: &str) -> Served {
        Served::of(&mut Command::new(program), args)
    }

    /// The same with arguments that may have blanks in them.
    pub fn with(program: &str, args: &[&str]) -> Served {
        Served::begin(Command::new(program).args(["serve", "--port", "0"]).args(args))
    }

    /// The same by a command that has the environment it is to run in.
    pub fn of(command: &mut Command, args: &str) -> Served {
        Served::begin(command.args(["serve", "--port", "0"]).args(args.split_whitespace()))
    }

    fn begin(command: &mut Command) -> Served {
        command.stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program");
        let stdout = process.stdout.as_mut().expect("its output");
        let mut greeting = String::new();
        BufReader::new(stdout).read_line(&mut greeting).expect("a line");
        let address = greeting.trim().rsplit("http://").next().expect("an address");
        let address = address.trim_end_matches('/').parse().expect("an address");
        Served { process, address, greeting, names: Mutex::default() }
    }

    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    /// Sends these bytes, and reads until the server ends the connection.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has seen enough may close before it has read all.
        let _ = stream.write_all(bytes);
        Answer::read(stream)
    }

    /// A request with these lines added to its head, from a client that wants no further answer.
    pub fn request(&self, method: &str, path: &str, head: &str, body: &str) -> Answer {
        let length = body.len();
        self.raw(
            format!(
                "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n\
                 {head}\r\n{body}"
            )
            .as_bytes(),
        )
    }

    pub fn host(&self) -> String {
        format!("Host: {}\r\n", self.address)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &self.host(), "")
    }

    /// Posts as the page does. A client in it has the name that the server has given it.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, &self.json_head(), &self.named(body).to_string())
    }

    /// The body with the name that the server has given to the client.
    pub fn named(&self, body: &Value) -> Value {
        let mut body = body.clone();
        if let Some(client) = body["client"].as_str() {
            body["client"] = self.client(client).into();
        }
        body
    }

    /// The name of a client with the server, of which the tests speak as `called`.
    pub fn client(&self, called: &str) -> String {
        if let Some(name) = self.names.lock().expect("the names").get(called) {
            return name.clone();
        }
        let given = self.request("POST", "/api/client", &self.json_head(), "{}").json();
        let name = given["client"].as_str().expect("a name").to_owned();
        let mut names = self.names.lock().expect("the names");
        names.entry(called.to_owned()).or_insert(name).clone()
    }

    pub fn json_head(&self) -> String {
        format!("{}Content-Type: application/json\r\n", self.host())
    }

    /// Returns what the server says of a position.
    pub fn position(&self, game: &Value) -> Value {
        self.post("/api/position", &json!({ "game": game })).json()
    }

    /// Asks for an analysis; its events are still to be read.
    pub fn ask(&self, client: &str, game: &Value, ply: usize) -> Events {
        let body = self.named(&json!({ "client": client, "game": game, "ply": ply })).to_string();
        let mut stream = self.connect();
        let head = self.json_head();
        let length = body.len();
        write!(
            stream,
            "POST /api/analysis HTTP/1.1\r\nContent-Length: {length}\r\n{head}\r\n{body}"
        )
        .expect("a request");
        Events(BufReader::new(stream))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Answer {
    /// The status of an answer of which no more is read than that.
    pub fn head(stream: TcpStream) -> u16 {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("an answer");
        line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }

    /// Reads the first answer, or what there is of it until the connection ends.
    pub fn read(stream: TcpStream) -> Answer {
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            // A connection that was reset still leaves what had arrived.
            if reader.read_until(b'\n', &mut head).unwrap_or(0) == 0 {
                break;
            }
        }
        let head = String::from_utf8_lossy(&head).to_lowercase();
        let length = head.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
        let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(u64::MAX);
        let mut body = Vec::new();
        let _ = reader.take(length).read_to_end(&mut body);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head, body: String::from_utf8_lossy(&body).into_owned() }
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The words of a refusal that has no status of its own.
    #[track_caller]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

/// The events of an analysis.
pub struct Events(BufReader<TcpStream>);

impl Iterator for Events {
    type Item = Value;

    /// Returns what is known so far; `None` at the end.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).ok()? == 0 || line == "0\r\n" {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).ok();
            }
        }
    }
}

impl Events {
    pub fn leave(self) {
        let _ = self.0.into_inner().shutdown(Shutdown::Both);
    }
}

/// The folder of the page without a server, as `bindings/wasm/build` makes it.
const SITE: &str = "PLYGROUND_SITE";

/// The home of a page.
pub trait Home {
    /// The address of the page.
    fn url(&self) -> String;
}

impl Home for Served {
    fn url(&self) -> String {
        Served::url(self)
    }
}

/// The files of a host by their paths there.
type Files = HashMap<String, PathBuf>;

/// A web host with the page without a server, which ends when it is dropped. It serves files and
/// nothing else.
pub struct Site {
    address: SocketAddr,
    files: Arc<Mutex<Files>>,
    is_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// The site, or `None`, with a word about it, where none was built.
    pub fn start() -> Option<Site> {
        let Some(folder) = std::env::var_os(SITE) else {
            assert!(std::env::var_os(REQUIRED).is_none(), "{SITE} does not say where the site is");
            println!("left out: {SITE} does not say where `bindings/wasm/build` has put the site");
            return None;
        };
        let files = files_of(&super::project().join(folder));
        assert!(files.contains_key("/"), "{SITE} is no site");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let is_ended = Arc::new(AtomicBool::new(false));
        let files = Arc::new(Mutex::new(files));
        let (ended, served) = (Arc::clone(&is_ended), Arc::clone(&files));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                // A browser may connect and ask for nothing, or leave before it has all.
                let served = Arc::clone(&served);
                std::thread::spawn(move || stream.and_then(|stream| answer(stream, &served)));
            }
        });
        Some(Site { address, files, is_ended, thread: Some(thread) })
    }

    /// No longer serves this file.
    pub fn remove(&mut self, path: &str) {
        self.files.lock().expect("the files").remove(path).expect("a file");
    }

    /// No longer serves anything. The page keeps its address.
    pub fn end(&mut self) {
        self.is_ended.store(true, Ordering::Relaxed);
        // The thread waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the host does not panic");
        }
    }
}

impl Home for Site {
    fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.end();
    }
}

/// All files by their paths on the host.
fn files_of(folder: &Path) -> Files {
    let list = |folder: PathBuf| {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file())
    };
    let files = list(folder.to_owned()).chain(list(folder.join("page")));
    let name = |path: PathBuf| {
        let name = path.strip_prefix(folder).expect("in the folder").to_str().expect("a name");
        (format!("/{}", name.trim_end_matches("index.html")), path)
    };
    files.map(name).collect()
}

/// Answers one request with a file.
fn answer(mut stream: TcpStream, files: &Mutex<Files>) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The rest of the head must be read, or the answer may be lost with the connection.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let name = path.trim_end_matches("index.html");
    let found = files.lock().expect("the files").get(name).cloned();
    let (status, body) = match found {
        Some(file) => ("200 OK", std::fs::read(file)?),
        None => ("404 Not Found", Vec::new()),
    };
    let kind = match path.rsplit('.').next() {
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "text/html",
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

/// Tests of the page, each run with that of a server and with the page without one.
#[macro_export]
macro_rules! test_both_pages {
    ($server:expr; $($test:ident),+ $(,)?) => {
        mod of_a_server {
            $(#[test]
            #[ignore = "long"]
            fn $test() {
                super::$test(&$server);
            })+
        }

        mod without_a_server {
            $(#[test]
            #[ignore = "long"]
            fn $test() {
                if let Some(site) = $crate::common::served::Site::start() {
                    super::$test(&site);
                }
            })+
        }
    };
}

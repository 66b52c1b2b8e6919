//! A program that serves its page, and requests to it, faulty ones too.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

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

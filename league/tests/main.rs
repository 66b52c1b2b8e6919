//! The league as a whole: its server as people and attackers meet it, killed at any moment; a deadline; games
//! that other machines play, over HTTPS too; a season. Here is a league in a folder of its own, and its server
//! as a process.

mod attacks;
mod life;
mod rush;
mod steps;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use ureq::Agent;
use ureq::http::Response;

/// A check that takes a moment.
const CHECKS: &str = "[[check]]\nname = 'play is legal'\npoints = 2\nkind = 'faultless'\ndepth = 1\n\
    games = 2\nasks = 'a'\nwhy = 'w'\nsentence = 's'\n";

/// The settings of the leagues of these tests.
const SETTINGS: &str = "name = '<i>Test</i>'\ngame = 'maxconnect4'\nplayer = 'line:{start}'\nchecks = 'checks.toml'\n\
    limits = { cpu = '2s', wall = '20s', memory = '256MiB' }\nopenings = { plies = 2, count = 4 }\n\
    references = ['random', 'machine:depth=1']\nupload = '1MiB'\nuploads-per-hour = 1000\n";

/// A program in Python that plays the first legal column by the line protocol.
const PROGRAM: &str = include_str!("player.py");

/// Waits until something holds.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let ends = Instant::now() + Duration::from_secs(120);
    while !holds() {
        assert!(Instant::now() < ends, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A league in a folder.
struct Folder {
    place: TempDir,
}

impl Folder {
    /// Makes a league of these students, with more settings.
    fn new(students: &[&str], more: &str) -> Folder {
        Folder::of(students, &format!("{SETTINGS}{more}"))
    }

    /// Makes a league of these students with these settings.
    fn of(students: &[&str], settings: &str) -> Folder {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder { place };
        let path = folder.path();
        std::fs::create_dir(&path).expect("a folder");
        std::fs::write(path.join("league.toml"), settings).expect("a file");
        std::fs::write(path.join("checks.toml"), CHECKS).expect("a file");
        folder.run(&["init", "lg"]);
        let rows: String = students.iter().map(|it| format!("<b>{it}</b>,{it}\n")).collect();
        let roster = folder.place.path().join("students.csv");
        std::fs::write(&roster, format!("name,login\n{rows}")).expect("a file");
        folder.run(&["roster", "lg", "students.csv"]);
        folder
    }

    /// Returns the folder of the league.
    fn path(&self) -> PathBuf {
        self.place.path().join("lg")
    }

    /// Runs a command beside the league, and returns what it prints.
    fn run(&self, words: &[&str]) -> String {
        let output = self.try_run(words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{words:?}: {error}{text}");
        text
    }

    /// Runs a command that may fail.
    fn try_run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program")
    }

    /// Returns a command beside the league.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = program(self.place.path());
        command.args(words);
        command
    }

    /// Returns the tokens of the students, in the order of their keys.
    fn tokens(&self) -> Vec<String> {
        let table = self.run(&["invite", "lg", "--address", "http://localhost"]);
        table.lines().skip(1).map(|line| last_part(line).to_owned()).collect()
    }

    /// Returns the token of an instructor.
    fn instructor(&self) -> String {
        last_part(&self.run(&["instructor", "lg", "Prof", "--address", "http://localhost"]))
            .to_owned()
    }

    /// Starts the server.
    fn serve(&self, more: &[&str]) -> Running {
        let mut command = program(self.place.path());
        command.args(["serve", "lg", "--port", "0", "--request-time", "3s"]).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
        let mut line = String::new();
        let out = child.stdout.take().expect("standard output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let url =
            line.trim().rsplit_once(": ").map(|(_, url)| url.trim_end_matches('/').to_owned());
        Running { child, url: url.expect("an address") }
    }
}

fn last_part(line: &str) -> &str {
    line.trim().rsplit('/').next().unwrap_or_default()
}

/// Returns the program, or that of another build which the variable `PLYGROUND_LEAGUE` names.
fn program(place: &Path) -> Command {
    let other = std::env::var_os("PLYGROUND_LEAGUE");
    let path = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_plyground-league").into());
    let mut command = Command::new(path);
    command.current_dir(place);
    command
}

/// A server. Dropping it kills it.
struct Running {
    child: Child,
    /// The address, without a slash at the end.
    url: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Running {
    /// Kills the server at once.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Returns a browser without a session.
    fn stranger(&self) -> Browser {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        Browser { agent, url: self.url.clone(), cookie: String::new(), form: String::new() }
    }

    /// Returns a browser of the person with this token.
    fn enter(&self, token: &str) -> Browser {
        let mut browser = self.stranger();
        let answer = browser.post("/enter", &[("token", token)]);
        assert_eq!(answer.status, 303, "{}", answer.body);
        browser.cookie = answer.cookie.split(';').next().unwrap_or_default().to_owned();
        browser.form = word(&browser.get("/me").body);
        browser
    }

    /// Uploads a file as a program does, waits for its build, and returns the status and the answer.
    fn push(&self, token: &str, name: &str, bytes: &[u8]) -> Answer {
        let (kind, body) = multipart(&[("file", Some(name), bytes)]);
        let browser = self.stranger();
        let request = browser
            .agent
            .post(format!("{}/push", self.url))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", kind);
        let mut answer = Answer::of(request.send(&body[..]));
        while answer.status == 202 {
            answer = self.ask(token, &answer.place);
        }
        answer
    }

    /// Asks again for the answer to an upload, as a program does.
    fn ask(&self, token: &str, place: &str) -> Answer {
        let request = self.stranger().agent.get(format!("{}{place}", self.url));
        Answer::of(request.header("authorization", format!("Bearer {token}")).call())
    }
}

/// Returns the type and the body of a form with these fields.
fn multipart(fields: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, file, bytes) in fields {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        let head = format!("--XX\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--XX--\r\n");
    ("multipart/form-data; boundary=XX".to_owned(), body)
}

/// Returns the word of the first form of a page.
fn word(page: &str) -> String {
    let rest = page.split_once("name=\"form\" value=\"").map(|(_, rest)| rest);
    rest.and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

/// An answer of the server.
#[derive(Debug)]
struct Answer {
    status: u16,
    body: String,
    cookie: String,
    place: String,
    policy: String,
}

impl Answer {
    fn of(answer: Result<Response<ureq::Body>, ureq::Error>) -> Answer {
        let Ok(mut answer) = answer else {
            let (body, cookie, place) = (String::new(), String::new(), String::new());
            return Answer { status: 0, body, cookie, place, policy: String::new() };
        };
        let header = |name: &str| {
            let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (cookie, place) = (header("set-cookie"), header("location"));
        let policy = header("content-security-policy");
        let status = answer.status().as_u16();
        let body = answer.body_mut().read_to_string().unwrap_or_default();
        Answer { status, body, cookie, place, policy }
    }
}

/// A browser.
struct Browser {
    agent: Agent,
    url: String,
    cookie: String,
    /// The word of the forms.
    form: String,
}

impl Browser {
    fn get(&self, path: &str) -> Answer {
        let request = self.agent.get(format!("{}{path}", self.url)).header("cookie", &self.cookie);
        Answer::of(request.call())
    }

    /// Sends a form.
    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_with(path, fields, &[])
    }

    /// Sends a form of this session.
    fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let fields: Vec<_> =
            [("form", &*self.form)].into_iter().chain(fields.iter().copied()).collect();
        self.post(path, &fields)
    }

    /// Sends a form with more headers.
    fn post_with(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Answer {
        let mut request =
            self.agent.post(format!("{}{path}", self.url)).header("cookie", &self.cookie);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::of(request.send_form(fields.iter().copied()))
    }

    /// Sends an upload.
    fn upload(&self, form: &str, name: &str, bytes: &[u8]) -> Answer {
        let fields = [("form", None, form.as_bytes()), ("file", Some(name), bytes)];
        let (kind, body) = multipart(&fields);
        let request = self
            .agent
            .post(format!("{}/upload", self.url))
            .header("cookie", &self.cookie)
            .header("content-type", kind);
        Answer::of(request.send(&body[..]))
    }
}

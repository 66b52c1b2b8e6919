//! A page in headless Chromium, driven by ChromeDriver.
//!
//! The little of the WebDriver protocol (W3C) that the tests need is a few requests in JSON, so it
//! is spoken here and not by a crate that would bring forty others.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::served::{Answer, PATIENCE};

/// Set where the tests of the page must not be left out: to anything.
pub const REQUIRED: &str = "PLYGROUND_PAGE_TESTS";

/// The file `axe.min.js` of axe-core, which checks accessibility.
const AXE: &str = "PLYGROUND_AXE";

/// So often a driver is started before it is given up.
const STARTS: u32 = 5;

/// For a machine without graphics and a network of its own.
const ARGUMENTS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];

/// The signs that WebDriver has for keys with names; any other key is its own sign.
const KEYS: [(&str, &str); 10] = [
    ("Tab", "\u{e004}"),
    ("Enter", "\u{e007}"),
    ("Escape", "\u{e00c}"),
    ("Home", "\u{e011}"),
    ("Left", "\u{e012}"),
    ("Up", "\u{e013}"),
    ("Right", "\u{e014}"),
    ("Down", "\u{e015}"),
    ("Backspace", "\u{e003}"),
    ("End", "\u{e010}"),
];

/// Starts a driver, waits for the end of its input, and ends it with its browser and its files: so none is left behind
/// when the tests end, in whatever way. The output is the driver's alone, and ends with it.
const DRIVE: &str = "command -v chromedriver >&2 || { rmdir \"$TMPDIR\"; exit 127; }; trap : TERM; chromedriver --port=0 & exec >&-; \
    read -r _; kill -- -$$; wait; wait; sleep 0.2; rm -rf \"$TMPDIR\"";

/// The exit code of a shell that finds no driver.
const MISSING: i32 = 127;

/// The size of the window. That of the page in it is another, test by test.
const WINDOW: &str = "--window-size=1280,1000";

/// A driver and its browser, which serve one test after another: to start them takes a second.
struct Driver {
    shell: Child,
    port: u16,
    session: String,
}

/// The drivers that no test uses. They end with this process.
static IDLE: Mutex<Vec<Driver>> = Mutex::new(Vec::new());

impl Driver {
    /// Starts a driver with a browser; `None` if there is no driver.
    ///
    /// It looks for a free port by itself, and ends if another process has taken it by then.
    fn start() -> Option<Driver> {
        for _ in 0..STARTS {
            // The shell removes it.
            let files = tempfile::tempdir().expect("a folder").keep();
            let mut command = Command::new("sh");
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut shell = command
                .args(["-c", DRIVE])
                .env("TMPDIR", files)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            let stdout = shell.stdout.take().expect("its output");
            let port = BufReader::new(stdout).lines().map_while(Result::ok).find_map(|line| {
                line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()
            });
            let mut driver = Driver { shell, port: port.unwrap_or(0), session: String::new() };
            if port.is_some() {
                driver.open();
                return Some(driver);
            }
            drop(driver.shell.stdin.take());
            if driver.shell.wait().expect("its end").code() == Some(MISSING) {
                return None;
            }
        }
        panic!("{STARTS} times, the driver has not listened");
    }

    /// Starts the browser.
    fn open(&mut self) {
        let mut arguments = ARGUMENTS.to_vec();
        arguments.push(WINDOW);
        // The driver would give up a script, as that which looks for barriers, after half a minute.
        let patience = PATIENCE.as_millis() as u64;
        let started = self.command(
            "POST",
            "/session",
            &json!({
                "capabilities": { "alwaysMatch": {
                    "timeouts": { "script": patience, "pageLoad": patience },
                    "goog:chromeOptions": { "args": arguments },
                    "goog:loggingPrefs": { "browser": "ALL" },
                } }
            }),
        );
        self.session = started["sessionId"].as_str().expect("a session").to_owned();
    }

    /// A command to the page.
    #[track_caller]
    fn at(&self, method: &str, path: &str, body: &Value) -> Value {
        self.command(method, &format!("/session/{}{path}", self.session), body)
    }

    /// A command of the protocol of the browser's own tools.
    #[track_caller]
    fn tool(&self, name: &str, parameters: &Value) {
        self.at("POST", "/goog/cdp/execute", &json!({ "cmd": name, "params": parameters }));
    }

    #[track_caller]
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.send(method, path, body);
        let mut json: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let value = json["value"].take();
        assert!(
            value["error"].is_null() && answer.status == 200,
            "{method} {path} {body}: {value}"
        );
        value
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver");
        stream.set_read_timeout(Some(2 * PATIENCE)).expect("a time limit");
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("a request");
        Answer::read(stream)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// A browser with one page, of which no other test has left anything.
pub struct Browser(Option<Driver>);

impl Browser {
    /// Takes a browser with a page of this size. If there is no driver, prints a line about it and returns `None`.
    pub fn start(width: u32, height: u32) -> Option<Browser> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(driver) = idle.or_else(Driver::start) else {
            assert!(std::env::var_os(REQUIRED).is_none(), "there is no chromedriver");
            println!("left out: the page is not tested without chromedriver and Chromium");
            return None;
        };
        let browser = Browser(Some(driver));
        browser.set_width(width, height);
        Some(browser)
    }

    fn driver(&self) -> &Driver {
        self.0.as_ref().expect("a driver until the end of the test")
    }

    /// Loads a page and waits until it is usable.
    pub fn load(&self, url: &str) {
        self.at("POST", "/url", &json!({ "url": url }));
        self.wait("return document.body.classList.contains('ready')");
    }

    /// Loads something that is no page of ours.
    pub fn load_other(&self, url: &str) {
        self.at("POST", "/url", &json!({ "url": url }));
    }

    /// Loads a page in another tab, does something there, and closes it again.
    pub fn in_new_tab(&self, url: &str, act: impl FnOnce(&Browser)) {
        let first = self.at("GET", "/window", &json!({}));
        let other = self.at("POST", "/window/new", &json!({ "type": "tab" }));
        self.at("POST", "/window", &json!({ "handle": other["handle"] }));
        self.load(url);
        act(self);
        self.at("DELETE", "/window", &json!({}));
        self.at("POST", "/window", &json!({ "handle": first }));
    }

    pub fn reload(&self) {
        self.at("POST", "/refresh", &json!({}));
        self.wait("return document.body.classList.contains('ready')");
    }

    /// Goes back to a page of ours.
    pub fn back(&self) {
        // As a script it might be repeated: the driver does so when the page goes before it has answered.
        self.at("POST", "/back", &json!({}));
        self.wait("return document.body?.classList.contains('ready') ?? false");
    }

    /// Sets the size of what a page may fill, down to that of a telephone.
    pub fn set_width(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.driver().tool("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets whether the user prefers a dark page.
    pub fn set_dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.driver().tool("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// The value of a function's body in the page.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.at("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    pub fn text(&self, script: &str) -> String {
        self.run(script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a script returns something true.
    #[track_caller]
    pub fn wait(&self, script: &str) {
        let start = Instant::now();
        while self.run(script) != true {
            let page = || self.text("return document.body.innerText");
            assert!(start.elapsed() < PATIENCE, "waited for: {script}\n{}", page());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the first element that matches has this in its text.
    #[track_caller]
    pub fn wait_for_text(&self, selector: &str, part: &str) {
        let (selector, part) = (json!(selector), json!(part));
        self.wait(&format!(
            "return document.querySelector({selector}).textContent.includes({part})"
        ));
    }

    /// Clicks the middle of the first element that matches, as with a mouse.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.at("POST", &format!("/element/{}/click", self.find(selector)), &json!({}));
    }

    /// Writes into a field.
    #[track_caller]
    pub fn write(&self, selector: &str, text: &str) {
        self.at(
            "POST",
            &format!("/element/{}/value", self.find(selector)),
            &json!({ "text": text }),
        );
    }

    /// Types keys, wherever the focus is.
    pub fn press(&self, keys: &[&str]) {
        let sign = |&key: &&str| {
            let named = KEYS.iter().find(|(name, _)| *name == key);
            named.map_or(key.to_owned(), |(_, sign)| (*sign).to_owned())
        };
        let actions: Vec<Value> = keys
            .iter()
            .map(sign)
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.at("POST", "/actions", &json!({ "actions": [keyboard] }));
    }

    /// Moves the mouse from the middle of one element to that of another, pressed if `drag`.
    #[track_caller]
    pub fn move_mouse(&self, from: &str, to: &str, drag: bool) {
        let over = |selector: &str| {
            let origin = json!({ "element-6066-11e4-a52e-4f735466cecf": self.find(selector) });
            json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin })
        };
        let button = |kind: &str| json!({ "type": kind, "button": 0 });
        let mut actions = vec![over(from), over(to)];
        if drag {
            actions.insert(1, button("pointerDown"));
            actions.push(over(to));
            actions.push(button("pointerUp"));
        }
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.at("POST", "/actions", &json!({ "actions": [mouse] }));
    }

    /// Returns the warnings and errors in the log of the console.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.at("POST", "/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let bad = entries
            .iter()
            .filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        bad.map(|entry| entry["message"].to_string()).collect()
    }

    /// The addresses of everything that the page has loaded.
    pub fn loaded(&self) -> Vec<String> {
        let names =
            self.run("return performance.getEntriesByType('resource').map((one) => one.name)");
        let names = names.as_array().cloned().unwrap_or_default();
        names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns the faults that axe-core finds in the page as it is now, if axe-core is at hand.
    pub fn barriers(&self) -> Vec<String> {
        let Some(path) = std::env::var_os(AXE) else {
            assert!(std::env::var_os(REQUIRED).is_none(), "{AXE} does not say where axe.min.js is");
            println!("left out: accessibility is not tested unless {AXE} says where axe.min.js is");
            return Vec::new();
        };
        let axe = std::fs::read_to_string(path).expect("axe.min.js");
        self.run(&axe);
        let script = "const done = arguments[0]; axe.run().then((found) => done(found.violations.map(\
             (one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)))";
        let found = self.at("POST", "/execute/async", &json!({ "script": script, "args": [] }));
        found.as_array().expect("violations").iter().map(Value::to_string).collect()
    }

    /// Those of the page in light and in dark.
    pub fn barriers_in_light_and_dark(&self) -> Vec<String> {
        let barriers = |dark| {
            self.set_dark(dark);
            self.barriers()
        };
        [false, true].into_iter().flat_map(barriers).collect()
    }

    /// Returns `true` if nothing reaches beyond the sides of the window.
    pub fn fits(&self) -> bool {
        let fits =
            "const whole = document.documentElement; return whole.scrollWidth <= whole.clientWidth";
        self.run(fits) == true
    }

    #[track_caller]
    fn find(&self, selector: &str) -> String {
        let how = json!({ "using": "css selector", "value": selector });
        let found = self.at("POST", "/element", &how);
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("no {selector}: {found}")).to_owned()
    }

    #[track_caller]
    fn at(&self, method: &str, path: &str, body: &Value) -> Value {
        self.driver().at(method, path, body)
    }
}

impl Drop for Browser {
    /// Leaves the browser to the next test, without anything of this one. The address of each test is another, and so
    /// is what the browser keeps for it.
    fn drop(&mut self) {
        let Some(driver) = self.0.take() else { return };
        if std::thread::panicking() {
            return;
        }
        driver.at("POST", "/url", &json!({ "url": "about:blank" }));
        driver.tool("Emulation.setEmulatedMedia", &json!({ "features": [] }));
        driver.tool("Storage.clearDataForOrigin", &json!({ "origin": "*", "storageTypes": "all" }));
        driver.at("POST", "/se/log", &json!({ "type": "browser" }));
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(driver);
    }
}

//! The homes of a page: a server, or a folder on a web host that knows nothing of it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::browser::REQUIRED;
use super::served::Served;

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
                // A browser may leave before it has all.
                let _ = stream.and_then(|stream| answer(stream, &served));
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
            fn $test() {
                super::$test(&$server);
            })+
        }

        mod without_a_server {
            $(#[test]
            fn $test() {
                if let Some(site) = $crate::common::home::Site::start() {
                    super::$test(&site);
                }
            })+
        }
    };
}

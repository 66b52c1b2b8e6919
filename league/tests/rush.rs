//! A class that uploads at random, most of it just before the deadline, while games and pages go on.
//!
//! `RUSH_STUDENTS` and `RUSH_MINUTES` make it larger, and `PLYGROUND_LEAGUE` names a program of another build:
//!
//! ```sh
//! RUSH_STUDENTS=200 RUSH_MINUTES=60 cargo test -p league -- --ignored --nocapture rush
//! ```

use std::env;
use std::io::{Cursor, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use league::store::{Entry, Role, Store};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{Browser, Folder, PROGRAM, Running, SETTINGS};

/// The number of uploads of a student.
const UPLOADS: usize = 3;

/// The part of the uploads in the last sixth of the time.
const RUSH: f64 = 0.6;

/// The number of builds and games at a time.
const JOBS: usize = 2;

/// The players of ours, from the weakest to the strongest.
const REFERENCES: [&str; 4] = ["random", "machine:depth=1", "machine:depth=2", "machine:depth=4"];

/// Programs that are broken, or do what they should not.
const BAD: [(&str, &str); 7] = [
    ("main.c", "int main(void) { return x; }\n"),
    ("Main.java", "class Main { void main( }\n"),
    ("player.py", "raise SystemExit('broken')\n"),
    ("player.py", "while True:\n    pass\n"),
    ("player.py", "while True:\n    print('x' * 1000)\n"),
    ("player.py", "import socket\nsocket.create_connection(('192.0.2.1', 80))\n"),
    ("player.py", "open('/etc/passwd').read()\nblock = bytearray(1 << 30)\nopen('/etc/x', 'w')\n"),
];

fn from_environment(name: &str, default: f64) -> f64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Returns a program as a zip: the kit of one of six languages, a program of another kind, or a bad one. No
/// two are the same, so each is built.
fn program(student: usize, salt: u64) -> Vec<u8> {
    let game = games::named("maxconnect4").expect("it");
    let mut kits = game.starters();
    let mut files = match student % 10 {
        kind @ 0..6 => kits.swap_remove(kind % kits.len()).files,
        6 | 7 => vec![("player.py".to_owned(), PROGRAM.to_owned())],
        _ => {
            let (name, text) = BAD[(student / 10 + salt as usize) % BAD.len()];
            vec![(name.to_owned(), text.to_owned())]
        }
    };
    files.push(("notes.txt".to_owned(), format!("{student} {salt}")));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name, SimpleFileOptions::default()).expect("a file");
        zip.write_all(text.as_bytes()).expect("room");
    }
    zip.finish().expect("a zip").into_inner()
}

/// Returns the times of a student's uploads, as parts of the whole.
fn times(rng: &mut StdRng) -> Vec<f64> {
    let mut time = || {
        let is_late = rng.random::<f64>() < RUSH;
        let part = rng.random::<f64>();
        if is_late { (5.0 + part) / 6.0 } else { part * 5.0 / 6.0 }
    };
    let mut times: Vec<f64> = (0..UPLOADS).map(|_| time()).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Enters with every link. The server lets one address enter a hundred times at once, then once a second.
fn enter(server: &Running, tokens: &[String]) -> Vec<Browser> {
    let enter = |(number, token): (usize, &String)| {
        if number >= 90 {
            thread::sleep(Duration::from_millis(1_100));
        }
        server.enter(token)
    };
    tokens.iter().enumerate().map(enter).collect()
}

/// The findings of the clients.
#[derive(Debug, Default)]
struct Seen {
    /// The numbers of the versions that were acknowledged.
    acknowledged: Vec<i64>,
    /// The answers to uploads that were not taken.
    refused: Vec<(u16, String)>,
    /// The times of pages, in milliseconds.
    pages: Vec<f64>,
}

fn upload_at(
    student: usize,
    browser: &Browser,
    (begun, whole): (Instant, Duration),
    seen: &Mutex<Seen>,
) {
    let mut rng = StdRng::seed_from_u64(student as u64);
    for (salt, part) in (0..).zip(times(&mut rng)) {
        thread::sleep(whole.mul_f64(part).saturating_sub(begun.elapsed()));
        let answer = browser.upload(&browser.form, "player.zip", &program(student, salt));
        let version = answer.place.rsplit('/').next().and_then(|id| id.parse().ok());
        let mut seen = seen.lock().expect("no panic");
        match version.filter(|_| answer.status == 303) {
            Some(version) => seen.acknowledged.push(version),
            None => seen.refused.push((answer.status, answer.body)),
        }
    }
}

/// Looks at one page after the other, with half a second between them.
fn look(number: usize, browser: &Browser, over: &AtomicBool, seen: &Mutex<Seen>) {
    let mut rng = StdRng::seed_from_u64(1_000 + number as u64);
    while !over.load(Ordering::Relaxed) {
        let player = rng.random_range(1..=10);
        let own = format!("/player/{player}");
        let page = ["/", "/games", "/me", &own][rng.random_range(0..4)];
        let begun = Instant::now();
        let status = browser.get(page).status;
        let took = begun.elapsed().as_secs_f64() * 1_000.0;
        assert!(matches!(status, 200 | 404), "{page}: {status}");
        seen.lock().expect("no panic").pages.push(took);
        thread::sleep(Duration::from_millis(500));
    }
}

/// A version as the database has it.
struct Row {
    id: i64,
    state: String,
    uploaded: i64,
    built: Option<i64>,
}

fn versions(folder: &Folder) -> Vec<Row> {
    let store = Store::open(&folder.path()).expect("a database");
    let rows = store.read(|db| {
        let mut found = db.prepare(
            "SELECT id, state, uploaded, built FROM versions WHERE content IS NOT NULL ORDER BY id",
        )?;
        let rows = found.query_map([], |row| {
            let (id, state) = (row.get(0)?, row.get(1)?);
            Ok(Row { id, state, uploaded: row.get(2)?, built: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    });
    rows.expect("a look")
}

/// Prints the median, and what is exceeded by 5 % and 1 %, and the most.
fn print(what: &str, unit: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = (values.len() as f64 * part) as usize;
        values.get(index.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    };
    println!(
        "{what}: {}; median {:.1} {unit}, 95 % {:.1}, 99 % {:.1}, most {:.1}",
        values.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    );
}

/// Prints how long answers took: of all, and of those uploads that found a builder without work.
fn print_answers(rows: &[Row]) {
    let seconds = |row: &Row| Some((row.built? - row.uploaded) as f64 / 1_000.0);
    let was_open = |row: &Row, other: &Row| {
        other.id != row.id
            && other.state != "passed-over"
            && other.uploaded <= row.uploaded
            && other.built.is_some_and(|built| built > row.uploaded)
    };
    let found_idle = |row: &&Row| rows.iter().filter(|it| was_open(row, it)).count() < JOBS;
    print("answers", "s", rows.iter().filter_map(seconds).collect());
    print(
        "answers of idle builders",
        "s",
        rows.iter().filter(found_idle).filter_map(seconds).collect(),
    );
    for state in ["ready", "refused", "passed-over"] {
        println!("{state}: {}", rows.iter().filter(|row| row.state == state).count());
    }
}

#[test]
#[ignore = "long"]
fn rush_loses_no_upload() {
    let students = from_environment("RUSH_STUDENTS", 12.0) as usize;
    let whole = Duration::from_secs_f64(60.0 * from_environment("RUSH_MINUTES", 0.5));
    let names: Vec<String> = (0..students).map(|number| format!("s{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let settings = SETTINGS
        .replace("['random', 'machine:depth=1']", &format!("{REFERENCES:?}"))
        .replace("line:{start}", "line:{start} line");
    let folder = Folder::of(&names, &format!("{settings}jobs = {JOBS}\n"));
    let report = folder.try_run(&["doctor", "lg"]).stdout;
    let report = String::from_utf8_lossy(&report);
    assert!(
        report.contains("at the level full") || report.contains("at the level user"),
        "{report}"
    );
    let tokens = folder.tokens();
    let mut server = folder.serve(&[]);
    let browsers = enter(&server, &tokens);
    let (seen, over) = (Mutex::new(Seen::default()), AtomicBool::new(false));
    let begun = Instant::now();
    thread::scope(|scope| {
        for (number, browser) in browsers.iter().enumerate().take(2 + students / 25) {
            let (seen, over) = (&seen, &over);
            scope.spawn(move || look(number, browser, over, seen));
        }
        let uploading: Vec<_> = browsers
            .iter()
            .enumerate()
            .map(|(student, browser)| {
                let seen = &seen;
                scope.spawn(move || upload_at(student, browser, (begun, whole), seen))
            })
            .collect();
        let panicked = uploading.into_iter().any(|thread| thread.join().is_err());
        let is_open = |row: &Row| matches!(&*row.state, "waiting" | "building");
        let ends = Instant::now() + whole + Duration::from_secs(600);
        while !panicked && versions(&folder).iter().any(is_open) && Instant::now() < ends {
            thread::sleep(Duration::from_millis(500));
        }
        over.store(true, Ordering::Relaxed);
        assert!(!panicked);
    });
    server.kill();

    let rows = versions(&folder);
    let Seen { acknowledged, refused, pages } = seen.into_inner().expect("no panic");
    let lost: Vec<_> =
        acknowledged.iter().filter(|id| !rows.iter().any(|row| row.id == **id)).collect();
    println!("{students} students, {whole:?}: {} uploads acknowledged", acknowledged.len());
    println!("lost: {}; refused: {}", lost.len(), refused.len());
    print_answers(&rows);
    print("pages", "ms", pages);
    let store = Store::open(&folder.path()).expect("a database");
    let entries = store.read(Entry::all).expect("a look");
    let marks = entries.iter().filter(|entry| entry.person.role == Role::Reference);
    for Entry { person, version } in marks {
        let [low, high] = version.rating.interval();
        println!("{}: {:.0} ({low:.0} to {high:.0})", person.name, version.rating.rating);
    }
    let games: i64 = entries.iter().map(|entry| entry.version.games).sum::<i64>() / 2;
    println!("games of those that play: {games}");
    let faults = store.faults().expect("a look");
    println!("integrity_check: {}", if faults.is_empty() { "ok" } else { "faults" });
    assert!(lost.is_empty() && refused.is_empty(), "{lost:?} {refused:?}");
    assert!(rows.iter().all(|row| row.state == "passed-over" || row.built.is_some()));
    assert_eq!(faults, Vec::<String>::new());
}

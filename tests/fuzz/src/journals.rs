//! Journals: any bytes as the file, or a journal that was damaged.

use std::fs;

use plyground_durable::journal::{Journal, OpenedJournal};

use crate::scratch;
use crate::source::Source;

const WORK: &str = "the work of a test";
const MOST_LINES: usize = 12;

/// Nothing is believed that was not written, and no loss of what was closed goes unsaid.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(2) {
        let path = scratch::file("any.journal", source.0);
        if let Ok(opened) = Journal::open(&path, WORK, |line| Some(line.to_owned())) {
            let lines = source.0.iter().filter(|&&byte| byte == b'\n').count();
            assert!(opened.entries.len() <= lines);
        }
    } else {
        damaged(source);
    }
}

fn damaged(mut source: Source<'_>) {
    let path = scratch::path("damaged.journal");
    // There is none in the first run.
    let _ = fs::remove_file(&path);
    let written: Vec<String> =
        (0..source.below(MOST_LINES)).map(|line| format!("{line} is {}", source.byte())).collect();
    let mut journal = open(&path).expect("a new journal").journal;
    for line in &written {
        journal.add(line).expect("room for a line");
    }
    journal.close().expect("room for a line");
    let mut file = fs::read(&path).expect("the journal");
    let whole = file.clone();
    while !source.is_empty() {
        damage(&mut source, &mut file);
    }
    let path = scratch::file("damaged.journal", &file);
    // What is of other work is refused, which loses nothing.
    let Ok(opened) = open(&path) else { return };
    let mut all = written.iter();
    assert!(opened.entries.iter().all(|entry| all.any(|line| line == entry)), "{opened:?}");
    let is_begun_anew = !file.contains(&b'\n');
    let is_lost = opened.entries.len() < written.len();
    assert!(!is_lost || opened.loss.is_some() || is_begun_anew, "{opened:?}");
    assert!(file != whole || opened.loss.is_none(), "{opened:?}");
}

fn open(
    path: &std::path::Path,
) -> Result<OpenedJournal<String>, plyground_durable::journal::JournalError> {
    Journal::open(path, WORK, |line| Some(line.to_owned()))
}

/// Changes a byte, or cuts the end off.
fn damage(source: &mut Source<'_>, file: &mut Vec<u8>) {
    let (byte, place) = (source.byte(), source.byte());
    let place = usize::from(place) * file.len() / 256;
    match file.get_mut(place) {
        Some(_) if byte == 0 => file.truncate(place),
        Some(old) => *old = byte,
        None => {}
    }
}

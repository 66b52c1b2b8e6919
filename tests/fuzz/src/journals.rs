//! Journals: any bytes as the file, or a journal that was damaged.

use std::collections::BTreeMap;
use std::fs;

use plyground::Game;
use plyground::book::{Book, Entry, check_relatives, positions};
use plyground::checksum::fnv1a;
use plyground::perfect::plies_to_end;
use plyground_arena::timing::RuntimeTable;
use plyground_durable::journal::{Journal, OpenedJournal};
use plyground_host::HostedPosition;

use crate::source::{self, Source, assert_told};

const WORK: &str = "the work of a test";
const MOST_LINES: usize = 12;

/// Nothing is believed that was not written, and no loss of what was closed goes unsaid.
pub fn journals(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(2) {
        let path = source::file("any.journal", source.0);
        if let Ok(opened) = Journal::open(&path, WORK, |line| Some(line.to_owned())) {
            let lines = source.0.iter().filter(|&&byte| byte == b'\n').count();
            assert!(opened.entries.len() <= lines);
        }
    } else {
        damaged(source);
    }
}

fn damaged(mut source: Source<'_>) {
    let path = source::path("damaged.journal");
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
    let path = source::file("damaged.journal", &file);
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

/// The entries of a book at most.
const MOST: usize = 20;

/// Whatever a book says, its moves are legal and it reads back.
pub fn books(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.byte() % 3 {
        0 => match Book::from_bytes(source.0.to_vec()) {
            Ok(book) => ask(&book, &crate::source::GAMES[0].start()),
            Err(fault) => assert_told(&fault),
        },
        1 => entry(&source.text()),
        _ => made_up(source),
    }
}

fn entry(line: &str) {
    if let Ok(entry) = line.parse::<Entry>() {
        assert_eq!(entry.to_string().parse(), Ok(entry));
    }
}

/// A book of positions that moves lead to, with any values and codes of moves, and any values without keys.
fn made_up(mut source: Source<'_>) {
    let start = source.game().start();
    // There are no books of games without an end, of which each position has too many others near.
    if plies_to_end(&start).is_err() {
        return;
    }
    let mut position = start.clone();
    let mut entries = BTreeMap::new();
    while !source.is_empty() && entries.len() < MOST {
        entries.insert(position.key(), [(); 4].map(|()| source.byte()));
        let moves: Vec<_> = position.legal_moves().collect();
        match moves.get(source.below(moves.len() + 1)) {
            Some(&mv) => position.play_unchecked(mv),
            None => position = start.clone(),
        }
    }
    let (plies, kinds, values) = (source.byte() % 3, source.byte() % 3, source.byte() % 16);
    let mut contents = start.key().to_le_bytes().to_vec();
    contents.extend((entries.len() as u32).to_le_bytes());
    contents.extend([values, 0, 0, 0, plies, 0, kinds, 0]);
    for (key, entry) in &entries {
        contents.extend(key.to_le_bytes());
        contents.extend(entry);
    }
    contents.extend((0..2 * kinds + values).map(|_| source.byte() % 4));
    let mut file = b"plybook2".to_vec();
    file.extend(fnv1a(&contents).to_le_bytes());
    file.extend(contents);
    match Book::from_bytes(file) {
        Ok(book) => {
            assert_eq!(book.len(), entries.len());
            ask(&book, &start);
        }
        Err(fault) => assert_told(&fault),
    }
}

/// Asks a book everything.
fn ask(book: &Book, start: &HostedPosition) {
    for entry in book.entries() {
        assert_eq!(entry.to_string().parse(), Ok(entry));
    }
    let Ok(book) = book.clone().for_start(start) else { return };
    assert_eq!(book.merge(&book).as_ref(), Ok(&book));
    if let Err(fault) = book.count() {
        assert_told(&fault);
    }
    for position in positions(&book, start) {
        assert!(book.value(&position).is_some());
        let all = book.best_moves(&position).into_iter();
        let all = all.flat_map(|(moves, score)| moves.into_iter().map(move |mv| (mv, score)));
        for (mv, score) in book.best_move(&position).into_iter().chain(all) {
            assert_eq!(position.check_legal(mv), Ok(()));
            let _ = (score.plies_to_end(), position.game().value(score));
        }
    }
    if let Ok(packed) = book.clone().packed(start) {
        assert_eq!(Book::from_bytes(packed.as_bytes().to_vec()), Ok(packed));
    }
    if let Err(fault) = check_relatives(&book, start) {
        assert_told(&fault);
    }
}

/// A table that is read is written so that it is read as the same, with nothing lost.
pub fn runtime_tables(bytes: &[u8]) {
    let read = match RuntimeTable::read_csv(bytes) {
        Ok(read) => read,
        Err(fault) => return assert_told(&fault),
    };
    let text = read.table.to_csv();
    assert_eq!(RuntimeTable::from_csv(text.as_bytes()).ok().as_ref(), Some(&read.table));
    assert!(read.damaged.is_sorted());
}

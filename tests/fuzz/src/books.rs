//! Books: any bytes, or a book with any entries whose checksum is right.

use std::collections::BTreeMap;

use plyground::Game;
use plyground::book::{Book, Entry, check_relatives, positions};
use plyground::checksum::fnv1a;
use plyground::perfect::plies_to_end;
use plyground_host::HostedPosition;

use crate::source::Source;
use crate::told::assert_told;

/// The entries of a book at most.
const MOST: usize = 20;

/// Whatever a book says, its moves are legal and it reads back.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.byte() % 3 {
        0 => match Book::from_bytes(source.0.to_vec()) {
            Ok(book) => ask(&book, &crate::games::GAMES[0].start()),
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

//! Files that are read: positions, records and proofs; journals, books and tables, made of any bytes or
//! damaged; rosters, grades, plans and requests.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

use network::strategy_check::check;
use network::{Move, Notation, Position, Rules};
use plyground::Game;
use plyground::book::fnv1a;
use plyground::book::{Book, Entry, check_relatives, positions};
use plyground::perfect::plies_to_end;
use plyground_arena::timing::RuntimeTable;
use plyground_arena::tournament::{TournamentOpenings, TournamentPlan};
use plyground_durable::journal::{Journal, OpenedJournal};
use plyground_grading::grade::{
    GradeRecord, Reader, Roster, lateness, parse_time, results_json, results_text,
};
use plyground_host::record::GameRecord;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, Text};
use plyground_web::{Answers, ServedGame};
use research::{Strategy, opening_table, parse_opening_table};

use crate::{GAMES, Source, assert_told};

/// A state that is read is written as the same, in whatever layout; a fault has a place in the
/// text.
pub fn states(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let text = StateText::new(source.text());
    match game.parse_state(&text) {
        Ok(position) => {
            let plain = StateText::new(position.state());
            assert_eq!(game.parse_state(&plain).as_ref(), Ok(&position));
            let same_layout = StateText::new(text.with_symbols(&position.state()));
            assert_eq!(game.parse_state(&same_layout).as_ref(), Ok(&position));
            assert_eq!(same_layout.with_symbols(&position.state()), same_layout.as_str());
            look_at(&position);
        }
        Err(fault) => {
            assert_told(&fault);
            let lines = text.as_str().split(['\r', '\n', '/']);
            let longest = lines.clone().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!((1..=lines.count()).contains(&fault.line), "{fault}");
            assert!((1..=longest + 1).contains(&fault.column), "{fault}");
        }
    }
}

/// Everything that can be shown of a position can be shown of this one.
fn look_at(position: &HostedPosition) {
    let shown = [
        position.text(Text::Board),
        position.text(Text::Drawing(None)),
        position.text(Text::Turn),
        position.text(Text::Prompt),
    ];
    assert!(shown.iter().all(|text| !text.is_empty()));
    assert_eq!(position.perft(0), 1);
    let cells = position.picture().cells.len();
    for mv in position.legal_moves() {
        assert!(
            position.check_legal(mv).is_ok() && !position.text(Text::Announcement(mv)).is_empty()
        );
        let path = position.path(mv);
        assert!([path.from, path.to].into_iter().flatten().all(|cell| cell < cells), "{mv}");
        if let Some(to) = path.to.filter(|_| cells > 0) {
            assert_eq!(position.move_at(path.from, to), Some(mv));
        }
    }
    assert_eq!(position.is_over(), position.legal_moves().next().is_none());
    if position.is_over() {
        let told =
            [position.text(Text::Ending), position.text(Text::Result), position.text(Text::Reason)];
        assert!(told.iter().all(|text| !text.is_empty()));
    }
}

/// A record that is read is written so that it is read as the same; one that has checksums is not
/// believed after a change. The first two bytes are the change.
pub fn records(bytes: &[u8]) {
    let mut source = Source(bytes);
    let (place, byte) = (source.number() as usize, source.byte());
    let text = source.text();
    if let Err(fault) = GameRecord::parse_unfinished(&text) {
        assert_told(&fault);
    }
    let record = match GameRecord::parse(&text) {
        Ok(record) => record,
        Err(fault) => return assert_told(&fault),
    };
    let plain = record.to_text().expect("JSON");
    assert_eq!(GameRecord::parse(&plain).as_ref(), Ok(&record));
    let sealed = record.to_sealed_text().expect("JSON");
    assert_eq!(GameRecord::parse(&sealed).as_ref(), Ok(&record));
    assert_damage_is_seen(&record, &sealed, place, byte);
    for game in GAMES.iter() {
        match record.check(&**game) {
            Ok(played) => assert_eq!(played.moves.len(), record.moves.len()),
            Err(fault) => assert_told(&fault),
        }
    }
}

fn assert_damage_is_seen(record: &GameRecord, sealed: &str, place: usize, byte: u8) {
    let mut damaged = sealed.as_bytes().to_vec();
    let place = place % damaged.len();
    let is_visible = |byte: u8| byte.is_ascii_graphic();
    if is_visible(damaged[place]) && is_visible(byte) && damaged[place] != byte {
        damaged[place] = byte;
        if let Ok(damaged) = String::from_utf8(damaged) {
            assert_ne!(GameRecord::parse(&damaged).as_ref(), Ok(record), "{damaged}");
            assert!(GameRecord::parse(&damaged).is_err(), "{damaged}");
        }
    }
}

/// The moves of a position that are played before the text is read.
const PLIES: usize = 24;

/// A text that is read as a move is written so that it is read as the same move.
pub fn moves(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let mut position = source.position(game, PLIES);
    let text = source.text();
    notations(&text);
    let typed = game.read_move(&text);
    for mv in position.parse_move(&text).into_iter().chain(typed) {
        assert_eq!(position.parse_move(mv.as_str()), Some(mv), "{text:?}");
        assert_eq!(game.move_names(mv).first().map(String::as_str), Some(mv.as_str()));
        let is_listed = position.legal_moves().any(|legal| legal == mv);
        assert_eq!(position.check_legal(mv).is_ok(), is_listed, "{mv}");
    }
    let before = position.clone();
    if let Err(illegal) = position.play_text(&text) {
        assert_told(&illegal);
        assert_eq!(position, before);
    }
}

fn notations(text: &str) {
    for notation in [Notation::Berkeley, Notation::Usf] {
        match notation.parse_move(text) {
            Ok(mv) => assert_eq!(notation.parse_move(&notation.write_move(mv)), Ok(mv)),
            Err(fault) => assert_told(&fault),
        }
    }
    if let Ok(mv) = text.parse::<Move>() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

/// Openings that are drawn can be played, and as many as there are.
pub fn openings(bytes: &[u8]) {
    let mut source = Source(bytes);
    let game = source.game();
    let openings = TournamentOpenings::parse(&source.text());
    match openings.draw(&game.start(), 1) {
        Ok(drawn) => {
            assert_eq!(drawn.len(), openings.count());
            for opening in drawn {
                let mut position = game.start();
                for mv in opening {
                    position.play_text(mv.as_str()).expect("a legal move");
                }
                assert!(!position.is_over());
            }
        }
        Err(fault) => assert_told(&fault),
    }
}

/// The letters that are read as answers, at most: each costs many moves.
const MOST_MOVES: usize = 40;

/// Nothing is taken for a strategy that has a gap; a table is read as it was written.
pub fn strategies(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.byte() % 3 {
        0 => checked(&source.text()),
        1 => match parse_opening_table(&source.text()) {
            Ok(rows) => {
                let text = opening_table(rows.clone());
                assert_eq!(parse_opening_table(&text), Ok(rows));
            }
            Err(fault) => assert_told(&fault),
        },
        _ => {
            let rules = Rules::BOTH[source.below(2)];
            let letters: String = source.text().chars().take(MOST_MOVES).collect();
            // No forty letters answer everything from the start.
            assert_eq!(Strategy::of_letters(&Position::new(rules), &letters), None);
        }
    }
}

fn checked(text: &str) {
    let heading = text.lines().next().unwrap_or_default();
    let rest = text.get(heading.len()..).unwrap_or_default();
    let text: String = heading.chars().chain(rest.chars().take(MOST_MOVES)).collect();
    match check(&text) {
        Ok(checked) => assert!(checked.answers <= MOST_MOVES as u64),
        Err(gap) => assert!(gap.to_string().chars().count() < 400, "{gap}"),
    }
}

const WORK: &str = "the work of a test";
const MOST_LINES: usize = 12;

/// Nothing is believed that was not written, and no loss of what was closed goes unsaid.
pub fn journals(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(2) {
        let path = crate::file("any.journal", source.0);
        if let Ok(opened) = Journal::open(&path, WORK, |line| Some(line.to_owned())) {
            let lines = source.0.iter().filter(|&&byte| byte == b'\n').count();
            assert!(opened.entries.len() <= lines);
        }
    } else {
        damaged(source);
    }
}

fn damaged(mut source: Source<'_>) {
    let path = crate::path("damaged.journal");
    // The first run finds no file.
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
    let path = crate::file("damaged.journal", &file);
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
            Ok(book) => ask(&book, &crate::GAMES[0].start()),
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

/// A roster has a line for everybody without a submission; a fault is told with its line.
pub fn rosters(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(4) {
        let first = String::from_utf8_lossy(source.until(b'\n')).into_owned();
        let read = |text: &str| parse_time(text).map(|time| time.timestamp());
        match (read(&first), read(&source.text())) {
            (Ok(first), Ok(second)) => {
                let late = [lateness(first, second), lateness(second, first)];
                assert!(late.iter().flatten().count() <= 1, "{late:?}");
            }
            (Err(why), _) | (_, Err(why)) => assert_told(&why),
        }
        return;
    }
    match Roster::read(&crate::file("roster.csv", source.0)) {
        Ok(roster) => {
            let matched = roster.matched(&[]);
            assert_eq!(matched.absent.len(), matched.unmatched.len());
            assert_eq!(matched.open, Vec::<String>::new());
        }
        Err(fault) => assert_told(&fault),
    }
}

/// A record that is read is written so that it is read as the same.
pub fn grades(bytes: &[u8]) {
    let Ok(record) = serde_json::from_slice::<GradeRecord>(bytes) else { return };
    let text = serde_json::to_string(&record).expect("JSON");
    assert_eq!(serde_json::from_str::<GradeRecord>(&text).ok().as_ref(), Some(&record));
    let _ = results_json(&record.results);
    for reader in [Reader::Student, Reader::Instructor] {
        let _ = results_text("somebody", &record.results, reader);
    }
}

/// The questions, as the paths of their requests.
const QUESTIONS: [&str; 5] =
    ["/api/position", "/api/open", "/api/record", "/api/choice", "/api/analysis"];

/// Stands in a body for the name of the client.
const CLIENT: &str = "CLIENT";

/// The statuses that report a failure of the server.
const SERVER_ERRORS: std::ops::Range<u16> = 500..600;

static SERVER: LazyLock<(Answers, String)> = LazyLock::new(|| {
    let games = games::all().into_iter().map(|game| ServedGame { game, book: None });
    let server = Answers::new(games.collect(), Duration::from_millis(1)).expect("games with pages");
    let (_, answer) = server.post("/api/client", Vec::new());
    let name: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    let name = name["client"].as_str().expect("a name").to_owned();
    (server, name)
});

/// Every request has an answer, in JSON or as events, and none breaks the server.
pub fn requests(bytes: &[u8]) {
    let mut source = Source(bytes);
    let question = QUESTIONS[source.below(QUESTIONS.len())];
    let (server, client) = &*SERVER;
    let body = match str::from_utf8(source.0) {
        Ok(text) => text.replace(CLIENT, client).into_bytes(),
        Err(_) => source.0.to_vec(),
    };
    let (status, answer) = server.post(question, body);
    assert!(!SERVER_ERRORS.contains(&status), "{status}: {}", String::from_utf8_lossy(&answer));
    let answer = String::from_utf8(answer).expect("an answer in UTF-8");
    if question != "/api/analysis" || status != 200 {
        assert!(serde_json::from_str::<serde_json::Value>(&answer).is_ok(), "{answer}");
    }
}

/// A plan has two players at least, of different names; a fault is told with its place.
pub fn tournaments(bytes: &[u8]) {
    // Paths in it are looked for beside it, where there is nothing; others are not to be read here.
    if bytes.contains(&b'/') {
        return;
    }
    match TournamentPlan::read(&crate::file("plan.toml", bytes)) {
        Ok(plan) => {
            assert!(plan.players.len() >= 2);
            let mut names: Vec<_> = plan.players.iter().map(|player| &player.name).collect();
            names.sort();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        }
        Err(fault) => assert_told(&fault),
    }
}

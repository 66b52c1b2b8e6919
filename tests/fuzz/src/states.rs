//! State files: a game, then the text.

use network::strategy_check::check;
use network::{Move, Notation, Position, Rules};
use plyground::Game;
use plyground_arena::tournament::TournamentOpenings;
use plyground_host::record::GameRecord;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, Text};
use research::{Strategy, opening_table, parse_opening_table};

use crate::source::GAMES;
use crate::source::Source;
use crate::source::assert_told;

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
    for notation in [Notation::Berkeley, Notation::BerkeleyWords, Notation::Usf] {
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
const MOST: usize = 40;

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
            let letters: String = source.text().chars().take(MOST).collect();
            // No forty letters answer everything from the start.
            assert_eq!(Strategy::of_letters(&Position::new(rules), &letters), None);
        }
    }
}

fn checked(text: &str) {
    let heading = text.lines().next().unwrap_or_default();
    let rest = text.get(heading.len()..).unwrap_or_default();
    let text: String = heading.chars().chain(rest.chars().take(MOST)).collect();
    match check(&text) {
        Ok(checked) => assert!(checked.answers <= MOST as u64),
        Err(gap) => assert!(gap.to_string().chars().count() < 400, "{gap}"),
    }
}

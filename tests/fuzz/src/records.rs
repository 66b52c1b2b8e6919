//! Records of games.

use plyground_host::record::GameRecord;

use crate::games::GAMES;
use crate::source::Source;
use crate::told::assert_told;

/// A record that is read is written so that it is read as the same; one that has checksums is not
/// believed after a change. The first two bytes are the change.
pub fn run(bytes: &[u8]) {
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

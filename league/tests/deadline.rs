//! The deadline, by a clock that is set.

use std::fs;

use jiff::Timestamp;
use league::clock::SetClock;
use league::league::{League, LeagueError};
use league::store::people::Person;
use league::store::{Entry, Store, Version, VersionState};

use crate::running::Folder;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

#[test]
fn deadline_holds_even_if_the_clock_goes_back() {
    let settings = "deadline = '2027-11-20T23:59:00[America/Chicago]'\naccept-late = '1h'\n";
    let folder = Folder::new(&["ann", "bob"], settings);
    let clock = SetClock::new(at("2027-11-21T05:00:00Z"));
    let league = League::serve(&folder.path(), clock.clone()).expect("a league");
    let person = |key: &str| {
        let found = league.store.read(|db| Person::of_key(db, key)).expect("a read");
        found.expect("a person")
    };
    let upload = |key: &str, content: &str| league.add_upload(&person(key), content, 1);
    let finish = |version: &Version, state| {
        let built = league
            .store
            .write(|db| version.set_built(db, state, ("", ""), None, league.clock.now()));
        built.expect("a change");
    };
    let one = upload("ann", "one").expect("an upload");
    finish(&one, VersionState::Ready);
    // After the deadline, uploads are late, and taken.
    clock.set(at("2027-11-21T06:30:00Z"));
    let two = upload("ann", "two").expect("an upload that is late");
    let bobs = upload("bob", "three").expect("an upload that is late");
    clock.set(at("2027-11-21T06:59:00Z"));
    assert!(upload("bob", "four").is_ok(), "the last moment");
    clock.set(at("2027-11-21T06:59:01Z"));
    let refused = |result: Result<Version, LeagueError>| {
        let why = result.expect_err("too late").to_string();
        assert_eq!(why, "the deadline has passed");
    };
    refused(upload("ann", "five"));
    assert!(league.activate(&person("ann"), one.id).is_err());
    // What came in time is waited for.
    assert!(!league.freeze_if_due().expect("a look"));
    finish(&two, VersionState::Ready);
    finish(&bobs, VersionState::Refused);
    let four = league.store.write(|db| Version::take_waiting(db)).expect("a change");
    finish(&four.expect("a version"), VersionState::Refused);
    assert!(league.freeze_if_due().expect("a look"));
    // The clock goes back an hour: the deadline has passed all the same, also for the next server.
    clock.set(at("2027-11-21T05:59:01Z"));
    refused(upload("ann", "five"));
    drop(league);
    let league = League::serve(&folder.path(), clock).expect("a league");
    let ann = league.store.read(|db| Person::of_key(db, "ann")).expect("a read").expect("Ann");
    refused(league.add_upload(&ann, "five", 1));
    let frozen = league.store.read(Entry::frozen).expect("a read");
    let frozen: Vec<_> = frozen.iter().map(|it| (&*it.person.key, it.version.id)).collect();
    assert_eq!(frozen, [("ann", two.id)]);
}

#[test]
fn database_of_a_later_release_is_refused() {
    let folder = Folder::new(&["ann"], "");
    let path = folder.path().join("league.db");
    let bytes = fs::read(&path).expect("a file");
    assert!(bytes.starts_with(b"SQLite format 3"));
    drop(Store::open(&folder.path()).expect("a database"));
    // The number of the last migration is at a fixed place in the head.
    let mut later = fs::read(&path).expect("a file");
    later[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&path, later).expect("a file");
    assert!(Store::open(&folder.path()).is_err());
}

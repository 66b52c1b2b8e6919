//! The order in which uploads are built and reviews are made: no one waits for many of another's.

use jiff::{SignedDuration, Timestamp};
use league::clock::SetClock;
use league::league::League;
use league::store::people::Person;
use league::store::{Review, Version, VersionState};

use crate::running::{Folder, SETTINGS};

fn person(league: &League, key: &str) -> Person {
    let found = league.store.read(|db| Person::of_key(db, key)).expect("a read");
    found.expect("a person")
}

/// Uploads a version.
fn upload(league: &League, key: &str, content: &str) -> Version {
    league.add_upload(&person(league, key), content, 1).expect("an upload")
}

/// Takes the next version to build.
fn take(league: &League) -> Version {
    let taken = league.store.write(|db| Version::take_waiting(db)).expect("a change");
    taken.expect("a version")
}

fn finish(league: &League, version: &Version) {
    let (state, now) = (VersionState::Ready, league.clock.now());
    let built = league.store.write(|db| version.set_built(db, state, ("", ""), None, now));
    built.expect("a change");
}

#[test]
fn old_versions_of_one_keep_no_other_from_a_build() {
    let settings = SETTINGS.replace("uploads-per-hour = 1000", "uploads-per-hour = 4");
    let folder = Folder::of(&["ann", "bob"], &settings);
    let start: Timestamp = "2027-11-21T05:00:00Z".parse().expect("a time");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.clone()).expect("a league");
    let old = ["one", "two", "three", "four"].map(|content| upload(&league, "ann", content));
    finish(&league, &take(&league));
    // Hours later, Ann asks for her old versions again and again. Bob comes after her, and goes first.
    let hours = |count| start + SignedDuration::from_hours(count);
    clock.set(hours(5));
    let ann = person(&league, "ann");
    league.activate(&ann, old[0].id).expect("a build");
    let bobs = upload(&league, "bob", "five");
    assert_eq!(take(&league).id, bobs.id);
    assert_eq!(take(&league).id, old[0].id);
    finish(&league, &old[0]);
    for version in &old[1..3] {
        league.activate(&ann, version.id).expect("a build");
        finish(&league, &take(&league));
    }
    upload(&league, "ann", "six");
    finish(&league, &take(&league));
    // The builds of an hour are counted, of whatever time the uploads are.
    assert!(league.add_upload(&ann, "seven", 1).is_err());
    clock.set(hours(7));
    upload(&league, "ann", "seven");
}

#[test]
fn reviews_are_made_in_the_order_in_which_people_ask() {
    let folder = Folder::new(&["ann", "bob"], "");
    let start: Timestamp = "2027-11-21T05:00:00Z".parse().expect("a time");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.clone()).expect("a league");
    for key in ["ann", "bob"] {
        upload(&league, key, key);
        finish(&league, &take(&league));
    }
    let game = || league.take("a worker").expect("a read").expect("a game").game;
    let games: Vec<i64> = (0..12).map(|_| game()).collect();
    let want = |game, key: &str| {
        let (person, now) = (person(&league, key).id, league.clock.now());
        league.store.write(|db| Review::want(db, game, Some(person), now))
    };
    for &game in &games[2..] {
        want(game, "ann").expect("a review");
    }
    want(games[2], "ann").expect("one that is asked for already");
    let refused = want(games[0], "ann").expect_err("one too many").to_string();
    assert_eq!(refused, "10 reviews of yours are still to be made: try again later");
    clock.set(start + SignedDuration::from_secs(1));
    want(games[1], "bob").expect("a review");
    for &game in &games[2..] {
        let next = league.store.read(Review::next).expect("a read");
        assert_eq!(next, Some(game), "Ann came first");
        league.store.write(|db| Review::keep(db, game, "")).expect("a change");
    }
    assert_eq!(league.store.read(Review::next).expect("a read"), Some(games[1]));
    want(games[0], "ann").expect("a review");
}

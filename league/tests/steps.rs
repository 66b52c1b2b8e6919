//! The steps of a league, by a clock that is set: uploads up to the deadline; the order in which they are built
//! and reviews are made, in which no one waits for many of another's; games that other machines play, of which the
//! server alone decides what counts; and seasons of players whose strength is known.

use std::fs;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use league::care::thin;
use league::league::{CODE, League, LeagueError, SetClock, prepared, uploads};
use league::playing::{Assignment, Outcome, Table};
use league::rating::{Meetings, Rating, Standing, after_game, choose, ordered};
use league::store::people::Person;
use league::store::{
    Entry, GameRow, GameState, NewPerson, NewResult, NewVersion, Review, Role, Store, StoreError,
    Version, VersionState, notes,
};
use plyground::Side;
use plyground_host::record::GameRecord;
use plyground_host::{Ending, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::{Folder, SETTINGS};

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn person(league: &League, key: &str) -> Person {
    let found = league.store.read(|db| Person::of_key(db, key)).expect("a read");
    found.expect("a person")
}

/// Keeps an upload of a person, as long as the limits allow it.
fn kept(league: &League, person: &Person, content: &str) -> Result<Version, LeagueError> {
    league.keep_upload(person, content, 1, || Ok(()))
}

/// Uploads a version.
fn upload(league: &League, key: &str, content: &str) -> Version {
    kept(league, &person(league, key), content).expect("an upload")
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
    let start = at("2027-11-21T05:00:00Z");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
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
    assert!(kept(&league, &ann, "seven").is_err());
    clock.set(hours(7));
    upload(&league, "ann", "seven");
}

#[test]
fn slow_build_holds_games_for_a_moment() {
    let folder = Folder::new(&["ann", "bob"], "");
    let start = at("2027-11-21T05:00:00Z");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
    let holds = |second| {
        clock.set(start + SignedDuration::from_secs(second));
        league.holds_games().expect("a read")
    };
    assert!(!holds(0));
    let slow = upload(&league, "ann", "slow");
    assert!(holds(1));
    take(&league);
    assert!(holds(14) && !holds(16));
    // More uploads of the same person hold no games for some minutes, and another person's does.
    assert!(!holds(200));
    upload(&league, "ann", "second");
    assert!(!holds(201));
    upload(&league, "bob", "quick");
    assert!(holds(202));
    for _ in 0..2 {
        finish(&league, &take(&league));
    }
    assert!(!holds(203));
    let third = upload(&league, "ann", "third");
    assert!(!holds(204) && !holds(503));
    upload(&league, "ann", "fourth");
    clock.set(start + SignedDuration::from_secs(804));
    upload(&league, "ann", "fifth");
    assert!(holds(805) && !holds(820));
    // An old version that is built on request holds none.
    finish(&league, &slow);
    finish(&league, &take(&league));
    league.activate(&person(&league, "ann"), third.id).expect("a build");
    assert!(!holds(821) && league.has_builds().expect("a read"));
}

#[test]
fn choices_of_a_version_are_noted_within_limits() {
    let settings = SETTINGS.replace("uploads-per-hour = 1000", "uploads-per-hour = 4");
    let folder = Folder::of(&["ann", "bob"], &settings);
    let start = at("2027-11-21T05:00:00Z");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
    let versions = ["one", "two"].map(|content| {
        let version = upload(&league, "ann", content);
        finish(&league, &take(&league));
        let code = prepared(league.folder(), content).join(CODE);
        fs::create_dir_all(&code).expect("a folder");
        version.id
    });
    let ann = person(&league, "ann");
    let notes = || league.store.read(|db| notes(db, 100)).expect("a read").len();
    let before = notes();
    // The version that plays already changes nothing.
    for _ in 0..10 {
        league.activate(&ann, versions[1]).expect("the version that plays");
    }
    assert_eq!(notes(), before);
    for count in 0..4 {
        league.activate(&ann, versions[count % 2]).expect("another version");
        assert_eq!(notes(), before + count + 1);
    }
    for _ in 0..10 {
        let refused = league.activate(&ann, versions[0]).expect_err("too often").to_string();
        assert_eq!(
            refused,
            "expected at most 4 changes of the version in an hour: try again later"
        );
    }
    assert_eq!(person(&league, "ann").active, Some(versions[1]));
    // Neither are uploads among them, nor another person's.
    let bobs = upload(&league, "bob", "three");
    finish(&league, &take(&league));
    upload(&league, "bob", "four");
    finish(&league, &take(&league));
    fs::create_dir_all(prepared(league.folder(), "three").join(CODE)).expect("a folder");
    league.activate(&person(&league, "bob"), bobs.id).expect("another version");
    upload(&league, "ann", "five");
    clock.set(start + SignedDuration::from_secs(3_601));
    league.activate(&ann, versions[0]).expect("an hour later");
}

#[test]
fn files_go_when_all_who_have_them_exceed_the_limit() {
    let folder = Folder::new(&["ann", "bob"], "disk = '1MiB'\n");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    for (key, content, kib) in [("ann", "old", 600), ("bob", "old", 600), ("ann", "new", 900)] {
        let version = upload(&league, key, content);
        assert_eq!(take(&league).id, version.id);
        finish(&league, &version);
        let code = prepared(league.folder(), content).join(CODE);
        fs::create_dir_all(&code).expect("a folder");
        fs::write(code.join("data"), vec![0; kib << 10]).expect("a file");
    }
    let versions = |key: &str| {
        let id = person(&league, key).id;
        league.store.read(|db| Version::of_person(db, id)).expect("a read")
    };
    // What a person plays with stays.
    thin(&league).expect("a look");
    let old = prepared(league.folder(), "old");
    assert!(old.is_dir());
    upload(&league, "bob", "other");
    let other = take(&league);
    finish(&league, &other);
    // Ann exceeds the limit, and Bob, who does not, keeps an older version of the same files.
    thin(&league).expect("a look");
    let why = "its files were removed to make room: upload it again";
    assert!(old.is_dir());
    assert_eq!((&*versions("ann")[1].why, versions("bob")[1].state), (why, VersionState::Ready));
    // The files go when Bob exceeds it too.
    upload(&league, "bob", "large");
    finish(&league, &take(&league));
    fs::create_dir_all(prepared(league.folder(), "large")).expect("a folder");
    fs::write(prepared(league.folder(), "large").join("data"), vec![0; 600 << 10]).expect("a file");
    thin(&league).expect("a look");
    assert!(!old.exists());
    assert_eq!(fs::read_dir(league.folder().join("incoming")).expect("a folder").count(), 0);
    assert_eq!([&versions("ann")[1], &versions("bob")[2]].map(|it| &*it.why), [why, why]);
    // Nor does a version play whose files somebody else has removed.
    let ann = person(&league, "ann");
    fs::remove_dir_all(prepared(league.folder(), "new")).expect("a folder");
    let refused = league.activate(&ann, versions("ann")[0].id).expect_err("no files");
    assert_eq!(refused.to_string(), "the files of this version are gone: upload it again");
}

#[test]
fn upload_keeps_files_that_are_about_to_go() {
    let folder = Folder::new(&["ann", "bob"], "disk = '1MiB'\n");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let place = |content: &str| uploads(league.folder()).join(content);
    for (content, kib) in [("old", 600), ("new", 900)] {
        fs::create_dir(place(content)).expect("a folder");
        fs::write(place(content).join("data"), vec![0; kib << 10]).expect("a file");
        upload(&league, "ann", content);
        finish(&league, &take(&league));
    }
    std::thread::scope(|scope| {
        let bob = person(&league, "bob");
        let kept = league.keep_upload::<LeagueError>(&bob, "old", 1, || {
            scope.spawn(|| thin(&league).expect("a look"));
            std::thread::sleep(std::time::Duration::from_millis(300));
            assert!(place("old").exists());
            Ok(())
        });
        kept.expect("an upload");
    });
    assert!(place("old").exists());
    let ann = person(&league, "ann");
    let versions = league.store.read(|db| Version::of_person(db, ann.id)).expect("a read");
    assert_eq!(versions[1].state, VersionState::Refused);
}

#[test]
fn reviews_are_made_in_the_order_in_which_people_ask() {
    let folder = Folder::new(&["ann", "bob"], "");
    let start = at("2027-11-21T05:00:00Z");
    let clock = SetClock::new(start);
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
    for key in ["ann", "bob"] {
        upload(&league, key, key);
        finish(&league, &take(&league));
    }
    let game = || league.take("a worker", "").expect("a read").expect("a game").game;
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

#[test]
fn deadline_holds_even_if_the_clock_goes_back() {
    let settings = "deadline = '2027-11-20T23:59:00[America/Chicago]'\naccept-late = '1h'\n";
    let folder = Folder::new(&["ann", "bob"], settings);
    let clock = SetClock::new(at("2027-11-21T05:00:00Z"));
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
    let upload = |key, content| kept(&league, &person(&league, key), content);
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
    assert!(league.activate(&person(&league, "ann"), one.id).is_err());
    // What came in time is waited for.
    assert!(!league.freeze_if_due().expect("a look"));
    finish(&two, VersionState::Ready);
    finish(&bobs, VersionState::Refused);
    finish(&take(&league), VersionState::Refused);
    assert!(league.freeze_if_due().expect("a look"));
    // The clock goes back an hour: the deadline has passed all the same, also for the next server.
    clock.set(at("2027-11-21T05:59:01Z"));
    refused(upload("ann", "five"));
    drop(league);
    let league = League::serve(&folder.path(), clock.source()).expect("a league");
    refused(kept(&league, &person(&league, "ann"), "five"));
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

fn played(league: &League, order: &Assignment) -> Outcome {
    let table = Table {
        game: league.config.game.clone(),
        gate: Arc::default(),
        stop: Arc::clone(&league.stop),
    };
    table.play(order, &|_| unreachable!("a player of ours"), &mut |_| ()).expect("a game")
}

/// A change of the text of a record.
type Change<'a> = &'a dyn Fn(&str) -> String;

fn take_game(league: &League, worker: &str) -> Assignment {
    league.take(worker, "").expect("a read").expect("a game")
}

fn state(league: &League, game: i64) -> GameState {
    let row = league.store.read(|db| GameRow::find(db, game)).expect("a read");
    row.expect("a game").state
}

#[test]
fn result_is_believed_only_if_it_is_one() {
    let folder = Folder::new(&["ann"], "");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let order = take_game(&league, "one");
    let good = played(&league, &order);
    // Somebody else's game, and a word that was not given out.
    assert!(league.give("two", &good).is_err());
    assert!(league.give("one", &Outcome { lease: "x".to_owned(), ..good.clone() }).is_err());
    assert!(league.give("one", &Outcome { game: 999, ..good.clone() }).is_err());
    assert!(league.renew("two", order.game, &order.lease).is_err());
    assert!(league.renew("one", order.game, "x").is_err());
    league.renew("one", order.game, &order.lease).expect("a lease");
    assert_eq!(state(&league, order.game), GameState::Open);
    league.give("one", &good).expect("a result");
    assert_eq!(state(&league, order.game), GameState::Done);
    assert!(league.give("one", &good).is_err(), "twice");
    assert!(league.renew("one", order.game, &order.lease).is_err(), "it is over");

    // A record that the rules, the plan or the versions contradict.
    let changes: [(&str, Change<'_>); 8] = [
        ("another result", &|text| {
            let flipped = text.replace("\"1-0\"", "\"?\"").replace("\"0-1\"", "\"1-0\"");
            flipped.replace("\"?\"", "\"0-1\"")
        }),
        ("another winner", &|text| {
            let flipped = text.replace("\"winner\":\"First\"", "?");
            let flipped = flipped.replace("\"winner\":\"Second\"", "\"winner\":\"First\"");
            let flipped = flipped.replace('?', "\"winner\":\"Second\"");
            let flipped = flipped.replace("\"winner\":\"first\"", "?");
            let flipped = flipped.replace("\"winner\":\"second\"", "\"winner\":\"first\"");
            flipped.replace('?', "\"winner\":\"second\"")
        }),
        ("another version", &|text| text.replace("\"version ", "\"version 9")),
        ("another program", &|text| text.replace("\"player\":\"random\"", "\"player\":\"other\"")),
        ("another game", &|text| text.replace("maxconnect4", "network")),
        ("no end", &|text| text.lines().take(6).map(|line| format!("{line}\n")).collect()),
        ("a draw after the opening", &|text| {
            let mut record = GameRecord::parse(text).expect("a record");
            record.moves.truncate(2);
            (record.ending, record.cpu) = (Ending::ply_cap(2), None);
            record.to_text().expect("a text")
        }),
        ("no record", &|_| "{}".to_owned()),
    ];
    for (what, change) in changes {
        let order = take_game(&league, "one");
        let good = played(&league, &order);
        let record = change(&good.record);
        assert_ne!(record, good.record, "{what}");
        let why = league.give("one", &Outcome { record, ..good.clone() }).expect_err(what);
        assert!(why.to_string().starts_with("the result is not believed: "), "{what}: {why}");
        assert_eq!(state(&league, order.game), GameState::Open, "{what}");
        // The game is played by another.
        let again = take_game(&league, "two");
        assert_eq!(again.game, order.game);
        league.give("two", &Outcome { lease: again.lease.clone(), ..good }).expect("a result");
    }
}

#[test]
fn game_is_given_away_once() {
    let folder = Folder::new(&["ann"], "settled = 1.0\n");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    std::thread::scope(|scope| {
        for worker in ["one", "two", "three"] {
            let league = &league;
            scope.spawn(move || {
                for _ in 0..12 {
                    let outcome = played(league, &take_game(league, worker));
                    league.give(worker, &outcome).expect("a result that is counted");
                }
            });
        }
    });
}

#[test]
fn moves_of_a_game_that_is_played_again_begin_again() {
    let folder = Folder::new(&["ann"], "");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let order = take_game(&league, "one");
    let table = Table {
        game: league.config.game.clone(),
        gate: Arc::default(),
        stop: Arc::clone(&league.stop),
    };
    for _ in 0..2 {
        let mut counts = Vec::new();
        let mut show = |moves: &[MoveText]| counts.push(moves.len());
        table.play(&order, &|_| unreachable!("a player of ours"), &mut show).expect("a game");
        assert!(counts.len() > 8 && counts.iter().copied().eq(1..=counts.len()), "{counts:?}");
    }
}

#[test]
fn machine_that_fails_or_dies_loses_nothing() {
    let folder = Folder::new(&["ann"], "");
    let path = folder.path();
    let (first, other) = {
        let league = League::serve(&path, Arc::new(Timestamp::now)).expect("a league");
        let first = take_game(&league, "one");
        let other = take_game(&league, "two");
        assert_ne!(first.game, other.game, "a game is given to one machine");
        league
            .give_up("one", first.game, &first.lease, Some("no processes left"), None)
            .expect("a game");
        assert!(league.give_up("one", first.game, &first.lease, Some("twice"), None).is_err());
        let again = take_game(&league, "three");
        assert_eq!(again.game, first.game);
        // A machine that is stopped gives its game back, and nothing of that is noted.
        league.give_up("two", other.game, &other.lease, None, None).expect("a game");
        assert_eq!(take_game(&league, "five").game, other.game);
        assert!(!league.has_given("three", &"0".repeat(64)));
        // The server ends with two games given away.
        (again, other)
    };
    let league = League::serve(&path, Arc::new(Timestamp::now)).expect("a league");
    let late = played(&league, &first);
    assert!(league.give("three", &late).is_err(), "given away by the server before");
    let mut games = [take_game(&league, "four").game, take_game(&league, "four").game];
    games.sort_unstable();
    let mut expected = [first.game, other.game];
    expected.sort_unstable();
    assert_eq!(games, expected);
    let row = league.store.read(|db| GameRow::find(db, first.game)).expect("a read");
    assert_eq!(row.and_then(|row| row.again).as_deref(), Some("no processes left"));
    let row = league.store.read(|db| GameRow::find(db, other.game)).expect("a read");
    assert_eq!(row.and_then(|row| row.again), None);
}

#[test]
fn broken_machine_makes_no_game_void_beside_another() {
    let folder = Folder::new(&["ann"], "settled = 1.0\n");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let fails = |machine: &str| {
        let order = league.take("lab", machine).expect("a read")?;
        let why = Some("no room left");
        league.give_up("lab", order.game, &order.lease, why, None).expect("a game");
        Some(order.game)
    };
    // Both machines have the same token. The good one plays a long game meanwhile.
    let long = league.take("lab", "good").expect("a read").expect("a game");
    let left: Vec<i64> = std::iter::from_fn(|| fails("bad")).take(20).collect();
    assert_eq!(left.len(), 3, "each game once, and no more before another plays: {left:?}");
    for &game in &left {
        assert_eq!(state(&league, game), GameState::Open);
        let order = league.take("lab", "good").expect("a read").expect("a game");
        assert_eq!(order.game, game);
        league.give("lab", &played(&league, &order)).expect("a result");
    }
    league.give("lab", &played(&league, &long)).expect("a result");
    assert!(fails("bad").is_some(), "a machine is tried again");

    // A result that is not believed is a failure of the machine, too.
    let order = league.take("lab", "odd").expect("a read").expect("a game");
    let lie = Outcome { record: "{}".to_owned(), ..played(&league, &order) };
    league.give("lab", &lie).expect_err("no record");
    let next = league.take("lab", "odd").expect("a read").expect("a game");
    assert_ne!(next.game, order.game);
}

/// One student's language must not keep the others from playing.
#[test]
fn machine_without_a_language_plays_the_other_games() {
    let settings = SETTINGS.replace("'random',", "'random', 'machine:depth=2',");
    let folder = Folder::of(&["ann"], &format!("{settings}settled = 1.0\n"));
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let order = take_game(&league, "lab");
    let lacks = Some("this system lacks `node`");
    league.give_up("lab", order.game, &order.lease, lacks, Some(1)).expect("a game");
    let row =
        |game| league.store.read(|db| GameRow::find(db, game)).expect("a read").expect("a game");
    let version = row(order.game).versions[1];
    for _ in 0..5 {
        let next = take_game(&league, "lab");
        assert!(!row(next.game).versions.contains(&version), "{next:?}");
        league.give("lab", &played(&league, &next)).expect("a result");
    }
    // The game has cost no try, and another machine plays it.
    assert_eq!((state(&league, order.game), row(order.game).tries), (GameState::Open, 0));
    assert_eq!(take_game(&league, "other").game, order.game);
}

#[test]
fn machine_that_is_alone_tries_a_game_to_the_bound() {
    let folder = Folder::new(&["ann"], "");
    let league = League::serve(&folder.path(), Arc::new(Timestamp::now)).expect("a league");
    let mut tries = Vec::new();
    for _ in 0..6 {
        let order = take_game(&league, "one");
        league
            .give_up("one", order.game, &order.lease, Some("no room left"), None)
            .expect("a game");
        tries.push(order.game);
    }
    tries.sort_unstable();
    let [game, other] = [tries[0], tries[5]];
    // The two games of a pair, three times each.
    assert_eq!(tries, [game, game, game, other, other, other]);
    assert_eq!([game, other].map(|it| state(&league, it)), [GameState::Void; 2]);
}

#[test]
fn worker_does_not_have_the_name_of_the_server() {
    let folder = Folder::new(&["ann"], "");
    let refused = folder.try_run(&["worker", "lg", "server"]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && why.contains("expected another name"), "{why}");
}

#[test]
#[cfg(unix)]
fn tasks_of_slurm_are_workers() {
    let folder = Folder::new(&["ann"], "settled = 300.0\n");
    let place = folder.path().join("..").canonicalize().expect("a folder");
    let server = folder.serve(&["--no-games"]);
    std::fs::write(place.join("token"), folder.run(&["worker", "lg", "slurm"])).expect("a file");
    // A Slurm that starts a task at once.
    let (bin, log) = (place.join("bin"), place.join("log"));
    std::fs::create_dir(&bin).expect("a folder");
    let sbatch = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo slurm && exit\n\
         SLURM_CPUS_PER_TASK=2 sh \"$2\" 2>'{}'\necho '17;cluster'\n",
        log.display()
    );
    std::fs::write(bin.join("sbatch"), sbatch).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("sbatch"), mode).expect("a mode");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [bin.clone()].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("folders");
    let words =
        ["slurm", &server.url, "--token", "token", "--tasks", "3", "--sbatch", "--time=1:00"];
    let submitted = folder.command(&words).env("PATH", path).output().expect("the program");
    assert_eq!(String::from_utf8_lossy(&submitted.stdout), "3 tasks are job 17\n", "{submitted:?}");
    let played = std::fs::read_to_string(log).expect("a log");
    assert!(played.contains("game 2 played"), "{played}");

    // Without Slurm, the script can be seen; the token itself is not in it.
    let script = folder.run(&[&words[..], &["--dry-run"]].concat());
    for line in [
        "#SBATCH --job-name=league-work".to_owned(),
        "#SBATCH --array=1-3".to_owned(),
        "#SBATCH --time=1:00".to_owned(),
        format!("#SBATCH --output={}/league-work/task-%A_%a.log", place.display()),
    ] {
        assert!(script.lines().any(|found| found == line), "{line}\n{script}");
    }
    let token = std::fs::read_to_string(place.join("token")).expect("a token");
    assert!(!script.contains(token.trim()) && script.contains("--until-idle --jobs"), "{script}");
    let none = folder.command(&words).env("PATH", "/nowhere").output().expect("the program");
    let why = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(why.contains("`league work` does the same without Slurm"), "{why}");
}

/// Draws the winner of a game between players of these strengths, on the scale of Elo.
fn winner(first: f64, second: f64, rng: &mut StdRng) -> Option<Side> {
    let chance = 1.0 / (1.0 + 10_f64.powf((second - first) / 400.0));
    Some(if rng.random::<f64>() < chance { Side::First } else { Side::Second })
}

/// Returns the result of a game to be counted.
fn counted(winner: Option<Side>) -> NewResult {
    NewResult {
        winner,
        result: "1-0",
        reason: String::new(),
        fault: None,
        fault_word: None,
        again: None,
        plies: 0,
        record: String::new(),
        stderr: [String::new(), String::new()],
        worker: String::new(),
    }
}

/// Returns the strengths, less their mean.
fn strengths(count: usize, rng: &mut StdRng) -> Vec<f64> {
    // The sum of twelve is nearly normal.
    let all: Vec<f64> = (0..count)
        .map(|_| 300.0 * ((0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0))
        .collect();
    let mean = all.iter().sum::<f64>() / count as f64;
    all.into_iter().map(|strength| strength - mean).collect()
}

#[test]
fn interval_holds_the_truth() {
    let (mut held, mut all, mut games) = (0, 0, 0);
    for seed in 0..6 {
        let mut rng = StdRng::seed_from_u64(seed);
        let truth = strengths(40, &mut rng);
        let mut ratings = vec![Rating::default(); truth.len()];
        let mut meetings = Meetings::new();
        loop {
            let standings: Vec<Standing> = (0..)
                .zip(&ratings)
                .map(|(version, &rating)| Standing { version, rating, open: 0 })
                .collect();
            let Some((one, other)) = choose(&standings, &meetings, 45.0, &mut rng) else { break };
            *meetings.entry(ordered(one, other)).or_default() += 2;
            for (first, second) in [(one, other), (other, one)] {
                let (first, second) = (first as usize, second as usize);
                let winner = winner(truth[first], truth[second], &mut rng);
                [ratings[first], ratings[second]] =
                    after_game([ratings[first], ratings[second]], winner);
                games += 1;
            }
        }
        let mean = ratings.iter().map(|rating| rating.rating).sum::<f64>() / ratings.len() as f64;
        for (rating, strength) in ratings.iter().zip(&truth) {
            let [low, high] = rating.interval();
            held += usize::from((low..=high).contains(&(strength + mean)));
            all += 1;
        }
    }
    let part = held as f64 / all as f64;
    println!("{part:.3} of the intervals hold, after {} games of a player", 2 * games / all);
    assert!(part >= 0.94, "{part}");
}

/// Students whose programs all play equally well: one of them uploads after each game, and goes back to the version
/// with the best rating while the upload is built. The mean of the student's ratings over some seasons stays near that
/// of all.
#[test]
fn lucky_versions_gain_no_rating() {
    let mut rng = StdRng::seed_from_u64(1);
    let now = Timestamp::UNIX_EPOCH;
    let mut sum = 0.0;
    let seasons = 40;
    for _ in 0..seasons {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path()).expect("a database");
        let season = store.write(|db| {
            let version = |person| {
                let content = Some("c".to_owned());
                let version =
                    NewVersion { person, content, player: None, bytes: 0 }.add(db, now)?;
                version.set_built(db, VersionState::Ready, ("", ""), None, now)?;
                Ok::<_, StoreError>(version.id)
            };
            let mut people = Vec::new();
            for key in ["lucky", "a", "b", "c", "d", "e"] {
                let (key, name, email) = (key.to_owned(), key.to_owned(), String::new());
                NewPerson { key: key.clone(), name, email, role: Role::Student }.add(db, now)?;
                people.push(Person::of_key(db, &key)?.expect("a person").id);
            }
            for &person in &people {
                version(person)?;
            }
            let play = |count: usize, rng: &mut StdRng| {
                for index in 0..count {
                    let active = |person| Person::find(db, person).map(|it| it?.active);
                    let one = active(people[0])?.expect("a version");
                    let other = active(people[1 + index % 5])?.expect("a version");
                    let [game, _] = GameRow::add_pair(db, [one, other], 0, 1, now)?;
                    game.finish(db, &counted(winner(0.0, 0.0, rng)), now)?;
                }
                Ok::<_, StoreError>(())
            };
            for _ in 0..20 {
                play(1, &mut rng)?;
                let versions = Version::of_person(db, people[0])?;
                let rating = |it: &&Version| it.rating.rating;
                let best = versions.iter().filter(|it| it.games > 0);
                let best = best.max_by(|one, other| rating(one).total_cmp(&rating(other)));
                best.expect("a version").activate(db)?;
                version(people[0])?;
            }
            let entries = Entry::all(db)?;
            let entry = entries.iter().find(|it| it.person.id == people[0]).expect("an entry");
            Ok::<_, StoreError>(entry.version.rating.rating)
        });
        sum += season.expect("a season");
    }
    let mean = sum / f64::from(seasons);
    println!("{mean:.0} in place of 1500");
    assert!((1400.0..1600.0).contains(&mean), "{mean}");
}

#[test]
fn order_of_a_season_is_that_of_the_strengths() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path()).expect("a database");
    let mut rng = StdRng::seed_from_u64(1);
    let now = Timestamp::UNIX_EPOCH;
    // As far apart as depths of a search.
    let truth = [0.0, 250.0, 500.0, 750.0, 1000.0];
    let entries = store
        .write(|db| {
            let mut versions = Vec::new();
            for index in 0..truth.len() {
                let key = format!("p{index}");
                let (name, email) = (key.clone(), String::new());
                NewPerson { key: key.clone(), name, email, role: Role::Student }.add(db, now)?;
                let person = Person::of_key(db, &key)?.expect("a person").id;
                let content = Some(key);
                let version =
                    NewVersion { person, content, player: None, bytes: 0 }.add(db, now)?;
                version.activate(db)?;
                versions.push(version.id);
            }
            let strength = |id: i64| truth[versions.iter().position(|it| *it == id).expect("it")];
            for _ in 0..400 {
                let standings: Vec<Standing> = Entry::all(db)?
                    .iter()
                    .map(|it| Standing {
                        version: it.version.id,
                        rating: it.version.rating,
                        open: 0,
                    })
                    .collect();
                let meetings = GameRow::meetings(db)?;
                let Some((one, other)) = choose(&standings, &meetings, 45.0, &mut rng) else {
                    break;
                };
                for game in GameRow::add_pair(db, [one, other], 0, 1, now)? {
                    let [first, second] = game.versions;
                    let winner = winner(strength(first), strength(second), &mut rng);
                    assert!(game.finish(db, &counted(winner), now)?);
                }
            }
            Entry::all(db)
        })
        .map_err(|error: StoreError| error.to_string())
        .expect("a season");
    let order: Vec<&str> = entries.iter().map(|entry| entry.person.key.as_str()).collect();
    assert_eq!(order, ["p4", "p3", "p2", "p1", "p0"]);
    let counted: i64 = entries.iter().map(|entry| entry.version.games).sum();
    let done: i64 = store
        .read(|db| {
            let sql = "SELECT count(*) FROM games WHERE state = 'done'";
            Ok(db.query_row(sql, [], |row| row.get(0))?)
        })
        .expect("a count");
    assert_eq!(counted, 2 * done);
    let _ = store.read(|db| Version::find(db, 1)).expect("a read");
}

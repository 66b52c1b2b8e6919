//! Games that other machines play: the server alone decides what counts.

use std::sync::Arc;

use league::clock::SystemClock;
use league::league::League;
use league::playing::{Assignment, Outcome, Table};
use league::store::{GameRow, GameState};

use crate::running::Folder;

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

fn take(league: &League, worker: &str) -> Assignment {
    league.take(worker).expect("a read").expect("a game")
}

fn state(league: &League, game: i64) -> GameState {
    let row = league.store.read(|db| GameRow::find(db, game)).expect("a read");
    row.expect("a game").state
}

#[test]
fn result_is_believed_only_if_it_is_one() {
    let folder = Folder::new(&["ann"], "");
    let league = League::serve(&folder.path(), Arc::new(SystemClock)).expect("a league");
    let order = take(&league, "one");
    let good = played(&league, &order);
    // Somebody else's game, and a word that was not given out.
    assert!(league.give("two", &good).is_err());
    assert!(league.give("one", &Outcome { lease: "x".to_owned(), ..good.clone() }).is_err());
    assert!(league.give("one", &Outcome { game: 999, ..good.clone() }).is_err());
    assert_eq!(state(&league, order.game), GameState::Open);
    league.give("one", &good).expect("a result");
    assert_eq!(state(&league, order.game), GameState::Done);
    assert!(league.give("one", &good).is_err(), "twice");

    // A record that the rules, the plan or the versions contradict.
    let changes: [(&str, Change<'_>); 7] = [
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
        ("no record", &|_| "{}".to_owned()),
    ];
    for (what, change) in changes {
        let order = take(&league, "one");
        let good = played(&league, &order);
        let record = change(&good.record);
        assert_ne!(record, good.record, "{what}");
        let why = league.give("one", &Outcome { record, ..good.clone() }).expect_err(what);
        assert!(why.to_string().starts_with("the result is not believed: "), "{what}: {why}");
        assert_eq!(state(&league, order.game), GameState::Open, "{what}");
        // The game is played by another.
        let again = take(&league, "two");
        assert_eq!(again.game, order.game);
        league.give("two", &Outcome { lease: again.lease.clone(), ..good }).expect("a result");
    }
}

#[test]
fn machine_that_fails_or_dies_loses_nothing() {
    let folder = Folder::new(&["ann"], "");
    let path = folder.path();
    let (first, other) = {
        let league = League::serve(&path, Arc::new(SystemClock)).expect("a league");
        let first = take(&league, "one");
        let other = take(&league, "two");
        assert_ne!(first.game, other.game, "a game is given to one machine");
        league.give_up("one", first.game, &first.lease, "no processes left").expect("a game");
        assert!(league.give_up("one", first.game, &first.lease, "twice").is_err());
        let again = take(&league, "three");
        assert_eq!(again.game, first.game);
        assert!(!league.has_given("three", &"0".repeat(64)));
        // The server ends with two games given away.
        (again, other)
    };
    let league = League::serve(&path, Arc::new(SystemClock)).expect("a league");
    let late = played(&league, &first);
    assert!(league.give("three", &late).is_err(), "given away by the server before");
    let mut games = [take(&league, "four").game, take(&league, "four").game];
    games.sort_unstable();
    let mut expected = [first.game, other.game];
    expected.sort_unstable();
    assert_eq!(games, expected);
    let row = league.store.read(|db| GameRow::find(db, first.game)).expect("a read");
    assert_eq!(row.and_then(|row| row.again).as_deref(), Some("no processes left"));
}

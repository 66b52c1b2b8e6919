//! Games that other machines play: the server alone decides what counts.

use std::sync::Arc;

use league::clock::SystemClock;
use league::league::League;
use league::playing::{Assignment, Outcome, Table};
use league::store::{GameRow, GameState};
use plyground_host::MoveText;

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
    assert!(league.renew("two", order.game, &order.lease).is_err());
    assert!(league.renew("one", order.game, "x").is_err());
    league.renew("one", order.game, &order.lease).expect("a lease");
    assert_eq!(state(&league, order.game), GameState::Open);
    league.give("one", &good).expect("a result");
    assert_eq!(state(&league, order.game), GameState::Done);
    assert!(league.give("one", &good).is_err(), "twice");
    assert!(league.renew("one", order.game, &order.lease).is_err(), "it is over");

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
fn game_is_given_away_once() {
    let folder = Folder::new(&["ann"], "settled = 1.0\n");
    let league = League::serve(&folder.path(), Arc::new(SystemClock)).expect("a league");
    std::thread::scope(|scope| {
        for worker in ["one", "two", "three"] {
            let league = &league;
            scope.spawn(move || {
                for _ in 0..12 {
                    let outcome = played(league, &take(league, worker));
                    league.give(worker, &outcome).expect("a result that is counted");
                }
            });
        }
    });
}

#[test]
fn moves_of_a_game_that_is_played_again_begin_again() {
    let folder = Folder::new(&["ann"], "");
    let league = League::serve(&folder.path(), Arc::new(SystemClock)).expect("a league");
    let order = take(&league, "one");
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
        let league = League::serve(&path, Arc::new(SystemClock)).expect("a league");
        let first = take(&league, "one");
        let other = take(&league, "two");
        assert_ne!(first.game, other.game, "a game is given to one machine");
        league.give_up("one", first.game, &first.lease, Some("no processes left")).expect("a game");
        assert!(league.give_up("one", first.game, &first.lease, Some("twice")).is_err());
        let again = take(&league, "three");
        assert_eq!(again.game, first.game);
        // A machine that is stopped gives its game back, and nothing of that is noted.
        league.give_up("two", other.game, &other.lease, None).expect("a game");
        assert_eq!(take(&league, "five").game, other.game);
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
    let row = league.store.read(|db| GameRow::find(db, other.game)).expect("a read");
    assert_eq!(row.and_then(|row| row.again), None);
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

//! Two processes that measure, build or play the same at the same time.

use std::process::Command;

use super::support::{PROGRAM, TestFolder};
use crate::common::race::{Pipe, Race, race};

const ROUNDS: usize = 20;

fn command(place: &TestFolder, args: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(place.path(".")).args(args.split(' '));
    command
}

#[test]
fn one_of_two_builds_the_book() {
    let place = TestFolder::new();
    let args = "book --size 4x4 build --plies 3 --out";
    place.run(&format!("{args} alone.bin")).success();
    let alone = std::fs::read(place.path("alone.bin")).expect("a book");
    let pipe = Pipe::new(place.path("pipe"));
    for _ in 0..ROUNDS {
        let build = || command(&place, &format!("{args} pipe"));
        let (race, pipe) = race(build, || pipe.open());
        race.assert_refused("pipe.journal");
        assert_eq!(pipe.written(), alone);
        assert_eq!(place.files(), ["alone.bin", "pipe"], "the journal is gone");
    }
}

#[test]
fn one_of_two_measures() {
    let place = TestFolder::new();
    let args = "timing --depths 1..3 --runs 1 --csv";
    place.run(&format!("{args} alone.csv")).success();
    let pipe = Pipe::new(place.path("pipe.svg"));
    for round in 0..ROUNDS {
        let csv = format!("t{round}.csv");
        let timing = || command(&place, &format!("{args} {csv} --plot pipe.svg"));
        let (race, _) = race(timing, || pipe.open());
        race.assert_refused(&csv);
        assert_eq!(without_times(&place.read(&csv)), without_times(&place.read("alone.csv")));
        std::fs::remove_file(place.path(&csv)).expect("the table");
        assert_eq!(place.files(), ["alone.csv", "pipe.svg"]);
    }
}

/// The columns of a runtime table that are the same in every run.
fn without_times(csv: &str) -> Vec<Vec<String>> {
    let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    csv.lines().map(|line| [&fields(line)[..6], &fields(line)[10..13]].concat()).collect()
}

#[test]
fn one_of_two_plays_the_tournament() {
    let place = TestFolder::new();
    let script = format!(
        "while [ ! -e go ]; do sleep 0.01; done\nexec '{PROGRAM}' one-move \"$1\" \"$2\" 1\n"
    );
    place.write("wait.sh", script);
    let plan = "format = 'gauntlet'\nchallenger = 'random'\nsandbox = 'none'\nopenings = { plies = 36 }\n\
                [[player]]\nplayer = 'random'\n[[player]]\nplayer = 'file:sh wait.sh {in} {out}'\n";
    place.write("t.toml", plan);
    place.write("go", "");
    place.run("tournament t.toml --out alone").success();
    let files = place.files();
    for round in 0..ROUNDS {
        std::fs::remove_file(place.path("go")).expect("the file of the round before");
        let folder = format!("t{round}");
        let tournament = || command(&place, &format!("tournament t.toml --out {folder}"));
        let (race, ()) = race(tournament, || place.write("go", ""));
        race.assert_refused(&folder);
        let [found, expected] = [&*folder, "alone"].map(|folder| results(&place, folder));
        assert_eq!(found, expected);
        std::fs::remove_dir_all(place.path(&folder)).expect("the folder");
        assert_eq!(place.files(), files);
    }
}

/// The moves of the games, and the names of all files beside.
fn results(place: &TestFolder, folder: &str) -> (Vec<String>, Vec<String>) {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(place.path(folder)).expect("a folder");
        let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let games = format!("{folder}/games");
    let moves = |name: &String| -> String {
        let text = place.read(&format!("{games}/{name}"));
        let moves = text.lines().filter_map(|line| line.split_once(r#""move":"#));
        moves.map(|(_, rest)| rest.split(',').next().unwrap_or_default()).collect()
    };
    (names(&games).iter().map(moves).collect(), names(folder))
}

/// A process that is refused harms nothing: neither before the other has anything, nor after.
#[test]
fn the_refused_one_harms_nothing() {
    let place = TestFolder::new();
    let pipe = Pipe::new(place.path("pipe"));
    let build = "book --size 4x4 build --plies 2 --out pipe";
    let (Race { winner, .. }, written) = race(
        || command(&place, build),
        || {
            let before = place.read("pipe.journal");
            for _ in 0..3 {
                let again = place.run(build);
                again.failure(1, "pipe.journal: another process is at work on it");
            }
            assert!(place.read("pipe.journal").starts_with(&before));
            pipe.open()
        },
    );
    assert!(winner.status.success() && !written.written().is_empty());
}

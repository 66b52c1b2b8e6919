//! Tournaments from a file.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

use super::{TestFolder, assert_golden, data};

const SMALL: &str = "name = 'Autumn'\nseed = 3\nopenings = { plies = 2, count = 2 }\ntable = 1\n\
    [[player]]\nname = 'Ann'\nplayer = 'machine:depth=4'\n\
    [[player]]\nname = 'Bob'\nplayer = 'machine:depth=2'\n\
    [[player]]\nplayer = 'random'\n\
    [[player]]\nname = 'random, too'\nplayer = 'random'\n";

/// A table without its last columns, those that depend on CPU times.
fn without_last(csv: &str, columns: usize) -> String {
    let cut = |line: &str| {
        let mut fields = line.rsplitn(columns + 1, ',');
        fields.nth(columns).unwrap_or_default().to_owned() + "\n"
    };
    csv.lines().map(cut).collect()
}

/// The standings without all that depends on CPU times: places are among it, where matchups are equal in
/// points.
fn steady_standings(place: &TestFolder, folder: &str) -> String {
    let standings = without_last(&place.read(&format!("{folder}/standings.csv")), 3);
    let without_places = |line: &str| line.splitn(3, ',').nth(2).unwrap_or_default().to_owned();
    let mut lines: Vec<String> = standings.lines().map(without_places).collect();
    lines[1..].sort();
    lines.join("\n") + "\n"
}

/// The games without CPU times.
fn games(place: &TestFolder, folder: &str) -> String {
    without_last(&place.read(&format!("{folder}/games.csv")), 2)
}

/// The cells of the cross table, whatever places the players have.
fn steady_cross(place: &TestFolder, folder: &str) -> String {
    let text = place.read(&format!("{folder}/crosstable.csv")).replace("random, too", "random too");
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().expect("names");
    let mut cells: Vec<String> = rows
        .flat_map(|row| {
            let cells = names.iter().zip(row.clone()).skip(1);
            let cells = cells.map(|(other, cell)| format!("{} against {other}: {cell}\n", row[0]));
            cells.collect::<Vec<_>>()
        })
        .collect();
    cells.sort();
    cells.concat()
}

/// The tables in a folder without what depends on time.
fn tables(place: &TestFolder, folder: &str) -> [String; 3] {
    [steady_standings(place, folder), steady_cross(place, folder), games(place, folder)]
}

fn report(page: &str) -> Value {
    let json = page.split("id=\"report\">").nth(1).expect("a report");
    serde_json::from_str(json.split("</script>").next().expect("an end")).expect("JSON")
}

#[test]
fn tables_of_a_small_tournament() {
    let place = TestFolder::new();
    place.write("small.toml", SMALL);
    let run = place.run("tournament small.toml").success();
    assert!(
        run.stdout.starts_with("Autumn: maxconnect4, round-robin, ranked by matchups, 24 games\n")
    );
    assert!(run.stdout.ends_with("\nReport: small/report.html\n"), "{}", run.stdout);
    let [standings, cross, games] = tables(&place, "small");
    assert_golden("golden/tournament.csv", &format!("{standings}\n{cross}\n{games}"));
    for folder in ["two", "three"] {
        place.run(&format!("tournament small.toml --out {folder}")).success();
        assert_eq!(tables(&place, folder), tables(&place, "small"));
    }
}

#[test]
fn the_page_has_every_game_and_asks_for_nothing() {
    let place = TestFolder::new();
    place.write("t.toml", SMALL.replace("'Autumn'", "'</script><b>&'"));
    place.run("tournament t.toml").success();
    let page = place.read("t/report.html");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("<title>&lt;/script>&lt;b>&amp;</title>"));
    for part in ["src=", "href=", "url(", "@import", "fetch("] {
        assert!(!page.contains(part), "{part}");
    }
    let report = report(&page);
    assert_eq!(report["name"], "</script><b>&");
    let games = report["games"].as_array().expect("games");
    assert_eq!(games.len(), 24);
    for game in games {
        let mut cells: Vec<char> = game["start"].as_str().expect("text").chars().collect();
        for changes in game["changes"].as_array().expect("moves") {
            for change in changes.as_array().expect("changes") {
                let place = change[0].as_u64().expect("a place") as usize;
                cells[place] = change[1].as_str().and_then(|c| c.chars().next()).expect("a cell");
            }
        }
        assert_eq!(cells.iter().filter(|&&cell| cell == '0').count(), 0);
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(42));
    }
    let name = games[5]["number"].as_str().expect("a number");
    place.run(&format!("replay t/games/{name}.jsonl")).success();
}

/// Compiles a player of `tests/maxconnect4/players`; whether there is a compiler that does.
fn compile(place: &TestFolder, compiler: &str, args: &[&str], source: &str) -> bool {
    let source = data(&format!("players/{source}"));
    let status =
        Command::new(compiler).current_dir(place.path(".")).args(args).arg(source).status();
    match status {
        Ok(status) => {
            assert!(status.success(), "{compiler}");
            true
        }
        Err(error) => {
            println!("not tested: {compiler}: {error}");
            false
        }
    }
}

/// Ten players or so who do not look at a clock: our own, and programs in other languages.
fn many(place: &TestFolder) -> String {
    let mut players =
        vec![("x".to_owned(), "random".to_owned()), ("y".to_owned(), "random".to_owned())];
    players
        .extend((1..=4).map(|depth| (format!("depth {depth}"), format!("machine:depth={depth}"))));
    if Command::new("python3").arg("--version").output().is_ok() {
        let script = data("players/first.py");
        players.push(("Python".to_owned(), format!("line:python3 {}", script.display())));
    }
    if compile(place, "cc", &["-o", "last"], "last.c") {
        players.push(("C".to_owned(), "file:./last {in} {out}".to_owned()));
    }
    if compile(place, "javac", &["-d", "."], "Middle.java") {
        players.push(("Java".to_owned(), "line:java -Xshare:auto -cp . Middle".to_owned()));
    }
    let entries = players.iter();
    let entries =
        entries.map(|(name, player)| format!("[[player]]\nname = '{name}'\nplayer = '{player}'\n"));
    format!(
        "seed = 5\nopenings = {{ plies = 3, count = 1 }}\ntable = 1\n{}",
        entries.collect::<String>()
    )
}

#[test]
#[ignore = "long"]
fn a_tournament_that_is_killed_goes_on_where_it_was() {
    let place = TestFolder::new();
    place.write("t.toml", many(&place));
    let start = |folder: &str, jobs: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_maxconnect4"));
        command.current_dir(place.path(".")).args(["tournament", "t.toml", "--out", folder]);
        command.args(["--jobs", jobs]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program")
    };
    let clock = Instant::now();
    assert!(start("whole", "1").wait().expect("its end").success());
    let most = u64::try_from(clock.elapsed().as_millis()).expect("a moment") / 10;
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..10 {
        let mut program = start("killed", "2");
        thread::sleep(Duration::from_millis(rng.random_range(0..=most)));
        program.kill().expect("a program to kill");
        program.wait().expect("its end");
    }
    assert!(start("killed", "2").wait().expect("its end").success());
    assert_eq!(games(&place, "killed"), games(&place, "whole"));
    assert_eq!(steady_standings(&place, "killed"), steady_standings(&place, "whole"));
    let games = place.read("whole/games.csv").lines().count() - 1;
    let stored = std::fs::read_dir(place.path("killed/games")).expect("a folder");
    let names = stored.map(|entry| entry.expect("an entry").file_name());
    let kept = names.filter(|name| !name.to_string_lossy().starts_with('.')).count();
    assert_eq!(kept, games);
    assert!(!place.read("whole/games.csv").contains("crash"));
}

/// Starts a tournament with somebody who does not move before there is a file `go`, and waits until
/// a game without them is kept: then it listens to signals.
#[cfg(unix)]
fn start_waiting(place: &TestFolder, mut command: Command) -> Child {
    let program = env!("CARGO_BIN_EXE_maxconnect4");
    let script = format!(
        "while [ ! -e go ]; do sleep 0.01; done\nexec '{program}' one-move \"$1\" \"$2\" 1\n"
    );
    place.write("wait.sh", script);
    place.write(
        "t.toml",
        "format = 'gauntlet'\nchallenger = 'random'\nsandbox = 'none'\n\
         [[player]]\nplayer = 'random'\n[[player]]\nplayer = 'machine:depth=1'\n\
         [[player]]\nplayer = 'file:sh wait.sh {in} {out}'\n",
    );
    command.current_dir(place.path(".")).args(["tournament", "t.toml"]);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    while !place.path("t/games/0001-02.jsonl").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    run
}

#[cfg(unix)]
#[test]
fn what_nohup_has_started_outlives_the_terminal() {
    let place = TestFolder::new();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_maxconnect4"));
    let run = start_waiting(&place, command);
    let pid = run.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &pid]).status().expect("kill").success());
    place.write("go", "");
    let output = run.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.read("t/games.csv").lines().count(), 5);
}

#[cfg(unix)]
#[test]
fn a_tournament_that_is_interrupted_goes_on_where_it_was() {
    let place = TestFolder::new();
    let run = start_waiting(&place, Command::new(env!("CARGO_BIN_EXE_maxconnect4")));
    let pid = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = run.wait_with_output().expect("its end");
    let [stdout, stderr] = [output.stdout, output.stderr].map(String::from_utf8);
    assert_eq!(output.status.code(), Some(130), "{stderr:?}");
    let stderr = stderr.expect("text");
    let said = "error: interrupted; 2 of 4 games played; the same command goes on\n";
    assert!(stderr.ends_with(said), "{stderr}");
    assert!(stdout.expect("text").contains("2 of 4 games"));
    assert!(place.read("t/games.csv").lines().count() == 3);
    let kept = place.read("t/games/0001-01.jsonl");
    place.write("go", "");
    place.run("tournament t.toml").success();
    assert_eq!(place.read("t/games/0001-01.jsonl"), kept);
    let games = place.read("t/games.csv");
    assert_eq!(games.lines().count(), 5);
    assert!(!games.contains("quit"), "{games}");
}

#[test]
fn nothing_is_played_twice() {
    let place = TestFolder::new();
    place.write("t.toml", SMALL);
    place.run("tournament t.toml").success();
    let first = place.read("t/games/0003-02.jsonl");
    std::fs::remove_file(place.path("t/games/0001-01.jsonl")).expect("a game");
    let modified = |name: &str| {
        let metadata = std::fs::metadata(place.path(&format!("t/games/{name}")));
        metadata.and_then(|metadata| metadata.modified()).expect("a time")
    };
    let before = modified("0003-02.jsonl");
    place.run("tournament t.toml").success();
    assert_eq!(modified("0003-02.jsonl"), before);
    assert_eq!(place.read("t/games/0003-02.jsonl"), first);
    assert!(place.path("t/games/0001-01.jsonl").exists());
}

#[test]
fn a_damaged_game_is_named_and_played_again() {
    let place = TestFolder::new();
    place.write("t.toml", SMALL);
    place.run("tournament t.toml").success();
    let (game, whole) = (place.read("t/games/0002-01.jsonl"), tables(&place, "t"));
    // A time, which no rule of the game contradicts.
    let at = game.rfind("wall_us").expect("a time") + "wall_us".len() + 2;
    let line = 1 + game[..at].matches('\n').count();
    let digit = if game[at..].starts_with('9') { '8' } else { '9' };
    place.write("t/games/0002-01.jsonl", format!("{}{digit}{}", &game[..at], &game[at + 1..]));
    let said =
        format!("t/games/0002-01.jsonl:{line}: the line is damaged; it counts as not played");
    let replay = place.run("replay t/games/0002-01.jsonl");
    replay.failure(2, &format!("0002-01.jsonl:{line}: the line is damaged"));
    place.run("tournament t.toml").warned(&said);
    assert_eq!(tables(&place, "t"), whole);
    place.run("tournament t.toml").success();
    place.run("replay t/games/0002-01.jsonl").success();
}

#[test]
fn shares_make_the_whole() {
    let place = TestFolder::new();
    place.write("t.toml", SMALL);
    place.run("tournament t.toml --out whole").success();
    for share in 1..=3 {
        let run = place.run(&format!("tournament t.toml --out part{share} --shard {share}/3"));
        assert!(run.success().stdout.contains("8 of 24 games"));
    }
    let run = place.run("tournament merge t.toml part1 part3 --out all").success();
    assert!(run.stdout.contains("16 of 24 games"), "{}", run.stdout);
    place.run("tournament merge t.toml part1 part2 part3 --out all").success();
    assert_eq!(tables(&place, "all"), tables(&place, "whole"));
    let none = place.run("tournament merge t.toml none --out no").failure(2, "none/plan.json: ");
    assert_eq!(none.stderr.matches("No such file").count(), 1, "{}", none.stderr);
    place.run("tournament merge t.toml part1 none --out no").failure(2, "none/plan.json: ");
    assert!(!place.path("no").exists(), "nothing of a share is left");
    place.write("other.toml", SMALL.replace("seed = 3", "seed = 4"));
    let other = place.run("tournament merge other.toml part1 --out other");
    assert!(!place.path("other").exists());
    other.failure(2, "holds the games of another plan, with seed: 3, not 4; ");
}

#[test]
fn no_name_is_a_formula() {
    let place = TestFolder::new();
    place.write(
        "t.toml",
        "seed = 1\n[[player]]\nname = '=cmd|calc'\nplayer = 'random'\n\
         [[player]]\nname = '+1'\nplayer = 'random'\n",
    );
    place.run("tournament t.toml --out t").success();
    let files = std::fs::read_dir(place.path("t")).expect("a folder").flatten();
    let tables = files.filter(|file| file.file_name().to_string_lossy().ends_with(".csv"));
    let text: String =
        tables.map(|file| place.read(&format!("t/{}", file.file_name().display()))).collect();
    assert!(text.contains("'=cmd|calc") && text.contains("'+1"), "{text}");
    for cell in text.split([',', '\n']) {
        assert!(!cell.starts_with(['=', '+']), "{cell}");
    }
}

#[test]
fn gauntlets_and_knockouts() {
    let place = TestFolder::new();
    place.write("g.toml", format!("format = 'gauntlet'\nchallenger = 'Bob'\n{SMALL}"));
    let text = place.run("tournament g.toml").success().stdout;
    assert!(text.contains("gauntlet, ranked by matchups, 12 games"), "{text}");
    place.write("k.toml", format!("format = 'knockout'\n{SMALL}"));
    let text = place.run("tournament k.toml").success().stdout;
    assert!(text.contains("knockout, ranked by matchups, 12 games"), "{text}");
    place.run("tournament k.toml --shard 1/2 --out x").failure(2, "a knockout has no shares");
}

#[test]
fn openings_come_from_a_file_beside_the_plan() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("plans")).expect("a folder");
    place.write("plans/openings.txt", "4 4 4  # the middle\n\n1 7\n");
    let plan = SMALL.replace("{ plies = 2, count = 2 }", "{ file = 'openings.txt' }");
    place.write("plans/t.toml", &plan);
    place.run("tournament plans/t.toml").success();
    let games = place.read("plans/t/games.csv");
    assert_eq!(games.matches(",4 4 4,").count(), 12);
    assert_eq!(games.matches(",1 7,").count(), 12);
    place.write("plans/openings.txt", "4 4 4\n1 8\n");
    let run = place.run("tournament plans/t.toml --out other");
    run.failure(2, "line 2 of the openings: illegal move: column 8");
}

#[test]
fn faults_cost_the_points() {
    let place = TestFolder::new();
    let late = "limits = { wall = '1ms' }\ntable = 1\n[[player]]\nname = 'late'\n\
        player = 'machine:depth=42'\n[[player]]\nplayer = 'random'\n";
    place.write("t.toml", late);
    let text = place.run("tournament t.toml").success().stdout;
    assert!(
        text.contains("\n    2  late         0/1      2     0     0     2      0      0"),
        "{text}"
    );
    assert!(text.contains("  wall limit 2\n"), "{text}");
    let games = place.read("t/games.csv");
    assert!(games.contains("late,random,0-1,0,4,"), "{games}");
    assert!(games.contains(",,Player 1: wall limit of 1ms exceeded,,"), "{games}");
}

#[test]
fn a_dash_is_standard_input() {
    let place = TestFolder::new();
    place.run_with("tournament -", SMALL).failure(2, "expected --out, because standard input has");
    let text = place.run_with("tournament - --out o", SMALL).success().stdout;
    assert!(text.starts_with("Autumn: maxconnect4, round-robin"), "{text}");
    let unnamed = SMALL.replace("name = 'Autumn'\n", "");
    let text = place.run_with("tournament - --out u", &unnamed).success().stdout;
    assert!(text.starts_with("tournament: maxconnect4, round-robin"), "{text}");
    let wrong = place.run_with("tournament - --out w", "colour = 1");
    wrong.failure(2, "-:1:1: unknown field `colour`");
}

#[cfg(unix)]
#[test]
fn files_without_end_are_not_read_to_it() {
    let place = TestFolder::new();
    let long = "/dev/zero: expected at most 4194304 bytes, found more";
    place.run("tournament /dev/zero --out o").failure(2, long);
    place.run("grade --player random --points /dev/zero").failure(2, long);
    let plan = SMALL.replace("{ plies = 2, count = 2 }", "{ file = '/dev/zero' }");
    place.write("t.toml", plan);
    place.run("tournament t.toml").failure(2, long);
    assert_eq!(place.files(), ["t.toml"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = TestFolder::new();
    place.write("t.toml", SMALL.replace("depth=4", "depth=43"));
    place
        .run("tournament t.toml")
        .failure(2, "t.toml: Ann: machine:depth=43: expected a depth from 1 to 42");
    place.write("t.toml", SMALL.replace("'random'", "'robot'"));
    place.run("tournament t.toml").failure(2, "t.toml:12:10: expected human, random, machine");
    for (from, to, fault) in [
        ("plies = 2", "plies = -2", "from 0 to 4294967295"),
        ("seed = 3", "rounds = 0", "from 1 to 4294967295"),
    ] {
        place.write("t.toml", SMALL.replace(from, to));
        let fault = format!("expected a whole number {fault}");
        let run = place.run("tournament t.toml");
        assert!(run.code == Some(2) && run.stderr.contains(&fault), "{run:?}");
    }
    place.run("tournament none.toml").failure(2, "none.toml: cannot read the file: No such file");
    place.write("plain", SMALL);
    place.run("tournament plain").failure(2, "expected --out");
    place.write("t.toml", SMALL);
    place.run("tournament t.toml").success();
    place.write("t/games/0001-01.jsonl", place.read("t/games/0002-01.jsonl"));
    let run = place.run("tournament t.toml");
    run.failure(2, "t/games/0001-01.jsonl:1: not the game that the plan has here; remove the file");
}

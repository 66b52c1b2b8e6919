//! Work that many processes share, and machines that must not do it: each of these is refused before it
//! plays, by its name and by the thing that it lacks.

use std::fs;
use std::thread;

use super::{TestFolder, input};

// No matchup of the knockout is equal in points, so that CPU time decides nothing.
const PLAYERS: &str = "seed = 10\nopenings = { plies = 2, count = 1 }\ntable = 1\n\
    [[player]]\nname = 'Ann'\nplayer = 'machine:depth=3'\n\
    [[player]]\nname = 'Bob'\nplayer = 'machine:depth=1'\n\
    [[player]]\nname = 'Cay'\nplayer = 'machine:depth=2'\n\
    [[player]]\nplayer = 'random'\n\
    [[player]]\nname = 'random, too'\nplayer = 'random'\n";

/// The table of the games without the last two columns, the CPU times.
fn games(place: &TestFolder, folder: &str) -> String {
    let cut = |line: &str| line.rsplitn(3, ',').nth(2).unwrap_or_default().to_owned() + "\n";
    place.read(&format!("{folder}/games.csv")).lines().map(cut).collect()
}

#[test]
#[ignore = "long"]
fn shared_tournament_is_that_of_one_process() {
    let folder = TestFolder::new();
    for (name, format) in [
        ("round", ""),
        ("swiss", "format = 'swiss'\npairings = 2\n"),
        ("out", "format = 'knockout'\n"),
    ] {
        folder.write(&format!("{name}.toml"), format!("{format}{PLAYERS}"));
        folder.run(&format!("tournament {name}.toml --out {name}1")).success();
        let share = format!("tournament {name}.toml --out {name}3");
        let run = folder.run(&format!("cluster slurm --dry-run --patience 5s {share}")).success();
        assert!(run.stdout.contains("#SBATCH --array=1-8\n"), "{}", run.stdout);
        assert!(folder.read(&format!("{name}3.work/slurm/tasks.sh")).starts_with("#!/bin/sh\n"));
        let work = format!("cluster work {name}3.work");
        thread::scope(|scope| {
            let all = [0; 3].map(|_| scope.spawn(|| folder.run(&work)));
            let runs = all.map(|one| one.join().expect("no panic"));
            runs.into_iter().for_each(|run| drop(run.success()));
        });
        let merges = thread::scope(|scope| {
            let merge = format!("cluster merge {name}3.work");
            let both = [merge.clone(), merge].map(|merge| scope.spawn(|| folder.run(&{ merge })));
            both.map(|one| one.join().expect("no panic").success().stdout)
        });
        assert_eq!(merges[0], merges[1]);
        assert!(merges[0].contains("Report: "), "{}", merges[0]);
        assert_eq!(games(&folder, &format!("{name}3")), games(&folder, &format!("{name}1")));
        let status = folder.run(&format!("cluster status {name}3.work --look 10ms")).success();
        assert!(status.stdout.contains(" 0 failed, 0 not begun\n"), "{}", status.stdout);
        // The same command goes on, with nothing.
        folder.run(&format!("cluster run {share}")).success();
    }
}

#[test]
#[ignore = "long"]
fn shared_match_is_that_of_one_process() {
    let folder = TestFolder::new();
    let play = "match machine:depth=2 random --games 12 --seed 4 --table 1";
    let plain = folder.run(play).success();
    let shared = format!("cluster run --jobs 2 --work w {play} --csv pairs.csv");
    assert_eq!(folder.run(&shared).success().stdout, plain.stdout);
    assert_eq!(folder.read("pairs.csv").lines().count(), 1 + 6);
    assert_eq!(folder.run("cluster merge w").success().stdout, plain.stdout);
}

#[test]
fn merge_says_what_is_missing() {
    let folder = TestFolder::new();
    folder.write("t.toml", PLAYERS);
    folder.run("cluster slurm --dry-run tournament t.toml").success();
    let run = folder.run("cluster merge t.work");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("20 of 20 pieces are not done"), "{}", run.stderr);
}

#[test]
#[ignore = "long"]
fn shared_book_is_whole() {
    let folder = TestFolder::new();
    // Where a repertoire goes on is known when the positions before are solved.
    for (build, stages) in [("--plies 2", 1), ("--plies 5 --repertoire", 2)] {
        let build = format!("book build --size 4x4 --table 1 {build}");
        let plain = folder.run(&format!("{build} --out plain")).success();
        let run = folder.run(&format!("cluster run --jobs 2 {build} --out {stages}")).success();
        assert_eq!(run.stdout, plain.stdout.replace("plain", &stages.to_string()));
        let last = folder.path(&format!("{stages}.work/results/{stages}-256"));
        assert!(last.exists(), "{}", last.display());
        folder.run(&format!("book verify {stages} --size 4x4 --sample 2 --table 1")).success();
        // A part of a book would be taken for the whole: without a piece there is none.
        fs::write(last, "damaged").expect("a file");
        let merge = folder.run(&format!("cluster merge {stages}.work"));
        assert_eq!((merge.code, merge.stdout.as_str()), (Some(1), ""), "{}", merge.stderr);
        assert!(merge.stderr.contains("1 of "), "{}", merge.stderr);
    }
}

#[test]
#[ignore = "long"]
fn shared_solution_is_that_of_one_process() {
    let folder = TestFolder::new();
    let file = input("endgame.txt").display().to_string();
    let solve = format!("solve {file} --table 1");
    let plain = folder.run(&solve).success().stdout;
    let shared = folder.run(&format!("cluster run --work w {solve}")).success().stdout;
    let values = |text: &str| text.split("Principal").next().map(str::to_owned);
    assert!(plain.contains("With best play it is a tie."), "{plain}");
    assert_eq!(values(&shared), values(&plain));
}

/// A runtime table without what depends on times: the CPU times, the nodes a second and the checksum.
fn measured(text: &str) -> Vec<Vec<String>> {
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        [&fields[..6], &fields[10..13]].concat()
    };
    text.lines().map(row).collect()
}

#[test]
fn shared_timing_is_that_of_one_process() {
    let folder = TestFolder::new();
    for name in ["endgame.txt", "last-move.txt", "midgame.txt"] {
        folder.write(name, fs::read(input(name)).expect("a position"));
    }
    let timing = "timing endgame.txt last-move.txt midgame.txt --table 1 --runs 1 --depths 2..4";
    let plain = folder.run(&format!("{timing} --csv one-{{name}}.csv")).success();
    let options = "--csv {name}.csv --plot {name}.svg";
    let shared = format!("cluster run --jobs 2 {timing} {options}");
    let all = folder.run(&shared).success();
    let titles = |text: &str| -> Vec<String> {
        let is_title = |line: &&str| !line.starts_with(' ') || line.contains("depth");
        text.lines().filter(is_title).map(str::to_owned).collect()
    };
    assert_eq!(titles(&all.stdout), titles(&plain.stdout));
    assert!(plain.stdout.contains("depth 2 finds the result of best play"), "{}", plain.stdout);
    for name in ["endgame", "last-move", "midgame"] {
        let [one, all] = ["one-", ""].map(|part| folder.read(&format!("{part}{name}.csv")));
        assert_eq!(measured(&all), measured(&one), "{name}");
        assert!(folder.read(&format!("{name}.svg")).contains("<circle"));
    }
    let status = folder.run("cluster status timing.work --look 10ms").success().stdout;
    assert!(status.starts_with("3 of 3 pieces done, "), "{status}");
    // Nothing is measured again, and rows of the other search stay.
    let before = folder.read("midgame.csv");
    let other = "timing midgame.txt --search minimax --runs 1 --depths 1 --csv midgame.csv";
    folder.run(other).success();
    assert_eq!(folder.run("cluster merge timing.work").success().stdout, all.stdout);
    let after = folder.read("midgame.csv");
    assert_eq!(after.lines().count(), before.lines().count() + 1);
    assert!(before.lines().all(|row| after.lines().any(|other| other == row)), "{after}");
}

#[test]
fn other_work_is_refused() {
    let folder = TestFolder::new();
    folder.write("t.toml", PLAYERS);
    let share = "cluster slurm --dry-run tournament t.toml";
    folder.run(share).success();
    folder.write("t.toml", PLAYERS.replace("seed = 10", "seed = 4"));
    folder.run(share).failure(2, "t.work: holds other work: line ");
    for (command, part) in [
        ("cluster run bench", "expected tournament, grade --class"),
        ("cluster run tournament t.toml --shard 1/2", "without --shard"),
        (
            "cluster run book build --plies 1 --out b --jobs 2",
            "without --shard, --partial and --jobs",
        ),
        ("cluster work nowhere", "nowhere: expected a folder with work"),
        ("cluster slurm --sbatch ' --work new tournament t.toml", "expected a closing quote"),
        ("cluster run match random random", "expected match with --seed"),
        ("cluster run --patience 10ms tournament t.toml", "expected a second or more"),
        ("cluster run timing -", "expected timing of files"),
        ("cluster run timing t.toml", "t.toml:1:"),
    ] {
        folder.run(command).failure(2, part);
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "long"]
fn machine_with_another_program_is_refused() {
    let folder = TestFolder::new();
    folder.write("p.sh", "exit 1\n");
    let text = format!("{PLAYERS}[[player]]\nname = 'sh'\nplayer = 'line:sh p.sh'\n");
    folder.write("t.toml", &text);
    let share = "cluster slurm --dry-run tournament t.toml";
    folder.run(share).success();
    fs::write(folder.path("p.sh"), "exit 2\n").expect("a file");
    let run = folder.run("cluster work t.work");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("differs here from where the work was prepared"), "{}", run.stderr);
    let status = folder.run("cluster status t.work --look 10ms").success();
    assert!(status.stdout.contains("\nRefused:\n"), "{}", status.stdout);
    folder.run(share).failure(2, "its program has changed since the work was begun");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "long"]
fn shared_class_has_the_same_grades_and_changes_are_graded_again() {
    let folder = TestFolder::new();
    let zero = |name: &&str| format!("\"{name}\" = 0\n");
    let points: String = UNMADE.iter().map(zero).collect();
    folder.write("points.toml", format!("[points]\n{points}"));
    let write = |name: &str, text: &str| {
        fs::create_dir_all(folder.path(&format!("subs/{name}"))).expect("a folder");
        folder.write(&format!("subs/{name}/p.sh"), text);
    };
    write("ann", "cp $1 $2\n");
    write("bob", "exit 1\n");
    let run = |shared: &[&str], out: &str| {
        let grade = ["grade", "--class", "subs", "--points", "points.toml", "--seed", "3"];
        let player = ["--player", "file:sh {folder}/p.sh {in} {out}", "--out", out];
        let words = shared.iter().chain(&grade).chain(&player);
        let output = folder.command(words).output().expect("the program");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let plain = run(&[], "one");
    let shared = ["cluster", "run", "--jobs", "2"];
    assert_eq!(run(&shared, "two"), plain);
    assert_eq!(folder.read("two/grades.csv"), folder.read("one/grades.csv"));
    write("ann", "exit 1\n");
    assert!(run(&shared, "two").ends_with("\n1 graded now, 1 as before\n"));
    assert!(folder.path("two/history/ann/0002").exists());
    let merged = folder.run("cluster merge two.work");
    assert!(merged.stdout.ends_with("\n0 graded now, 2 as before\n"), "{merged:?}");
    let warning = "warning: no submission has made a move: is --player right? It is file:sh {folder}/p.sh {in} {out}\n";
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), warning));
}

/// The checks that take many games or much searching.
#[cfg(target_os = "linux")]
const UNMADE: [&str; 9] = [
    "only legal moves are chosen",
    "random play is beaten",
    "points are seen two moves ahead",
    "points are seen four moves ahead",
    "the last six moves are seen",
    "the last eight moves are seen",
    "the depth is the number of moves looked ahead",
    "depth 5 takes a minute at most",
    "the lines end as in the input files",
];

#[cfg(target_os = "linux")]
mod refusals {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process;

    use assert_cmd::Command;
    use serde_json::Value;

    use super::TestFolder;
    use crate::maxconnect4::{PROGRAM, Run};

    /// A tournament against a program that is run by `java`, as far as its name tells.
    const GAMES: &str = "seed = 3\ntable = 1\n[[player]]\nplayer = 'random'\n\
        [[player]]\nname = 'Ann'\nplayer = 'line:java -jar player.jar'\n";

    /// Work that was prepared where there is a `java`.
    fn prepared() -> TestFolder {
        let folder = TestFolder::new();
        folder.write("player.jar", "a program\n");
        folder.write("t.toml", GAMES);
        fs::create_dir(folder.path("bin")).expect("a folder");
        folder.write("bin/java", "#!/bin/sh\nexit 1\n");
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path("bin/java"), runs).expect("permissions");
        let mut prepare = folder.command(["cluster", "slurm", "--dry-run", "tournament", "t.toml"]);
        Run::of(prepare.env("PATH", path(&folder))).success();
        folder
    }

    /// Returns the `PATH` with the folder of the test's `java` before all others.
    fn path(folder: &TestFolder) -> String {
        let usual = std::env::var("PATH").unwrap_or_default();
        format!("{}:{usual}", folder.path("bin").display())
    }

    /// Holds a machine called n7 to a refusal for what it lacks, before any piece was claimed.
    #[track_caller]
    fn assert_refused(folder: &TestFolder, work: &mut Command, lacks: &str) {
        let run = Run::of(work.env("SLURMD_NODENAME", "n7"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.contains("error: n7 is refused: "), "{}", run.stderr);
        assert!(run.stderr.contains(lacks), "no `{lacks}` in {}", run.stderr);
        let status = folder.run("cluster status t.work --look 10ms").success().stdout;
        let (_, refused) = status.split_once("\nRefused:\n").expect("a refusal");
        assert!(refused.starts_with("  n7: ") && refused.contains(lacks), "{refused}");
        let results = fs::read_dir(folder.path("t.work/results")).expect("a folder");
        assert_eq!(results.count(), 0, "it has not played");
    }

    /// Changes what the machines must be like.
    fn demand(folder: &TestFolder, what: &str, change: impl Fn(&mut Value)) {
        let path = "t.work/orders/0001.json";
        let mut order: Value = serde_json::from_str(&folder.read(path)).expect("an order");
        change(order.get_mut(what).expect("a demand"));
        folder.write(path, order.to_string());
    }

    #[test]
    fn machine_without_the_runtime_is_refused_by_name() {
        let folder = prepared();
        // A machine with nothing but a shell.
        let bare = folder.path("bare");
        fs::create_dir(&bare).expect("a folder");
        let mut work = folder.command(["cluster", "work", "t.work"]);
        assert_refused(&folder, work.env("PATH", &bare), "there is no program `java`");
        // One with another.
        folder.write("bin/java", "#!/bin/sh\nexit 2\n");
        let mut work = folder.command(["cluster", "work", "t.work"]);
        let other = "its program or interpreter differs here from where the work was prepared";
        let run = Run::of(work.env("PATH", path(&folder)));
        assert!(run.code == Some(1) && run.stderr.contains(other), "{run:?}");
    }

    #[test]
    fn machine_without_a_processor_feature_is_refused_by_name() {
        let folder = prepared();
        demand(&folder, "features", |features| {
            features.as_array_mut().expect("features").push("avx9000".into());
        });
        let mut work = folder.command(["cluster", "work", "t.work"]);
        assert_refused(
            &folder,
            work.env("PATH", path(&folder)),
            "the processor lacks avx9000, which ",
        );
    }

    #[test]
    fn machine_without_the_level_of_the_sandbox_is_refused_by_name() {
        let folder = prepared();
        demand(&folder, "level", |level| *level = "full".into());
        // In a namespace that may have none in it there are no sandboxes of that level, as on a machine whose
        // system forbids them. If this one forbids them, it is such a machine.
        let forbid = "for file in /proc/sys/user/max_*_namespaces; do echo 0 > $file; done 2> /dev/null\n\
                      exec \"$@\"";
        let space = ["unshare", "--user", "--map-root-user", "sh"];
        let may_forbid =
            process::Command::new(space[0]).args(&space[1..]).arg("-c").arg(":").status();
        let words =
            if may_forbid.is_ok_and(|end| end.success()) { &space[..] } else { &space[3..] };
        let mut work = Command::new(words[0]);
        work.args(&words[1..]).args(["-c", forbid, "sh", PROGRAM, "cluster", "work", "t.work"]);
        work.current_dir(folder.path("."));
        assert_refused(&folder, work.env("PATH", path(&folder)), "full");
    }
}

//! Machines that must not do pieces of shared work: each is refused before it plays, by its name and
//! by what it lacks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process;

use assert_cmd::Command;
use serde_json::Value;

use super::{PROGRAM, Run, TestFolder};

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
    let other = "its program, or what runs it, is not the same as where the work was prepared";
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
    assert_refused(&folder, work.env("PATH", path(&folder)), "the processor lacks avx9000, which ");
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
    let may_forbid = process::Command::new(space[0]).args(&space[1..]).arg("-c").arg(":").status();
    let words = if may_forbid.is_ok_and(|end| end.success()) { &space[..] } else { &space[3..] };
    let mut work = Command::new(words[0]);
    work.args(&words[1..]).args(["-c", forbid, "sh", PROGRAM, "cluster", "work", "t.work"]);
    work.current_dir(folder.path("."));
    assert_refused(&folder, work.env("PATH", path(&folder)), "full");
}

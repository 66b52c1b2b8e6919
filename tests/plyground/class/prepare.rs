//! `submissions prepare`, and the downloads of learning platforms, as each of them hands out what it
//! collected.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command as Process;

use super::{TestFolder, hand_in, has, line, path, prepare, run, zipped};
use crate::common::Run;

#[test]
fn what_is_handed_in_is_told_from_its_files() {
    if !has(&["gcc", "make", "python3"]) {
        return;
    }
    let folder = TestFolder::new();
    let c = "int main(void) { return 0; }\n";
    let inner = [("deep/down/main.py", "import sys\n"), ("deep/down/report.pdf", "")];
    let inner = zipped(&inner);
    hand_in(&folder, "nest.zip", zipped(&[("a/b.zip", &inner[..]), ("a/report.pdf", b"%PDF")]));
    let makefile = "all:\n\tgcc -o play main.c\n\techo built >&2\n";
    hand_in(
        &folder,
        "leeann_LATE_12_34_hw.zip",
        zipped(&[
            ("submission/programming2/Makefile", makefile),
            ("submission/programming2/main.c", c),
            ("submission/programming2/old", "\x7fELF"),
            ("__MACOSX/submission/._main.c", "junk"),
            ("submission/.DS_Store", "junk"),
        ]),
    );
    hand_in(&folder, "bob_12_35_player.py", "import sys\nprint(sys.argv)\n");
    hand_in(&folder, "carl.zip", zipped(&[("main.c", "int main(void) { retrun 0; }\n")]));
    let files = [("game/play.py", "def (:\n"), ("notes/notes.txt", "notes\n")];
    hand_in(&folder, "dora.zip", zipped(&files));
    hand_in(&folder, "evil.zip", zipped(&[("../../evil.py", "")]));
    hand_in(&folder, "rar.rar", "Rar!...");
    hand_in(&folder, "none.zip", "x");
    hand_in(&folder, "blank.zip", zipped(&[("maxconnect4.py", "")]));
    let class = ["Ann Lee - hw2.zip", "Bob Ray - hw2.zip", "slides.pptx"];
    hand_in(&folder, "class.zip", zipped(&class.map(|name| (name, &inner))));
    let player = "package player;\npublic class MachinePlayer extends Player {}\n";
    hand_in(&folder, "net.zip", zipped(&[("player/MachinePlayer.java", player)]));
    hand_in(&folder, "torn.zip", &zipped(&[("a.py", "x")])[..40]);
    hand_in(&folder, "long.zip", zipped(&[("a.py", vec![b'#'; 3_000_000])]));
    fs::create_dir_all(folder.path("zips/plain/sub")).expect("a folder");
    folder.write("zips/plain/sub/run.sh", "echo $@\n");
    symlink("/etc/passwd", folder.path("zips/plain/sub/link")).expect("a link");
    let table = prepare(&folder, &["--size", "2MiB"]);
    for (name, parts) in [
        ("nest", &["Python", "python3", "ready"][..]),
        ("leeann", &["C ", "make", "ready"]),
        ("bob", &["Python", "ready"]),
        ("carl", &["C ", "gcc", "not built: main.c:1:", "retrun"]),
        ("dora", &["Python", "not built: play.py:1: SyntaxError: ", " (in `game`)"]),
        ("evil", &["not unpacked: it has a file outside of its folder, `../../evil.py`"]),
        ("rar", &["not unpacked: expected a zip, tar, tar.gz, tar.bz2, tar.xz, jar, folder"]),
        ("none", &["not unpacked: it is damaged: expected the archive that its name promises"]),
        ("blank", &["no program: maxconnect4.py is empty, which points at a failed upload"]),
        ("class", &["no program: "]),
        (
            "net",
            &["no program: ", "; it has a class that plays network: expected --program network"],
        ),
        ("torn", &["not unpacked: it is damaged: "]),
        ("long", &["not unpacked: it has more than 2.0 MiB in it"]),
        ("plain", &["script", "ready"]),
    ] {
        let line = line(&table, name);
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
    assert!(table.contains("\n14 prepared now, 0 as before; 4 of 14 ready\n"), "{table}");
    let facts = folder.read("subs/class/plyground.toml");
    assert!(facts.contains("2 names in it look like those of students"), "{facts}");
    let log = folder.read("subs/nest/build.log");
    let left_out = "left out, because an archive beside it has a file of its name: a/report.pdf\n";
    assert!(log.starts_with(left_out), "{log}");
    let log = folder.read("subs/leeann/build.log");
    assert!(log.starts_with("removed, because a build makes it: old\n$ make\n"), "{log}");
    assert!(log.ends_with("built\n"), "{log}");
    assert!(folder.path("subs/leeann/program/play").is_file());
    assert!(!folder.path("subs/leeann/program/old").exists());
    assert!(!folder.path("subs/plain/program/link").exists());
    assert!(!folder.path("evil.py").exists() && !folder.path("subs/evil.py").exists());
}

/// Whatever a student's folders are called and whatever a build leaves, the class goes on.
#[test]
fn hostile_submission_harms_nobody() {
    if !has(&["make"]) {
        return;
    }
    let folder = TestFolder::new();
    fs::create_dir(folder.path("secret")).expect("a folder");
    folder.write("secret/answers.txt", "the answers");
    let secret = folder.path("secret").display().to_string();
    let reads = format!("all:\n\tcat {secret}/answers.txt >&2; cp {secret}/answers.txt run.sh\n");
    let colon = format!(":{secret}/Makefile");
    hand_in(&folder, "colon.zip", zipped(&[("notes.txt", "notes"), (&colon, &reads)]));
    let lock = "all:\n\tchmod 000 .\n";
    hand_in(&folder, "lock.zip", zipped(&[("Makefile", lock), ("run.sh", "#!/bin/sh\n")]));
    let name = "d".repeat(250);
    let deep = format!("all:\n\tfor i in $$(seq 20); do mkdir {name} && cd -P {name}; done\n");
    hand_in(&folder, "deep.zip", zipped(&[("Makefile", deep.as_str()), ("run.sh", "#!/bin/sh\n")]));
    // As long as a path may be, in a submission that is built, and one byte longer.
    let path = |last| format!("{}/", "p".repeat(127)).repeat(7) + &"q".repeat(last);
    for (name, path) in [("long.zip", path(128)), ("longer.zip", path(129))] {
        let files = [("Makefile", "all:\n"), ("run.sh", "#!/bin/sh\n"), (&*path, "")];
        hand_in(&folder, name, zipped(&files));
    }
    let parts = [("run.sh", &b"#!/bin/sh\n"[..]), ("weights.gz", b"\x1f\x8b\x08\x00")];
    hand_in(&folder, "part.zip", zipped(&parts));
    let table = prepare(&folder, &[]);
    for (name, expected) in [
        ("colon", "no program: "),
        // Its build worked on a copy, whose lock means nothing.
        ("lock", "ready"),
        (
            "deep",
            "not built: it makes more than a build may: 256.0 MiB, 100000 files, paths of 2048 bytes",
        ),
        ("long", "ready"),
        ("longer", "not unpacked: expected paths of at most 1024 bytes, found `p"),
        ("part", "ready"),
    ] {
        assert!(line(&table, name).contains(expected), "{table}");
    }
    assert!(!folder.path("subs/colon/build.log").exists());
    assert!(folder.path("subs/part/program/run.sh").is_file());
    // The next run has nothing to do.
    assert!(prepare(&folder, &[]).ends_with("\n0 prepared now, 6 as before; 3 of 6 ready\n"));
}

/// Whatever a submission has in it, it has a line in the table, and the others have theirs.
#[test]
#[ignore = "long"]
fn one_submission_stops_no_other() {
    if !has(&["gcc", "make", "javac"]) {
        return;
    }
    let folder = TestFolder::new();
    let script = ("run.sh", &b"#!/bin/sh\n"[..]);
    let class = format!("class {} {{\n", "A".repeat(300));
    hand_in(
        &folder,
        "class_1_2_x.java",
        format!("public {class} public static void main(String[] words) {{}} }}"),
    );
    let large = vec![0; 3_000_000];
    let packages = [("Makefile", &b"all:\n"[..]), ("node_modules/a.js", &large), script];
    hand_in(&folder, "packages.zip", zipped(&packages));
    let names: Vec<String> = (0..600).map(|number| format!("{number:0200}.c")).collect();
    let mut sources: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "")).collect();
    sources.push(("main.c", "int main(void) { return 0; }\n"));
    hand_in(&folder, "sources.zip", zipped(&sources));
    hand_in(&folder, "bidi.zip", zipped(&[("\u{202e}c.c", "int main(void) { retrun 0; }\n")]));
    // The names in a zip of one student are those of others in a download.
    let stolen = [("good_1_2_p.zip", zipped(&[script])), ("good_1_3_q.zip", zipped(&[script]))];
    hand_in(&folder, "rival.zip", zipped(&stolen));
    hand_in(&folder, "good.zip", zipped(&[script]));
    fs::create_dir_all(folder.path("zips/pipe")).expect("a folder");
    let pipe = folder.path("zips/pipe/main.py");
    assert!(Process::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    symlink("/dev/zero", folder.path("zips/pipe/run.sh")).expect("a link");
    let sparse = fs::File::create(folder.path("zips/pipe/large.c")).expect("a file");
    sparse.set_len(1 << 40).expect("a size");
    let more = ["--size", "4MiB", "--output", "2MiB"];
    let table = prepare(&folder, &more);
    for (name, expected) in [
        ("class", "not built: "),
        ("packages", "not built: it is larger than the 2.0 MiB that a build may use"),
        ("sources", "not built: its folder has more source files than a command can name"),
        ("bidi", "not built: \\u{202e}c.c:1:"),
        ("rival", "ready"),
        ("good", "ready"),
        ("pipe", "not unpacked: it has more than 4.0 MiB in it"),
    ] {
        assert!(line(&table, name).contains(expected), "{table}");
    }
    assert!(table.contains("\n7 prepared now, 0 as before; 2 of 7 ready\n"), "{table}");
    assert!(!table.contains('\u{202e}'), "{table}");
    assert!(prepare(&folder, &more).contains("\n0 prepared now, 7 as before;"));
    // The shell may have named all zips of the folder.
    let words = ["submissions", "prepare", "zips/good.zip", "zips/rival.zip", "--out", "named"];
    let table = run(&folder, &words);
    assert!(table.contains("\n2 prepared now, 0 as before; 2 of 2 ready\n"), "{table}");
    assert!(line(&table, "rival").ends_with("ready"), "{table}");
}

#[test]
#[ignore = "long"]
fn only_what_has_changed_is_prepared_again_and_a_kill_loses_nothing() {
    if !has(&["make"]) {
        return;
    }
    let folder = TestFolder::new();
    // Every build is counted.
    let makefile = "all:\n\tprintf '#!/bin/sh\\n' > run.sh; date +%N > when\n";
    for name in ["ann", "bob", "carl"] {
        let files = [("Makefile", makefile), ("run.sh", "#!/bin/sh\n"), ("name", name)];
        hand_in(&folder, &format!("{name}.zip"), zipped(&files));
    }
    let count = |more: &[&str]| prepare(&folder, more).lines().last().unwrap_or("").to_owned();
    let when = |name: &str| folder.read(&format!("subs/{name}/program/when"));
    assert_eq!(count(&[]), "3 prepared now, 0 as before; 3 of 3 ready");
    let first = ["ann", "bob", "carl"].map(when);
    assert_eq!(count(&[]), "0 prepared now, 3 as before; 3 of 3 ready");
    assert_eq!(["ann", "bob", "carl"].map(when), first);
    // One has changed, and another run was killed while it prepared the second.
    let files = [("Makefile", makefile), ("run.sh", "#!/bin/sh\n"), ("name", "Ann")];
    hand_in(&folder, "ann.zip", zipped(&files));
    fs::remove_file(folder.path("subs/bob/plyground.toml")).expect("a file");
    folder.write("subs/bob/.preparing", "");
    fs::create_dir(folder.path("subs/bob/.unpacked1")).expect("a folder");
    let grade = [
        "maxconnect4",
        "grade",
        "--class",
        "subs",
        "--out",
        "grades",
        "--player",
        "file:{start} {in} {out}",
    ];
    let run = Run::of(&mut folder.command(grade));
    assert_eq!(run.code, Some(0), "{run:?}");
    let bob = run.stdout.lines().find(|line| line.starts_with("bob ")).unwrap_or_default();
    assert!(bob.contains("not prepared, its preparation was stopped"), "{run:?}");
    assert_eq!(count(&[]), "2 prepared now, 1 as before; 3 of 3 ready");
    assert_eq!(when("carl"), first[2]);
    assert_eq!(folder.read("subs/ann/program/name"), "Ann");
    assert!(!folder.path("subs/bob/.unpacked1").exists());
    // What a person says is a change, too.
    folder.write("o.toml", "[submission.carl]\nbuild = ''\nstart = './run.sh --fast'\n");
    assert_eq!(count(&["--override", "o.toml"]), "1 prepared now, 2 as before; 3 of 3 ready");
    assert!(!folder.path("subs/carl/program/when").exists());
    assert!(folder.read("subs/carl/plyground.toml").contains("start = \"./run.sh --fast\""));
    assert_eq!(
        count(&["--again", "--override", "o.toml"]),
        "3 prepared now, 0 as before; 3 of 3 ready"
    );
    // Nobody's own folder is taken.
    fs::create_dir_all(folder.path("subs/dora/program")).expect("a folder");
    hand_in(&folder, "dora.zip", zipped(&[("run.sh", "")]));
    let words = ["submissions", "prepare", "zips", "--out", "subs"];
    let refused = Run::of(&mut folder.command(words));
    refused.failure(2, "subs/dora: expected no folder of this name");
}

/// A class may be the only part of a submission that runs.
#[test]
fn without_a_build_what_was_built_stays() {
    let folder = TestFolder::new();
    let files = [("src/Main.java", "class Main {"), ("bin/Main.class", "built")];
    hand_in(&folder, "ann.zip", zipped(&files));
    for (text, is_there) in [("build = 'true'\n", false), ("build = ''\n", true)] {
        folder.write("o.toml", format!("[class]\n{text}start = 'java -cp bin Main'\n"));
        let words = ["submissions", "prepare", "zips", "--out", "subs", "--override", "o.toml"];
        let run = Run::of(&mut folder.command(words));
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(folder.path("subs/ann/program/bin/Main.class").exists(), is_there, "{text}");
    }
}

/// The only folder at the top of what is handed in is left out, and may be named.
#[test]
fn folder_may_be_named_as_it_was_handed_in() {
    let folder = TestFolder::new();
    let files = [("hw/a/run.sh", "#!/bin/sh\n"), ("hw/b/run.sh", "#!/bin/sh\n")];
    hand_in(&folder, "ann.zip", zipped(&files));
    for (named, is_found) in [("b", true), ("hw/b", true), ("hw/c", false), ("c", false)] {
        folder.write("o.toml", format!("[class]\nfolder = '{named}'\n"));
        let table = prepare(&folder, &["--override", "o.toml"]);
        assert_eq!(line(&table, "ann").ends_with("ready"), is_found, "{table}");
    }
}

/// The attempt of a build and a program to find out about others.
const SPY: &str = "ls -R \"$1/subs\" \"$1/zips\" ../.. 2>&1; cat \"$1\"/subs/*/program/secret \
    ../../*/program/secret ../plyground.toml 2>&1; touch \"$1/owned\" ../owned 2>&1; true";

#[test]
fn rivals_see_nothing_of_each_other() {
    if !has(&["make"]) {
        return;
    }
    let folder = TestFolder::new();
    let root = folder.path("").display().to_string();
    let root = root.trim_end_matches('/');
    hand_in(&folder, "ann.zip", zipped(&[("run.sh", "#!/bin/sh\n"), ("secret", "SECRET")]));
    let spy = SPY.replace("$1", root);
    // A sandbox shows the files that words name: no name of a student's is one.
    let makefile = format!("all:\n\t{} > seen\n", spy.replace('$', "$$"));
    let script = format!("#!/bin/sh\n{{ {spy}; }} >&2\nexit 1\n");
    let subs = format!("a={root}/subs/:/play.py");
    hand_in(&folder, "spy.zip", zipped(&[("Makefile", makefile.as_str()), ("run.sh", &script)]));
    hand_in(&folder, "odd.zip", zipped(&[(&*subs, "print()"), ("readme", "")]));
    let table = prepare(&folder, &[]);
    assert!(line(&table, "spy").ends_with("ready"), "{table}");
    assert!(line(&table, "odd").contains("but none that begins a program"), "{table}");
    let seen = folder.read("subs/spy/program/seen");
    let has_ann = |seen: &str| seen.contains("SECRET") || seen.lines().any(|line| line == "ann");
    assert!(!has_ann(&seen) && !seen.contains("key ="), "{seen}");
    let player = "file:{start:subs/spy} {in} {out}";
    let play = ["maxconnect4", "play", "-q", player, "random", "--seed", "1", "--logs", "logs"];
    let output = run(&folder, &play);
    assert!(output.contains("Result: 0-1 (Player 1: crash, exit code 1"), "{output}");
    let logs = fs::read_dir(folder.path("logs")).expect("logs").flatten();
    let seen: String = logs.map(|log| fs::read_to_string(log.path()).expect("a log")).collect();
    assert!(!seen.is_empty() && !has_ann(&seen), "{seen}");
    assert!(!folder.path("owned").exists() && !folder.path("subs/spy/owned").exists());
}

/// The headers of another compiler include more.
#[test]
fn headers_that_are_left_out_are_included() {
    if !has(&["g++"]) {
        return;
    }
    let folder = TestFolder::new();
    let text = "#include <iostream>\nint main() { return INT_MIN < std::numeric_limits<int>::max() ? 0 : 1; }\n";
    hand_in(&folder, "ann.zip", zipped(&[("maxconnect4.cpp", text)]));
    let cmake = "cmake_minimum_required(VERSION 3.5)\nproject(maxconnect4 CXX)\nset(CMAKE_CXX_STANDARD 98)\n\
                 add_executable(maxconnect4 maxconnect4.cpp build/own.cpp)\n";
    // The folder in which `cmake` builds has a source of the student's own.
    let files =
        [("maxconnect4.cpp", text), ("build/own.cpp", "int own;\n"), ("CMakeLists.txt", cmake)];
    hand_in(&folder, "dora.zip", zipped(&files));
    hand_in(&folder, "bob.zip", zipped(&[("maxconnect4.cpp", "int main() { return INT_MUN; }\n")]));
    let text = "#include <conio.h>\nint _tmain(int count, char **words) { return getch(); }\n";
    hand_in(&folder, "carl.zip", zipped(&[("maxconnect4.cpp", text)]));
    let run = Run::of(&mut folder.command(["submissions", "prepare", "zips", "--out", "subs"]));
    assert!(line(&run.stdout, "ann").ends_with("ready"), "{run:?}");
    assert!(line(&run.stdout, "bob").contains("INT_MUN"), "{run:?}");
    let old = line(&run.stdout, "dora");
    assert!(old.ends_with("ready") || !has(&["cmake"]), "{run:?}");
    assert!(line(&run.stdout, "carl").contains("only Windows has this header"), "{run:?}");
    let told =
        "it does not include all headers of the standard that it uses, and is built with them";
    assert!(
        run.stderr.contains(&format!("ann: {told}")) && !run.stderr.contains("bob: it"),
        "{run:?}"
    );
    assert!(folder.read("subs/ann/build.log").contains("\n$ g++ -std=gnu++17 -include algorithm"));
}

/// A computer of a student may have another compiler.
#[test]
fn settings_of_another_computer_are_not_obeyed() {
    if !has(&["cargo"]) {
        return;
    }
    let folder = TestFolder::new();
    let files = [
        ("Cargo.toml", "[package]\nname = 'a'\nversion = '0.1.0'\n"),
        ("src/main.rs", "fn main() {}\n"),
        (".cargo/config.toml", "[build]\nrustc-wrapper = 'nowhere'\n"),
    ];
    hand_in(&folder, "ann.zip", zipped(&files));
    // The crate needs these settings.
    let files = [
        files[0],
        ("src/main.rs", "fn main() { println!(env!(\"OF_BOB\")) }\n"),
        (".cargo/config.toml", "[env]\nOF_BOB = 'x'\n"),
    ];
    hand_in(&folder, "bob.zip", zipped(&files));
    // Without the settings, the crate would be missing.
    let source = "[ source.crates-io ]\nreplace-with = 'own'\n[ source.own ]\ndirectory = 'own'\n";
    let files = [
        ("Cargo.toml", "[package]\nname = 'a'\nversion = '0.1.0'\n[dependencies]\nb = '1'\n"),
        ("src/main.rs", "compile_error!(\"of the author\");\n"),
        (".cargo/config.toml", source),
        ("own/b/Cargo.toml", "[package]\nname = 'b'\nversion = '1.0.0'\n"),
        ("own/b/src/lib.rs", ""),
        ("own/b/.cargo-checksum.json", "{\"files\": {}}"),
    ];
    hand_in(&folder, "carl.zip", zipped(&files));
    let table = prepare(&folder, &[]);
    assert!(line(&table, "ann").ends_with("ready"), "{table}");
    assert!(line(&table, "bob").ends_with("ready"), "{table}");
    assert!(line(&table, "carl").contains("of the author"), "{table}");
}

/// A makefile may print the words of `cargo`, and a failed build gets no points.
#[test]
fn only_cargo_lacks_a_crate() {
    if !has(&["make"]) {
        return;
    }
    let folder = TestFolder::new();
    let makefile = "all:\n\t@echo 'error: no matching package named `rand` found'\n\
                    \t@echo 'you are in the offline mode'\n\t@exit 1\n";
    hand_in(&folder, "ann.zip", zipped(&[("Makefile", makefile), ("maxconnect4.c", "")]));
    let table = prepare(&folder, &[]);
    let ann = line(&table, "ann");
    assert!(ann.contains("no matching package") && !ann.contains("cannot run here"), "{table}");
}

#[test]
fn packages_are_sought_where_they_are_taken_in() {
    if !has(&["node"]) {
        return;
    }
    let folder = TestFolder::new();
    let main = "require('./lib/game');\nprocess.argv;\n";
    // The package has no main file.
    let game = "require('tool/sub');\nrequire('fs/promises');\n";
    let files = [
        ("maxconnect4.js", main),
        ("lib/game.js", game),
        ("lib/node_modules/tool/sub.js", ""),
        ("lib/node_modules/tool/package.json", "{\"name\": \"tool\"}"),
    ];
    hand_in(&folder, "ann.zip", zipped(&files));
    hand_in(&folder, "bob.zip", zipped(&files[..2]));
    hand_in(
        &folder,
        "carl.zip",
        zipped(&[("maxconnect4.js", "require('board');\n"), ("board.js", "")]),
    );
    let words = ["submissions", "prepare", "zips", "--out", "subs"];
    let table = Run::of(&mut folder.command(words)).stdout;
    assert!(line(&table, "ann").ends_with("ready"), "{table}");
    let why = "cannot run here: the package `tool` of JavaScript is not among the files";
    assert!(line(&table, "bob").contains(why), "{table}");
    assert!(line(&table, "carl").ends_with("ready"), "{table}");
}

/// A missing tool or module is the fault of the system, and the other submissions are prepared.
#[test]
fn what_the_system_lacks_is_named() {
    if !has(&["python3"]) {
        return;
    }
    let folder = TestFolder::new();
    let ann =
        [("maxconnect4.py", "import sys, board\nsys.argv\n"), ("board.py", "import nowhere\n")];
    hand_in(&folder, "ann.zip", zipped(&ann));
    let optional = "import sys, json\ntry:\n    import nowhere\nexcept ImportError:\n    pass\n";
    hand_in(&folder, "bob.zip", zipped(&[("maxconnect4.py", optional)]));
    let late = "import sys\nif sys.argv:\n    import nowhere\n";
    hand_in(&folder, "carl.zip", zipped(&[("maxconnect4.py", late)]));
    hand_in(&folder, "two.zip", zipped(&[("maxconnect4.py", "import sys\nprint 'two'\n")]));
    // A second folder keeps the first from being left out.
    let below = [
        ("src/maxconnect4.py", "import sys, nowhere\nsys.argv\nimport never\n"),
        ("doc/a.txt", ""),
    ];
    hand_in(&folder, "dan.zip", zipped(&below));
    let run = |words: &[&str]| {
        let mut command = folder.command(words);
        command.envs(path().map(|path| ("PATH", path)));
        Run::of(&mut command).without_progress()
    };
    let manifest =
        "[package]\nname = 'a'\nversion = '0.1.0'\n[dependencies]\nnowhere-at-all = '1'\n";
    let rust = [("Cargo.toml", manifest), ("src/main.rs", "fn main() {}\n")];
    hand_in(&folder, "rust.zip", zipped(&rust));
    let node = "const ask = require('nowhere-at-all')();\nprocess.argv;\n";
    hand_in(&folder, "node.zip", zipped(&[("maxconnect4.js", node)]));
    let prepare = ["submissions", "prepare", "zips", "--out", "subs"];
    for _ in 0..2 {
        let Run { stdout, stderr, code } = run(&prepare);
        assert_eq!(code, Some(1), "{stdout}{stderr}");
        let (rust, node) = (line(&stdout, "rust"), line(&stdout, "node"));
        let why = "cannot run here: the crate `nowhere-at-all` of Rust is not among the files";
        assert!(rust.contains(why) || rust.contains("`cargo` is not installed here"), "{rust}");
        let why =
            "cannot run here: the package `nowhere-at-all` of JavaScript is not among the files";
        assert!(node.contains(why) || node.contains("`node` is not installed here"), "{node}");
        let why = "cannot run here: the module `nowhere` of Python is neither handed in nor installed \
                   here: install it for all users, since submissions see no virtual environment, \
                   or, if the student forgot a file, say `build = \"\"` in --override";
        assert!(line(&stdout, "ann").contains(why), "{stdout}");
        assert!(line(&stdout, "bob").ends_with("ready"), "{stdout}");
        // It depends on the system whether there is something to run it.
        let two = line(&stdout, "two");
        let lacks = "cannot run here: `python2 or pypy` is not installed here: ";
        assert!(two.ends_with("ready") || two.contains(lacks), "{two}");
        let why =
            "cannot run here: the modules `never` and `nowhere` of Python (in `src`) are neither";
        assert!(line(&stdout, "dan").contains(why), "{stdout}");
        // Both lack the same module, wherever their scripts are.
        let told = "this system lacks the module `nowhere` of Python, needed for ann, dan; ";
        assert!(stderr.contains("the module `never` of Python, needed for dan; "), "{stderr}");
        assert!(stderr.contains(told), "{stderr}");
    }
    let player = "file:{start} {in} {out}";
    let check = "[[check]]\nname = 'legal'\npoints = 6\nkind = 'faultless'\ndepth = 1\ngames = 2\n\
        asks = 'a'\nwhy = 'w'\nsentence = 's'\n";
    folder.write("checks.toml", check);
    let grade = ["maxconnect4", "grade", "--class", "subs", "--player", player, "--out", "grades"];
    let grade = [&grade[..], &["--checks", "checks.toml"]].concat();
    let Run { stdout, stderr, code } = run(&[&grade[..], &["--only", "ann"]].concat());
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    let why = "ann: not graded: cannot run here, this system lacks the module `nowhere` of Python";
    assert!(stderr.contains(&format!("warning: {why}\n")), "{stderr}");
    assert!(
        stderr.contains("error: this system could not run 1 of the submissions: see"),
        "{stderr}"
    );
    let page = folder.read("grades/class.html");
    assert!(page.contains(&format!("<li>{why}</li>")), "{page}");
    assert!(page.contains("<li>bob: not graded yet</li>"), "{page}");
    assert!(!folder.path("grades/ann/results.txt").exists());
    // The search for modules leaves out what a program may do without, so a grade may show what is missing.
    for _ in 0..2 {
        let more = ["--only", "carl", "--total", "2s", "--review-games", "0"];
        let Run { stdout, stderr, code } = run(&[&grade[..], &more].concat());
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        assert!(stdout.contains("1 graded now, 0 as before"), "{stdout}");
    }
    // A person knows better.
    folder.write("fix.toml", "[class]\nbuild = ''\n[submission.two]\nstart = 'true'\n");
    let Run { stdout, stderr, code } = run(&[&prepare[..], &["--override", "fix.toml"]].concat());
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(line(&stdout, "ann").ends_with("ready"), "{stdout}");
}

/// A program of another command line than the assignment's fails everywhere, which one line in a file mends.
#[test]
fn a_command_line_of_its_own_is_thought_of() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.path("zips/bob")).expect("a folder");
    folder.write(
        "zips/bob/run.sh",
        "#!/bin/sh\necho 'usage: maxconnect4 -i FILE -o FILE' >&2\nexit 2\n",
    );
    let run = |words: &[&str]| Run::of(&mut folder.command(words)).without_progress();
    assert_eq!(run(&["submissions", "prepare", "zips", "--out", "subs"]).code, Some(0));
    let check = "[[check]]\nname = 'read'\npoints = 6\nkind = 'file-format'\ndepth = 1\nasks = 'a'\nwhy = 'w'\n\
        sentence = 's'\npositions = ['']\ndraw = { count = 2, after = [10, 12] }\n";
    folder.write("checks.toml", check);
    let grade =
        ["maxconnect4", "grade", "--class", "subs", "--player", "file:{start} {in} {out} {depth}"];
    let grade =
        [&grade[..], &["--out", "grades", "--checks", "checks.toml", "--review-games", "0"]]
            .concat();
    let Run { stdout, stderr, code } = run(&grade);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let warning = "warning: no move by bob: if a command line is not that of the assignment, give its `start` in \
        --override of `submissions prepare`\n";
    assert!(stderr.contains(warning), "{stderr}");
}

/// Programs of other users cannot use languages in a home folder that lets no one through.
#[test]
fn languages_out_of_reach_are_named() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.path("home/.cargo/bin")).expect("a folder");
    let closed = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder.path("home"), closed).expect("permission");
    let words = ["maxconnect4", "play", "-q", "line:true", "random", "--sandbox", "user"];
    let mut command = folder.command(words);
    for variable in ["CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME"] {
        command.env_remove(variable);
    }
    let output = command.env("HOME", folder.path("home")).output().expect("the program");
    let told = String::from_utf8_lossy(&output.stderr);
    if !told.contains("not on this system") {
        let cannot = "warning: at the level user, programs cannot use ";
        let expected = format!("{cannot}{}: ", folder.path("home/.cargo/bin").display());
        assert!(told.contains(&expected), "{told}");
    }
}

/// A script that can be started, in a zip.
fn program() -> Vec<u8> {
    zipped(&[("run.sh", "#!/bin/sh\n")])
}

/// Files by their names.
type Files<'a> = Vec<(&'a str, Vec<u8>)>;

/// Prepares a download: these files as a folder, or as one zip, which must come to the same.
fn prepared(files: &Files<'_>, more: &[&str]) -> (TestFolder, String) {
    let folder = TestFolder::new();
    for (name, contents) in files {
        let path = folder.path("download").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, contents).expect("a file");
    }
    folder.write("submissions.zip", zipped(files));
    let prepare = |source: &str, out: &str| {
        let words = ["submissions", "prepare", source, "--out", out, "--jobs", "2"];
        run(&folder, &[&words[..], more].concat())
    };
    let (unpacked, zipped) = (prepare("download", "subs"), prepare("submissions.zip", "subs2"));
    assert_eq!(unpacked, zipped);
    assert!(!folder.path("subs2/.download").exists());
    (folder, unpacked)
}

/// The last line with a name: that of the table of what was taken.
#[track_caller]
fn taken<'a>(table: &'a str, name: &str) -> &'a str {
    line(table.split("\n\n").last().unwrap_or_default(), name)
}

#[test]
fn canvas_has_loose_files_numbers_and_late_marks() {
    let java = |text: &str| text.as_bytes().to_vec();
    let (folder, table) = prepared(
        &vec![
            ("doejane_12345_67890_maxconnect4.zip", zipped(&[("run.sh", "#!/bin/sh\nexit 1\n")])),
            ("doejane_LATE_12345_67891_maxconnect4-1.zip", program()),
            ("leeann_42345_678916_board-1.py", java("COLUMNS = 7\n")),
            ("leeann_42345_678918_maxconnect4-1.py", java("import board, sys\nsys.argv\n")),
            ("mu\u{308}llerjo\u{308}rg_32345_67893_hw 2 (1).zip", program()),
            ("roeric_22345_text.html", java("<p>sorry</p>")),
        ],
        &[],
    );
    assert!(taken(&table, "doejane").contains("2 of 2, late  maxconnect4.zip"), "{table}");
    assert!(taken(&table, "doejane").ends_with("maxconnect4.zip: attempt 1"), "{table}");
    assert!(line(&table, "leeann").ends_with("ready"), "{table}");
    assert!(line(&table, "müllerjörg").ends_with("ready"), "{table}");
    assert!(line(&table, "roeric").ends_with("nothing handed in"), "{table}");
    assert_eq!(folder.read("subs/doejane/program/run.sh"), "#!/bin/sh\n");
    assert!(folder.path("subs/leeann/program/board.py").is_file());
    let handed_in = folder.read("subs/handed-in.csv");
    assert!(handed_in.contains("\ndoejane,,12345,,,"), "{handed_in}");
    assert!(handed_in.contains(",board.py; maxconnect4.py,"), "{handed_in}");
    assert!(handed_in.contains(",yes,2,2,maxconnect4.zip,maxconnect4.zip: attempt 1,ready\n"));
}

#[test]
#[ignore = "long"]
fn blackboard_has_receipts_and_attempts() {
    let text = |text: &str| text.as_bytes().to_vec();
    let files = vec![
        ("HW 2_jdoe_attempt_2025-11-19-23-12-11.txt", text("Name: Jane Doe (jdoe)\n")),
        ("HW 2_jdoe_attempt_2025-11-19-23-12-11_p.zip", zipped(&[("run.sh", "#!/bin/sh\n:")])),
        ("HW 2_jdoe_attempt_2025-11-20-23-12-11.txt", text("Name: Jane Doe (jdoe)\n")),
        ("HW 2_jdoe_attempt_2025-11-20-23-12-11_p.zip", program()),
        ("HW 2_rroe_attempt_2025-11-19-23-12-11.txt", text("Name: Ric Roe (rroe)\nno files\n")),
    ];
    let (folder, table) = prepared(&files, &[]);
    assert!(table.contains("\n2 prepared now, 0 as before; 1 of 2 ready\n"), "{table}");
    assert!(taken(&table, "jdoe").contains("2 of 2   p.zip"), "{table}");
    assert!(line(&table, "rroe").ends_with("nothing handed in"), "{table}");
    let toml = folder.read("subs/jdoe/plyground.toml");
    assert!(toml.contains("submitted = \"2025-11-20T23:12:11\""), "{toml}");
    assert!(toml.contains("name = \"Jane Doe\"") && toml.contains("login = \"jdoe\""), "{toml}");
    let (folder, table) = prepared(&files, &["--attempt", "first"]);
    assert!(taken(&table, "jdoe").contains("1 of 2"), "{table}");
    assert_eq!(folder.read("subs/jdoe/program/run.sh"), "#!/bin/sh\n:");
    let (_, table) = prepared(&files, &["--attempt", "all"]);
    assert!(line(&table, "jdoe attempt 1").ends_with("ready"), "{table}");
    assert!(line(&table, "jdoe attempt 2").ends_with("ready"), "{table}");
}

#[test]
fn moodle_has_folders_or_none_and_texts() {
    let (_, table) = prepared(
        &vec![
            ("Jane Doe_1234567_assignsubmission_file_/p.zip", program()),
            ("Jane Doe_1234567_assignsubmission_onlinetext_/onlinetext.html", b"late".to_vec()),
            ("Jörg Müller_1234568_assignsubmission_file_/hw.zip", program()),
        ],
        &[],
    );
    assert!(table.contains("\n2 prepared now, 0 as before; 2 of 2 ready\n"), "{table}");
    assert!(taken(&table, "Jane Doe").ends_with("p.zip  1 receipt"), "{table}");
    let (_, table) = prepared(
        &vec![
            ("Jane Doe_1234567_assignsubmission_file_p.zip", program()),
            ("Jane Doe_1234999_assignsubmission_file_p.zip", program()),
        ],
        &[],
    );
    for name in ["Jane Doe 1234567", "Jane Doe 1234999"] {
        assert!(line(&table, name).ends_with("ready"), "{table}");
    }
}

#[test]
fn brightspace_and_gradescope_have_tables_beside_folders() {
    let (folder, table) = prepared(
        &vec![
            ("123456-789012 - Jane Doe - Nov 20, 2025 1159 PM/p.zip", program()),
            ("123456-789012 - Jane Doe - Nov 21, 2025 1 AM/p.zip", b"x".to_vec()),
            ("123457-789012 - Ric Roe - Nov 20, 2025 759 AM/p.zip", program()),
            ("index.html", b"<html>".to_vec()),
        ],
        &["--attempt", "first"],
    );
    assert!(line(&table, "Ric Roe").ends_with("ready"), "{table}");
    assert!(folder.read("subs/Ric Roe/plyground.toml").contains("2025-11-20T07:59:00"));
    let table = "---\nsubmission_1:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '01'\n    \
        :email: jane@school.edu\n  :created_at: 2025-11-20 23:59:00.1 -06:00\n";
    let (folder, table) = prepared(
        &vec![
            ("assignment_7_export/submission_1/run.sh", b"#!/bin/sh\n".to_vec()),
            ("assignment_7_export/submission_2/run.sh", b"#!/bin/sh\n".to_vec()),
            ("assignment_7_export/submission_metadata.yml", table.as_bytes().to_vec()),
        ],
        &[],
    );
    assert!(line(&table, "Jane Doe").ends_with("ready"), "{table}");
    assert!(line(&table, "submission_2").ends_with("ready"), "{table}");
    let toml = folder.read("subs/Jane Doe/plyground.toml");
    for part in ["2025-11-20T23:59:00-06:00", "id = \"01\"", "email = \"jane@school.edu\""] {
        assert!(toml.contains(part), "{toml}");
    }
}

/// A student keeps the name, and with it the row in every table, when another file comes.
#[test]
fn student_keeps_the_name_and_who_is_gone_is_gone() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("zips")).expect("a folder");
    let prepare = |more: &[&str]| {
        let words = ["submissions", "prepare", "zips", "--out", "subs"];
        run(&folder, &[&words[..], more].concat())
    };
    folder.write("zips/doejane_103_2001_p.zip", zipped(&[("run.sh", "#!/bin/sh\nexit 1\n")]));
    folder.write("zips/roeric_104_2003_p.zip", program());
    prepare(&[]);
    folder.write("zips/doejane_103_2002_p-1.zip", program());
    fs::remove_file(folder.path("zips/roeric_104_2003_p.zip")).expect("a file");
    let table = prepare(&["--keep"]);
    assert!(!table.contains("removed") && folder.path("subs/roeric").exists(), "{table}");
    assert!(folder.read("subs/handed-in.csv").contains("\nroeric,"));
    let table = prepare(&[]);
    assert!(table.ends_with("removed, no longer in the download: roeric\n"), "{table}");
    assert!(!folder.path("subs/roeric").exists());
    assert_eq!(folder.read("subs/doejane/program/run.sh"), "#!/bin/sh\n");
    assert!(!folder.path("subs/doejane_103_2002_p-1").exists());
}

/// After an appeal, a single file comes from the platform.
#[test]
fn file_of_one_student_removes_no_class() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("zips")).expect("a folder");
    for (number, name) in ["annlee", "bobroe", "cleopat", "danpoe"].iter().enumerate() {
        folder.write(&format!("zips/{name}_{number}_2001_p.zip"), program());
    }
    run(&folder, &["submissions", "prepare", "zips", "--out", "subs"]);
    folder.write("annlee_0_2002_p-1.zip", zipped(&[("run.sh", "#!/bin/sh\nexit 1\n")]));
    let alone = ["submissions", "prepare", "annlee_0_2002_p-1.zip", "--out", "subs"];
    let said = "subs: 3 of its 4 submissions are not in the download, and would be removed: \
                expected --keep";
    Run::of(&mut folder.command(alone)).without_progress().failure(2, said);
    let table = run(&folder, &["submissions", "prepare", "zips", "--out", "subs"]);
    assert!(table.ends_with("\n0 prepared now, 4 as before; 4 of 4 ready\n"), "{table}");
    let table = run(&folder, &[&alone[..], &["--keep"]].concat());
    assert!(table.contains("\n1 prepared now"), "{table}");
    assert_eq!(folder.read("subs/annlee/program/run.sh"), "#!/bin/sh\nexit 1\n");
    assert!(folder.path("subs/danpoe").exists());
}

/// A zip of zips is a class, and the files of an attempt may be an archive and a report.
#[test]
fn plain_zip_of_archives_is_a_class() {
    let (folder, table) = prepared(
        &vec![("ann.zip", program()), ("bob.zip", program())],
        &["--program", "maxconnect4"],
    );
    assert!(table.ends_with("\n2 prepared now, 0 as before; 2 of 2 ready\n"), "{table}");
    folder.write("subs/ann/program/left", "");
    let (folder, table) = prepared(
        &vec![
            ("leeann_1_2_report.pdf", b"%PDF".to_vec()),
            ("leeann_1_3_p.zip", program()),
            ("leeann_1_4_q.zip", zipped(&[("notes.txt", "")])),
        ],
        &[],
    );
    assert!(line(&table, "leeann").ends_with("ready"), "{table}");
    assert!(folder.path("subs/leeann/program/p/run.sh").is_file());
}

/// A platform packs what each student has handed in; the fault of one concerns no other.
#[test]
fn student_at_fault_costs_no_other_the_download() {
    let name = |student: &str, file: &str| format!("{student}_assignsubmission_file_/{file}");
    let deep = format!("{}x.c", "a/".repeat(40));
    let [ann, bob] = ["Ann_1", "Bob_2"].map(|student| name(student, "p.zip"));
    let [carl, dora] = [name("Carl_3", &deep), name("Carl_3", "run.sh")];
    let zip = zipped(&[
        (ann.as_str(), program()),
        (&carl, Vec::new()),
        (&dora, b"#!/bin/sh\n".to_vec()),
        (&bob, program()),
    ]);
    let folder = TestFolder::new();
    folder.write("submissions.zip", zip);
    let words = ["submissions", "prepare", "submissions.zip", "--out", "subs"];
    let table = run(&folder, &words);
    assert!(table.contains("\n3 prepared now, 0 as before; 2 of 3 ready\n"), "{table}");
    let expected = "not unpacked: expected folders nested at most 32 deep, found more";
    let first = table.split("\n\n").next().unwrap_or_default();
    assert!(line(first, "Carl").ends_with(expected), "{table}");
    assert!(line(first, "Bob").ends_with("ready"), "{table}");
}

#[test]
fn damaged_table_is_named() {
    let folder = TestFolder::new();
    fs::create_dir_all(folder.path("zips/submission_1")).expect("a folder");
    folder.write("zips/submission_metadata.yml", "a: [");
    let words = ["submissions", "prepare", "zips", "--out", "subs"];
    let refused = Run::of(&mut folder.command(words));
    refused.failure(2, "submission_metadata.yml: ");
}

//! Submissions that a person would have running in a minute are built, too.

use std::fs;

use super::zips::{TestFolder, hand_in, has, line, prepare, source, zipped};

/// A tar of 2 KiB with the script `hw/run.sh`, compressed by xz, and by bzip2.
const XZ: &[u8] = &[
    253, 55, 122, 88, 90, 0, 0, 4, 230, 214, 180, 70, 2, 0, 33, 1, 22, 0, 0, 0, 116, 47, 229, 163,
    224, 7, 255, 0, 76, 93, 0, 52, 29, 193, 229, 170, 52, 30, 7, 1, 35, 156, 183, 106, 40, 250, 52,
    116, 80, 80, 37, 155, 167, 61, 249, 60, 95, 112, 126, 75, 130, 124, 237, 246, 59, 222, 219, 70,
    83, 197, 214, 211, 144, 11, 199, 171, 32, 18, 200, 21, 244, 3, 212, 229, 45, 45, 100, 164, 92,
    29, 85, 246, 3, 197, 92, 119, 215, 178, 91, 70, 16, 181, 100, 62, 175, 53, 0, 0, 201, 220, 234,
    83, 255, 149, 56, 235, 0, 1, 104, 128, 16, 0, 0, 0, 231, 190, 13, 198, 177, 196, 103, 251, 2,
    0, 0, 0, 0, 4, 89, 90,
];
const BZIP2: &[u8] = &[
    66, 90, 104, 57, 49, 65, 89, 38, 83, 89, 185, 118, 92, 38, 0, 0, 48, 91, 128, 202, 144, 104, 1,
    242, 128, 0, 128, 112, 97, 30, 128, 8, 136, 32, 0, 84, 65, 70, 152, 129, 129, 3, 79, 79, 80,
    74, 77, 65, 233, 26, 13, 168, 0, 209, 172, 143, 144, 106, 196, 9, 242, 241, 30, 87, 50, 4, 2,
    245, 202, 157, 78, 138, 241, 17, 160, 33, 186, 160, 186, 67, 180, 153, 100, 205, 13, 124, 82,
    10, 0, 109, 209, 142, 252, 125, 193, 158, 5, 220, 145, 78, 20, 36, 46, 93, 151, 9, 128,
];

#[test]
fn other_archives_are_unpacked_or_named_with_the_remedy() {
    let folder = TestFolder::new();
    hand_in(&folder, "ann.tar.xz", XZ);
    hand_in(&folder, "bob.tar.bz2", BZIP2);
    hand_in(&folder, "carl.rar", "Rar!...");
    let table = prepare(&folder, &[]);
    assert!(line(&table, "ann").ends_with("ready"), "{table}");
    assert!(line(&table, "bob").ends_with("ready"), "{table}");
    let remedy = "found a RAR archive: unpack it, and put a zip in its place";
    assert!(line(&table, "carl").ends_with(remedy), "{table}");
}

/// Neither tests and old files beside a program count, nor what tools leave.
#[test]
fn what_the_program_does_not_need_is_no_fault() {
    if !has(&["javac", "g++", "make", "python3"]) {
        return;
    }
    let folder = TestFolder::new();
    let [java, board] = ["maxconnect4.java", "Board.java"].map(source);
    let bare = |text: &str| text.replace("package a.player;", "");
    let [java, board] = [bare(&java), bare(&board)];
    let own = [("maxconnect4.java", java.as_str()), ("Board.java", &board)];
    let beside =
        |name: &'static str, text: &'static str| zipped(&[&own[..], &[(name, text)]].concat());
    let test = "import org.junit.Test;\npublic class BoardTest { @Test public void x() {} }\n";
    hand_in(&folder, "junit.zip", beside("BoardTest.java", test));
    hand_in(&folder, "old.zip", beside("Old.java", "public class Old { not Java }\n"));
    hand_in(&folder, "make.zip", beside("Makefile", "all:\n\tjavac BoardTest.java *.java\n"));
    let parts = [("main.cpp", "int main() {}\n"), ("old.cpp", "not C++\n")];
    hand_in(&folder, "cpp.zip", zipped(&parts));
    let cmake = "project(x)\nadd_executable(hello hello.c)\n";
    let parts = [("CMakeLists.txt", cmake), ("hello.c", "int main(void) {}"), PYTHON];
    hand_in(&folder, "cmake.zip", zipped(&parts));
    let run = "#!/bin/sh\r\nexec python3 maxconnect4.py \"$@\"\r\n";
    hand_in(&folder, "windows.zip", zipped(&[("run.sh", run), PYTHON]));
    let many: Vec<String> = (0..2_500).map(|number| format!(".git/objects/00/{number}")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(PYTHON);
    hand_in(&folder, "git.zip", zipped(&files));
    let many: Vec<String> =
        (0..2_500).map(|number| format!("node_modules/a/{number}.js")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(PYTHON);
    hand_in(&folder, "packages.zip", zipped(&files));
    hand_in(&folder, "two.zip", zipped(&[("maxconnect4.py", "import sys\nprint 'two'\n")]));
    let table = prepare(&folder, &[]);
    for name in ["junit", "old", "make", "cpp", "cmake", "windows", "git", "packages"] {
        assert!(line(&table, name).ends_with("ready"), "{table}");
    }
    // It depends on the system whether there is something to run it.
    let two = line(&table, "two");
    let remedy = "this is Python 2: install python2 or pypy, and prepare it again";
    assert!(two.ends_with("ready") || two.ends_with(remedy), "{two}");
    assert_eq!(folder.read("subs/windows/program/run.sh"), run.replace('\r', ""));
    let log = folder.read("subs/windows/build.log");
    assert!(log.starts_with("mended, its lines ended in CR LF: run.sh\n"), "{log}");
    assert!(!folder.path("subs/git/program/.git").exists());
}

/// A program that does nothing.
const PYTHON: (&str, &str) = ("maxconnect4.py", "import sys\nsys.argv\n");

#[test]
fn class_that_plays_network_is_ready_with_its_package() {
    if !has(&["javac"]) {
        return;
    }
    let folder = TestFolder::new();
    let class = "package player;\npublic class MachinePlayer extends Player {}\n";
    let parent = "package player;\nclass Player {}\n";
    let test = "package player;\nimport org.junit.Test;\nclass BoardTest {}\n";
    let player = [("player/MachinePlayer.java", class), ("player/Player.java", parent)];
    hand_in(&folder, "ann.zip", zipped(&player));
    let more = [("player/BoardTest.java", test), ("player/MachinePlayer.class", "old")];
    let more = [&player[..], &more, &[("run.sh", "java Test\n"), ("Makefile", "all:\n\tfalse\n")]];
    hand_in(&folder, "bob.zip", zipped(&more.concat()));
    let table = prepare(&folder, &["--program", "network"]);
    for name in ["ann", "bob"] {
        assert!(line(&table, name).ends_with("ready (java:)"), "{table}");
        let class = folder.path(&format!("subs/{name}/program/player/MachinePlayer.class"));
        assert!(fs::read(class).is_ok_and(|bytes| bytes.starts_with(b"\xca\xfe\xba\xbe")));
    }
}

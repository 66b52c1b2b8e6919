//! The forms that `explain` writes, and its faults.

use serde_json::{Value, json};

use super::{Plyground, folder};
use crate::common::test_folder::Tested;

#[test]
fn every_form_is_written_whole_and_the_same_again() {
    let folder = folder();
    for game in ["maxconnect4", "network"] {
        for (option, name) in [("html", "t.html"), ("dot", "t.dot"), ("json", "t.json")] {
            let args = format!("{game} explain {game}.txt --depth 2 --order bad --{option} {name}");
            assert_eq!(folder.run(&args).success().stdout, "");
            let first = folder.read(name);
            folder.run(&args).success();
            assert_eq!(first, folder.read(name));
        }
        let json: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        assert_eq!((&json["game"], &json["order"]), (&json!(game), &json!("bad")));
        let text = folder.run(&format!("{game} explain {game}.txt --depth 2")).success().stdout;
        let nodes = json["comparison"]["ways"][0]["nodes"].as_u64().expect("minimax");
        assert!(text.contains("minimax") && nodes > 20, "{text}");
        let args = format!("{game} explain {game}.txt --depth 2 --json -");
        let value: Value = serde_json::from_str(&folder.run(&args).success().stdout).expect("JSON");
        assert_eq!(value["score"], json["score"], "the order changes no value");
    }
}

/// A reader that leaves early is no failure.
#[cfg(unix)]
#[test]
fn closed_pipe_ends_every_form_quietly() {
    use std::process::{Command, Stdio};

    let folder = folder();
    for args in [
        "maxconnect4 explain maxconnect4.txt --depth 4",
        "maxconnect4 explain maxconnect4.txt --depth 4 --json -",
        "maxconnect4 explain maxconnect4.txt --dot /dev/stdout",
        "network practice --html -",
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(Plyground::PROGRAM);
        command.current_dir(folder.path(".")).args(args.split(' ')).stdin(Stdio::null());
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{args}: {said}");
    }
}

#[test]
fn faults_leave_nothing_behind() {
    let folder = folder();
    let full = "2122111\n2111212\n2212112\n2112221\n1122222\n1121121\n1\n";
    folder.write("full.txt", full);
    folder.write("game.jsonl", "{\"game\":\"maxconnect4\"}\n");
    let before = folder.files();
    for (args, code, part) in [
        ("maxconnect4 explain full.txt --html t.html", 2, "the game is over"),
        ("maxconnect4 explain none.txt --html t.html", 2, "none.txt"),
        ("maxconnect4 explain --depth 0 --html t.html", 2, "1 to 42"),
        ("maxconnect4 explain --depth 20 --html t.html", 2, "use a smaller --depth"),
        ("maxconnect4 explain --html t.html --json t.json", 2, "cannot be used with"),
        (
            "maxconnect4 explain --html none/t.html",
            1,
            "none/t.html: cannot write the file: there is no folder none",
        ),
        ("maxconnect4 explain game.jsonl", 2, "game.jsonl: expected a state file, found JSON"),
        ("network explain game.jsonl", 2, "game.jsonl: expected a state file, found JSON"),
        ("maxconnect4 explain --order best", 2, "good"),
        ("network practice --questions 0", 2, "1 to 200"),
        ("network practice --html a.html --no-solutions", 2, "cannot be used with"),
        ("network practice --sheet none/a.html", 1, "there is no folder none"),
    ] {
        folder.run(args).failure(code, part);
        assert_eq!(folder.files(), before, "{args}");
    }
}

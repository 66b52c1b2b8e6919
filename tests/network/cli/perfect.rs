//! Perfect play in a game without end: forced wins.

use super::{TestFolder, input};

#[test]
fn no_search_looks_to_the_end_of_a_game_without_one() {
    let start = input("start.txt");
    let run = TestFolder::new().run(&format!("analyze {start} --exact"));
    assert_eq!(run.stdout, "");
    run.refusal("perfect play is for games whose rules end them after some number of moves");
    let help = TestFolder::new().run("analyze --help").success().stdout;
    assert!(
        help.contains("--json") && !help.contains("--exact") && !help.contains("book"),
        "{help}"
    );
}

#[test]
fn no_help_speaks_of_books_that_cannot_be_made() {
    let folder = TestFolder::new();
    for args in ["--help", "play --help", "one-move --help", "match --help", "serve --help"] {
        let help = folder.run(args).success().stdout;
        assert!(help.contains("--no-book") && !help.contains("--book"), "{args}: {help}");
    }
}

#[test]
fn the_first_moves_of_perfect_play_are_known() {
    let folder = TestFolder::new();
    for (options, source) in [
        ("perfect", "perfect: proof, win in <= 15 (at least)\n"),
        ("perfect --no-book --time 1s", "perfect: proof, win in <= 15 (at least)\n"),
        ("perfect --quiet", ""),
    ] {
        let run = folder.run(&format!("one-move {} out.txt {options}", input("start.txt")));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), source), "{options}");
        assert_eq!(folder.read("out.txt").lines().nth(3), Some("W......."), "{options}");
    }
}

#[test]
fn who_begins_wins_by_ply_15() {
    for args in
        ["-q machine random --seed 3", "--rules usf play -q machine:perfect random --seed 4"]
    {
        let run = TestFolder::new().run(args);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stdout.contains("\nResult: 1-0 "), "{}", run.stdout);
    }
}

/// The line of the analysis that says who wins, without the moves.
fn headline(args: &str) -> String {
    let run = TestFolder::new().run(args).success();
    let line = run.stdout.lines().find(|line| line.contains(" wins by ")).unwrap_or_default();
    line.split(':').next().unwrap_or_default().to_owned()
}

#[test]
fn analyze_says_who_wins() {
    let start = input("start.txt");
    let known = "White wins by chip 8 (ply 15), by the solved opening";
    assert_eq!(headline(&format!("analyze {start} --time 200ms")), known);
    let known = "Black wins by chip 8 (ply 15), by the solved opening";
    assert_eq!(headline("--rules usf analyze --time 200ms"), known);
    assert_eq!(headline(&format!("analyze {start} --depth 2")), "", "a depth is a depth");

    let run = TestFolder::new().run(&format!("analyze {start} --time 200ms --json")).success();
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let forced = &json["forced_win"];
    assert_eq!((&forced["winner"], &forced["plies"]), (&"White".into(), &15.into()));
    assert_eq!((&forced["source"], &forced["line"][0]), (&"opening".into(), &"03".into()));
    assert_eq!(json["moves"][0]["pv"], forced["line"]);
    let run = TestFolder::new().run(&format!("analyze {start} --depth 2 --json")).success();
    assert!(!run.stdout.contains("forced_win"));
}

#[test]
fn analyze_says_that_every_reply_loses() {
    let folder = TestFolder::new();
    let rows = ["........", "W......."];
    let state = [rows[0], rows[0], rows[0], rows[1], rows[0], rows[0], rows[0], rows[0], "B"];
    folder.write("in.txt", format!("{}\n", state.join("\n")));
    let run = folder.run("analyze in.txt --time 200ms").success();
    let known = "\nWhite wins by chip 8 (ply 15), by the solved opening: ";
    assert!(run.stdout.contains(known), "{}", run.stdout);
    assert!(run.stdout.contains("  loss in <= 14  at most "), "{}", run.stdout);
    assert!(!run.stdout.contains("estimate"), "{}", run.stdout);
}

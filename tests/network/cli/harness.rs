//! The commands that all games share: moves and analysis, perfect play by forced wins, records, matches,
//! tournaments and grades; and the check of strategies.

use serde_json::Value;

use super::{TestFolder, assert_golden, input, is_result};
use crate::common::Run;

/// White to move wins with 75.
const WIN_IN_1: &str =
    "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W\n";

/// White's step 31-71 gives both colors a network.
const DOUBLE: &str = "..B...../..WW..W./W.B.B.../WB..W.../..W.W.../.BW.BB.W/.B....../...B..B./W\n";

fn lines(state: &str) -> String {
    state.replace('/', "\n")
}

fn analysis(folder: &TestFolder, args: &str) -> Value {
    let run = folder.run(args).success();
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn one_move_reads_and_writes_state_files() {
    let folder = TestFolder::new();
    for name in ["ten-plies", "steps"] {
        let run = folder.run(&format!("one-move {} {name}.txt 2", input(&format!("{name}.txt"))));
        assert_golden(&format!("one-move-{name}.stdout"), &run.success().stdout);
        assert_golden(&format!("one-move-{name}.txt"), &folder.read(&format!("{name}.txt")));
    }
}

#[test]
fn one_move_of_a_finished_game_says_so() {
    let folder = TestFolder::new();
    folder.write(
        "in.txt",
        lines(WIN_IN_1).replace("W.W.BW..\n", "W.W.BW.W\n").replace("\nW\n", "\nB\n"),
    );
    let run = folder.run("one-move in.txt out.txt 2").success();
    assert_golden("one-move-over.stdout", &run.stdout);
    assert_eq!(folder.files(), ["in.txt"]);
}

#[test]
fn faults_of_state_files_are_located() {
    let folder = TestFolder::new();
    let start = "........\n".repeat(8) + "W\n";
    for (state, part) in [
        (start.replacen('.', "W", 1), "in.txt:1:1: expected `.` in a corner, found a chip"),
        (start.replacen('.', "1", 1), "in.txt:1:1: expected `.`, `W` or `B`, found `1`"),
        (start.replace('W', "1"), "in.txt:9:1: expected the color to move, `W` or `B`, found `1`"),
        (start.replace("W\n", ""), "in.txt:8:9: expected the color to move"),
    ] {
        folder.write("in.txt", &state);
        folder.run("one-move in.txt out.txt 2").refusal(part);
        assert_eq!(folder.files(), ["in.txt"]);
    }
}

#[test]
fn chip_counts_that_do_not_fit_the_turn_are_doubtful() {
    let folder = TestFolder::new();
    folder.write("in.txt", &("........\n".repeat(8) + "B\n"));
    let run = folder.run("one-move in.txt out.txt 1");
    assert_eq!(run.code, Some(0));
    let doubt = "Black is to move and White began, but White has 0 chips and Black 0";
    assert_eq!(run.stderr, format!("warning: in.txt: {doubt}\n"));
    assert_eq!(folder.run("one-move in.txt out.txt 1 --rules usf").success().stderr, "");
}

#[test]
fn a_value_is_the_distance_to_the_end() {
    let folder = TestFolder::new();
    folder.write("in.txt", lines(WIN_IN_1));
    let found = analysis(&folder, "analyze in.txt --depth 3 --json");
    let best = &found["moves"][0];
    assert_eq!((best["move"].as_str(), best["value"].as_i64()), (Some("75"), Some(1)));
    // With a single ply nothing is known of the moves that do not win at once.
    let found = analysis(&folder, "analyze in.txt --depth 1 --json");
    let moves = found["moves"].as_array().cloned().unwrap_or_default();
    assert!(moves.iter().all(|line| line["value"] == 1 || line["value"].is_null()));
    assert!(moves.iter().any(|line| line["value"].is_null()));
    // Who completes both networks loses at once.
    folder.write("in.txt", lines(DOUBLE));
    let found = analysis(&folder, "analyze in.txt --depth 1 --json");
    let moves = found["moves"].as_array().cloned().unwrap_or_default();
    let double = moves.iter().find(|line| line["move"] == "31-71");
    assert_eq!(double.and_then(|line| line["value"].as_i64()), Some(-1));
}

#[test]
fn the_rules_decide_about_double_networks() {
    let folder = TestFolder::new();
    folder.write("in.txt", lines(DOUBLE));
    let names = |args: &str| {
        let found = analysis(&folder, args);
        let moves = found["moves"].as_array().cloned().unwrap_or_default();
        moves.iter().any(|line| line["move"] == "31-71")
    };
    assert!(names("analyze in.txt --depth 1 --json"));
    assert!(names("analyze in.txt --depth 1 --json --rules berkeley"));
    assert!(!names("analyze in.txt --depth 1 --json --rules usf"));
    assert!(!names("--rules usf analyze in.txt --depth 1 --json"));
}

#[test]
fn perft_counts_positions() {
    let folder = TestFolder::new();
    assert_eq!(folder.run("perft 3").success().last_line(), "total: 104904");
    let steps = folder.run(&format!("perft {} 1", input("steps.txt"))).success();
    assert!(steps.last_line().starts_with("total: "));
}

#[test]
fn the_start_has_a_move() {
    let folder = TestFolder::new();
    folder.run(&format!("one-move {} out.txt 1", input("start.txt"))).success();
    let state = folder.read("out.txt");
    assert_eq!((state.matches('W').count(), state.matches('B').count()), (1, 1));
    assert!(state.ends_with("\nB\n"), "{state}");
}

#[test]
fn interactive_plays_against_a_human() {
    let folder = TestFolder::new();
    let run = folder.run_with("interactive new.txt human-next 2", "10\n33\n").success();
    assert!(run.stdout.contains("\n10: 10 is in a goal of Black\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nWhite adds 33\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nBlack adds "), "{}", run.stdout);
    assert_eq!(folder.files(), ["computer.txt", "human.txt"]);
}

#[test]
fn the_bench_ends_with_nodes_and_speed() {
    let run = TestFolder::new().run("bench").success();
    let words: Vec<&str> = run.last_line().split(' ').collect();
    assert!(matches!(words[..], [nodes, "nodes", speed, "nps"]
        if nodes.parse::<u64>().is_ok() && speed.parse::<u64>().is_ok()));
}

#[test]
fn help_names_the_three_ways_to_run() {
    let run = TestFolder::new().run("--help").success();
    for part in ["network [OPTIONS] PLAYER1 PLAYER2", "one-move", "replay", "--rules"] {
        assert!(run.stdout.contains(part), "{part}");
    }
}

#[test]
fn no_search_looks_to_the_end_of_a_game_without_one() {
    let start = input("start.txt");
    let run = TestFolder::new().run(&format!("analyze {start} --exact"));
    assert_eq!(run.stdout, "");
    run.refusal("perfect play is for games whose rules end them after some number of moves");
    let help = TestFolder::new().run("analyze --help").success().stdout;
    assert!(
        help.contains("--json") && !help.contains("--exact") && !help.contains("--book"),
        "{help}"
    );
}

#[test]
fn no_help_speaks_of_books_that_cannot_be_made() {
    let folder = TestFolder::new();
    for args in ["", "play", "one-move", "match", "serve", "analyze"] {
        let args = format!("{args} --help");
        let help = folder.run(&args).success().stdout;
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
    let known = "White wins by chip 8 of its 10, at move 15 of the game at the latest, by the solved opening";
    assert_eq!(headline(&format!("analyze {start} --time 200ms")), known);
    let known = "Black wins by chip 8 of its 10, at move 15 of the game at the latest, by the solved opening";
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
    let known = "\nWhite wins by chip 8 of its 10, at move 15 of the game at the latest, by the solved opening: ";
    assert!(run.stdout.contains(known), "{}", run.stdout);
    assert!(run.stdout.contains("  loss in <= 14  at most "), "{}", run.stdout);
    assert!(!run.stdout.contains("estimate"), "{}", run.stdout);
}

#[test]
fn a_saved_game_is_replayed() {
    let folder = TestFolder::new();
    let played =
        folder.run("machine:depth=2 random Ann Bob --seed 1 --record game.jsonl").success();
    assert_eq!(folder.files(), ["game.jsonl"]);
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(replayed.last_line(), played.last_line());
    // What a replay shows beside the game are the times.
    let untimed: String = replayed
        .stdout
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("thought for "))
        .collect();
    assert_eq!(untimed, played.stdout);
}

#[test]
fn the_rules_are_those_of_the_record() {
    let folder = TestFolder::new();
    let args = "random random --rules usf --seed 2 --record game.jsonl";
    let played = folder.run(args).success();
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(replayed.last_line(), played.last_line());
    assert!(folder.read("game.jsonl").contains("\"rules\":\"usf\""));
}

#[test]
fn the_games_of_a_match_are_numbered() {
    let folder = TestFolder::new();
    folder.run("-r machine:depth=2 random --seed 3 --record game.jsonl").success();
    assert_eq!(folder.files(), ["game-1.jsonl", "game-2.jsonl"]);
    for file in folder.files() {
        assert!(is_result(folder.run(&format!("replay {file}")).success().last_line()));
    }
}

#[test]
fn a_record_is_json_lines() {
    let folder = TestFolder::new();
    folder.run_with("human human --record game.jsonl", "33\n44\nquit\n").success();
    let record = folder.read("game.jsonl");
    let timeless: Vec<String> = record.lines().map(without_times).collect();
    assert_golden("record.jsonl", &(timeless.join("\n") + "\n"));
}

/// A line with all its times set to 0.
fn without_times(line: &str) -> String {
    let mut text = line.to_owned();
    for name in ["\"cpu_us\":", "\"wall_us\":", "\"first_cpu_us\":", "\"second_cpu_us\":"] {
        if let Some((before, after)) = text.split_once(name) {
            let after = after.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
            text = format!("{before}{name}0{after}");
        }
    }
    text
}

#[test]
fn bad_records_are_refused_in_one_line() {
    let folder = TestFolder::new();
    folder.run("random random --seed 1 --ply-cap 9 --record game.jsonl").success();
    let record = folder.read("game.jsonl");
    let lines: Vec<&str> = record.split_inclusive('\n').collect();
    let swapped = [&lines[..1], &[lines[2], lines[1]], &lines[3..]].concat().concat();
    for (text, part) in [
        (String::new(), "bad.jsonl:1: expected a game, found the end of the file"),
        ("nonsense\n".to_owned(), "bad.jsonl:1: not a line of a game record"),
        (lines[..5].concat(), "bad.jsonl:6: expected a move or the ending, found the end"),
        (lines[..5].concat() + lines[10], "the ending does not follow from the moves"),
        (swapped, "bad.jsonl:2: expected ply 1, found 2"),
        (record.replace("\"network\"", "\"chess\""), "bad.jsonl:1: expected a game of network"),
        (record.replace("berkeley", "harvard"), "there are no rules called `harvard`"),
        (record.replace("/W\"", "/X\""), "in the first position, 9:1: expected the color to move"),
        (record.replace("1/2-1/2", "1-0"), "expected the result 1/2-1/2, found 1-0"),
        (record.clone() + &record, "expected nothing after the ending"),
    ] {
        folder.write("bad.jsonl", &text);
        let run = folder.run("replay bad.jsonl");
        assert_eq!(run.stdout, "", "{part}");
        run.refusal(part);
    }
    folder.run("replay none.jsonl").refusal("none.jsonl: cannot read the game");
    folder.write("endless.jsonl", "\n".repeat(17 << 20));
    folder.run("replay endless.jsonl").refusal("endless.jsonl: expected a recorded game");
}

#[test]
fn a_game_that_cannot_be_saved_is_not_begun() {
    let folder = TestFolder::new();
    let run = folder.run("random random --record none/game.jsonl");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.contains("none/game.jsonl"), "{}", run.stderr);
}

#[test]
fn the_text_for_people() {
    let run = TestFolder::new().run("match random random --games 20 --seed 1 --jobs 2").success();
    assert_golden("match.stdout", &run.stdout);
}

#[test]
fn the_rules_of_usf_are_those_of_the_games() {
    let folder = TestFolder::new();
    let args = "match machine:depth=2 random --games 2 --rules usf --table 1 --record games";
    folder.run(args).success();
    let header = folder.read("games/0001-1.jsonl");
    let header = header.lines().next().unwrap_or_default();
    assert!(header.contains("\"rules\":\"usf\""), "{header}");
    folder.run("replay games/0001-2.jsonl").success();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TestFolder::new();
    folder.run("match random human").refusal("human: a match takes no human player");
    let plies = "match random random --openings 200";
    folder.run(plies).refusal("openings of 200 plies leave none of the 200 moves of a game");
}

const PLAN: &str = "seed = 3\nopenings = { plies = 4, count = 2 }\ntable = 1\n\
    [[player]]\nplayer = 'machine:depth=2'\n[[player]]\nplayer = 'machine:depth=1'\n\
    [[player]]\nplayer = 'random'\n";

#[test]
fn wins_decide() {
    let folder = TestFolder::new();
    folder.write("t.toml", PLAN);
    let text = folder.run("tournament t.toml").success().stdout;
    assert!(text.starts_with("t: network, round-robin, ranked by wins, 12 games\n"), "{text}");
    assert!(!text.contains("points"), "{text}");
    assert!(text.contains("\n    3  random "), "{text}");
    let page = folder.read("t/report.html");
    assert!(page.contains("\"sides\":[\"White\",\"Black\"],\"pieces\":[\"W\",\"B\"]"));
}

#[test]
fn usf_is_another_tournament() {
    let folder = TestFolder::new();
    folder.write("t.toml", format!("format = 'knockout'\n{PLAN}"));
    folder.run("tournament t.toml --rules usf").success();
    let page = folder.read("t/report.html");
    assert!(page.contains("\"sides\":[\"Black\",\"White\"],\"pieces\":[\"B\",\"W\"]"));
    folder.run("tournament t.toml").refusal("holds the games of another plan, with rules: ");
}

#[test]
#[ignore = "long"]
fn a_program_that_says_what_is_legal_is_asked() {
    let folder = TestFolder::new();
    let program = env!("CARGO_BIN_EXE_network");
    let player = format!("line:{program} engine machine:depth={{depth}}");
    let output = folder.command(["grade", "--player", &player]).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("ok    illegal moves are refused "), "{text}");
    assert!(text.contains("\nScore: 100 of 100\nIt ran in a sandbox of the level "), "{text}");
    assert!(text.ends_with("\nPositions: --seed 1\n"), "{text}");
}

#[test]
fn our_own_players_have_no_opinion() {
    let folder = TestFolder::new();
    let text = folder.run("grade --player machine:depth={depth}").success().stdout;
    assert!(text.contains("\nScore: 75 of 75\n"), "{text}");
    let text = folder.run("grade --player machine:depth=1 --rules usf").success().stdout;
    assert!(text.contains("\nScore: 100 of 100\n"), "{text}");
}

#[test]
fn what_is_missed_is_shown() {
    let folder = TestFolder::new();
    let text = folder.run("grade --player random").success().stdout;
    assert!(text.contains("FAIL  a win in one is taken "), "{text}");
    assert!(text.contains("        expected: "), "{text}");
}

#[cfg(unix)]
#[test]
#[ignore = "long"]
fn depth_counted_off_by_one_costs_its_own_check_alone() {
    let folder = TestFolder::new();
    let program = env!("CARGO_BIN_EXE_network");
    folder.write(
        "points.toml",
        "[points]\n\"legal moves are accepted\" = 0\n\"illegal moves are refused\" = 0\n\
        \"only legal moves are chosen\" = 0\n\"random play is beaten\" = 0\n",
    );
    // What stands between the referee and a player that counts right makes one that does not.
    for (change, part) in [
        (
            "s/depth 2/depth 1/;t;s/depth 3/depth 2/;t;s/depth 4/depth 3/",
            "one move less ahead than it is told; the other checks ask for one more",
        ),
        (
            "s/depth 3/depth 4/;t;s/depth 2/depth 3/;t;s/depth 1/depth 2/",
            "one move further ahead than it is told, or always as far; the other checks ask for \
             one less",
        ),
    ] {
        let player = format!("line:sh -c 'sed -u \"{change}\" | {program} engine machine'");
        let args = ["grade", "--visible", program, "--points", "points.toml", "--player", &player];
        let output = folder.command(args).output().expect("the program");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(part), "{change}: {text}");
        assert!(text.contains("\nScore: 42 of 45\n"), "{change}: {text}");
    }
}

/// It sees more than luck gives, and less if it is told less, so it counts right, whatever it misses.
#[cfg(unix)]
#[test]
fn player_that_misses_some_moves_counts_its_depth_right() {
    let program = env!("CARGO_BIN_EXE_network");
    let player = format!(
        "line:sh -c 'low=; while read -r line; do case \"$line\" in position*43*) low=1;; \
         position*) low=;; \"go depth\"*) [ \"$low\" ] && line=\"go depth 1\";; esac; \
         echo \"$line\"; done | {program} engine machine'"
    );
    let args =
        ["grade", "--visible", program, "--check", "the depth is the number of plies searched"];
    let output = TestFolder::new().command(args).args(["--player", &player]).output();
    let text = String::from_utf8_lossy(&output.expect("the program").stdout).into_owned();
    assert!(
        text.contains(" 3 of   3  ")
            && text.contains(" at depth 2, too few right moves to tell, for"),
        "{text}"
    );
}

/// A search that takes a move only if it is better than a loss has none where all moves lose. Random play seldom leads
/// there.
#[cfg(unix)]
#[test]
fn move_is_asked_where_all_moves_lose() {
    let program = env!("CARGO_BIN_EXE_network");
    let player = format!(
        "line:sh -c 'while read -r line; do case \"$line\" in *\" 33 64 11 76 15\") exit 1;; esac; \
         echo \"$line\"; done | {program} engine machine'"
    );
    let args = ["grade", "--visible", program, "--check", "only legal moves are chosen"];
    let output = TestFolder::new().command(args).args(["--player", &player]).output();
    let text = String::from_utf8_lossy(&output.expect("the program").stdout).into_owned();
    assert!(text.contains(" 11 of 12"), "{text}");
    assert!(text.contains("White is to move."), "{text}");
}

/// The file of another position would look like a proof of this one.
#[test]
fn accepted_strategy_says_what_it_proves() {
    let folder = TestFolder::new();
    // White wins at once by a chip on 44.
    let board = "......../......../W.W...../......../..W...../......../....W..W/......../W";
    folder.write("strategy.txt", format!("network-strategy berkeley White 6 {board}\n"));
    let run = folder.run("verify-solution strategy.txt");
    let said = format!(
        "Accepted, 0 gaps: 0 answers, 0 replies, 0 of them lost at once\n\
        White wins by chip 6, by the rules of berkeley, from {board}\n"
    );
    assert_eq!((run.code, run.stdout), (Some(0), said));
}

#[test]
fn what_is_no_strategy_is_not_accepted() {
    let folder = TestFolder::new();
    folder.write("strategy.txt", "hello\n");
    let run = folder.run("verify-solution strategy.txt");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert_eq!(run.stderr, "error: strategy.txt: line 1 is not the heading of a strategy\n");
    let board = ["........"; 8].join("/");
    folder.write("strategy.txt", format!("network-strategy berkeley White 8 {board}/W\n"));
    let gap = format!("strategy.txt: no answer in {board}/W");
    folder.run("verify-solution strategy.txt").failure(1, &gap);
    Run::failure(folder.run("verify-solution nope"), 2, "nope: cannot read the strategy: ");
}

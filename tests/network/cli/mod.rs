//! The program `network`, run as people run it. Here are the programs of the assignments: a game or a match of
//! Berkeley, and a session of USF.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

use std::io::{BufRead, BufReader};
#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Stdio};

#[cfg(unix)]
use crate::common::check_examples;
use crate::common::{self, Tested, assert_same_as_file, project};

mod harness;

pub use crate::common::Run;

/// The program that is run.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// A folder to run it in.
pub type TestFolder = common::TestFolder<Network>;

/// The program `network`.
pub struct Network;

impl Tested for Network {
    const PROGRAM: &str = PROGRAM;
}

/// A file of `inputs/network`, as an argument.
pub fn input(name: &str) -> String {
    project().join("inputs/network").join(name).display().to_string()
}

impl Run {
    /// Holds the run to exit code 2 and one line on standard error with `part` in it.
    #[track_caller]
    pub fn refusal(self, part: &str) {
        self.failure(2, part);
    }

    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }
}

/// Returns `true` if the line is that of a result.
pub fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2"]
        .iter()
        .any(|result| line.starts_with(&format!("Result: {result} (")) && line.ends_with(')'))
}

/// Compares with a file of `tests/network/golden`, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_golden(name: &str, actual: &str) {
    assert_same_as_file(&project().join("tests/network/golden").join(name), actual);
}

#[cfg(unix)]
mod external {
    //! Other programs as players, and our own as theirs.

    use super::{PROGRAM, Run, TestFolder, is_result};

    /// The moves and the result of a game.
    fn moves(run: &Run) -> Vec<String> {
        let is_move = |line: &&str| line.contains(" adds ") || line.contains(" moves ");
        let is_shown = |line: &&str| is_move(line) || line.starts_with("Result");
        let lines = run.stdout.lines().filter(is_shown);
        lines.map(|line| line.split("  (").next().unwrap_or(line).to_owned()).collect()
    }

    fn play(folder: &TestFolder, first: &str, rules: &str) -> Run {
        let options = format!("-q --table 1 -t 60 --ply-cap 60 --rules {rules}");
        Run::of(folder.command(options.split_whitespace()).args([first, "machine:depth=1"]))
    }

    #[test]
    fn our_players_play_the_same_as_programs_by_all_rules() {
        let folder = TestFolder::new();
        for rules in ["berkeley", "usf"] {
            let inside = play(&folder, "machine:depth=2", rules).success();
            assert!(moves(&inside).len() > 10, "{}", inside.stdout);
            let engine = format!("line:{PROGRAM} engine machine:depth=2 --table 1 --rules {rules}");
            let by_lines = play(&folder, &engine, rules);
            assert_eq!(moves(&by_lines), moves(&inside), "{}", by_lines.stderr);
        }
    }

    #[test]
    fn positions_are_exchanged_by_files() {
        let folder = TestFolder::new();
        let one_move = format!("file:{PROGRAM} one-move {{in}} {{out}} 2 --table 1");
        let run = play(&folder, &one_move, "berkeley");
        assert!(moves(&run).len() > 10, "{} {}", run.stdout, run.stderr);
        assert!(!run.stdout.contains("(White: "), "{}", run.stdout);
    }

    #[test]
    fn an_engine_answers() {
        let said = "newgame network berkeley\nposition startpos moves 34 21\ngo depth 1\n\
            position startpos moves 34 34\n";
        let folder = TestFolder::new();
        let mut command = folder.command(["engine", "--rules", "berkeley", "--table", "1"]);
        let run = Run::of(command.write_stdin(said)).success();
        let lines: Vec<_> = run.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{}", run.stdout);
        assert!(
            lines[0].starts_with("bestmove ") && lines[0].contains(" depth 1 score "),
            "{}",
            lines[0]
        );
        assert!(lines[1].starts_with("illegal 34 "), "{}", lines[1]);
    }

    #[test]
    fn an_engine_takes_the_rules_of_the_referee() {
        let folder = TestFolder::new();
        for rules in ["usf", "berkeley"] {
            let engine = format!("line:{PROGRAM} engine random --seed 1");
            let args = ["play", "-q", "--rules", rules, "--seed", "3", &engine, "random"];
            let run = Run::of(&mut folder.command(args)).success();
            assert!(is_result(run.last_line()), "{}", run.stdout);
            assert!(!run.stdout.contains("illegal"), "{}", run.stdout);
        }
    }

    #[test]
    fn our_own_engines_speak_the_protocol() {
        let engine = format!("{PROGRAM} engine machine:depth=1 --table 1");
        for rules in ["usf", "berkeley"] {
            let args = ["--rules", rules, "engine-check", &engine];
            let run = Run::of(&mut TestFolder::new().command(args)).success();
            assert!(run.stdout.ends_with("15 of 15 exchanges as expected\n"), "{}", run.stdout);
        }
    }
}

/// The numbers of the games' results, in order.
fn results(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| is_result(line)).collect()
}

#[test]
fn a_game_without_thought() {
    let run = TestFolder::new().run("-q random random Ann --seed 1").success();
    assert_golden("random-random.stdout", &run.stdout);
}

#[test]
fn a_machine_beats_random() {
    for (args, result) in
        [("machine random", "Result: 1-0 (network of White "), ("random machine", "Result: 0-1 (")]
    {
        let run = TestFolder::new().run(&format!("{args} --depth 2 --seed 1")).success();
        assert!(run.last_line().starts_with(result), "{}", run.last_line());
        let thoughts = run.stdout.lines().filter(|line| line.ends_with(", depth 2)")).count();
        assert!(thoughts > 0, "{}", run.stdout);
    }
}

#[test]
fn two_humans_may_err_and_ask() {
    let script =
        "help\nmoves\n00\n10\n33\n33\n44\nfoo\n\n[add to 34]\nundo\n 43 \n35\n34-56\nquit\n";
    let run = TestFolder::new().run_with("human human", script).success();
    assert_golden("humans.stdout", &run.stdout);
}

#[test]
fn a_human_takes_moves_back_from_a_program() {
    let run = TestFolder::new().run_with("human random --seed 1", "33\nundo\n34\nquit\n").success();
    assert_golden("undo.stdout", &run.stdout);
}

#[test]
fn a_hint_is_a_legal_move() {
    let run = TestFolder::new().run_with("random human --seed 1", "hint\nquit\n").success();
    let hint = run.stdout.lines().find(|line| line.contains("depth ")).unwrap_or_default();
    let square = hint.split_whitespace().next().unwrap_or_default();
    assert_eq!(square.len(), 2, "{}", run.stdout);
    let script = format!("{square}\nquit\n");
    let run = TestFolder::new().run_with("random human --seed 1", &script).success();
    assert!(run.stdout.contains(&format!("\nBlack adds {square}\n")), "{}", run.stdout);
}

#[test]
fn every_combination_of_players_ends_with_a_result() {
    for first in ["human", "machine:depth=1", "random"] {
        for second in ["human", "machine:depth=1", "random"] {
            let run = TestFolder::new().run_with(&format!("-q {first} {second}"), "33\n").success();
            assert!(is_result(run.last_line()), "{first} {second}: {}", run.stdout);
        }
    }
}

#[test]
fn the_end_of_input_loses() {
    let run = TestFolder::new().run_with("human random", "").success();
    assert_eq!(run.last_line(), "Result: 0-1 (White: no move, the input has ended)");
    let run = TestFolder::new().run_with("human human", "33\n").success();
    assert_eq!(run.last_line(), "Result: 1-0 (Black: no move, the input has ended)");
    let run = TestFolder::new().run_with("human human", "33\nquit\n").success();
    assert_eq!(run.last_line(), "Result: 1-0 (Black: quit)");
}

#[test]
fn a_match_is_a_game_each_way_and_perhaps_a_third() {
    let mut lengths = Vec::new();
    for seed in 0..12 {
        let run =
            TestFolder::new().run(&format!("-r random random Ann Bob --seed {seed}")).success();
        let games = results(&run.stdout).len();
        assert!(is_result(run.last_line()), "{}", run.last_line());
        let seats: Vec<&str> =
            run.stdout.lines().filter(|line| line.starts_with("White: ")).collect();
        assert_eq!(seats[..2], ["White: Ann (random)", "White: Bob (random)"]);
        assert_eq!(seats.len(), games);
        let forced = run.stdout.matches("White adds 11  (given)").count();
        assert_eq!(forced, games - 2);
        let standings = run.stdout.lines().filter(|line| line.starts_with("Match: Ann ")).count();
        assert_eq!(standings, games);
        lengths.push(games);
    }
    assert!(lengths.contains(&2) && lengths.contains(&3), "{lengths:?}");
}

#[test]
fn the_first_two_games_of_a_match_decide_it_or_a_third_does() {
    let run = TestFolder::new().run("-q -r machine:depth=2 random Ann Bob --seed 3").success();
    assert_eq!(results(&run.stdout).len(), 2);
    let standing = run.stdout.lines().rfind(|line| line.starts_with("Match: "));
    assert_eq!(standing, Some("Match: Ann 2, Bob 0"));
}

#[test]
fn who_exceeds_the_time_loses() {
    let run = TestFolder::new().run("-t 0.02 random machine:depth=40").success();
    assert_eq!(run.last_line(), "Result: 1-0 (Black: wall limit of 20ms exceeded)");
}

#[test]
fn a_machine_keeps_within_the_time() {
    let run =
        TestFolder::new().run("-t 2 machine:time=10ms machine:time=10ms --ply-cap 8").success();
    assert!(is_result(run.last_line()), "{}", run.last_line());
    assert!(!run.last_line().contains("wall limit"), "{}", run.last_line());
}

#[test]
fn a_game_without_end_is_a_draw() {
    let run = TestFolder::new().run("random random --ply-cap 6").success();
    assert_eq!(run.last_line(), "Result: 1/2-1/2 (no end after 6 plies)");
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let game = |seed: u64| {
        let args = format!("random machine --depth 3 --seed {seed}");
        TestFolder::new().run(&args).success().stdout
    };
    assert_eq!(game(7), game(7));
    assert_ne!(game(7), game(8));
}

#[test]
fn under_the_rules_of_usf_black_begins() {
    let run = TestFolder::new().run("random random --rules usf --seed 1").success();
    assert!(run.stdout.starts_with("Black: random\nWhite: random\n"), "{}", run.stdout);
    assert!(is_result(run.last_line()));
}

#[test]
fn colors_are_for_terminals() {
    let folder = TestFolder::new();
    let args = "random random --ply-cap 2 --seed 1";
    let escapes = |variable: &str| {
        let mut command = folder.command(args.split_whitespace());
        let output = command.env(variable, "1").output().expect("the program");
        output.stdout.contains(&b'\x1b')
    };
    assert!(!folder.run(args).stdout.contains('\u{1b}'));
    assert!(!escapes("NO_COLOR"));
    assert!(escapes("CLICOLOR_FORCE"));
}

#[test]
fn bad_arguments_are_refused() {
    for (args, part) in [
        ("human", "PLAYER2"),
        ("-q", "PLAYER1"),
        ("--rules usf", "PLAYER1"),
        ("human robot", "expected human, random, machine, machine:depth=N, machine:time=TIME, "),
        ("human machine:depth=0", "expected a depth of 1 or more after `depth=`"),
        ("human machine:depth=201", "expected a depth from 1 to 200, found 201"),
        ("human machine:time=0", "expected a time greater than zero"),
        ("human random -t 0", "expected a time greater than zero"),
        ("human random --ply-cap 0", "0"),
        ("human random A B C", "C"),
        ("human random --rules chess", "expected `berkeley` or `usf`"),
    ] {
        let run = TestFolder::new().run(args);
        assert_eq!(run.code, Some(2), "{args}: {run:?}");
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    TestFolder::new()
        .run("human random --depth 201")
        .refusal("expected a whole number from 1 to 200");
}

#[test]
fn who_mistypes_a_command_is_told_where_the_commands_are() {
    let run = TestFolder::new().run("analyse");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("expected human, random, machine"), "{}", run.stderr);
    assert!(run.stderr.contains("tip: `network help` lists the commands"), "{}", run.stderr);
}

#[test]
fn rules_are_no_option_of_other_peoples_programs() {
    for command in ["perft", "match", "verify-solution"] {
        let help = TestFolder::new().run(&format!("{command} --help")).success().stdout;
        let start = help.find("--rules").expect("the option");
        let heading =
            help[..start].lines().rfind(|line| line.ends_with(':') && !line.starts_with(' '));
        assert_eq!(heading, Some("Options:"), "{help}");
    }
}

#[cfg(unix)]
#[test]
fn every_command_has_examples_that_can_be_copied() {
    assert!(check_examples(Path::new(PROGRAM)) > 35);
}

/// The game of the assignment's page, with its two refusals, and the move that wins it.
const PAGE: &str = "2\nA 4\nD 3\nB 5\nD 1\nA 6\nB 7\nB 1\nG 2\nA 3\nB 4\nD 2\nE 8\nH 6\n";

/// Twenty pieces; player 1 is to move one of theirs.
const ALL_PLACED: &str = "2\nF5\nE3\nH4\nD5\nH7\nF8\nF6\nF3\nF2\nB4\nC5\nD1\nA2\nB7\nC3\nE5\nD2\nC1\n\
                          G2\nB3\n";

fn session(input: &str) -> String {
    TestFolder::new().run_with("", input).success().stdout
}

#[test]
fn the_game_of_the_page() {
    let stdout = session(PAGE);
    assert_golden("usf-page.stdout", &stdout);
    assert!(stdout.contains("\nPlayer 1: Bad move!\nPosition would form clump\n"));
    assert!(stdout.contains("\nPlayer 2: Bad move!\nPosition in opponent goal\n"));
    assert!(stdout.contains("\nPlayer 1 wins!\nA4 B5 B7 G2 D2 H6\n"));
}

#[test]
fn positions_are_read_in_any_form() {
    let plain = PAGE.replace(' ', "");
    for input in [plain.clone(), plain.to_lowercase(), PAGE.replace('\n', " \r\n")] {
        assert_eq!(session(&input), session(PAGE));
    }
}

#[test]
fn two_sessions_in_one_input() {
    let one = session(PAGE);
    assert_eq!(session(&PAGE.repeat(2)), one.repeat(2));
    assert_eq!(session(&format!("{PAGE}\n\n{PAGE}\n \n")), one.repeat(2));
}

#[test]
fn the_end_of_input_ends_the_session() {
    let end = "\nEnd of input: the session ends here.\n";
    for input in ["", "2\n", "2\nA4\n", "1\n", "2\nA4\nA4\n"] {
        let stdout = session(input);
        assert!(stdout.ends_with(end), "{input:?}: {stdout}");
        assert!(!stdout.contains("wins"), "{stdout}");
    }
    assert_golden("usf-end.stdout", &session("3\n\nx\n2\nA4\n"));
}

#[test]
fn every_bad_place_has_its_reason() {
    let stdout = session("2\nA4\nI1\nA9\nA0\nH1\nB8\nD1\nA4\nA 4 B 5\n4A\n\nE8\nB5\nD4\nC6\n");
    assert_golden("usf-refusals.stdout", &stdout);
    for reason in [
        "Position is off the board",
        "Position in corner",
        "Position already occupied",
        "Cannot read a position in: A 4 B 5",
        "Cannot read a position in: 4A",
        "Position would form clump",
    ] {
        assert!(stdout.contains(&format!("Bad move!\n{reason}\n")), "{reason}: {stdout}");
    }
}

#[test]
fn every_bad_step_has_its_reason() {
    let steps = "A2\nC8 C7\nE3 E4\nA2 A2\nA2 A8\nA2 D8\nA2 D5\nA2 A9\nA2 D3\nA2 A3\nB4 B8\n";
    let stdout = session(&format!("{ALL_PLACED}{steps}"));
    let refusals = stdout.rsplit("B3").next().unwrap_or_default();
    let first = refusals.find("Player 1: Enter row and column position of piece").unwrap_or(0);
    assert_golden("usf-steps.stdout", &refusals[first..]);
    for reason in [
        "Cannot read a position in: A2",
        "No piece of yours there",
        "Piece must move to a different position",
        "Position in corner",
        "Position in opponent goal",
        "Position already occupied",
        "Position is off the board",
        "Position would form clump",
        "Move would create networks for both players",
    ] {
        assert!(stdout.contains(&format!("Bad move!\n{reason}\n")), "{reason}: {stdout}");
    }
}

#[test]
fn one_human_is_player_1_and_the_computer_answers() {
    let stdout = session("1\nD4\n");
    let answer = stdout.lines().find(|line| line.starts_with("Player 2: "));
    assert!(answer.is_some_and(|line| line.len() == "Player 2: D3".len()), "{stdout}");
    assert_eq!(stdout.matches("\nH:").count(), 3, "{stdout}");
    assert!(stdout.ends_with("\nEnd of input: the session ends here.\n"));
}

/// Reads what is shown of a game between computers until `boards` boards have been.
fn watch(boards: usize) -> Vec<String> {
    let mut child = Command::new(PROGRAM)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let write = child.stdin.as_mut().map(|stdin| std::io::Write::write_all(stdin, b"0\n"));
    assert!(matches!(write, Some(Ok(()))));
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        lines.push(line.expect("a line"));
        if lines.iter().filter(|line| line.starts_with("H:")).count() == boards {
            break;
        }
    }
    child.kill().expect("the program was still running");
    child.wait().expect("the program has ended");
    lines
}

#[test]
fn without_humans_the_board_is_shown_after_every_move() {
    let lines = watch(2);
    let moves: Vec<&String> = lines.iter().filter(|line| line.starts_with("Player ")).collect();
    assert_eq!(moves.len(), 2, "{lines:?}");
    assert!(moves[0].starts_with("Player 1: ") && moves[1].starts_with("Player 2: "));
}

#[test]
fn a_finished_game_ends_with_a_result() {
    assert!(is_result(session(PAGE).lines().last().unwrap_or_default()));
}

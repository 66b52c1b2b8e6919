//! Kalah: the rules by published values and the contract, and extra turns in every part of the program.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

#[path = "../../../../tests/common/mod.rs"]
mod common;

use kalah::{Kalah, Pit, Position, Seeds};
use plyground::search::{Options, Scope};
use plyground::testing::{Breach, Reference, Sample, check_contract, random_position};
use plyground::{AlphaBeta, Game, Side, Turn};
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, HostedGame, host};
use serde_json::{Value, json};

use crate::common::served::Served;
use crate::common::{Run, Tested, check_kit, page_of_two_people, shows};

/// The results of best play with 1 to 6 seeds in a pit: a draw, a win or a loss of the first player. The
/// first row is for 1 pit, the next for 2, and so on.
///
/// Source: G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah", ICGA Journal 23 (3), 2000, 139-147. The
/// rest of its table takes longer to check.
const PUBLISHED: [&str; 4] = ["DLWLWD", "WLLLWW", "DWW", "WW"];

fn value(pits: u8, seeds: u8) -> i32 {
    let game = host(Kalah { pits, seeds });
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a proof").value;
    assert!(value.is_exact());
    game.value(value.score())
}

#[test]
fn small_boards_have_their_published_values() {
    for (pits, results) in (1..).zip(PUBLISHED) {
        let found = (1..).take(results.len()).map(|seeds| match value(pits, seeds) {
            0 => 'D',
            1.. => 'W',
            _ => 'L',
        });
        assert_eq!(found.collect::<String>(), results, "{pits} pits");
    }
}

/// Tests the margins, which a solver of a few lines without any search technique has found too.
#[test]
fn small_boards_have_their_margins() {
    for (pits, seeds, margin) in [(1, 3, 6), (2, 4, -10), (2, 6, 8), (3, 2, 4), (3, 3, 2)] {
        assert_eq!(value(pits, seeds), margin, "{pits} pits, {seeds} seeds");
    }
}

#[test]
fn kalah_keeps_the_contract() -> Result<(), Breach> {
    for (pits, seeds) in [(1, 6), (2, 3), (3, 3), (6, 4), (6, 5)] {
        let sample = Sample::new([Position::new(pits, seeds)], 1)
            .with_moves((0..6).map(Pit::new))
            .with_playouts(40)
            .with_keys(10_000);
        check_contract(&sample, &Seeds)?;
    }
    Ok(())
}

#[test]
fn alpha_beta_is_minimax_on_a_thousand_positions() {
    let mut search =
        AlphaBeta::new(Seeds, Options { table_mib: 1, table_depth: 1, ..Options::default() });
    let (mut searched, mut stays) = (0, 0);
    for seed in 0.. {
        let size = [(6, 4), (4, 3), (3, 2), (6, 6)][seed as usize % 4];
        let position = random_position(&Position::new(size.0, size.1), seed as u32 % 30, seed);
        let Some(reference) = Reference::new(&position, 1 + seed as u32 % 5, Seeds) else {
            continue;
        };
        let scope = [Scope::BestMove, Scope::BestMoves, Scope::EveryMove][seed as usize % 3];
        let report = reference.compare(&mut search, scope, &Seeds).expect("no difference");
        stays +=
            u32::from(!Turn::between(&position, &position.after(report.best_move())).changes());
        searched += 1;
        if searched == 1_000 {
            break;
        }
    }
    assert!(stays > 100, "{stays} best moves keep the turn");
}

fn read(text: &str) -> Result<plyground_host::HostedPosition, String> {
    let text = StateText::new(text.replace('/', "\n"));
    host(Kalah { pits: 3, seeds: 2 }).parse_state(&text).map_err(|fault| fault.to_string())
}

/// Returns the state after these moves, each a digit.
fn after(state: &str, moves: &str) -> String {
    let mut position = read(state).expect("a position");
    for mv in moves.chars() {
        position.play_text(&mv.to_string()).expect("a legal move");
    }
    position.state_word()
}

#[test]
fn seeds_are_sown_captured_and_collected() {
    // The last seed falls into the store: the same side moves again.
    assert_eq!(after("0222/2220/S", "2"), "0222/2031/S");
    // The last seed falls into a pit of the opponent.
    assert_eq!(after("0222/2220/S", "3"), "0223/2201/N");
    // The last seed falls into an own empty pit: it and the two opposite are captured.
    assert_eq!(after("0222/1041/S", "1"), "0202/0044/N");
    // The opposite pit is empty, so nothing is captured.
    assert_eq!(after("2202/1041/S", "1"), "2202/0141/N");
    // The store of the opponent is left out.
    assert_eq!(after("1100/0091/S", "3"), "1212/1113/N");
    // The last own seed is played: the opponent gets the rest.
    assert_eq!(after("1122/0015/S", "3"), "6000/0006/S");
}

#[test]
fn faults_of_positions_are_told() {
    assert!(read("0222/2220/S").is_ok());
    for (state, fault) in [
        ("0222/2221/S", "expected 12 seeds in all pits and stores together, found 13"),
        ("6000/0033/S", "expected seeds in the pits of both sides, or of neither"),
        ("022?/2220/S", "a number of seeds"),
        ("0222/2220/W", "the next player, S or N"),
    ] {
        let found = read(state).expect_err(fault);
        assert!(found.contains(fault), "{found}");
    }
}

#[test]
fn rules_name_the_size() {
    let game = Kalah::default();
    assert_eq!(game.rules(), "6x4");
    assert!(game.with_rules("6x5").is_some());
    // A board of 72 seeds has no state file.
    for rules in ["6x6", "7x1", "0x4", "4", "06x4", ""] {
        assert!(game.with_rules(rules).is_none(), "{rules}");
    }
}

/// Tests that the limit on the length is honest, and so loose that no search reaches it.
#[test]
fn games_are_far_shorter_than_their_limit() {
    let start = Position::new(6, 4);
    assert!(start.plies_left().is_some_and(|left| left > 5_000));
    let game = host(Kalah::default());
    assert!(game.start().usual_plies().is_some_and(|plies| (20..80).contains(&plies)));
    assert_eq!(random_position(&start, 500, 1).outcome().map(|_| ()), Some(()));
    assert_eq!(start.side_to_move(), Side::First);
}

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_kalah");
}

type TestFolder = common::TestFolder<Program>;

/// A position in which pit 2 of South ends in the store, and keeps the turn.
const START: &str = "0222\n2220\nS\n";

/// Returns the sides that made the moves of a record.
fn movers(record: &str) -> Vec<String> {
    let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let movers = lines.filter(|line| line["line"] == "move").map(|line| line["by"].to_string());
    movers.collect()
}

#[test]
fn games_are_recorded_and_replayed_with_their_extra_turns() {
    let folder = TestFolder::new();
    folder.run("play -q machine:depth=4 random --seed 1 --record game.jsonl").success();
    let movers = movers(&folder.read("game.jsonl"));
    assert!(movers.windows(2).any(|pair| pair[0] == pair[1]), "{movers:?}");
    shows(folder.run("replay game.jsonl"), "Result: ");
    // A record in which the sides alternate contradicts the rules.
    let by = |side: &str| format!("\"by\":{side}");
    let twice = movers.windows(2).position(|pair| pair[0] == pair[1]).expect("an extra turn");
    let other = if movers[twice] == "\"first\"" { "\"second\"" } else { "\"first\"" };
    let record = folder.read("game.jsonl");
    let lines = record.lines().enumerate().map(|(line, text)| match line == twice + 2 {
        true => text.replace(&by(&movers[twice]), &by(other)),
        false => text.to_owned(),
    });
    folder.write("false.jsonl", lines.collect::<Vec<_>>().join("\n"));
    folder.run("replay false.jsonl").failure(2, "the other player is to move");
}

/// Plays a game between an external program and random moves, in which the program moves twice in a row.
fn play_with(folder: &TestFolder, program: &str) {
    let args = ["play", "-q", program, "random", "--depth", "3", "--seed", "2", "--rules", "4x3"];
    let args = args.into_iter().chain(["--record", "game.jsonl"]);
    Run::of(&mut folder.command(args)).success();
    let record = folder.read("game.jsonl");
    let movers = movers(&record);
    let first: Vec<_> =
        movers.windows(2).filter(|pair| *pair == ["\"first\"", "\"first\""]).collect();
    assert!(!first.is_empty(), "the program never moved twice: {movers:?}");
    shows(folder.run("replay game.jsonl --rules 4x3"), "Result: ");
}

/// Tests that a program that still has the turn is asked again, by files and by lines.
#[test]
fn programs_with_the_turn_are_asked_again() {
    let folder = TestFolder::new();
    let program = Program::PROGRAM;
    let by_files = format!("file:{program} one-move {{in}} {{out}} {{depth}} --rules 4x3");
    let by_lines = format!("line:{program} engine machine:depth={{depth}}");
    for player in ["machine:depth=3", &by_files, &by_lines] {
        play_with(&folder, player);
    }
}

#[test]
fn one_move_leaves_the_turn_to_the_same_side() {
    let folder = TestFolder::new();
    folder.write("start.txt", START);
    shows(folder.run("one-move start.txt out.txt 1 --rules 3x2"), "South plays 2");
    assert_eq!(folder.read("out.txt").replace('\r', ""), "0222\n2031\nS\n");
    let run = folder
        .run_with("play human random --seed 1 --rules 3x2", "2\nundo\nmoves\n1\nundo\nquit\n");
    assert!(run.stdout.contains("moves taken back"), "{run:?}");
}

#[test]
fn positions_are_solved_and_explained() {
    let folder = TestFolder::new();
    folder.write("start.txt", START);
    // The limit on the length of the game is 234 plies, greater than any depth.
    let run = shows(folder.run("solve start.txt --verify --rules 3x2"), "South wins by 4");
    assert!(run.stdout.contains("Verified: "), "{}", run.stdout);
    shows(folder.run("analyze start.txt --exact --rules 3x2"), "exact");
    shows(
        folder.run("explain start.txt --depth 4 --order good --rules 3x2"),
        "Alpha-beta, 4 plies",
    );
    folder.run("explain start.txt --depth 4 --rules 3x2 --html tree.html").success();
    shows(folder.run("book build --plies 2 --out book --rules 3x2"), "positions in book");
    shows(folder.run("book verify book --rules 3x2 --sample 1"), "solved again");
    shows(folder.run("practice --seed 1 --questions 3"), "Solutions");
}

#[test]
fn matches_tournaments_and_timings_follow_the_side_to_move() {
    let folder = TestFolder::new();
    shows(folder.run("match machine:depth=4 random --games 6 --seed 1 --rules 4x3"), "6 games");
    let toml = "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
                [[player]]\nname = \"b\"\nplayer = \"machine:depth=3\"\n";
    folder.write("cup.toml", toml);
    assert_eq!(folder.run("tournament cup.toml --out cup --rules 4x3").code, Some(0));
    shows(folder.run("bench"), " nodes ");
    let calibrate = "calibrate --player machine:depth={depth} --positions 3 --depths 1..2 --runs 1";
    shows(folder.run(calibrate), "kalah");
}

/// Tests the answers after pit 3 of South, which ends in the store, so that South is to move again.
#[test]
fn answers_follow_the_side_to_move() {
    let served = Served::start(env!("CARGO_BIN_EXE_kalah"), "");
    let start = "0444444/4444440/S";
    let position = |moves: &[&str]| {
        served.position(&json!({ "rules": "6x4", "start": start, "moves": moves }))
    };
    assert_eq!(position(&["3"])["side"], 0);
    assert_eq!(position(&["3", "1"])["side"], 1);
    let last = position(&["3", "1", "2"]);
    assert_eq!(last["side"], 0);
    let sides = last["played"].as_array().expect("moves").iter().map(|played| &played["side"]);
    assert_eq!(sides.collect::<Vec<_>>(), [0, 0, 1], "{last}");
}

#[test]
fn engine_passes_the_checks() {
    let folder = TestFolder::new();
    let args = ["grade", "--player", "machine:depth={depth}"];
    let names = ["a search of two plies is right", "a search of four plies is right"];
    let chosen = names.iter().flat_map(|name| ["--check", name]);
    let run = Run::of(&mut folder.command(args.into_iter().chain(chosen)));
    shows(run, "Score: 30 of 30");
}

#[test]
fn kit_passes_the_checks_that_need_no_search() {
    check_kit(
        Program::PROGRAM,
        "",
        &["only legal moves are chosen", "legal moves are accepted", "illegal moves are refused"],
    );
}

/// Plays on the page by mouse: South sows pit 3, which keeps its turn, and then pit 1.
#[test]
fn extra_turns_are_made_on_the_page() {
    let page = page_of_two_people(Program::PROGRAM, "kalah");
    let Some((_served, browser)) = page else { return };
    let has_moved = |count: usize, turn: &str| {
        browser.wait(&format!("return document.querySelectorAll('#moves li').length === {count}"));
        browser.wait_for_text("#status", turn);
    };
    // South has the lower row, and its store at the right.
    browser.click("#grid [data-cell='9']");
    has_moved(1, "South is to move");
    browser.click("#grid [data-cell='7']");
    has_moved(2, "North is to move");
    // North has the upper row, from right to left.
    browser.click("#grid [data-cell='4']");
    has_moved(3, "North is to move");
    browser.click("#grid [data-cell='5']");
    has_moved(4, "South is to move");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

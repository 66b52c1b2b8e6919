//! Othello: the rules by known numbers and the contract, every command, and passes on the page.

#![allow(dead_code, reason = "the helpers of all programs have more than one program needs")]

#[path = "../../../../tests/common/mod.rs"]
mod common;

use othello::{Discs, Move, Othello, Position};
use plyground::game::perft;
use plyground::testing::{Breach, Sample, check_contract};
use plyground::{Game, Side, Value};
use plyground_host::{EngineOptions, host};

use crate::common::browser::Browser;
use crate::common::served::Served;
use crate::common::{Tested, shows};

/// The number of games of this many plies from the start, a pass counted as a ply; they are widely
/// published.
const PERFT: [u64; 9] = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];

#[test]
fn perft_counts_match_published_numbers() {
    let start = Position::new(8);
    for (depth, expected) in (1..).zip(PERFT) {
        assert_eq!(perft(&start, depth), expected, "depth {depth}");
    }
}

#[test]
fn othello_keeps_the_contract() -> Result<(), Breach> {
    for size in [4, 6, 8] {
        let squares = Position::new(size).squares().map(Move::Place);
        let sample = Sample::new([Position::new(size)], 1)
            .with_moves(squares.chain([Move::Pass]))
            .with_playouts(60)
            .with_keys(30_000);
        let coverage = check_contract(&sample, &Discs)?;
        assert!(coverage.solved > 100, "{size}: {coverage:?}");
    }
    Ok(())
}

#[test]
fn first_player_loses_on_four_by_four_by_eight() {
    let game = host(Othello(4));
    let mut engine = game.engine(EngineOptions::default());
    let best = engine.solve_best(&game.start(), plyground::Limits::default());
    let value = best.expect("a limited game").expect("a move").value;
    assert!(value.is_exact());
    assert_eq!(game.value(value.score()), -8);
}

/// Tests that a search without a limit on its depth ends where every game has ended.
#[test]
fn deepening_stops_at_the_end_of_the_game() {
    let game = host(Othello(4));
    let mut position = game.start();
    while position.plies_left().is_some_and(|left| left > 18) {
        let mv = position.legal_moves().next().expect("a move");
        position.play_unchecked(mv);
    }
    let mut engine = game.engine(EngineOptions::default());
    let limits = plyground::Limits::nodes(50_000_000);
    let report = engine
        .search(&position, &limits, plyground::search::Scope::BestMove, &mut |_| ())
        .expect("a position of the game")
        .expect("a move");
    assert!(matches!(report.value, Value::Exact(_)), "{:?}", report.value);
    assert!(report.nodes < 100_000, "{} nodes", report.nodes);
}

#[test]
fn pass_is_legal_only_without_another_move() {
    // White can place nothing, and Black can.
    let text = "XXXX/XXXX/XXXO/X.../O".replace('/', "\n");
    let game = host(Othello(4));
    let position = game.parse_state(&plyground_host::state::StateText::new(text));
    let position = position.expect("a position");
    let moves: Vec<_> = position.legal_moves().collect();
    assert_eq!(moves.len(), 1);
    assert!(position.is_pass(moves[0]), "{moves:?}");
    assert_eq!(position.side_to_move(), Side::Second);
    let illegal = game.start().check_legal(moves[0]).expect_err("there are other moves");
    assert_eq!(illegal.to_string(), "pass: there is another move");
}

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_othello");
}

type TestFolder = common::TestFolder<Program>;

const SIX: &str = "......\n......\n..OX..\n..XO..\n......\n......\nX\n";
/// A position in which White must pass.
const PASS: &str = "XXXX\nXXXX\nXXXO\nX...\nO\n";

fn sandbox() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("six.txt", SIX);
    folder.write("pass.txt", PASS);
    folder
}

#[test]
fn one_move_writes_the_next_position() {
    let folder = sandbox();
    shows(folder.run("one-move six.txt out.txt 5 --rules 6x6"), "Black plays ");
    assert!(folder.read("out.txt").ends_with("\nO\n"));
    shows(folder.run("one-move pass.txt out.txt 3 --rules 4x4"), "White passes");
    assert_eq!(folder.read("out.txt"), PASS.replace("\nO\n", "\nX\n"));
    folder.run("one-move six.txt out.txt 5").failure(2, "expected");
}

#[test]
fn games_are_played_and_recorded() {
    let folder = sandbox();
    shows(folder.run_with("interactive none.txt human-next 2", "d3\n"), "Black plays d3");
    shows(
        folder.run("play -q machine:depth=2 random --seed 1 --record game.jsonl --rules 6x6"),
        "Result: ",
    );
    shows(folder.run("replay game.jsonl"), "Result: ");
    shows(folder.run("match machine:depth=3 random --games 4 --seed 1 --rules 6x6"), "4 games");
}

#[test]
fn who_may_think_for_hours_is_warned_of() {
    let folder = sandbox();
    let start =
        "........\n........\n........\n...OX...\n...XO...\n........\n........\n........\nX\n";
    folder.write("start.txt", start);
    let warning = "warning: perfect play may take hours for a move when ";
    let run = folder.run_with("engine machine:perfect", "isready\nquit\n");
    run.warned(warning);
    let run = folder.run("one-move start.txt out.txt perfect --time 10ms");
    assert!(run.code == Some(0) && !run.stderr.contains("warning: "), "{run:?}");
    for args in ["engine machine:perfect,time=10s", "engine machine:perfect --rules 4x4", "engine"]
    {
        folder.run_with(args, "isready\nquit\n").success();
    }
}

#[test]
fn positions_are_analyzed_and_counted() {
    let folder = sandbox();
    shows(folder.run("analyze six.txt --depth 4 --rules 6x6"), "estimate");
    shows(folder.run("analyze pass.txt --exact --rules 4x4"), "exact");
    shows(folder.run("solve --rules 4x4"), "wins by 8 points");
    shows(folder.run("perft 5"), "total: 1396");
    shows(folder.run("bench"), " nodes ");
    shows(folder.run("timing --depths 1..3 --runs 1"), "alphabeta");
    shows(folder.run("calibrate --player machine:depth={depth} --depths 1..2 --runs 1"), "othello");
    shows(folder.run("book build --plies 2 --out book --rules 4x4"), "positions in book");
    shows(folder.run("book verify book --rules 4x4 --sample 1"), "solved again");
}

#[test]
fn other_programs_play_too() {
    let folder = sandbox();
    let said = "newgame othello 8x8 first\nisready\nposition startpos moves d3\ngo depth 3\nquit\n";
    shows(folder.run_with("engine machine", said), "bestmove ");
    let toml = "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
                [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n";
    folder.write("cup.toml", toml);
    let run = folder.run("tournament cup.toml --out cup");
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// Tests that boards are in the pages: moves turn pieces, so that they alone do not determine the board.
#[test]
fn searches_are_shown_with_their_boards() {
    let folder = sandbox();
    let text = shows(folder.run("explain six.txt --depth 2 --rules 6x6"), "Alpha-beta, 2 plies");
    shows(text, "minimax");
    for (file, rules) in [("six.txt", "6x6"), ("pass.txt", "4x4")] {
        folder.run(&format!("explain {file} --depth 2 --rules {rules} --html tree.html")).success();
        let page = folder.read("tree.html");
        assert!(page.contains("\"boards\":true") && page.contains("\"cells\":[]"));
    }
    shows(folder.run("practice --seed 1 --questions 3"), "Solutions");
}

/// A game on the small board in which White can place no disc.
const MUST_PASS: &str = "rules=4x4&start=XXXX/XXXX/XXXO/X.../O&moves=";

const MAY_PASS: &str = "return !document.querySelector('#pass').hidden";
const HAS_PASSED: &str = "return document.querySelector('#pass').hidden";

#[test]
fn pass_is_made_by_itself_by_mouse_and_by_keyboard() {
    let served = Served::start(env!("CARGO_BIN_EXE_othello"), "");
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.load(&served.url());
    let players = r#"[{"kind":"human"},{"kind":"human"}]"#;
    browser.run(&format!("localStorage.setItem('plyground.othello.players', '{players}')"));
    browser.load(&format!("{}#{MUST_PASS}", served.url()));
    browser.reload();
    // Neither player has a choice.
    browser.wait("return document.querySelectorAll('#moves li').length === 1");
    browser.wait_for_text("#status", "White passes");

    browser.press(&[","]);
    browser.wait(MAY_PASS);
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.click("#pass");
    browser.wait(HAS_PASSED);

    browser.press(&[","]);
    browser.wait(MAY_PASS);
    browser.press(&["p"]);
    browser.wait(HAS_PASSED);
    browser.wait_for_text("#status", "White passes");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

//! Proofs about Network: the commands that make them, strategies, the tables of results/, and the solved
//! opening. This file tests the solution: winning strategies and their check, and wins on the clock, from
//! the empty board for the player that begins, and from later positions.
//!
//! The time limits are ample, so the speed of the computer affects only the duration of the tests.

mod commands;
#[path = "../../tests/common/mod.rs"]
#[expect(dead_code, reason = "the tests of the programs use more of it")]
mod common;
#[cfg(unix)]
#[path = "../../tests/docs/markdown.rs"]
#[expect(dead_code, reason = "the tests of the programs look at more of the pages")]
mod markdown;
#[path = "../../tests/network/samples.rs"]
mod samples;
mod tables;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use network::solution::{Frame, PAIRS, index};
use network::strategy_check::{CheckedStrategy, Gap, check};
use network::{Color, ForcedWins, Move, Network, Position, Rules, Win, game, parse_state};
use plyground::proof::{Allowance, Finder, Prover, Tactics};
use plyground::search::{Options, Scope};
use plyground::{Game, Limits, Side};
use plyground_host::state::StateText;
use plyground_host::{Constraints, EngineOptions, HostedEngine, Strength, host_position};
use rand::prelude::*;
use research::{Opening, Strategy};

/// Moves after which White wins by the eighth chip, the beginning of the solution.
const OPENING: [&str; 4] = ["03", "34", "73", "44"];
const CHIPS: usize = 8;
/// The number of plies from White's second chip to its eighth, with White to move.
const PLIES: u32 = 11;

/// Returns a position some way into a proven win, and the number of plies left until the win.
fn later(prover: &Prover) -> (Position, u32) {
    let mut position = Position::new(Rules::Berkeley);
    for mv in OPENING {
        position.play(mv.parse().unwrap()).unwrap();
    }
    let goal = Win::new(&position, Color::White);
    let mut plies = PLIES;
    // White's answers, and replies after which White does not win at once.
    for _ in 0..2 {
        let proof = prover.prove(&goal, &position, plies, &Limits::default());
        let after = position.after(proof.best.unwrap());
        let lasts = |next: &Position| {
            let proof = prover.prove(&goal, next, plies - 4, &Limits::default());
            proof.reached == Some(false)
        };
        let mut replies = after.legal_moves().map(|reply| after.after(reply));
        let Some(longest) = replies.find(lasts) else { break };
        position = longest;
        plies -= 2;
    }
    (position, plies)
}

fn strategy(prover: &Prover, position: &Position, plies: u32) -> String {
    let (strategy, letters) =
        Strategy::of_proof(prover, position, plies, &Limits::default()).unwrap();
    let (text, answers) = strategy.text(position, CHIPS).unwrap();
    assert!(answers > 1 && answers == strategy.len() && answers == letters.len());
    text
}

#[test]
fn strategy_is_accepted_and_every_gap_found() {
    let prover = Prover::new(16);
    let (position, plies) = later(&prover);
    let text = strategy(&prover, &position, plies);
    let checked = check(&text).unwrap();
    println!("{checked:?}");
    assert!(checked.replies > checked.answers && checked.wins > 0);
    let (heading, letters) = text.split_once('\n').unwrap();
    let letters = letters.replace('\n', "");
    assert_eq!(checked.answers as usize, letters.len());

    let is_accepted = |letters: &str| check(&format!("{heading}\n{letters}\n")).is_ok();
    assert!(is_accepted(&letters), "line ends do not matter");
    for dropped in (0..letters.len()).step_by(1 + letters.len() / 20) {
        let mut fewer = letters.clone();
        fewer.remove(dropped);
        assert!(!is_accepted(&fewer), "letter {dropped}");
    }
    let all = |text: String| check(&format!("{heading}\n{text}"));
    let cut = all(letters[..letters.len() - 1].to_owned());
    assert!(matches!(cut, Err(Gap::NoAnswer(_))), "{cut:?}");
    assert_eq!(all(format!("{letters}{}", &letters[..1])), Err(Gap::Surplus(1)));
    // Square 03 is taken by White's first chip.
    let taken = all(format!("H{}", &letters[1..]));
    assert!(matches!(taken, Err(Gap::BadAnswer { .. })), "{taken:?}");
    // One chip fewer is not enough for the same answers.
    assert!(check(&text.replacen(" 8 ", " 5 ", 1)).is_err());
}

/// Returns the verdict of a checker that was written in Python from the description of the file, or `None`
/// without Python.
fn judged_in_python(folder: &Path, text: &str) -> Option<(Option<i32>, String)> {
    let checker = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check_strategy.py");
    let file = folder.join("strategy.txt");
    fs::write(&file, text).unwrap();
    match Command::new("python3").arg(checker).arg(&file).output() {
        Ok(run) => Some((run.status.code(), String::from_utf8(run.stdout).unwrap())),
        Err(why) => {
            assert!(env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_none(), "python3: {why}");
            None
        }
    }
}

#[test]
fn checker_in_another_language_accepts_strategy_and_refuses_damaged_ones() {
    let (folder, prover) = (tempfile::tempdir().unwrap(), Prover::new(16));
    let judged = |text: &str| judged_in_python(folder.path(), text);
    let (position, plies) = later(&prover);
    let text = strategy(&prover, &position, plies);
    let Some(accepted) = judged(&text) else { return };
    let CheckedStrategy { answers, replies, wins } = check(&text).unwrap();
    let said = format!(
        "Accepted, 0 gaps: {answers} answers, {replies} replies, {wins} of them lost at once\n"
    );
    assert_eq!(accepted, (Some(0), said));

    let (heading, letters) = text.split_once('\n').unwrap();
    let letters = letters.replace('\n', "");
    let dropped = (0..5).map(|part| {
        let at = part * (letters.len() - 1) / 4;
        format!("{heading}\n{}{}", &letters[..at], &letters[at + 1..])
    });
    let fewer = text.replacen(" 8 ", " 5 ", 1);
    let surplus = format!("{text}C");
    // Square 03 is taken by White's first chip.
    let taken = format!("{heading}\nH{}", &letters[1..]);
    let turned = format!("{heading}\n{}", letters.chars().rev().collect::<String>());
    for damaged in dropped.chain([fewer, surplus, taken, turned, format!("{heading}\n")]) {
        assert!(check(&damaged).is_err());
        assert_eq!(judged(&damaged), Some((Some(1), String::new())), "{damaged}");
    }
    // A white chip in a goal of Black.
    let rest = "......../".repeat(7);
    let misplaced = format!("network-strategy berkeley White 8 ..W...../{rest}W\n{letters}\n");
    let none = "network-strategy berkeley White 8 x\n";
    // Black has a network; and three chips of White are in a group.
    let over = ".B....../......../...B.B../......../...B.B../..W.W.../W.W.W.W./...B..../W";
    let group = format!("......../..WWW.../{}W", "......../".repeat(6));
    let [over, group] =
        [over, &group].map(|board| format!("network-strategy berkeley White 10 {board}\n"));
    for no_game in [&over, &group] {
        assert_eq!(check(no_game), Err(Gap::Start), "{no_game}");
        assert_eq!(judged(no_game), Some((Some(2), String::new())), "{no_game}");
    }
    for no_strategy in ["", none, &misplaced, &format!("{text}~")] {
        assert!(matches!(check(no_strategy), Err(Gap::Heading | Gap::Letter(_))), "{no_strategy}");
        assert_eq!(judged(no_strategy), Some((Some(2), String::new())), "{no_strategy}");
    }
}

/// Returns strategies of one answer to positions in which Black has all its chips on the board, so that its
/// replies are steps, each with the result of the check.
fn strategies_against_steps(rules: Rules, count: usize) -> Vec<(String, CheckedStrategy)> {
    let mut rng = StdRng::seed_from_u64(9);
    let mut found = Vec::new();
    while found.len() < count {
        let position = samples::by_setup(rules, CHIPS, Position::CHIPS, &mut rng);
        let board = position.to_string().replace('\n', "/");
        let board = &board[..board.len() - 1];
        let texts = (b'0'..b'0' + 64).map(char::from).map(|letter| {
            format!("network-strategy {rules} White {} {board}W\n{letter}\n", Position::CHIPS)
        });
        let checked = texts.filter_map(|text| check(&text).ok().map(|checked| (text, checked)));
        found.extend(checked.filter(|(_, checked)| checked.replies > 0).take(1));
    }
    found
}

#[test]
fn checker_in_another_language_agrees_about_steps() {
    let folder = tempfile::tempdir().unwrap();
    for (text, CheckedStrategy { answers, replies, wins }) in
        Rules::BOTH.into_iter().flat_map(|rules| strategies_against_steps(rules, 2))
    {
        let Some(judged) = judged_in_python(folder.path(), &text) else { return };
        let said = format!(
            "Accepted, 0 gaps: {answers} answers, {replies} replies, {wins} of them lost at once\n"
        );
        assert_eq!(judged, (Some(0), said), "{text}");
        assert_eq!((answers, wins), (1, replies), "{text}");
    }
}

#[test]
fn letters_that_answer_nothing_are_no_strategy() {
    let prover = Prover::new(16);
    let (position, plies) = later(&prover);
    let (strategy, letters) =
        Strategy::of_proof(&prover, &position, plies, &Limits::default()).unwrap();
    let read = |letters: &str| Strategy::of_letters(&position, letters);
    assert_eq!(read(&letters), Some(strategy));
    for wrong in [&letters[1..], &letters[..letters.len() - 1], "", "H", "~", "é"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
    assert_eq!(read(&format!("{letters}0")), None);
    assert!(Strategy::default().text(&position, CHIPS).is_err());
}

#[test]
fn missing_proof_has_no_answers() {
    let start = Position::new(Rules::Berkeley);
    let proven = Strategy::of_proof(&Prover::new(1), &start, 3, &Limits::default());
    assert!(proven.is_err());
}

#[test]
fn malformed_strategy_is_refused() {
    assert_eq!(check(""), Err(Gap::Heading));
    for rows in ["WWWWWWWW/WWW...../......../".to_owned() + &"......../".repeat(5), "x/".repeat(8)]
    {
        let text = format!("network-strategy berkeley White 10 {rows}W\n");
        assert_eq!(check(&text), Err(Gap::Heading), "{rows}");
    }
    let board = Position::new(Rules::Berkeley).to_string().replace('\n', "/");
    let heading = format!("network-strategy berkeley White 8 {board}");
    assert!(matches!(check(&heading), Err(Gap::NoAnswer(_))));
    for letters in ["0", "~", "é", "!"] {
        assert_eq!(check(&format!("{heading}\n{letters}")), Err(Gap::Letter(1)), "{letters}");
    }
}

#[test]
fn openings_are_followed_by_every_reply_but_for_mirror_images() {
    let start = Position::new(Rules::Berkeley);
    let moves = |squares: &[&str]| -> Vec<_> {
        squares.iter().map(|square| square.parse().unwrap()).collect()
    };
    let [none] = &Opening::new(&[]).replies(&start).unwrap()[..] else {
        panic!("no opening, no reply")
    };
    assert_eq!((none.position, none.moves.as_slice()), (start, &[][..]));
    assert_eq!(Opening::new(&moves(&["03"])).replies(&start).unwrap().len(), 48);
    let replies = Opening::new(&moves(&["03", "73"])).replies(&start).unwrap();
    assert_eq!(replies.len(), 576);
    for reply in &replies {
        let mut position = start;
        reply.moves.iter().for_each(|&mv| position.play(mv).unwrap());
        assert_eq!(position, reply.position);
    }
    // All 48 * 47 / 2 pairs of Black's chips are there, or their mirror images.
    assert_eq!(replies.iter().flat_map(|reply| reply.mirrored()).count(), 2 * 576);
    assert!(Opening::new(&moves(&["03", "03"])).replies(&start).is_err());
    // Black may take the square.
    assert!(Opening::new(&moves(&["03", "44"])).replies(&start).is_err());
    let text = StateText::new(start.to_string());
    assert_eq!(parse_state(&text, Rules::Berkeley).unwrap(), start);
}

/// A time limit that no win here reaches.
const AMPLE: Duration = Duration::from_secs(600);
const TABLE_MIB: usize = 16;

const AMPLE_ALLOWANCE: Allowance = Allowance { deadline: None, nodes: None, stop: None };

fn engine(rules: Rules, book: bool) -> Box<dyn HostedEngine> {
    let search = Options { table_mib: TABLE_MIB, ..Options::default() };
    game(rules).engine(EngineOptions { search, book: None, without_prepared: !book })
}

/// Returns the number of plies until the first player wins from the start against random play.
fn plies_to_win(rules: Rules, book: bool, rng: &mut StdRng) -> usize {
    let (mut engine, mut position) = (engine(rules, book), game(rules).start());
    let mut plies = 0;
    while position.outcome().is_none() {
        let mv = if position.side_to_move() == Side::First {
            let chosen = engine.choose(&position, Strength::Time(AMPLE), &Constraints::default());
            chosen.unwrap().unwrap().mv
        } else {
            position.legal_moves().choose(rng).unwrap()
        };
        position.play(mv).unwrap();
        plies += 1;
    }
    assert_eq!(position.outcome().unwrap().winner(), Some(Side::First), "{position}");
    plies
}

#[test]
fn first_player_wins_by_eighth_chip() {
    let mut rng = StdRng::seed_from_u64(5);
    for rules in Rules::BOTH {
        for book in [true, false, false] {
            let plies = plies_to_win(rules, book, &mut rng);
            assert!(plies <= 15, "{plies} plies by the rules of {rules}");
        }
    }
}

/// Tests the opening of the solution and its mirror images. By the other rules, rows and columns are
/// exchanged.
#[test]
fn opening_is_known_in_every_mirror_image() {
    let opening = |rules, first: &str, reply: &str| -> Move {
        let mut position = Position::new(rules);
        position.play(first.parse().unwrap()).unwrap();
        position.play(reply.parse().unwrap()).unwrap();
        ForcedWins { book: true }.prepared(&position).unwrap().mv
    };
    for (first, second) in [("03", "73"), ("73", "03"), ("04", "74"), ("74", "04")] {
        assert_eq!(opening(Rules::Berkeley, first, "33"), second.parse().unwrap());
    }
    for (first, second) in [("30", "37"), ("37", "30"), ("40", "47"), ("47", "40")] {
        assert_eq!(opening(Rules::Usf, first, "33"), second.parse().unwrap());
    }
    // Nothing is known for the second player, nor after another first move.
    let mut position = Position::new(Rules::Berkeley);
    for mv in ["22", "33"] {
        position.play(mv.parse().unwrap()).unwrap();
        assert_eq!(ForcedWins { book: true }.prepared(&position), None);
    }
}

#[test]
fn table_has_answer_to_every_pair_of_replies() {
    for (rules, opening) in [(Rules::Berkeley, ["03", "73"]), (Rules::Usf, ["37", "30"])] {
        let opening = opening.map(|square| square.parse().unwrap());
        let replies = Opening::new(&opening).replies(&Position::new(rules)).unwrap();
        let mut places = vec![false; PAIRS];
        for pair in replies.iter().flat_map(|reply| reply.mirrored()) {
            let answer = ForcedWins { book: true }.prepared(&pair).unwrap();
            assert_eq!((answer.plies, pair.check_legal(answer.mv)), (11, Ok(())));
            assert_eq!(ForcedWins { book: false }.prepared(&pair), None);
            assert_eq!(ForcedWins { book: false }.expected(&pair), Some(11));
            places[index(Frame::of(&pair).unwrap().others()).unwrap()] = true;
        }
        assert!(places.iter().all(|&place| place));
    }
}

#[test]
fn answers_of_table_win() {
    let mut rng = StdRng::seed_from_u64(7);
    let opening = ["03", "73"].map(|square| square.parse().unwrap());
    let replies = Opening::new(&opening).replies(&Position::new(Rules::Berkeley)).unwrap();
    let prover = Prover::new(TABLE_MIB);
    for reply in replies.sample(&mut rng, 12) {
        let answer = ForcedWins { book: true }.prepared(&reply.position).unwrap();
        let goal = Win::new(&reply.position, Color::White);
        let next = reply.position.after(answer.mv);
        let proof = prover.prove(&goal, &next, answer.plies - 1, &Limits::default());
        assert_eq!(proof.reached, Some(true), "{}", reply.position);
    }
}

#[test]
fn line_of_forced_win_ends_with_it() {
    let state = "........\n........\n........\nW......W\n...B....\n....B...\n........\n........\nW";
    let position = parse_state(&StateText::new(state.to_owned()), Rules::Berkeley).unwrap();
    let mut finder = Finder::new(ForcedWins { book: false }, TABLE_MIB);
    let forced = finder.find(&position, Side::First, &AMPLE_ALLOWANCE).unwrap();
    assert_eq!((forced.winner, forced.prepared), (Side::First, false));
    assert!(forced.plies <= 11 && forced.line.len() <= forced.plies as usize);
    let mut end = position;
    forced.line.iter().for_each(|&mv| end.play(mv).unwrap());
    assert_eq!(end.outcome().and_then(|outcome| outcome.winner()), Some(Side::First), "{end}");

    // Before the last four plies every move of Black loses, and the one found lasts longest.
    let mut lost = position;
    let played = forced.line.len() - 4;
    forced.line[..played].iter().for_each(|&mv| lost.play(mv).unwrap());
    let found = finder.find(&lost, Side::First, &AMPLE_ALLOWANCE).unwrap();
    let longest = finder.longest_defenses(&lost, found.plies, &AMPLE_ALLOWANCE);
    assert!(!longest.is_empty() && longest.iter().all(|defense| defense.plies == 3));
    for defense in longest {
        let next = lost.after(defense.mv);
        let left = finder.find(&next, Side::First, &AMPLE_ALLOWANCE).unwrap().plies;
        assert_eq!((found.plies, left), (4, 3));
    }
    let little = Allowance { nodes: Some(1_000), ..AMPLE_ALLOWANCE };
    assert_eq!(finder.find(&lost, Side::Second, &little), None);
}

/// Tests that with a depth, only the depth counts.
#[test]
fn depth_is_searched_as_without_tactics() {
    let mut rng = StdRng::seed_from_u64(3);
    let game = Network { rules: Rules::Berkeley };
    for _ in 0..10 {
        let position = samples::by_play(game.rules, rng.random_range(0..14), &mut rng);
        let position = host_position(&game, position);
        let constraints = Constraints::default();
        let chosen = engine(game.rules, true).choose(&position, Strength::Depth(3), &constraints);
        let chosen = chosen.unwrap().map(|chosen| (chosen.mv, chosen.value));
        let mut plain = engine(game.rules, false);
        let report = plain.search(&position, &Limits::depth(3), Scope::BestMove, &mut |_| {});
        let report = report.unwrap();
        assert_eq!(chosen, report.map(|report| (report.best_move(), report.best().value)));
    }
}

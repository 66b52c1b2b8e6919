//! Wins on the clock: from the empty board for whoever begins, and from what he may meet.
//!
//! Nothing here depends on how fast the computer is but how long it takes: the time is ample.

mod samples;

use std::time::Duration;

use network::solution::{Frame, Opening, PAIRS, index};
use network::{ChipEval, Color, ForcedWins, Move, Position, Rules, Win, parse_state};
use plyground::player::{Machine, Strength};
use plyground::proof::{Allowance, Finder, Prover, Tactics};
use plyground::search::Options;
use plyground::state::StateText;
use plyground::{Game, Limits, Side};
use rand::prelude::*;
use samples::random_move;

/// More than any win here takes.
const AMPLE: Duration = Duration::from_secs(600);
const TABLE_MIB: usize = 16;

const AMPLE_ALLOWANCE: Allowance = Allowance { deadline: None, nodes: None, stop: None };

fn machine(book: bool) -> Machine<ChipEval, ForcedWins> {
    let options = Options { table_mib: TABLE_MIB, ..Options::default() };
    let machine = Machine::new(ChipEval, Strength::Time(AMPLE), options);
    machine.with_tactics(ForcedWins { book }, TABLE_MIB)
}

/// The plies that it takes the first player to win, from `position` on with him to move, when the
/// other plays at random.
fn plies_to_win(mut position: Position, book: bool, rng: &mut StdRng) -> usize {
    let winner = position.side_to_move();
    let mut machine = machine(book);
    let mut plies = 0;
    while position.outcome().is_none() {
        let mv = if position.side_to_move() == winner {
            machine.think(&position, None).unwrap().best_move()
        } else {
            random_move(&position, rng)
        };
        position.play(mv).unwrap();
        plies += 1;
    }
    assert_eq!(position.outcome().unwrap().winner(), Some(winner), "{position}");
    plies
}

#[test]
fn who_begins_wins_by_his_eighth_chip() {
    let mut rng = StdRng::seed_from_u64(5);
    for rules in [Rules::Berkeley, Rules::Usf] {
        for book in [true, false, false] {
            let plies = plies_to_win(Position::new(rules), book, &mut rng);
            assert!(plies <= 15, "{plies} plies by the rules of {rules}");
        }
    }
}

/// The opening of the solution and mirror images of it, by the other rules with rows and columns
/// exchanged.
#[test]
fn the_opening_is_known_in_every_mirror_image() {
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
    // Who did not begin, or began otherwise, has no such knowledge.
    let mut position = Position::new(Rules::Berkeley);
    for mv in ["22", "33"] {
        position.play(mv.parse().unwrap()).unwrap();
        assert_eq!(ForcedWins { book: true }.prepared(&position), None);
    }
}

#[test]
fn the_table_has_an_answer_to_every_pair_of_replies() {
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
fn the_answers_of_the_table_win() {
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
fn a_line_of_a_forced_win_ends_with_it() {
    let state = "........\n........\n........\nW......W\n...B....\n....B...\n........\n........\nW";
    let position = parse_state(&StateText::new(state.to_owned()), Rules::Berkeley).unwrap();
    let mut finder = Finder::new(ForcedWins { book: false }, TABLE_MIB);
    let forced = finder.find(&position, Side::First, &AMPLE_ALLOWANCE).unwrap();
    assert_eq!((forced.winner, forced.prepared), (Side::First, false));
    assert!(forced.plies <= 11 && forced.line.len() <= forced.plies as usize);
    let mut end = position;
    forced.line.iter().for_each(|&mv| end.play(mv).unwrap());
    assert_eq!(end.outcome().and_then(|outcome| outcome.winner()), Some(Side::First), "{end}");

    // Before the last four plies all that Black does loses, and he resists for as long as he can.
    let mut lost = position;
    let played = forced.line.len() - 4;
    forced.line[..played].iter().for_each(|&mv| lost.play(mv).unwrap());
    let found = finder.find(&lost, Side::First, &AMPLE_ALLOWANCE).unwrap();
    let mv = finder.resist(&lost, found.plies, &AMPLE_ALLOWANCE).unwrap();
    let left = finder.find(&lost.after(mv), Side::First, &AMPLE_ALLOWANCE).unwrap().plies;
    assert_eq!((found.plies, left), (4, 3));
    let little = Allowance { nodes: Some(1_000), ..AMPLE_ALLOWANCE };
    assert_eq!(finder.find(&lost, Side::Second, &little), None);
}

/// With a depth nothing but the depth counts.
#[test]
fn a_depth_is_searched_as_without_tactics() {
    let mut rng = StdRng::seed_from_u64(3);
    let machine = || {
        let options = Options { table_mib: TABLE_MIB, ..Options::default() };
        Machine::new(ChipEval, Strength::Depth(3), options)
    };
    for _ in 0..10 {
        let position = samples::by_play(Rules::Berkeley, rng.random_range(0..14), &mut rng);
        let plain = machine().think(&position, None);
        let tactics = ForcedWins { book: true };
        let with_tactics = machine().with_tactics(tactics, TABLE_MIB).think(&position, None);
        assert_eq!(plain.map(|report| report.lines), with_tactics.map(|report| report.lines));
    }
}

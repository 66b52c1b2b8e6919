//! Wins on the clock: from the empty board for the player that begins, and from later positions of
//! the solution.
//!
//! The time is ample: how fast the computer is decides only how long the tests take.

use std::time::Duration;

use network::solution::{Frame, PAIRS, index};
use network::{Color, ForcedWins, Move, Network, Position, Rules, Win, game, parse_state};
use plyground::proof::{Allowance, Finder, Prover, Tactics};
use plyground::search::{Options, Scope};
use plyground::{Game, Limits, Side};
use plyground_host::state::StateText;
use plyground_host::{Constraints, EngineOptions, HostedEngine, Strength, host_position};
use rand::prelude::*;
use research::Opening;

use crate::samples;

/// More than any win here takes.
const AMPLE: Duration = Duration::from_secs(600);
const TABLE_MIB: usize = 16;

const AMPLE_ALLOWANCE: Allowance = Allowance { deadline: None, nodes: None, stop: None };

fn engine(rules: Rules, book: bool) -> Box<dyn HostedEngine> {
    let search = Options { table_mib: TABLE_MIB, ..Options::default() };
    game(rules).engine(EngineOptions { search, book: None, without_prepared: !book })
}

/// The plies that it takes the first player to win from the start when the other plays at random.
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

/// The opening of the solution and mirror images of it, by the other rules with rows and columns
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

/// With a depth, nothing but the depth counts.
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

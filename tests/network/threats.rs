//! Winning moves and parries against the naive rules.

use network::naive::{Board, NaiveMove};
use network::{ChipEval, Color, Move, Position, Rules, parse_state};
use plyground::search::Options;
use plyground::{AlphaBeta, Forcing, Game, Limits, Score, Search, SearchHints, Successors};
use plyground_host::state::StateText;
use rand::prelude::*;

use crate::samples::{any_phase, board_of, by_play, by_setup, naive_move, place, random_rules};

const POSITIONS: usize = 100_000;

/// Adds, and as many steps as can be afforded: a hundred times as slow.
fn sample(index: usize, rng: &mut StdRng) -> Position {
    match index % 20 {
        0 => any_phase(rng),
        1 => by_setup(random_rules(rng), 10, 10, rng),
        n if n % 2 == 0 => by_play(random_rules(rng), rng.random_range(8..20), rng),
        _ => {
            let chips = rng.random_range(5..10);
            by_setup(random_rules(rng), chips, rng.random_range(chips - 1..10), rng)
        }
    }
}

/// The moves by which `color` wins at once if it is its turn, by trying all.
fn naive_wins(board: &Board, color: char) -> Vec<String> {
    let mut board = board.clone();
    board.to_move = color;
    let wins = |mv: &NaiveMove| {
        let next = board.play(*mv);
        next.has_network(color) && next.winner() == Some(color)
    };
    board.legal_moves().into_iter().filter(wins).map(NaiveMove::text).collect()
}

#[test]
#[ignore = "long"]
fn winning_moves_are_those_of_the_naive_rules() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut adds, mut steps) = (0, 0);
    for index in 0..POSITIONS {
        let position = sample(index, &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        let board = board_of(&position);
        for color in Color::BOTH {
            let mut found: Vec<String> = position.wins(color).map(|mv| mv.to_string()).collect();
            let mut expected = naive_wins(&board, color.letter());
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{color}\n{position}");
            if position.in_hand(color) > 0 { adds += found.len() } else { steps += found.len() }
        }
    }
    println!("{adds} winning adds, {steps} winning steps");
    assert!(adds > 20_000 && steps > 20_000);
}

/// Returns `true` if the opponent wins by `win` after `mv`, by the naive rules.
fn still_wins(board: &Board, mv: Move, win: Move) -> bool {
    let next = board.play(naive_move(mv));
    next.why_illegal(naive_move(win)).is_none() && {
        let end = next.play(naive_move(win));
        end.winner() == Some(next.to_move)
    }
}

/// Asserts that some threat is carried out after a move that is no parry and does not end the game.
/// If both sides add, no threat can be carried out after a parry.
fn assert_parries(position: &Position) -> usize {
    let board = board_of(position);
    let threats = position.threats();
    let wins: Vec<Move> = position.wins(position.to_move().other()).collect();
    assert_eq!(threats.exist(), !wins.is_empty());
    if wins.is_empty() {
        return 0;
    }
    let both_add = Color::BOTH.iter().all(|&color| position.in_hand(color) > 0);
    let parries: Vec<Move> = position.parries(&threats).collect();
    for mv in position.legal_moves() {
        let is_parry = parries.contains(&mv);
        let is_over = || position.after(mv).outcome().is_some();
        if is_parry && !both_add || !is_parry && is_over() {
            continue;
        }
        let lost = wins.iter().any(|&win| still_wins(&board, mv, win));
        assert_eq!(lost, !is_parry, "{mv}\n{position}");
    }
    1
}

/// Returns the position without what it knows of how it came about.
fn afresh(position: &Position) -> Position {
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    Position::from_chips(position.rules(), white, black, position.to_move()).unwrap()
}

/// Wins of both colors, and what the game tells of it, which must be the same for a position that
/// knows how it came about.
fn assert_as_afresh(position: &Position) -> (Forcing<Move>, Vec<Move>) {
    let fresh = afresh(position);
    for color in Color::BOTH {
        assert!(position.wins(color).eq(fresh.wins(color)), "{color}\n{position}");
    }
    let (mut replies, mut expected) = (Vec::new(), Vec::new());
    let told = position.forcing(&mut replies);
    assert_eq!(told, fresh.forcing(&mut expected), "{position}");
    assert_eq!(replies, expected, "{position}");
    (told, replies)
}

#[test]
fn successors_are_what_they_are_afresh() {
    let mut rng = StdRng::seed_from_u64(7);
    let (mut quiet, mut threatened, mut over) = (0, 0, 0);
    for index in 0..POSITIONS / 10 {
        let mut position = sample(index, &mut rng);
        for _ in 0..6 {
            if position.outcome().is_some() {
                break;
            }
            let (told, replies) = assert_as_afresh(&position);
            // A search that is near its end does not ask.
            let told = if rng.random_ratio(1, 4) { Forcing::Unknown } else { told };
            let moves = match told {
                Forcing::Threatened => replies,
                _ => position.legal_moves().collect(),
            };
            quiet += usize::from(told == Forcing::Quiet);
            threatened += usize::from(told == Forcing::Threatened);
            let mut successors = position.successors(told);
            let mut next = None;
            for &mv in &moves {
                let successor = successors.after(mv);
                let expected = afresh(&position.after(mv));
                assert_eq!(successor, expected, "{mv}\n{position}");
                assert_eq!(successor.key(), expected.key(), "{mv}\n{position}");
                assert_eq!(successor.outcome(), expected.outcome(), "{mv}\n{position}");
                over += usize::from(successor.outcome().is_some());
                next =
                    if rng.random_ratio(1, 8) { Some(successor) } else { next.or(Some(successor)) };
            }
            drop(successors);
            let Some(next) = next else { break };
            position = next;
        }
    }
    println!("{quiet} quiet, {threatened} threatened, {over} successors over");
    assert!(quiet > 5_000 && threatened > 1_000 && over > 1_000);
}

#[test]
#[ignore = "long"]
fn moves_that_are_no_parries_lose_at_once() {
    let mut rng = StdRng::seed_from_u64(2);
    let (mut adds, mut steps) = (0, 0);
    for index in 0..POSITIONS {
        let position = sample(index, &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        let count = assert_parries(&position);
        if position.in_hand(position.to_move()) > 0 { adds += count } else { steps += count }
    }
    println!("{adds} threats against adds, {steps} against steps");
    assert!(adds > 5_000 && steps > 1_000);
}

/// Returns `true` if some threat is carried out after `mv` if networks of the mover's own, which
/// the opponent's step completes, are not looked at: a mask without the rule goes by this.
fn seems_lost(board: &Board, mv: Move, wins: &[Move]) -> bool {
    let next = board.play(naive_move(mv));
    wins.iter().any(|&win| {
        let end = next.play(naive_move(win));
        next.at(place(win.to())) == '.' && end.has_network(next.to_move)
    })
}

/// Positions of the step phase in which every move seems to lose to a threat, and the best wins.
const STEP_PHASE_TRAPS: [(Rules, &str); 2] = [
    (Rules::Berkeley, "..B.B.B./..WW..../W......./.W...W../..B.B.../...WBWB./WBBW..W./.....B../B"),
    (Rules::Usf, "..B...B./..B..B.W/W...W.../..B.WBW./W.B..BW./..W...../.B..B.WW/......../W"),
];

/// A step of the opponent that opens a line of mine completes both networks, and does not win:
/// a parry that is on none of the opponent's lines.
#[test]
fn step_phase_traps_are_seen() {
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
    for (rules, rows) in STEP_PHASE_TRAPS {
        let text = StateText::new(rows.replace('/', "\n"));
        let position = parse_state(&text, rules).unwrap();
        let board = board_of(&position);
        let wins: Vec<Move> = position.wins(position.to_move().other()).collect();
        assert!(position.legal_moves().all(|mv| seems_lost(&board, mv, &wins)));
        let report = search.best(&position, &Limits::depth(3)).unwrap();
        assert_eq!(report.score(), Score::win_in(3), "{position}");
        let threats = position.threats();
        let mut parries = position.parries(&threats);
        assert!(parries.any(|mv| mv == report.best_move()), "{position}");
    }
}

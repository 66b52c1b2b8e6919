//! How long the game lasts, as the tables in results/ settle it.

use network::naive::{Board, NaiveMove, Place, goal, is_corner, places};
use network::{Position, Rules, Win};
use plyground::proof::Prover;
use plyground::{Game, Limits};
use rand::prelude::*;

const TABLE_MIB: usize = 16;
/// The chip that suffices after each pair of replies to 03 and 73.
const PAIRS: &str = include_str!("../../results/network-replies.csv");

fn limits() -> Limits {
    Limits::default()
}

/// The same position for the naive rules.
fn naive(position: &Position) -> Board {
    Board::from_text(&position.to_string(), position.rules() == Rules::Usf).unwrap()
}

/// Whether `color` has won or can force a win within this many plies: minimax by the naive rules.
fn wins_within(board: &Board, color: char, plies: u32) -> bool {
    if let Some(winner) = board.winner() {
        return winner == color;
    }
    let mut next = board.legal_moves().into_iter().map(|mv| board.play(mv));
    match plies.checked_sub(1) {
        None => false,
        Some(left) if board.to_move == color => next.any(|next| wins_within(&next, color, left)),
        Some(left) => next.all(|next| wins_within(&next, color, left)),
    }
}

/// Plays the shortest win of the color to move against the longest defense, until it has three plies
/// left: it is won within `plies`, not within two fewer, and this stays so.
fn to_the_last_three(prover: &Prover, mut position: Position, mut plies: u32) -> Position {
    let color = position.to_move();
    let goal = Win::new(&position, color);
    let reached = |at: &Position, plies| prover.prove(&goal, at, plies, &limits()).reached.unwrap();
    assert!(reached(&position, plies) && !reached(&position, plies - 2), "{position}");
    while plies > 3 {
        let best = prover.prove(&goal, &position, plies, &limits()).best.unwrap();
        let after = position.after(best);
        plies -= 2;
        let mut replies = after.legal_moves().map(|reply| after.after(reply));
        position = replies.find(|next| !reached(next, plies - 2)).unwrap();
        assert!(reached(&position, plies), "{position}");
    }
    position
}

/// After pairs of replies that cost six, seven and eight chips, minimax by the naive rules finds the
/// win of the last two chips with the ply of the last one: not with the reply before.
#[test]
fn last_plies_of_the_longest_defense_are_those_of_naive_minimax() {
    let mut rng = StdRng::seed_from_u64(15);
    let prover = Prover::new(TABLE_MIB);
    for chip in ["6", "7", "8"] {
        let fits = |line: &&str| line.split(',').nth(1) == Some(chip);
        let row = PAIRS.lines().skip(1).filter(fits).choose(&mut rng).unwrap();
        let mut position = Position::new(Rules::Berkeley);
        for mv in row.split(',').next().unwrap().split(' ') {
            position.play(mv.parse().unwrap()).unwrap();
        }
        let plies = position.plies_to_chip(position.to_move(), chip.parse().unwrap());
        let last = naive(&to_the_last_three(&prover, position, plies));
        let won: Vec<bool> = (1..=4).map(|plies| wins_within(&last, 'W', plies)).collect();
        assert_eq!(won, [false, false, true, true], "{row}\n{}", last.text());
    }
}

/// The squares of one of the color's goals, and all on which a chip of it can keep it from adding
/// there: a group of three reaches no farther than two squares.
fn goal_and_near(color: char, number: u8) -> [Vec<Place>; 2] {
    let own: Vec<Place> = places().filter(|&at| goal(at) == Some((color, number))).collect();
    let is_near = |&&(x, y): &&Place| {
        own.iter().any(|&(goal_x, goal_y)| (x - goal_x).abs() <= 2 && (y - goal_y).abs() <= 2)
    };
    let is_own = |&at: &Place| !is_corner(at) && goal(at).is_none_or(|(owner, _)| owner == color);
    let all: Vec<Place> = places().filter(is_own).collect();
    let near = all.iter().filter(is_near).copied().collect();
    [own, near]
}

/// Whether the color, with these chips on the board, can add none on `squares`; `None` if it can
/// have no such chips.
fn keep_from(color: char, squares: &[Place], chips: &[Place]) -> Option<bool> {
    let mut board = Board::from_text(&("........\n".repeat(8) + &color.to_string()), false)?;
    chips.iter().for_each(|&at| board.set(at, color));
    chips.iter().all(|&at| board.group_size(at) <= 2).then_some(())?;
    let may_add = |&to: &Place| board.why_illegal(NaiveMove { from: None, to }).is_none();
    Some(!squares.iter().any(may_add))
}

/// A color always has an add with fewer than eight chips on the board, so until the ninth chip of
/// its opponent every win is a network. The opponent cannot stand in its goals, no chip is near both,
/// and three keep it from adding in neither.
#[test]
fn color_has_an_add_until_its_eighth_chip() {
    for color in ['W', 'B'] {
        let sides = [1, 2].map(|number| goal_and_near(color, number));
        assert!(sides[0][1].iter().all(|at| !sides[1][1].contains(at)));
        for [squares, near] in &sides {
            let mut kept = [0; 2];
            for (i, &first) in near.iter().enumerate() {
                for (j, &second) in near.iter().enumerate().skip(i + 1) {
                    for &third in &near[j + 1..] {
                        let all = keep_from(color, squares, &[first, second, third]);
                        kept[usize::from(all == Some(true))] += 1;
                    }
                }
            }
            assert_eq!(kept, [816, 0], "{color}");
        }
    }
    // Four do, and eight leave no add at all.
    let [squares, _] = goal_and_near('B', 1);
    assert_eq!(keep_from('B', &squares, &[(2, 1), (2, 2), (5, 1), (5, 2)]), Some(true));
    let stuck = "........\n..B..B..\n..B..B..\n........\n";
    let turned: String = stuck.lines().rev().map(|line| format!("{line}\n")).collect();
    let board = Board::from_text(&format!("{stuck}{turned}B"), false).unwrap();
    assert_eq!(board.winner(), Some('W'));
}

//! The proof search against exact values.

use maxconnect4::{Position, Size};
use plyground::proof::{AtLeast, Goal, Numbers, Prover};
use plyground::testing::{Coins, Digraph, TicTacToe, random_position};
use plyground::{Flat, Game, Limits, Minimax, Score, Search, SearchHints, Side};

/// The size of the table in MiB.
const TABLE: usize = 1;

/// A goal with guesses that know nothing: any numbers, of many positions.
struct Guessing(AtLeast);

impl<G: SearchHints> Goal<G> for Guessing {
    fn attacker(&self) -> Side {
        self.0.attacker
    }

    fn salt(&self, position: &G) -> u64 {
        self.0.salt(position)
    }

    fn judge(&self, position: &G, plies: u32) -> Numbers {
        self.0.judge(position, plies)
    }

    fn guess(&self, position: &G, plies: u32) -> Option<Numbers> {
        let [proof, disproof] = [position.key(), position.key() >> 8].map(|bits| bits as u32 % 8);
        (proof > 0 && plies > 0).then(|| Numbers::open(proof, disproof))
    }
}

/// Every question about the margin of `position` within `plies` has minimax's answer.
pub fn agree<G: SearchHints>(prover: &Prover, position: &G, plies: u32, margins: &[i32]) {
    if position.outcome().is_some() {
        return;
    }
    let report = Minimax::new(Flat).best(position, &Limits::depth(plies)).expect("a game");
    for attacker in Side::BOTH {
        for &margin in margins {
            let is_mover = position.side_to_move() == attacker;
            let value = if is_mover { report.score() } else { -report.score() };
            let goal = AtLeast { attacker, margin };
            let proof = prover.prove(&goal, position, plies, &Limits::default());
            let expected = value >= Score::points(margin);
            assert_eq!(proof.reached, Some(expected), "{attacker:?} {margin}\n{position}");
            let guessing = Prover::new(TABLE);
            let proof = guessing.prove(&Guessing(goal), position, plies, &Limits::default());
            assert_eq!(
                proof.reached,
                Some(expected),
                "guessing, {attacker:?} {margin}\n{position}"
            );
        }
    }
}

#[test]
fn tic_tac_toe() {
    for seed in 0..100 {
        let position = random_position(&TicTacToe::default(), seed as u32 % 8 + 1, seed);
        agree(&Prover::new(TABLE), &position, 9, &[0, 1]);
    }
}

/// Within a number of plies, whatever the cycles. A draw is not asked for: minimax calls what it
/// has not finished even.
#[test]
fn digraphs() {
    for seed in 0..200 {
        let position = random_position(&Digraph::new(seed, 40, 4), 1, seed);
        for plies in [1, 2, 5, 8] {
            agree(&Prover::new(TABLE), &position, plies, &[1]);
        }
    }
}

/// A proof within many plies is not taken for one within fewer.
#[test]
fn one_table_for_long_and_short_wins() {
    let mut longer = 0;
    for seed in 0..300 {
        let position = random_position(&Digraph::new(seed, 60, 3), 1, seed);
        if position.outcome().is_some() {
            continue;
        }
        let prover = Prover::new(TABLE);
        for plies in (2..=9).rev() {
            agree(&prover, &position, plies, &[1]);
            for mv in position.legal_moves() {
                agree(&prover, &position.after(mv), plies - 1, &[1]);
            }
        }
        let value = Minimax::new(Flat).best(&position, &Limits::depth(9)).expect("a game").score();
        longer += usize::from(value.plies_to_end().is_some_and(|plies| plies.abs() > 4));
    }
    assert!(longer > 10, "{longer}");
}

#[test]
fn coins() {
    for seed in 0..60 {
        let position = random_position(&Coins::new(seed, 9), 1, seed);
        agree(&Prover::new(TABLE), &position, 9, &[-4, -1, 0, 1, 4]);
    }
}

#[test]
fn maxconnect4_late_positions() {
    for seed in 0..80 {
        let (columns, rows) = [(4, 4), (5, 4), (7, 6)][seed as usize % 3];
        let empty = Position::empty(Size::new(columns, rows).expect("a size"));
        let position = random_position(&empty, empty.empty_cells() - 6, seed);
        agree(&Prover::new(TABLE), &position, 6, &[-2, -1, 0, 1, 2]);
    }
}

/// The goals that the limits of a position decide, and whether they are reached at the end of the game.
fn decided_goals(position: &Position) -> Vec<(AtLeast, bool)> {
    let (side, limits) = (position.side_to_move(), position.bounds());
    let mut goals = Vec::new();
    for (attacker, limits) in [(side, limits), (side.other(), limits.flip())] {
        for margin in -4..=4 {
            let wanted = Score::points(margin);
            if wanted <= limits.lower || wanted > limits.upper {
                goals.push((AtLeast { attacker, margin }, wanted <= limits.lower));
            }
        }
    }
    goals
}

/// Limits on the margin speak of the end of the game: within fewer plies nothing is reached, and
/// within as many or more they answer by themselves.
#[test]
fn limits_on_the_margin_count_only_within_reach_of_the_end() {
    const EMPTY: u32 = 8;
    let (mut asked, mut visited) = (0, 0);
    for seed in 0..60 {
        let empty = Position::empty(Size::STANDARD);
        let position = random_position(&empty, empty.empty_cells() - EMPTY, seed);
        for (goal, is_reached) in decided_goals(&position) {
            for plies in 0..=EMPTY + 1 {
                let prover = Prover::new(TABLE);
                let proof = prover.prove(&goal, &position, plies, &Limits::default());
                let expected = is_reached && plies >= EMPTY;
                assert_eq!(proof.reached, Some(expected), "{goal:?} in {plies}: {position}");
                if plies >= EMPTY || !is_reached {
                    asked += 1;
                    visited += proof.nodes;
                }
            }
        }
    }
    assert!(asked > 1000, "{asked}");
    assert_eq!(visited, 0);
}

/// A limit that decides says nothing of a move, but one is found.
#[test]
fn a_goal_that_is_reached_without_a_search_has_a_winning_move() {
    const EMPTY: u32 = 6;
    let mut found = 0;
    for seed in 0..200 {
        let empty = Position::empty(Size::STANDARD);
        let position = random_position(&empty, empty.empty_cells() - EMPTY, seed);
        let report = Minimax::new(Flat).best(&position, &Limits::depth(EMPTY)).expect("a game");
        let goal = AtLeast { attacker: position.side_to_move(), margin: -2 };
        let prover = Prover::new(TABLE);
        let mv = prover.winning_move(&goal, &position, EMPTY);
        assert_eq!(mv.is_some(), report.score() >= Score::points(-2), "{position}");
        let Some(mv) = mv else { continue };
        let next = position.after(mv);
        let value = Minimax::new(Flat).best(&next, &Limits::depth(EMPTY - 1)).expect("a game");
        assert!(-value.score() >= Score::points(-2), "{mv}\n{position}");
        found += u32::from(position.bounds().lower >= Score::points(-2));
    }
    assert!(found > 20, "{found}");
}

/// One prover for all positions of a game and both attackers, as a player keeps it: what is the same
/// to the side to move need not be the same question.
fn agree_with_one_table<G: SearchHints>(positions: impl Iterator<Item = G>, plies: u32) {
    let prover = Prover::new(TABLE);
    for position in positions {
        agree(&prover, &position, plies, &[-1, 0, 1]);
    }
}

#[test]
fn one_table_for_both_sides_of_coins() {
    // The same coins are left for either side, for a move takes one of them or more.
    let rows = (0..20).flat_map(|seed| {
        (0..6).map(move |plies| random_position(&Coins::new(seed, 7), plies, u64::from(plies)))
    });
    agree_with_one_table(rows, 7);
}

#[test]
fn one_table_for_boards_with_either_side_to_move() {
    let boards = (0..40).flat_map(|seed| {
        let empty = Position::empty(Size::new(4, 4).expect("a size"));
        let board = random_position(&empty, 11, seed);
        let other_turn = |side| {
            let swapped = |column, row| {
                let cell: Option<Side> = board.cell(column, row);
                if side == board.side_to_move() { cell } else { cell.map(Side::other) }
            };
            Position::from_cells(board.size(), side, swapped).expect("no piece hangs in the air")
        };
        Side::BOTH.map(other_turn)
    });
    agree_with_one_table(boards, 5);
}

/// A goal that finds everything as hard as can be.
struct Daunting(AtLeast);

impl<G: SearchHints> Goal<G> for Daunting {
    fn attacker(&self) -> Side {
        self.0.attacker
    }

    fn salt(&self, position: &G) -> u64 {
        self.0.salt(position)
    }

    fn judge(&self, position: &G, plies: u32) -> Numbers {
        let judged = self.0.judge(position, plies);
        if judged.verdict().is_none() { Numbers::open(u32::MAX, u32::MAX) } else { judged }
    }
}

/// Numbers that add up to more than can be kept say nothing any more, but the search goes on.
#[test]
fn numbers_beyond_all_bounds_do_not_stop_the_search() {
    const AMPLE: u64 = 1_000_000;
    for seed in 0..40 {
        let position = random_position(&Digraph::new(seed, 40, 4), 1, seed);
        if position.outcome().is_some() {
            continue;
        }
        let value = Minimax::new(Flat).best(&position, &Limits::depth(6)).expect("a game").score();
        for attacker in Side::BOTH {
            let won =
                if attacker == position.side_to_move() { value.is_win() } else { value.is_loss() };
            let goal = Daunting(AtLeast { attacker, margin: 1 });
            let proof = Prover::new(TABLE).prove(&goal, &position, 6, &Limits::nodes(AMPLE));
            assert_eq!(proof.reached, Some(won), "{attacker:?} {position}");
        }
    }
}

#[test]
fn a_game_that_is_over_has_no_winning_move() {
    let mut position = TicTacToe::default();
    for square in ["1", "4", "2", "5", "3"] {
        position.play(square.parse().expect("a square")).expect("a free square");
    }
    let goal = AtLeast { attacker: Side::First, margin: 1 };
    for plies in [0, 1, 4] {
        let prover = Prover::new(TABLE);
        assert_eq!(prover.prove(&goal, &position, plies, &Limits::default()).reached, Some(true));
        assert_eq!(prover.winning_move(&goal, &position, plies), None);
    }
}

#[test]
fn a_table_that_the_system_refuses_is_made_smaller() {
    for mib in [1 << 27, 1 << 44, usize::MAX] {
        agree(&Prover::new(mib), &Coins::new(1, 5), 5, &[0]);
    }
}

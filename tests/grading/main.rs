//! The checks of the games show what they are meant to show; and plain minimax with evaluations of several
//! kinds, by rules of its own: every one of them is right enough for all points of the checks of
//! Max-Connect4 that ask for search, as either player, and none is taken for a program that counts the
//! moves ahead otherwise.

use std::collections::HashSet;
use std::time::Duration;

use network::Rules;
use plyground::{Game, Side};
use plyground_arena::programs::ProgramOptions;
use plyground_grading::grade::{
    CheckKind, Count, DrawnCheck, Examinee, Grader, Task, draw_checks, parse_checks,
};
use plyground_host::{HostedGame, HostedPosition, Promise, SharedGame};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn drawn(game: &dyn HostedGame, seed: u64) -> Vec<DrawnCheck> {
    let checks = parse_checks(game.checks()).expect("checks");
    assert_eq!(checks.iter().map(|check| check.points).sum::<f64>(), 100.0);
    draw_checks(game, &checks, seed).expect("positions")
}

/// The checks in which something is to be seen.
fn to_see(checks: &[DrawnCheck]) -> impl Iterator<Item = (&DrawnCheck, u32)> {
    checks.iter().filter_map(|drawn| Some((drawn, drawn.check.keys.plies?)))
}

fn states(checks: &[DrawnCheck]) -> Vec<String> {
    checks.iter().flat_map(|drawn| &drawn.tasks).map(|task| task.position.state_word()).collect()
}

/// Checks the positions of a seed.
fn assert_something_to_see(seed: u64) {
    for game in [maxconnect4::game(), network::game(Rules::Berkeley)] {
        let checks = drawn(&*game, seed);
        for (drawn, plies) in to_see(&checks) {
            let count: usize = drawn.check.draw.iter().map(|rule| rule.count).sum();
            assert_eq!(drawn.tasks.len(), count, "{}", drawn.check.name);
            let gap = drawn.check.draw.iter().find_map(|rule| rule.gap);
            for task in &drawn.tasks {
                assert!(task.chance() <= 0.7, "{}", task.position);
                if game.name() == "maxconnect4" {
                    assert!(task.chance() <= 0.4, "{}", task.position);
                }
                if let Some(gap) = gap {
                    assert!((11..=18).contains(&task.position.plies_left().unwrap_or(0)));
                    assert!((plies..=plies + 1).contains(&task.plies));
                    assert_lose_points(task, task.plies, gap);
                    continue;
                }
                let (best, promise) = task.position.best_moves(task.plies);
                assert_eq!(best, task.right);
                assert_ne!(promise, Promise::Lost, "{}", task.position);
                if game.name() == "maxconnect4" {
                    assert!((plies - 1..=plies).contains(&task.plies), "{}", task.position);
                    assert_eq!(task.position.plies_left(), Some(task.plies));
                }
            }
        }
    }
}

#[test]
fn something_is_to_be_seen_in_every_position() {
    assert_something_to_see(1);
}

#[test]
#[ignore = "long"]
fn something_is_to_be_seen_in_positions_of_another_seed() {
    assert_something_to_see(2);
}

/// All other moves lose so many points.
fn assert_lose_points(task: &Task, plies: u32, gap: u32) {
    let margins = task.position.margins(plies).expect("points");
    let of = |is_right: bool| {
        let moves = margins.iter().filter(move |(mv, _)| task.right.contains(mv) == is_right);
        moves.map(|&(_, margin)| margin)
    };
    let [best, others] = [of(true).max(), of(false).max()].map(|margin| margin.expect("a move"));
    assert!(best - others >= gap as i32, "{}", task.position);
}

/// The fast search finds the moves that the margins of all moves show, which are plain minimax.
#[test]
fn best_moves_by_points_are_those_of_all_margins() {
    let mut rng = StdRng::seed_from_u64(1);
    for moves in (0..40).cycle().take(400) {
        let (_, position) = maxconnect4::game().start().after_random_moves(&mut rng, moves);
        for (plies, gap) in [(1, 1), (2, 2), (2, 1), (3, 1), (4, 2), (4, 1), (5, 1)] {
            let margins = position.margins(plies).expect("points");
            let best = margins.iter().map(|&(_, margin)| margin).max();
            let is_near = |margin: i32| best.is_some_and(|best| best.abs_diff(margin) < gap);
            let near = margins.iter().filter(|&&(_, margin)| is_near(margin));
            let near: Vec<_> = near.map(|&(mv, _)| mv).collect();
            let sooner = position.best_by_points(if plies > 2 { plies - 2 } else { 1 }, 1);
            let is_late = !near.iter().any(|mv| sooner.iter().flatten().any(|it| it == mv));
            assert_eq!(position.shows_late(plies, gap), is_late && !near.is_empty(), "{position}");
            assert_eq!(position.best_by_points(plies, gap), Some(near), "{position}");
        }
    }
}

#[test]
#[ignore = "long"]
fn positions_are_those_of_the_kind_of_check() {
    for game in [maxconnect4::game(), network::game(Rules::Berkeley), network::game(Rules::Usf)] {
        for drawn in drawn(&*game, 3) {
            let is_over = |position: &HostedPosition| position.is_over();
            let (all, over) = (drawn.tasks.len(), |wanted: bool| {
                drawn.tasks.iter().filter(|task| is_over(&task.position) == wanted).count()
            });
            let ends = [CheckKind::StopsWhenOver, CheckKind::WritesNothingWhenOver];
            let wanted = ends.contains(&drawn.check.kind);
            assert_eq!(over(wanted), all, "{}", drawn.check.name);
            if drawn.check.kind == CheckKind::PrintsScore {
                for task in &drawn.tasks {
                    let [first, second] = task.position.points().expect("points");
                    assert!(first >= 2 && second >= 2 && first != second, "{}", task.position);
                }
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn seed_decides_the_positions_and_other_checks_do_not() {
    let game = maxconnect4::game();
    let [one, again, other] = [1, 1, 2].map(|seed| drawn(&*game, seed));
    assert_eq!(states(&one), states(&again));
    let known: HashSet<String> = states(&one).into_iter().collect();
    let empty = game.start().state_word();
    let is_drawn = |drawn: &&DrawnCheck| !drawn.check.draw.is_empty();
    let other: Vec<DrawnCheck> = other.iter().filter(is_drawn).cloned().collect();
    let both = states(&other).into_iter().filter(|state| *state != empty && known.contains(state));
    assert_eq!(both.count(), 0);
    // Without the others, a check has the same positions.
    let last = parse_checks(game.checks()).expect("checks").split_off(8);
    let alone = draw_checks(&*game, &last, 1).expect("positions");
    assert_eq!(states(&alone), states(&one[8..]));
}

/// Returns the share of its points that a player earns by seeing ahead, and its points for the
/// depth.
fn seen(game: &SharedGame, checks: &[DrawnCheck], player: &str, seed: u64) -> (f64, f64) {
    let grader = Grader {
        gate: std::sync::Arc::default(),
        game: SharedGame::clone(game),
        checks: to_see(checks).map(|(drawn, _)| drawn.clone()).collect(),
        programs: ProgramOptions::default(),
        seed,
        total: Duration::from_secs(3600),
        reviewed: 0,
    };
    let examinee = Examinee { player: player.into(), log: "log".to_owned() };
    let results = grader.grade(&examinee).expect("results");
    let is_depth = |name: &str| name.starts_with("the depth is");
    let depth = results.checks.iter().filter(|check| is_depth(&check.name));
    let depth = depth.map(|check| check.score).sum();
    (results.score() / results.max_score(), depth)
}

#[test]
#[ignore = "long"]
fn random_play_earns_next_to_nothing_for_seeing_ahead() {
    let parts = if std::env::var_os("PLYGROUND_NIGHTLY").is_some() { 1 } else { 10 };
    for (game, draws, seeds) in
        [(maxconnect4::game(), 5, 1000 / parts), (network::game(Rules::Berkeley), 2, 200 / parts)]
    {
        let mut sum = 0.0;
        for draw in 0..draws {
            let checks = drawn(&*game, draw);
            let seeds = (draw..seeds).step_by(draws as usize);
            sum += seeds.map(|seed| seen(&game, &checks, "random", seed).0).sum::<f64>();
        }
        let mean = sum / seeds as f64;
        assert!(mean <= 0.05, "{}: {mean}", game.name());
        // Some programs earn something.
        assert!(mean > 0.0, "{}", game.name());
    }
}

#[test]
#[ignore = "long"]
fn our_players_see_everything_at_the_depth_asked_and_count_it_right() {
    for game in [maxconnect4::game(), network::game(Rules::Berkeley)] {
        for seed in [10, 11] {
            let checks = drawn(&*game, seed);
            let (share, depth) = seen(&game, &checks, "machine:depth={depth}", 1);
            assert_eq!(share, 1.0, "{} {seed}", game.name());
            assert!(depth > 0.0);
        }
    }
    let game = maxconnect4::game();
    let (share, depth) = seen(&game, &drawn(&*game, 20), "machine:perfect", 1);
    assert_eq!((share, depth), (1.0, 5.0));
}

const COLUMNS: usize = 7;
const ROWS: usize = 6;

/// The rows from the bottom; 0 is empty, 1 and 2 are the players.
type Board = [[u8; COLUMNS]; ROWS];

type Evaluation = fn(&Board) -> i32;

/// The evaluations, as player 1 sees the position.
const EVALUATIONS: [(&str, Evaluation); 7] = [
    ("points", |board| margin(board)),
    ("open lines", |board| lines(board, [0, 1, 3, 9, 100])),
    ("steep lines", |board| lines(board, [0, 1, 10, 100, 1000])),
    ("heavy threes", |board| lines(board, [0, 1, 10, 50, 100])),
    ("squares", |board| lines(board, [0, 1, 4, 9, 16])),
    ("center", |board| 100 * margin(board) + center(board)),
    ("filled", |board| 100 * margin(&filled(board)) + lines(board, [0, 4, 7, 12, 40])),
];

/// The sum over all fours that one player alone has pieces in, by the number of these.
fn lines(board: &Board, worth: [i32; 5]) -> i32 {
    let mut sum = 0;
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            for (up, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let last = (row + 3 * up, column as i32 + 3 * right);
                if last.0 >= ROWS || !(0..COLUMNS as i32).contains(&last.1) {
                    continue;
                }
                let mut pieces = [0; 3];
                for step in 0..4 {
                    let across = (column as i32 + step as i32 * right) as usize;
                    pieces[usize::from(board[row + step * up][across])] += 1;
                }
                match pieces {
                    [_, own, 0] => sum += worth[own],
                    [_, 0, own] => sum -= worth[own],
                    _ => {}
                }
            }
        }
    }
    sum
}

fn margin(board: &Board) -> i32 {
    lines(board, [0, 0, 0, 0, 1])
}

fn center(board: &Board) -> i32 {
    let worth = |column: usize, cell| match cell {
        1 => 3 - (column as i32 - 3).abs(),
        2 => (column as i32 - 3).abs() - 3,
        _ => 0,
    };
    board.iter().flat_map(|row| row.iter().enumerate()).map(|(at, &cell)| worth(at, cell)).sum()
}

/// The full board when player 2 answers every move on top of it.
fn filled(board: &Board) -> Board {
    let mut full = *board;
    for (row, cells) in full.iter_mut().enumerate() {
        for cell in cells.iter_mut().filter(|cell| **cell == 0) {
            *cell = [1, 2][row % 2];
        }
    }
    full
}

/// The board after the move of a player; `None` when the column is full.
fn after(board: &Board, column: usize, player: u8) -> Option<Board> {
    let row = (0..ROWS).find(|&row| board[row][column] == 0)?;
    let mut next = *board;
    next[row][column] = player;
    Some(next)
}

/// The value for `player`, who is to move, so many moves ahead.
fn value(
    board: &Board,
    player: u8,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    evaluate: Evaluation,
) -> i32 {
    let mut best = None;
    for next in (0..COLUMNS).filter(|_| depth > 0).filter_map(|at| after(board, at, player)) {
        let found = -value(&next, 3 - player, depth - 1, -beta, -alpha, evaluate);
        best = best.max(Some(found));
        alpha = alpha.max(found);
        if alpha >= beta {
            break;
        }
    }
    best.unwrap_or_else(|| if player == 1 { evaluate(board) } else { -evaluate(board) })
}

/// Returns `true` if the first of the best moves is right.
fn sees(task: &Task, depth: u32, evaluate: Evaluation) -> bool {
    let (mut board, mut player) = ([[0; COLUMNS]; ROWS], 1);
    let column = |text: String| text.parse::<usize>().expect("a column") - 1;
    for mv in &task.moves {
        board = after(&board, column(mv.to_string()), player).expect("a legal move");
        player = 3 - player;
    }
    let infinity = i32::MAX;
    let mut best = (-infinity, 0);
    for at in 0..COLUMNS {
        let Some(next) = after(&board, at, player) else { continue };
        let found = -value(&next, 3 - player, depth.max(1) - 1, -infinity, infinity, evaluate);
        if found > best.0 {
            best = (found, at);
        }
    }
    task.right.iter().any(|mv| column(mv.to_string()) == best.1)
}

fn checks(seed: u64) -> Vec<DrawnCheck> {
    let game = maxconnect4::game();
    let checks = parse_checks(game.checks()).expect("checks");
    let of_search = checks.into_iter().filter(|check| check.keys.plies.is_some());
    draw_checks(&*game, &of_search.collect::<Vec<_>>(), seed).expect("positions")
}

#[test]
#[ignore = "long"]
fn every_evaluation_has_all_points_for_search() {
    for seed in 1..=4 {
        for DrawnCheck { check, tasks } in checks(seed) {
            if check.kind != CheckKind::Sees {
                continue;
            }
            let (depth, enough) = (check.keys.depth.expect("a depth"), check.keys.enough);
            let plies = check.keys.plies.expect("plies");
            // As the grader does, where the position takes one ply more.
            let told = |task: &Task| depth + task.plies.saturating_sub(plies);
            for (name, evaluate) in EVALUATIONS {
                let good = tasks.iter().filter(|task| sees(task, told(task), evaluate)).count();
                let enough = enough.unwrap_or(tasks.len());
                assert!(good >= enough, "{name}, seed {seed}: {good} in `{}`", check.name);
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn each_player_is_to_move_in_half_of_the_positions() {
    for DrawnCheck { check, tasks } in checks(5) {
        let first = tasks.iter().filter(|task| task.position.side_to_move() == Side::First);
        assert_eq!(first.count() * 2, tasks.len(), "{}", check.name);
    }
}

/// Returns the counts of players with this evaluation that look so many moves further ahead than they are told, as
/// either player.
fn counts(tasks: &[Task], more: i32, evaluate: Evaluation) -> [Count; 2] {
    Side::BOTH.map(|side| {
        let of_side = |task: &&Task| task.position.side_to_move() == side;
        let tasks: Vec<&Task> = tasks.iter().filter(of_side).collect();
        Count::of(tasks.len(), tasks[0].plies, |told| {
            let depth = |task: &Task| task.plies.saturating_add_signed(told + more);
            tasks.iter().filter(|task| sees(task, depth(task), evaluate)).count()
        })
    })
}

#[test]
fn only_miscounts_are_taken_for_miscounts() {
    let game = maxconnect4::game();
    let all = parse_checks(game.checks()).expect("checks");
    let depth = all.into_iter().find(|check| check.kind == CheckKind::CountsDepth);
    let depth = [depth.expect("the check of depth")];
    for seed in 1..=4 {
        let tasks = &draw_checks(&*game, &depth, seed).expect("positions")[0].tasks;
        for (name, evaluate) in EVALUATIONS {
            let what = format!("{name}, seed {seed}");
            let right = counts(tasks, 0, evaluate);
            assert!(right.iter().all(|count| count.is_right()), "{what}: {right:?}");
            // With other evaluations, players find as much as if they looked as far as they are told.
            if ["points", "open lines", "steep lines", "center"].contains(&name) {
                assert_eq!(counts(tasks, -1, evaluate), [Count::OneLess; 2], "{what}");
                assert_eq!(counts(tasks, 1, evaluate), [Count::OneMore; 2], "{what}");
            }
        }
    }
}

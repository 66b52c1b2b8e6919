//! The checks of the games show what they are meant to show.

use std::collections::HashSet;

use network::Rules;
use plyground::Game;
use plyground_arena::programs::ProgramOptions;
use plyground_grading::grade::{
    CheckKind, DrawnCheck, Examinee, Grader, Task, draw_checks, parse_checks,
};
use plyground_host::{HostedGame, HostedPosition, Promise, SharedGame};
use std::time::Duration;

fn drawn(game: &dyn HostedGame, seed: u64) -> Vec<DrawnCheck> {
    let checks = parse_checks(game.checks()).expect("checks");
    assert_eq!(checks.iter().map(|check| check.points).sum::<f64>(), 100.0);
    draw_checks(game, &checks, seed).expect("positions")
}

/// The checks in which something is to be seen.
fn to_see(checks: &[DrawnCheck]) -> impl Iterator<Item = (&DrawnCheck, u32)> {
    checks.iter().filter_map(|drawn| Some((drawn, drawn.check.kind.plies()?)))
}

fn states(checks: &[DrawnCheck]) -> Vec<String> {
    checks.iter().flat_map(|drawn| &drawn.tasks).map(|task| task.position.state_word()).collect()
}

#[test]
fn something_is_to_be_seen_in_every_position() {
    for game in [maxconnect4::game(), network::game(Rules::Berkeley)] {
        for seed in [1, 2] {
            let checks = drawn(&*game, seed);
            for (drawn, plies) in to_see(&checks) {
                let count = drawn.check.draw.as_ref().map_or(0, |rule| rule.count);
                assert_eq!(drawn.tasks.len(), count, "{}", drawn.check.name);
                let by_points = drawn.check.draw.as_ref().is_some_and(|rule| rule.gap.is_some());
                for task in &drawn.tasks {
                    assert!(task.chance() <= 0.7, "{}", task.position);
                    if game.name() == "maxconnect4" {
                        assert!(task.chance() <= 0.4, "{}", task.position);
                    }
                    if by_points {
                        assert!((11..=18).contains(&task.position.plies_left().unwrap_or(0)));
                        assert!((plies..=plies + 1).contains(&task.plies));
                        assert_lose_points(task, task.plies);
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
}

/// All other moves lose two points.
fn assert_lose_points(task: &Task, plies: u32) {
    let margins = task.position.margins(plies).expect("points");
    let of = |is_right: bool| {
        let moves = margins.iter().filter(move |(mv, _)| task.right.contains(mv) == is_right);
        moves.map(|&(_, margin)| margin)
    };
    let [best, others] = [of(true).max(), of(false).max()].map(|margin| margin.expect("a move"));
    assert!(best - others >= 2, "{}", task.position);
}

#[test]
fn positions_are_those_of_the_kind_of_check() {
    for game in [maxconnect4::game(), network::game(Rules::Berkeley), network::game(Rules::Usf)] {
        for drawn in drawn(&*game, 3) {
            let is_over = |position: &HostedPosition| position.is_over();
            let (all, over) = (drawn.tasks.len(), |wanted: bool| {
                drawn.tasks.iter().filter(|task| is_over(&task.position) == wanted).count()
            });
            let wanted = matches!(
                drawn.check.kind,
                CheckKind::StopsWhenOver { .. } | CheckKind::WritesNothingWhenOver { .. }
            );
            assert_eq!(over(wanted), all, "{}", drawn.check.name);
            if matches!(drawn.check.kind, CheckKind::PrintsScore { .. }) {
                for task in &drawn.tasks {
                    let [first, second] = task.position.points().expect("points");
                    assert!(first >= 2 && second >= 2 && first != second, "{}", task.position);
                }
            }
        }
    }
}

#[test]
fn seed_decides_the_positions_and_other_checks_do_not() {
    let game = maxconnect4::game();
    let [one, again, other] = [1, 1, 2].map(|seed| drawn(&*game, seed));
    assert_eq!(states(&one), states(&again));
    let known: HashSet<String> = states(&one).into_iter().collect();
    let empty = game.start().state_word();
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
    };
    let examinee = Examinee { player: player.into(), log: "log".to_owned() };
    let results = grader.grade(&examinee).expect("results");
    let is_depth = |name: &str| name.starts_with("the depth is");
    let depth = results.checks.iter().filter(|check| is_depth(&check.name));
    let depth = depth.map(|check| check.score).sum();
    (results.score() / results.max_score(), depth)
}

#[test]
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
        // It is not that nobody earns anything.
        assert!(mean > 0.0, "{}", game.name());
    }
}

#[test]
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

//! The file that the plan of a tournament is written in.

use plyground_arena::tournament::TournamentPlan;

use crate::scratch;
use crate::told::assert_told;

/// A plan has two players at least, of different names; a fault is told with its place.
pub fn run(bytes: &[u8]) {
    // Paths in it are looked for beside it, where there is nothing; others are not to be read here.
    if bytes.contains(&b'/') {
        return;
    }
    match TournamentPlan::read(&scratch::file("plan.toml", bytes)) {
        Ok(plan) => {
            assert!(plan.players.len() >= 2);
            let mut names: Vec<_> = plan.players.iter().map(|player| &player.name).collect();
            names.sort();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        }
        Err(fault) => assert_told(&fault),
    }
}

//! A referee that can be killed.

use std::process::ExitCode;

use maxconnect4::Position;
use plyground::external::{LinePlayer, Texts, Treatment};
use plyground::player::{Player, Random};
use plyground::referee::{Conduct, Silent, play};
use zoo::Standard;

/// Plays a game against an animal.
pub fn referee(animal: &str, mark: &str) -> ExitCode {
    let Ok(program) = std::env::current_exe() else { return ExitCode::FAILURE };
    let words = [&program.to_string_lossy(), animal, mark].map(str::to_owned).to_vec();
    let mut player = LinePlayer::<Position, _>::new(words, None, Standard, Treatment::default());
    let players: [&mut dyn Player<Position>; 2] = [&mut player, &mut Random::new(1)];
    match play(&Standard.start(), players, &Conduct::default(), &mut Silent) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

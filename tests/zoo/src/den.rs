//! A referee that can be killed.

use std::process::ExitCode;

use maxconnect4::Position;
use plyground::external::{FilePlayer, LinePlayer, Texts, Treatment};
use plyground::player::{Player, Random};
use plyground::referee::{Conduct, Silent, play};
use zoo::Standard;

/// Plays a game against an animal, which exchanges files or speaks the line protocol.
pub fn referee(animal: &str, mark: &str, with_files: bool) -> ExitCode {
    let Ok(program) = std::env::current_exe() else { return ExitCode::FAILURE };
    let mut words = [&program.to_string_lossy(), animal, mark].map(str::to_owned).to_vec();
    let mut player: Box<dyn Player<Position>> = if with_files {
        words.extend(["{in}", "{out}"].map(str::to_owned));
        Box::new(FilePlayer::new(words, Standard, Treatment::default()))
    } else {
        Box::new(LinePlayer::new(words, None, Standard, Treatment::default()))
    };
    let players: [&mut dyn Player<Position>; 2] = [&mut *player, &mut Random::new(1)];
    match play(&Standard.start(), players, &Conduct::default(), &mut Silent) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

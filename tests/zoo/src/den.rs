//! A referee that can be killed.

use std::process::ExitCode;

use plyground_host::external::FilePlayer;
use plyground_host::player::{Player, Random};
use plyground_host::protocol::LinePlayer;
use plyground_host::referee::{Conduct, Silent, play};
use plyground_sandbox::SandboxPolicy;

/// Plays a game against an animal, which exchanges files or speaks the line protocol.
pub fn referee(level: &str, animal: &str, mark: &str, with_files: bool) -> ExitCode {
    let (Ok(program), Ok(level)) = (std::env::current_exe(), level.parse()) else {
        return ExitCode::FAILURE;
    };
    let policy = SandboxPolicy { level, ..SandboxPolicy::default() };
    let mut words = [&program.to_string_lossy(), animal, mark].map(str::to_owned).to_vec();
    let mut player: Box<dyn Player> = if with_files {
        words.extend(["{in}", "{out}"].map(str::to_owned));
        Box::new(FilePlayer::new(words, policy, false))
    } else {
        Box::new(LinePlayer::new(words, None, policy))
    };
    let players: [&mut dyn Player; 2] = [&mut *player, &mut Random::new(1)];
    match play(&maxconnect4::game().start(), players, &Conduct::default(), &mut Silent) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

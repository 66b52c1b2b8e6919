//! Plays games as the player that begins, from the empty board, and prints the number of wins, the length
//! of the longest game, and the times of the moves, in wall-clock and CPU time.
//!
//!     cargo run --release -p research --example first_player -- machine:depth=3 100 [no-book] [usf]

use std::error::Error;
use std::time::Duration;

use network::{Rules, game};
use plyground::Side;
use plyground::search::Options;
use plyground_host::player::{EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::referee::{Conduct, PlayedMove, Silent, play};
use plyground_host::{EngineOptions, SharedGame, Strength};

/// Makes the player of the other side.
fn opponent(
    game: &SharedGame,
    spec: &PlayerSpec,
    seed: u64,
) -> Result<Box<dyn Player>, Box<dyn Error>> {
    match spec {
        PlayerSpec::Random => Ok(Box::new(Random::new(seed))),
        PlayerSpec::Machine(strength) => Ok(Box::new(machine(game, *strength, Some(seed), true))),
        _ => Err("expected random or machine, with a depth or a time if you like".into()),
    }
}

fn machine(
    game: &SharedGame,
    strength: Strength,
    seed: Option<u64>,
    book: bool,
) -> EnginePlayer<'static> {
    let search = Options { seed, ..Options::default() };
    let options = EngineOptions { search, book: None, without_prepared: !book };
    EnginePlayer::new(game.engine(options), strength)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [opponent_name, games, options @ ..] = words.as_slice() else {
        return Err("expected an opponent and a number of games".into());
    };
    let (spec, games): (PlayerSpec, u64) = (opponent_name.parse()?, games.parse()?);
    let has = |option: &str| options.iter().any(|word| word == option);
    let network = game(if has("usf") { Rules::Usf } else { Rules::Berkeley });
    let (mut won, mut longest, mut moves) = (0, 0, Vec::new());
    for seed in 1..=games {
        let mut first = machine(&network, Strength::Default, None, !has("no-book"));
        let mut second = opponent(&network, &spec, seed)?;
        let players: [&mut dyn Player; 2] = [&mut first, &mut *second];
        let game = play(&network.start(), players, &Conduct::default(), &mut Silent)?;
        won += usize::from(game.ending.winner == Some(Side::First));
        longest = longest.max(game.moves.len());
        moves.extend(game.moves.into_iter().step_by(2));
    }
    println!("{opponent_name}: {won} of {games} won, the longest in {longest} plies");
    println!("  wall: {}", figures(&moves, |played| played.wall));
    println!("  CPU:  {}", figures(&moves, |played| played.cpu));
    Ok(())
}

/// Returns a text of the times of moves.
fn figures(moves: &[PlayedMove], time: impl Fn(&PlayedMove) -> Duration) -> String {
    let mut times: Vec<Duration> = moves.iter().map(time).collect();
    times.sort();
    let last = times.len().saturating_sub(1);
    let at =
        |share: f64| times.get((last as f64 * share) as usize).map_or(0.0, Duration::as_secs_f64);
    let slow = times.iter().filter(|time| **time >= Duration::from_secs(1)).count();
    format!(
        "{} moves, median {:.4} s, 99 % within {:.3} s, slowest {:.2} s, {slow} of a second or more",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    )
}

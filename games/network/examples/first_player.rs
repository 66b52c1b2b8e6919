//! Plays games as the player who begins, from the empty board, and says how they went: whether all
//! were won, by which ply, and how long the moves took, on the wall and of CPU time.
//!
//!     cargo run --release -p network --example first_player -- machine:depth=3 100 [no-book] [usf]

use std::error::Error;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use network::{ChipEval, ForcedWins, Position, Rules};
use plyground::Game;
use plyground::player::{Answer, Machine, Player, PlayerSpec, Random, Strength, Turn};
use plyground::search::Options;

/// Who chooses the moves of the other side.
fn opponent(spec: &PlayerSpec, seed: u64) -> Result<Box<dyn Player<Position>>, Box<dyn Error>> {
    match spec {
        PlayerSpec::Random => Ok(Box::new(Random::new(seed))),
        PlayerSpec::Machine(strength) => Ok(Box::new(machine(*strength, Some(seed), true))),
        _ => Err("expected random or machine, with a depth or a time if you like".into()),
    }
}

fn machine(strength: Strength, seed: Option<u64>, book: bool) -> Machine<ChipEval, ForcedWins> {
    let options = Options { seed, ..Options::default() };
    let table_mib = options.table_mib;
    Machine::new(ChipEval, strength, options).with_tactics(ForcedWins { book }, table_mib)
}

/// What came of the games.
#[derive(Default)]
struct Tally {
    won: usize,
    longest: usize,
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
}

impl Tally {
    fn play(
        &mut self,
        rules: Rules,
        book: bool,
        opponent: &mut dyn Player<Position>,
    ) -> Result<(), Box<dyn Error>> {
        let mut position = Position::new(rules);
        let mut first = machine(Strength::Default, None, book);
        let (winner, mut plies) = (position.side_to_move(), 0);
        while position.outcome().is_none() {
            let (started, cpu) = (Instant::now(), ProcessTime::now());
            let turn = Turn::new(&position, None);
            let is_first = position.side_to_move() == winner;
            let answer =
                if is_first { first.choose_move(&turn)? } else { opponent.choose_move(&turn)? };
            if is_first {
                self.wall.push(started.elapsed());
                self.cpu.push(cpu.elapsed());
            }
            let Answer::Move(choice) = answer else { return Err("no move".into()) };
            position.play(choice.mv)?;
            plies += 1;
        }
        self.won += usize::from(position.outcome().and_then(|end| end.winner()) == Some(winner));
        self.longest = self.longest.max(plies);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [opponent_name, games, options @ ..] = words.as_slice() else {
        return Err("expected an opponent and a number of games".into());
    };
    let (spec, games): (PlayerSpec, u64) = (opponent_name.parse()?, games.parse()?);
    let has = |option: &str| options.iter().any(|word| word == option);
    let rules = if has("usf") { Rules::Usf } else { Rules::Berkeley };
    let mut tally = Tally::default();
    for seed in 1..=games {
        tally.play(rules, !has("no-book"), &mut *opponent(&spec, seed)?)?;
    }
    let Tally { won, longest, mut wall, mut cpu } = tally;
    println!("{opponent_name}: {won} of {games} won, the longest in {longest} plies");
    println!("  wall: {}", figures(&mut wall));
    println!("  CPU:  {}", figures(&mut cpu));
    Ok(())
}

/// How long moves took.
fn figures(times: &mut [Duration]) -> String {
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

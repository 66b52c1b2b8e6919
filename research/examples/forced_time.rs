//! Measures the time in which an engine player finds the forced wins of
//! `tests/network/data/forced-wins.tsv`, with a limit of time for a move: each alone, with empty tables, as
//! `one-move --time` does.
//!
//!     cargo run --release -p research --example forced_time -- 1s

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use network::{Rules, game};
use plyground_durable::parse_duration;
use plyground_host::state::StateText;
use plyground_host::{Constraints, EngineOptions, HostedPosition, Strength};

const DATA: &str = include_str!("../../tests/network/data/forced-wins.tsv");

/// The number of the slowest positions that are named.
const NAMED: usize = 5;

/// The result of one position.
struct Finding {
    line: usize,
    plies: u32,
    is_won: bool,
    wall: Duration,
    cpu: Duration,
}

/// Returns the position of a line of the data, and the number of plies in which it is won.
fn parse(line: &str) -> Result<(HostedPosition, u32), Box<dyn Error>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [board, side, plies] = fields[..] else { return Err("expected three fields".into()) };
    let text = format!("{}\n{side}\n", board.replace('/', "\n"));
    Ok((game(Rules::Berkeley).parse_state(&StateText::from_lines(&text))?, plies.parse()?))
}

fn find(line: usize, text: &str, time: Duration) -> Result<Finding, Box<dyn Error>> {
    let (position, plies) = parse(text)?;
    let (started, cpu) = (Instant::now(), ProcessTime::now());
    let mut engine = position.game().engine(EngineOptions::default());
    let chosen = engine.choose(&position, Strength::Time(time), &Constraints::default())?;
    let is_won = chosen.ok_or("the game is over")?.value.score().is_win();
    Ok(Finding { line, plies, is_won, wall: started.elapsed(), cpu: cpu.elapsed() })
}

fn main() -> Result<(), Box<dyn Error>> {
    let time = parse_duration(&std::env::args().nth(1).ok_or("expected a time, such as 1s")?)?;
    let lines = DATA.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let mut findings = lines
        .map(|(index, text)| find(index + 1, text, time))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.wall));
    let won = findings.iter().filter(|finding| finding.is_won).count();
    let mut out = io::stdout().lock();
    writeln!(out, "{won} of {} found within {time:?} each", findings.len())?;
    for Finding { line, plies, is_won, wall, cpu } in findings.iter().take(NAMED) {
        let [wall, cpu] = [wall, cpu].map(Duration::as_secs_f64);
        let found = if *is_won { "found" } else { "not found" };
        writeln!(
            out,
            "  line {line}, {plies} plies: {found}, {wall:.2} s on the wall, {cpu:.2} s of CPU"
        )?;
    }
    Ok(())
}

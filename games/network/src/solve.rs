//! The commands `solve` and `verify-solution`: a forced win, and its check.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use cpu_time::ProcessTime;
use network::solution::{Strategy, check, positions_after};
use network::{Color, Move, Position, Rules, Win, parse_state};
use plyground::cli::{Failure, MemoryArgs};
use plyground::output::{check_folder, write_whole};
use plyground::proof::Prover;
use plyground::state::{ReadError, read_text};
use plyground::{Game, Limits};

/// The chip by which the first player wins the game.
const DEFAULT_CHIPS: u64 = 8;
/// The chips of one side.
const ALL_CHIPS: u64 = 10;
/// How many replies are proven between two lines of progress.
const REPLIES_BETWEEN_LINES: usize = 16;

/// The arguments of `solve`.
#[derive(Clone, Debug, Args)]
pub struct SolveArgs {
    /// The state file with the position; - for standard input, the start of a game if there is
    /// none
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// With which of its chips the player to move is to win at the latest
    #[arg(long, value_name = "K", default_value_t = DEFAULT_CHIPS)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=ALL_CHIPS))]
    chips: u64,

    /// What the player begins with, whatever the other does: squares with commas between
    #[arg(long, value_name = "MOVES", value_delimiter = ',')]
    opening: Vec<Move>,

    /// Memory for the proof
    #[command(flatten)]
    memory: MemoryArgs,

    /// Write the winning answers to this file
    #[arg(long, value_name = "OUT")]
    strategy: Option<PathBuf>,
}

/// The arguments of `verify-solution`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The strategy that solve wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Proves that the player to move wins by a number of chips.
pub fn solve(rules: Rules, args: &SolveArgs) -> Result<(), Failure> {
    let start = match &args.file {
        Some(path) => {
            let fault = |fault| ReadError::Fault { path: path.clone(), fault };
            parse_state(&read_text(path)?, rules).map_err(fault)?
        }
        None => Position::new(rules),
    };
    if start.outcome().is_some() {
        return Err(Failure::Usage("the game is over".to_owned()));
    }
    if let Some(path) = &args.strategy {
        check_folder(path)?;
    }
    let color = start.to_move();
    let mut out = io::stdout();
    let clock = ProcessTime::now();
    let replies = positions_after(&start, &args.opening)
        .map_err(|fault| Failure::Usage(fault.to_string()))?;
    let prover = Prover::new(args.memory.mebibytes);
    let goal = Win::new(&start, color);
    let mut nodes = 0;
    for (index, position) in replies.iter().enumerate() {
        let plies = plies(position, color, args.chips);
        let proof = prover.prove(&goal, position, plies, &Limits::default());
        nodes += proof.nodes;
        let seconds = clock.elapsed().as_secs_f64();
        if proof.reached != Some(true) {
            writeln!(out, "{color} does not win by chip {} from\n{position}", args.chips)?;
            writeln!(out, "{nodes} nodes, {seconds:.2} s CPU")?;
            return Ok(());
        }
        if (index + 1) % REPLIES_BETWEEN_LINES == 0 {
            let (proven, all) = (index + 1, replies.len());
            let line = format!("{proven} of {all} proven, {nodes} nodes, {seconds:.1} s CPU");
            // If standard error is closed, nobody wants to know.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
    writeln!(out, "{color} wins by chip {}: proven for {} replies", args.chips, replies.len())?;
    writeln!(out, "{nodes} nodes, {:.2} s CPU", clock.elapsed().as_secs_f64())?;
    write_strategy(args, &prover, &start, &replies)
}

/// The plies that `color`, which is to move, has until its chip number `chips`.
fn plies(position: &Position, color: Color, chips: u64) -> u32 {
    let left = chips.saturating_sub(position.chips(color).len() as u64) as u32;
    (2 * left).saturating_sub(1)
}

fn write_strategy(
    args: &SolveArgs,
    prover: &Prover,
    start: &Position,
    replies: &[Position],
) -> Result<(), Failure> {
    let Some(path) = &args.strategy else { return Ok(()) };
    let mut text = Vec::new();
    let mut strategy = Strategy::new(prover, start, args.chips as usize, &mut text)?;
    for (played, &mv) in args.opening.iter().enumerate() {
        let positions = positions_after(start, &args.opening[..played])
            .map_err(|fault| Failure::Usage(fault.to_string()))?;
        for position in positions {
            strategy.answer(&position, mv)?;
        }
    }
    for position in replies {
        let plies = plies(position, start.to_move(), args.chips);
        let unproven = |why: network::solution::Unproven| Failure::Run(anyhow::Error::new(why));
        strategy.add(position, plies).map_err(unproven)?;
    }
    let answers = strategy.finish()?;
    write_whole(path, text)?;
    writeln!(io::stdout(), "{}: {answers} answers", path.display())?;
    Ok(())
}

/// Checks a strategy by the naive rules.
pub fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let text = fs::read_to_string(&args.file)
        .map_err(|error| Failure::Usage(format!("{}: {error}", args.file.display())))?;
    let refused = |gap| Failure::Run(anyhow::anyhow!("{}: {gap}", args.file.display()));
    let checked = check(&text).map_err(refused)?;
    writeln!(
        io::stdout(),
        "Accepted, 0 gaps: {} answers, {} replies, {} of them lost at once",
        checked.answers,
        checked.replies,
        checked.wins
    )?;
    Ok(())
}

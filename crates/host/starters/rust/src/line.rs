//! The line protocol: a program that stays alive for a whole game, and answers line by line.

use std::error::Error;
use std::io::{self, BufRead, Write};

use crate::board::{Board, Move, START_FILE};
use crate::player::choose_move;

/// For a `go` that does not say how far to look ahead.
const DEFAULT_DEPTH: u32 = @depth@;

/// Answers the referee until it says `quit`. Unknown lines are ignored.
pub fn talk(seed: u64) -> Result<(), Box<dyn Error>> {
    let mut board = Board::parse(START_FILE)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["newgame", "@game@", "@rules@", ..] => {}
            ["newgame", ..] => say("info error: this game, or these rules, are not known")?,
            ["protocol"] => say("protocol 1")?,
            ["isready"] => say("readyok")?,
            ["position", start, ref moves @ ..] => board = position(start, moves)?,
            ["go", ref limits @ ..] => {
                let mv = choose_move(&mut board, depth_of(limits), seed);
                say(&format!("bestmove {mv}"))?;
            }
            ["quit"] => break,
            _ => {}
        }
    }
    Ok(())
}

/// The board that `position START moves M1 M2 ...` describes.
fn position(start: &str, moves: &[&str]) -> Result<Board, Box<dyn Error>> {
    let mut board = Board::parse(if start == "startpos" {
        START_FILE
    } else {
        start
    })?;
    for text in moves.iter().skip(1) {
        match text.parse::<Move>() {
            Ok(mv) if board.is_legal(mv) => board.play(mv),
            _ => {
                say(&format!("illegal {text}"))?;
                break;
            }
        }
    }
    Ok(board)
}

/// Reads the number of moves to look ahead from `go depth N`; other limits may
/// stand beside it.
fn depth_of(limits: &[&str]) -> u32 {
    let place = limits.iter().position(|word| *word == "depth");
    let number = place.and_then(|place| limits.get(place + 1)?.parse().ok());
    number.unwrap_or(DEFAULT_DEPTH)
}

/// Answers at once: a line that waits in a buffer does not reach the referee.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{line}")?;
    out.flush()
}

//! @title@, by the command lines of the assignment and by the line protocol.

mod board;
mod line;
mod player;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use board::{Board, Move, START_FILE};
use player::choose_move;

/// Whatever went wrong.
type Fault = Box<dyn Error>;

const USAGE: &str = "\
usage: @program@ one-move INPUT OUTPUT DEPTH
       @program@ interactive INPUT computer-next|human-next DEPTH
       @program@ line
and at the end, perhaps, --seed N: the same seed, the same moves";

fn main() -> ExitCode {
    match run(env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the words ask for.
fn run(mut words: Vec<String>) -> Result<ExitCode, Fault> {
    let seed = take_seed(&mut words)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["one-move", input, output, depth] => one_move(input, output, depth.parse()?, seed)?,
        ["interactive", input, next, depth] => {
            interactive(input, next == "computer-next", depth.parse()?, seed)?;
        }
        ["line"] => line::talk(seed)?,
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes `--seed N` from the end of the words; without it, every run is another.
fn take_seed(words: &mut Vec<String>) -> Result<u64, Fault> {
    match &words[..] {
        [.., option, seed] if option == "--seed" => {
            let seed = seed.parse()?;
            words.truncate(words.len() - 2);
            Ok(seed)
        }
        _ => Ok(u64::from(
            SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos(),
        )),
    }
}

/// Reads a file, makes one move and writes the position after it in the same format.
fn one_move(input: &str, output: &str, depth: u32, seed: u64) -> Result<(), Fault> {
    let layout = fs::read_to_string(input)?;
    let mut board = Board::parse(&layout)?;
    println!("{board}");
    if board.legal_moves().is_empty() {
        println!("There is no legal move: the game is over.");
        return Ok(());
    }
    move_computer(&mut board, depth, seed);
    println!("{board}");
    fs::write(output, board.to_text(&layout))?;
    Ok(())
}

/// Plays with a human until the game is over. Without the file it begins at the start.
fn interactive(input: &str, computer_next: bool, depth: u32, seed: u64) -> Result<(), Fault> {
    let layout = match fs::read_to_string(input) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => START_FILE.to_owned(),
        read => read?,
    };
    let mut board = Board::parse(&layout)?;
    let first = board.to_move();
    println!("{board}");
    while !board.legal_moves().is_empty() {
        // In some games a move keeps the turn.
        let is_computer = (board.to_move() == first) == computer_next;
        if is_computer {
            move_computer(&mut board, depth, seed);
        } else if !move_human(&mut board)? {
            return Ok(());
        }
        let file = if is_computer {
            "computer.txt"
        } else {
            "human.txt"
        };
        fs::write(file, board.to_text(&layout))?;
        println!("{board}");
    }
    println!("There is no legal move: the game is over.");
    Ok(())
}

fn move_computer(board: &mut Board, depth: u32, seed: u64) {
    let mv = choose_move(board, depth, seed);
    println!("{} plays {mv}\n", board.to_move());
    board.play(mv);
}

/// Asks until the move is legal. Returns `false` at the end of the input.
fn move_human(board: &mut Board) -> io::Result<bool> {
    loop {
        print!("{}, your move: ", board.to_move());
        io::stdout().flush()?;
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            println!("\nNo more input.");
            return Ok(false);
        }
        match line.trim().parse::<Move>() {
            Ok(mv) if board.is_legal(mv) => {
                board.play(mv);
                return Ok(true);
            }
            _ => println!("That is not a legal move."),
        }
    }
}

//! Max-Connect4, by the command lines of the assignment and by the line protocol.

mod board;
mod line;
mod player;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use board::{Board, EMPTY_FILE};
use player::choose_move;

/// Whatever went wrong.
type Fault = Box<dyn Error>;

const USAGE: &str = "\
usage: maxconnect4 one-move INPUT OUTPUT DEPTH
       maxconnect4 interactive INPUT computer-next|human-next DEPTH
       maxconnect4 line
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
    println!("\nMaxConnect-4 game\ngame state before move:\n{board}");
    if board.legal_moves().is_empty() {
        println!("BOARD FULL\n\nGame over!");
        return Ok(());
    }
    move_computer(&mut board, depth, seed);
    println!("game state after move:\n{board}");
    fs::write(output, board.to_text(&layout))?;
    Ok(())
}

/// Plays with a human until the board is full, as the assignment says in eight steps.
fn interactive(input: &str, computer_next: bool, depth: u32, seed: u64) -> Result<(), Fault> {
    let layout = match fs::read_to_string(input) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => EMPTY_FILE.to_owned(),
        read => read?,
    };
    let mut board = Board::parse(&layout)?;
    let mut computer_next = computer_next;
    println!("{board}");
    while !board.legal_moves().is_empty() {
        if computer_next {
            move_computer(&mut board, depth, seed);
        } else if !move_human(&mut board)? {
            return Ok(());
        }
        let file = if computer_next {
            "computer.txt"
        } else {
            "human.txt"
        };
        fs::write(file, board.to_text(&layout))?;
        println!("{board}");
        computer_next = !computer_next;
    }
    println!("BOARD FULL\n\nGame over!");
    Ok(())
}

fn move_computer(board: &mut Board, depth: u32, seed: u64) {
    let column = choose_move(board, depth, seed);
    println!(
        "\nmove {}: Player {}, column {}",
        board.pieces() + 1,
        board.next_player,
        column + 1
    );
    board.play(column);
}

/// Asks until the move is valid. Returns `false` at the end of the input.
fn move_human(board: &mut Board) -> io::Result<bool> {
    loop {
        print!("Player {}, choose a column (1-7): ", board.next_player);
        io::stdout().flush()?;
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            println!("\nNo more input.");
            return Ok(false);
        }
        let legal = board.legal_moves();
        if let Some(column) = legal
            .into_iter()
            .find(|column| (column + 1).to_string() == line.trim())
        {
            board.play(column);
            return Ok(true);
        }
        println!("That is not a column from 1 to 7 with room in it.");
    }
}

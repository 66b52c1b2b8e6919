//! The conversation with an animal.

use std::fs;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::process::ExitCode;

use maxconnect4::{Column, Position, Size, format_state, parse_state};
use plyground::Game;
use plyground_host::state::StateText;

use crate::animal;

/// The ways in which the animal can answer.
pub enum Channel {
    /// By a line.
    Line,
    /// By a file.
    File { input: PathBuf, output: PathBuf },
}

/// The turn of an animal.
pub struct Turn {
    pub channel: Channel,
    pub position: Position,
    /// The mark of its processes.
    pub mark: String,
}

impl Turn {
    /// The first move that there is.
    pub fn some_move(&self) -> Option<Column> {
        self.position.legal_moves().next()
    }

    /// Returns `true` if the game begins.
    pub fn is_first(&self) -> bool {
        self.position == Position::empty(Size::STANDARD)
    }

    /// Returns `true` if no move was made, or only one by the opponent.
    pub fn is_first_of_mover(&self) -> bool {
        let left = |position: Position| position.plies_left().unwrap_or(0);
        left(self.position) + 1 >= left(Position::empty(Size::STANDARD))
    }

    /// Plays as it should.
    pub fn play_well(&self) {
        if let Some(mv) = self.some_move() {
            self.answer(&self.position.after(mv), &format!("bestmove {mv}"));
        }
    }

    /// Answers with a position or a line, whichever is wanted.
    pub fn answer(&self, position: &Position, line: &str) {
        match &self.channel {
            Channel::Line => println!("{line}"),
            Channel::File { .. } => self.write(&format_state(position)),
        }
    }

    /// Writes the output file.
    pub fn write(&self, text: &str) {
        if let Channel::File { output, .. } = &self.channel {
            let _ = fs::write(output, text);
        }
    }
}

/// Speaks the line protocol.
pub fn converse(animal: &str, mark: &str) -> ExitCode {
    let mut position = Position::empty(Size::STANDARD);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["isready"] => {
                animal::before_ready(animal);
                println!("readyok");
            }
            ["position", "startpos", ref rest @ ..] => {
                position = Position::empty(Size::STANDARD);
                for mv in rest.iter().filter_map(|word| word.parse().ok()) {
                    let _ = position.play(mv);
                }
            }
            ["go", ..] => {
                let turn = Turn { channel: Channel::Line, position, mark: mark.to_owned() };
                animal::misbehave(animal, &turn);
            }
            ["quit"] => break,
            _ => {}
        }
    }
    ExitCode::SUCCESS
}

/// Exchanges files.
pub fn exchange(animal: &str, mark: &str, input: &str, output: &str) -> ExitCode {
    let text = fs::read_to_string(input).unwrap_or_default();
    let Ok(position) = parse_state(&StateText::new(text), Size::STANDARD) else {
        return ExitCode::from(2);
    };
    let channel = Channel::File { input: input.into(), output: output.into() };
    animal::misbehave(animal, &Turn { channel, position, mark: mark.to_owned() });
    ExitCode::SUCCESS
}

/// Misbehaves at once, as another animal wants.
pub fn grow_up(animal: &str, mark: &str) -> ExitCode {
    let position = Position::empty(Size::STANDARD);
    animal::misbehave(animal, &Turn { channel: Channel::Line, position, mark: mark.to_owned() });
    ExitCode::SUCCESS
}

//! Checks of programs that exchange files: what they write, and what they print.

use std::collections::BTreeSet;

use plyground::Game;
use plyground_host::Fault;
use plyground_host::external::{Exchange, exchange};
use plyground_host::player::PlayerSpec;
use plyground_host::{HostedPosition, MoveText};

use super::session::Session;

/// The line ends that files have: those of the assignments' own, and those of other systems. The
/// last line has none in the last form.
const LAYOUTS: [(&str, &str, &str); 3] =
    [("CR LF", "\r\n", "\r\n"), ("LF", "\n", "\n"), ("LF, none after the last line", "\n", "")];

impl Session<'_> {
    /// Whether the player is a program that exchanges files.
    pub(super) fn exchanges_files(&self) -> bool {
        matches!(self.examinee.player.at(None), Ok(PlayerSpec::File(_)))
    }

    pub(super) fn keeps_format(&self, moves: &[MoveText], depth: u32) -> Result<(), String> {
        let position = self.position(moves);
        for (name, between, last) in LAYOUTS {
            let lay_out =
                |position: &HostedPosition| position.state().replace('\n', between) + last;
            let input = lay_out(&position);
            let run = self.exchange(depth, &input)?;
            let output = run.output.ok_or_else(|| "no file was written\n".to_owned())?;
            let is_move =
                position.legal_moves().any(|mv| lay_out(&position.after(mv)).as_bytes() == output);
            if !is_move {
                let [input, output] =
                    [input.as_bytes(), &output].map(|bytes| bytes.escape_ascii().to_string());
                return Err(format!(
                    "with {name} as line ends:\n  read     {input}\n  written  {output}\n\
                     expected the same bytes with one move made and the next player\n"
                ));
            }
        }
        Ok(())
    }

    pub(super) fn prints_score(&self, moves: &[MoveText], depth: u32) -> Result<(), String> {
        self.run(moves, depth).map(|_| ())
    }

    pub(super) fn stops_when_over(&self, moves: &[MoveText], depth: u32) -> Result<(), String> {
        match self.run(moves, depth)?.output {
            None => Ok(()),
            Some(_) => Err("the game is over, but a file was written\n".to_owned()),
        }
    }

    /// Runs the program on this input; the error is what is said of its fault.
    fn exchange(&self, depth: u32, input: &str) -> Result<Exchange, String> {
        let run = match self.examinee.player.at(Some(depth)) {
            Ok(PlayerSpec::File(command)) => {
                exchange(&command.words(Some(depth)), input, &self.policy())
            }
            _ => Err(Fault::NoMove),
        };
        run.map_err(|fault| format!("{}\n", self.heed(fault)))
    }

    /// Runs the program after these moves. The points must be in what it prints.
    fn run(&self, moves: &[MoveText], depth: u32) -> Result<Exchange, String> {
        let position = self.position(moves);
        let state = position.state().replace('\n', "\r\n") + "\r\n";
        let run = self.exchange(depth, &state)?;
        let numbers: BTreeSet<i32> = run
            .stdout
            .split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        let Some(points) = position.points() else { return Ok(run) };
        match points.iter().find(|points| !numbers.contains(points)) {
            None => Ok(run),
            Some(missing) => {
                let ([first, second], board) = (points, position.board());
                Err(format!(
                    "{board}expected the score in what is printed, {first} and {second}: no \
                     {missing} is in it\n"
                ))
            }
        }
    }
}

//! Checks of programs that exchange files: what they write, and what they print.

use std::collections::BTreeSet;

use super::run::Session;
use crate::external::Exchange;
use crate::game::Game;

/// The line ends that files have: those of the assignments' own, and those of other systems. The
/// last line has none in the last form.
const LAYOUTS: [(&str, &str, &str); 3] =
    [("CR LF", "\r\n", "\r\n"), ("LF", "\n", "\n"), ("LF, none after the last line", "\n", "")];

impl<G: Game> Session<'_, G> {
    fn position(&self, moves: &[G::Move]) -> G {
        let start = self.subject.start.clone();
        moves.iter().fold(start, |position, &mv| position.after(mv))
    }

    pub(super) fn keeps_format(&self, moves: &[G::Move], depth: u32) -> Result<(), String> {
        let position = self.position(moves);
        for (name, between, last) in LAYOUTS {
            let lay_out =
                |position: &G| (self.subject.state)(position).replace('\n', between) + last;
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

    pub(super) fn prints_score(&self, moves: &[G::Move], depth: u32) -> Result<(), String> {
        self.run(moves, depth).map(|_| ())
    }

    pub(super) fn stops_when_over(&self, moves: &[G::Move], depth: u32) -> Result<(), String> {
        match self.run(moves, depth)?.output {
            None => Ok(()),
            Some(_) => Err("the game is over, but a file was written\n".to_owned()),
        }
    }

    /// Runs the program on this input; the error is what is said of its fault.
    fn exchange(&self, depth: u32, input: &str) -> Result<Exchange, String> {
        let run = self.candidate.exchange(depth, input);
        run.map_err(|fault| format!("{}\n", self.heed(fault)))
    }

    /// Runs the program after these moves. The points must be in what it prints.
    fn run(&self, moves: &[G::Move], depth: u32) -> Result<Exchange, String> {
        let position = self.position(moves);
        let state = (self.subject.state)(&position).replace('\n', "\r\n") + "\r\n";
        let run = self.exchange(depth, &state)?;
        let numbers: BTreeSet<i32> = run
            .stdout
            .split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        let Some(points) = position.points_by_side() else { return Ok(run) };
        match points.iter().find(|points| !numbers.contains(points)) {
            None => Ok(run),
            Some(missing) => {
                let [first, second] = points;
                let board = (self.subject.show)(&position);
                Err(format!(
                    "{board}expected the score in what is printed, {first} and {second}: no \
                     {missing} is in it\n"
                ))
            }
        }
    }
}

//! The player that is started for every move, and exchanges files.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::folder::{Folder, INPUT, OUTPUT, read_file};
use super::host::{Heard, Host};
use super::java_class::find_class;
use super::message::{End, Start};
use super::meter::{Allowance, Meter};
use super::output_file::read_move;
use super::system::{is_exhausted, system_fault};
use super::texts::Texts;
use super::treatment::Treatment;
use crate::game::Game;
use crate::player::{Answer, CommandLine, Fault, Player, Turn};
use crate::state::StateText;

/// More than this is no state file, in bytes.
const LONGEST_OUTPUT: u64 = 64 * 1024;

/// A program that reads a position in one file and writes the next into another.
#[derive(Debug)]
pub struct FilePlayer<T> {
    words: Vec<String>,
    texts: T,
    treatment: Treatment,
    meter: Meter,
}

/// A program that has run.
struct Run {
    end: End,
    cpu: Duration,
    /// What it has written, if anything.
    output: Option<String>,
}

impl<T> FilePlayer<T> {
    /// A player for one game. `words` are those of a command with [places](CommandLine) for the
    /// files.
    pub fn new(words: Vec<String>, texts: T, treatment: Treatment) -> FilePlayer<T> {
        let meter = Meter::new(treatment.limits.clone());
        let words = find_class(words);
        FilePlayer { words, texts, treatment, meter }
    }

    /// The program's end and what it has written, unless nobody wants to know.
    fn run(&mut self, state: &str, allowance: &Allowance) -> Result<Option<Run>, Fault> {
        let folder = Folder::new();
        let [input, output] = [INPUT, OUTPUT].map(|name| folder.path().join(name));
        let cpu = allowance.cpu.map(|cpu| cpu.left);
        let words = CommandLine::fill_files(&self.words, &input, &output);
        let state = StateText::from_lines(state).as_str().to_owned();
        let start = Start::new(words, &folder, &self.treatment, cpu).with_input(state);
        let host = Host::start(start, &self.treatment);
        let mut host = host.map_err(|error| system_fault(&error))?;
        host.ask(String::new(), allowance.wall.left, cpu);
        loop {
            match host.hear(&|| self.treatment.is_stopped()) {
                None => return Ok(None),
                Some(Heard::Line(_) | Heard::Settled) => {}
                Some(Heard::Ended(end)) => {
                    let output = read_output(&output).map_err(unreadable)?;
                    return Ok(Some(Run { end, cpu: host.cpu(), output }));
                }
            }
        }
    }

    fn judge<G: Game>(&self, run: &Run, position: &G) -> Option<Result<G::Move, Fault>>
    where
        T: Texts<G>,
    {
        let End::Exit(code) = run.end else { return None };
        match &run.output {
            Some(text) => Some(read_move(&self.texts, position, text, self.treatment.lenient)),
            None if code == 0 => {
                Some(Err(Fault::NoAnswer { why: "it wrote no output".to_owned() }))
            }
            None => None,
        }
    }
}

/// Whose fault it is that an output cannot be read: its author may have locked it.
pub(super) fn unreadable(error: io::Error) -> Fault {
    if is_exhausted(&error) { system_fault(&error) } else { Fault::Died { how: error.to_string() } }
}

/// What is in the file, if there is a file and anything in it.
fn read_output(path: &Path) -> io::Result<Option<String>> {
    let bytes = read_file(path, LONGEST_OUTPUT)?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(text.filter(|text| !text.trim().is_empty()))
}

impl<G: Game, T: Texts<G>> Player<G> for FilePlayer<T> {
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
        let started = Instant::now();
        let allowance = self.meter.allowance(turn.limit);
        let state = self.texts.format_state(turn.position);
        let run = self.run(&state, &allowance)?.ok_or(Fault::Quit)?;
        self.meter.spend(run.cpu, started.elapsed());
        match self.judge(&run, turn.position) {
            Some(mv) => mv.map(|mv| Answer::Move(mv.into())),
            None => Err(self.meter.fault(&run.end, &allowance)),
        }
    }

    fn allows_take_back(&self) -> bool {
        true
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.meter.cpu())
    }
}

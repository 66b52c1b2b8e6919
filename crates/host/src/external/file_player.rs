//! The player whose program is started for every move, and exchanges files.

use std::time::Duration;

use plyground::clock::Instant;
use plyground_sandbox::{
    INPUT, Launch, Meter, OUTPUT, ProcessEnd, ProcessFailure, Sandbox, SandboxPolicy, TurnBudget,
};

use super::command::{CommandLine, ProgramCommand};
use super::output_file::move_in_output;
use crate::fault::Fault;
use crate::move_text::MoveText;
use crate::player::{Answer, Player, Turn};
use crate::position::HostedPosition;
use crate::state::LineEnds;
use plyground_durable::plain_text::decode_lossy;

/// The size in bytes above which an output cannot be a state file.
const LONGEST_OUTPUT: u64 = 64 * 1024;

/// A program that reads a position in one file and writes the next into another.
#[derive(Debug)]
pub struct FilePlayer {
    words: Vec<String>,
    policy: SandboxPolicy,
    /// If true, the output may lack or mistake the next player.
    lenient: bool,
    line_ends: LineEnds,
    meter: Meter,
    /// The sandbox in which the program is started, from its first move on.
    sandbox: Option<Sandbox>,
}

/// A program that has run.
struct Run {
    end: ProcessEnd,
    cpu: Duration,
    /// The text that it has written, if any.
    output: Option<String>,
    /// The beginning of the text that it has printed to standard error.
    errors: Vec<u8>,
}

impl FilePlayer {
    /// Returns a player for one game. `command` has [places](CommandLine) for the files. If `lenient` is
    /// true, outputs in which the next player is missing or wrong are accepted.
    #[must_use]
    pub fn new(
        command: impl Into<ProgramCommand>,
        policy: SandboxPolicy,
        lenient: bool,
    ) -> FilePlayer {
        let meter = Meter::new(policy.limits.clone());
        let (words, policy) = command.into().under(policy);
        let line_ends = LineEnds::CrLf;
        FilePlayer { words, policy, lenient, line_ends, meter, sandbox: None }
    }

    /// Returns the player, which writes files with these line ends in place of those of the assignments.
    #[must_use]
    pub fn with_line_ends(self, line_ends: LineEnds) -> FilePlayer {
        FilePlayer { line_ends, ..self }
    }

    /// Runs the program and returns its end and its output, unless the result is no longer wanted.
    fn run(&mut self, state: &str, budget: &TurnBudget) -> Result<Option<Run>, Fault> {
        let sandbox = match &mut self.sandbox {
            Some(sandbox) => sandbox,
            none => {
                let sandbox = Sandbox::new(&self.words, &self.policy);
                none.insert(sandbox.map_err(|error| ProcessFailure::system(&error))?)
            }
        };
        let [input, output] = [INPUT, OUTPUT].map(|name| sandbox.folder().join(name));
        let cpu = budget.cpu.map(|cpu| cpu.left);
        let words = CommandLine::fill_files(&self.words, &input, &output);
        let state = self.line_ends.lay_out(state);
        let launch = Launch::new(words, cpu).with_input(state).with_output(LONGEST_OUTPUT);
        let end = sandbox.run(launch, budget.wall.left, &|| self.policy.is_stopped());
        Ok(end.map(|end| {
            let left = sandbox.take_leftovers();
            let output = left.output.as_deref().and_then(output_text);
            Run { end, cpu: sandbox.cpu(), output, errors: left.errors }
        }))
    }

    fn judge(&self, run: &Run, position: &HostedPosition) -> Option<Result<MoveText, Fault>> {
        let ProcessEnd::Exit(code) = run.end else { return None };
        match &run.output {
            Some(text) => Some(move_in_output(position, text, self.lenient)),
            None if code == 0 => {
                Some(Err(Fault::NoAnswer { why: "it wrote no output".to_owned() }))
            }
            None => None,
        }
    }
}

/// Returns the text of an output, unless it is blank.
fn output_text(bytes: &[u8]) -> Option<String> {
    Some(decode_lossy(bytes)).filter(|text| !text.trim().is_empty())
}

impl Player for FilePlayer {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let started = Instant::now();
        let budget = self.meter.budget(turn.limit);
        let state = turn.position.state();
        let run = self.run(&state, &budget)?.ok_or(Fault::Quit)?;
        self.meter.spend(run.cpu, started.elapsed());
        match self.judge(&run, turn.position) {
            Some(mv) => mv.map(|mv| Answer::Move(mv.into())),
            None => Err(Fault::of_program(self.meter.failure(&run.end, &budget), &run.errors)),
        }
    }

    fn allows_take_back(&self) -> bool {
        true
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        Some(self.meter.cpu())
    }
}

//! One run of a program that exchanges files, seen from outside.

use plyground_cage::{
    INPUT, Launch, Meter, OUTPUT, ProcessEnd, ProcessEvent, ProcessFailure, ProcessFolder,
    SandboxPolicy, SupervisedProcess, read_file,
};

use super::command::CommandLine;
use super::file_player::unreadable;
use super::java_class::find_class;
use crate::fault::Fault;

/// More than this is neither a state file nor worth reading, in bytes.
const MOST_BYTES: u64 = 256 * 1024;

/// The file in the folder for what the program prints.
const PRINTED: &str = "printed.txt";

/// What a program left that was given a file and ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What it wrote into the file for the output, if there is one.
    pub output: Option<Vec<u8>>,
    /// What it printed to standard output.
    pub stdout: String,
}

/// Runs a program once. `words` are those of a command with [places](CommandLine) for the files,
/// `input` is what it reads.
///
/// # Errors
///
/// When it cannot be started, is ended for exceeding a limit or by a signal, or when nobody wants
/// it any more. The exit code does not matter.
pub fn exchange(words: &[String], input: &str, policy: &SandboxPolicy) -> Result<Exchange, Fault> {
    let folder = ProcessFolder::new();
    let [from, to, printed] = [INPUT, OUTPUT, PRINTED].map(|name| folder.path().join(name));
    let words = CommandLine::fill_files(&find_class(words.to_vec()), &from, &to);
    let meter = Meter::new(policy.limits.clone());
    let budget = meter.budget(None);
    let cpu = budget.cpu.map(|cpu| cpu.left);
    let launch = Launch::new(words, &folder, policy, cpu).with_input(input.to_owned());
    let process = SupervisedProcess::start(launch.printing_to(printed.clone()), policy);
    let mut process = process.map_err(|error| ProcessFailure::system(&error))?;
    process.ask(String::new(), budget.wall.left, cpu);
    loop {
        match process.next_event(&|| policy.is_stopped()) {
            None => return Err(Fault::Quit),
            Some(ProcessEvent::Line(_) | ProcessEvent::TurnEnded) => {}
            Some(ProcessEvent::Ended(ProcessEnd::Exit(_))) => {
                let output = read_file(&to, MOST_BYTES).map_err(unreadable)?;
                let stdout = read_file(&printed, MOST_BYTES).map_err(unreadable)?;
                let stdout = String::from_utf8_lossy(&stdout.unwrap_or_default()).into_owned();
                return Ok(Exchange { output, stdout });
            }
            Some(ProcessEvent::Ended(end)) => return Err(meter.failure(&end, &budget).into()),
        }
    }
}

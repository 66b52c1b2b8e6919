//! One run of a program that exchanges files, observed from outside.

use plyground_sandbox::{
    INPUT, Launch, Meter, OUTPUT, ProcessEnd, ProcessFailure, Sandbox, SandboxPolicy,
};

use super::command::{CommandLine, ProgramCommand};
use crate::fault::Fault;

/// The size in bytes above which an output cannot be a state file, and is not read.
const MOST_BYTES: u64 = 256 * 1024;

/// The results of a program that was given a file and ended by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The contents of the output file, if there is one.
    pub output: Option<Vec<u8>>,
    /// The text that the program printed to standard output.
    pub stdout: String,
}

/// Runs a program once with the input file `input`. `command` has [places](CommandLine) for the files.
///
/// # Errors
///
/// Returns a fault if the program cannot be started, is ended for exceeding a limit or by a signal, or if its
/// result is no longer wanted. The exit code does not matter.
pub fn exchange(
    command: ProgramCommand,
    input: &str,
    policy: &SandboxPolicy,
) -> Result<Exchange, Fault> {
    let (words, policy) = command.under(policy.clone());
    let sandbox = Sandbox::new(&words, &policy);
    let mut sandbox = sandbox.map_err(|error| ProcessFailure::system(&error))?;
    let [from, to] = [INPUT, OUTPUT].map(|name| sandbox.folder().join(name));
    let words = CommandLine::fill_files(&words, &from, &to);
    let meter = Meter::new(policy.limits.clone());
    let budget = meter.budget(None);
    let cpu = budget.cpu.map(|cpu| cpu.left);
    let launch = Launch::new(words, cpu).with_input(input.to_owned());
    let launch = launch.with_output(MOST_BYTES).with_printed(MOST_BYTES);
    match sandbox.run(launch, budget.wall.left, &|| policy.is_stopped()) {
        None => Err(Fault::Quit),
        Some(ProcessEnd::Exit(_)) => {
            let left = sandbox.take_leftovers();
            let stdout = String::from_utf8_lossy(&left.printed).into_owned();
            Ok(Exchange { output: left.output, stdout })
        }
        Some(end) => {
            let failure = meter.failure(&end, &budget);
            Err(Fault::of_program(failure, &sandbox.take_leftovers().errors))
        }
    }
}

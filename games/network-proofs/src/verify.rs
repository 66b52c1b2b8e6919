//! The command `verify-solution`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use plyground_cli::{Failure, TextFile};

use crate::check::{Gap, check};

pub(crate) const EXAMPLES: &str = "\
Examples:
  network verify-solution answers.txt";

const STRATEGY: TextFile<'_> =
    TextFile { expected: "a strategy", what: "the strategy", most: 1 << 30 };

/// The arguments of `verify-solution`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The strategy that solve wrote, whose rules it names; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Checks a strategy.
pub(crate) fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let text = STRATEGY.read(&args.file)?;
    let checked = check(&text).map_err(|gap| {
        let fault = format!("{}: {gap}", args.file.display());
        match gap {
            Gap::Heading | Gap::Letter(_) => Failure::Usage(fault),
            _ => Failure::Run(anyhow::Error::msg(fault)),
        }
    })?;
    writeln!(
        io::stdout(),
        "Accepted, 0 gaps: {} answers, {} replies, {} of them lost at once",
        checked.answers,
        checked.replies,
        checked.wins
    )?;
    Ok(())
}

//! Questions about searches, with their answers.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;
use plyground_explain::practice::{Practice, page, sheet, text};
use plyground_host::{HostedGame, any_seed};

use super::failure::Failure;

/// More questions than these are a slip of the fingers.
const MOST_QUESTIONS: u32 = 200;

/// The arguments of `practice`.
#[derive(Clone, Debug, Args)]
pub struct PracticeArgs {
    /// Draw the questions from this seed; without it, others in every run
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of questions to draw
    #[arg(long, value_name = "N", default_value_t = 6)]
    #[arg(value_parser = whole_number(1..=MOST_QUESTIONS))]
    pub questions: u32,

    /// Write a page on which one answers and is told what is right: one file, which needs no other
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write a sheet to be printed from a browser, the solutions on pages of their own
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    pub sheet: Option<PathBuf>,

    /// Leave the solutions out, of the sheet or of the text
    #[arg(long, conflicts_with = "html")]
    pub no_solutions: bool,
}

pub(super) fn run(game: &dyn HostedGame, args: &PracticeArgs) -> Result<(), Failure> {
    let output = args.html.as_ref().or(args.sheet.as_ref());
    if let Some(path) = output {
        check_writable(path)?;
    }
    let practice = Practice::draw(game, args.seed.unwrap_or_else(any_seed), args.questions);
    if practice.questions.len() < args.questions as usize {
        let (found, name) = (practice.questions.len(), game.name());
        let why = format!("{found} questions were found, {} asked for: {name} ", args.questions);
        return Err(Failure::Run(anyhow::anyhow!("{why}has too few positions for them")));
    }
    let solutions = !args.no_solutions;
    let contents = match (&args.html, &args.sheet) {
        (Some(_), _) => page(&practice).map_err(anyhow::Error::new).map_err(Failure::Run)?,
        (None, Some(_)) => sheet(&practice, solutions),
        (None, None) => text(&practice, solutions),
    };
    match output {
        Some(path) => write_whole(path, contents)?,
        None => io::stdout().lock().write_all(contents.as_bytes())?,
    }
    Ok(())
}

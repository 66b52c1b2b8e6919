//! `engine`: our own players, for referees that speak the line protocol.

use std::io;

use clap::Args;

use super::args::SearchArgs;
use super::book_choice::{BookChoice, check_perfect};
use super::failure::Failure;
use super::play::check_strength;
use super::program::Program;
use super::programs::ProgramTexts;
use super::seats::{Equipment, any_seed, computer};
use crate::external::{self, Treatment};
use crate::player::{PlayerSpec, Strength};

/// The arguments of `engine`.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// What plays: machine, machine:depth=N, machine:time=TIME, machine:perfect,
    /// machine:perfect,time=TIME or random
    #[arg(value_name = "PLAYER", default_value = "machine")]
    pub player: PlayerSpec,

    /// How to search.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Which book to go by.
    #[command(flatten)]
    pub book: BookChoice,
}

pub(super) fn run<P: Program>(program: &P, args: &EngineArgs) -> Result<(), Failure> {
    if args.player == PlayerSpec::Human || args.player.is_external() {
        return Err(Failure::Usage(
            "expected a machine or random: an engine is one of our own players".to_owned(),
        ));
    }
    if matches!(args.player, PlayerSpec::Perfect { .. }) {
        check_perfect(program, &program.start())?;
    }
    check_strength::<P>(&args.player)?;
    let book = args.book.open(program, &program.start())?;
    let treatment = Treatment::default();
    let seat = |depth: Option<u32>| {
        let spec = match (&args.player, depth) {
            (PlayerSpec::Machine(_), Some(depth)) => {
                PlayerSpec::Machine(Strength::Depth(depth.clamp(1, P::MAX_DEPTH)))
            }
            (spec, _) => spec.clone(),
        };
        let equipment = Equipment {
            options: args.search.options(),
            book: &book,
            own_book: !args.book.no_book,
            quiet: true,
            stop: None,
            treatment: treatment.clone(),
            depth: None,
        };
        computer(program, &spec, equipment, args.search.seed.unwrap_or_else(any_seed))
    };
    let output = io::stdout().lock();
    external::serve(io::stdin().lock(), output, &ProgramTexts(program), seat)?;
    Ok(())
}

//! `engine`: our own players, for referees that speak the line protocol.

use std::io::{self, BufReader};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use plyground_arena::seat::check_player;
use plyground_host::player::{EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::{EngineOptions, SharedGame, Strength, any_seed, protocol};

use super::args::SearchArgs;
use super::book_choice::BookChoice;
use super::failure::Failure;
use super::patience::warn_of_patient;

/// The arguments of `engine`.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// The player: machine, machine:depth=N, machine:time=TIME, machine:perfect,
    /// machine:perfect,time=TIME or random
    #[arg(value_name = "PLAYER", default_value = "machine")]
    pub player: PlayerSpec,

    /// The options of the search.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Which book to go by.
    #[command(flatten)]
    pub book: BookChoice,
}

pub(super) fn run(game: &SharedGame, args: &EngineArgs) -> Result<(), Failure> {
    if args.player == PlayerSpec::Human || args.player.is_external() {
        return Err(Failure::Usage(
            "expected a machine or random: an engine is one of our own players".to_owned(),
        ));
    }
    check_player(&**game, &args.player)?;
    let book = args.book.open(&game.start())?;
    warn_of_patient(&game.start(), [&args.player], book.as_ref());
    let seat =
        |asked: &SharedGame, depth: Option<u32>, stop: &Arc<AtomicBool>| -> Box<dyn Player> {
            // The book has the positions of the rules that it was made for.
            let book = book.clone().filter(|_| asked.rules() == game.rules());
            let without_prepared = args.book.no_book;
            let engine = EngineOptions { search: args.search.options(), book, without_prepared };
            let strength = match (&args.player, depth) {
                // A perfect player looks as far ahead as it must.
                (PlayerSpec::Machine(_), Some(depth)) if !args.player.is_perfect() => {
                    Strength::Depth(depth.clamp(1, asked.max_depth()))
                }
                (PlayerSpec::Machine(strength), _) => *strength,
                _ => return Box::new(Random::new(args.search.seed.unwrap_or_else(any_seed))),
            };
            let player = EnginePlayer::new(asked.engine(engine), strength);
            Box::new(player.with_stop(Some(Arc::clone(stop))).punctual())
        };
    protocol::serve(BufReader::new(io::stdin()), io::stdout().lock(), game, seat)?;
    Ok(())
}

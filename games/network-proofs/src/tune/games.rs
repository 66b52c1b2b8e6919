//! The games of self-play and of the match that judges the weights.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use network::{Network, Position, Rules, Weighted, Weights, game};
use plyground::proof::NoTactics;
use plyground::search::Options;
use plyground_arena::matches::{
    Entrant, GamePair, MatchConditions, MatchVerdict, draw_openings, play,
};
use plyground_cli::{Failure, progress};
use plyground_host::player::{EnginePlayer, Player};
use plyground_host::referee::PLY_CAP;
use plyground_host::state::{StateText, TextError};
use plyground_host::{EngineOptions, Program, Strength, host};

/// Memory for the table of a player, in MiB: shallow searches need no more.
const TABLE_MIB: usize = 1;
/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} pairs  {msg}  {eta_precise} left";

/// Network with other weights of the evaluation.
#[derive(Clone, Copy, Debug)]
struct WeightedNetwork {
    network: Network,
    weights: Weights,
}

impl Program for WeightedNetwork {
    type Game = Position;
    type Evaluator = Weighted;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        self.network.start()
    }

    fn evaluator(&self) -> Weighted {
        Weighted(self.weights)
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        self.network.parse_state(text)
    }

    fn format_state(&self, position: &Position) -> String {
        self.network.format_state(position)
    }
}

/// The conditions of games.
pub(super) struct SelfPlay<'a> {
    pub(super) rules: Rules,
    /// The number of plies that the players look ahead.
    pub(super) depth: u32,
    /// The number of random moves that a game begins with.
    pub(super) plies: u32,
    /// The number of games played at a time.
    pub(super) jobs: NonZeroUsize,
    /// A flag that ends the games when it is raised.
    pub(super) stop: &'a Arc<AtomicBool>,
}

impl SelfPlay<'_> {
    /// Plays pairs of games between engine players with these weights, fewer if `stop` is raised.
    ///
    /// The players choose among equal moves by chance, so that the games of a pair differ even if the
    /// weights do not.
    pub(super) fn play(
        &self,
        weights: [Weights; 2],
        pairs: usize,
        seed: u64,
        mut on_pair: impl FnMut(&GamePair),
    ) -> Result<(), Failure> {
        let start = game(self.rules).start();
        let openings = draw_openings(&start, self.plies, pairs, seed)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let (jobs, wall_limit, ply_cap) = (self.jobs, None, PLY_CAP);
        let conditions = MatchConditions { start, openings, seed, jobs, wall_limit, ply_cap };
        let bar = progress::bar(pairs as u64, progress::style(PROGRESS));
        bar.set_message(if weights[0] == weights[1] { "self-play" } else { "match" });
        let seat = |entrant: Entrant, chance| self.machine(weights[entrant.index()], chance);
        play(&conditions, seat, self.stop, |pair| {
            on_pair(&pair);
            bar.inc(1);
            Ok::<_, Failure>(MatchVerdict::Continue)
        })?;
        bar.finish_and_clear();
        Ok(())
    }

    fn machine(&self, weights: Weights, chance: u64) -> Box<dyn Player> {
        let network = WeightedNetwork { network: Network { rules: self.rules }, weights };
        let search = Options { table_mib: TABLE_MIB, seed: Some(chance), ..Options::default() };
        let options = EngineOptions { search, ..EngineOptions::default() };
        let player = EnginePlayer::new(host(network).engine(options), Strength::Depth(self.depth));
        Box::new(player.with_stop(Some(Arc::clone(self.stop))))
    }
}

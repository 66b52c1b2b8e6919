//! The games that are played to tune, and to judge.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use network::{Position, Rules, Weighted, Weights};
use plyground::cli::{Failure, progress};
use plyground::matches::{Conditions, Entrant, Pair, Verdict, draw_openings, play};
use plyground::player::{Machine, Player, Strength};
use plyground::referee::PLY_CAP;
use plyground::search::Options;

/// Memory for the table of a player, in MiB: shallow searches need no more.
const TABLE_MIB: usize = 1;
/// What the progress line shows.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} pairs  {msg}  {eta_precise} left";

/// How games are played.
pub struct Table<'a> {
    pub rules: Rules,
    /// How many plies the players look ahead.
    pub depth: u32,
    /// How many random moves a game begins with.
    pub plies: u32,
    /// How many games are played at a time.
    pub jobs: NonZeroUsize,
    /// Ends the games when it is raised.
    pub stop: &'a Arc<AtomicBool>,
}

impl Table<'_> {
    /// Plays pairs of games between machines with these weights, fewer if `stop` is raised.
    ///
    /// The machines choose among equal moves by chance, so that the games of a pair differ even
    /// when the weights do not.
    pub fn play(
        &self,
        weights: [Weights; 2],
        pairs: usize,
        seed: u64,
        mut on_pair: impl FnMut(&Pair<Position>),
    ) -> Result<(), Failure> {
        let start = Position::new(self.rules);
        let openings = draw_openings(&start, self.plies, pairs, seed)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let jobs = self.jobs;
        let conditions =
            Conditions { start, openings, seed, jobs, wall_limit: None, ply_cap: PLY_CAP };
        let bar = progress::bar(pairs as u64, progress::style(PROGRESS));
        bar.set_message(if weights[0] == weights[1] { "self-play" } else { "match" });
        let seat = |entrant: Entrant, chance| self.machine(weights[entrant.index()], chance);
        play(&conditions, seat, self.stop, |pair| {
            on_pair(&pair);
            bar.inc(1);
            Ok::<_, Failure>(Verdict::Continue)
        })?;
        bar.finish_and_clear();
        Ok(())
    }

    fn machine(&self, weights: Weights, chance: u64) -> Box<dyn Player<Position>> {
        let options = Options { table_mib: TABLE_MIB, seed: Some(chance), ..Options::default() };
        let machine = Machine::new(Weighted(weights), Strength::Depth(self.depth), options);
        Box::new(machine.with_stop(Some(Arc::clone(self.stop))))
    }
}

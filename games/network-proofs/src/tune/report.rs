//! The report of `tune`.

use std::fmt::Write;

use network::Weights;
use plyground_arena::matches::{GameCounts, MatchTally};
use plyground_arena::statistics::{Interval, signed};
use serde::Serialize;

/// All results.
#[derive(Serialize)]
pub(super) struct TuningReport {
    pub(super) rules: String,
    pub(super) seed: u64,
    pub(super) depth: u32,
    pub(super) opening_plies: u32,
    pub(super) epochs: u32,
    pub(super) games: usize,
    /// The number of quiet positions that the weights were fitted to.
    pub(super) positions: usize,
    pub(super) held_out_positions: usize,
    /// The steepness of the expected score, per hundredth of a point.
    pub(super) scale: f64,
    pub(super) weights: Change<Weights>,
    /// The mean log loss, in nats, of the positions that the weights were fitted to.
    pub(super) log_loss: Change<f64>,
    /// The same for games that the weights were not fitted to.
    pub(super) held_out_log_loss: Option<Change<f64>>,
    #[serde(rename = "match")]
    pub(super) judgment: Option<Judgment>,
}

/// A thing before and after tuning.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Change<T> {
    pub(super) before: T,
    pub(super) after: T,
}

/// The result of the match of the weights found against the weights before.
#[derive(Serialize)]
pub(super) struct Judgment {
    depth: u32,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Pairs with 0, 0.5, 1, 1.5 and 2 points for the weights found.
    pairs_by_points: [u64; 5],
    /// The difference and the ends of its 95 % interval; infinite numbers are `null`.
    elo: Option<[f64; 3]>,
}

impl Judgment {
    /// Makes the result of a match between players that look this many plies ahead.
    pub(super) fn new(tally: &MatchTally, depth: u32) -> Judgment {
        let GameCounts { won, drawn, lost } = tally.games();
        let elo = tally.pairs.elo().map(|Interval { mean, lower, upper }| [mean, lower, upper]);
        Judgment { depth, won, drawn, lost, pairs_by_points: tally.pairs.counts, elo }
    }

    /// Returns the number of pairs played.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs_by_points.iter().sum()
    }

    fn to_text(&self) -> String {
        let Judgment { depth, won, drawn, lost, .. } = self;
        let pairs = self.pairs();
        let mut text = format!("\nAfter against before, {pairs} pairs at depth {depth}: ");
        text += &format!("+{won} ={drawn} -{lost}");
        if let Some(elo) = self.elo {
            let [mean, lower, upper] = elo;
            let interval = Interval { mean, lower, upper };
            text += &format!(", Elo {} ({})", signed(mean), interval.ends(signed));
        }
        text + "\n"
    }
}

impl TuningReport {
    /// Returns the report for people, which follows the line about the games.
    pub(super) fn to_text(&self) -> String {
        let (fitted, held_out) = (self.positions, self.held_out_positions);
        let mut text = format!("{fitted} quiet positions, and {held_out} of games held out\n");
        text += &format!("\n{:<14} {:>8} {:>8}\n", "weight", "before", "after");
        let Change { before, after } = &self.weights;
        let weights = before.of_terms().into_iter().zip(after.of_terms());
        for (name, (before, after)) in Weights::TERM_NAMES.into_iter().zip(weights) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<14} {before:>8} {after:>8}");
        }
        text += "\n";
        let losses = [("log loss", Some(self.log_loss)), ("held out", self.held_out_log_loss)];
        for (name, loss) in losses {
            let Some(Change { before, after }) = loss else { continue };
            let _ = writeln!(text, "{name:<14} {before:>8.4} {after:>8.4}");
        }
        text + &self.judgment.as_ref().map(Judgment::to_text).unwrap_or_default()
    }
}

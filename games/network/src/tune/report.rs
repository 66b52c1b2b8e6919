//! What `tune` prints and writes.

use std::fmt::Write;

use network::Weights;
use plyground::matches::{Games, Interval, Pentanomial, Tally, signed};
use serde::Serialize;

/// All that was found.
#[derive(Serialize)]
pub struct Report {
    pub rules: String,
    pub seed: u64,
    pub depth: u32,
    pub opening_plies: u32,
    pub epochs: u32,
    pub games: usize,
    /// How many quiet positions the weights were fitted to.
    pub positions: usize,
    pub held_out_positions: usize,
    /// How steeply the expected score rises, per hundredth of a point.
    pub scale: f64,
    pub weights: Change<Weights>,
    /// In nats, for each of the positions that the weights were fitted to.
    pub log_loss: Change<f64>,
    /// The same for games that the weights were not fitted to.
    pub held_out_log_loss: Option<Change<f64>>,
    #[serde(rename = "match")]
    pub judgement: Option<Judgement>,
}

/// A thing before and after tuning.
#[derive(Clone, Copy, Serialize)]
pub struct Change<T> {
    pub before: T,
    pub after: T,
}

/// How the weights found did against those of before.
#[derive(Serialize)]
pub struct Judgement {
    depth: u32,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Pairs with 0, 0.5, 1, 1.5 and 2 points for the weights found.
    pairs_by_points: [u64; 5],
    /// The difference and the ends of its 95 % interval; infinite numbers are `null`.
    elo: Option<[f64; 3]>,
}

impl Judgement {
    /// The score of a match between players that look so many plies ahead.
    pub fn new(tally: &Tally, depth: u32) -> Judgement {
        let Games { won, drawn, lost } = tally.games();
        let elo = tally.pairs.elo().map(|Interval { mean, lower, upper }| [mean, lower, upper]);
        Judgement { depth, won, drawn, lost, pairs_by_points: tally.pairs.counts, elo }
    }

    /// How many pairs were played.
    pub fn pairs(&self) -> u64 {
        self.pairs_by_points.iter().sum()
    }

    fn to_text(&self) -> String {
        let Judgement { depth, won, drawn, lost, .. } = self;
        let pairs = self.pairs();
        let mut text = format!("\nAfter against before, {pairs} pairs at depth {depth}: ");
        text += &format!("+{won} ={drawn} -{lost}");
        if let Some(elo) = self.elo {
            let [mean, lower, upper] = elo.map(signed);
            text += &format!(", Elo {mean}");
            if (Pentanomial { counts: self.pairs_by_points }).varies() {
                text += &format!(" (95 %: {lower} to {upper})");
            }
        }
        text + "\n"
    }
}

impl Report {
    /// The report for people, after the line that says what is played.
    pub fn to_text(&self) -> String {
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
        text + &self.judgement.as_ref().map(Judgement::to_text).unwrap_or_default()
    }
}

//! The command `tune`: weights of the evaluation by self-play, and a match that judges them.
//!
//! The evaluation is a sum of terms, each with a weight. Positions are collected from games, with the
//! game's result. The weights found are those by which the results are most likely, if the expected score
//! is a logistic function of the evaluation. Source: P. Österlund, "Texel's tuning method", 2014, with the
//! log loss in place of the squares.
//!
//! Weights that predict results best need not play best: only a [match](plyground_arena::matches) shows
//! that.

mod fit;
mod games;
mod report;
mod sample;

use std::io::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use network::{Rules, TERMS, Weights};
use plyground::search::MAX_DEPTH;
use plyground_arena::matches::{GamePair, MatchTally};
use plyground_cli::{Failure, listen};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::whole_number;
use plyground_host::referee::PLY_CAP;

use self::fit::{Curve, NoCurve, fit};
use self::games::SelfPlay;
use self::report::{Change, Judgment, TuningReport};
use self::sample::{Sample, quiet_samples};

/// The greatest magnitude of a weight, in hundredths: far more than any is worth, and so little that no sum
/// of weights leaves the range of its type.
const MAX_WEIGHT: i32 = 1_000;
/// One pair of games in this many is held out, to test the weights on games that they were not fitted to.
const HELD_OUT: usize = 5;

pub(crate) const EXAMPLES: &str = "\
Examples:
  network tune
  network tune --games 10000 --depth 4 --jobs 2 --judge 1000 --out tuned.json
  network tune --games 200 --judge 0 --seed 7 --json";

/// The arguments of `tune`.
#[derive(Clone, Debug, Args)]
pub struct TuneArgs {
    /// The number of games to learn from, rounded up to pairs with the same opening
    #[arg(long, value_name = "N", default_value = "2000")]
    #[arg(value_parser = whole_number(NonZeroU64::MIN..=NonZeroU64::MAX))]
    games: NonZeroU64,

    /// How many moves the players look ahead
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = whole_number(1..=MAX_DEPTH))]
    depth: u32,

    /// The number of random moves that a game begins with; every pair has a different opening
    #[arg(long, value_name = "PLIES", default_value_t = 4)]
    #[arg(value_parser = whole_number(0..=PLY_CAP - 1))]
    openings: u32,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number(0..=u64::MAX))]
    seed: u64,

    /// The number of steps of gradient descent
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole_number(0..=u32::MAX))]
    epochs: u32,

    /// The number of games at a time. The results are the same
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    jobs: NonZeroUsize,

    /// The number of pairs of games that the new weights play against the old; 0 for none
    #[arg(long, value_name = "PAIRS", default_value_t = 200)]
    #[arg(value_parser = whole_number(0..=usize::MAX))]
    judge: usize,

    /// How many moves they look ahead in these games; without it, as many as in self-play
    #[arg(long, value_name = "N")]
    #[arg(value_parser = whole_number(1..=MAX_DEPTH))]
    judge_depth: Option<u32>,

    /// One line of JSON
    #[arg(long)]
    json: bool,

    /// Write the line of JSON to this file
    #[arg(long, value_name = "OUT.json")]
    out: Option<PathBuf>,
}

impl TuneArgs {
    fn pairs(&self) -> usize {
        usize::try_from(self.games.get().div_ceil(2)).unwrap_or(usize::MAX)
    }
}

/// The positions of self-play.
#[derive(Default)]
struct Collection {
    fitted: Vec<Sample<TERMS>>,
    held_out: Vec<Sample<TERMS>>,
    pairs: usize,
}

impl Collection {
    fn add(&mut self, pair: &GamePair) {
        let is_held_out = pair.index % HELD_OUT == HELD_OUT - 1;
        let samples = if is_held_out { &mut self.held_out } else { &mut self.fitted };
        for game in &pair.games {
            samples.extend(quiet_samples(game));
        }
        self.pairs += 1;
    }

    /// Returns the report with the weights that predict the results best.
    fn tune(&self, args: &TuneArgs, rules: Rules) -> Result<TuningReport, NoCurve> {
        let before = Weights::DEFAULT;
        let curve = Curve::through(&self.fitted, &floats(&before))?;
        let weights = fit(&self.fitted, curve, floats(&before), args.epochs);
        let after = before.with_terms(weights.map(rounded));
        let loss = |samples: &[Sample<TERMS>]| Change {
            before: curve.loss(samples, &floats(&before)),
            after: curve.loss(samples, &floats(&after)),
        };
        Ok(TuningReport {
            rules: rules.to_string(),
            seed: args.seed,
            depth: args.depth,
            opening_plies: args.openings,
            epochs: args.epochs,
            games: 2 * self.pairs,
            positions: self.fitted.len(),
            held_out_positions: self.held_out.len(),
            scale: curve.scale,
            weights: Change { before, after },
            log_loss: loss(&self.fitted),
            held_out_log_loss: (!self.held_out.is_empty()).then(|| loss(&self.held_out)),
            judgment: None,
        })
    }
}

fn floats(weights: &Weights) -> [f64; TERMS] {
    weights.of_terms().map(f64::from)
}

fn rounded(weight: f64) -> i32 {
    // The conversion saturates.
    (weight.round() as i32).clamp(-MAX_WEIGHT, MAX_WEIGHT)
}

/// Finds weights by self-play, and plays them against the present weights.
pub(crate) fn tune(rules: Rules, args: &TuneArgs) -> Result<(), Failure> {
    if let Some(path) = &args.out {
        check_writable(path)?;
    }
    let stop = listen()?;
    if !args.json {
        announce(args)?;
    }
    let TuneArgs { depth, openings: plies, jobs, .. } = *args;
    let games = SelfPlay { rules, depth, plies, jobs, stop: &stop };
    let mut collection = Collection::default();
    games.play([Weights::DEFAULT; 2], args.pairs(), args.seed, |pair| collection.add(pair))?;
    let stopped = is_raised(&stop).then(|| {
        format!("{} of {} games of self-play played", 2 * collection.pairs, 2 * args.pairs())
    });
    let mut report = match (collection.tune(args, rules), &stopped) {
        (Ok(report), _) => report,
        (Err(_), Some(stopped)) => return Err(Failure::Stopped(stopped.clone())),
        (Err(why), None) => {
            return Err(Failure::Run(anyhow::anyhow!("{why}; try more --games")));
        }
    };
    if stopped.is_none() && args.judge > 0 {
        judge(&games, args, &mut report)?;
    }
    show(&report, args)?;
    match stopped.or_else(|| unjudged(&report, args)) {
        Some(so_far) => Err(Failure::Stopped(so_far)),
        None => Ok(()),
    }
}

/// Prints the games that will be played.
fn announce(args: &TuneArgs) -> io::Result<()> {
    let (games, TuneArgs { depth, openings: plies, seed, .. }) = (2 * args.pairs(), args);
    let mut out = io::stdout().lock();
    writeln!(out, "{games} games at depth {depth}, openings of {plies} plies, seed {seed}")?;
    out.flush()
}

/// Plays the match.
fn judge(games: &SelfPlay<'_>, args: &TuneArgs, report: &mut TuningReport) -> Result<(), Failure> {
    let depth = args.judge_depth.unwrap_or(args.depth);
    let games = SelfPlay { depth, ..*games };
    let Change { before, after } = report.weights;
    let mut tally = MatchTally::default();
    // A seed that draws other openings than those of self-play.
    let seed = args.seed.wrapping_add(1);
    games.play([after, before], args.judge, seed, |pair| tally.add(pair))?;
    report.judgment = Some(Judgment::new(&tally, depth));
    Ok(())
}

/// Returns the progress of the match, if it was interrupted.
fn unjudged(report: &TuningReport, args: &TuneArgs) -> Option<String> {
    let played = report.judgment.as_ref()?.pairs();
    (played < args.judge as u64)
        .then(|| format!("{played} of {} pairs of the match played", args.judge))
}

fn is_raised(stop: &Arc<AtomicBool>) -> bool {
    stop.load(Ordering::Relaxed)
}

fn show(report: &TuningReport, args: &TuneArgs) -> Result<(), Failure> {
    let json = serde_json::to_string(report).map_err(io::Error::from)? + "\n";
    if let Some(path) = &args.out {
        write_whole(path, &json)?;
    }
    let text = if args.json { json } else { report.to_text() };
    Ok(write!(io::stdout(), "{text}")?)
}

//! The summary of a program over all its reviewed games.

use std::collections::BTreeMap;

use plyground::Side;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::game::{Choice, GameReview, Phase, ReviewedMove, amount};
use super::pattern::{Pattern, patterns};

/// The number of worst mistakes in a summary.
const WORST: usize = 5;

/// The summary of a program.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramSummary {
    /// The name of the program.
    pub name: String,
    /// If true, losses are in points; otherwise, they are in steps between a win, a draw and a loss.
    pub in_points: bool,
    /// The number of games as the first and as the second side.
    pub games: [usize; 2],
    /// The number of games lost by a fault.
    pub faults: usize,
    /// The number of moves with a choice.
    pub choices: usize,
    /// The number of moves with a choice whose loss is known.
    pub judged: usize,
    /// The number of moves with a choice that lost nothing.
    pub right: usize,
    /// The share of right moves in a game, in percent.
    pub accuracy: Option<Accuracy>,
    /// The loss in a game, by its phase.
    pub loss_per_game: PhaseLoss,
    /// The number of mistakes.
    pub mistakes: usize,
    /// The number of moves that are probably mistakes, although the loss is not known.
    pub doubtful: usize,
    /// The number of wins given away.
    pub missed_wins: usize,
    /// The number of draws turned into losses.
    pub missed_draws: usize,
    /// The earliest mistake.
    pub first_mistake: Option<Example>,
    /// The number of mistakes by the depth at which minimax sees them.
    pub seen_at: BTreeMap<u32, usize>,
    /// The number of mistakes that minimax does not see at any tried depth.
    pub unseen: usize,
    /// The patterns of the mistakes.
    pub patterns: Vec<Pattern>,
    /// The worst mistakes.
    pub worst: Vec<Example>,
}

/// The share of right moves in a game, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The mean over the games, in percent.
    pub mean: f64,
    /// The interval, from the variance over the games; `None` for fewer than two games.
    pub interval: Option<[f64; 2]>,
}

/// The loss in a game, by its phase: each a third of the moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PhaseLoss {
    /// In the first third.
    pub opening: f64,
    /// In the second third.
    pub middle: f64,
    /// In the last third.
    pub end: f64,
    /// In the whole game.
    pub all: f64,
}

/// A mistake, and its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// The index of the game among the reviewed games, from 0.
    pub game: usize,
    /// The file of the record.
    pub file: Option<String>,
    /// The number of the move.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The best move.
    pub best: String,
    /// The loss.
    pub loss: Option<i32>,
    /// The depth at which minimax sees the mistake.
    pub seen_at_depth: Option<u32>,
}

impl Example {
    fn new(choice: Choice<'_>) -> Example {
        let Choice { index, game, made } = choice;
        Example {
            game: index,
            file: game.file.clone(),
            ply: made.ply,
            mv: made.mv.clone(),
            best: made.best.clone(),
            loss: made.loss,
            seen_at_depth: made.seen_at_depth,
        }
    }

    fn words(&self) -> String {
        let file = self.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
        format!("{file}ply {}: {} in place of {}", self.ply, self.mv, self.best)
    }
}

/// Returns the summaries of all programs in these games, or only of `player`, in the order of their names.
#[must_use]
pub fn summaries(reviews: &[GameReview], player: Option<&str>) -> Vec<ProgramSummary> {
    let names = reviews.iter().flat_map(|review| Side::BOTH.map(|side| review.name(side)));
    let mut names: Vec<_> = names.filter(|name| player.is_none_or(|it| it == name)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| ProgramSummary::new(name, reviews)).collect()
}

impl ProgramSummary {
    fn new(name: String, reviews: &[GameReview]) -> ProgramSummary {
        let seats: Vec<(usize, &GameReview, Side)> = reviews
            .iter()
            .enumerate()
            .flat_map(|(index, review)| Side::BOTH.map(|side| (index, review, side)))
            .filter(|(_, review, side)| review.name(*side) == name)
            .collect();
        let by_game: Vec<Vec<Choice<'_>>> =
            seats.iter().map(|&(index, game, side)| chosen(index, game, side)).collect();
        let all: Vec<Choice<'_>> = by_game.concat();
        let judged = all.iter().filter(|it| it.made.loss.is_some());
        let mistakes = || all.iter().filter(|it| it.made.is_mistake());
        let wrong = || all.iter().filter(|it| it.made.kind.is_some());
        let mut seen_at = BTreeMap::new();
        for depth in wrong().filter_map(|it| it.made.seen_at_depth) {
            *seen_at.entry(depth).or_insert(0) += 1;
        }
        let mut worst: Vec<_> = mistakes().copied().collect();
        worst.sort_by_key(|it| std::cmp::Reverse(it.made.loss));
        let first = mistakes().min_by_key(|it| it.made.ply);
        let lost = |from: f64| mistakes().filter(|it| is_lost(it.made, from)).count();
        let side = |side: Side| seats.iter().filter(|(_, _, own)| *own == side).count();
        let faults = seats.iter().map(|&(_, game, side)| (game, side));
        let faults: Vec<_> = faults.filter(|(game, side)| game.fault_of == Some(*side)).collect();
        ProgramSummary {
            in_points: reviews.iter().any(|review| review.in_points),
            games: Side::BOTH.map(side),
            faults: faults.len(),
            choices: all.len(),
            judged: judged.clone().count(),
            right: judged.filter(|it| it.made.loss == Some(0)).count(),
            accuracy: accuracy(&by_game),
            loss_per_game: phase_loss(&all, seats.len()),
            mistakes: mistakes().count(),
            doubtful: wrong().count() - mistakes().count(),
            missed_wins: lost(1.0),
            missed_draws: lost(0.0),
            first_mistake: first.map(|&it| Example::new(it)),
            unseen: wrong().filter(|it| it.made.seen_at_depth.is_none()).count(),
            seen_at,
            patterns: patterns(&all, &faults),
            worst: worst.into_iter().take(WORST).map(Example::new).collect(),
            name,
        }
    }

    /// Returns the summary in words, as lines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let [first, second] = self.games;
        let games = if first + second == 1 { "game" } else { "games" };
        let mut lines = vec![format!(
            "{}: {} {games}, {first} as the first player and {second} as the second",
            self.name,
            first + second
        )];
        if let Some(Accuracy { mean, interval }) = self.accuracy {
            let interval = interval.map(|[low, high]| format!(" ({low:.1} to {high:.1})"));
            lines.push(format!(
                "  Right moves: {} of {}, {mean:.1} % of a game{}",
                self.right,
                self.judged,
                interval.unwrap_or_default()
            ));
        }
        if self.judged < self.choices {
            let unknown = self.choices - self.judged;
            lines.push(format!("  Not known exactly: {unknown} of {} moves", self.choices));
        }
        let PhaseLoss { opening, middle, end, all } = self.loss_per_game;
        let unit = if self.in_points { "points" } else { "half games" };
        lines.push(format!(
            "  Lost in a game, in {unit}: {all:.2}; {opening:.2} in the opening, {middle:.2} in the \
             middle, {end:.2} in the end"
        ));
        lines.push(format!(
            "  Mistakes: {}{}; wins given away: {}; draws turned into losses: {}",
            self.mistakes,
            match self.doubtful {
                0 => String::new(),
                1 => ", and one possible mistake".to_owned(),
                count => format!(", and {count} possible mistakes"),
            },
            self.missed_wins,
            self.missed_draws
        ));
        if let Some(first) = &self.first_mistake {
            lines.push(format!("  First mistake: {}", first.words()));
        }
        if !self.seen_at.is_empty() || self.unseen > 0 {
            let depths = self.seen_at.iter().map(|(depth, count)| format!("{depth} ({count})"));
            let unseen = (self.unseen > 0).then(|| format!("not seen ({})", self.unseen));
            let depths: Vec<_> = depths.chain(unseen).collect();
            lines.push(format!("  Mistakes by the depth that sees them: {}", depths.join(", ")));
        }
        for example in self.worst.iter().filter(|example| example.loss.unwrap_or_default() > 1) {
            let loss = amount(self.in_points, example.loss.unwrap_or_default());
            lines.push(format!("  Worst: {loss}, {}", example.words()));
        }
        lines.extend(self.patterns.iter().map(|pattern| format!("  Pattern: {}", pattern.text)));
        lines
    }
}

/// Returns the moves of a side that its player chose.
fn chosen(index: usize, game: &GameReview, side: Side) -> Vec<Choice<'_>> {
    let own = game.moves.iter().filter(move |it| it.side == side && it.is_choice());
    own.map(|made| Choice { index, game, made }).collect()
}

/// Returns true if the move lost the outcome `from`: 1 for a win, 0 for a draw.
fn is_lost(made: &ReviewedMove, from: f64) -> bool {
    let sign =
        made.best_worth.value.map(f64::signum).filter(|_| made.best_worth.value != Some(0.0));
    made.outcome_lost && sign.unwrap_or(0.0) == from
}

fn phase_loss(all: &[Choice<'_>], games: usize) -> PhaseLoss {
    let of = |phase: Option<Phase>| {
        let own = all
            .iter()
            .filter(|it| phase.is_none_or(|phase| it.made.phase(it.game.moves.len()) == phase));
        let sum: i32 = own.filter_map(|it| it.made.loss).sum();
        f64::from(sum) / games.max(1) as f64
    };
    let [opening, middle, end] = Phase::ALL.map(|phase| of(Some(phase)));
    PhaseLoss { opening, middle, end, all: of(None) }
}

/// Returns the mean of the share of right moves in a game.
fn accuracy(by_game: &[Vec<Choice<'_>>]) -> Option<Accuracy> {
    let shares = by_game.iter().filter_map(|game| {
        let judged = game.iter().filter(|it| it.made.loss.is_some());
        let right = judged.clone().filter(|it| it.made.loss == Some(0)).count();
        let count = judged.count();
        (count > 0).then(|| 100.0 * right as f64 / count as f64)
    });
    let shares: Vec<f64> = shares.collect();
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    if shares.is_empty() {
        return None;
    }
    let interval = (shares.len() > 1).then(|| {
        let variance = shares.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
        let error = student.inverse_cdf(0.975) * (variance / count).sqrt();
        Some([(mean - error).max(0.0), (mean + error).min(100.0)])
    });
    Some(Accuracy { mean, interval: interval.flatten() })
}

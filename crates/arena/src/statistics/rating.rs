//! Ratings: one number for the strength of each player.

use serde::Serialize;

use super::pentanomial::{TWO_SIDED_95, expected_score};

/// The change in points of Elo below which ratings count as found.
const PRECISION: f64 = 1e-9;

/// The number of steps after which even a badly conditioned problem is solved as well as possible.
const MOST_STEPS: usize = 200;

/// The greatest step of Newton's method, in points of Elo. Longer steps are cut so that they do not
/// overshoot.
const LONGEST_STEP: f64 = 200.0;

/// The steepness of the curve of expected scores: d/dE of the logarithm of the odds.
const STEEPNESS: f64 = std::f64::consts::LN_10 / 400.0;

/// A meeting of two players, with the result of their games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedMeeting {
    /// The indices of the players.
    pub players: [usize; 2],
    /// The number of games.
    pub games: f64,
    /// The points of the first player: 1 for a win, a half for a draw.
    pub score: f64,
}

/// The strength of a player on the scale of Elo, on which the mean of all players is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rating {
    /// The strength.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    #[serde(rename = "elo_error")]
    pub error: f64,
    /// If true, the results alone do not fix the strength, and drawn games were added.
    #[serde(skip)]
    pub is_bounded: bool,
}

/// Returns the ratings under which the results are most likely, with 95 % intervals.
///
/// The model is that of R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block Designs",
/// 1952, with a draw as half a win. The logarithm of the likelihood is concave, and Newton's method
/// finds its maximum. The intervals are from the inverse of its curvature there (the Fisher
/// information), with the mean of all ratings held at 0. They treat games as independent, so they
/// are wider than those of a match, where the two games of a pair balance each other.
///
/// The maximum is finite if and only if every player has scored against every other, directly or
/// through others in between (L. R. Ford, "Solution of a Ranking Problem from Binary Comparisons",
/// 1957). Otherwise, for example if a player has won every game, one drawn game of each player,
/// divided among all others, is added to the results. The ratings are then bounded, and
/// [`Rating::is_bounded`] is true.
pub fn rate(players: usize, meetings: &[RatedMeeting]) -> Vec<Rating> {
    if players < 2 {
        return vec![Rating::default(); players];
    }
    let is_bounded = !is_connected(players, meetings);
    let mut all = meetings.to_vec();
    if is_bounded {
        let games = 1.0 / (players - 1) as f64;
        let pairs = (0..players).flat_map(|one| (one + 1..players).map(move |other| [one, other]));
        all.extend(pairs.map(|players| RatedMeeting { players, games, score: games / 2.0 }));
    }
    let mut elo = vec![0.0; players];
    for _ in 0..MOST_STEPS {
        let (slope, inverse) = derivatives(&elo, &all);
        let step: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&slope).map(|(a, b)| a * b).sum()).collect();
        let longest = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
        let share = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
        for (own, part) in elo.iter_mut().zip(&step) {
            *own += part * share;
        }
        if longest < PRECISION {
            break;
        }
    }
    let mean = elo.iter().sum::<f64>() / players as f64;
    let (_, inverse) = derivatives(&elo, &all);
    let rated = elo.iter().enumerate().map(|(player, elo)| {
        // The inverse is of the curvature with a constant added along the direction in which all
        // ratings rise together. The part from that direction is not uncertainty.
        let common = 1.0 / (STEEPNESS.powi(2) * (players * players) as f64);
        let variance = (inverse[player][player] - common).max(0.0);
        Rating { elo: elo - mean, error: TWO_SIDED_95 * variance.sqrt(), is_bounded }
    });
    rated.collect()
}

/// Returns the slope of the logarithm of the likelihood, and the inverse of its curvature. The
/// matrix of the curvature is regular because the mean is held.
fn derivatives(elo: &[f64], meetings: &[RatedMeeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let players = elo.len();
    let mut slope = vec![0.0; players];
    // The constant matrix whose inverse, along the common direction, is subtracted in `rate`.
    let held = STEEPNESS.powi(2);
    let mut curvature = vec![vec![held; players]; players];
    for &RatedMeeting { players: [one, other], games, score } in meetings {
        let expected = expected_score(elo[one] - elo[other]);
        let surplus = STEEPNESS * (score - games * expected);
        slope[one] += surplus;
        slope[other] -= surplus;
        let weight = STEEPNESS.powi(2) * games * expected * (1.0 - expected);
        curvature[one][one] += weight;
        curvature[other][other] += weight;
        curvature[one][other] -= weight;
        curvature[other][one] -= weight;
    }
    (slope, inverse(curvature))
}

/// Inverts a positive definite matrix, by Gauss-Jordan elimination without row exchanges, which
/// such matrices do not need.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let unit = |row| (0..size).map(|column| f64::from(u8::from(row == column))).collect();
    let mut result: Vec<Vec<f64>> = (0..size).map(unit).collect();
    for pivot in 0..size {
        let scale = 1.0 / matrix[pivot][pivot].max(f64::MIN_POSITIVE);
        for rows in [&mut matrix, &mut result] {
            rows[pivot].iter_mut().for_each(|cell| *cell *= scale);
        }
        let mut factors: Vec<f64> = matrix.iter().map(|row| row[pivot]).collect();
        // The pivot row stays.
        factors[pivot] = 0.0;
        for rows in [&mut matrix, &mut result] {
            let source = rows[pivot].clone();
            for (row, factor) in rows.iter_mut().zip(&factors) {
                row.iter_mut().zip(&source).for_each(|(cell, from)| *cell -= factor * from);
            }
        }
    }
    result
}

/// Returns true if every player has scored against every other, directly or through others.
fn is_connected(players: usize, meetings: &[RatedMeeting]) -> bool {
    let reaches_all = |scores: &dyn Fn(&RatedMeeting) -> [bool; 2]| {
        let mut reached = vec![false; players];
        let mut stack = vec![0];
        while let Some(player) = stack.pop() {
            if std::mem::replace(&mut reached[player], true) {
                continue;
            }
            for meeting in meetings {
                let [one, other] = meeting.players;
                let [from_one, from_other] = scores(meeting);
                stack.extend((player == one && from_one).then_some(other));
                stack.extend((player == other && from_other).then_some(one));
            }
        }
        reached.into_iter().all(|reached| reached)
    };
    let scored = |meeting: &RatedMeeting| [meeting.score > 0.0, meeting.score < meeting.games];
    reaches_all(&scored)
        && reaches_all(&|meeting| {
            let [one, other] = scored(meeting);
            [other, one]
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(players: [usize; 2], games: f64, score: f64) -> RatedMeeting {
        RatedMeeting { players, games, score }
    }

    #[test]
    fn two_players_by_hand() {
        // A score of 3 in 4 games gives odds of 3 to 1.
        let ratings = rate(2, &[meeting([0, 1], 4.0, 3.0)]);
        let difference = 400.0 * 3.0_f64.log10();
        assert!((ratings[0].elo - difference / 2.0).abs() < 1e-6, "{ratings:?}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6);
        // The variance of the difference is 1 / (k^2 n p q), and that of half of it a quarter.
        let deviation = 1.0 / (STEEPNESS * (4.0_f64 * 0.75 * 0.25).sqrt()) / 2.0;
        assert!((ratings[0].error - TWO_SIDED_95 * deviation).abs() < 1e-6, "{ratings:?}");
        assert!(!ratings[0].is_bounded);
    }

    /// At the maximum, the expected score of every player is its score.
    #[test]
    fn expected_scores_are_the_scores() {
        let meetings = [
            meeting([0, 1], 10.0, 6.5),
            meeting([1, 2], 10.0, 9.0),
            meeting([0, 2], 4.0, 4.0),
            meeting([2, 3], 8.0, 5.0),
            meeting([3, 4], 50.0, 49.0),
        ];
        let ratings = rate(5, &meetings);
        for player in 0..5 {
            let mut surplus = 0.0;
            for RatedMeeting { players: [one, other], games, score } in meetings {
                let expected = games * expected_score(ratings[one].elo - ratings[other].elo);
                let sign = f64::from(i8::from(player == one) - i8::from(player == other));
                surplus += sign * (score - expected);
            }
            assert!(surplus.abs() < 1e-6, "{player}: {surplus}");
        }
        assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
        assert!(ratings[4].error > ratings[0].error, "few points say little: {ratings:?}");
    }

    #[test]
    fn player_with_no_loss_is_rated_all_the_same() {
        let ratings = rate(
            3,
            &[meeting([0, 1], 4.0, 4.0), meeting([1, 2], 4.0, 4.0), meeting([0, 2], 4.0, 4.0)],
        );
        assert!(ratings.iter().all(|rating| rating.is_bounded && rating.elo.is_finite()));
        assert!(ratings[0].elo > ratings[1].elo + 100.0);
        assert!((ratings[0].elo + ratings[2].elo).abs() < 1e-6 && ratings[1].elo.abs() < 1e-6);
    }

    #[test]
    fn no_games_are_no_knowledge() {
        assert!(rate(0, &[]).is_empty() && rate(1, &[]).len() == 1);
        let ratings = rate(3, &[]);
        assert!(ratings.iter().all(|rating| rating.elo.abs() < 1e-9 && rating.error > 300.0));
    }

    #[test]
    fn thousand_to_one_is_found() {
        let ratings = rate(2, &[meeting([0, 1], 10_000.0, 9_999.0)]);
        let difference = ratings[0].elo - ratings[1].elo;
        assert!((difference - 400.0 * 9_999.0_f64.log10()).abs() < 1e-3, "{difference}");
    }
}

//! The verdict of a check: the parts that passed, and the sides as which a player sees nothing.

use plyground::{Game, Side};

use super::draw::Task;
use super::luck::{interval, luck, share_above_luck, surprise};
use super::results::{Finding, Graded};

/// The greatest number of failures that are listed. The others are only counted.
const MOST_FINDINGS: usize = 5;

/// The verdict of a check.
pub(super) enum CheckVerdict {
    /// The check was made.
    Graded(Graded),
    /// The player was asked for its moves. The points depend on all checks of this kind together.
    Seen(Sight),
    /// The check does not apply to the player.
    Skipped,
}

impl CheckVerdict {
    /// Returns the right and wrong answers of the player, if the check asked for moves.
    pub(super) fn sight(&self) -> Option<&Sight> {
        if let CheckVerdict::Seen(sight) = self { Some(sight) } else { None }
    }
}

/// The parts of a check that passed or failed, and the findings about them.
#[derive(Default)]
pub(super) struct Shares {
    /// The outcome of each part, in order: true if the part passed.
    pub(super) passed: Vec<bool>,
    findings: Vec<Finding>,
}

impl Shares {
    pub(super) fn add(&mut self, result: Result<(), Box<Finding>>) {
        self.passed.push(result.is_ok());
        self.findings.extend(result.err().map(|finding| *finding));
    }

    /// Returns the number of parts that passed.
    pub(super) fn good(&self) -> usize {
        self.passed.iter().filter(|&&passed| passed).count()
    }

    /// Returns the number of parts.
    pub(super) fn all(&self) -> usize {
        self.passed.len()
    }

    /// Adds the parts and findings of `others`.
    pub(super) fn join(&mut self, others: Shares) {
        self.passed.extend(others.passed);
        self.findings.extend(others.findings);
    }

    /// Returns a verdict with points in proportion to the parts that passed.
    pub(super) fn verdict(self) -> CheckVerdict {
        let share = self.good() as f64 / self.all().max(1) as f64;
        let summary = format!("{} of {}", self.good(), self.all());
        self.with(share, summary)
    }

    /// Returns a verdict with the given part of the points.
    pub(super) fn with(self, share: f64, summary: String) -> CheckVerdict {
        CheckVerdict::Graded(self.graded(share, summary))
    }

    /// Returns the given part of the points with the findings, of which only the first are kept.
    pub(super) fn graded(mut self, share: f64, summary: String) -> Graded {
        let more = self.findings.len().saturating_sub(MOST_FINDINGS);
        self.findings.truncate(MOST_FINDINGS);
        if more > 0 {
            self.findings.push(Finding::of_no_position(format!("and {more} more")));
        }
        Graded { share, summary, findings: self.findings }
    }
}

/// The right and wrong answers of a player in the positions of one check.
pub(super) struct Sight {
    shares: Shares,
    tries: Vec<Try>,
    /// The number of right moves that earns all points.
    enough: usize,
}

/// The answer in one position.
#[derive(Clone, Copy)]
struct Try {
    /// The side to move.
    side: Side,
    /// The chance that a random move is right.
    chance: f64,
    is_right: bool,
}

impl Sight {
    /// Combines the positions with the player's answers.
    pub(super) fn new(tasks: &[Task], shares: Shares, enough: usize) -> Sight {
        let tries = tasks.iter().zip(&shares.passed).map(|(task, &is_right)| {
            let (side, chance) = (task.position.side_to_move(), task.chance());
            Try { side, chance, is_right }
        });
        Sight { tries: tries.collect(), enough: enough.min(tasks.len()), shares }
    }

    /// Computes the points of a player that sees as both sides, or of one that is blind as `blind`.
    pub(super) fn graded(self, blind: Option<Side>) -> Graded {
        let (good, all) = (self.shares.good(), self.shares.all());
        let mut summary = format!("{good} of {all}");
        let Some(blind) = blind else {
            let (good, chances) = tally(&self.tries);
            let share = share_above_luck(good, &chances, self.enough);
            if share < 1.0 {
                summary += &format!("; points begin above {}", luck(&chances, self.enough));
            }
            return self.shares.graded(share, summary);
        };
        let (dark, bright): (Vec<Try>, Vec<Try>) =
            self.tries.iter().partition(|tried| tried.side == blind);
        // Each side is worth its part of the positions.
        let part = bright.len() as f64 / self.tries.len().max(1) as f64;
        let enough = (self.enough * bright.len()).div_ceil(self.tries.len().max(1));
        let (good, chances) = tally(&bright);
        let share = share_above_luck(good, &chances, enough) * part;
        let [first, second] = [blind.other(), blind].map(number);
        summary += &format!(
            ": {good} of {} as player {first}, and {} of {} as player {second}, which over all checks \
             is no more than luck and earns nothing",
            bright.len(),
            tally(&dark).0,
            dark.len()
        );
        self.shares.graded(share, summary)
    }
}

/// Returns the number that names a side in messages.
pub(super) fn number(side: Side) -> u32 {
    match side {
        Side::First => 1,
        Side::Second => 2,
    }
}

/// Returns the number of right moves, and for each try the chance to be right by luck.
fn tally(tries: &[Try]) -> (usize, Vec<f64>) {
    let good = tries.iter().filter(|tried| tried.is_right).count();
    (good, tries.iter().map(|tried| tried.chance).collect())
}

/// Returns the side as which the player sees nothing, if it sees something as the other side. As a
/// blind side the player has, over all checks, no more right moves than luck gives, and clearly
/// fewer than as the other side.
///
/// One check has too few positions to tell blindness from luck. A player that sees little as both
/// sides is not blind: each right move counts.
pub(super) fn blind_side<'a>(sights: impl Iterator<Item = &'a Sight>) -> Option<Side> {
    let tries: Vec<Try> = sights.flat_map(|sight| sight.tries.iter().copied()).collect();
    let of = |side| -> Vec<Try> {
        tries.iter().copied().filter(|tried: &Try| tried.side == side).collect()
    };
    Side::BOTH.into_iter().find(|&side| {
        let ((good, chances), (others_good, others)) = (tally(&of(side)), tally(&of(side.other())));
        let [_, most] = interval(good, chances.len());
        let [least, _] = interval(others_good, others.len());
        most < least && good <= surprise(&chances)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a check of 12 positions with the given number of right moves as each side.
    fn sight(good: [usize; 2]) -> Sight {
        let mut sight = Sight { shares: Shares::default(), tries: Vec::new(), enough: 10 };
        for (side, good) in Side::BOTH.into_iter().zip(good) {
            for index in 0..6 {
                let is_right = index < good;
                sight.tries.push(Try { side, chance: 0.25, is_right });
                sight.shares.passed.push(is_right);
            }
        }
        sight
    }

    fn share(sight: Sight, blind: Option<Side>) -> f64 {
        sight.graded(blind).share
    }

    #[test]
    fn player_that_is_blind_as_one_side_has_half() {
        // The player is lucky as the blind side in one check, which alone would suggest that it
        // sees.
        for dark in [[0; 4], [2, 1, 1, 2], [5, 1, 2, 1]] {
            let all = dark.map(|good| sight([6, good]));
            assert_eq!(blind_side(all.iter()), Some(Side::Second), "{dark:?}");
            for sight in all {
                assert_eq!(share(sight, Some(Side::Second)), 0.5);
            }
        }
        assert_eq!(blind_side([sight([1, 6]), sight([2, 6])].iter()), Some(Side::First));
        assert_eq!(blind_side([sight([6, 1])].iter()), Some(Side::Second));
    }

    #[test]
    fn player_that_sees_as_both_sides_is_not_blind() {
        for all in [
            [[6, 6], [6, 5], [5, 6], [6, 4]],
            // The player looks two moves ahead and no further.
            [[6, 6], [2, 1], [2, 1], [1, 1]],
            // The player moves at random.
            [[3, 1], [2, 1], [2, 1], [1, 1]],
            [[0, 0], [0, 0], [0, 0], [0, 0]],
        ] {
            assert_eq!(blind_side(all.map(sight).iter()), None, "{all:?}");
        }
        assert_eq!(share(sight([5, 5]), None), 1.0);
    }
}

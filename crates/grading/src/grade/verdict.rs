//! The verdict of a check: the parts that passed, the successes that luck alone explains, and the side as
//! which a player sees nothing.

use plyground::{Game, Side};

use super::draw::Task;
use super::results::{Finding, Graded, Outcome};

/// The greatest number of failures that are listed. The others are only counted.
const MOST_FINDINGS: usize = 5;

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
    pub(super) fn add(&mut self, result: Outcome) {
        self.passed.push(result.is_ok());
        self.findings.extend(result.err().map(|finding| *finding));
    }

    pub(super) fn good(&self) -> usize {
        self.passed.iter().filter(|&&passed| passed).count()
    }

    pub(super) fn all(&self) -> usize {
        self.passed.len()
    }

    pub(super) fn join(&mut self, others: Shares) {
        self.passed.extend(others.passed);
        self.findings.extend(others.findings);
    }

    /// Lets a part pass that has failed, and forgets its finding. All parts must have come by [`add`](Shares::add).
    pub(super) fn excuse(&mut self, part: usize) {
        self.findings.remove(self.passed[..part].iter().filter(|&&passed| !passed).count());
        self.passed[part] = true;
    }

    pub(super) fn without_parts(self) -> Shares {
        Shares { passed: Vec::new(), ..self }
    }

    /// Returns a verdict with points in proportion to the parts that passed.
    pub(super) fn verdict(self) -> CheckVerdict {
        let (share, summary) = (self.share(), self.count());
        self.with(share, summary)
    }

    /// Returns the number of parts that passed, and of all, in words.
    pub(super) fn count(&self) -> String {
        format!("{} of {}", self.good(), self.all())
    }

    pub(super) fn share(&self) -> f64 {
        self.good() as f64 / self.all().max(1) as f64
    }

    /// Returns a verdict with the given part of the points.
    pub(super) fn with(self, share: f64, summary: String) -> CheckVerdict {
        CheckVerdict::Graded(self.graded(share, summary))
    }

    /// Returns the given part of the points with the first findings, and counts the other findings.
    pub(super) fn graded(mut self, share: f64, summary: String) -> Graded {
        // The end of the time is told once, not for each position.
        self.findings.dedup_by(|next, last| next.state.is_empty() && next.said == last.said);
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
    /// If true, it takes an odd number of plies to see the right moves.
    is_odd: bool,
    /// The chance that a random move is right.
    chance: f64,
    is_right: bool,
}

impl Sight {
    /// Combines the positions with the player's answers.
    pub(super) fn new(tasks: &[Task], shares: Shares, enough: usize) -> Sight {
        let tries = tasks.iter().zip(&shares.passed).map(|(task, &is_right)| {
            let (side, chance) = (task.position.side_to_move(), task.chance());
            Try { side, is_odd: !task.plies.is_multiple_of(2), chance, is_right }
        });
        Sight { tries: tries.collect(), enough: enough.min(tasks.len()), shares }
    }

    /// Computes the points of a player that sees as both sides, or of a player that is blind as
    /// `blind`.
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
        // The points are divided between the sides in proportion to their positions.
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

/// Returns the side as which the player sees nothing, if it sees something as the other side. As
/// the blind side, the player has over all checks no more right moves than luck gives, and clearly
/// fewer than as the other side. That holds at odd and at even depths: a player that judges the board
/// from the wrong side at one kind of depth is blind as no side.
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
        let [_, most] = interval(good, chances.len(), USUAL);
        let [least, _] = interval(others_good, others.len(), USUAL);
        let (odd, even): (Vec<Try>, Vec<Try>) = of(side).into_iter().partition(|it| it.is_odd);
        let mut tallies = [(good, chances), tally(&odd), tally(&even)].into_iter();
        most < least && tallies.all(|(good, chances)| good <= surprise(&chances))
    })
}

/// The greatest part of the points that random play may earn in a check on average.
const LUCK: f64 = 0.04;

/// Returns the part of the points, from 0 to 1, for `good` successful tries, each of which succeeds
/// by luck alone with one of these `chances`. `full` successes earn all points.
///
/// The points begin above [`luck`] and grow evenly from there.
fn share_above_luck(good: usize, chances: &[f64], full: usize) -> f64 {
    share(good, luck(chances, full), full)
}

/// Returns the greatest number of successes that earns nothing: the least number for which random
/// play earns no more than 4 % of the points on average. It is less than `full`.
fn luck(chances: &[f64], full: usize) -> usize {
    let distribution = successes(chances);
    let expected = |nothing: usize| {
        let parts = distribution.iter().enumerate();
        parts.map(|(good, part)| part * share(good, nothing, full)).sum::<f64>()
    };
    (0..full).find(|&nothing| expected(nothing) <= LUCK).unwrap_or(full.saturating_sub(1))
}

/// The greatest probability with which luck alone may exceed the result of [`surprise`].
const SURPRISING: f64 = 0.01;

/// Returns the greatest number of successes that may still be luck: random play has more of them in
/// at most one of a hundred cases.
pub(super) fn surprise(chances: &[f64]) -> usize {
    let distribution = successes(chances);
    let above = |most: usize| distribution[most + 1..].iter().sum::<f64>();
    (0..chances.len()).find(|&most| above(most) <= SURPRISING).unwrap_or(chances.len())
}

fn share(good: usize, nothing: usize, full: usize) -> f64 {
    let above = good.saturating_sub(nothing) as f64;
    (above / full.saturating_sub(nothing).max(1) as f64).min(1.0)
}

/// The number of standard deviations that a value exceeds in one of twenty cases, on one side.
pub(super) const USUAL: f64 = 1.645;

/// The number of standard deviations that a value exceeds in one of 740 cases, on one side.
pub(super) const RARE: f64 = 3.0;

/// Returns the interval of chances of success that fit `good` successes in `all` tries (the score
/// interval of Wilson), so many standard deviations wide on each side. The true chance is below an
/// interval of the [`USUAL`] width in one of twenty cases, and above it in another.
pub(super) fn interval(good: usize, all: usize, deviations: f64) -> [f64; 2] {
    if all == 0 {
        return [0.0, 1.0];
    }
    let (tries, square) = (all as f64, deviations * deviations);
    let share = good as f64 / tries;
    let middle = share + square / (2.0 * tries);
    let spread = share * (1.0 - share) / tries + square / (4.0 * tries * tries);
    let reach = deviations * spread.sqrt();
    [middle - reach, middle + reach].map(|end| end / (1.0 + square / tries))
}

/// Returns the probability of each number of successes, from none to all (the Poisson binomial
/// distribution).
fn successes(chances: &[f64]) -> Vec<f64> {
    let mut distribution = vec![1.0];
    for &chance in chances {
        let mut next = vec![0.0; distribution.len() + 1];
        for (good, part) in distribution.iter().enumerate() {
            next[good] += part * (1.0 - chance);
            next[good + 1] += part * chance;
        }
        distribution = next;
    }
    distribution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excused_part_takes_its_finding_with_it() {
        let mut shares = Shares::default();
        for part in [Ok(()), Err("a"), Ok(()), Err("b"), Err("c")] {
            shares.add(part.map_err(|why: &str| Finding::of_no_position(why).into()));
        }
        shares.excuse(3);
        assert_eq!(shares.passed, [true, false, true, true, false]);
        let said: Vec<&str> = shares.findings.iter().map(|it| it.said.as_str()).collect();
        assert_eq!(said, ["a", "c"]);
    }

    /// Returns a check of 12 positions with the given number of right moves as each side.
    fn sight(good: [usize; 2]) -> Sight {
        let mut sight = Sight { shares: Shares::default(), tries: Vec::new(), enough: 10 };
        for (side, good) in Side::BOTH.into_iter().zip(good) {
            for index in 0..6 {
                let is_right = index < good;
                sight.tries.push(Try { side, is_odd: index % 2 == 1, chance: 0.25, is_right });
                sight.shares.passed.push(is_right);
            }
        }
        sight
    }

    #[test]
    fn player_that_is_blind_as_one_side_has_half() {
        // The player is lucky as the blind side in one check, which alone would suggest that it
        // sees.
        for dark in [[0; 4], [2, 1, 1, 2], [5, 1, 2, 1]] {
            let all = dark.map(|good| sight([6, good]));
            assert_eq!(blind_side(all.iter()), Some(Side::Second), "{dark:?}");
            for sight in all {
                assert_eq!(sight.graded(Some(Side::Second)).share, 0.5);
            }
        }
        // A player that sees at even depths alone is right at these as either side.
        let all = [[6, 6]; 4].map(|good| {
            let mut sight = sight(good);
            let dark = sight.tries.iter_mut().filter(|it| it.side == Side::Second && it.is_odd);
            dark.for_each(|it| it.is_right = false);
            sight
        });
        assert_eq!(blind_side(all.iter()), None);
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
        assert_eq!(sight([5, 5]).graded(None).share, 1.0);
    }

    #[test]
    fn distribution_is_that_of_coins() {
        let parts = successes(&[0.5; 4]).into_iter().map(|part| part * 16.0);
        assert_eq!(parts.collect::<Vec<_>>(), [1.0, 4.0, 6.0, 4.0, 1.0]);
    }

    #[test]
    fn points_begin_above_luck() {
        let chances = [0.25; 12];
        let nothing = luck(&chances, 12);
        assert!((4..=6).contains(&nothing), "{nothing}");
        assert_eq!(share_above_luck(nothing, &chances, 12), 0.0);
        assert!(share_above_luck(nothing + 1, &chances, 12) > 0.0);
        assert_eq!(share_above_luck(12, &chances, 12), 1.0);
        // Where luck decides, all or nothing is left.
        assert_eq!((luck(&[0.9, 0.9], 2), luck(&[], 0)), (1, 0));
        assert_eq!(share_above_luck(1, &[0.9, 0.9], 2), 0.0);
    }

    #[test]
    fn more_than_luck_is_rare() {
        // Four heads of four coins are no surprise; seven heads of seven coins are.
        assert_eq!([4, 7].map(|coins| surprise(&vec![0.5; coins])), [4, 6]);
        assert_eq!(surprise(&[]), 0);
    }

    #[test]
    fn interval_holds_nine_of_ten_chances() {
        assert_eq!(interval(0, 0, USUAL), [0.0, 1.0]);
        for (chance, tries) in [(0.5, 16), (0.8, 40), (0.9, 60)] {
            let holds = |good| {
                let [low, high] = interval(good, tries, USUAL);
                (low..=high).contains(&chance)
            };
            let parts = successes(&vec![chance; tries]).into_iter().enumerate();
            let part: f64 = parts.filter(|&(good, _)| holds(good)).map(|(_, part)| part).sum();
            assert!((0.85..=0.95).contains(&part), "{chance} {tries}: {part}");
        }
    }

    #[test]
    fn what_luck_may_give_is_bounded() {
        for (chance, tries) in [(0.1, 8), (0.25, 12), (0.5, 20), (0.5, 10)] {
            let chances = vec![chance; tries];
            let parts = successes(&chances).into_iter().enumerate();
            let mean = parts.map(|(good, part)| part * share_above_luck(good, &chances, tries));
            assert!(mean.sum::<f64>() <= LUCK, "{chance} {tries}");
        }
    }
}

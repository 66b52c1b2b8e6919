//! Luck: the successes that random play has, the points that begin above them, and the chances of success that
//! fit a result.

/// The part of the points that random play may earn on average. No check gives it more.
const LUCK: f64 = 0.04;

/// Returns the part of the points, from 0 to 1, for `good` successful tries, each of which succeeds
/// by luck alone with one of these `chances`. `full` successes earn all points.
///
/// The points begin above [`luck`] and grow evenly from there.
pub(super) fn share_above_luck(good: usize, chances: &[f64], full: usize) -> f64 {
    share(good, luck(chances, full), full)
}

/// Returns the greatest number of successes that earns nothing: the least number for which random
/// play earns no more than 4 % of the points on average. It is less than `full`.
pub(super) fn luck(chances: &[f64], full: usize) -> usize {
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
const DEVIATIONS: f64 = 1.645;

/// Returns the interval of chances of success that fit `good` successes in `all` tries (the score
/// interval of Wilson). The true chance is below it in one of twenty cases, and above it in
/// another.
pub(super) fn interval(good: usize, all: usize) -> [f64; 2] {
    if all == 0 {
        return [0.0, 1.0];
    }
    let (tries, square) = (all as f64, DEVIATIONS * DEVIATIONS);
    let share = good as f64 / tries;
    let middle = share + square / (2.0 * tries);
    let spread = share * (1.0 - share) / tries + square / (4.0 * tries * tries);
    let reach = DEVIATIONS * spread.sqrt();
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
    }

    #[test]
    fn more_than_luck_is_rare() {
        // Four heads of four coins are no surprise; seven heads of seven coins are.
        assert_eq!([4, 7].map(|coins| surprise(&vec![0.5; coins])), [4, 6]);
        assert_eq!(surprise(&[]), 0);
    }

    #[test]
    fn interval_holds_nine_of_ten_chances() {
        assert_eq!(interval(0, 0), [0.0, 1.0]);
        for (chance, tries) in [(0.5, 16), (0.8, 40), (0.9, 60)] {
            let holds = |good| {
                let [low, high] = interval(good, tries);
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

    #[test]
    fn all_or_nothing_is_left_where_luck_decides() {
        assert_eq!(luck(&[0.9, 0.9], 2), 1);
        assert_eq!(share_above_luck(1, &[0.9, 0.9], 2), 0.0);
        assert_eq!(luck(&[], 0), 0);
    }
}

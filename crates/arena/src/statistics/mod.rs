//! The certainty of a result: intervals, Elo, sequential tests and ratings.
//!
//! The statistics count pairs of games with the same opening and swapped sides: the two games of a
//! pair depend on each other, but pairs do not. The points of a pair, from 0 to 2 in steps of a
//! half, have five values, hence the name [`Pentanomial`]. The tests of this module play matches whose truth is
//! known, to measure how often the intervals and tests are right.

mod pentanomial;
mod rating;
mod sprt;

pub use pentanomial::{Interval, Pentanomial, elo_of, expected_score, signed};
pub use rating::{RatedMeeting, Rating, rate};
pub use sprt::{EloModel, NotATest, Sprt, SprtState};

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::pentanomial::NORMALIZED;
    use super::sprt::{bisected, moments};
    use super::*;

    /// A published result of another tool, as the tool printed it.
    struct Published {
        /// The tool, and the place where the result is printed.
        source: &'static str,
        counts: [u64; 5],
        elo: Option<[f64; 2]>,
        normalized: Option<[f64; 2]>,
        /// The likelihood of superiority, in percent.
        superiority: Option<f64>,
        test: &'static str,
        ratio: f64,
        /// Half of the last printed digit of the ratio.
        digit: f64,
    }

    const PUBLISHED: [Published; 7] = [
        Published {
            source: "fastchess, pull request 783",
            counts: [379, 10_170, 21_828, 10_640, 343],
            elo: None,
            normalized: Some([3.05, 2.31]),
            superiority: None,
            test: "0,2,model=normalized",
            ratio: 2.945_98,
            // The tool's search for a root ends earlier.
            digit: 0.000_6,
        },
        Published {
            source: "fastchess, cinder, pull request 836",
            counts: [835, 6_884, 13_116, 7_201, 852],
            elo: Some([2.11, 1.70]),
            normalized: Some([3.52, 2.83]),
            superiority: Some(99.25),
            test: "0,3,beta=0.1,model=normalized",
            ratio: 2.89,
            digit: 0.005,
        },
        Published {
            source: "fastchess, cinder, pull request 820",
            counts: [244, 1_980, 3_630, 2_067, 263],
            elo: Some([2.65, 3.24]),
            normalized: Some([4.36, 5.32]),
            superiority: Some(94.56),
            test: "-3,1,beta=0.1,model=normalized",
            ratio: 2.90,
            digit: 0.005,
        },
        Published {
            source: "fastchess, cinder, pull request 773",
            counts: [36, 340, 767, 462, 82],
            elo: Some([22.07, 7.16]),
            normalized: Some([36.25, 11.72]),
            superiority: Some(100.00),
            test: "0,3,beta=0.1,model=normalized",
            ratio: 2.89,
            digit: 0.005,
        },
        Published {
            source: "fishtest, raw statistics of montytest 69d3c8dc7c5b3724e29d2712",
            counts: [13, 37, 50, 25, 3],
            elo: None,
            normalized: Some([-63.97, f64::INFINITY]),
            superiority: None,
            test: "0,4,model=normalized",
            ratio: -0.549_12,
            digit: 0.000_005,
        },
        Published {
            source: "the same with its bounds in logistic Elo",
            counts: [13, 37, 50, 25, 3],
            elo: None,
            normalized: None,
            superiority: None,
            test: "0,2.716",
            ratio: -0.537_72,
            // The bound is printed to three digits.
            digit: 0.000_1,
        },
        // The counts are of games and not pairs: 759 lost, 1863 drawn and 880 won, each counted as a
        // pair of its own.
        Published {
            source: "cutechess, issue 543",
            counts: [759, 0, 1_863, 0, 880],
            elo: None,
            normalized: None,
            superiority: Some(99.9),
            test: "0,5",
            ratio: 2.95,
            digit: 0.005,
        },
    ];

    fn assert_near(found: f64, printed: f64, digit: f64, what: &str) {
        assert!((found - printed).abs() <= digit + 1e-9, "{what}: {found} in place of {printed}");
    }

    #[test]
    fn published_results_are_calculated_again() {
        for example in PUBLISHED {
            let (pairs, source) = (Pentanomial { counts: example.counts }, example.source);
            // The other tools use the normal distribution for their intervals, which for so many pairs
            // differs by at most 1 %.
            let near = |found: Interval, [mean, error]: [f64; 2], what: &str| {
                assert_near(found.mean, mean, 0.005, &format!("{source}: {what}"));
                if error.is_finite() {
                    let half = (found.upper - found.lower) / 2.0;
                    assert_near(half, error, 0.01 * error, &format!("{source}: error of {what}"));
                }
            };
            if let Some(elo) = example.elo {
                near(pairs.elo().expect("pairs"), elo, "Elo");
            }
            if let Some(normalized) = example.normalized {
                near(pairs.normalized_elo().expect("pairs"), normalized, "normalized Elo");
            }
            if let Some(percent) = example.superiority {
                let found = 100.0 * pairs.superiority().expect("pairs");
                assert_near(found, percent, 0.05, &format!("{source}: superiority"));
            }
            let test: Sprt = example.test.parse().expect("a test");
            let ratio = test.log_likelihood_ratio(&pairs);
            assert_near(ratio, example.ratio, example.digit, source);
        }
    }

    /// Elo and normalized Elo far from 0: the page chess.stackexchange.com/questions/45881.
    #[test]
    fn one_sided_result_is_calculated_again() {
        let pairs = Pentanomial { counts: [4, 3, 34, 42, 117] };
        let elo = pairs.elo().expect("pairs");
        assert_near(elo.mean, 277.00, 0.005, "Elo");
        // The normal distribution gives 40.90.
        assert_near((elo.upper - elo.lower) / 2.0, 40.90, 0.6, "error of Elo");
        assert_near(pairs.normalized_elo().expect("pairs").mean, 345.17, 0.005, "normalized Elo");
        assert_near(100.0 * pairs.superiority().expect("pairs"), 100.0, 0.005, "superiority");
    }

    /// Known values of fastchess' own tests.
    #[test]
    fn known_values_of_logistic_tests() {
        let elo = Pentanomial { counts: [34, 54, 31 + 32, 64, 75] }.elo().expect("pairs");
        assert_near(elo.mean, 55.58, 0.005, "Elo");
        assert_near((elo.upper - elo.lower) / 2.0, 27.65, 0.3, "error of Elo");
        for (test, counts, known) in [
            ("0.5,2.5", [223, 9_863, 20_279 + 1_000, 10_037, 246], -3.07),
            ("0,2", [871, 26_175, 55_003 + 980, 26_678, 821], -4.98),
        ] {
            let test: Sprt = test.parse().expect("a test");
            let pairs = Pentanomial { counts };
            assert_near(test.log_likelihood_ratio(&pairs), known, 0.01, "ratio");
            assert_eq!(test.state(&pairs), SprtState::Lower);
        }
    }

    /// Two players whose strengths are known.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct World {
        /// The probability of each result of a pair, by half points.
        pairs: [f64; 5],
    }

    impl World {
        /// Creates a world in which A's mean score is `score`. The share `draws` of the points of the
        /// weaker side comes from drawn games, and every opening helps one side by `opening` points of
        /// Elo.
        fn new(score: f64, draws: f64, opening: f64) -> World {
            let mean =
                |elo: f64| (expected_score(elo + opening) + expected_score(elo - opening)) / 2.0;
            let (low, high) = (elo_of(score) - opening - 1.0, elo_of(score) + opening + 1.0);
            let elo = bisected(low, high, |middle| mean(middle) < score);
            let game = |score: f64| {
                let drawn = 2.0 * score.min(1.0 - score) * draws;
                [1.0 - score - drawn / 2.0, drawn, score - drawn / 2.0]
            };
            let games = [elo + opening, elo - opening].map(|elo| game(expected_score(elo)));
            let mut pairs = [0.0; 5];
            for (one, p) in games[0].into_iter().enumerate() {
                for (other, q) in games[1].into_iter().enumerate() {
                    pairs[one + other] += p * q;
                }
            }
            World { pairs }
        }

        /// Creates a world in which `elo` is the truth on the scale of a test.
        fn of_elo(elo: f64, model: EloModel, draws: f64, opening: f64) -> World {
            if model == EloModel::Logistic {
                return World::new(expected_score(elo), draws, opening);
            }
            let of = |score: f64| World::new(score, draws, opening);
            of(bisected(1e-6, 1.0 - 1e-6, |middle| of(middle).normalized_elo() < elo))
        }

        fn normalized_elo(&self) -> f64 {
            let (mean, variance) = moments(&self.pairs);
            (mean - 0.5) / (2.0 * variance).sqrt() * NORMALIZED
        }

        /// Draws the half points of A in a pair.
        fn draw(&self, rng: &mut StdRng) -> u32 {
            let mut left: f64 = rng.random();
            for (half_points, p) in (0..).zip(self.pairs) {
                left -= p;
                if left < 0.0 {
                    return half_points;
                }
            }
            4
        }
    }

    /// Returns the share of matches of this many games whose 95 % interval holds the true score.
    fn coverage(world: &World, score: f64, games: u32, matches: u32, seed: u64) -> f64 {
        let mut rng = StdRng::seed_from_u64(seed);
        let held = (0..matches).filter(|_| {
            let mut pairs = Pentanomial::default();
            (0..games / 2).for_each(|_| pairs.add(world.draw(&mut rng)));
            pairs.score().is_some_and(|found| (found.lower..=found.upper).contains(&score))
        });
        held.count() as f64 / f64::from(matches)
    }

    /// Returns the share of tests that accept the greater difference, and the mean number of games that
    /// they take.
    fn acceptance(world: &World, test: &Sprt, tests: u32, seed: u64) -> (f64, f64) {
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut accepted, mut games) = (0, 0);
        for _ in 0..tests {
            let mut pairs = Pentanomial::default();
            let state = loop {
                pairs.add(world.draw(&mut rng));
                match test.state(&pairs) {
                    SprtState::Undecided => {}
                    decided => break decided,
                }
            };
            accepted += u32::from(state == SprtState::Upper);
            games += 2 * pairs.pairs();
        }
        (f64::from(accepted) / f64::from(tests), games as f64 / f64::from(tests))
    }

    /// The number of simulated matches for each cell.
    const MATCHES: u32 = 100_000;

    /// The number of simulated sequential tests for each cell, which take longer.
    const RUNS: u32 = 10_000;

    const GAMES: [u32; 4] = [10, 20, 50, 200];
    const SCORES: [f64; 4] = [0.5, 0.75, 0.9, 0.99];

    /// The share of the weaker side's points that come from draws.
    const DRAWS: [f64; 3] = [0.0, 0.5, 0.9];

    /// The amount by which openings help one side, in points of Elo.
    const OPENINGS: [f64; 2] = [0.0, 150.0];

    const TESTS: [&str; 4] =
        ["0,50", "0,100,alpha=0.01,beta=0.1", "0,50,model=normalized", "-20,60,model=normalized"];

    /// Returns the share of intervals that hold the truth, by the number of games.
    fn coverage_row(draws: f64, opening: f64, score: f64) -> String {
        let world = World::new(score, draws, opening);
        let cells = GAMES.map(|games| {
            let share = coverage(&world, score, games, MATCHES, u64::from(games));
            format!("{:.1} %", 100.0 * share)
        });
        let (draws, score) = (100.0 * draws, 100.0 * score);
        format!("| {draws} % | {opening} | {score} % | {} |", cells.join(" | "))
    }

    /// Returns the share of tests that accept a false hypothesis, and the games that they take.
    fn test_row(name: &str, draws: f64) -> Result<String, NotATest> {
        let test: Sprt = name.parse()?;
        let [lesser, greater] = [test.elo0, test.elo1]
            .map(|elo| acceptance(&World::of_elo(elo, test.model, draws, 0.0), &test, RUNS, 1));
        let errors = [lesser.0, 1.0 - greater.0].map(|share| 100.0 * share);
        Ok(format!(
            "| `{name}` | {} % | {:.1} %, {:.0} | {:.1} %, {:.0} |",
            100.0 * draws,
            errors[0],
            lesser.1,
            errors[1],
            greater.1
        ))
    }

    const RESULTS: &str = include_str!("../../../../results/statistics.md");

    /// Returns the shares in a row, in percent.
    fn shares(row: &str) -> Vec<f64> {
        let cells = row.trim_matches(['|', ' ']).split(" | ").skip(3);
        cells.map(|cell| cell.trim_end_matches(" %").parse().expect("a number")).collect()
    }

    #[test]
    #[ignore = "long"]
    fn intervals_hold_the_truth_in_93_to_97_of_100_matches() {
        for opening in OPENINGS {
            for score in SCORES {
                let row = coverage_row(0.5, opening, score);
                assert!(RESULTS.contains(&row), "{row}");
                let shares = shares(&row);
                assert!(shares.iter().all(|share| (93.0..=97.0).contains(share)), "{row}");
            }
        }
    }

    #[test]
    fn intervals_are_nowhere_far_too_short() {
        let rows: Vec<_> = RESULTS
            .lines()
            .filter(|line| line.starts_with("| 0 %") || line.starts_with("| 90 %"))
            .collect();
        assert_eq!(rows.len(), 16);
        assert!(rows.iter().flat_map(|row| shares(row)).all(|share| share > 88.0), "{rows:?}");
    }

    #[test]
    #[ignore = "long"]
    fn tests_are_wrong_as_often_as_they_say() -> Result<(), NotATest> {
        for name in TESTS {
            let test: Sprt = name.parse()?;
            let rows = RESULTS.lines().filter(|line| line.starts_with(&format!("| `{name}` |")));
            let mut count = 0;
            for row in rows {
                let errors: Vec<f64> = row
                    .split(" | ")
                    .skip(2)
                    .map(|cell| {
                        cell.split(" %").next().unwrap_or_default().parse().expect("a number")
                    })
                    .collect();
                // The formulas for the probabilities of errors are for many pairs; tests of a few
                // dozen games err a bit more often.
                assert!(errors[0] <= 1.25 * 100.0 * test.alpha, "{row}");
                assert!(errors[1] <= 1.25 * 100.0 * test.beta, "{row}");
                count += 1;
            }
            assert_eq!(count, 2, "{name}");
        }
        Ok(())
    }

    /// With `UPDATE_GOLDEN=1`, this test simulates all results again and writes them to
    /// `results/statistics.md`.
    #[test]
    #[ignore = "long"]
    fn results_are_made_again_where_that_is_asked_for() -> Result<(), Box<dyn std::error::Error>> {
        if std::env::var_os("UPDATE_GOLDEN").is_none() {
            return Ok(());
        }
        let mut rows = Vec::new();
        for draws in DRAWS {
            for opening in OPENINGS {
                rows.extend(SCORES.map(|score| coverage_row(draws, opening, score)));
            }
        }
        for name in TESTS {
            for draws in [0.0, 0.5] {
                rows.push(test_row(name, draws)?);
            }
        }
        // The same rows in the same order, with other figures.
        let mut rows = rows.into_iter();
        let mut text = String::new();
        for line in RESULTS.lines() {
            let is_row = line.starts_with("| `") || line.contains(" % | ");
            text += &if is_row { rows.next().ok_or("too few rows")? } else { line.to_owned() };
            text.push('\n');
        }
        assert_eq!(rows.next(), None);
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/statistics.md"), text)?;
        Ok(())
    }
}

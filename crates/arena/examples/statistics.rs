//! The reliability of 95 % intervals and sequential tests, by simulation.
//!
//! `cargo run --release -p plyground-arena --example statistics` makes the tables of
//! `results/statistics.md`.

use plyground_arena::statistics::{NotATest, Sprt, World, acceptance, coverage};

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

fn main() -> Result<(), NotATest> {
    println!("| draws | openings | score | 10 games | 20 games | 50 games | 200 games |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for draws in DRAWS {
        for opening in OPENINGS {
            for score in SCORES {
                println!("{}", coverage_row(draws, opening, score));
            }
        }
    }
    println!();
    println!(
        "| test | draws | lesser difference true: errors, games | greater true: errors, games |"
    );
    println!("| --- | --- | --- | --- |");
    for name in TESTS {
        for draws in [0.0, 0.5] {
            println!("{}", test_row(name, draws)?);
        }
    }
    Ok(())
}

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
    let [lesser, greater] = [test.elo0(), test.elo1()]
        .map(|elo| acceptance(&World::of_elo(elo, test.model(), draws, 0.0), &test, RUNS, 1));
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

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: &str = include_str!("../../../results/statistics.md");

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
                assert!(errors[0] <= 1.25 * 100.0 * test.alpha(), "{row}");
                assert!(errors[1] <= 1.25 * 100.0 * test.beta(), "{row}");
                count += 1;
            }
            assert_eq!(count, 2, "{name}");
        }
        Ok(())
    }
}

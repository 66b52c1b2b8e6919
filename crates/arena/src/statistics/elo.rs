//! Elo: the scale on which strengths are compared.

/// A lead of this many points means odds of ten to one.
const TENFOLD: f64 = 400.0;

/// The mean score, from 0 to 1, that a player is expected to have against one who is `elo` points
/// weaker: the logistic curve of A. E. Elo, "The Rating of Chessplayers", 1978, as rating lists
/// and testing frameworks use it.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / TENFOLD))
}

/// How many points stronger a player is whose mean score is `score`, from 0 to 1: the inverse of
/// [`expected_score`]. Infinite at both ends, and so for scores beyond them.
#[must_use]
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    TENFOLD * (score / (1.0 - score)).log10()
}

/// A difference in Elo as people write it, without a sign if it is 0.
#[must_use]
pub fn signed(elo: f64) -> String {
    if elo.round() == 0.0 { "0".to_owned() } else { format!("{elo:+.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_of_ten_to_one_are_400_points() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn each_is_the_inverse_of_the_other() {
        for elo in [-700.0, -35.5, 0.0, 12.25, 1_000.0] {
            assert!((elo_of(expected_score(elo)) - elo).abs() < 1e-6, "{elo}");
        }
    }

    #[test]
    fn ends_are_infinite() {
        assert_eq!(elo_of(1.0), f64::INFINITY);
        assert_eq!(elo_of(1.01), f64::INFINITY);
        assert_eq!(elo_of(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of(-0.01), f64::NEG_INFINITY);
    }
}

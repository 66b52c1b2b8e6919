//! Times as people write and read them.

use std::time::Duration;

/// The longest time that is read. A longer one is a typing error, and could overflow a clock.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a time as a person writes it: `1s`, `250ms`, `1m 30s`, or a number of seconds, `0.5`.
///
/// # Errors
///
/// Returns what was expected if the text is not a time, or the time is zero or more than a year.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time like 1s, 250ms or 1m".to_owned();
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let duration = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| expected())?,
        None => humantime::parse_duration(text).map_err(|_| expected())?,
    };
    if duration.is_zero() {
        return Err("expected a time greater than nothing".to_owned());
    }
    if duration > LONGEST {
        return Err("expected a time of a year at most".to_owned());
    }
    Ok(duration)
}

/// Optional times in files that people write, as texts that [`parse_duration`] reads.
///
/// For `#[serde(with = "plyground_sandbox::duration::text")]`.
///
/// [`parse_duration`]: super::parse_duration
pub mod text {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as text.
    ///
    /// # Errors
    ///
    /// Returns the serializer's error.
    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.collect_str(&humantime::format_duration(*time)),
            None => to.serialize_none(),
        }
    }

    /// Reads a time from text.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a text that [`parse_duration`] reads.
    ///
    /// [`parse_duration`]: super::parse_duration
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| super::parse_duration(&text).map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_duration_reads_times_people_write() {
        let millis = |text| parse_duration(text).map(|time| time.as_millis());
        assert_eq!(millis("1s"), Ok(1_000));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("1m 30s"), Ok(90_000));
        assert_eq!(millis("0.5"), Ok(500));
        assert_eq!(millis("1.5s"), Ok(1_500));
        assert_eq!(millis("1y").map(|millis| millis / 86_400_000), Ok(365));
        for bad in ["", "0s", "-1s", "-1", "nan", "inf", "1e300", "1e15", "2y", "soon", "s"] {
            assert!(millis(bad).is_err(), "{bad} is not a time");
        }
    }
}

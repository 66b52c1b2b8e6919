//! Times as people write and read them.

use std::time::Duration;

/// A longer time is a slip of the fingers, and would lead clocks beyond what they can tell.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// A time as a person writes it: `1s`, `250ms`, `1m 30s`, or a number of seconds, `0.5`.
///
/// # Errors
///
/// When the text is none, or the time is nothing or more than a year.
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

/// Optional times in files that people write: texts that [`parse_duration`] reads.
pub(crate) mod text {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.collect_str(&humantime::format_duration(*time)),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| super::parse_duration(&text).map_err(D::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let millis = |text| parse_duration(text).map(|time| time.as_millis());
        assert_eq!(millis("1s"), Ok(1_000));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("1m 30s"), Ok(90_000));
        assert_eq!(millis("0.5"), Ok(500));
        assert_eq!(millis("1.5s"), Ok(1_500));
        assert_eq!(millis("1y").map(|millis| millis / 86_400_000), Ok(365));
        for bad in ["", "0s", "-1s", "-1", "nan", "inf", "1e300", "1e15", "2y", "soon", "s"] {
            assert!(millis(bad).is_err(), "{bad} is no time");
        }
    }
}

//! Times, sizes and whole numbers as text, for people and for files.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;

/// The longest time that is read. A longer time is a typing error, and could overflow a clock.
const LONGEST_TIME: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a time as a person writes it: `1s`, `250ms`, `1m 30s`, or a number of seconds, `0.5`.
///
/// # Errors
///
/// Returns a message about the expected time if the text is not a time, or the time is zero or more than a
/// year.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time like 1s, 250ms or 1m".to_owned();
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let duration = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| expected())?,
        None => humantime::parse_duration(text).map_err(|_| expected())?,
    };
    if duration.is_zero() {
        return Err("expected a time greater than zero".to_owned());
    }
    if duration > LONGEST_TIME {
        return Err("expected a time of a year at most".to_owned());
    }
    Ok(duration)
}

/// Optional times in files that people write, as texts that [`parse_duration`] reads.
///
/// For `#[serde(with = "plyground_durable::quantities::duration_text")]`.
///
/// [`parse_duration`]: super::parse_duration
pub mod duration_text {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as text.
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

/// Times in files that programs write, in whole microseconds.
///
/// For `#[serde(with = "plyground_durable::quantities::microseconds")]`.
pub mod microseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as a number.
    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    /// Reads a time from a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a whole number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

/// Times in tables, as decimal seconds: to the nanosecond, so that they read back equal.
///
/// For `#[serde(with = "plyground_durable::quantities::seconds")]`.
pub mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as a decimal number.
    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}.{:09}", time.as_secs(), time.subsec_nanos()))
    }

    /// Reads a time from a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a number, is negative, or is too great for a time.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Reads a size as a person writes it: `512MiB`, `2GB`, or a number of bytes.
///
/// # Errors
///
/// Returns a message about the expected size if the text is not a size, or the size is zero.
pub fn parse_size(text: &str) -> Result<ByteSize, String> {
    let size = text.parse::<ByteSize>();
    size.map_err(|_| "expected a size like 512MiB or 2GiB".to_owned()).and_then(nonzero)
}

fn nonzero(size: ByteSize) -> Result<ByteSize, String> {
    match size {
        ByteSize(0) => Err("expected a size greater than zero".to_owned()),
        size => Ok(size),
    }
}

/// Sizes in files that people write, as texts that [`parse_size`] reads or as numbers of bytes.
///
/// For `#[serde(with = "plyground_durable::quantities::size_text")]`.
///
/// [`parse_size`]: super::parse_size
pub mod size_text {
    use bytesize::ByteSize;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the exact number of bytes, since the text for people is rounded.
    pub fn serialize<S: Serializer>(size: &ByteSize, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(size.as_u64())
    }

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a size like \"512MiB\", or a number of bytes")]
    enum Written {
        Bytes(u64),
        Text(String),
    }

    /// Reads a size from a text or a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is neither a text that [`parse_size`] reads nor a number of bytes.
    ///
    /// [`parse_size`]: super::parse_size
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ByteSize, D::Error> {
        let size = match Written::deserialize(from)? {
            Written::Bytes(bytes) => super::nonzero(ByteSize(bytes)),
            Written::Text(text) => super::parse_size(&text),
        };
        size.map_err(D::Error::custom)
    }
}

/// Returns a parser of whole numbers within a range.
///
/// The parser's error names both ends of the range. It can be the `value_parser` of an option.
pub fn whole_number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!("expected a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// Returns a number with commas between its groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 12, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
    }

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

    #[test]
    fn parse_size_reads_sizes_people_write() {
        assert_eq!(parse_size("512MiB"), Ok(ByteSize::mib(512)));
        assert_eq!(parse_size("2 GB"), Ok(ByteSize::gb(2)));
        assert_eq!(parse_size("1.5kib"), Ok(ByteSize(1536)));
        assert_eq!(parse_size("4096"), Ok(ByteSize(4096)));
        for bad in ["", "x", "MiB", "-1", "12 apples", "1e3"] {
            let expected = "expected a size like 512MiB or 2GiB".to_owned();
            assert_eq!(parse_size(bad), Err(expected), "{bad}");
        }
        for nothing in ["0", "0MiB", "0.1B"] {
            let expected = "expected a size greater than zero".to_owned();
            assert_eq!(parse_size(nothing), Err(expected), "{nothing}");
        }
    }

    #[test]
    fn whole_number_keeps_to_range() {
        let parse = whole_number(1..=42_u32);
        assert_eq!(parse("1"), Ok(1));
        assert_eq!(parse("42"), Ok(42));
        for bad in ["0", "43", "-1", "x", "", "1.5", "1e3", "99999999999999999999"] {
            let expected = "expected a whole number from 1 to 42".to_owned();
            assert_eq!(parse(bad), Err(expected), "{bad}");
        }
    }

    #[test]
    fn whole_number_excludes_zero_of_nonzero_types() {
        let parse = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX);
        assert_eq!(parse("7"), Ok(NonZeroUsize::MIN.saturating_add(6)));
        let expected = format!("expected a whole number from 1 to {}", usize::MAX);
        assert_eq!(parse("0"), Err(expected));
    }
}

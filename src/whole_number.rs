//! Whole numbers as arguments, with errors that people understand.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Reads a whole number within a range. What is none, or lies outside, is refused with both ends
/// of the range.
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn numbers_keep_to_their_range() {
        let parse = whole_number(1..=42_u32);
        assert_eq!(parse("1"), Ok(1));
        assert_eq!(parse("42"), Ok(42));
        for bad in ["0", "43", "-1", "x", "", "1.5", "1e3", "99999999999999999999"] {
            let expected = "expected a whole number from 1 to 42".to_owned();
            assert_eq!(parse(bad), Err(expected), "{bad}");
        }
    }

    #[test]
    fn numbers_that_are_never_zero_say_so() {
        let parse = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX);
        assert_eq!(parse("7"), Ok(NonZeroUsize::MIN.saturating_add(6)));
        let expected = format!("expected a whole number from 1 to {}", usize::MAX);
        assert_eq!(parse("0"), Err(expected));
    }
}

//! Whole numbers as arguments, with errors that people understand.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

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

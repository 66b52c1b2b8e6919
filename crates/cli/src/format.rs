//! Tables and their numbers, as people read them.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

/// The layout of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// For a person.
    Aligned,
    /// For a program.
    Csv,
}

impl Layout {
    /// The layout for standard output, if the rows are `kept` in a file or not.
    pub(super) fn of_stdout(kept: bool) -> Layout {
        if kept || io::stdout().is_terminal() { Layout::Aligned } else { Layout::Csv }
    }
}

/// A name that ends in `.svg`, so that a slip does not replace another file by a picture.
pub(super) fn svg_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    is_svg.then_some(path).ok_or_else(|| "expected a file name that ends in .svg".to_owned())
}

/// A number with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    const GROUP: usize = 3;
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(GROUP) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time with three or more digits and its unit.
pub(super) fn short(time: Duration) -> String {
    const UNITS: [(f64, &str); 3] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let seconds = time.as_secs_f64();
    let unit = UNITS.into_iter().find(|(size, _)| seconds >= *size);
    let (size, name) = unit.unwrap_or((1e-9, "ns"));
    let number = seconds / size;
    let decimals = if number < 9.995 {
        2
    } else if number < 99.95 {
        1
    } else {
        0
    };
    format!("{number:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let digits = [0, 999, 1_000, 12_345_678].map(grouped);
        assert_eq!(digits, ["0", "999", "1,000", "12,345,678"]);
        let nanos = [0, 950, 1_234, 45_678, 999_999, 61_234_000_000].map(Duration::from_nanos);
        let times = nanos.map(short);
        assert_eq!(times, ["0.00 ns", "950 ns", "1.23 µs", "45.7 µs", "1000 µs", "61.2 s"]);
    }
}

//! One depth of a calibration, and CSV.

use std::time::Duration;

use serde::Serialize;

use super::csv_line::{csv_line, seconds};

/// The columns of the CSV, in order.
pub const CALIBRATION_COLUMNS: [&str; 9] = [
    "game",
    "player",
    "depth",
    "positions",
    "runs",
    "cpu_seconds_min",
    "cpu_seconds_median",
    "cpu_seconds_max",
    "slowest",
];

/// What a move took at one depth, over all positions. The fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CalibrationRow {
    /// The name of the game.
    pub game: String,
    /// The player, with the depth in its place.
    pub player: String,
    /// How many plies it looked ahead.
    pub depth: u32,
    /// How many positions were measured.
    pub positions: usize,
    /// How often each was, of which the median counts.
    pub runs: u32,
    /// CPU time of the fastest position.
    #[serde(rename = "cpu_seconds_min", with = "seconds")]
    pub cpu_min: Duration,
    /// The median over the positions; the mean of the middle two, if they are even in number.
    #[serde(rename = "cpu_seconds_median", with = "seconds")]
    pub cpu_median: Duration,
    /// CPU time of the slowest position.
    #[serde(rename = "cpu_seconds_max", with = "seconds")]
    pub cpu_max: Duration,
    /// The moves that lead to the slowest position, separated by blanks; none for the start.
    pub slowest: String,
}

impl CalibrationRow {
    /// The row as one line of CSV, with its end.
    #[must_use]
    pub fn to_csv(&self) -> String {
        csv_line(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_row() {
        let row = CalibrationRow {
            game: "toy".to_owned(),
            player: "machine:depth=3".to_owned(),
            depth: 3,
            positions: 2,
            runs: 1,
            cpu_min: Duration::from_millis(1),
            cpu_median: Duration::from_millis(2),
            cpu_max: Duration::from_millis(3),
            slowest: "1 2".to_owned(),
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(&row).expect("a row");
        let text = String::from_utf8(writer.into_inner().expect("memory")).expect("text");
        let line = "toy,machine:depth=3,3,2,1,0.001000000,0.002000000,0.003000000,1 2\n";
        assert_eq!(row.to_csv(), line);
        assert_eq!(text, CALIBRATION_COLUMNS.join(",") + "\n" + line);
    }
}

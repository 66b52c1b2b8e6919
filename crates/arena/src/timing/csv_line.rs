//! Rows as lines of CSV.

use serde::Serialize;

/// A row as one line of CSV, with its end.
pub(super) fn csv_line(row: &impl Serialize) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    // Writing plain fields to memory cannot fail.
    let _ = writer.serialize(row);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Durations as decimal seconds, to the nanosecond, so that they read back equal.
pub(super) mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}.{:09}", time.as_secs(), time.subsec_nanos()))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
    }
}

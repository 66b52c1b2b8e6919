//! Durations as decimal seconds in a CSV field, to the nanosecond, so that they read back equal.

use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{}.{:09}", time.as_secs(), time.subsec_nanos()))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(input)?;
    Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)
}

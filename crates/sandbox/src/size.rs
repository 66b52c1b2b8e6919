//! Sizes as people write and read them.

use bytesize::ByteSize;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Reads a size as a person writes it: `512MiB`, `2GB`, or a number of bytes.
///
/// # Errors
///
/// Returns what was expected if the text is not a size, or the size is zero.
pub fn parse_size(text: &str) -> Result<ByteSize, String> {
    let size = text.parse::<ByteSize>();
    size.map_err(|_| "expected a size like 512MiB or 2GiB".to_owned()).and_then(nonzero)
}

fn nonzero(size: ByteSize) -> Result<ByteSize, String> {
    match size {
        ByteSize(0) => Err("expected a size greater than nothing".to_owned()),
        size => Ok(size),
    }
}

/// Writes the exact number of bytes, since the text for people is rounded.
pub(crate) fn serialize<S: Serializer>(size: &ByteSize, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(size.as_u64())
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a size like \"512MiB\", or a number of bytes")]
enum Written {
    Bytes(u64),
    Text(String),
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ByteSize, D::Error> {
    let size = match Written::deserialize(from)? {
        Written::Bytes(bytes) => nonzero(ByteSize(bytes)),
        Written::Text(text) => parse_size(&text),
    };
    size.map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let expected = "expected a size greater than nothing".to_owned();
            assert_eq!(parse_size(nothing), Err(expected), "{nothing}");
        }
    }
}

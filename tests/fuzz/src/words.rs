//! The values of options.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use plyground::book::Shard;
use plyground_arena::statistics::Sprt;
use plyground_arena::timing::{Depths, SearchKind};
use plyground_durable::parse_duration;
use plyground_host::{Bound, MoveText};
use plyground_sandbox::SandboxLevel;

use crate::source::Source;
use crate::told::assert_told;

/// A word that is read is written so that it is read as the same.
pub fn run(bytes: &[u8]) {
    let text = Source(bytes).text();
    same::<Shard>(&text);
    same::<SearchKind>(&text);
    same::<SandboxLevel>(&text);
    same::<Bound>(&text);
    same::<MoveText>(&text);
    same::<maxconnect4::Size>(&text);
    same::<maxconnect4::Column>(&text);
    same::<network::Rules>(&text);
    read::<Sprt>(&text);
    read::<Depths>(&text);
    if let Err(fault) = parse_duration(&text) {
        assert_told(&fault);
    }
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Option<T> {
    match text.parse::<T>() {
        Ok(value) => Some(value),
        Err(fault) => {
            assert_told(&fault);
            None
        }
    }
}

fn same<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    if let Some(value) = read::<T>(text) {
        assert_eq!(read::<T>(&value.to_string()).as_ref(), Some(&value), "{text:?}");
    }
}

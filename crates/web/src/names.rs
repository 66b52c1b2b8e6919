//! The names of clients.

use std::hash::{BuildHasher, RandomState};

use plyground_host::any_seed;

/// Gives out the names of clients; each name has one search at a time. A name is a number that cannot be
/// guessed and a keyed hash of it, so that this server recognizes its own names without a list of them.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The key, which differs in every run.
    key: RandomState,
}

/// The length in hexadecimal digits of the number and of the hash in a name.
const NUMBER: usize = 32;
const HASH: usize = 16;

impl Names {
    /// Returns a new name.
    pub(crate) fn give(&self) -> String {
        let number = format!("{:016x}{:016x}", any_seed(), any_seed());
        let hash = self.key.hash_one(&number);
        format!("{number}{hash:016x}")
    }

    /// Returns true if this server has given out the name.
    pub(crate) fn has_given(&self, name: &str) -> bool {
        let parts = name.split_at_checked(NUMBER).filter(|(_, hash)| hash.len() == HASH);
        parts.is_some_and(|(number, hash)| {
            u64::from_str_radix(hash, 16) == Ok(self.key.hash_one(number))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_were_given_are_known() {
        let (names, others) = (Names::default(), Names::default());
        let (one, other) = (names.give(), names.give());
        assert!(one != other && names.has_given(&one) && names.has_given(&other));
        assert!(!others.has_given(&one));
        let changed = if one.starts_with('0') { "1" } else { "0" };
        let long = "ü".repeat(24);
        for name in
            ["", "a", &one[1..], &format!("{one}0"), &format!("{changed}{}", &one[1..]), &long]
        {
            assert!(!names.has_given(name), "{name}");
        }
    }
}

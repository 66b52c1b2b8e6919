//! The entry of a position in the table of the prover.

use super::numbers::Numbers;
use crate::table::Packed;

const NUMBER_BITS: u32 = 21;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

/// The entry of a position in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    /// The code of the attacker's best move, or [`NO_MOVE`].
    pub(super) best: u16,
    /// The logarithm of the number of positions visited, at most 63.
    pub(super) work: u8,
}

const WORK_BITS: u32 = u64::BITS - 2 * NUMBER_BITS - u16::BITS;

impl Packed for Entry {
    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.numbers.proof)
            | u64::from(self.numbers.disproof) << NUMBER_BITS
            | u64::from(self.best) << (2 * NUMBER_BITS)
            | u64::from(self.work) << (u64::BITS - WORK_BITS)
    }

    #[inline]
    fn unpack(data: u64) -> Entry {
        let number = |bits: u64| (bits & NUMBER_MASK) as u32;
        Entry {
            numbers: Numbers { proof: number(data), disproof: number(data >> NUMBER_BITS) },
            best: (data >> (2 * NUMBER_BITS)) as u16,
            work: (data >> (u64::BITS - WORK_BITS)) as u8,
        }
    }

    #[inline]
    fn work(&self) -> u8 {
        self.work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::NO_MOVE;

    #[test]
    fn packing_loses_nothing() {
        for numbers in [Numbers::PROVEN, Numbers::DISPROVEN, Numbers::open(70_000, 1)] {
            let entry = Entry { numbers, best: NO_MOVE, work: 63 };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }
}

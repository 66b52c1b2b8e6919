//! The prover's table.

use std::sync::atomic::{AtomicU64, Ordering};

use super::numbers::Numbers;

/// Stands for "no move".
pub(super) const NO_MOVE: u16 = u16::MAX;

const NUMBER_BITS: u32 = 21;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) numbers: Numbers,
    /// The code of the attacker's best move, or [`NO_MOVE`].
    pub(super) best: u16,
    /// The logarithm of the number of positions visited, at most 63.
    pub(super) work: u8,
}

const WORK_BITS: u32 = u64::BITS - 2 * NUMBER_BITS - u16::BITS;

impl Entry {
    fn pack(self) -> u64 {
        u64::from(self.numbers.proof)
            | u64::from(self.numbers.disproof) << NUMBER_BITS
            | u64::from(self.best) << (2 * NUMBER_BITS)
            | u64::from(self.work) << (u64::BITS - WORK_BITS)
    }

    fn unpack(data: u64) -> Entry {
        let number = |bits: u64| (bits & NUMBER_MASK) as u32;
        Entry {
            numbers: Numbers { proof: number(data), disproof: number(data >> NUMBER_BITS) },
            best: (data >> (2 * NUMBER_BITS)) as u16,
            work: (data >> (u64::BITS - WORK_BITS)) as u8,
        }
    }
}

/// An entry with its key combined with the data, as in the table of the alpha-beta search, so
/// that threads can share it without locks.
#[derive(Debug, Default)]
#[repr(C, align(16))]
struct Slot {
    key_and_data: AtomicU64,
    data: AtomicU64,
}

/// The slots that a key may occupy: a cache line.
const BUCKET: usize = 4;

/// A hash table of fixed size that forgets first what took the least work.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
}

impl Table {
    /// A table of about `mib` MiB, at least one bucket.
    pub(super) fn new(mib: usize) -> Table {
        let buckets = ((mib << 20) / (BUCKET * size_of::<Slot>())).max(1);
        Table { slots: (0..buckets * BUCKET).map(|_| Slot::default()).collect() }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot] {
        let buckets = self.slots.len() / BUCKET;
        let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bucket = ((u128::from(mixed) * buckets as u128) >> 64) as usize;
        &self.slots[bucket * BUCKET..][..BUCKET]
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let slot_key = slot.key_and_data.load(Ordering::Relaxed) ^ data;
            (slot_key == key && data != 0).then(|| Entry::unpack(data))
        })
    }

    /// Keeps `entry` in place of one of the same key, or of the one that took the least work.
    pub(super) fn put(&self, key: u64, entry: Entry) {
        let bucket = self.bucket(key);
        let mut victim = &bucket[0];
        let mut least = u8::MAX;
        for slot in bucket {
            let data = slot.data.load(Ordering::Relaxed);
            if data == 0 || slot.key_and_data.load(Ordering::Relaxed) ^ data == key {
                victim = slot;
                break;
            }
            let work = Entry::unpack(data).work;
            if work < least {
                least = work;
                victim = slot;
            }
        }
        let data = entry.pack();
        victim.key_and_data.store(key ^ data, Ordering::Relaxed);
        victim.data.store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        for numbers in [Numbers::PROVEN, Numbers::DISPROVEN, Numbers::open(70_000, 1)] {
            let entry = Entry { numbers, best: NO_MOVE, work: 63 };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn the_least_work_gives_way() {
        let table = Table::new(0);
        let entry = |work| Entry { numbers: Numbers::PROVEN, best: 1, work };
        for key in 0..5 {
            table.put(key, entry(9 - key as u8));
        }
        let kept = |key| table.get(key).is_some();
        assert_eq!([0, 1, 2, 3, 4].map(kept), [true, true, true, false, true]);
    }
}

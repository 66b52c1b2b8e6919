//! The hash tables of searches, and a hash of two numbers.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use self::memory::{BUCKET, LINE, Memory, MixedKey, Slot};

mod memory;

/// The code that stands for "no move" among the codes of moves.
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// An entry of a table, which fits into one word.
pub(crate) trait Packed: Copy {
    /// Packs the entry into one word, never 0.
    fn pack(self) -> u64;

    /// Unpacks the entry from the word.
    fn unpack(data: u64) -> Self;

    /// Returns the base-2 logarithm of the number of nodes searched for the result: the cost of losing it.
    fn work(&self) -> u8;
}

/// The number of buckets that are sampled to estimate the fill of a table.
const SAMPLE: usize = 1_024;

/// The size of a [cache-sized](Table::cache_sized) table in KiB: half the second-level cache of a core of
/// 2020 or later.
const CACHE_KIB: usize = 512;

/// The number of buckets that a table begins with: 16 KiB.
const FIRST_BUCKETS: usize = 256;

/// The factor by which the used part of a table grows at a time.
const GROWTH: usize = 4;

/// A hash table that forgets the cheapest results first. Whole keys are compared, so results of
/// different positions are confused only where their keys are equal.
///
/// The used part begins small and grows to the full size as buckets overflow. A search of a few thousand
/// nodes then stays in the processor cache, and does not wait for the system to clear unneeded memory
/// (measured: up to half the time of such a search). No entry is replaced before the full size is reached,
/// so the contents do not depend on the growth.
#[derive(Debug)]
pub(crate) struct Table<E> {
    /// The memory; `None` for a table of no size.
    memory: Option<Memory>,
    buckets: usize,
    /// The number of buckets in use, from the first on.
    used: AtomicUsize,
    /// If true, a thread is about to change `used`.
    growing: AtomicBool,
    entries: PhantomData<fn(E) -> E>,
}

impl<E: Packed> Table<E> {
    /// Makes a table of `mib` MiB, rounded down to a power of two, or of as much memory as the system
    /// grants. With 0 there is no table, and entries must be neither looked up nor put.
    pub(crate) fn new(mib: usize) -> Table<E> {
        let mut buckets =
            (mib.saturating_mul(1 << 20) / LINE).checked_ilog2().map_or(0, |n| 1 << n);
        loop {
            let table = Table::with_buckets(buckets);
            if table.buckets == buckets {
                return table;
            }
            buckets /= 2;
        }
    }

    /// Returns a table that fits into the cache of a processor.
    pub(crate) fn cache_sized() -> Table<E> {
        Table::with_buckets(CACHE_KIB * 1_024 / LINE)
    }

    /// Returns a table of this many buckets, or of none if the system refuses the memory.
    pub(crate) fn with_buckets(buckets: usize) -> Table<E> {
        let memory = (buckets > 0).then(|| Memory::new(buckets)).flatten();
        let buckets = if memory.is_some() { buckets } else { 0 };
        let used = AtomicUsize::new(buckets.min(FIRST_BUCKETS));
        Table { memory, buckets, used, growing: AtomicBool::new(false), entries: PhantomData }
    }

    /// Returns true if there is a table at all.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.buckets > 0
    }

    /// Returns an empty table of the same size.
    pub(crate) fn another(&self) -> Table<E> {
        Table::with_buckets(self.buckets)
    }

    /// Returns the share of the slots that are in use, from 0 to 1, estimated from a sample.
    pub(crate) fn fill(&self) -> f64 {
        let buckets = self.used.load(Ordering::Relaxed);
        let slots = &self.slots()[..buckets.min(SAMPLE) * BUCKET];
        let used = slots.iter().filter(|slot| !slot.is_empty()).count();
        let share = used as f64 / slots.len().max(1) as f64;
        share * buckets as f64 / self.buckets.max(1) as f64
    }

    /// Returns the slots that `key` may occupy.
    #[inline]
    fn bucket(&self, key: MixedKey) -> &[Slot] {
        self.bucket_of(key, self.used.load(Ordering::Relaxed))
    }

    /// Returns the slots that `key` may occupy when this many buckets are in use.
    #[inline]
    fn bucket_of(&self, key: MixedKey, buckets: usize) -> &[Slot] {
        let bucket = ((u128::from(key.0) * buckets as u128) >> 64) as usize;
        &self.slots()[bucket * BUCKET..][..BUCKET]
    }

    #[inline]
    fn slots(&self) -> &[Slot] {
        self.memory.as_ref().map_or(&[], Memory::slots)
    }

    /// Puts more buckets to use, if there are any. Returns true if the number of used buckets grew.
    #[inline]
    fn grow(&self) -> bool {
        self.used.load(Ordering::Relaxed) < self.buckets && self.split()
    }

    /// Splits the used buckets. Returns true if their number grew, false if another thread is splitting
    /// them.
    ///
    /// Meanwhile, other threads may lose entries, or put entries where no lookup finds them, but they never
    /// read a wrong entry, because:
    ///
    /// 1. The memory has its full size from the beginning and never moves, and `used` only grows, up to that
    ///    size: the bucket exists for every value of `used` that a thread may have read.
    /// 2. `growing` admits one thread at a time, and this thread sees all writes of the previous one: the
    ///    acquiring swap reads `false` only from the releasing store. The thread therefore reads the latest
    ///    `used`, and no two threads move the same entries.
    /// 3. A slot contains the whole key, and a lookup accepts the slot only if this is the requested key. A
    ///    misplaced entry is therefore found by its own key or not at all. Entries are misplaced by a thread
    ///    that read `used` before it grew, and uses a bucket that now belongs to other keys.
    /// 4. The halves of a slot may come from two threads that write at once, one of them clearing or moving
    ///    the slot. The halves then yield a requested key only by chance; see [`MixedKey`]. While a slot is
    ///    being cleared, either its data is 0, which is no entry, or its key reads as the data.
    ///
    /// None of this depends on an order between slots, so all their loads and stores are relaxed.
    #[cold]
    #[inline(never)]
    fn split(&self) -> bool {
        if self.growing.swap(true, Ordering::Acquire) {
            return false;
        }
        let used = self.used.load(Ordering::Relaxed);
        let wanted = self.buckets.min(used * GROWTH);
        // The top bits of a key are the index, so the new buckets of an old bucket are adjacent, and in the
        // order of the old buckets. Going from the end, they are free.
        for bucket in self.slots()[..used * BUCKET].chunks_exact(BUCKET).rev() {
            let entries: [_; BUCKET] = std::array::from_fn(|index| bucket[index].load());
            bucket.iter().for_each(Slot::clear);
            for (key, data) in entries.into_iter().filter(|&(_, data)| data != 0) {
                if let Some(slot) = self.bucket_of(key, wanted).iter().find(|slot| slot.is_empty())
                {
                    slot.store(key, data);
                }
            }
        }
        self.used.store(wanted, Ordering::Relaxed);
        self.growing.store(false, Ordering::Release);
        wanted > used
    }

    /// Asks the processor to fetch the slots that [`get`](Table::get) will read for `key`.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.bucket(MixedKey::new(key)).as_ptr();
            // SAFETY: a prefetch has no effect on memory, and SSE is part of every x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Returns the entry of `key`, if there is one.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<E> {
        let key = MixedKey::new(key);
        self.bucket(key).iter().find_map(|slot| {
            let (slot_key, data) = slot.load();
            (slot_key == key && data != 0).then(|| E::unpack(data))
        })
    }

    /// Keeps `entry` under `key`, in place of an entry of the same key, or of the oldest in its
    /// bucket.
    #[inline]
    pub(crate) fn put_latest(&self, key: u64, entry: E) {
        let key = MixedKey::new(key);
        let mut slots = self.bucket(key);
        let last = loop {
            match slots.iter().position(|slot| slot.load().0 == key) {
                Some(index) => break index,
                None if slots[BUCKET - 1].is_empty() || !self.grow() => break BUCKET - 1,
                None => slots = self.bucket(key),
            }
        };
        for index in (0..last).rev() {
            let (older, data) = slots[index].load();
            slots[index + 1].store(older, data);
        }
        slots[0].store(key, entry.pack());
    }

    /// Keeps `entry` under `key`, in place of an entry of the same key, or of the entry in its
    /// bucket that took the least work.
    #[inline]
    pub(crate) fn put(&self, key: u64, entry: E) {
        self.put_mixed(MixedKey::new(key), entry);
    }

    /// Copies the entries for which `is_wanted` returns true to another table.
    pub(crate) fn put_into(&self, other: &Table<E>, is_wanted: impl Fn(&E) -> bool) {
        let used = self.used.load(Ordering::Relaxed) * BUCKET;
        for (key, data) in self.slots()[..used].iter().map(Slot::load) {
            if data != 0 {
                let entry = E::unpack(data);
                if is_wanted(&entry) {
                    other.put_mixed(key, entry);
                }
            }
        }
    }

    #[inline]
    fn put_mixed(&self, key: MixedKey, entry: E) {
        let mut slots = self.bucket(key);
        let slot = loop {
            let free = slots.iter().find(|slot| {
                let (slot_key, data) = slot.load();
                slot_key == key || data == 0
            });
            match free {
                Some(slot) => break slot,
                None if self.grow() => slots = self.bucket(key),
                None => break Self::cheapest(slots),
            }
        };
        slot.store(key, entry.pack());
    }

    /// Returns the first of the slots of a full bucket with the entry that took the least work.
    #[inline]
    fn cheapest(slots: &[Slot]) -> &Slot {
        let work = |slot: &&Slot| E::unpack(slot.load().1).work();
        slots.iter().min_by_key(work).unwrap_or(&slots[0])
    }
}

/// Mixes two numbers into one. Every bit of the result depends on every bit of both numbers (the finalizer
/// of SplitMix64; G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators",
/// 2014).
#[inline]
#[must_use]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry whose work is its upper byte.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Plain(u64);

    impl Packed for Plain {
        fn pack(self) -> u64 {
            self.0
        }

        fn unpack(data: u64) -> Plain {
            Plain(data)
        }

        fn work(&self) -> u8 {
            (self.0 >> 56) as u8
        }
    }

    fn entry(work: u64) -> Plain {
        Plain(work << 56 | 1)
    }

    #[test]
    fn finds_what_was_put_and_nothing_else() {
        let table = Table::new(1);
        assert_eq!(table.get(0), None);
        table.put(0, entry(7));
        table.put(42, entry(8));
        assert_eq!(table.get(0), Some(entry(7)));
        assert_eq!(table.get(42), Some(entry(8)));
        assert_eq!(table.get(43), None);
    }

    #[test]
    fn only_a_table_of_some_size_is_used() {
        let used = [0, 1].map(|mib| Table::<Plain>::new(mib).is_used());
        assert_eq!(used, [false, true]);
    }

    #[test]
    fn an_entry_gives_way_to_the_next_of_its_key() {
        for put in [Table::put, Table::put_latest] {
            let table = Table::with_buckets(1);
            put(&table, 42, entry(8));
            put(&table, 42, entry(7));
            assert_eq!(table.get(42), Some(entry(7)));
        }
    }

    #[test]
    fn every_slot_is_filled() {
        for put in [Table::put, Table::put_latest] {
            let table = Table::with_buckets(FIRST_BUCKETS);
            (0..100_000).for_each(|key| put(&table, key, entry(1)));
            assert_eq!(table.fill(), 1.0);
        }
    }

    #[test]
    fn the_least_work_gives_way() {
        let table = Table::with_buckets(1);
        for key in 0..4 {
            table.put(key, entry(10 + key));
        }
        table.put(99, entry(3));
        assert_eq!(table.get(0), None);
        assert!((1..4).all(|key| table.get(key).is_some()));
    }

    #[test]
    fn the_oldest_gives_way_to_the_latest() {
        let table = Table::with_buckets(1);
        for key in [1, 2, 3, 4, 1, 5] {
            table.put_latest(key, entry(3));
        }
        assert_eq!(table.get(2), None);
        assert!([1, 3, 4, 5].iter().all(|&key| table.get(key).is_some()));
    }

    #[test]
    fn what_a_table_holds_does_not_depend_on_how_it_grew() {
        const BUCKETS: usize = 16 * FIRST_BUCKETS;
        let put: [fn(&Table<Plain>, u64); 2] = [
            |table, key| table.put(key, entry(key % 100)),
            |table, key| table.put_latest(key, entry(key % 100)),
        ];
        for put in put {
            let (grown, full) = (Table::with_buckets(BUCKETS), Table::with_buckets(BUCKETS));
            full.used.store(BUCKETS, Ordering::Relaxed);
            let keys = || (1..=3 * BUCKETS as u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            for key in keys() {
                put(&grown, key);
                put(&full, key);
            }
            assert_eq!(grown.used.load(Ordering::Relaxed), BUCKETS);
            assert!(keys().any(|key| full.get(key).is_none()));
            assert!(keys().all(|key| grown.get(key) == full.get(key)));
        }
    }

    /// Lets threads put and look up the same keys while the table grows. The data is almost the key, the
    /// worst case: without mixed keys, halves of two entries would look like a third.
    #[test]
    fn threads_find_no_wrong_entry_while_the_table_grows() {
        const KEYS: u64 = 1 << 14;
        let data = |key: u64| Plain(key << 1 | 1);
        let table: Table<Plain> = Table::with_buckets(16 * FIRST_BUCKETS);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for n in 0..2 * KEYS {
                        let key = (n + thread * 7) % KEYS;
                        let put =
                            if key.is_multiple_of(2) { Table::put } else { Table::put_latest };
                        put(table, key, data(key));
                        let other = (key * 5 + thread) % KEYS;
                        for asked in [key, other] {
                            let found = table.get(asked);
                            assert!(found.is_none_or(|entry| entry == data(asked)), "{asked}");
                        }
                    }
                });
            }
        });
        assert_eq!(table.used.load(Ordering::Relaxed), 16 * FIRST_BUCKETS);
        assert!((0..KEYS).any(|key| table.get(key).is_some()));
        // A wrong entry would have a key beyond the keys that were put.
        assert!((KEYS..64 * KEYS).all(|key| table.get(key).is_none()));
    }

    #[test]
    fn the_fill_is_that_of_the_whole_table() {
        let table = Table::with_buckets(4 * FIRST_BUCKETS);
        for key in 0..FIRST_BUCKETS as u64 {
            table.put(key << 20, entry(1));
        }
        let fill = 1.0 / (4 * BUCKET) as f64;
        assert!((table.fill() - fill).abs() < fill / 4.0, "{}", table.fill());
    }

    #[test]
    fn another_table_is_empty() {
        let table = Table::with_buckets(1);
        table.put(5, entry(3));
        assert_eq!(table.another().get(5), None);
    }
}

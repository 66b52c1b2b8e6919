//! The memory of a search: what it knows of positions that it has seen.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{Advice, MmapMut};

/// Stands for "no move" among the codes of moves.
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// What a table keeps of a position.
pub(crate) trait Packed: Copy {
    /// All of it in one word, never 0.
    fn pack(self) -> u64;

    /// What was packed.
    fn unpack(data: u64) -> Self;

    /// The logarithm of the number of nodes that the result took: what it would cost to lose it.
    fn work(&self) -> u8;
}

/// An entry with the key of its position, in a form that threads can share without locks: the
/// key is stored combined with the data, so that halves of different writes do not match
/// (R. Hyatt and T. Mann, "A lock-less transposition table implementation", ICGA Journal 25(1),
/// 2002).
#[derive(Debug)]
#[repr(C)]
struct Slot {
    key_and_data: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    #[inline]
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.key_and_data.load(Ordering::Relaxed) ^ data, data)
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        self.key_and_data.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// The slots that a key may occupy: one cache line, so that looking at all costs one miss.
const BUCKET: usize = 4;

/// How many buckets are looked at to judge how full a table is.
const SAMPLE: usize = 1_024;

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// The size of a [`near`](Table::near) table in KiB: half the second-level cache of a core of
/// 2020 or later.
const NEAR_KIB: usize = 512;

/// A hash table of fixed size that forgets the cheapest results first. Whole keys are compared,
/// so results of different positions are confused only where their keys are equal.
#[derive(Debug)]
pub(crate) struct Table<E> {
    /// `None` for a table of no size.
    memory: Option<MmapMut>,
    buckets: usize,
    entries: PhantomData<fn(E) -> E>,
}

impl<E: Packed> Table<E> {
    /// A table of `mib` MiB, rounded down to a power of two. With 0 there is no table: it must
    /// not be asked for anything.
    pub(crate) fn new(mib: usize) -> Table<E> {
        let buckets = if mib == 0 { 0 } else { 1 << ((mib << 20) / LINE).ilog2() };
        Table::with_buckets(buckets)
    }

    /// A table that fits into the cache of a processor.
    pub(crate) fn near() -> Table<E> {
        Table::with_buckets(NEAR_KIB * 1_024 / LINE)
    }

    fn with_buckets(buckets: usize) -> Table<E> {
        // Zeroed pages come from the system untouched, so that a large table costs nothing until
        // it is used, and start a cache line. Lookups are scattered all over them: with pages of
        // the usual size most would miss the address cache of the processor too (measured on 512
        // MiB: 1.5 times the time for the whole search). Huge pages are a wish, not a need.
        let memory = (buckets > 0).then(|| MmapMut::map_anon(buckets * LINE).ok()).flatten();
        #[cfg(target_os = "linux")]
        if let Some(memory) = &memory {
            let _ = memory.advise(Advice::HugePage);
        }
        let buckets = if memory.is_some() { buckets } else { 0 };
        Table { memory, buckets, entries: PhantomData }
    }

    /// Whether there is a table at all.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.buckets > 0
    }

    /// An empty table of the same size.
    pub(crate) fn another(&self) -> Table<E> {
        Table::with_buckets(self.buckets)
    }

    /// The share of the slots that are in use, from 0 to 1, judged by some of them.
    pub(crate) fn fill(&self) -> f64 {
        let slots = &self.slots()[..self.buckets.min(SAMPLE) * BUCKET];
        let used = slots.iter().filter(|slot| slot.load().1 != 0).count();
        used as f64 / slots.len().max(1) as f64
    }

    /// The slots that `key` may occupy.
    #[inline]
    fn bucket(&self, key: u64) -> &[Slot] {
        // Keys need not be random, so they are mixed before the top bits are taken as the index
        // (Fibonacci hashing, Knuth, TAOCP 6.4).
        let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bucket = ((u128::from(mixed) * self.buckets as u128) >> 64) as usize;
        &self.slots()[bucket * BUCKET..][..BUCKET]
    }

    #[inline]
    fn slots(&self) -> &[Slot] {
        let Some(memory) = &self.memory else { return &[] };
        // SAFETY: the mapping starts at a page and is `buckets * LINE` bytes long, that is
        // `buckets * BUCKET` slots; any bytes make a valid slot; nobody else has the mapping, and
        // it is only ever used through these atomics.
        unsafe { std::slice::from_raw_parts(memory.as_ptr().cast(), self.buckets * BUCKET) }
    }

    /// Asks the processor to fetch what [`get`](Table::get) will read for `key`.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.bucket(key).as_ptr();
            // SAFETY: a prefetch has no effect on memory, and SSE is part of every x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// The entry of `key`, if there is one.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<E> {
        self.bucket(key).iter().find_map(|slot| {
            let (slot_key, data) = slot.load();
            (slot_key == key && data != 0).then(|| E::unpack(data))
        })
    }

    /// Keeps `entry` under `key`, in place of an entry of the same key, or of the oldest in its
    /// bucket.
    #[inline]
    pub(crate) fn put_latest(&self, key: u64, entry: E) {
        let slots = self.bucket(key);
        let last = slots.iter().position(|slot| slot.load().0 == key).unwrap_or(BUCKET - 1);
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
        let slots = self.bucket(key);
        let mut victim = &slots[0];
        let mut least = u8::MAX;
        for slot in slots {
            let (slot_key, data) = slot.load();
            if slot_key == key || data == 0 {
                victim = slot;
                break;
            }
            let work = E::unpack(data).work();
            if work < least {
                least = work;
                victim = slot;
            }
        }
        victim.store(key, entry.pack());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry that is worth its upper byte.
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
    fn another_table_is_empty() {
        let table = Table::with_buckets(1);
        table.put(5, entry(3));
        assert_eq!(table.another().get(5), None);
    }
}

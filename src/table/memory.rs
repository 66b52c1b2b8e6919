//! The memory of a table, from the system or from the allocator, and its slots, which threads share without
//! locks.

use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
pub(super) use self::heap::Memory;
#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
pub(super) use self::mapped::Memory;

/// A mixed key. Every bit depends on many bits of the key, and different keys have different mixed keys,
/// because both steps are invertible.
///
/// Keys of games need not be random, but the top bits of a mixed key serve as the index (Fibonacci hashing,
/// Knuth, TAOCP 6.4), and halves of different writes to a slot must not yield the key of another position,
/// except by chance. Without mixing, they often would: a key may encode the contents of a square in three
/// bits, and the data of two entries may differ in just these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MixedKey(pub(super) u64);

impl MixedKey {
    #[inline]
    pub(super) fn new(key: u64) -> MixedKey {
        MixedKey((key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// An entry with the key of its position, in a form that threads can share without locks: the
/// key is stored combined with the data, so that halves of different writes do not match
/// (R. Hyatt and T. Mann, "A lock-less transposition table implementation", ICGA Journal 25(1),
/// 2002).
#[derive(Debug)]
#[repr(C)]
pub(super) struct Slot {
    /// The mixed key combined with the data; 0 in an empty slot.
    key_and_data: AtomicU64,
    /// The packed entry; 0 in an empty slot, and in no other.
    data: AtomicU64,
}

impl Slot {
    #[inline]
    pub(super) fn load(&self) -> (MixedKey, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (MixedKey(self.key_and_data.load(Ordering::Relaxed) ^ data), data)
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.data.load(Ordering::Relaxed) == 0
    }

    #[inline]
    pub(super) fn store(&self, key: MixedKey, data: u64) {
        self.key_and_data.store(key.0 ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn clear(&self) {
        self.store(MixedKey(0), 0);
    }
}

/// The number of slots that a key may occupy: one cache line, so that reading all of them costs one cache
/// miss.
pub(super) const BUCKET: usize = 4;

/// The size of a cache line in bytes.
pub(super) const LINE: usize = 64;

#[cfg(all(feature = "mmap", not(target_family = "wasm")))]
mod mapped {
    use memmap2::MmapMut;

    use super::{BUCKET, LINE, Slot};

    /// The size of huge pages, which suit large tables better.
    #[cfg(target_os = "linux")]
    const HUGE_PAGE: usize = 2 << 20;

    /// Memory for the slots of a table, zero at first.
    #[derive(Debug)]
    pub(in crate::table) struct Memory(MmapMut);

    impl Memory {
        /// Makes memory for `buckets` buckets, at least one; `None` if the system refuses it.
        ///
        /// The system zeroes pages at first use, so that the unused part of a large table costs nothing, and
        /// a page starts a cache line. Lookups are scattered over the whole table: with pages of the usual
        /// size, most would miss the TLB too (measured on 512 MiB: 1.5 times the time for the whole search).
        /// Huge pages are optional, so an error is ignored. The beginning of the table does without them,
        /// because a small search needs only a few lines of it.
        pub(in crate::table) fn new(buckets: usize) -> Option<Memory> {
            let bytes = buckets * LINE;
            let memory = MmapMut::map_anon(bytes).ok()?;
            #[cfg(target_os = "linux")]
            if bytes > HUGE_PAGE {
                let advice = memmap2::Advice::HugePage;
                let _ = memory.advise_range(advice, HUGE_PAGE, bytes - HUGE_PAGE);
            }
            Some(Memory(memory))
        }

        #[inline]
        pub(in crate::table) fn slots(&self) -> &[Slot] {
            // SAFETY: the mapping starts at a page and is a whole number of lines long, each of which is
            // `BUCKET` slots; any bytes make a valid slot; the mapping has no other owner, and it is only ever
            // used through these atomics.
            unsafe {
                std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / LINE * BUCKET)
            }
        }
    }
}

#[cfg(not(all(feature = "mmap", not(target_family = "wasm"))))]
mod heap {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use super::{BUCKET, LINE, Slot};

    /// Memory for the slots of a table, zero at first.
    #[derive(Debug)]
    pub(in crate::table) struct Memory {
        slots: NonNull<Slot>,
        layout: Layout,
    }

    // SAFETY: the slots are atomics and belong to the memory alone.
    unsafe impl Send for Memory {}
    // SAFETY: as above.
    unsafe impl Sync for Memory {}

    impl Memory {
        /// Makes memory for `buckets` buckets, at least one; `None` if there is not enough.
        pub(in crate::table) fn new(buckets: usize) -> Option<Memory> {
            let layout = Layout::from_size_align(buckets.checked_mul(LINE)?, LINE).ok()?;
            // SAFETY: the size of the layout is not zero.
            let memory = unsafe { alloc_zeroed(layout) };
            Some(Memory { slots: NonNull::new(memory.cast())?, layout })
        }

        #[inline]
        pub(in crate::table) fn slots(&self) -> &[Slot] {
            // SAFETY: the allocation is a whole number of lines long, each of which is `BUCKET` slots,
            // and starts a line; zeroes make valid slots; it lives as long as `self`.
            unsafe {
                std::slice::from_raw_parts(self.slots.as_ptr(), self.layout.size() / LINE * BUCKET)
            }
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: allocated by `new` with this layout.
            unsafe { dealloc(self.slots.as_ptr().cast(), self.layout) };
        }
    }
}

//! The slots of a table, which threads share without locks.

use std::sync::atomic::{AtomicU64, Ordering};

/// A mixed key. Every bit depends on many bits of the key that it stands for, and no two keys have the same
/// mixed key: both steps can be undone.
///
/// Keys of games need not be random. The top bits of a mixed key serve as the index (Fibonacci hashing,
/// Knuth, TAOCP 6.4), and the key that halves of different writes to a slot seem to have is that of another
/// position only by chance. Without mixing, this would be likely: a key may encode the contents of a square
/// in three bits, which are just those in which the data of two entries differ.
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

/// The slots that a key may occupy: one cache line, so that looking at all costs one miss.
pub(super) const BUCKET: usize = 4;

/// The size of a cache line in bytes.
pub(super) const LINE: usize = 64;

//! The memory of a table, from the allocator.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use super::slot::{BUCKET, LINE, Slot};

/// Memory for the slots of a table, zero at first.
#[derive(Debug)]
pub(super) struct Memory {
    slots: NonNull<Slot>,
    layout: Layout,
}

// SAFETY: the slots are atomics and belong to the memory alone.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Makes memory for `buckets` buckets, at least one; `None` if there is not enough.
    pub(super) fn new(buckets: usize) -> Option<Memory> {
        let layout = Layout::from_size_align(buckets.checked_mul(LINE)?, LINE).ok()?;
        // SAFETY: the size of the layout is not zero.
        let memory = unsafe { alloc_zeroed(layout) };
        Some(Memory { slots: NonNull::new(memory.cast())?, layout })
    }

    #[inline]
    pub(super) fn slots(&self) -> &[Slot] {
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

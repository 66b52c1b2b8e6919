//! The memory of a table, mapped from the system.

use memmap2::MmapMut;

use super::slot::{BUCKET, LINE, Slot};

/// The size of huge pages, which suit large tables better.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Memory for the slots of a table, zero at first.
#[derive(Debug)]
pub(super) struct Memory(MmapMut);

impl Memory {
    /// Makes memory for `buckets` buckets, at least one; `None` if the system refuses it.
    ///
    /// Zeroed pages come from the system untouched, so that a large table costs nothing until it is used,
    /// and start a cache line. Lookups are scattered all over them: with pages of the usual size most would
    /// miss the address cache of the processor too (measured on 512 MiB: 1.5 times the time for the whole
    /// search). Huge pages are a wish, not a need. The beginning of the table is better off without them: a
    /// search may need only a few lines of it.
    pub(super) fn new(buckets: usize) -> Option<Memory> {
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
    pub(super) fn slots(&self) -> &[Slot] {
        // SAFETY: the mapping starts at a page and is a whole number of lines long, each of which is
        // `BUCKET` slots; any bytes make a valid slot; the mapping has no other owner, and it is only ever
        // used through these atomics.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / LINE * BUCKET) }
    }
}

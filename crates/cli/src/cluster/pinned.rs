//! Pieces of work that do not take time from each other.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground_arena::alone::pin_to_core;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};

/// Work of which each thread keeps to a processor core of its own.
pub(super) struct Pinned<'w>(pub(super) &'w dyn Workload);

impl Workload for Pinned<'_> {
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
        self.0.pieces(folder)
    }

    fn results_end_others(&self) -> bool {
        self.0.results_end_others()
    }

    fn work(
        &self,
        thread: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        pin_to_core(thread);
        self.0.work(thread, piece, stop)
    }
}

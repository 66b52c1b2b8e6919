//! Work that takes longer than an async task may block.

use axum::http::StatusCode;
use tokio::task::spawn_blocking;

use crate::refusal::Refusal;

/// The greatest number of such pieces of work at a time, besides the searches.
pub(crate) const MOST: usize = 16;

/// Does work in a thread of its own, so that the thread that waits for it can serve other connections.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed");
    spawn_blocking(work).await.map_err(failed)?
}

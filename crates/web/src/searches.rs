//! The searches under way: one for each client, and no more than the server can bear.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;

use crate::refusal::Refusal;

/// The longest name that a client may give itself.
const MAX_NAME: usize = 64;

/// The searches under way.
#[derive(Debug)]
pub(crate) struct Searches {
    most: usize,
    number: AtomicU64,
    by_client: Mutex<HashMap<String, Running>>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    stop: Arc<AtomicBool>,
}

impl Searches {
    /// At most so many at a time.
    pub(crate) fn new(most: usize) -> Arc<Searches> {
        Arc::new(Searches { most, number: AtomicU64::new(0), by_client: Mutex::default() })
    }

    /// The greatest number at a time.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Whether there is not more than one.
    pub(crate) fn is_alone(&self) -> bool {
        self.lock().len() <= 1
    }

    /// Begins the search of a client, and ends the one that the client had before, if any.
    pub(crate) fn begin(self: &Arc<Searches>, client: &str) -> Result<Permit, Refusal> {
        if client.is_empty() || client.len() > MAX_NAME {
            let why = format!("expected a client name of 1 to {MAX_NAME} bytes");
            return Err(Refusal::input(why));
        }
        let mut by_client = self.lock();
        if let Some(earlier) = by_client.remove(client) {
            earlier.stop.store(true, Ordering::Relaxed);
        } else if by_client.len() >= self.most {
            let why = format!("{} others are searching; try again later", self.most);
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let stop = Arc::new(AtomicBool::new(false));
        by_client.insert(client.to_owned(), Running { number, stop: Arc::clone(&stop) });
        Ok(Permit { searches: Arc::clone(self), client: client.to_owned(), number, stop })
    }

    /// Ends all.
    pub(crate) fn stop_all(&self) {
        for running in self.lock().values() {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        // Nothing here can be left half done by a thread that panics.
        self.by_client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one search. Dropping it ends the search.
#[derive(Debug)]
pub(crate) struct Permit {
    searches: Arc<Searches>,
    client: String,
    number: u64,
    /// Ends the search when raised.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let mut by_client = self.searches.lock();
        if by_client.get(&self.client).is_some_and(|running| running.number == self.number) {
            by_client.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_has_one_search() {
        let searches = Searches::new(2);
        let first = searches.begin("a").expect("room");
        let second = searches.begin("a").expect("the place of the first");
        let is_raised = |permit: &Permit| permit.stop.load(Ordering::Relaxed);
        assert!(is_raised(&first) && !is_raised(&second));
        drop(first);
        assert!(!is_raised(&second));
        let other = searches.begin("b").expect("room");
        assert!(searches.begin("c").is_err());
        drop(other);
        assert!(searches.begin("c").is_ok());
        searches.stop_all();
        assert!(is_raised(&second));
    }

    #[test]
    fn client_name_has_a_reasonable_length() {
        let searches = Searches::new(2);
        assert!(searches.begin("").is_err());
        assert!(searches.begin(&"x".repeat(MAX_NAME + 1)).is_err());
    }
}

//! The searches that are under way: one to a client, and not more than the server can bear.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;

use super::refusal::Refusal;

/// The longest name that a client may give itself.
const MAX_NAME: usize = 64;

/// The searches that are under way.
#[derive(Debug)]
pub(super) struct Searches {
    most: usize,
    number: AtomicU64,
    by_client: Mutex<HashMap<String, Running>>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    stop: Stop,
}

/// Ends a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop {
    /// Ends it whatever it is at.
    pub(super) now: Arc<AtomicBool>,
    /// Ends the part of it that looks to the end of the game, so that something else is done in the
    /// rest of the time.
    pub(super) exact: Arc<AtomicBool>,
}

impl Stop {
    pub(super) fn raise(&self) {
        self.hurry();
        self.now.store(true, Ordering::Relaxed);
    }

    pub(super) fn hurry(&self) {
        self.exact.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_raised(&self) -> bool {
        self.now.load(Ordering::Relaxed)
    }
}

impl Searches {
    /// At most so many at a time.
    pub(super) fn new(most: usize) -> Arc<Searches> {
        Arc::new(Searches { most, number: AtomicU64::new(0), by_client: Mutex::default() })
    }

    /// The greatest number at a time.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Whether there is not more than one.
    pub(super) fn is_alone(&self) -> bool {
        self.lock().len() <= 1
    }

    /// Begins the search of a client, and ends the one that he may have had.
    pub(super) fn begin(self: &Arc<Searches>, client: &str) -> Result<Permit, Refusal> {
        if client.is_empty() || client.len() > MAX_NAME {
            let why = format!("expected a client's name of 1 to {MAX_NAME} bytes");
            return Err(Refusal::input(why));
        }
        let mut by_client = self.lock();
        if let Some(earlier) = by_client.remove(client) {
            earlier.stop.raise();
        } else if by_client.len() >= self.most {
            let why = format!("{} others are searching; try again later", self.most);
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let stop = Stop::default();
        by_client.insert(client.to_owned(), Running { number, stop: stop.clone() });
        Ok(Permit { searches: Arc::clone(self), client: client.to_owned(), number, stop })
    }

    /// Ends all.
    pub(super) fn stop_all(&self) {
        for running in self.lock().values() {
            running.stop.raise();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        // Nothing here can be left half done by a thread that panics.
        self.by_client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one search, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    searches: Arc<Searches>,
    client: String,
    number: u64,
    pub(super) stop: Stop,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stop.raise();
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
    fn a_client_has_one_search() {
        let searches = Searches::new(2);
        let first = searches.begin("a").expect("room");
        let second = searches.begin("a").expect("the place of the first");
        assert!(first.stop.is_raised() && !second.stop.is_raised());
        drop(first);
        assert!(!second.stop.is_raised());
        let other = searches.begin("b").expect("room");
        assert!(searches.begin("c").is_err());
        drop(other);
        assert!(searches.begin("c").is_ok());
        searches.stop_all();
        assert!(second.stop.is_raised());
    }

    #[test]
    fn clients_have_names_of_reasonable_length() {
        let searches = Searches::new(2);
        assert!(searches.begin("").is_err());
        assert!(searches.begin(&"x".repeat(MAX_NAME + 1)).is_err());
    }
}

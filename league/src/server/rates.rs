//! The rate of requests of a client: so many at once, and then so many in a second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The rates of many clients.
#[derive(Debug)]
pub(super) struct Rates<K> {
    most: f64,
    per_second: f64,
    used: Mutex<HashMap<K, (f64, Instant)>>,
}

/// The number of clients that are remembered before those that have rested are forgotten.
const REMEMBERED: usize = 4_096;

impl<K: Eq + Hash> Rates<K> {
    /// Allows `most` requests at once, and `per_second` from then on.
    pub(super) fn new(most: f64, per_second: f64) -> Rates<K> {
        Rates { most, per_second, used: Mutex::default() }
    }

    /// Counts a request of a client; returns false if it is one too many.
    pub(super) fn allow(&self, client: K) -> bool {
        self.allow_at(client, Instant::now())
    }

    fn allow_at(&self, client: K, now: Instant) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |&(used, since): &(f64, Instant)| {
            (used - self.per_second * now.saturating_duration_since(since).as_secs_f64()).max(0.0)
        };
        if used.len() > REMEMBERED {
            used.retain(|_, state| left(state) > 0.0);
        }
        let state = used.entry(client).or_insert((0.0, now));
        let before = left(state);
        let is_allowed = before + 1.0 <= self.most;
        *state = (if is_allowed { before + 1.0 } else { before }, now);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn client_that_rests_may_go_on() {
        let (rates, now) = (Rates::new(2.0, 0.5), Instant::now());
        assert!(rates.allow_at("ann", now) && rates.allow_at("ann", now));
        assert!(!rates.allow_at("ann", now) && rates.allow_at("bob", now));
        let later = now + Duration::from_secs(2);
        assert!(rates.allow_at("ann", later) && !rates.allow_at("ann", later));
    }
}

//! The connections that are open: limited in number, and who waits longest goes first.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use tokio::task::AbortHandle;

use crate::address::ClientAddress;

/// The connections that are open. When there are too many, the one ends on which the server has
/// waited longest for a client, be it for a request or for the taking of an answer. So slow clients
/// keep nobody out, least of all from other addresses.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    most_by_address: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// In the order in which they were opened, each with the address of its client; a reverse proxy
    /// has none, for it speaks for many.
    seats: BTreeMap<u64, (Option<ClientAddress>, Arc<Activity>)>,
}

impl Connections {
    /// At most so many, of which so many are from one address.
    pub(crate) fn new(most: usize, most_by_address: usize) -> Arc<Connections> {
        Arc::new(Connections { most, most_by_address, open: Mutex::default() })
    }

    /// Makes room for a connection; `None` if all others are at work.
    pub(crate) fn admit(self: &Arc<Connections>, address: Option<ClientAddress>) -> Option<Seat> {
        let mut open = self.lock();
        let from_here = |(_, (other, _)): &(&u64, &(Option<ClientAddress>, _))| *other == address;
        let own = address.map_or(0, |_| open.seats.iter().filter(from_here).count());
        if own >= self.most_by_address {
            open.end_one(|other| other == address)?;
        } else if open.seats.len() >= self.most {
            open.end_one(|_| true)?;
        }
        let number = open.next;
        open.next += 1;
        let activity = Arc::new(Activity::default());
        open.seats.insert(number, (address, Arc::clone(&activity)));
        Some(Seat { connections: Arc::clone(self), number, activity })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing here can be left half done by a thread that panics.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Ends the connection from such an address on which the server has waited longest.
    fn end_one(&mut self, is_such: impl Fn(Option<ClientAddress>) -> bool) -> Option<()> {
        let such = self.seats.iter().filter(|(_, (address, _))| is_such(*address));
        let waiting =
            such.filter_map(|(number, (_, activity))| Some((activity.waiting_since()?, *number)));
        let (_, number) = waiting.min()?;
        let (_, activity) = self.seats.remove(&number)?;
        activity.end();
        Some(())
    }
}

/// The room of one connection, which ends with the value.
#[derive(Debug)]
pub(crate) struct Seat {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) activity: Arc<Activity>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.connections.lock().seats.remove(&self.number);
    }
}

/// What is going on on a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    /// How much the server does for it.
    busy: AtomicUsize,
    /// Since when the server waits for the client, if it does nothing.
    since: Mutex<Instant>,
    ended: AtomicBool,
    task: OnceLock<AbortHandle>,
}

impl Default for Activity {
    fn default() -> Activity {
        let since = Mutex::new(Instant::now());
        Activity { busy: AtomicUsize::new(0), since, ended: false.into(), task: OnceLock::new() }
    }
}

impl Activity {
    /// The server is at work for the client as long as the value lives.
    pub(crate) fn begin(self: &Arc<Activity>) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Says by which task the connection is served.
    pub(crate) fn set_task(&self, task: AbortHandle) {
        let task = self.task.get_or_init(|| task);
        if self.ended.load(Ordering::SeqCst) {
            task.abort();
        }
    }

    /// Ends the connection.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    fn waiting_since(&self) -> Option<Instant> {
        (self.busy.load(Ordering::Relaxed) == 0).then(|| *self.since())
    }

    fn since(&self) -> MutexGuard<'_, Instant> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work for a client, which does not keep the server waiting.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.since() = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<ClientAddress> {
        Some(ClientAddress::new([10, 0, 0, last].into()))
    }

    fn has_ended(seat: &Seat) -> bool {
        seat.activity.ended.load(Ordering::Relaxed)
    }

    #[test]
    fn address_beyond_its_share_ends_its_own() {
        let connections = Connections::new(3, 2);
        let seats = [1, 1, 2].map(|last| connections.admit(address(last)).expect("room"));
        let more = connections.admit(address(1)).expect("the place of its first");
        assert_eq!(seats.each_ref().map(has_ended), [true, false, false]);
        drop((more, seats));
        assert!(connections.lock().seats.is_empty());
    }

    #[test]
    fn whom_the_server_waits_for_longest_makes_room() {
        let connections = Connections::new(3, 3);
        let seats = [1, 2, 3].map(|last| connections.admit(address(last)).expect("room"));
        let busy = seats[0].activity.begin();
        drop(seats[1].activity.begin());
        // The second has just been answered.
        let _more = connections.admit(address(4)).expect("the place of the third");
        assert_eq!(seats.each_ref().map(has_ended), [false, false, true]);
        drop(busy);
    }

    #[test]
    fn nobody_makes_room_who_is_at_work() {
        let connections = Connections::new(2, 2);
        let seats = [1, 2].map(|last| connections.admit(address(last)).expect("room"));
        let _busy = seats.each_ref().map(|seat| seat.activity.begin());
        assert!(connections.admit(address(3)).is_none());
        assert_eq!(seats.each_ref().map(has_ended), [false; 2]);
    }

    #[test]
    fn proxy_has_as_many_as_there_are() {
        let connections = Connections::new(5, 1);
        let seats = [(); 5].map(|()| connections.admit(None).expect("room"));
        assert_eq!(seats.each_ref().map(has_ended), [false; 5]);
    }
}

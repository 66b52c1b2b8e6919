//! The open connections: limited in number; the one on which the server has waited longest ends first.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use tokio::task::AbortHandle;

use crate::address::ClientAddress;

/// The open connections. If there are too many, the server ends the connection on which it has waited longest
/// for the client, either for a request or for the client to take an answer. So slow clients keep no other
/// client out, least of all a client from another address.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    most_by_address: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// The connections in the order in which they were opened, each with the address of its client; a reverse
    /// proxy has no address here, as it speaks for many clients.
    seats: BTreeMap<u64, (Option<ClientAddress>, Arc<Activity>)>,
}

impl Connections {
    /// Allows at most `most` connections, and at most `most_by_address` of them from one address.
    pub(crate) fn new(most: usize, most_by_address: usize) -> Arc<Connections> {
        Arc::new(Connections { most, most_by_address, open: Mutex::default() })
    }

    /// Makes room for a connection; returns `None` if the server is at work for all others.
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
        // A thread that panics leaves nothing half done here.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Ends the connection, among those whose address fits `is_such`, on which the server has waited longest;
    /// returns `None` if it waits on none of them.
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

/// The place of one connection. Dropping it frees the place.
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

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    /// The number of things that the server does for the client now.
    busy: AtomicUsize,
    /// The time since which the server waits for the client, if `busy` is 0.
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
    /// Marks the server as at work for the client as long as the value lives.
    pub(crate) fn begin(self: &Arc<Activity>) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Sets the task that serves the connection, and aborts it if the connection has already been ended.
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

/// The server's work for a client. The server does not wait for the client as long as the value lives.
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
        // The server has just answered the second client.
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

//! The open connections, limited in number and time. If there are too many, the connection on which the server has
//! waited longest ends.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::Hash;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use crate::lock;
use crate::server::site::{ClientAddress, LocalAddress, Refusal};

/// The open connections. If there are too many, the server ends the connection on which it has waited longest for the
/// client to send a request or to read an answer. So slow clients do not keep out other clients, least of all clients
/// from another address.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    most_by_address: usize,
    open: Mutex<Open>,
    /// The places of requests through the reverse proxy: a client has as many as it may have connections without a
    /// proxy.
    forwarded: Arc<Places<ClientAddress>>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// The connections in the order in which they were opened, each with the address of its client; `None` for the
    /// reverse proxy, which speaks for many clients.
    seats: BTreeMap<u64, (Option<ClientAddress>, Arc<Activity>)>,
}

impl Connections {
    /// Creates connections, at most `most` in all and at most `most_by_address` from one address.
    pub(crate) fn new(most: usize, most_by_address: usize) -> Arc<Connections> {
        let (open, forwarded) = (Mutex::default(), Places::new(most_by_address));
        Arc::new(Connections { most, most_by_address, open, forwarded })
    }

    /// Makes room for a connection. Returns `None` if the server is busy on all other connections.
    pub(crate) fn admit(self: &Arc<Connections>, address: Option<ClientAddress>) -> Option<Seat> {
        let mut open = lock(&self.open);
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
}

impl Open {
    /// Ends the connection on which the server has waited longest, of the connections whose address satisfies
    /// `is_such`. Returns `None` if the server waits on no such connection.
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

/// The places of clients for something that takes time: a limited number for each client.
#[derive(Debug)]
pub struct Places<K> {
    most: usize,
    taken: Mutex<HashMap<K, usize>>,
}

impl<K: Copy + Eq + Hash> Places<K> {
    /// Creates places, at most `most` for each client.
    #[must_use]
    pub fn new(most: usize) -> Arc<Places<K>> {
        Arc::new(Places { most, taken: Mutex::default() })
    }

    /// Takes a place of a client. Returns `None` if the client has taken all its places.
    #[must_use]
    pub fn take(self: &Arc<Places<K>>, client: K) -> Option<Place<K>> {
        let mut taken = lock(&self.taken);
        let own = taken.entry(client).or_default();
        if *own >= self.most {
            return None;
        }
        *own += 1;
        Some(Place { places: Arc::clone(self), client })
    }
}

/// A place of a client. Dropping the value frees the place.
#[derive(Debug)]
pub struct Place<K: Copy + Eq + Hash> {
    places: Arc<Places<K>>,
    client: K,
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.places.taken);
        if let Some(own) = taken.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

/// The place of one connection. Dropping the value frees the place.
#[derive(Debug)]
pub(crate) struct Seat {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) activity: Arc<Activity>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.connections.open).seats.remove(&self.number);
    }
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    /// The number of tasks that the server runs for the client now.
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
    /// Marks the connection as busy as long as the returned value lives.
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
        (self.busy.load(Ordering::Relaxed) == 0).then(|| *lock(&self.since))
    }
}

/// A mark of the server's work for a client. As long as the value lives, the connection does not count as waiting for
/// the client.
#[derive(Debug)]
pub struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        *lock(&self.0.since) = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The size of the read buffer of a connection, in bytes, which limits the head of a request.
const MAX_BUFFER: usize = 32 * 1024;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The time that connections have to end by themselves when the server stops.
const GRACE: Duration = Duration::from_millis(300);

/// The limits on connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// The greatest number of connections at a time.
    pub connections: usize,
    /// The greatest number of connections from one address.
    pub by_address: usize,
    /// The longest time for the head of a request to arrive, and the longest time in which a client reads no part of
    /// an answer.
    pub request_time: Duration,
    /// The address of the reverse proxy.
    pub proxy: Option<IpAddr>,
}

/// The client of a request, and the connection of the request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The address of the client.
    pub address: ClientAddress,
    pub(crate) activity: Arc<Activity>,
}

impl Caller {
    /// Marks the connection as busy as long as the returned value lives.
    #[must_use]
    pub fn begin(&self) -> Busy {
        self.activity.begin()
    }
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
struct Ends {
    local: SocketAddr,
    peer: IpAddr,
    /// If true, the peer is the reverse proxy.
    is_proxy: bool,
}

/// Answers requests until `stop` is ready, then ends the connections. Requests carry a [`Caller`] and a
/// [`LocalAddress`] as extensions.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(limits.connections, limits.by_address);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, limits.proxy) => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, ends)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let address = (!ends.is_proxy).then(|| ClientAddress::new(ends.peer));
        // If there is no room, the connection is closed without an answer.
        if let Some(seat) = connections.admit(address) {
            serve(stream, ends, &router, seat, limits.request_time, &graceful);
        }
    }
    // The server accepts no more connections; clients that listen to an analysis still receive its end.
    drop(listener);
    let _ = timeout(GRACE, graceful.shutdown()).await;
}

async fn accept(listener: &TcpListener, proxy: Option<IpAddr>) -> io::Result<(TcpStream, Ends)> {
    let (stream, peer) = listener.accept().await?;
    // Events are small and must be sent without delay.
    stream.set_nodelay(true)?;
    let peer = peer.ip().to_canonical();
    let is_proxy = proxy.is_some_and(|proxy| proxy.to_canonical() == peer);
    let local = stream.local_addr()?;
    Ok((stream, Ends { local, peer, is_proxy }))
}

/// Spawns a task that answers the requests of one connection.
fn serve(
    stream: TcpStream,
    ends: Ends,
    router: &Router,
    seat: Seat,
    request_time: Duration,
    graceful: &GracefulShutdown,
) {
    let (router, activity) = (router.clone(), Arc::clone(&seat.activity));
    let connections = Arc::clone(&seat.connections);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let request = request.map(axum::body::Body::new);
        answer(router.clone(), request, ends, Arc::clone(&connections), Arc::clone(&activity))
    });
    // The stream limits the time to write, because hyper limits only the time to read.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(request_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(request_time)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let connection = graceful.watch(connection);
    let activity = Arc::clone(&seat.activity);
    let task = tokio::spawn(async move {
        // A client may close its connection at any time, so an error here is no fault.
        let _ = connection.await;
        drop(seat);
    });
    activity.set_task(task.abort_handle());
}

async fn answer(
    router: Router,
    mut request: Request,
    ends: Ends,
    connections: Arc<Connections>,
    activity: Arc<Activity>,
) -> Result<axum::response::Response, Infallible> {
    let forwarded = ends.is_proxy.then(|| ClientAddress::forwarded(request.headers())).flatten();
    let address = forwarded.unwrap_or_else(|| ClientAddress::new(ends.peer));
    let place = forwarded.map(|address| connections.forwarded.take(address));
    if let Some(None) = place {
        let why = "too many requests of this address are under way; try again later";
        return Ok(Refusal::new(StatusCode::TOO_MANY_REQUESTS, why).into_response());
    }
    request.extensions_mut().insert(LocalAddress(ends.local));
    request.extensions_mut().insert(Caller { address, activity });
    tower_service::Service::call(&mut { router }, request).await
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
        assert!(lock(&connections.open).seats.is_empty());
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
    fn client_behind_a_proxy_leaves_room_for_others() {
        let forwarded = Places::new(2);
        let [Some(one), Some(other)] = [address(1), address(2)] else { unreachable!() };
        let places = [(); 2].map(|()| forwarded.take(one).expect("room"));
        assert!(forwarded.take(one).is_none());
        assert!(forwarded.take(other).is_some());
        drop(places);
        assert!(lock(&forwarded.taken).is_empty());
        assert!(forwarded.take(one).is_some());
    }

    #[test]
    fn proxy_has_as_many_as_there_are() {
        let connections = Connections::new(5, 1);
        let seats = [(); 5].map(|()| connections.admit(None).expect("room"));
        assert_eq!(seats.each_ref().map(has_ended), [false; 5]);
    }
}

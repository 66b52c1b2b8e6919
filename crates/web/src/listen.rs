//! Connections: accepted, limited in number and time, and ended.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use crate::address::ClientAddress;
use crate::connections::{Activity, Connections, Seat};
use crate::site::LocalAddress;

/// The greatest number of bytes of the head of a request, with the bytes read beyond it.
const MAX_BUFFER: usize = 32 * 1024;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// The time that connections have to end by themselves when the server stops.
const GRACE: Duration = Duration::from_millis(300);

/// The limits on connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// The greatest number of connections at a time.
    pub(crate) connections: usize,
    /// The greatest number of connections from one address.
    pub(crate) by_address: usize,
    /// The longest time for the head of a request to arrive, and the longest time in which a client takes no
    /// part of an answer.
    pub(crate) request_time: Duration,
    /// The address of the reverse proxy, which forwards for others.
    pub(crate) proxy: Option<IpAddr>,
}

/// The client of a request, and the connection of the request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) address: ClientAddress,
    pub(crate) activity: Arc<Activity>,
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
struct Ends {
    local: SocketAddr,
    peer: IpAddr,
    /// If true, the peer is the reverse proxy.
    is_proxy: bool,
}

/// Answers requests until `stop` is ready, then ends the connections.
pub(crate) async fn listen(
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
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let request = request.map(axum::body::Body::new);
        answer(router.clone(), request, ends, Arc::clone(&activity))
    });
    // hyper limits only the time to read.
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
    activity: Arc<Activity>,
) -> Result<axum::response::Response, Infallible> {
    let forwarded = ends.is_proxy.then(|| ClientAddress::forwarded(request.headers())).flatten();
    let address = forwarded.unwrap_or_else(|| ClientAddress::new(ends.peer));
    request.extensions_mut().insert(LocalAddress(ends.local));
    request.extensions_mut().insert(Caller { address, activity });
    tower_service::Service::call(&mut { router }, request).await
}

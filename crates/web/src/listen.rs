//! Connections: accepted, limited in number, and ended.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::site::LocalAddress;

/// The most bytes of the head of a request, with what is read beyond it.
const MAX_BUFFER: usize = 32 * 1024;

/// How long to wait after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// How long connections have to end by themselves when the server stops.
const GRACE: Duration = Duration::from_millis(300);

/// What connections may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// How many there may be at a time; further ones wait.
    pub(crate) connections: usize,
    /// How long the head of a request may take to arrive.
    pub(crate) request_time: Duration,
}

/// Answers requests until `stop`, then ends what is under way.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(limits.connections));
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, local, permit)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            answer(router.clone(), request.map(axum::body::Body::new), local)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.request_time)
            .max_buf_size(MAX_BUFFER)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // A client may break off its connection at any time: that is no fault.
            let _ = connection.await;
            drop(permit);
        });
    }
    // From here on no client gets in, and those that listen to an analysis hear its end.
    drop(listener);
    let _ = timeout(GRACE, connections.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    // Events are small and must arrive at once.
    stream.set_nodelay(true)?;
    let local = stream.local_addr()?;
    Ok((stream, local, permit))
}

async fn answer(
    router: Router,
    mut request: Request,
    local: SocketAddr,
) -> Result<axum::response::Response, Infallible> {
    request.extensions_mut().insert(LocalAddress(local));
    tower_service::Service::call(&mut { router }, request).await
}

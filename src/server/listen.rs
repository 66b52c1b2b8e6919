//! Connections: taken, limited in number, and ended.

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

use super::site::LocalAddress;

/// Bytes of a request's head, and of what is read ahead of it.
const MAX_BUFFER: usize = 32 * 1024;

/// When no connection can be taken, the next is tried after this time.
const PAUSE: Duration = Duration::from_millis(50);

/// How long connections have to end by themselves when the server stops.
const GRACE: Duration = Duration::from_millis(300);

/// How connections are treated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// At most so many at a time; further ones wait.
    pub(super) connections: usize,
    /// How long the head of a request may take to arrive.
    pub(super) request_time: Duration,
}

/// Answers what comes in until `stop`, then ends what is under way.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    manners: Manners,
    stop: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(manners.connections));
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
            .header_read_timeout(manners.request_time)
            .max_buf_size(MAX_BUFFER)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // Whoever breaks off his connection has his reasons.
            let _ = connection.await;
            drop(permit);
        });
    }
    // Nobody new is let in, and those who listen to an analysis hear its end.
    drop(listener);
    let _ = timeout(GRACE, connections.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    // Events are small and are to arrive at once.
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

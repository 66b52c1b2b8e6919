//! A server without a network, for tests that send more requests than sockets carry.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use axum::{Extension, Router};
use tokio::runtime::{Builder, Runtime};
use tower_service::Service;

use crate::address::ClientAddress;
use crate::listen::Caller;
use crate::off_thread;
use crate::site::LocalAddress;
use crate::{App, Offer, ServedGame, ServedPrograms, ServerLimits, router};

/// The address of the server, and of its only client.
const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 80);

/// The time that a request may take; its body is there from the beginning.
const REQUEST_TIME: Duration = Duration::from_secs(60);

/// The answers of a [`Server`](crate::Server) without its connections. Requests come one after the other from
/// one client.
pub struct Answers {
    runtime: Runtime,
    router: Router,
}

impl Answers {
    /// Creates a server of `games` without a network, whose searches take at most `search_time`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, if a game has no page, or if the operating system refuses
    /// threads.
    pub fn new(games: Vec<ServedGame>, search_time: Duration) -> io::Result<Answers> {
        let limits = ServerLimits {
            clients: 1,
            clients_per_address: 1,
            request_time: REQUEST_TIME,
            search_time,
            table_mib: games.len(),
        };
        let offer = Offer { games, programs: ServedPrograms::default(), analysis: true };
        let app = Arc::new(App::new(offer, limits, NonZeroUsize::MIN)?);
        let blocking = app.searches.most() + off_thread::MOST;
        let runtime =
            Builder::new_current_thread().enable_time().max_blocking_threads(blocking).build()?;
        let hosts: Arc<[String]> = Arc::new([]);
        let address = ClientAddress::new(ADDRESS.ip());
        let router = router(&app, hosts)
            .layer(Extension(LocalAddress(ADDRESS)))
            .layer(Extension(Caller { address, activity: Arc::default() }));
        Ok(Answers { runtime, router })
    }

    /// Returns the status and the body of the answer to a `POST` of this body, with the content type of JSON.
    pub fn post(&self, path: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = Request::post(path)
            .header(header::HOST, ADDRESS.ip().to_string())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body));
        let Ok(request) = request else { return (400, b"expected a path".to_vec()) };
        let mut router = self.router.clone();
        self.runtime.block_on(async {
            let Ok(response) = router.call(request).await;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), usize::MAX).await;
            (status, body.map(Vec::from).unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ENDGAME, served};

    #[test]
    fn questions_have_answers_without_a_socket() {
        let answers = Answers::new(vec![served()], Duration::from_millis(1)).expect("a server");
        let game = serde_json::json!({ "rules": "standard", "start": ENDGAME, "moves": [] });
        let query = serde_json::json!({ "game": game });
        let (status, body) = answers.post("/api/position", query.to_string().into());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        assert_eq!(answers.post("/api/position", b"{".to_vec()).0, 400);
        assert_eq!(answers.post("/api/nothing", Vec::new()).0, 404);
    }
}
